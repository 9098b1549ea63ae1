package codec

// ByteRegion is a region of a chunk, addressed by the bytes of the chunk's packed elements in C
// order. The zero value is the whole chunk.
type ByteRegion struct {
	shape []int
	size  int // of an element
	box   []Range
}

// Overlaps reports whether the region contains any of the bytes from <= i < to.
func (r ByteRegion) Overlaps(from, to int) bool {
	if r.box == nil || from >= to {
		return from < to
	}
	i, ok := r.next(0, from/r.size)
	return ok && i*r.size < to
}

// next returns the region's first element from the i-th on. Both are counted within the dimensions
// from d on.
func (r ByteRegion) next(d, i int) (int, bool) {
	if d == len(r.box) {
		return 0, i == 0
	}
	stride := 1
	for _, n := range r.shape[d+1:] {
		stride *= n
	}
	// The second round succeeds if the first one does not: it begins at the start of a row.
	for at := max(i, r.box[d].From*stride); at < r.box[d].To*stride; at += stride - at%stride {
		if j, ok := r.next(d+1, at%stride); ok {
			return at - at%stride + j, true
		}
	}
	return 0, false
}
