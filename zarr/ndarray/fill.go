package ndarray

import "unsafe"

// warm is the size in bytes of the pattern that is built before it is copied repeatedly. It fits
// into the nearest cache.
const warm = 16 << 10

// Fill sets every element of the region of the given shape at the places dl in dst. fill is one
// element's bytes. In a block of items it becomes every item, may be nil, and is shared, not
// copied. The error is ErrShape or ErrBounds; then nothing has been set.
func Fill(dst Block, dl Layout, shape []int, fill []byte) error {
	if dst.Size < 0 || !dl.fits(shape) || (dst.Size > 0 || dst.Items == nil) && len(fill) != dst.Size {
		return ErrShape
	}
	if empty, ok := isEmpty(shape); empty || !ok {
		return errUnless(ok)
	}
	if dst.Size == 0 && dst.Items == nil {
		return nil // elements of zero bytes
	}
	if !dl.inside(shape, dst.held()) {
		return ErrBounds
	}
	var space room
	if dst.Size == 0 {
		r := newRegion(space[:], &dl, nil, shape, itemSize)
		nest[[]byte](unsafe.Pointer(unsafe.SliceData(dst.Items)), unsafe.Pointer(&fill), r.d, 0, 0, r.axes)
		return nil
	}
	r := newRegion(space[:], &dl, nil, shape, dst.Size)
	size := r.run(dst.Size, true)
	if len(r.axes) == 0 || size > warm {
		fills(dst.Data, r.d, size, fill, r.axes)
		return nil
	}
	pattern := fill
	if size > len(fill) {
		// The first piece is the pattern of all others.
		at := r.d
		for i := range r.axes {
			d, _ := r.axes[i].from(0)
			at += d
		}
		pattern = dst.Data[at : at+size]
		repeat(pattern, fill)
	}
	r.copy(dst.Data, pattern, size)
	return nil
}

// repeat fills p with copies of fill; the length of p is a multiple of fill's.
func repeat(p, fill []byte) {
	if isZero(fill) {
		clear(p)
		return
	}
	most := max(warm/len(fill), 1) * len(fill)
	for n := copy(p, fill); n < len(p); {
		n += copy(p[n:], p[:min(n, most)])
	}
}

func isZero(p []byte) bool {
	for _, b := range p {
		if b != 0 {
			return false
		}
	}
	return true
}

// fills repeats the fill over long pieces.
func fills(dst []byte, do, size int, fill []byte, axes []axis) {
	if len(axes) == 0 {
		repeat(dst[do:do+size], fill)
		return
	}
	a := &axes[0]
	for i := range a.n {
		d, _ := a.from(i)
		fills(dst, do+d, size, fill, axes[1:])
	}
}
