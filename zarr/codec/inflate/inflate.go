// Package inflate decodes DEFLATE and the two containers around it: the codecs
// gzip (RFC 1952), zlib (RFC 1950) and deflate (RFC 1951 alone).
//
// It decodes in one piece, from memory to memory. That makes it smaller and
// faster than compress/flate, which has to be able to stop anywhere, and lets
// it tell exactly where a stream ends and why it does not.
package inflate

import (
	"hash/adler32"
	"hash/crc32"

	"zarr-wasm/internal/json"
	"zarr-wasm/internal/kernel"
	"zarr-wasm/zarr/codec"
)

// Codecs returns the codecs gzip, zlib and deflate, which under the names of the
// Python package imagecodecs are the same, but for imagecodecs_deflate: that is
// zlib, unless its configuration says raw. All else in the configurations is for
// writers only.
func Codecs() []codec.Entry {
	entry := func(c container, names []string, ids ...string) codec.Entry {
		return codec.Entry{
			Names: names,
			IDs:   ids,
			New:   func(json.Value, codec.Build) (any, error) { return c, nil },
		}
	}
	return []codec.Entry{
		entry(gunzip, []string{"gzip", "numcodecs.gzip"}, "gzip", "imagecodecs_gzip"),
		entry(unzlib, []string{"numcodecs.zlib", "zlib"}, "zlib", "imagecodecs_zlib"),
		entry(raw, []string{"deflate", "numcodecs.deflate"}, "deflate"),
		{IDs: []string{"imagecodecs_deflate"}, New: newImagecodecs},
	}
}

func newImagecodecs(config json.Value, _ codec.Build) (any, error) {
	v := config.Get("raw")
	alone, ok := v.Bool()
	if !ok && !v.IsNull() {
		return nil, &codec.ConfigError{Codec: "imagecodecs_deflate", Msg: "raw is neither true nor false"}
	}
	if alone {
		return container(raw), nil
	}
	return container(unzlib), nil
}

// Zlib decodes the zlib stream at the start of src into dst and returns how many
// bytes it wrote; it is an error if the stream has more than dst takes. What
// follows the stream is ignored. Errors match [codec.ErrTruncated], [codec.ErrCorrupt] or
// [codec.ErrChecksum], or are a *codec.UnsupportedError for a preset dictionary.
func Zlib(dst, src []byte) (int, error) {
	out := sink{buf: dst, all: -1, more: func(*sink) error { return errRoom }}
	err := unzlib(&out, src)
	return out.n, err
}

var errRoom = codec.Corrupt("the deflate stream decodes to more bytes than it should")

// container decodes all streams of src.
type container func(out *sink, src []byte) error

func (container) EncodedSize(decoded codec.Size) codec.Size { return codec.Compressed(decoded) }

func (c container) Decode(env *codec.Env, out codec.Output, src []byte) ([]byte, error) {
	most := out.Most(env)
	first := most
	if !out.Size.Exact {
		first = min(most, max(4*int64(len(src)), int64(cap(out.Buf)), 1024))
	}
	buf := out.Grow(env, first)
	s := sink{buf: buf[:min(int64(cap(buf)), most)], all: -1}
	if out.Size.Exact {
		s.all = int(out.Size.N)
	}
	s.more = func(s *sink) error {
		n := int64(len(s.buf))
		if n >= most {
			return out.TooMany(env)
		}
		old := s.buf
		s.buf = env.Buffer(int(min(most, 2*n)))
		copy(s.buf, old)
		return nil
	}
	if err := c(&s, src); err != nil {
		return nil, err
	}
	return out.Check(s.buf[:s.n])
}

func raw(out *sink, src []byte) error {
	_, err := deflate(out, src)
	return err
}

func unzlib(out *sink, src []byte) error {
	if len(src) < 2 {
		return codec.Truncated("shorter than a zlib header")
	}
	if src[0]&15 != 8 || src[0]>>4 > 7 || (int(src[0])<<8|int(src[1]))%31 != 0 {
		// Leniency: references to chunks inside of other formats call DEFLATE alone zlib. That
		// has no checksum, so all else must fit: it is the whole chunk, and nothing but it.
		if used, err := deflate(out, src); err == nil && used == len(src) && out.n == out.all {
			return nil
		}
		return codec.Corrupt("does not begin with a zlib header")
	}
	if src[1]&0x20 != 0 {
		return &codec.UnsupportedError{Feature: "a zlib stream with a preset dictionary"}
	}
	start := out.n
	used, err := deflate(out, src[2:])
	if err != nil {
		return err
	}
	sum := src[2+used:]
	if len(sum) < 4 {
		return codec.Truncated("the zlib stream ends before its checksum")
	}
	if adler32.Checksum(out.buf[start:out.n]) != bigEndian32(sum) {
		return codec.Mismatch("the Adler-32 is not that of the data")
	}
	return nil
}

func gunzip(out *sink, src []byte) error {
	if len(src) == out.all && len(src) >= 2 && (src[0] != 0x1f || src[1] != 0x8b) {
		// Leniency: a server that sends chunks with Content-Encoding: gzip makes the
		// browser decode them before anybody sees them.
		out.n = copy(out.buf, src)
		return nil
	}
	for {
		head, err := gzipHeader(src)
		if err != nil {
			return err
		}
		src = src[head:]
		start := out.n
		used, err := deflate(out, src)
		if err != nil {
			return err
		}
		src = src[used:]
		if len(src) < 8 {
			return codec.Truncated("the gzip member ends before its checksum")
		}
		data := out.buf[start:out.n]
		if crc32.ChecksumIEEE(data) != kernel.Load32(src, 0) {
			return codec.Mismatch("the CRC-32 is not that of the data")
		}
		if uint32(len(data)) != kernel.Load32(src, 4) {
			return codec.Mismatch("the length in the gzip trailer is not that of the data")
		}
		// Other members may follow, and zeros behind each.
		src = src[8:]
		for len(src) > 0 && src[0] == 0 {
			src = src[1:]
		}
		if len(src) == 0 {
			return nil
		}
	}
}

// gzipHeader returns the length of the member header that src begins with.
func gzipHeader(src []byte) (int, error) {
	end := codec.Truncated("ends inside of a gzip header")
	if len(src) > 0 && src[0] != 0x1f || len(src) > 1 && src[1] != 0x8b {
		return 0, codec.Corrupt("does not begin with a gzip header")
	}
	if len(src) < 10 {
		return 0, end
	}
	flags := src[3]
	if src[2] != 8 || flags&0xe0 != 0 {
		return 0, codec.Corrupt("a gzip header of an unknown method or with reserved flags")
	}
	n := 10
	if flags&4 != 0 { // extra field
		if len(src)-n < 2 {
			return 0, end
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
			return 0, end
		}
		if uint16(crc32.ChecksumIEEE(src[:n])) != kernel.Load16(src, n) {
			return 0, codec.Mismatch("the CRC of the gzip header is not that of the header")
		}
		n += 2
	}
	if n > len(src) {
		return 0, end
	}
	return n, nil
}

func bigEndian32(b []byte) uint32 {
	return uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3])
}
