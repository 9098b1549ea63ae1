package lz4

import (
	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/internal/kernel"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// Stream returns the codec n5_lz4: the blocks of lz4-java's LZ4BlockOutputStream, which N5 writes.
// A block begins with the word "LZ4Block", and a byte for its method and the largest size of a
// block. Three little-endian uint32 follow: the stored size, the decoded size, and a checksum of
// the decoded bytes. An empty block ends the stream.
func Stream() codec.Entry {
	return codec.Entry{
		Names: []string{"n5_lz4"}, Doc: codec.Doc("streams of lz4-java"), Kind: codec.KindBytesToBytes, Cost: codec.Cost{Decode: 150},
		New: func(json.Value, codec.Build) (any, error) { return decoder(decodeStream), nil },
	}
}

const (
	streamMagic = "LZ4Block"
	streamHead  = len(streamMagic) + 1 + 3*4
	streamSeed  = 0x9747b28c
	// The methods of a block.
	streamStored = 0x10
	streamPacked = 0x20
)

// streamBlock is a block of a stream.
type streamBlock struct {
	stored []byte
	size   int
	method byte
	sum    uint32
}

// cutStream reads the header of the block at the start of src, and returns the bytes after the
// block.
func cutStream(src []byte) (b streamBlock, rest []byte, err error) {
	if len(src) < streamHead {
		return b, nil, codec.Truncated("ends where a block of an LZ4 stream should begin")
	}
	if string(src[:len(streamMagic)]) != streamMagic {
		return b, nil, codec.Corrupt("is not an LZ4 stream as lz4-java writes it")
	}
	token := src[len(streamMagic)]
	stored, size := kernel.Load32(src, len(streamMagic)+1), kernel.Load32(src, len(streamMagic)+5)
	b.sum, b.method = kernel.Load32(src, len(streamMagic)+9), token&0xf0
	src = src[streamHead:]
	most := uint32(1) << (10 + token&0x0f)
	switch {
	case b.method != streamStored && b.method != streamPacked:
		return b, nil, codec.Corrupt("a block of an LZ4 stream has an unknown method")
	case size > most, stored == 0 && size != 0, size == 0 && stored != 0, b.method == streamStored && stored != size:
		return b, nil, codec.Corrupt("the sizes of a block of an LZ4 stream contradict each other")
	case uint64(size) > expansion*uint64(stored), uint64(stored) > uint64(len(src)):
		return b, nil, codec.Truncated("ends inside of a block of an LZ4 stream")
	}
	b.stored, b.size = src[:stored], int(size)
	return b, src[stored:], nil
}

func decodeStream(env *codec.Env, out codec.Output, src []byte) ([]byte, error) {
	// The decoded size is that of all blocks together.
	var total int64
	for rest := src; ; {
		b, behind, err := cutStream(rest)
		if err != nil {
			return nil, err
		}
		if b.size == 0 {
			if len(behind) > 0 {
				return nil, codec.Corrupt("bytes follow the end of an LZ4 stream")
			}
			break
		}
		if total += int64(b.size); total > out.Most(env) {
			return nil, out.TooMany(env)
		}
		rest = behind
	}
	if out.Size.Exact && total < out.Size.N {
		return nil, codec.Truncated("decodes to fewer bytes than the chunk has")
	}
	buf := out.Grow(env, total)[:total]
	for at := 0; at < len(buf); {
		b, rest, err := cutStream(src)
		if err != nil {
			return nil, err
		}
		dst := buf[at : at+b.size : at+b.size]
		if b.method == streamStored {
			copy(dst, b.stored)
		} else if n, err := DecodeBlock(dst, b.stored); err != nil {
			return nil, err
		} else if n < b.size {
			return nil, codec.Truncated("a block of an LZ4 stream decodes to fewer bytes than its header says")
		}
		// lz4-java keeps 28 bits of the checksum.
		if xxh32(dst, streamSeed)&(1<<28-1) != b.sum {
			return nil, codec.ErrChecksum
		}
		at += b.size
		src = rest
	}
	return buf, nil
}
