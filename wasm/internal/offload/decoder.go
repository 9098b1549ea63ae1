package offload

import (
	"context"
	"slices"

	"github.com/zarr-wasm/zarr-wasm/wasm/internal/wire"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// Decoder decodes for another instance's reads, and encodes for its writes (encode.go). It reuses
// its memory for the next chunk.
type Decoder struct {
	codecs    *codec.Registry
	limits    *codec.Limits
	target    wire.Memory
	env       *codec.Env
	pipelines map[int]*pipelineOf
	src, dst  []byte
	region    []byte
}

// pipelineOf is a chain with a plan.
type pipelineOf struct {
	*codec.Pipeline
	plan *codec.Plan // for the last chunk: most have the same shape
}

// NewDecoder returns a decoder without pipelines. target is the memory into which chunks are
// decoded in place.
func NewDecoder(codecs *codec.Registry, limits *codec.Limits, target wire.Memory) *Decoder {
	return &Decoder{
		codecs: codecs, limits: limits, target: target,
		env: codec.NewEnv(context.Background(), *limits), pipelines: map[int]*pipelineOf{},
	}
}

// Learn adds a pipeline by its description.
func (d *Decoder) Learn(msg wire.Object) error {
	p, err := wire.PipelineOf(msg, d.codecs, *d.limits)
	if err == nil {
		d.pipelines[msg.Int(wire.PipelineNumber)] = &pipelineOf{p, nil}
	}
	return err
}

// take returns a buffer of n bytes, and reuses the old one if large enough.
func take(old *[]byte, n int) []byte {
	if cap(*old) < n {
		*old = nil // collectable before the new allocation
		*old = make([]byte, n)
	}
	return (*old)[:n]
}

// Decode answers {pipeline, shape, bytes, length, want?, region?, into} or, in place of into,
// {place}.
func (d *Decoder) Decode(msg wire.Object) error {
	p := d.pipelines[msg.Int(wire.ChunkPipeline)]
	encoded := msg.Memory(wire.ChunkBytes)
	n := msg.Int(wire.ChunkLength)
	if p == nil || encoded == nil || n < 0 || n > encoded.Len() {
		return &wire.EngineError{Msg: "a chunk to decode without its codecs or bytes"}
	}
	shape := msg.Ints(wire.ChunkShape)
	if p.plan == nil || !slices.Equal(p.plan.Array().Shape, shape) {
		a := p.Build().Array
		a.Shape = shape
		var err error
		if p.plan, err = p.Plan(a); err != nil {
			p.plan = nil
			return err
		}
	}
	plan := p.plan
	if err := plan.CheckEncoded(n); err != nil {
		return err
	}
	src := take(&d.src, n)
	encoded.Read(src)
	a := plan.Array()
	b := ndarray.Block{Shape: shape, Size: a.Type.Size, Data: take(&d.dst, a.Bytes())}
	if err := plan.Decode(d.env, b, src, rangesOf(msg.Ints(wire.DecodeWant))); err != nil {
		return err
	}
	out := b.Data
	if r := msg.Object(wire.DecodeRegion); r != nil {
		var err error
		in := ndarray.Layout{Offset: r.Int(wire.RegionOffset), Strides: r.Ints(wire.RegionStrides)}
		if out, err = packed(b, in, r.Ints(wire.RegionShape), func(n int) []byte { return take(&d.region, n) }); err != nil {
			return err
		}
	}
	place := wire.Place{Run: len(out)}
	to := msg.Memory(wire.DecodeInto)
	if o := msg.Object(wire.DecodePlace); o != nil {
		place = wire.PlaceOf(o)
		to = d.target
	}
	if to == nil {
		return &wire.EngineError{Msg: "a chunk to decode without a place"}
	}
	to.Put(place, out)
	return nil
}

// rangesOf reads pairs of from and to.
func rangesOf(v []int) []codec.Range {
	var want []codec.Range
	for i := 0; i+1 < len(v); i += 2 {
		want = append(want, codec.Range{From: v[i], To: v[i+1]})
	}
	return want
}
