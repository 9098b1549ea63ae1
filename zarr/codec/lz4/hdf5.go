package lz4

import (
	"encoding/binary"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// HDF5 returns the codec imagecodecs_lz4h5: HDF5's filter 32004. The data begin with the size of
// the output, a big-endian uint64, and of a block, a big-endian uint32. Each block follows its
// compressed size, another big-endian uint32. A block that is not smaller than its output is
// stored.
func HDF5() codec.Entry {
	return codec.Entry{
		IDs: []string{"imagecodecs_lz4h5"}, Doc: codec.Doc("LZ4 blocks, as HDF5's filter 32004"), Kind: codec.KindBytesToBytes, Cost: codec.Cost{Decode: 150},
		New: func(json.Value, codec.Build) (any, error) { return decoder(decodeHDF5), nil },
	}
}

// CutHDF5 reads the header of HDF5's filters 32004 and 32008. It returns the size of the output,
// the size of a block, and the blocks. The sizes are a big-endian uint64 and a big-endian uint32.
func CutHDF5(env *codec.Env, out codec.Output, src []byte) (size, block int64, blocks []byte, err error) {
	if len(src) < 12 {
		return 0, 0, nil, codec.Truncated("shorter than the 12 bytes before its blocks")
	}
	n := binary.BigEndian.Uint64(src)
	switch {
	case n > uint64(out.Most(env)):
		return 0, 0, nil, out.TooMany(env)
	case out.Size.Exact && int64(n) < out.Size.N:
		return 0, 0, nil, codec.Truncated("its size is less than the chunk's")
	}
	return int64(n), int64(binary.BigEndian.Uint32(src[8:])), src[12:], nil
}

// decodeHDF5 ignores bytes after the last block, like HDF5.
func decodeHDF5(env *codec.Env, out codec.Output, src []byte) ([]byte, error) {
	size, block, src, err := CutHDF5(env, out, src)
	switch {
	case err != nil:
		return nil, err
	case size > expansion*int64(len(src)):
		return nil, codec.Truncated("too short for what its size says")
	case size > 0 && block == 0:
		return nil, codec.Corrupt("its blocks have no bytes")
	}
	dst := out.Grow(env, size)[:size]
	for at := 0; at < len(dst); {
		part := dst[at:][:min(block, int64(len(dst)-at))]
		if len(src) < 4 {
			return nil, codec.Truncated("ends before the size of a block")
		}
		n := int64(binary.BigEndian.Uint32(src))
		if src = src[4:]; n > int64(len(src)) {
			return nil, codec.Truncated("ends inside of a block")
		}
		if n == int64(len(part)) {
			copy(part, src)
		} else if got, err := DecodeBlock(part, src[:n]); err != nil {
			return nil, err
		} else if got < len(part) {
			return nil, codec.Truncated("a block decodes to fewer bytes than it should")
		}
		at, src = at+len(part), src[n:]
	}
	return dst, nil
}
