package dtype

// FloatBits returns the bits of the scalar of a Float or MiniFloat type nearest to x, ties to even.
// Too large values become infinity or, in types without one, NaN or the largest value.
func (t *Type) FloatBits(x float64) uint64 {
	f, ok := t.layout()
	if !ok {
		return 0
	}
	bits, _ := f.encode(x)
	return bits
}
