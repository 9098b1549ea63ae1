package codec

// Wanted is a box of a chunk, seen as bytes of its packed elements in C order. The
// zero value is the whole chunk.
type Wanted struct {
	shape []int
	size  int // of an element
	box   []Range
}

// Touches tells whether any of the bytes from <= i < to is wanted.
func (w Wanted) Touches(from, to int) bool {
	if w.box == nil || from >= to {
		return from < to
	}
	i, ok := w.next(0, from/w.size)
	return ok && i*w.size < to
}

// next is the first wanted element from the i-th on, both counted within
// the dimensions from d on.
func (w Wanted) next(d, i int) (int, bool) {
	if d == len(w.box) {
		return 0, i == 0
	}
	stride := 1
	for _, n := range w.shape[d+1:] {
		stride *= n
	}
	// The second round succeeds if the first one does not: it begins at the start of a row.
	for at := max(i, w.box[d].From*stride); at < w.box[d].To*stride; at += stride - at%stride {
		if j, ok := w.next(d+1, at%stride); ok {
			return at - at%stride + j, true
		}
	}
	return 0, false
}
