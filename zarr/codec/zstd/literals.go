package zstd

import "github.com/zarr-wasm/zarr-wasm/internal/kernel/zstdk"

// literals is the decoded literals section of a block (RFC 8878, section 3.1.1.3.1).
type literals struct {
	// data begins with the literals; bytes after them may be read, but not used.
	data []byte
	n    int
}

// literalsHead is the header of a literals section.
type literalsHead struct {
	kind    uint // 0 stored, 1 repeated, 2 compressed, 3 compressed with the tree before
	size    int  // decoded bytes
	from    int  // where the content begins,
	to      int  // and ends
	streams int
}

// readLiteralsHead reads the header at src[at:end].
func readLiteralsHead(src []byte, at, end int) (literalsHead, error) {
	var v uint64
	for i, b := range src[at:min(at+5, end)] {
		v |= uint64(b) << (8 * i)
	}
	h := literalsHead{kind: uint(v & 3)}
	format := v >> 2 & 3
	stored := 0
	if h.kind < 2 {
		switch format {
		case 1:
			h.size, h.from = int(v>>4&0xfff), at+2
		case 3:
			h.size, h.from = int(v>>4&0xfffff), at+3
		default:
			h.size, h.from = int(v>>3&0x1f), at+1
		}
		stored = h.size
		if h.kind == 1 {
			stored = 1
		}
	} else {
		bits := [4]uint{10, 10, 14, 18}[format]
		h.size = int(v >> 4 & (1<<bits - 1))
		stored = int(v >> (4 + bits) & (1<<bits - 1))
		h.from = at + [4]int{3, 3, 4, 5}[format]
		h.streams = 4
		if format == 0 {
			h.streams = 1
		}
	}
	h.to = h.from + stored
	if h.to > end || h.size > maxBlock {
		return h, errLiterals
	}
	return h, nil
}

// literals decodes the section with header h. If the block has nothing else, it decodes directly
// into alone.
func (w *work) literals(src []byte, h literalsHead, alone []byte) (literals, error) {
	switch h.kind {
	case 0:
		return literals{src[h.from:], h.size}, nil
	case 1:
		fill(w.lits[:h.size], src[h.from])
		return literals{w.lits[:], h.size}, nil
	}
	from := h.from
	if h.kind == 2 {
		var status zstdk.Status
		from, status = w.huffman.Read(src, from, h.to)
		if w.tree = status == zstdk.OK; !w.tree {
			return literals{}, problems[status]
		}
	} else if !w.tree {
		return literals{}, errTreeless
	}
	data := w.lits[:]
	if len(alone) >= h.size {
		data = alone
	}
	decode := w.huffman.Four
	if h.streams == 1 {
		decode = w.huffman.One
	}
	if !decode(data[:h.size], src, from, h.to) {
		return literals{}, errStream
	}
	return literals{data, h.size}, nil
}
