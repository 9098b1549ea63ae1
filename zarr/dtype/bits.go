package dtype

// FloatBits is the scalar of a Float or MiniFloat type nearest to x, ties to
// even, as its bits. What is too large becomes infinity or, in types without
// one, NaN or the largest value.
func (t *Type) FloatBits(x float64) uint64 {
	f, ok := t.layout()
	if !ok {
		return 0
	}
	bits, _ := f.encode(x)
	return bits
}
