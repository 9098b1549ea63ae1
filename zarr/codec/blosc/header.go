package blosc

import (
	"github.com/zarr-wasm/zarr-wasm/internal/kernel"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

const headerSize = 16

// Flags of the header.
const (
	flagShuffle    = 0x01
	flagStored     = 0x02
	flagBitShuffle = 0x04
	flagReserved   = 0x08
	flagUnsplit    = 0x10
)

// header is the first 16 bytes of a container.
type header struct {
	flags     byte
	typesize  int
	nbytes    int // decoded size
	blocksize int
	cbytes    int // encoded size, with the header
}

func (h header) format() int { return int(h.flags >> 5) }

// blocks returns the number of blocks.
func (h header) blocks() int { return (h.nbytes + h.blocksize - 1) / h.blocksize }

// streams returns the number of streams of block i: one for each byte of the element, or a single
// one. A shorter last block is never split. Files with the flag for it, large elements, and small
// blocks are not split either.
func (h header) streams(i int) int {
	leftover := (i+1)*h.blocksize > h.nbytes
	if h.flags&flagUnsplit != 0 || leftover || h.typesize > 16 || h.blocksize/h.typesize < 128 {
		return 1
	}
	return h.typesize
}

// parse reads the header and checks it as far as possible without the decoded size. The empty
// container has no other field than nbytes.
func parse(src []byte) (header, error) {
	if len(src) >= 9 && src[0] == 0x9e && src[1] == 0xa8 && string(src[2:9]) == "b2frame" {
		return header{}, errBlosc2
	}
	if len(src) < headerSize {
		return header{}, codec.Truncated("shorter than a blosc header")
	}
	switch version := src[0]; {
	case version >= 3 && version <= 5:
		return header{}, errBlosc2
	case version != 2:
		return header{}, codec.Corrupt("a blosc header of an unknown version")
	}
	h := header{
		flags:     src[2],
		typesize:  int(src[3]),
		nbytes:    int(int32(kernel.Load32(src, 4))),
		blocksize: int(int32(kernel.Load32(src, 8))),
		cbytes:    int(int32(kernel.Load32(src, 12))),
	}
	if h.nbytes < 0 {
		return header{}, codec.Corrupt("the blosc header's size is negative")
	}
	return h, nil
}

// check validates the rest of the header of a container that is not empty.
func (h header) check(have int) error {
	const maxBlock = (1<<31 - 1 - 255*4) / 3
	switch {
	case h.cbytes < headerSize:
		return codec.Corrupt("the blosc header's compressed size is less than the header")
	case h.cbytes > have:
		return codec.Truncated("shorter than the blosc header says")
	case h.flags&flagReserved != 0:
		return codec.Corrupt("a blosc header with its reserved flag set")
	case h.typesize == 0:
		return codec.Corrupt("the blosc header's type size is 0")
	case h.blocksize <= 0 || h.blocksize > h.nbytes || h.blocksize > maxBlock:
		return codec.Corrupt("the blosc header's block size is not valid")
	}
	if h.flags&flagStored != 0 {
		if h.cbytes != h.nbytes+headerSize {
			return codec.Corrupt("a stored blosc container of another size than its content")
		}
		return nil
	}
	if h.blocks() > (h.cbytes-headerSize)/4 {
		return codec.Corrupt("the blosc container has no room for the offsets of its blocks")
	}
	return nil
}

var errBlosc2 = &codec.UnsupportedError{Feature: "blosc2"}
