// Package spent measures the processor time of a call, for tests of what was made to take long. The
// time on a clock would measure what else the machine does.
//
//	began := spent.Start()
//	call()
//	if took := began.Took(); took > spent.Most { … }
package spent

import (
	"runtime"
	"time"
)

// Most is how much time a call may take that has to be quick, with the race detector, which makes
// it some ten times as long: what is quadratic where it should not be takes hours.
const Most = 20 * time.Second

// Began is when a measurement began, in the processor time of its thread.
type Began time.Duration

// Start begins to measure. The goroutine stays on its thread until Took.
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
