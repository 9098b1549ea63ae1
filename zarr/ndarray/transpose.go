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
// element, so the plane is cut into tiles.
func plane[T any](dst, src unsafe.Pointer, do, so, tail int, a, b *axis) {
	w := int(unsafe.Sizeof(*new(T)))
	switch {
	case abs(a.s) >= abs(b.s) || b.n < 2:
		rows[T](dst, src, do, so, tail, a.n, b.n, a, b)
		return
	case w < 8 && tail == 0 && a.s == w && b.d == w:
		turn(dst, src, do, so, w, a, b)
		return
	}
	// Tiles of a line of the source by half as many of them, see turn.
	ti, tj := tileA, tileB
	for i := 0; i < a.n; i += ti {
		ni := min(ti, a.n-i)
		for j := 0; j < b.n; j += tj {
			rows[T](dst, src, do+i*a.d+j*b.d, so+i*a.s+j*b.s, tail, ni, min(tj, b.n-j), a, b)
		}
	}
}

var tileA, tileB = 32, 8
var mA, mB = 64, 8

// rows moves na by nb elements row by row.
func rows[T any](dst, src unsafe.Pointer, do, so, tail, na, nb int, a, b *axis) {
	for range na {
		strided[T](dst, src, do, so, tail, nb, b.d, b.s)
		do += a.d
		so += a.s
	}
}

// turn transposes elements of w = 1, 2 or 4 bytes: a is contiguous in the source
// and b in the destination, so that 8 bytes of each are read and written at a
// time and turned in registers.
func turn(dst, src unsafe.Pointer, do, so, w int, a, b *axis) {
	k := 8 / w
	ti, tj := mA/w, max(mB, k)
	na, nb := a.n/k*k, b.n/k*k
	for i := 0; i < na; i += ti {
		for j := 0; j < nb; j += tj {
			for ii := i; ii < min(i+ti, na); ii += k {
				for jj := j; jj < min(j+tj, nb); jj += k {
					d, s := unsafe.Add(dst, do+ii*a.d+jj*w), unsafe.Add(src, so+ii*w+jj*b.s)
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
	a, b := get(s, 0), get(s, ss)
	put(d, 0, a&0xffffffff|b<<32)
	put(d, ds, a>>32|b&^0xffffffff)
}

// swap exchanges the upper halves in a with the lower halves in b, at the scale of
// the mask of lower halves.
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
