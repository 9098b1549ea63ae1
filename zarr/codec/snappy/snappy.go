// Package snappy decodes blocks of the Snappy format, for the codec snappy and for blosc.
package snappy

import (
	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/internal/kernel"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// Codec returns the codec snappy: one block, without the framing format's chunks
// around it. It has no configuration.
func Codec() codec.Entry {
	return codec.Entry{
		Names: []string{"numcodecs.snappy", "snappy"},
		IDs:   []string{"snappy", "imagecodecs_snappy"},
		Doc:   codec.Doc("Snappy blocks"),
		Kind:  codec.KindBytesToBytes,
		Cost:  codec.Cost{Decode: 300, Encode: 4000},
		New:   func(json.Value, codec.Build) (any, error) { return snappy{}, nil },
	}
}

type snappy struct{}

// EncodedSize implements codec.BytesToBytes.
func (snappy) EncodedSize(decoded codec.Size) codec.Size { return codec.Compressed(decoded) }

// Decode implements codec.BytesToBytes.
func (snappy) Decode(env *codec.Env, out codec.Output, src []byte) ([]byte, error) {
	// DecodeBlock rejects bytes without a valid length. The densest form is a copy of 64 bytes in
	// three: a length that needs more is invalid.
	n, used := uvarint(src)
	switch {
	case used <= 0 || n > 1<<32-1:
		n = 0
	case int64(n) > out.Most(env):
		return nil, out.TooMany(env)
	case out.Size.Exact && int64(n) < out.Size.N:
		return nil, codec.Truncated("its length is less than the chunk's")
	case n > 64*uint64(len(src)):
		return nil, codec.Truncated("too short for what its length says")
	}
	buf := out.Grow(env, int64(n))[:n]
	if _, err := DecodeBlock(buf, src); err != nil {
		return nil, err
	}
	return buf, nil
}

var (
	errEnd    = codec.Truncated("the snappy block ends too early")
	errRoom   = codec.Corrupt("the snappy block decodes to more bytes than it should")
	errOffset = codec.Corrupt("a snappy copy starts before the block")
)

// DecodeBlock decodes one block (its length as a varint, then tags) into dst and returns the number
// of bytes written. All of src must be the block. Errors match [codec.ErrTruncated] or
// [codec.ErrCorrupt]; then dst's contents are arbitrary.
func DecodeBlock(dst, src []byte) (int, error) {
	size, s := uvarint(src)
	switch {
	case s == 0:
		return 0, errEnd
	case s < 0 || size > 1<<32-1:
		return 0, codec.Corrupt("the snappy block's length exceeds 32 bits")
	case size > uint64(len(dst)):
		return 0, errRoom
	}
	dst = dst[:size]
	d := 0
	for s < len(src) {
		tag := int(src[s])
		s++
		var n, offset int
		switch tag & 3 {
		case 0:
			n = tag>>2 + 1
			if n > 60 {
				extra := n - 60 // bytes of the length
				if extra > len(src)-s {
					return d, errEnd
				}
				n = 0
				for i := range extra {
					n |= int(src[s+i]) << (8 * i)
				}
				n++
				s += extra
			}
			if n > len(src)-s {
				return d, errEnd
			}
			if n > len(dst)-d {
				return d, errRoom
			}
			copy(dst[d:d+n], src[s:s+n])
			s += n
			d += n
			continue
		case 1:
			if len(src)-s < 1 {
				return d, errEnd
			}
			n = tag>>2&7 + 4
			offset = tag>>5<<8 | int(src[s])
			s++
		case 2:
			if len(src)-s < 2 {
				return d, errEnd
			}
			n = tag>>2 + 1
			offset = int(kernel.Load16(src, s))
			s += 2
		case 3:
			if len(src)-s < 4 {
				return d, errEnd
			}
			n = tag>>2 + 1
			offset = int(kernel.Load32(src, s))
			s += 4
		}
		if offset == 0 || offset > d {
			return d, errOffset
		}
		if n > len(dst)-d {
			return d, errRoom
		}
		from, end := d-offset, d+n
		for d < end {
			d += copy(dst[d:end], dst[from:d])
		}
	}
	if d < len(dst) {
		return d, errEnd
	}
	return d, nil
}

// uvarint reads a number in groups of seven bits, the lowest first, and returns it with its length.
// The length is 0 if src ends inside the number, and -1 if it exceeds 32 bits.
func uvarint(src []byte) (uint64, int) {
	var n uint64
	for i, b := range src {
		if i == 5 {
			return 0, -1
		}
		n |= uint64(b&0x7f) << (7 * i)
		if b < 0x80 {
			return n, i + 1
		}
	}
	return 0, 0
}
