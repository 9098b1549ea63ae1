package blosc

import "zarr-wasm/internal/kernel"

// unshuffle brings the bytes of elements of size bytes back together: src has
// first the first bytes of all elements, then the second ones, and so on. Bytes
// behind the last whole element were left where they are. dst and src are
// equally long and do not overlap.
func unshuffle(dst, src []byte, size int) {
	n := len(src) / size
	done := 0
	switch size {
	case 1:
		copy(dst, src)
		return
	case 2:
		done = unshuffle2(dst, src, n)
	case 4:
		done = unshuffle4(dst, src, n)
	case 8:
		done = unshuffle8(dst, src, n)
	}
	for b := range size {
		plane := src[b*n : (b+1)*n]
		for i, at := done, done*size+b; i < n; i, at = i+1, at+size {
			dst[at] = plane[i]
		}
	}
	copy(dst[n*size:], src[n*size:])
}

// Masks of the steps by which the bytes of words are interleaved.
const (
	bytes01 = 0x00ff00ff00ff00ff
	bytes23 = 0x0000ffff0000ffff
	bytes47 = 0x00000000ffffffff
)

// zip interleaves the low 4 bytes of a (at even places) and of b (at odd ones).
func zip(a, b uint64) uint64 {
	a &= bytes47
	b &= bytes47
	a = (a | a<<16) & bytes23
	b = (b | b<<16) & bytes23
	a = (a | a<<8) & bytes01
	b = (b | b<<8) & bytes01
	return a | b<<8
}

// unshuffle2 handles elements of 2 bytes, 8 at once; it returns how many it has done.
func unshuffle2(dst, src []byte, n int) int {
	p, q := src[:n], src[n:2*n]
	i := 0
	for ; i+8 <= n; i += 8 {
		a, b := kernel.Load64(p, i), kernel.Load64(q, i)
		out := dst[2*i : 2*i+16]
		kernel.Store64(out, 0, zip(a, b))
		kernel.Store64(out, 8, zip(a>>32, b>>32))
	}
	return i
}

// unshuffle4 is unshuffle2 for elements of 4 bytes.
func unshuffle4(dst, src []byte, n int) int {
	p, q, r, s := src[:n], src[n:2*n], src[2*n:3*n], src[3*n:4*n]
	i := 0
	for ; i+8 <= n; i += 8 {
		a, b := kernel.Load64(p, i), kernel.Load64(q, i)
		c, d := kernel.Load64(r, i), kernel.Load64(s, i)
		out := dst[4*i : 4*i+32]
		// Bytes 0 and 1 of four elements, and their bytes 2 and 3; then both together.
		lo, hi := zip(a, b), zip(c, d)
		kernel.Store64(out, 0, pair(lo, hi))
		kernel.Store64(out, 8, pair(lo>>32, hi>>32))
		lo, hi = zip(a>>32, b>>32), zip(c>>32, d>>32)
		kernel.Store64(out, 16, pair(lo, hi))
		kernel.Store64(out, 24, pair(lo>>32, hi>>32))
	}
	return i
}

// pair interleaves the low two 16-bit units of a and of b.
func pair(a, b uint64) uint64 {
	return a&0xffff | b&0xffff<<16 | a&0xffff0000<<16 | b&0xffff0000<<32
}

// unshuffle8 is unshuffle2 for elements of 8 bytes: a transpose of 8 by 8 bytes.
func unshuffle8(dst, src []byte, n int) int {
	i := 0
	for ; i+8 <= n; i += 8 {
		w := transpose8(
			kernel.Load64(src, i), kernel.Load64(src, n+i),
			kernel.Load64(src, 2*n+i), kernel.Load64(src, 3*n+i),
			kernel.Load64(src, 4*n+i), kernel.Load64(src, 5*n+i),
			kernel.Load64(src, 6*n+i), kernel.Load64(src, 7*n+i))
		out := dst[8*i : 8*i+64]
		kernel.Store64(out, 0, w[0])
		kernel.Store64(out, 8, w[1])
		kernel.Store64(out, 16, w[2])
		kernel.Store64(out, 24, w[3])
		kernel.Store64(out, 32, w[4])
		kernel.Store64(out, 40, w[5])
		kernel.Store64(out, 48, w[6])
		kernel.Store64(out, 56, w[7])
	}
	return i
}

