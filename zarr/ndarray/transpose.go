package ndarray

import "unsafe"

// arrange brings the axis that is tightest in the source next to the last one,
// which is the tightest in the destination, so that plane can go over both in
// tiles. It returns the axes.
func (r *region) arrange() []axis {
	last := len(r.axes) - 1
	if last < 1 || !r.axes[last].plain() {
		return r.axes
	}
	best := last
	for i := range r.axes[:last] {
		if a := &r.axes[i]; a.plain() && a.s != 0 && abs(a.s) < abs(r.axes[best].s) {
			best = i
		}
	}
	if best == last {
		return r.axes
	}
	a := r.axes[best]
	copy(r.axes[best:last-1], r.axes[best+1:last])
	r.axes[last-1] = a
	return r.axes
}

// tile is the side of a tile in bytes: a cache line of each block is used up
// while it is at hand.
const tile = 64

// plane moves two axes, b the tightest in the destination. When a is tighter in the source, going
// along b would touch a new cache line of the source with each element, so
// the plane is cut into tiles.
func plane[T any](dst, src unsafe.Pointer, do, so, tail int, a, b *axis) {
	side := tile / int(unsafe.Sizeof(*new(T)))
	if abs(a.s) >= abs(b.s) || a.n*b.n <= side*side {
		for range a.n {
			strided[T](dst, src, do, so, tail, b.n, b.d, b.s)
			do += a.d
			so += a.s
		}
		return
	}
	for j := 0; j < b.n; j += side {
		nj := min(side, b.n-j)
		d, s := do+j*b.d, so+j*b.s
		for range a.n {
			strided[T](dst, src, d, s, tail, nj, b.d, b.s)
			d += a.d
			s += a.s
		}
	}
}
