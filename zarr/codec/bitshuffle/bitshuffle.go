// Package bitshuffle has two codecs of version 2 for HDF5's filter 32008: imagecodecs_bitshuffle,
// of the Python package imagecodecs, shuffles alone; hdf5_bitshuffle also compresses each block.
//
// A block of elements is stored as the lowest bits of all of them, then the next bits, and so on.
// The last block may be shorter, but each has a multiple of eight elements. The elements behind it,
// up to seven, are stored without a change.
package bitshuffle

import (
	"encoding/binary"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/internal/kernel"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/lz4"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/zstd"
)

// Codecs returns the codecs imagecodecs_bitshuffle and hdf5_bitshuffle. Both have a member
// itemsize, of an element in bytes. The first also has blocksize, in elements; 0 means the default.
// The second has compression, which is "lz4" or "zstd".
func Codecs() []codec.Entry {
	shared := &zstd.Decoder{}
	return []codec.Entry{
		{
			IDs: []string{"imagecodecs_bitshuffle"}, Doc: codec.Doc("bits of equal significance next to each other"),
			Kind: codec.KindBytesToBytes, Cost: codec.Cost{Decode: 500}, New: newPlain,
		},
		{
			IDs: []string{"hdf5_bitshuffle"}, Doc: codec.Doc("the same with LZ4 or Zstandard, as HDF5's filter 32008"),
			Kind: codec.KindBytesToBytes, Cost: codec.Cost{Decode: 800},
			New: func(config json.Value, b codec.Build) (any, error) {
				const id = "hdf5_bitshuffle"
				size, err := itemSize(id, config, b)
				if err != nil {
					return nil, err
				}
				switch name, _ := config.Get("compression").Text(); name {
				case "lz4":
					return compressed{size, lz4.DecodeBlock}, nil
				case "zstd":
					return compressed{size, shared.DecodeBlock}, nil
				}
				return nil, &codec.ConfigError{Codec: id, Msg: "compression is neither lz4 nor zstd"}
			},
		},
	}
}

// defaultBlock returns the elements of a block whose size is not given: 8 KiB, but at least 128.
func defaultBlock(size int) int { return max(8192/size&^7, 128) }

// itemSize reads the member itemsize.
func itemSize(id string, config json.Value, b codec.Build) (int, error) {
	v := config.Get("itemsize")
	n, ok := v.Int64()
	switch {
	case !v.Exists():
		return 1, nil
	case !ok || n < 1 || n > b.Limits.ItemBytes:
		return 0, &codec.ConfigError{Codec: id, Msg: "itemsize is not a size of an element"}
	}
	return int(n), nil
}

// plain is imagecodecs_bitshuffle.
type plain struct{ size, block int } // an element in bytes, a block in elements

func newPlain(config json.Value, b codec.Build) (any, error) {
	const id = "imagecodecs_bitshuffle"
	size, err := itemSize(id, config, b)
	if err != nil {
		return nil, err
	}
	v := config.Get("blocksize")
	block, ok := v.Int64()
	switch {
	case !v.Exists() || ok && block == 0:
		return plain{size, defaultBlock(size)}, nil
	case !ok || block < 0 || block%8 != 0:
		return nil, &codec.ConfigError{Codec: id, Msg: "blocksize is not a multiple of 8"}
	}
	return plain{size, int(min(block, 1<<30))}, nil
}

// EncodedSize implements codec.BytesToBytes.
func (plain) EncodedSize(decoded codec.Size) codec.Size { return decoded }

// Decode implements codec.BytesToBytes.
func (p plain) Decode(env *codec.Env, out codec.Output, src []byte) ([]byte, error) {
	switch n := len(src); {
	case int64(n) > out.Size.N:
		return nil, codec.Corrupt("decodes to more bytes than the chunk has")
	case n%p.size != 0:
		return nil, codec.Truncated("ends inside of an element")
	}
	dst := out.Grow(env, int64(len(src)))[:len(src)]
	whole := len(src) - len(src)%(8*p.size)
	for at := 0; at < whole; {
		n := min(p.block, (whole-at)/p.size) * p.size
		kernel.BitUnshuffle(dst[at:at+n], src[at:at+n], p.size)
		at += n
	}
	copy(dst[whole:], src[whole:])
	return out.Check(dst)
}

// compressed is hdf5_bitshuffle. The data begin with the size of the output, a big-endian uint64,
// and of a block, a big-endian uint32. Each block follows its compressed size, another big-endian
// uint32.
type compressed struct {
	size   int
	decode func(dst, src []byte) (int, error)
}

// EncodedSize implements codec.BytesToBytes.
func (compressed) EncodedSize(decoded codec.Size) codec.Size { return codec.Compressed(decoded) }

// Decode implements codec.BytesToBytes. Like HDF5, it ignores bytes after the last block.
func (c compressed) Decode(env *codec.Env, out codec.Output, src []byte) ([]byte, error) {
	n, block, src, err := lz4.CutHDF5(env, out, src)
	switch {
	case err != nil:
		return nil, err
	case n%int64(c.size) != 0:
		return nil, codec.Corrupt("its size is not that of whole elements")
	case block == 0:
		block = int64(defaultBlock(c.size) * c.size)
	case block%int64(8*c.size) != 0:
		return nil, codec.Corrupt("its blocks do not have a multiple of 8 elements")
	}
	whole := n - n%int64(8*c.size)
	if int64(len(src)) < 4*((whole+block-1)/block) {
		return nil, codec.Truncated("shorter than the sizes of its blocks")
	}
	dst := out.Grow(env, n)[:n]
	tmp := env.Buffer(int(min(block, whole)))
	for at := int64(0); at < whole; {
		if err := env.Ctx.Err(); err != nil {
			return nil, err
		}
		if len(src) < 4 {
			return nil, codec.Truncated("ends before the size of a block")
		}
		k := int64(binary.BigEndian.Uint32(src))
		if src = src[4:]; k > int64(len(src)) {
			return nil, codec.Truncated("ends inside of a block")
		}
		part := tmp[:min(block, whole-at)]
		got, err := c.decode(part, src[:k])
		if err != nil {
			return nil, err
		}
		if got < len(part) {
			return nil, codec.Truncated("a block decodes to fewer bytes than it should")
		}
		kernel.BitUnshuffle(dst[at:at+int64(got)], part, c.size)
		at, src = at+int64(got), src[k:]
	}
	if copy(dst[whole:], src) < int(n-whole) {
		return nil, codec.Truncated("ends inside of the elements after its blocks")
	}
	return dst, nil
}
