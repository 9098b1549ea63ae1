package pcodec

import (
	"github.com/zarr-wasm/zarr-wasm/internal/kernel/bitio"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// variable is a latent variable of a chunk: its bins and the state of decoding it.
type variable struct {
	width uint // in bits
	delta bool // the entries are deltas
	bins  []bin
	nodes []node
	log   uint // of the number of nodes

	entries [batch]uint64
	count   int // the number of stored ones
	at      [4]uint32
	// moments is the state of consecutive delta. The other kinds use past: all decoded values of
	// the chunk so far, including those not returned yet.
	moments []uint64
	past    []uint64
}

// bin is a range of values.
type bin struct {
	lower uint64
	bits  uint8 // of the offset
}

// mask returns the mask of the variable's bits.
func (v *variable) mask() uint64 { return 1<<(v.width-1)<<1 - 1 }

// middle returns half of the range; it represents zero in deltas.
func (v *variable) middle() uint64 { return 1 << (v.width - 1) }

// read reads the bins.
func (v *variable) read(r *bitio.Reader) error {
	const maxLog = 14
	v.log = uint(r.Bits(4))
	n := int64(r.Bits(15))
	lengths := uint(4) // of the number of bits of an offset
	for 1<<lengths <= v.width {
		lengths++
	}
	switch {
	case v.log > maxLog:
		return codec.Corrupt("too large a table")
	case n > 1<<v.log:
		return codec.Corrupt("more bins than the table has room for")
	case n <= 1 && v.log > 0:
		return codec.Corrupt("a table for a single bin")
	case n*int64(v.log+v.width+lengths) > r.Left():
		return codec.Truncated("ends inside of its bins")
	}
	v.bins = make([]bin, n)
	weights := make([]uint32, n)
	total := uint32(0)
	for i := range v.bins {
		weights[i] = uint32(r.Bits(v.log)) + 1
		total += weights[i]
		v.bins[i] = bin{lower: r.Bits(v.width), bits: uint8(r.Bits(lengths))}
		if uint(v.bins[i].bits) > v.width {
			return codec.Corrupt("a bin is wider than its numbers")
		}
	}
	if n > 1 {
		if total != 1<<v.log {
			return codec.Corrupt("the weights of the bins do not fill the table")
		}
		v.nodes = newTable(weights, v.log)
	}
	return nil
}

// start reads the beginning of a page.
func (v *variable) start(r *bitio.Reader, c *chunk) error {
	if v.delta {
		if err := v.startDelta(r, c); err != nil {
			return err
		}
	}
	for i := range v.at {
		v.at[i] = uint32(r.Bits(v.log))
	}
	return nil
}

// decode reads k entries: all bins, then all offsets.
func (v *variable) decode(r *bitio.Reader, k int) error {
	v.count = k
	entries := v.entries[:k]
	switch len(v.bins) {
	case 0:
		if k > 0 {
			return codec.Corrupt("entries without bins")
		}
	case 1:
		b := v.bins[0]
		for i := range entries {
			entries[i] = b.lower + r.Bits(uint(b.bits))
		}
	default:
		for i := range entries {
			// The construction of the table keeps the states below the number of nodes.
			at := &v.at[i&3]
			n := v.nodes[*at]
			entries[i] = uint64(n.bin)
			*at = uint32(n.base) + uint32(r.Bits(uint(n.bits)))
		}
		for i, e := range entries {
			b := v.bins[e]
			entries[i] = b.lower + r.Bits(uint(b.bits))
		}
	}
	mask := v.mask()
	for i := range entries {
		entries[i] &= mask
	}
	return nil
}
