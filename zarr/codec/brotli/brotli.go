// Package brotli decodes the codec brotli: one stream of RFC 7932.
//
// It decodes in one piece, from memory to memory. The output is the window for distances, whatever
// size the stream's header declares. Decoding has four layers, a file each. They are bits and
// prefix codes, the headers of meta-blocks, the commands that combine literals and copies, and the
// static dictionary.
package brotli

import (
	"sync"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// Codec returns the codec brotli. Its configuration is for writers only. All
// arrays that use the entry share its decoders and its dictionary.
func Codec() codec.Entry {
	d := &decoder{}
	return codec.Entry{
		Names: []string{"numcodecs.brotli", "brotli"},
		IDs:   []string{"brotli", "imagecodecs_brotli"},
		Doc:   codec.Doc("Brotli, RFC 7932"),
		Kind:  codec.KindBytesToBytes,
		Cost:  codec.Cost{Decode: 4000},
		New:   func(json.Value, codec.Build) (any, error) { return d, nil },
	}
}

// decoder reuses the memory of its last decodes.
type decoder struct {
	pool  sync.Pool
	words dictionary
}

// EncodedSize implements codec.BytesToBytes.
func (*decoder) EncodedSize(decoded codec.Size) codec.Size { return codec.Compressed(decoded) }

// Decode implements codec.BytesToBytes. It ignores bytes after the stream.
func (d *decoder) Decode(env *codec.Env, out codec.Output, src []byte) ([]byte, error) {
	most := out.Most(env)
	first := most
	if !out.Size.Exact {
		first = min(most, max(4*int64(len(src)), int64(cap(out.Buf)), 1024))
	}
	buf := out.Grow(env, first)
	s := &sink{env: env, out: out, most: int(most)}
	s.buf = buf[:min(int64(cap(buf)), most)]

	w, _ := d.pool.Get().(*work)
	if w == nil {
		w = newWork(&d.words)
	}
	w.in = bits{src: src}
	err := w.stream(s)
	if w.in.over() {
		err = errEnd // any other error came from reading beyond the end
	}
	w.in = bits{}
	d.pool.Put(w)
	if err != nil {
		return nil, err
	}
	return out.Check(s.buf[:s.n])
}

// sink is the target of a stream: buf[:n] is done, buf[n:] is room.
type sink struct {
	buf  []byte
	n    int
	most int // the largest final size
	env  *codec.Env
	out  codec.Output
}

// admit returns an error if k more bytes are too many.
func (s *sink) admit(k int) error {
	if k > s.most-s.n {
		return s.out.TooMany(s.env)
	}
	return nil
}

// need makes room for k more bytes, which admit has accepted.
func (s *sink) need(k int) error {
	if k <= len(s.buf)-s.n {
		return nil
	}
	buf, err := s.out.More(s.env, s.buf, int64(s.n+k))
	if err == nil {
		s.buf = buf
	}
	return err
}
