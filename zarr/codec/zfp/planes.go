package zfp

import (
	"math/bits"

	"github.com/zarr-wasm/zarr-wasm/internal/kernel/bitio"
)

// readPlanes decodes the bit planes of a block's coefficients, from the highest one down: at most
// prec planes and budget bits. A plane first has a bit for each of the n first coefficients, which
// are known to be nonzero. Group tests for the others follow. A 1 means that another nonzero one
// exists, and its distance follows in unary. A 0 ends the plane. The last coefficient needs no
// terminating bit.
func readPlanes(r *bitio.Reader, c []uint64, width, prec, budget int) {
	clear(c)
	n := 0
	for k := width - 1; k >= max(0, width-prec) && budget > 0; k-- {
		plane := uint64(1) << k
		known := min(n, budget)
		budget -= known
		for i := 0; i < known; i += bitio.Window {
			w := r.Bits(uint(min(bitio.Window, known-i)))
			for ; w != 0; w &= w - 1 {
				c[i+bits.TrailingZeros64(w)] |= plane
			}
		}
		for n < len(c) && budget > 0 {
			budget--
			if r.Bits(1) == 0 {
				break
			}
			run := zeros(r, min(len(c)-1-n, budget))
			budget -= int(run.read)
			n += run.zeros
			c[n] |= plane
			n++
		}
	}
}

type run struct {
	zeros int
	read  int64 // the zeros, and the one behind them if it was read
}

// zeros reads zeros up to the next one, at most limit.
func zeros(r *bitio.Reader, limit int) run {
	start, n := r.At(), 0
	for n < limit {
		part := min(limit-n, bitio.Window)
		z := bits.TrailingZeros64(r.Peek() | 1<<part)
		n += z
		if z < part {
			r.Skip(int64(z) + 1)
			break
		}
		r.Skip(int64(z))
	}
	return run{n, r.At() - start}
}
