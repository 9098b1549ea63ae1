package kernel

import "unsafe"

// Move copies na rows of nb elements of width bytes: 1, 2, 4, 8 or 16. Element j of row i goes from
// src+i*sa+j*sb to dst+i*da+j*db. Both counts are positive. The caller has checked that all
// addresses lie in its memory, which holds no pointers. The machine must allow unaligned loads, as
// all machines with assembly here do.
func Move(dst, src unsafe.Pointer, width, na, da, sa, nb, db, sb int) {
	switch width {
	case 1:
		move1(dst, src, na, da, sa, nb, db, sb)
	case 2:
		move2(dst, src, na, da, sa, nb, db, sb)
	case 4:
		move4(dst, src, na, da, sa, nb, db, sb)
	case 8:
		move8(dst, src, na, da, sa, nb, db, sb)
	case 16:
		move16(dst, src, na, da, sa, nb, db, sb)
	}
}

// pair is a word of 16 bytes.
//
//lint:ignore U1000 the fields are only ever copied, both at once
type pair struct{ lo, hi uint64 }

// moveGo is Move for elements of one type. It counts offsets rather than pointers, so that no
// pointer leaves its block.
func moveGo[T any](dst, src unsafe.Pointer, na, da, sa, nb, db, sb int) {
	for row, from := 0, 0; na > 0; na-- {
		do, so, n := row, from, nb
		for ; n >= 4; n -= 4 {
			a := *(*T)(unsafe.Add(src, so))
			b := *(*T)(unsafe.Add(src, so+sb))
			c := *(*T)(unsafe.Add(src, so+2*sb))
			d := *(*T)(unsafe.Add(src, so+3*sb))
			*(*T)(unsafe.Add(dst, do)) = a
			*(*T)(unsafe.Add(dst, do+db)) = b
			*(*T)(unsafe.Add(dst, do+2*db)) = c
			*(*T)(unsafe.Add(dst, do+3*db)) = d
			do += 4 * db
			so += 4 * sb
		}
		for ; n > 0; n-- {
			*(*T)(unsafe.Add(dst, do)) = *(*T)(unsafe.Add(src, so))
			do += db
			so += sb
		}
		row += da
		from += sa
	}
}

// Turn transposes elements of width 1, 2 or 4 bytes. Row i of dst starts at dst+i*da, and holds the
// i-th element of nb rows of src, which are sb bytes apart. Both na and nb are positive multiples
// of 8/width. The caller has checked everything that Move requires.
func Turn(dst, src unsafe.Pointer, width, na, da, nb, sb int) {
	switch width {
	case 1:
		turn1(dst, src, na, da, nb, sb)
	case 2:
		turn2(dst, src, na, da, nb, sb)
	case 4:
		turn4(dst, src, na, da, nb, sb)
	}
}

// squares calls square for each square of 8 bytes a side.
func squares(dst, src unsafe.Pointer, width, na, da, nb, sb int, square func(d, s unsafe.Pointer, da, sb int)) {
	k := 8 / width
	for i := 0; i < na; i += k {
		for j := 0; j < nb; j += k {
			square(unsafe.Add(dst, i*da+j*width), unsafe.Add(src, i*width+j*sb), da, sb)
		}
	}
}

func turn1Go(dst, src unsafe.Pointer, na, da, nb, sb int) {
	squares(dst, src, 1, na, da, nb, sb, square8)
}

func turn2Go(dst, src unsafe.Pointer, na, da, nb, sb int) {
	squares(dst, src, 2, na, da, nb, sb, square4)
}

func turn4Go(dst, src unsafe.Pointer, na, da, nb, sb int) {
	squares(dst, src, 4, na, da, nb, sb, square2)
}

func get(p unsafe.Pointer, off int) uint64    { return *(*uint64)(unsafe.Add(p, off)) }
func put(p unsafe.Pointer, off int, v uint64) { *(*uint64)(unsafe.Add(p, off)) = v }

// halves exchanges the upper halves in a with the lower halves in b. low masks the lower halves,
// and n is their bits.
func halves(a, b, low uint64, n uint) (uint64, uint64) {
	return a&low | b&low<<n, a>>n&low | b&^low
}

// square2 transposes 2x2 elements of 4 bytes.
func square2(d, s unsafe.Pointer, ds, ss int) {
	const low = 0x00000000ffffffff
	a, b := halves(get(s, 0), get(s, ss), low, 32)
	put(d, 0, a)
	put(d, ds, b)
}

// square4 transposes 4x4 elements of 2 bytes.
func square4(d, s unsafe.Pointer, ds, ss int) {
	const m2, m1 = 0x00000000ffffffff, 0x0000ffff0000ffff
	a, b, c, e := get(s, 0), get(s, ss), get(s, 2*ss), get(s, 3*ss)
	a, c = halves(a, c, m2, 32)
	b, e = halves(b, e, m2, 32)
	a, b = halves(a, b, m1, 16)
	c, e = halves(c, e, m1, 16)
	put(d, 0, a)
	put(d, ds, b)
	put(d, 2*ds, c)
	put(d, 3*ds, e)
}

// square8 transposes 8x8 bytes.
func square8(d, s unsafe.Pointer, ds, ss int) {
	const m4, m2, m1 = 0x00000000ffffffff, 0x0000ffff0000ffff, 0x00ff00ff00ff00ff
	a, b, c, e := get(s, 0), get(s, ss), get(s, 2*ss), get(s, 3*ss)
	f, g, h, i := get(s, 4*ss), get(s, 5*ss), get(s, 6*ss), get(s, 7*ss)
	a, f = halves(a, f, m4, 32)
	b, g = halves(b, g, m4, 32)
	c, h = halves(c, h, m4, 32)
	e, i = halves(e, i, m4, 32)
	a, c = halves(a, c, m2, 16)
	b, e = halves(b, e, m2, 16)
	f, h = halves(f, h, m2, 16)
	g, i = halves(g, i, m2, 16)
	a, b = halves(a, b, m1, 8)
	c, e = halves(c, e, m1, 8)
	f, g = halves(f, g, m1, 8)
	h, i = halves(h, i, m1, 8)
	put(d, 0, a)
	put(d, ds, b)
	put(d, 2*ds, c)
	put(d, 3*ds, e)
	put(d, 4*ds, f)
	put(d, 5*ds, g)
	put(d, 6*ds, h)
	put(d, 7*ds, i)
}
