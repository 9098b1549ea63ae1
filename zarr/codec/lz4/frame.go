package lz4

import (
	"github.com/zarr-wasm/zarr-wasm/internal/kernel"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/internal/skipframe"
)

const frameMagic = 0x184d2204

// The flags in the first byte of a frame's descriptor.
const (
	flagDictionary  = 1 << 0
	flagReserved    = 1 << 1
	flagSum         = 1 << 2 // a checksum of the content
	flagSize        = 1 << 3 // the content's size
	flagBlockSum    = 1 << 4 // a checksum of each stored block
	flagIndependent = 1 << 5 // matches stay inside of their block
)

var (
	errHeader    = codec.Truncated("ends inside of an LZ4 frame's header")
	errFrame     = codec.Truncated("ends inside of an LZ4 frame")
	errBlockSize = codec.Corrupt("a block of an LZ4 frame is larger than the frame allows")
	errSize      = codec.Corrupt("an LZ4 frame's content differs from its header")
	// errFull is the error of a frame that exceeds the sizes in its headers, or the output.
	errFull = codec.Corrupt("the LZ4 frames decode to more bytes than they should")
)

// frame holds the facts from the headers of a frame and of its blocks.
type frame struct {
	size        int   // encoded bytes
	least, most int64 // bounds of the decoded bytes
	skip        bool  // a skippable frame
	flags       byte
	blocks      int   // where the first block is
	block       int   // the largest size of a block, stored or decoded
	content     int64 // the content's size; -1 if not in the header
}

// walk reads the headers of the frame that src begins with, up to its end.
func walk(src []byte) (frame, error) {
	if len(src) < 4 {
		return frame{}, errHeader
	}
	if n := skipframe.Size(src); n > int64(len(src)) {
		return frame{}, errFrame
	} else if n > 0 {
		return frame{size: int(n), skip: true}, nil
	}
	if kernel.Load32(src, 0) != frameMagic {
		return frame{}, codec.Corrupt("does not begin with an LZ4 frame")
	}
	f, err := descriptor(src)
	if err != nil {
		return frame{}, err
	}

	at := f.blocks
	for {
		if len(src)-at < 4 {
			return frame{}, errFrame
		}
		head := kernel.Load32(src, at)
		at += 4
		if head == 0 {
			break
		}
		n := int(head &^ (1 << 31))
		if n > f.block {
			return frame{}, errBlockSize
		}
		if head>>31 != 0 {
			f.least += int64(n)
			f.most += int64(n)
		} else {
			f.most += int64(min(f.block, expansion*n))
		}
		if f.flags&flagBlockSum != 0 {
			n += 4
		}
		if n > len(src)-at {
			return frame{}, errFrame
		}
		at += n
	}
	if f.flags&flagSum != 0 {
		if len(src)-at < 4 {
			return frame{}, errFrame
		}
		at += 4
	}
	f.size = at
	if f.content >= 0 {
		if f.content < f.least || f.content > f.most {
			return frame{}, errSize
		}
		f.least, f.most = f.content, f.content
	}
	return f, nil
}

// descriptor reads the header of the frame src, after its magic number.
func descriptor(src []byte) (frame, error) {
	if len(src) < 7 {
		return frame{}, errHeader
	}
	f := frame{flags: src[4], content: -1}
	id := src[5] >> 4
	if f.flags>>6 != 1 || f.flags&flagReserved != 0 || src[5]&0x8f != 0 || id < 4 {
		return frame{}, codec.Corrupt("an LZ4 frame header of an unknown version or block size, or with reserved bits set")
	}
	f.block = 1 << (8 + 2*id)
	at := 6
	if f.flags&flagSize != 0 {
		at += 8
	}
	if f.flags&flagDictionary != 0 {
		at += 4
	}
	if len(src) <= at {
		return frame{}, errHeader
	}
	if src[at] != byte(xxh32(src[4:at], 0)>>8) {
		return frame{}, codec.Mismatch("the checksum of an LZ4 frame header does not match the header")
	}
	f.blocks = at + 1
	if f.flags&flagDictionary != 0 {
		return frame{}, &codec.UnsupportedError{Feature: "an LZ4 frame that needs a dictionary"}
	}
	if f.flags&flagSize != 0 {
		n := kernel.Load64(src, 6)
		if n >= 1<<62 {
			return frame{}, errSize
		}
		// The reference decoder takes a size of 0 as unknown.
		if n > 0 {
			f.content = int64(n)
		}
	}
	return f, nil
}

// decodeFrames decodes all frames of src directly into the output. It checks the headers first,
// before it allocates memory.
func decodeFrames(env *codec.Env, out codec.Output, src []byte) ([]byte, error) {
	if len(src) == 0 {
		return nil, errHeader
	}
	limit := out.Most(env)
	var least, most int64
	for at := 0; at < len(src); {
		f, err := walk(src[at:])
		if err != nil {
			return nil, err
		}
		// Neither sum wraps around: both are at most expansion times the input.
		least += f.least
		most += f.most
		at += f.size
	}
	if least > limit {
		return nil, out.TooMany(env)
	}
	room := limit
	if !out.Size.Exact {
		room = min(limit, most)
	}
	buf := out.Grow(env, room)[:room]
	n := 0
	for len(src) > 0 {
		f, err := walk(src)
		if err != nil {
			return nil, err
		}
		if !f.skip {
			n, err = f.decode(buf, n, src[:f.size])
			if err == errFull && room == limit {
				return nil, out.TooMany(env)
			}
			if err != nil {
				return nil, err
			}
		}
		src = src[f.size:]
	}
	return out.Check(buf[:n])
}

// decode decodes the frame src, after walk, to buf[start:] and returns the end of the decoded
// bytes.
func (f frame) decode(buf []byte, start int, src []byte) (int, error) {
	d, at := start, f.blocks
	for {
		head := kernel.Load32(src, at)
		at += 4
		if head == 0 {
			break
		}
		n := int(head &^ (1 << 31))
		block := src[at : at+n]
		at += n
		if f.flags&flagBlockSum != 0 {
			if xxh32(block, 0) != kernel.Load32(src, at) {
				return d, codec.Mismatch("the checksum of a block of an LZ4 frame does not match the block")
			}
			at += 4
		}
		if head>>31 != 0 {
			if n > len(buf)-d {
				return d, errFull
			}
			d += copy(buf[d:], block)
			continue
		}
		// Matches of linked blocks go back into the blocks before, never into another frame.
		from := start
		if f.flags&flagIndependent != 0 {
			from = d
		}
		to := min(len(buf), d+f.block)
		got, err := decodeBlock(buf[from:to], d-from, block)
		if err == errRoom {
			err = errBlockSize
			if to-d < f.block {
				err = errFull
			}
		}
		if err != nil {
			return d, err
		}
		d = from + got
	}
	if f.content >= 0 && int64(d-start) != f.content {
		return d, errSize
	}
	if f.flags&flagSum != 0 && xxh32(buf[start:d], 0) != kernel.Load32(src, at) {
		return d, codec.Mismatch("the checksum of an LZ4 frame does not match its content")
	}
	return d, nil
}
