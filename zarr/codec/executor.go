package codec

import (
	"runtime"

	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// Executor decides where a chunk is decoded: where the read runs, on another
// goroutine, in another worker.
type Executor interface {
	// Decode decodes src into dst as [Plan.Decode] does and returns when it is done.
	Decode(env *Env, p *Plan, dst ndarray.Block, src []byte, want []Range) error
}

// Parallel is an executor that has several chunks decoded at once.
type Parallel interface {
	Executor
	// Parallel is how many of them keep it busy.
	Parallel() int
}

// EncodingExecutor is an executor that decides where chunks are encoded, too.
type EncodingExecutor interface {
	Parallel
	// Encode encodes src as [Plan.Encode] does and returns when it is done. The result may also be memory of its own.
	Encode(env *Env, p *Plan, src ndarray.Block) ([]byte, error)
}

// Job is a chunk that is to be decoded, and the region of it that is to be
// brought somewhere.
type Job struct {
	Plan *Plan
	Src  []byte  // as [Plan.Decode] takes it
	Want []Range // as [Plan.Decode] takes it
	// In and Out say where the region lies in the chunk and where it belongs.
	In, Out ndarray.Layout
	Shape   []int // of the region
}

// InPlace returns the executor that decodes on the goroutine that asks.
func InPlace() Executor { return inPlace{} }

type inPlace struct{}

// Parallel implements Parallel.
func (inPlace) Parallel() int { return runtime.GOMAXPROCS(0) }

func (inPlace) Decode(env *Env, p *Plan, dst ndarray.Block, src []byte, want []Range) error {
	return p.Decode(env, dst, src, want)
}
