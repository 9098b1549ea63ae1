package codec

import (
	"runtime"

	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// Executor decides where a chunk is decoded: in the read's goroutine, in another goroutine, or in
// another worker.
type Executor interface {
	// Decode decodes src into dst as [Plan.Decode] does and returns when it is done.
	Decode(env *Env, p *Plan, dst ndarray.Block, src []byte, want []Range) error
}

// Parallel is an executor that decodes several chunks at once.
type Parallel interface {
	Executor
	// Parallel returns how many chunks keep it busy.
	Parallel() int
}

// EncodingExecutor is an executor that also decides where chunks are encoded.
type EncodingExecutor interface {
	Parallel
	// Encode encodes src as [Plan.Encode] does and returns when it is done. The executor may own
	// the memory of the result.
	Encode(env *Env, p *Plan, src ndarray.Block) ([]byte, error)
}

// Job is a chunk to decode, with a region to copy elsewhere.
type Job struct {
	Plan *Plan
	Src  []byte  // as [Plan.Decode] takes it
	Want []Range // as [Plan.Decode] takes it
	// In and Out are the places of the region in the chunk and in the target.
	In, Out ndarray.Layout
	Shape   []int // of the region
}

// InPlace returns the executor that decodes in the caller's goroutine.
func InPlace() Executor { return inPlace{} }

type inPlace struct{}

// Parallel implements Parallel.
func (inPlace) Parallel() int { return runtime.GOMAXPROCS(0) }

func (inPlace) Decode(env *Env, p *Plan, dst ndarray.Block, src []byte, want []Range) error {
	return p.Decode(env, dst, src, want)
}
