package ndarray

import (
	"unsafe"

	"github.com/zarr-wasm/zarr-wasm/internal/kernel"
)

// arrange moves the tightest axis of the source next to the last one, which is the tightest in the
// destination. Then plane can process both in tiles. Returns the axes.
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

// plane moves two axes, with b the tightest in the destination. If a is tighter in the source, each
// element along b touches a new cache line of the source. The plane is therefore cut into strips
// along a, and lines are used up while they are cached.
func plane[T any](dst, src unsafe.Pointer, do, so, tail int, a, b *axis) {
	w := int(unsafe.Sizeof(*new(T)))
	// As many lines of the source as the cache holds, and then whole lines of dst.
	strip := places(b.s)
	switch {
	case abs(a.s) >= abs(b.s):
		rows[T](dst, src, do, so, tail, a.n, b.n, a, b)
		return
	case unaligned && (w <= 2 || w == 4 && strip >= 64/w) && tail == 0 && a.s == w && b.d == w && a.n >= 8 && b.n >= 8:
		turn[T](dst, src, do, so, min(strip, 64/w), a, b)
		return
	}
	strip = min(strip, 32)
	for j := 0; j < b.n; j += strip {
		rows[T](dst, src, do+j*b.d, so+j*b.s, tail, a.n, min(strip, b.n-j), a, b)
	}
}

// places returns how many lines a stride apart fit into a cache in which every 4096th byte competes
// for the same eight places.
func places(stride int) int { return 8 * max(4096/max(stride&-stride, 1), 1) }

// rows moves na by nb elements of the axes a and b, row by row.
func rows[T any](dst, src unsafe.Pointer, do, so, tail, na, nb int, a, b *axis) {
	if nb < 8 && na > 2*nb {
		// With few elements a row, such as colours, go along the other axis. Stop where the touched
		// lines are still cached for the next column.
		const far = 2048
		for i := 0; i < na; i += far {
			lines[T](dst, src, do+i*a.d, so+i*a.s, tail, nb, b.d, b.s, min(far, na-i), a.d, a.s)
		}
		return
	}
	lines[T](dst, src, do, so, tail, na, a.d, a.s, nb, b.d, b.s)
}

// lines moves na lines of nb elements, in order.
func lines[T any](dst, src unsafe.Pointer, do, so, tail, na, da, sa, nb, db, sb int) {
	w := int(unsafe.Sizeof(*new(T)))
	if na < 1 || nb < 1 {
		return
	}
	if w <= 16 && unaligned && tail == 0 && (db != w || sb != w) {
		kernel.Move(unsafe.Add(dst, do), unsafe.Add(src, so), w, na, da, sa, nb, db, sb)
		return
	}
	for range na {
		strided[T](dst, src, do, so, tail, nb, db, sb)
		do += da
		so += sa
	}
}

// turn transposes elements of w = 1, 2 or 4 bytes. a is contiguous in the source and b in the
// destination. It transposes squares of 8 bytes a row in registers, strip by strip. A strip has
// strip elements of b, a multiple of 8.
func turn[T any](dst, src unsafe.Pointer, do, so, strip int, a, b *axis) {
	w := int(unsafe.Sizeof(*new(T)))
	k := 8 / w // the side of a square
	na, nb := a.n/k*k, b.n/k*k
	for j := 0; j < nb; j += strip {
		kernel.Turn(unsafe.Add(dst, do+j*w), unsafe.Add(src, so+j*b.s), w, na, a.d, min(strip, nb-j), b.s)
	}
	// The rest at the two far edges.
	rows[T](dst, src, do+na*a.d, so+na*w, 0, a.n-na, b.n, a, b)
	rows[T](dst, src, do+nb*w, so+nb*b.s, 0, na, b.n-nb, a, b)
}
