package rpc

import (
	"context"
	"slices"

	"zarr-wasm/zarr/codec"
	"zarr-wasm/zarr/ndarray"
)

// decoder is the part of a session that decodes for another engine's reads. Its
// memory is used again by the next chunk.
type decoder struct {
	s         *Session
	env       *codec.Env
	pipelines map[int]*pipelineOf
	src, dst  []byte
	region    []byte
}

// pipelineOf is a chain with a plan.
type pipelineOf struct {
	*codec.Pipeline
	plan *codec.Plan // of the last chunk: most have one shape
}

func newDecoder(s *Session) *decoder {
	return &decoder{s: s, env: codec.NewEnv(context.Background(), s.cfg.Limits), pipelines: map[int]*pipelineOf{}}
}

// learn takes the description of a pipeline.
func (d *decoder) learn(msg Object) error {
	p, err := pipelineOfWire(msg, d.s.cfg.Codecs, d.s.cfg.Limits)
	if err == nil {
		d.pipelines[msg.number("pipeline")] = &pipelineOf{p, nil}
	}
	return err
}

// take returns a buffer of n bytes, the old one where it is large enough.
func take(old *[]byte, n int) []byte {
	if cap(*old) < n {
		*old = nil // garbage before there is more of it
		*old = make([]byte, n)
	}
	return (*old)[:n]
}

// decode answers {pipeline, shape, bytes, length, want?, region?, into} or, in place of into, {place}.
func (d *decoder) decode(msg Object) error {
	p := d.pipelines[msg.number("pipeline")]
	encoded := msg.memory("bytes")
	n := msg.number("length")
	if p == nil || encoded == nil || n < 0 || n > encoded.Len() {
		return &engineError{"a chunk to decode without its codecs or bytes"}
	}
	shape := msg.ints("shape")
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
	if err := plan.Admit(n); err != nil {
		return err
	}
	src := take(&d.src, n)
	encoded.Read(src)
	a := plan.Array()
	b := ndarray.Block{Shape: shape, Size: a.Type.Size, Data: take(&d.dst, a.Bytes())}
	if err := plan.Decode(d.env, b, src, rangesOf(msg.ints("want"))); err != nil {
		return err
	}
	out := b.Data
	if r := msg.object("region"); r != nil {
		var err error
		in := ndarray.Layout{Offset: r.number("offset"), Strides: r.ints("strides")}
		if out, err = packed(b, in, r.ints("shape"), func(n int) []byte { return take(&d.region, n) }); err != nil {
			return err
		}
	}
	place := Place{Run: len(out)}
	to := msg.memory("into")
	if o := msg.object("place"); o != nil {
		place = placeOf(o)
		to = d.s.cfg.Target
	}
	if to == nil {
		return &engineError{"a chunk to decode without a place"}
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
