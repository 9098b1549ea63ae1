package ndarray

import "unsafe"

// arrange brings the axis that is tightest in the source next to the last one,
// which is the tightest in the destination, so that plane can go over both in
// tiles. It returns the axes.
func arrange(axes []axis) []axis {
	last := len(axes) - 1
	if last < 1 || !axes[last].plain() {
		return axes
	}
	best := last
	for i := range axes[:last] {
		if a := &axes[i]; a.plain() && a.s != 0 && abs(a.s) < abs(axes[best].s) {
			best = i
		}
	}
	if best < last {
		a := axes[best]
		copy(axes[best:last-1], axes[best+1:last])
		axes[last-1] = a
	}
	return axes
}

// plane moves two axes, b the tightest in the destination. When a is tighter in
// the source, going along b touches a new cache line of the source with each
// element, so the plane is cut into strips along a, and the lines are used up
// while they are at hand.
func plane[T any](dst, src unsafe.Pointer, do, so, tail int, a, b *axis) {
	w := int(unsafe.Sizeof(*new(T)))
	switch {
	case abs(a.s) >= abs(b.s):
		rows[T](dst, src, do, so, tail, a.n, b.n, a, b)
		return
	case unaligned && (w <= 2 || w == 4 && crowded(b.s)) && tail == 0 && a.s == w && b.d == w && b.n >= 8:
		turn(dst, src, do, so, w, a, b)
		return
	}
	strip := 32
	if crowded(b.s) {
		strip = 8
	}
	for j := 0; j < b.n; j += strip {
		rows[T](dst, src, do+j*b.d, so+j*b.s, tail, a.n, min(strip, b.n-j), a, b)
	}
}

// crowded is true of strides whose lines compete for the same few places of a
// cache: as many as a strip usually has would push each other out.
func crowded(stride int) bool { return stride&1023 == 0 }

// rows moves na by nb elements of the axes a and b, row by row.
func rows[T any](dst, src unsafe.Pointer, do, so, tail, na, nb int, a, b *axis) {
	if nb < 8 && na > 2*nb {
		// Few elements a row, such as colours: go along the other axis, so far
		// that what has been touched is still at hand for the next column.
		const far = 2048
		for i := 0; i < na; i += far {
			d, s := do+i*a.d, so+i*a.s
			for range nb {
				strided[T](dst, src, d, s, tail, min(far, na-i), a.d, a.s)
				d += b.d
				s += b.s
			}
		}
		return
	}
	for range na {
		strided[T](dst, src, do, so, tail, nb, b.d, b.s)
		do += a.d
		so += a.s
	}
}

// turn transposes elements of w = 1, 2 or 4 bytes: a is contiguous in the source and
// b in the destination, so that squares of 8 bytes a row are turned in registers.
func turn(dst, src unsafe.Pointer, do, so, w int, a, b *axis) {
	k := 8 / w // the side of a square
	strip := 16
	if w == 4 {
		strip = 8
	}
	na, nb := a.n/k*k, b.n/k*k
	for j := 0; j < nb; j += strip {
		end := min(j+strip, nb)
		for i := 0; i < na; i += k {
			for jj := j; jj < end; jj += k {
				d, s := unsafe.Add(dst, do+i*a.d+jj*w), unsafe.Add(src, so+i*w+jj*b.s)
				switch w {
				case 1:
					turn8(d, s, a.d, b.s)
				case 2:
					turn4(d, s, a.d, b.s)
				default:
					turn2(d, s, a.d, b.s)
				}
			}
		}
	}
	// What is left at the two far edges.
	edge := func(i, j, ni, nj int) {
		d, s := do+i*a.d+j*w, so+i*w+j*b.s
		switch w {
		case 1:
			rows[uint8](dst, src, d, s, 0, ni, nj, a, b)
		case 2:
			rows[uint16](dst, src, d, s, 0, ni, nj, a, b)
		default:
			rows[uint32](dst, src, d, s, 0, ni, nj, a, b)
		}
	}
	edge(na, 0, a.n-na, b.n)
	edge(0, nb, na, b.n-nb)
}

func get(p unsafe.Pointer, off int) uint64    { return *(*uint64)(unsafe.Add(p, off)) }
func put(p unsafe.Pointer, off int, v uint64) { *(*uint64)(unsafe.Add(p, off)) = v }

// turn2 transposes 2x2 elements of 4 bytes.
func turn2(d, s unsafe.Pointer, ds, ss int) {
	const low = 0x00000000ffffffff
	a, b := swap(get(s, 0), get(s, ss), low, 32)
	put(d, 0, a)
	put(d, ds, b)
}

// swap exchanges the upper halves in a with the lower halves in b: low masks the
// lower halves, n is their bits.
func swap(a, b, low uint64, n uint) (uint64, uint64) {
	return a&low | b&low<<n, a>>n&low | b&^low
}

// turn4 transposes 4x4 elements of 2 bytes.
func turn4(d, s unsafe.Pointer, ds, ss int) {
	const m2, m1 = 0x00000000ffffffff, 0x0000ffff0000ffff
	a, b, c, e := get(s, 0), get(s, ss), get(s, 2*ss), get(s, 3*ss)
	a, c = swap(a, c, m2, 32)
	b, e = swap(b, e, m2, 32)
	a, b = swap(a, b, m1, 16)
	c, e = swap(c, e, m1, 16)
	put(d, 0, a)
	put(d, ds, b)
	put(d, 2*ds, c)
	put(d, 3*ds, e)
}

// turn8 transposes 8x8 bytes.
func turn8(d, s unsafe.Pointer, ds, ss int) {
	const m4, m2, m1 = 0x00000000ffffffff, 0x0000ffff0000ffff, 0x00ff00ff00ff00ff
	a, b, c, e := get(s, 0), get(s, ss), get(s, 2*ss), get(s, 3*ss)
	f, g, h, i := get(s, 4*ss), get(s, 5*ss), get(s, 6*ss), get(s, 7*ss)
	a, f = swap(a, f, m4, 32)
	b, g = swap(b, g, m4, 32)
	c, h = swap(c, h, m4, 32)
	e, i = swap(e, i, m4, 32)
	a, c = swap(a, c, m2, 16)
	b, e = swap(b, e, m2, 16)
	f, h = swap(f, h, m2, 16)
	g, i = swap(g, i, m2, 16)
	a, b = swap(a, b, m1, 8)
	c, e = swap(c, e, m1, 8)
	f, g = swap(f, g, m1, 8)
	h, i = swap(h, i, m1, 8)
	put(d, 0, a)
	put(d, ds, b)
	put(d, 2*ds, c)
	put(d, 3*ds, e)
	put(d, 4*ds, f)
	put(d, 5*ds, g)
	put(d, 6*ds, h)
	put(d, 7*ds, i)
}
