package ndarray

// axis is one dimension of a region: n steps of d bytes in the destination and s bytes in the
// source, or by a list.
type axis struct {
	n, d, s int
	dl, sl  []int64
}

func (a *axis) plain() bool { return a.dl == nil && a.sl == nil }

// from returns the distance of the i-th position from the axis' origin in bytes, in the destination
// and in the source.
func (a *axis) from(i int) (d, s int) {
	d, s = i, i
	if a.dl != nil {
		d = int(a.dl[i])
	}
	if a.sl != nil {
		s = int(a.sl[i])
	}
	return d * a.d, s * a.s
}

// region is a move in its simplest form: the fewest axes, with the tightest one in the destination
// last. The order of axes does not matter to a copy, so they may be sorted, reversed and merged.
type region struct {
	d, s int // offset of the origin, in bytes
	axes []axis
}

// room holds the axes of ordinary ranks, on the caller's stack.
type room [8]axis

// newRegion returns the region of two checked layouts, for elements unit bytes apart. It stores the
// axes in space, a separate argument so that it stays on the caller's stack. A nil source does not
// move, as for a fill.
func newRegion(space []axis, dl, sl *Layout, shape []int, unit int) region {
	axes := space[:0]
	d, s := dl.Offset, 0
	if sl != nil {
		s = sl.Offset
	}
	for i, n := range shape {
		a := axis{n: n, d: dl.Strides[i], dl: dl.list(i)}
		d += settle(&a.dl, &a.d)
		if sl != nil {
			a.s, a.sl = sl.Strides[i], sl.list(i)
			s += settle(&a.sl, &a.s)
		}
		if n == 1 {
			continue
		}
		if a.plain() && a.d < 0 {
			d += a.d * (n - 1)
			s += a.s * (n - 1)
			a.d, a.s = -a.d, -a.s
		}
		a.d *= unit
		a.s *= unit
		axes = append(axes, a)
	}
	for i := 1; i < len(axes); i++ {
		for j := i; j > 0 && abs(axes[j].d) > abs(axes[j-1].d); j-- {
			axes[j], axes[j-1] = axes[j-1], axes[j]
		}
	}
	return region{d * unit, s * unit, merge(axes)}
}

// settle replaces an evenly spaced list by a stride, and returns the shift of the origin.
func settle(list *[]int64, stride *int) int {
	l := *list
	if l == nil {
		return 0
	}
	step := int64(0)
	if len(l) > 1 {
		step = l[1] - l[0]
		for i := 2; i < len(l); i++ {
			if l[i]-l[i-1] != step {
				return 0
			}
		}
	}
	origin := int(l[0]) * *stride
	*list = nil
	*stride *= int(step)
	return origin
}

// merge joins neighbouring axes that form one axis in both blocks.
func merge(axes []axis) []axis {
	k := 0
	for _, a := range axes {
		if k > 0 && axes[k-1].plain() && a.plain() && axes[k-1].d == a.d*a.n && axes[k-1].s == a.s*a.n {
			k--
			a.n *= axes[k].n
		}
		axes[k] = a
		k++
	}
	return axes[:k]
}

// run removes the innermost axes that are contiguous in both blocks, for elements of size bytes. It
// returns the bytes of one contiguous piece.
func (r *region) run(size int, fill bool) int {
	for k := len(r.axes) - 1; k >= 0; k-- {
		a := &r.axes[k]
		if !a.plain() || a.d != size || !fill && a.s != size {
			break
		}
		size *= a.n
		r.axes = r.axes[:k]
	}
	return size
}

func abs(a int) int {
	if a < 0 {
		return -a
	}
	return a
}
