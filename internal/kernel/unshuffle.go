package kernel

// Unshuffle undoes [Shuffle] for elements of size bytes: src holds the first bytes of all elements,
// then the second ones, and so on. Bytes after the last whole element are copied. It writes
// len(src) bytes; dst and src do not overlap.
func Unshuffle(dst, src []byte, size int) {
	dst = dst[:len(src)]
	n := len(src) / size
	if size == 1 || n == 0 {
		copy(dst, src)
		return
	}
	if n < 8 {
		for b := range size {
			for i, c := range src[b*n : (b+1)*n] {
				dst[i*size+b] = c
			}
		}
	} else {
		unshuffle, width := unshuffle2, 2
		if size >= 8 {
			unshuffle, width = unshuffle8, 8
		} else if size >= 4 {
			unshuffle, width = unshuffle4, 4
		}
		// A group of planes holds byte b and the following of each element. The last group may
		// repeat bytes of the previous one. Group and element lie in src[b*n:(b+width)*n].
		for b := 0; ; b = min(b+width, size-width) {
			unshuffle(dst[b:], src[b*n:], n, size, n&^7)
			if n%8 > 0 { // the last eight elements, some of them again
				unshuffle(dst[(n-8)*size+b:], src[b*n+n-8:], n, size, 8)
			}
			if b+width == size {
				break
			}
		}
	}
	copy(dst[n*size:], src[n*size:])
}

const (
	bytes01 = 0x00ff00ff00ff00ff
	bytes23 = 0x0000ffff0000ffff
	low32   = 0x00000000ffffffff
	high32  = 0xffffffff00000000
)

// exchange swaps the bits of a above the mask with those of b under it. This is one step of
// transposing the bytes or bits of several words.
func exchange(a, b uint64, shift int, mask uint64) (uint64, uint64) {
	t := (a>>(shift&63) ^ b) & mask
	return a ^ t<<(shift&63), b ^ t
}

// unshuffle2Go is unshuffle8Go for 2 bytes of each element.
func unshuffle2Go(dst, src []byte, stride, step, n int) {
	p, q := src[:n], src[stride:stride+n]
	at := 0
	for i := 0; i+8 <= n; i += 8 {
		a, b := Load64(p, i), Load64(q, i)
		a, b = exchange(a, b, 8, bytes01)
		a, b = exchange(a, b, 16, bytes23)
		if step == 2 {
			out := dst[at : at+16]
			Store64(out, 0, a&low32|b<<32)
			Store64(out, 8, a>>32|b&high32)
			at += 16
			continue
		}
		for range 2 {
			Store16(dst, at, uint16(a))
			Store16(dst, at+step, uint16(a>>16))
			Store16(dst, at+2*step, uint16(b))
			Store16(dst, at+3*step, uint16(b>>16))
			a, b = a>>32, b>>32
			at += 4 * step
		}
	}
}

// unshuffle4Go is unshuffle8Go for 4 bytes of each element.
func unshuffle4Go(dst, src []byte, stride, step, n int) {
	p, q, r, s := src[:n], src[stride:stride+n], src[2*stride:2*stride+n], src[3*stride:3*stride+n]
	at := 0
	for i := 0; i+8 <= n; i += 8 {
		a, b, c, d := Load64(p, i), Load64(q, i), Load64(r, i), Load64(s, i)
		a, b = exchange(a, b, 8, bytes01)
		c, d = exchange(c, d, 8, bytes01)
		a, c = exchange(a, c, 16, bytes23)
		b, d = exchange(b, d, 16, bytes23)
		if step == 4 {
			out := dst[at : at+32]
			Store64(out, 0, a&low32|b<<32)
			Store64(out, 8, c&low32|d<<32)
			Store64(out, 16, a>>32|b&high32)
			Store64(out, 24, c>>32|d&high32)
			at += 32
			continue
		}
		for range 2 {
			Store32(dst, at, uint32(a))
			Store32(dst, at+step, uint32(b))
			Store32(dst, at+2*step, uint32(c))
			Store32(dst, at+3*step, uint32(d))
			a, b, c, d = a>>32, b>>32, c>>32, d>>32
			at += 4 * step
		}
	}
}

// unshuffle8Go writes 8 bytes of each of n elements, step bytes apart in dst. Byte k of the
// elements is in src from k*stride. n is a positive multiple of 8. The caller has checked that dst
// has (n-1)*step+8 bytes and src 7*stride+n.
func unshuffle8Go(dst, src []byte, stride, step, n int) {
	at := 0
	for i := 0; i+8 <= n; i += 8 {
		s, t, u, v := Load64(src, i), Load64(src, stride+i), Load64(src, 2*stride+i), Load64(src, 3*stride+i)
		w, x, y, z := Load64(src, 4*stride+i), Load64(src, 5*stride+i), Load64(src, 6*stride+i), Load64(src, 7*stride+i)
		s, t = exchange(s, t, 8, bytes01)
		u, v = exchange(u, v, 8, bytes01)
		w, x = exchange(w, x, 8, bytes01)
		y, z = exchange(y, z, 8, bytes01)
		s, u = exchange(s, u, 16, bytes23)
		t, v = exchange(t, v, 16, bytes23)
		w, y = exchange(w, y, 16, bytes23)
		x, z = exchange(x, z, 16, bytes23)
		Store64(dst, at, s&low32|w<<32)
		Store64(dst, at+step, t&low32|x<<32)
		Store64(dst, at+2*step, u&low32|y<<32)
		Store64(dst, at+3*step, v&low32|z<<32)
		Store64(dst, at+4*step, s>>32|w&high32)
		Store64(dst, at+5*step, t>>32|x&high32)
		Store64(dst, at+6*step, u>>32|y&high32)
		Store64(dst, at+7*step, v>>32|z&high32)
		at += 8 * step
	}
}
