// Package imagecodecs has the simple codecs that only the Python package of that name defines. They
// are imagecodecs_delta, imagecodecs_floatpred, imagecodecs_xor, imagecodecs_packbits,
// imagecodecs_lzf and imagecodecs_lzw, all for version 2. Codecs in common with numcodecs are in
// the packages of those codecs.
package imagecodecs

import (
	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// Codecs returns the entries of the family.
func Codecs() []codec.Entry {
	entry := func(id, doc string, build func(json.Value, codec.Build) (any, error)) codec.Entry {
		return codec.Entry{IDs: []string{id}, Doc: doc, Kind: codec.KindBytesToBytes, New: build}
	}
	always := func(c compressor) func(json.Value, codec.Build) (any, error) {
		return func(json.Value, codec.Build) (any, error) { return c, nil }
	}
	return []codec.Entry{
		entry("imagecodecs_delta", codec.Doc("differences of neighbouring elements"), newDelta),
		entry("imagecodecs_floatpred", codec.Doc("differences of the bytes of floating-point numbers, as TIFF's predictor 3"), newFloatpred),
		entry("imagecodecs_xor", codec.Doc("exclusive or of neighbouring elements"), newXor),
		entry("imagecodecs_packbits", codec.Doc("PackBits run lengths, as TIFF"), always(packbits)),
		entry("imagecodecs_lzf", codec.Doc("LZF, as HDF5's filter 32000"), newLZF),
		entry("imagecodecs_lzw", codec.Doc("LZW, as TIFF"), always(lzw)),
	}
}

// compressor decodes all of src to the sink.
type compressor func(to *sink, src []byte) error

// EncodedSize implements codec.BytesToBytes.
func (compressor) EncodedSize(decoded codec.Size) codec.Size { return codec.Compressed(decoded) }

// Decode implements codec.BytesToBytes.
func (c compressor) Decode(env *codec.Env, out codec.Output, src []byte) ([]byte, error) {
	most := out.Most(env)
	first := most
	if !out.Size.Exact {
		first = min(most, max(4*int64(len(src)), int64(cap(out.Buf)), 1024))
	}
	buf := out.Grow(env, first)
	to := sink{env: env, out: out, most: most, buf: buf[:min(int64(cap(buf)), most)]}
	if err := c(&to, src); err != nil {
		return nil, err
	}
	return out.Check(to.buf[:to.n])
}

// sink is the target of a compressor: buf[:n] is written.
type sink struct {
	env  *codec.Env
	out  codec.Output
	most int64
	buf  []byte
	n    int
}

// room makes room for n more bytes and returns it; the caller writes them.
func (s *sink) room(n int) ([]byte, error) {
	if n > len(s.buf)-s.n {
		need := int64(s.n) + int64(n)
		if need > s.most {
			return nil, s.out.TooMany(s.env)
		}
		buf, err := s.out.More(s.env, s.buf, need)
		if err != nil {
			return nil, err
		}
		s.buf = buf
	}
	at := s.n
	s.n += n
	return s.buf[at:s.n], nil
}
