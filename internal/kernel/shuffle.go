package kernel

// Shuffle undoes [Unshuffle]: dst gets the first bytes of all elements of src, then the second
// ones, and so on. A partial element stays at the end. Only writers shuffle. dst and src do not
// overlap.
func Shuffle(dst, src []byte, size int) {
	n := len(src) / size
	dst = dst[:len(src)]
	if size == 1 || n == 0 {
		copy(dst, src)
		return
	}
	done := shuffleSIMD(dst, src, size, n)
	if done == 0 && n >= 8 {
		done = n &^ 7
		shuffle, width := shuffle2, 2
		if size >= 8 {
			shuffle, width = shuffle8, 8
		} else if size >= 4 {
			shuffle, width = shuffle4, 4
		}
		// A group has byte b and the following of each element. The last group may repeat bytes of
		// the previous one.
		for b := 0; ; b = min(b+width, size-width) {
			shuffle(dst[b*n:], src[b:], n, size, done)
			if b+width == size {
				break
			}
		}
	}
	for b := range size {
		for i := done; i < n; i++ {
			dst[b*n+i] = src[i*size+b]
		}
	}
	copy(dst[n*size:], src[n*size:])
}

// shuffle2 is shuffle8 for 2 bytes of each element.
func shuffle2(dst, src []byte, stride, step, n int) {
	p, q := dst[:n], dst[stride:stride+n]
	for i, at := 0, 0; i+8 <= n; i, at = i+8, at+8*step {
		from := src[at:][:7*step+2]
		a := uint64(Load16(from, 0)) | uint64(Load16(from, step))<<16 |
			uint64(Load16(from, 4*step))<<32 | uint64(Load16(from, 5*step))<<48
		b := uint64(Load16(from, 2*step)) | uint64(Load16(from, 3*step))<<16 |
			uint64(Load16(from, 6*step))<<32 | uint64(Load16(from, 7*step))<<48
		a, b = exchange(a, b, 16, bytes23)
		a, b = exchange(a, b, 8, bytes01)
		Store64(p, i, a)
		Store64(q, i, b)
	}
}

// shuffle4 is shuffle8 for 4 bytes of each element.
func shuffle4(dst, src []byte, stride, step, n int) {
	p, q, r, s := dst[:n], dst[stride:stride+n], dst[2*stride:2*stride+n], dst[3*stride:3*stride+n]
	for i, at := 0, 0; i+8 <= n; i, at = i+8, at+8*step {
		from := src[at:][:7*step+4]
		a := uint64(Load32(from, 0)) | uint64(Load32(from, 4*step))<<32
		b := uint64(Load32(from, step)) | uint64(Load32(from, 5*step))<<32
		c := uint64(Load32(from, 2*step)) | uint64(Load32(from, 6*step))<<32
		d := uint64(Load32(from, 3*step)) | uint64(Load32(from, 7*step))<<32
		a, c = exchange(a, c, 16, bytes23)
		b, d = exchange(b, d, 16, bytes23)
		a, b = exchange(a, b, 8, bytes01)
		c, d = exchange(c, d, 8, bytes01)
		Store64(p, i, a)
		Store64(q, i, b)
		Store64(r, i, c)
		Store64(s, i, d)
	}
}

// shuffle8 reads 8 bytes of each of n elements, step bytes apart in src. Byte k of the elements
// goes to dst from k*stride. n is a positive multiple of 8.
func shuffle8(dst, src []byte, stride, step, n int) {
	dst = dst[:7*stride+n]
	for i, at := 0, 0; i+8 <= n; i, at = i+8, at+8*step {
		from := src[at:][:7*step+8]
		s, t, u, v := Load64(from, 0), Load64(from, step), Load64(from, 2*step), Load64(from, 3*step)
		w, x, y, z := Load64(from, 4*step), Load64(from, 5*step), Load64(from, 6*step), Load64(from, 7*step)
		s, w = s&low32|w<<32, s>>32|w&high32
		t, x = t&low32|x<<32, t>>32|x&high32
		u, y = u&low32|y<<32, u>>32|y&high32
		v, z = v&low32|z<<32, v>>32|z&high32
		s, u = exchange(s, u, 16, bytes23)
		t, v = exchange(t, v, 16, bytes23)
		w, y = exchange(w, y, 16, bytes23)
		x, z = exchange(x, z, 16, bytes23)
		s, t = exchange(s, t, 8, bytes01)
		u, v = exchange(u, v, 8, bytes01)
		w, x = exchange(w, x, 8, bytes01)
		y, z = exchange(y, z, 8, bytes01)
		Store64(dst, i, s)
		Store64(dst, stride+i, t)
		Store64(dst, 2*stride+i, u)
		Store64(dst, 3*stride+i, v)
		Store64(dst, 4*stride+i, w)
		Store64(dst, 5*stride+i, x)
		Store64(dst, 6*stride+i, y)
		Store64(dst, 7*stride+i, z)
	}
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
