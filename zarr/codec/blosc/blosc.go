// Package blosc decodes Blosc 1 containers. Their blocks are shuffled by bytes or bits, and
// compressed by one of six compressors. A block may be split into one stream for each byte of the
// element. The container's header has all parameters of decoding; the codec's configuration is for
// writers only.
package blosc

import (
	"strconv"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/internal/kernel"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/inflate"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/lz4"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/snappy"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/zstd"
)

// Codec returns the codec blosc. All arrays that use the entry share its zstd decoders.
func Codec() codec.Entry {
	z := &zstd.Decoder{}
	c := &blosc{formats: [8]decompress{blosclz, lz4.DecodeBlock, snappy.DecodeBlock, inflate.Zlib, z.DecodeBlock}}
	return codec.Entry{
		Names:  []string{"blosc", "numcodecs.blosc"},
		IDs:    []string{"blosc"},
		Doc:    codec.Doc("Blosc 1 containers of any compressor and shuffle"),
		Kind:   codec.KindBytesToBytes,
		CostOf: cost,
		New:    func(json.Value, codec.Build) (any, error) { return c, nil },
	}
}

// cost depends on the compressor inside.
func cost(config json.Value) codec.Cost {
	switch name, _ := config.Get("cname").Text(); name {
	case "lz4":
		return codec.Cost{Decode: 330, Encode: 5000}
	case "lz4hc":
		return codec.Cost{Decode: 330, Encode: 30_000}
	case "blosclz", "snappy":
		return codec.Cost{Decode: 500, Encode: 5000}
	case "zlib":
		return codec.Cost{Decode: 3500, Encode: 10_000}
	case "zstd":
		return codec.Cost{Decode: 1800, Encode: 15_000}
	}
	return codec.Cost{}
}

// decompress decodes src into dst and returns the number of decoded bytes.
type decompress func(dst, src []byte) (int, error)

type blosc struct {
	formats [8]decompress // by the number in the header
}

// EncodedSize implements codec.BytesToBytes.
func (*blosc) EncodedSize(decoded codec.Size) codec.Size { return codec.Compressed(decoded) }

// Decode implements codec.BytesToBytes.
func (c *blosc) Decode(env *codec.Env, out codec.Output, src []byte) ([]byte, error) {
	return c.DecodePartial(env, out, src, codec.ByteRegion{})
}

// DecodePartial implements codec.BytesPartialDecoder: it decodes the blocks that overlap the
// region.
func (c *blosc) DecodePartial(env *codec.Env, out codec.Output, src []byte, want codec.ByteRegion) ([]byte, error) {
	h, err := parse(src)
	if err != nil {
		return nil, err
	}
	n := int64(h.nbytes)
	if n > out.Most(env) {
		return nil, out.TooMany(env)
	}
	if out.Size.Exact && n < out.Size.N {
		return nil, codec.Truncated("the blosc header's size is less than the chunk's")
	}
	if n == 0 {
		return out.Buf, nil
	}
	if err := h.check(len(src)); err != nil {
		return nil, err
	}
	src = src[:h.cbytes] // bytes after the frame are not part of it
	dst := out.Grow(env, n)[:n]
	if h.flags&flagStored != 0 {
		copy(dst, src[headerSize:])
		return dst, nil
	}
	decompress := c.formats[h.format()]
	if decompress == nil {
		return nil, &codec.UnsupportedError{Feature: "blosc compressor number " + strconv.Itoa(h.format())}
	}

	// The decoded streams form the block, or are unshuffled into it.
	var packed []byte
	if h.flags&flagShuffle != 0 && h.typesize > 1 || h.flags&flagBitShuffle != 0 {
		packed = env.Buffer(h.blocksize)
	}
	for i := range h.blocks() {
		from, to := i*h.blocksize, min((i+1)*h.blocksize, len(dst))
		if !want.Overlaps(from, to) {
			continue
		}
		start := int(kernel.Load32(src, headerSize+4*i))
		if start < headerSize+4*h.blocks() || start > len(src) {
			return nil, codec.Corrupt("a block of the blosc container begins outside of it")
		}
		block := dst[from:to]
		shuffled := block
		if packed != nil {
			shuffled = packed[:len(block)]
		}
		if err := streams(decompress, shuffled, src[start:], h.streams(i)); err != nil {
			return nil, err
		}
		switch {
		case packed == nil:
		case h.flags&flagBitShuffle != 0:
			kernel.BitUnshuffle(block, shuffled, h.typesize)
		default:
			kernel.Unshuffle(block, shuffled, h.typesize)
		}
	}
	return dst, nil
}

// streams decodes the n streams at the start of src; each fills an n-th of dst.
func streams(decompress decompress, dst, src []byte, n int) error {
	if len(dst)%n != 0 {
		return codec.Corrupt("a blosc block that cannot be split into its streams")
	}
	each := len(dst) / n
	for ; len(dst) > 0; dst = dst[each:] {
		if len(src) < 4 {
			return codec.Corrupt("a stream of the blosc container ends outside of it")
		}
		size := int(int32(kernel.Load32(src, 0)))
		if src = src[4:]; size < 0 || size > len(src) {
			return codec.Corrupt("a stream of the blosc container ends outside of it")
		}
		if size == each {
			copy(dst[:each], src)
		} else {
			got, err := decompress(dst[:each:each], src[:size])
			if err != nil {
				return err
			}
			if got < each {
				return codec.Truncated("a blosc stream decodes to fewer bytes than its block has")
			}
		}
		src = src[size:]
	}
	return nil
}
