package kernel

// Shuffle undoes [Unshuffle]: dst gets the first bytes of all elements of src, then the second
// ones, and so on. A partial element stays at the end. Only writers shuffle.
func Shuffle(dst, src []byte, size int) {
	n := len(src) / size
	dst = dst[:len(src)]
	if size == 1 || n == 0 {
		copy(dst, src)
		return
	}
	for b := 0; b < size; {
		if size-b >= 4 {
			// Four rows at once, so that each element is loaded once for all of them.
			r0, r1, r2, r3 := dst[b*n:][:n], dst[(b+1)*n:][:n], dst[(b+2)*n:][:n], dst[(b+3)*n:][:n]
			from := src[b:]
			for i := range r0 {
				w := Load32(from, i*size)
				r0[i], r1[i], r2[i], r3[i] = byte(w), byte(w>>8), byte(w>>16), byte(w>>24)
			}
			b += 4
			continue
		}
		row := dst[b*n:][:n]
		for i, at := 0, b; i < n; i, at = i+1, at+size {
			row[i] = src[at]
		}
		b++
	}
	copy(dst[n*size:], src[n*size:])
}

// BitShuffle undoes [BitUnshuffle]. Row 8*b+k of dst is bit k of byte b of every element. A byte
// has eight elements, the first one in the lowest bit. A remainder of less than eight elements is
// copied.
func BitShuffle(dst, src []byte, size int) {
	n := len(src) / size
	dst = dst[:len(src)]
	if n%8 != 0 || n == 0 {
		copy(dst, src)
		return
	}
	row := n / 8
	for g := range row {
		from := src[g*8*size:][:8*size]
		for b := range size {
			w := uint64(from[b]) | uint64(from[b+size])<<8 | uint64(from[b+2*size])<<16 | uint64(from[b+3*size])<<24 |
				uint64(from[b+4*size])<<32 | uint64(from[b+5*size])<<40 | uint64(from[b+6*size])<<48 | uint64(from[b+7*size])<<56
			w = transposeBits(w)
			at := 8*b*row + g
			for range 8 {
				dst[at] = byte(w)
				w >>= 8
				at += row
			}
		}
	}
	copy(dst[n*size:], src[n*size:])
}
