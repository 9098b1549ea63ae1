// Package inflate decodes DEFLATE and its two containers: the codecs gzip (RFC 1952), zlib (RFC
// 1950) and deflate (RFC 1951 alone).
//
// It decodes in one piece, from memory to memory. It is therefore smaller and faster than
// compress/flate, which must be able to stop anywhere. It also knows exactly where a stream ends,
// and why one fails.
package inflate

import (
	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/internal/kernel"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// Codecs returns the codecs gzip, zlib and deflate. The names of the Python package imagecodecs
// mean the same codecs, except imagecodecs_deflate: that is zlib, unless its configuration has raw.
// All other options are for writers only.
func Codecs() []codec.Entry {
	cost := codec.Cost{Decode: 3400, Encode: 20_000}
	entry := func(c container, doc string, names []string, ids ...string) codec.Entry {
		return codec.Entry{
			Names: names,
			IDs:   ids,
			Doc:   doc,
			Kind:  codec.KindBytesToBytes,
			Cost:  cost,
			New:   func(json.Value, codec.Build) (any, error) { return c, nil },
		}
	}
	return []codec.Entry{
		entry(gunzip, codec.Doc("gzip, RFC 1952"), []string{"gzip", "numcodecs.gzip"}, "gzip", "imagecodecs_gzip"),
		entry(unzlib, codec.Doc("zlib, RFC 1950"), []string{"numcodecs.zlib", "zlib"}, "zlib", "imagecodecs_zlib"),
		entry(raw, codec.Doc("DEFLATE, RFC 1951"), []string{"deflate", "numcodecs.deflate"}, "deflate"),
		{IDs: []string{"imagecodecs_deflate"}, Doc: codec.Doc("zlib, or DEFLATE as its configuration says"), Kind: codec.KindBytesToBytes, Cost: cost, New: newImagecodecs},
	}
}

func newImagecodecs(config json.Value, _ codec.Build) (any, error) {
	v := config.Get("raw")
	alone, ok := v.Bool()
	if !ok && !v.IsNull() {
		return nil, &codec.ConfigError{Codec: "imagecodecs_deflate", Msg: "raw is neither true nor false"}
	}
	if alone {
		return raw, nil
	}
	return unzlib, nil
}

// Zlib decodes the zlib stream at the start of src into dst and returns the number of bytes
// written. A larger stream than dst is an error. Bytes after the stream are ignored. Errors match
// [codec.ErrTruncated], [codec.ErrCorrupt] or [codec.ErrChecksum], or are a *codec.UnsupportedError
// for a preset dictionary.
func Zlib(dst, src []byte) (int, error) {
	s := stream{all: -1}
	s.Dst = dst
	err := s.zlib(src)
	return s.Out, err
}

var errRoom = codec.Corrupt("the deflate stream decodes to more bytes than it should")

// container is the container of a chunk's DEFLATE streams.
type container int

const (
	gunzip container = iota
	unzlib
	raw
)

// EncodedSize implements codec.BytesToBytes.
func (container) EncodedSize(decoded codec.Size) codec.Size { return codec.Compressed(decoded) }

// Decode implements codec.BytesToBytes.
func (c container) Decode(env *codec.Env, out codec.Output, src []byte) ([]byte, error) {
	most := out.Most(env)
	first := most
	if !out.Size.Exact {
		first = min(most, max(4*int64(len(src)), int64(cap(out.Buf)), 1024))
	}
	buf := out.Grow(env, first)
	s := stream{all: -1, env: env, out: out}
	s.Dst = buf[:min(int64(cap(buf)), most)]
	if out.Size.Exact {
		s.all = int(out.Size.N)
	}
	var err error
	switch c {
	case gunzip:
		err = s.gzip(src)
	case unzlib:
		err = s.zlib(src)
	default:
		_, err = s.deflate(src)
	}
	if err != nil {
		return nil, err
	}
	return out.Check(s.Dst[:s.Out])
}

// grow makes more room, or returns the error to stop with. literal is the number of literal bytes
// that follow.
func (s *stream) grow(literal int) error {
	if s.env == nil {
		return errRoom
	}
	most, n := s.out.Most(s.env), int64(len(s.Dst))
	if s.gone+n >= most {
		return s.out.TooMany(s.env)
	}
	if s.dry {
		s.gone += int64(s.Out - window)
		s.Out = copy(s.Dst, s.Dst[s.Out-window:s.Out])
		return s.env.Ctx.Err()
	}
	need := min(most, 8*n)
	if need > veryLarge {
		all, err := s.measure(literal)
		if err != nil {
			return err
		}
		need = min(most, max(all, 2*n)) // other streams may follow
	}
	dst, err := s.out.Room(s.env, s.Dst, need)
	if err == nil {
		s.Dst = dst
	}
	return err
}

func (s *stream) zlib(src []byte) error {
	if len(src) < 2 {
		return codec.Truncated("shorter than a zlib header")
	}
	if src[0]&15 != 8 || src[0]>>4 > 7 || (int(src[0])<<8|int(src[1]))%31 != 0 {
		// Leniency: references to chunks inside other formats call raw DEFLATE zlib. Without a
		// checksum, all else must match: the stream is exactly the whole chunk.
		if used, err := s.deflate(src); err == nil && used == len(src) && s.Out == s.all {
			return nil
		}
		return codec.Corrupt("does not begin with a zlib header")
	}
	if src[1]&0x20 != 0 {
		return &codec.UnsupportedError{Feature: "a zlib stream with a preset dictionary"}
	}
	start := s.Out
	used, err := s.deflate(src[2:])
	if err != nil {
		return err
	}
	sum := src[2+used:]
	if len(sum) < 4 {
		return codec.Truncated("the zlib stream ends before its checksum")
	}
	if kernel.Adler32(s.Dst[start:s.Out]) != bigEndian32(sum) {
		return codec.Mismatch("the Adler-32 does not match the data")
	}
	return nil
}

func (s *stream) gzip(src []byte) error {
	if len(src) == s.all && len(src) >= 2 && (src[0] != 0x1f || src[1] != 0x8b) {
		// Leniency: if a server sends chunks with Content-Encoding: gzip, the browser decodes them
		// before the engine receives them.
		s.Out = copy(s.Dst, src)
		return nil
	}
	for {
		head, err := gzipHeader(src)
		if err != nil {
			return err
		}
		src = src[head:]
		start := s.Out
		used, err := s.deflate(src)
		if err != nil {
			return err
		}
		src = src[used:]
		if len(src) < 8 {
			return codec.Truncated("the gzip member ends before its checksum")
		}
		data := s.Dst[start:s.Out]
		if kernel.CRC32(data) != kernel.Load32(src, 0) {
			return codec.Mismatch("the CRC-32 does not match the data")
		}
		if uint32(len(data)) != kernel.Load32(src, 4) {
			return codec.Mismatch("the length in the gzip trailer does not match the data")
		}
		// Other members may follow, and zeros after each.
		src = src[8:]
		for len(src) > 0 && src[0] == 0 {
			src = src[1:]
		}
		if len(src) == 0 {
			return nil
		}
	}
}

var errHeader = codec.Truncated("ends inside of a gzip header")

// gzipHeader returns the length of the member header at the start of src.
func gzipHeader(src []byte) (int, error) {
	if len(src) > 0 && src[0] != 0x1f || len(src) > 1 && src[1] != 0x8b {
		return 0, codec.Corrupt("does not begin with a gzip header")
	}
	if len(src) < 10 {
		return 0, errHeader
	}
	flags := src[3]
	if src[2] != 8 || flags&0xe0 != 0 {
		return 0, codec.Corrupt("a gzip header of an unknown method or with reserved flags")
	}
	n := 10
	if flags&4 != 0 { // extra field
		if len(src)-n < 2 {
			return 0, errHeader
		}
		n += 2 + int(kernel.Load16(src, n))
	}
	for _, flag := range [...]byte{8, 16} { // name, comment
		if flags&flag == 0 {
			continue
		}
		for n < len(src) && src[n] != 0 {
			n++
		}
		n++
	}
	if flags&2 != 0 { // checksum of the header
		if len(src)-n < 2 {
			return 0, errHeader
		}
		if uint16(kernel.CRC32(src[:n])) != kernel.Load16(src, n) {
			return 0, codec.Mismatch("the CRC of the gzip header does not match the header")
		}
		n += 2
	}
	if n > len(src) {
		return 0, errHeader
	}
	return n, nil
}

func bigEndian32(b []byte) uint32 {
	return uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3])
}
