package zstd

import (
	"github.com/zarr-wasm/zarr-wasm/internal/kernel/zstdk"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// Errors inside a block. A block is always whole: data that does not fit is corrupt, not truncated.
var (
	errLiterals  = codec.Corrupt("the literals of a zstd block are not valid")
	errTreeless  = codec.Corrupt("a zstd block uses a Huffman tree that no block before it has")
	errHuffman   = codec.Corrupt("a Huffman tree of a zstd block is not valid")
	errFSE       = codec.Corrupt("an FSE table of a zstd block is not valid")
	errStream    = codec.Corrupt("a bit stream of a zstd block has a wrong length")
	errSequences = codec.Corrupt("the sequences of a zstd block are not valid")
	errRepeat    = codec.Corrupt("a zstd block uses a table that no block before it has")
	errOffset    = codec.Corrupt("a zstd match starts before the data")
	errBlockSize = codec.Corrupt("a zstd block is larger than the format or its frame allows")
)

// problems maps the results of the loops to errors, except zstdk.TooLong.
var problems = [...]error{
	zstdk.BadTree:      errHuffman,
	zstdk.BadTable:     errFSE,
	zstdk.BadStream:    errStream,
	zstdk.BadSequences: errSequences,
	zstdk.BadOffset:    errOffset,
}

// work is the memory for decoding, apart from the output: all tables, and the literals of one
// block.
type work struct {
	huffman   zstdk.Huffman
	tree      bool // there is a Huffman tree that the next block may use again
	sequences zstdk.Sequences
	defined   [3]origin // the origins of the tables of sequences
	lits      [maxBlock + zstdk.Slack]byte
}

// reset drops the state that the next frame must not see.
func (w *work) reset() {
	w.tree = false
	w.defined = [3]origin{}
	w.sequences.Offsets = [3]int{1, 4, 8}
}

// block decodes the compressed block src[at:end] to buf[o:] and returns the end of the decoded
// bytes, at most most. Its matches reach back to base.
func (w *work) block(buf []byte, o, base, most int, src []byte, at, end int) (int, error) {
	head, err := readLiteralsHead(src, at, end)
	if err != nil {
		return o, err
	}
	n, at, err := sequenceCount(src, head.to, end)
	if err != nil {
		return o, err
	}
	most = min(most, len(buf))
	var alone []byte
	if n == 0 {
		alone = buf[o:most]
	}
	lits, err := w.literals(src, head, alone)
	if err != nil {
		return o, err
	}
	if n == 0 {
		if at != end {
			return o, errSequences
		}
		if lits.n > len(alone) {
			return o, tooLong(buf, most)
		}
		if lits.n > 0 && &lits.data[0] != &alone[0] {
			copy(alone, lits.data[:lits.n])
		}
		return o + lits.n, nil
	}
	if at, err = w.readTables(src, at, end); err != nil {
		return o, err
	}
	o, status := w.sequences.Run(buf, o, base, most, src, at, end, n, lits.data, lits.n)
	switch status {
	case zstdk.OK:
		return o, nil
	case zstdk.TooLong:
		return o, tooLong(buf, most)
	}
	return o, problems[status]
}

// tooLong returns the error for a block that does not end where buf[:most] does.
func tooLong(buf []byte, most int) error {
	if most == len(buf) {
		return errRoom
	}
	return errBlockSize
}
