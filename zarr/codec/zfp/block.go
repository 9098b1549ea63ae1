package zfp

import (
	"math"

	"github.com/zarr-wasm/zarr-wasm/internal/kernel/bitio"
)

// word is the integer type for computing values of 32 or 64 bits. All arithmetic wraps, as the
// format requires.
type word interface{ int32 | int64 }

// decoder decodes the blocks of one field.
type decoder[T word] struct {
	*bitio.Reader
	params
	scalar scalar
	rank   int
	planes [256]uint64 // coefficients in the order in which they are stored
	values [256]T      // of the block: integers, or the bits of floating-point numbers
}

func (d *decoder[T]) size() int { return 1 << (2 * d.rank) }

// block decodes the next block into values, the fastest dimension first.
func (d *decoder[T]) block() {
	start := d.At()
	switch {
	case !d.scalar.float():
		d.integers(start)
	case d.Bits(1) == 0:
		clear(d.values[:d.size()])
	case d.reversible() && d.Bits(1) == 1:
		// The bits are unchanged, except that negative numbers are in two's complement.
		d.integers(start)
		for i, v := range d.values[:d.size()] {
			if v < 0 {
				d.values[i] = v ^ T(1<<(8*d.scalar.size()-1)-1)
			}
		}
	default:
		d.floats(start)
	}
	if used := d.At() - start; used < int64(d.minbits) {
		d.Skip(int64(d.minbits) - used)
	}
}

// integers decodes a block of integers that began at bit start, possibly after a header.
func (d *decoder[T]) integers(start int64) {
	prec := d.maxprec
	if d.reversible() {
		prec = d.storedPrecision()
	}
	d.coefficients(start, prec)
}

// storedPrecision returns the number of planes that a reversible block declares.
func (d *decoder[T]) storedPrecision() int {
	if d.scalar.size() == 4 {
		return int(d.Bits(5)) + 1
	}
	return int(d.Bits(6)) + 1
}

// floats decodes a block of floating-point values with one exponent.
func (d *decoder[T]) floats(start int64) {
	width := d.scalar.exponent()
	exp := int(d.Bits(uint(width))) - (1<<(width-1) - 1)
	if d.reversible() {
		d.coefficients(start, d.storedPrecision())
	} else {
		d.coefficients(start, min(d.maxprec, max(0, exp-d.minexp+2*(d.rank+1))))
	}
	values := d.values[:d.size()]
	if d.scalar == float32s {
		scale := float32(math.Ldexp(1, exp-30))
		for i, v := range values {
			values[i] = T(int32(math.Float32bits(scale * float32(v))))
		}
		return
	}
	scale := math.Ldexp(1, exp-62)
	for i, v := range values {
		values[i] = T(int64(math.Float64bits(scale * float64(v))))
	}
}

// coefficients decodes at most prec planes and undoes the transform.
func (d *decoder[T]) coefficients(start int64, prec int) {
	size := d.size()
	budget := max(0, d.maxbits-int(d.At()-start))
	readPlanes(d.Reader, d.planes[:size], 8*d.scalar.size(), prec, budget)
	const negabinary = 0xaaaaaaaaaaaaaaaa
	order := orderOf(d.rank)
	for i, c := range d.planes[:size] {
		d.values[order[i]] = T((c ^ negabinary) - negabinary)
	}
	if d.reversible() {
		inverseReversible(d.values[:size])
	} else {
		inverse(d.values[:size])
	}
}
