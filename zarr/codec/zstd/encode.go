package zstd

import (
	"slices"
	"sync"

	"github.com/zarr-wasm/zarr-wasm/internal/kernel/zstdenc"
	"github.com/zarr-wasm/zarr-wasm/internal/kernel/zstdk"
)

// MaxFast is the number of bytes that [Fast] can encode.
const MaxFast = zstdenc.MaxSource

// Fast encodes at the lowest of the reference implementation's usual levels, 1. The zero Fast is
// ready to use. It is safe for concurrent use, and reuses the memory of its last encodes.
type Fast struct {
	// Checksum adds a checksum to each frame.
	Checksum bool
	pool     sync.Pool
}

// fast is the memory of an encode: 1.5 MB.
type fast struct {
	search zstdenc.Search
	codes  zstdenc.Codes
	tree   zstdenc.Tree
	out    []byte // of a block
}

// Append appends a frame of src, which has at most MaxFast bytes. The frame contains the size of
// its content.
func (f *Fast) Append(dst, src []byte) []byte {
	w, _ := f.pool.Get().(*fast)
	if w == nil {
		w = &fast{}
	}
	defer f.pool.Put(w)
	dst = frameHeader(dst, len(src), f.Checksum)
	w.search.Begin()
	for at := 0; ; {
		end := min(at+maxBlock, len(src))
		dst = w.block(dst, src, at, end)
		if at = end; at == len(src) {
			break
		}
	}
	if f.Checksum {
		sum := uint32(zstdk.XXH64(src))
		dst = append(dst, byte(sum), byte(sum>>8), byte(sum>>16), byte(sum>>24))
	}
	return dst
}

// frameHeader appends the header of a frame of one segment. Such frames always contain their size.
func frameHeader(dst []byte, n int, checksum bool) []byte {
	flags := byte(0x20)
	if checksum {
		flags |= 4
	}
	dst = append(dst, frameMagic&0xff, frameMagic>>8&0xff, frameMagic>>16&0xff, frameMagic>>24)
	switch {
	case n < 256:
		return append(dst, flags, byte(n))
	case n < 1<<16+256:
		n -= 256
		return append(dst, flags|1<<6, byte(n), byte(n>>8))
	}
	return append(dst, flags|2<<6, byte(n), byte(n>>8), byte(n>>16), byte(n>>24))
}

// block appends the block src[at:end], compressed if that makes it shorter.
func (w *fast) block(dst, src []byte, at, end int) []byte {
	last := byte(0)
	if end == len(src) {
		last = 1
	}
	recent := w.search.Recent()
	w.search.Block(src, at, end)
	literals, sequences := w.search.Literals(), w.search.Sequences()
	w.out = slices.Grow(w.out[:0], zstdenc.LiteralRoom(len(literals))+zstdenc.SequenceRoom(len(sequences)))
	content := w.codes.Append(w.tree.Append(w.out, literals), sequences)
	kind := byte(2)
	if len(content) >= end-at {
		kind, content = 0, src[at:end]
		w.search.Restore(recent)
	}
	n := len(content)
	dst = append(dst, last|kind<<1|byte(n<<3), byte(n>>5), byte(n>>13))
	return append(dst, content...)
}
