package bz2

// sorter sorts the rotations of a block. Later blocks reuse its memory.
type sorter struct {
	order, spare []int32 // rotations, by their starts
	// The class of each rotation; rotations that are equal so far share one.
	class, other []int32
	count        []int32
	last         []byte
}

// transform returns the last bytes of all rotations in their order, and the place of the block
// itself.
//
// Each step doubles the sorted prefix. Rotations sorted by their first n bytes are sorted by 2n
// bytes with the class of the rotation n bytes later. The step moves them into their classes in the
// order of those later rotations.
func (s *sorter) transform(src []byte) (last []byte, first int) {
	n := len(src)
	if cap(s.order) < n {
		s.order, s.spare = make([]int32, n), make([]int32, n)
		s.class, s.other = make([]int32, n), make([]int32, n)
		s.count = make([]int32, max(n, 256)+1)
		s.last = make([]byte, n)
	}
	order, spare, class, other := s.order[:n], s.spare[:n], s.class[:n], s.other[:n]

	count := s.count[:257]
	clear(count)
	for _, c := range src {
		count[int(c)+1]++
	}
	for c := range 256 {
		count[c+1] += count[c]
	}
	for i, c := range src {
		order[count[c]] = int32(i)
		count[c]++
	}
	classes := 0
	for i, at := range order {
		if i > 0 && src[at] != src[order[i-1]] {
			classes++
		}
		class[at] = int32(classes)
	}
	classes++

	for step := 1; classes < n && step < n; step *= 2 {
		count := s.count[:classes+1]
		clear(count)
		for _, c := range class {
			count[c+1]++
		}
		for c := range classes {
			count[c+1] += count[c]
		}
		for _, at := range order {
			from := int(at) - step
			if from < 0 {
				from += n
			}
			c := class[from]
			spare[count[c]] = int32(from)
			count[c]++
		}
		order, spare = spare, order
		classes = 0
		for i, at := range order {
			if i > 0 {
				before := order[i-1]
				if class[at] != class[before] || class[on(at, step, n)] != class[on(before, step, n)] {
					classes++
				}
			}
			other[at] = int32(classes)
		}
		classes++
		class, other = other, class
	}

	last = s.last[:n]
	for i, at := range order {
		if at == 0 {
			first = i
			at = int32(n)
		}
		last[i] = src[at-1]
	}
	return last, first
}

// on returns the place step bytes after at, in a circle of n.
func on(at int32, step, n int) int {
	next := int(at) + step
	if next >= n {
		next -= n
	}
	return next
}
