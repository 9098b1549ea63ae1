package zstd

import (
	"github.com/zarr-wasm/zarr-wasm/internal/kernel"
	"github.com/zarr-wasm/zarr-wasm/internal/kernel/zstdk"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/internal/skipframe"
)

const (
	frameMagic = 0xfd2fb528
	maxBlock   = 128 << 10
)

var (
	errHeader     = codec.Truncated("ends inside of a zstd frame header")
	errBlocks     = codec.Truncated("ends inside of a zstd frame")
	errSize       = codec.Corrupt("a zstd frame's content differs from its header")
	errSum        = codec.Mismatch("the checksum of the zstd frame does not match its content")
	errDictionary = &codec.UnsupportedError{Feature: "a zstd frame that needs a dictionary"}
)

// frame holds the facts from the headers of a frame and of its blocks.
type frame struct {
	size        int    // encoded bytes
	least, most uint64 // bounds of the decoded bytes; equal if known
	skip        bool   // a skippable frame
	blocks      int    // where the first block's header is
	checksum    bool   // a checksum follows the blocks
	known       bool   // the header has the content's size: it is least
	block       int    // the largest decoded size of a block
	dictionary  uint32 // the id of the required dictionary; 0 if none or any
}

// walk reads the headers of the frame that src begins with, up to its end.
func walk(src []byte) (frame, error) {
	if len(src) < 4 {
		return frame{}, errHeader
	}
	if n := skipframe.Size(src); n > int64(len(src)) {
		return frame{}, errBlocks
	} else if n > 0 {
		return frame{size: int(n), skip: true}, nil
	}
	if kernel.Load32(src, 0) != frameMagic {
		return frame{}, codec.Corrupt("does not begin with a zstd frame")
	}
	if len(src) < 5 {
		return frame{}, errHeader
	}
	flags := src[4]
	single := flags&0x20 != 0
	if flags&8 != 0 {
		return frame{}, codec.Corrupt("a zstd frame header with its reserved bit set")
	}
	at := 5
	block := maxBlock
	if !single {
		// The window limits the distance of matches, which costs nothing here. It also limits the
		// size of blocks.
		if len(src) < 6 {
			return frame{}, errHeader
		}
		window := uint64(1) << (10 + src[5]>>3)
		window += window / 8 * uint64(src[5]&7)
		block = int(min(window, maxBlock))
		at++
	}
	dictionary := at
	at += int([4]uint8{0, 1, 2, 4}[flags&3])
	content := at
	width := int([4]uint8{0, 2, 4, 8}[flags>>6])
	if width == 0 && single {
		width = 1
	}
	at += width
	if len(src) < at {
		return frame{}, errHeader
	}
	var needs uint32
	for i, b := range src[dictionary:content] {
		needs |= uint32(b) << (8 * i)
	}

	f := frame{dictionary: needs, blocks: at, block: block, checksum: flags&4 != 0, known: width > 0}
	for last := false; !last; {
		if len(src)-at < 3 {
			return frame{}, errBlocks
		}
		head := uint(src[at]) | uint(src[at+1])<<8 | uint(src[at+2])<<16
		at += 3
		last = head&1 != 0
		n := int(head >> 3)
		if n > block {
			return frame{}, errBlockSize
		}
		switch head >> 1 & 3 {
		case 0: // stored
			f.least += uint64(n)
			f.most += uint64(n)
		case 1: // one byte repeated
			f.least += uint64(n)
			f.most += uint64(n)
			n = 1
		case 2: // compressed
			f.most += uint64(block)
		default:
			return frame{}, codec.Corrupt("a zstd block of a reserved type")
		}
		if n > len(src)-at {
			return frame{}, errBlocks
		}
		at += n
	}
	if f.checksum {
		if len(src)-at < 4 {
			return frame{}, errBlocks
		}
		at += 4
	}
	f.size = at
	if f.known {
		var v [8]byte
		copy(v[:], src[content:content+width])
		n := kernel.Load64(v[:], 0)
		if width == 2 {
			n += 256
		}
		if n < f.least {
			return frame{}, codec.Corrupt("a zstd frame holds more than its header says")
		}
		// A header may claim more than the blocks can hold, and must not cause an allocation. most
		// keeps the bound from the blocks.
		f.least = n
	}
	return f, nil
}

// frame decodes the frame src, after walk, to buf[o:] and returns the end of the decoded bytes.
func (w *work) frame(buf []byte, o int, src []byte, f frame) (int, error) {
	w.reset()
	if f.dictionary != 0 {
		return o, errDictionary
	}
	return w.content(buf, o, o, src, f)
}

// content decodes the content of a frame to buf[o:]. Its matches reach back to base.
func (w *work) content(buf []byte, base, o int, src []byte, f frame) (int, error) {
	from, at := o, f.blocks
	for last := false; !last; {
		head := uint(src[at]) | uint(src[at+1])<<8 | uint(src[at+2])<<16
		at += 3
		last = head&1 != 0
		n := int(head >> 3)
		switch head >> 1 & 3 {
		case 0:
			if n > len(buf)-o {
				return o, errRoom
			}
			o += copy(buf[o:], src[at:at+n])
			at += n
		case 1:
			if n > len(buf)-o {
				return o, errRoom
			}
			fill(buf[o:o+n], src[at])
			o += n
			at++
		default:
			var err error
			if o, err = w.block(buf, o, base, o+f.block, src, at, at+n); err != nil {
				return o, err
			}
			at += n
		}
	}
	if f.known && uint64(o-from) != f.least {
		return o, errSize
	}
	if f.checksum && uint32(zstdk.XXH64(buf[from:o])) != kernel.Load32(src, at) {
		return o, errSum
	}
	return o, nil
}

// fill sets all of data to b.
func fill(data []byte, b byte) {
	if b == 0 {
		clear(data)
		return
	}
	n := min(len(data), 64)
	for i := range data[:n] {
		data[i] = b
	}
	for n < len(data) {
		n += copy(data[n:], data[:n])
	}
}
