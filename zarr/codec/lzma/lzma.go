// Package lzma decodes the codec lzma of numcodecs: .xz files, .lzma files (format ALONE) and raw
// streams. For raw streams the configuration has the chain of filters.
//
// It decodes from memory to memory. The output is its own dictionary: nothing is allocated for it,
// whatever size a header declares.
package lzma

import (
	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

const name = "lzma"

// Codec returns the codec lzma. A reader needs only format and, for raw streams, filters from its
// configuration.
func Codec() codec.Entry {
	return codec.Entry{
		Names: []string{"numcodecs.lzma", name},
		IDs:   []string{name},
		Doc:   codec.Doc("LZMA: .xz, .lzma and raw streams"),
		Kind:  codec.KindBytesToBytes,
		Cost:  codec.Cost{Decode: 20_000, Encode: 300_000},
		New:   newLZMA,
	}
}

// The formats, with the numbers of Python's lzma module.
const (
	formatAuto = iota
	formatXZ
	formatAlone
	formatRaw
)

type lzma struct {
	format int
	chain  chain // of raw streams
}

func newLZMA(config json.Value, _ codec.Build) (any, error) {
	c := lzma{format: formatXZ}
	if v := config.Get("format"); !v.IsNull() {
		n, ok := v.Int64()
		if !ok || n < formatAuto || n > formatRaw {
			return nil, &codec.ConfigError{Codec: name, Msg: "format is not a number from 0 to 3"}
		}
		c.format = int(n)
	}
	// The other formats contain their filters: the writer's configuration does not matter.
	if c.format == formatRaw {
		var err error
		if c.chain, err = configured(config.Get("filters")); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// EncodedSize implements codec.BytesToBytes.
func (lzma) EncodedSize(decoded codec.Size) codec.Size { return codec.Compressed(decoded) }

// Decode implements codec.BytesToBytes.
func (c lzma) Decode(env *codec.Env, out codec.Output, src []byte) ([]byte, error) {
	most := out.Most(env)
	first := most
	if !out.Size.Exact {
		first = min(most, max(4*int64(len(src)), int64(cap(out.Buf)), 1024))
	}
	buf := out.Grow(env, first)
	s := &sink{buf: buf[:min(int64(cap(buf)), most)]}
	s.more = func() (err error) {
		n := int64(len(s.buf))
		if n >= most {
			return out.TooMany(env)
		}
		s.buf, err = out.More(env, s.buf, 0)
		return err
	}
	s.admit = func(n uint64) error {
		if n > uint64(most)-uint64(s.n) {
			return out.TooMany(env)
		}
		return nil
	}
	if err := c.streams(s, src); err != nil {
		return nil, err
	}
	return out.Check(s.buf[:s.n])
}

// sink is the target of streams: buf[:n] is done, buf[n:] is room. Its function more makes more
// room, or returns the error to stop with. Its function admit returns an error if n more bytes are
// too many.
type sink struct {
	buf   []byte
	n     int
	more  func() error
	admit func(n uint64) error
}

// room returns the output that a stream may write. end is the stream's end, if not negative.
func (s *sink) room(end int) []byte {
	if end >= 0 && end < len(s.buf) {
		return s.buf[:end]
	}
	return s.buf
}

// streams decodes all of src: one stream of the format or several in a row.
func (c lzma) streams(out *sink, src []byte) error {
	format := c.format
	if format == formatAuto {
		format = formatAlone
		if len(src) > 0 && src[0] == xzMagic[0] { // no .lzma file starts with it
			format = formatXZ
		} else if len(src) >= 4 && string(src[:4]) == "LZIP" {
			return &codec.UnsupportedError{Feature: "lzip files"}
		}
	}
	var d decoder
	for {
		var used int
		var err error
		switch format {
		case formatXZ:
			used, err = d.xz(out, src)
		case formatAlone:
			used, err = d.alone(out, src)
		default:
			used, err = c.chain.decode(&d, out, src)
		}
		if err != nil {
			return err
		}
		if src = src[used:]; len(src) == 0 {
			return nil
		}
	}
}
