package codec

import "zarr-wasm/zarr/ndarray"

// Executor decides where a chunk is decoded: where the read runs, on another
// goroutine, in another worker.
type Executor interface {
	// Decode decodes src into dst as [Plan.Decode] does and returns when it is done.
	Decode(env *Env, p *Plan, dst ndarray.Block, src []byte, want []Range) error
}

// InPlace returns the executor that decodes on the goroutine that asks.
func InPlace() Executor { return inPlace{} }

type inPlace struct{}

func (inPlace) Decode(env *Env, p *Plan, dst ndarray.Block, src []byte, want []Range) error {
	return p.Decode(env, dst, src, want)
}
