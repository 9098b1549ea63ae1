package kernel

// BitUnshuffle undoes [BitShuffle] for elements of size bytes. The source src holds the lowest bits
// of all elements, eight to a byte, then the next bits, and so on. A remainder of less than 8
// elements, and bytes after the last whole element, are copied. It writes len(src) bytes; dst and
// src do not overlap.
func BitUnshuffle(dst, src []byte, size int) {
	dst = dst[:len(src)]
	n := len(src) / size
	if n%8 != 0 || n == 0 {
		copy(dst, src)
		return
	}
	row := n / 8 // bytes in each of the 8*size rows of bits
	if row < 8 {
		bitUnshuffle8(dst, src, row, size)
	} else {
		var few [64 * 8 * 16]byte
		tile := few[:]
		if size > 16 {
			tile = make([]byte, 64*8*size)
		}
		// Process a cache line of each row at once. Rows are often a power of two apart, and then
		// only a few of their lines fit into the cache together.
		for i := 0; i < row; {
			n := min(64, row-i) &^ 7
			if n == 0 { // the last eight bytes of the rows, some of them again
				i, n = row-8, 8
			}
			bitRows(tile[:8*n*size], src[i:], row, n, size)
			bitBytes(dst[8*i*size:], tile[:8*n*size], size)
			i += n
		}
	}
	copy(dst[n*size:], src[n*size:])
}

// bitUnshuffle8 decodes 8 elements at once, from a byte of each row.
func bitUnshuffle8(dst, src []byte, row, size int) {
	for b := range size {
		rows := src[8*b*row : 8*(b+1)*row]
		for i := range row {
			var w uint64
			for k := range 8 {
				w |= uint64(rows[k*row+i]) << (8 * k)
			}
			w = transposeBits(w)
			for k := range 8 {
				dst[(8*i+k)*size+b] = byte(w >> (8 * k))
			}
		}
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

// bitRowsGo reads n bytes from each of 8*size rows of bits, row bytes apart in src. It writes the
// 8*n*size bytes of tile, for bitBytes. n is a positive multiple of 8. The caller has checked that
// src has (8*size-1)*row+n bytes.
//
// A column is 64 elements: 8 bytes of each row. Word j of a column's part of the tile holds byte
// j%size of the elements j/size, j/size+8, j/size+16 and so on. The tile is thus a byte shuffle of
// 8 elements of 8*size bytes, and one step replaces two.
func bitRowsGo(tile, src []byte, row, n, size int) {
	for b := range size {
		rows := src[8*b*row:]
		for i := 0; i < n; i += 8 {
			s, t, u, v := Load64(rows, i), Load64(rows, row+i), Load64(rows, 2*row+i), Load64(rows, 3*row+i)
			w, x, y, z := Load64(rows, 4*row+i), Load64(rows, 5*row+i), Load64(rows, 6*row+i), Load64(rows, 7*row+i)
			s, t = exchange(s, t, 1, 0x5555555555555555)
			u, v = exchange(u, v, 1, 0x5555555555555555)
			w, x = exchange(w, x, 1, 0x5555555555555555)
			y, z = exchange(y, z, 1, 0x5555555555555555)
			s, u = exchange(s, u, 2, 0x3333333333333333)
			t, v = exchange(t, v, 2, 0x3333333333333333)
			w, y = exchange(w, y, 2, 0x3333333333333333)
			x, z = exchange(x, z, 2, 0x3333333333333333)
			s, w = exchange(s, w, 4, 0x0f0f0f0f0f0f0f0f)
			t, x = exchange(t, x, 4, 0x0f0f0f0f0f0f0f0f)
			u, y = exchange(u, y, 4, 0x0f0f0f0f0f0f0f0f)
			v, z = exchange(v, z, 4, 0x0f0f0f0f0f0f0f0f)
			words := tile[8*(i*size+b):]
			Store64(words, 0, s)
			Store64(words, 8*size, t)
			Store64(words, 16*size, u)
			Store64(words, 24*size, v)
			Store64(words, 32*size, w)
			Store64(words, 40*size, x)
			Store64(words, 48*size, y)
			Store64(words, 56*size, z)
		}
	}
}

// bitBytesGo writes the elements of tile's columns. The caller has checked that dst is as long as
// tile.
func bitBytesGo(dst, tile []byte, size int) {
	for i := 0; i < len(tile); i += 64 * size {
		for b := 0; b < 8*size; b += 8 {
			unshuffle8Go(dst[i+b:], tile[i+8*b:], 8, 8*size, 8)
		}
	}
}
