// Package spent measures the processor time of a call, for tests of inputs that are meant to be
// slow. The wall clock would also measure the machine's load.
//
//	began := spent.Start()
//	call()
//	if took := began.Took(); took > spent.Most { … }
package spent

import (
	"runtime"
	"time"
)

// Most is the limit for a quick call under the race detector, which is some ten times slower.
// Accidental quadratic work takes hours.
const Most = 20 * time.Second

// Began is the start of a measurement, in processor time of its thread.
type Began time.Duration

// Start starts a measurement. The goroutine stays on its thread until Took.
func Start() Began {
	runtime.LockOSThread()
	return Began(used())
}

// Took returns the processor time that the goroutine has used since, without that of goroutines
// that it started. It returns 0 where the system does not report it.
func (b Began) Took() time.Duration {
	defer runtime.UnlockOSThread()
	return used() - time.Duration(b)
}