// transpose8 transposes 8 by 8 bytes: byte j of word i of the result is byte i
// of argument j. It swaps quarters of 4, then of 2, then of 1 byte.
func transpose8(a, b, c, d, e, f, g, h uint64) [8]uint64 {
	a, e = a&bytes47|e<<32, a>>32|e&^bytes47
	b, f = b&bytes47|f<<32, b>>32|f&^bytes47
	c, g = c&bytes47|g<<32, c>>32|g&^bytes47
	d, h = d&bytes47|h<<32, d>>32|h&^bytes47
	a, c = a&bytes23|c&bytes23<<16, a>>16&bytes23|c&^bytes23
	b, d = b&bytes23|d&bytes23<<16, b>>16&bytes23|d&^bytes23
	e, g = e&bytes23|g&bytes23<<16, e>>16&bytes23|g&^bytes23
	f, h = f&bytes23|h&bytes23<<16, f>>16&bytes23|h&^bytes23
	return [8]uint64{
		a&bytes01 | b&bytes01<<8, a>>8&bytes01 | b&^bytes01,
		c&bytes01 | d&bytes01<<8, c>>8&bytes01 | d&^bytes01,
		e&bytes01 | f&bytes01<<8, e>>8&bytes01 | f&^bytes01,
		g&bytes01 | h&bytes01<<8, g>>8&bytes01 | h&^bytes01,
	}
}

// bitUnshuffle brings the bits of elements of size bytes back together: src has
// first the lowest bits of all elements, eight to a byte, then the next ones.
// Numbers of elements that are no multiple of 8 were left as they are. planes
// is room for the bytes of src, nil for elements of one byte.
func bitUnshuffle(dst, src, planes []byte, size int) {
	n := len(src) / size
	if n%8 != 0 || n == 0 {
		copy(dst, src)
		return
	}
	if size == 1 {
		for b := range size {
			bitPlane(dst[b*n:(b+1)*n], src[b*n:(b+1)*n])
		}
		return
	}
	planes = planes[:len(src)]
	for b := range size {
		bitPlane(planes[b*n:(b+1)*n], src[b*n:(b+1)*n])
	}
	copy(planes[n*size:], src[n*size:])
	unshuffle(dst, planes, size)
}

// bitPlane makes the bytes of dst of 8 rows of bits, the lowest bits first.
func bitPlane(dst, src []byte) {
	row := len(src) / 8
	i := 0
	for ; i+8 <= row; i += 8 {
		// Bytes first: word j then has the 8 bits of each of 8 elements.
		w := transpose8(
			kernel.Load64(src, i), kernel.Load64(src, row+i),
			kernel.Load64(src, 2*row+i), kernel.Load64(src, 3*row+i),
			kernel.Load64(src, 4*row+i), kernel.Load64(src, 5*row+i),
			kernel.Load64(src, 6*row+i), kernel.Load64(src, 7*row+i))
		out := dst[8*i : 8*i+64]
		kernel.Store64(out, 0, transposeBits(w[0]))
		kernel.Store64(out, 8, transposeBits(w[1]))
		kernel.Store64(out, 16, transposeBits(w[2]))
		kernel.Store64(out, 24, transposeBits(w[3]))
		kernel.Store64(out, 32, transposeBits(w[4]))
		kernel.Store64(out, 40, transposeBits(w[5]))
		kernel.Store64(out, 48, transposeBits(w[6]))
		kernel.Store64(out, 56, transposeBits(w[7]))
	}
	for ; i < row; i++ {
		var w uint64
		for k := range 8 {
			w |= uint64(src[k*row+i]) << (8 * k)
		}
		kernel.Store64(dst, 8*i, transposeBits(w))
	}
}

// transposeBits transposes 8 by 8 bits: bit j of byte i becomes bit i of byte j.
func transposeBits(w uint64) uint64 {
	t := (w ^ w>>7) & 0x00aa00aa00aa00aa
	w ^= t ^ t<<7
	t = (w ^ w>>14) & 0x0000cccc0000cccc
	w ^= t ^ t<<14
	t = (w ^ w>>28) & 0x00000000f0f0f0f0
	return w ^ t ^ t<<28
}
