package codec

// Part is a box of a chunk, seen as bytes of its packed elements in C order. The
// zero value is the whole chunk.
type Part struct {
	shape []int
	size  int // of an element
	box   []Range
}

// Touches tells whether any of the bytes from <= i < to belongs to the part.
func (p Part) Touches(from, to int) bool {
	if p.box == nil || from >= to {
		return from < to
	}
	i, ok := p.next(0, from/p.size)
	return ok && i*p.size < to
}

// next is the first element of the part from the i-th on, both counted within
// the dimensions from d on.
func (p Part) next(d, i int) (int, bool) {
	if d == len(p.box) {
		return 0, i == 0
	}
	stride := 1
	for _, n := range p.shape[d+1:] {
		stride *= n
	}
	// The second turn succeeds if the first one does not: it begins at the start of a row.
	for at := max(i, p.box[d].From*stride); at < p.box[d].To*stride; at += stride - at%stride {
		if j, ok := p.next(d+1, at%stride); ok {
			return at - at%stride + j, true
		}
	}
	return 0, false
}
