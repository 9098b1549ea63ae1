package ndarray

import (
	"runtime"
	"unsafe"

	"github.com/zarr-wasm/zarr-wasm/internal/kernel"
)

// Copy copies a region of the given shape from its places sl in src to its places dl in dst. The
// blocks must not overlap. Their elements must have the same size, or both blocks must have items;
// only the slices of items are copied, not their bytes. If dl names an element twice, either value
// may remain. The error is ErrShape or ErrBounds; then nothing has been copied.
func Copy(dst Block, dl Layout, src Block, sl Layout, shape []int) error {
	return CopySwapped(dst, dl, src, sl, shape, 0)
}

// CopySwapped is Copy, and also reverses the bytes of every scalar of width (2, 4 or 8) bytes. An
// element consists of one or several scalars; width 0 does not reverse. If dl names an element
// twice, its byte order is undefined too.
func CopySwapped(dst Block, dl Layout, src Block, sl Layout, shape []int, width int) error {
	if width != 0 && (dst.Size%width != 0 || dst.Items != nil) {
		return ErrShape
	}
	if dst.Size != src.Size || dst.Size < 0 || !dl.fits(shape) || !sl.fits(shape) {
		return ErrShape
	}
	if empty, ok := isEmpty(shape); empty || !ok {
		return errUnless(ok)
	}
	if dst.Size == 0 && dst.Items == nil && src.Items == nil {
		return nil // elements of zero bytes
	}
	if !dl.inside(shape, dst.held()) || !sl.inside(shape, src.held()) {
		return ErrBounds
	}
	var space room
	if dst.Size == 0 {
		r := newRegion(space[:], &dl, &sl, shape, itemSize)
		nest[[]byte](unsafe.Pointer(unsafe.SliceData(dst.Items)), unsafe.Pointer(unsafe.SliceData(src.Items)), r.d, r.s, 0, arrange(r.axes))
		return nil
	}
	r := newRegion(space[:], &dl, &sl, shape, dst.Size)
	size := r.run(dst.Size, false)
	switch {
	case width == 0:
		r.copy(dst.Data, src.Data, size)
	case size >= longRun:
		swaps(dst.Data, src.Data, r.d, r.s, size, r.axes, width)
	default:
		r.copy(dst.Data, src.Data, size)
		// The runs of dst alone are longer than those of both blocks.
		r = newRegion(space[:], &dl, nil, shape, dst.Size)
		size = r.run(dst.Size, true)
		for i := range r.axes {
			r.axes[i].s, r.axes[i].sl = r.axes[i].d, r.axes[i].dl
		}
		swaps(dst.Data, dst.Data, r.d, r.d, size, r.axes, width)
	}
	return nil
}

// swaps moves pieces and reverses the bytes of their scalars.
func swaps(dst, src []byte, do, so, size int, axes []axis, width int) {
	if len(axes) == 0 {
		kernel.Swap(dst[do:do+size], src[so:so+size], width)
		return
	}
	a := &axes[0]
	for i := range a.n {
		d, s := a.from(i)
		swaps(dst, src, do+d, so+s, size, axes[1:], width)
	}
}

// isEmpty reports whether the shape has no elements. ok is false for an invalid shape.
func isEmpty(shape []int) (empty, ok bool) {
	for _, n := range shape {
		if n < 0 {
			return false, false
		}
		empty = empty || n == 0
	}
	return empty, true
}

func errUnless(ok bool) error {
	if ok {
		return nil
	}
	return ErrShape
}

const (
	// itemSize is the distance between items in bytes.
	itemSize = int(unsafe.Sizeof([]byte(nil)))
	// longRun is the length in bytes from which calling copy is faster than moving words.
	longRun = 33
	// unaligned is true if words may be read and written at any address.
	unaligned = runtime.GOARCH == "amd64" || runtime.GOARCH == "arm64" || runtime.GOARCH == "wasm" || runtime.GOARCH == "386"
)

// pair is a word of 16 bytes.
//
//lint:ignore U1000 the fields are only ever copied, both at once
type pair struct{ lo, hi uint64 }

// copy moves pieces of size bytes. A piece that is not a word is moved as two overlapping words,
// which avoids an inner loop.
func (r region) copy(dst, src []byte, size int) {
	d, s := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(src))
	switch {
	case len(r.axes) == 0:
		copy(dst[r.d:r.d+size], src[r.s:r.s+size])
	case size >= longRun || !unaligned && size > 1:
		runs(dst, src, r.d, r.s, size, r.axes)
	case size >= 16:
		nest[pair](d, s, r.d, r.s, size-16, arrange(r.axes))
	case size >= 8:
		nest[uint64](d, s, r.d, r.s, size-8, arrange(r.axes))
	case size >= 4:
		nest[uint32](d, s, r.d, r.s, size-4, arrange(r.axes))
	case size >= 2:
		nest[uint16](d, s, r.d, r.s, size-2, arrange(r.axes))
	default:
		nest[uint8](d, s, r.d, r.s, 0, arrange(r.axes))
	}
}

// runs moves long pieces.
func runs(dst, src []byte, do, so, size int, axes []axis) {
	a := &axes[0]
	if len(axes) > 1 {
		for i := range a.n {
			d, s := a.from(i)
			runs(dst, src, do+d, so+s, size, axes[1:])
		}
		return
	}
	for i := range a.n {
		d, s := a.from(i)
		d, s = do+d, so+s
		copy(dst[d:d+size], src[s:s+size])
	}
}

// nest moves the words of a region, and with a tail also the words tail bytes further on. Copy and
// Fill have checked the offsets.
func nest[T any](dst, src unsafe.Pointer, do, so, tail int, axes []axis) {
	if len(axes) == 0 { // a single item
		line[T](dst, src, do, so, 1, 0, 0)
		return
	}
	a := &axes[0]
	if len(axes) == 1 {
		row[T](dst, src, do, so, tail, a)
		return
	}
	if len(axes) == 2 && a.plain() && axes[1].plain() {
		plane[T](dst, src, do, so, tail, a, &axes[1])
		return
	}
	for i := range a.n {
		d, s := a.from(i)
		nest[T](dst, src, do+d, so+s, tail, axes[1:])
	}
}

// row moves along one axis, with or without lists.
func row[T any](dst, src unsafe.Pointer, do, so, tail int, a *axis) {
	switch {
	case a.plain():
		lines[T](dst, src, do, so, tail, 1, 0, 0, a.n, a.d, a.s)
	case a.dl == nil && tail == 0:
		gather[T](dst, src, do, so, a.d, a.s, a.sl)
	default:
		for i := range a.n {
			d, s := a.from(i)
			*(*T)(unsafe.Add(dst, do+d)) = *(*T)(unsafe.Add(src, so+s))
			*(*T)(unsafe.Add(dst, do+d+tail)) = *(*T)(unsafe.Add(src, so+s+tail))
		}
	}
}

// gather moves the listed elements to evenly spaced places.
func gather[T any](dst, src unsafe.Pointer, do, so, ds, ss int, list []int64) {
	for len(list) >= 4 {
		a := *(*T)(unsafe.Add(src, so+int(list[0])*ss))
		b := *(*T)(unsafe.Add(src, so+int(list[1])*ss))
		c := *(*T)(unsafe.Add(src, so+int(list[2])*ss))
		d := *(*T)(unsafe.Add(src, so+int(list[3])*ss))
		*(*T)(unsafe.Add(dst, do)) = a
		*(*T)(unsafe.Add(dst, do+ds)) = b
		*(*T)(unsafe.Add(dst, do+2*ds)) = c
		*(*T)(unsafe.Add(dst, do+3*ds)) = d
		do += 4 * ds
		list = list[4:]
	}
	for _, i := range list {
		*(*T)(unsafe.Add(dst, do)) = *(*T)(unsafe.Add(src, so+int(i)*ss))
		do += ds
	}
}

func strided[T any](dst, src unsafe.Pointer, do, so, tail, n, ds, ss int) {
	if tail == 0 {
		line[T](dst, src, do, so, n, ds, ss)
		return
	}
	for range n {
		*(*T)(unsafe.Add(dst, do)) = *(*T)(unsafe.Add(src, so))
		*(*T)(unsafe.Add(dst, do+tail)) = *(*T)(unsafe.Add(src, so+tail))
		do += ds
		so += ss
	}
}

// line is the innermost loop. It increments offsets rather than pointers, so that no pointer ever
// leaves its block.
func line[T any](dst, src unsafe.Pointer, do, so, n, ds, ss int) {
	if w := int(unsafe.Sizeof(*new(T))); ds == w && ss == w && n > 4 {
		copy(unsafe.Slice((*T)(unsafe.Add(dst, do)), n), unsafe.Slice((*T)(unsafe.Add(src, so)), n))
		return
	}
	for ; n >= 4; n -= 4 {
		a := *(*T)(unsafe.Add(src, so))
		b := *(*T)(unsafe.Add(src, so+ss))
		c := *(*T)(unsafe.Add(src, so+2*ss))
		d := *(*T)(unsafe.Add(src, so+3*ss))
		*(*T)(unsafe.Add(dst, do)) = a
		*(*T)(unsafe.Add(dst, do+ds)) = b
		*(*T)(unsafe.Add(dst, do+2*ds)) = c
		*(*T)(unsafe.Add(dst, do+3*ds)) = d
		do += 4 * ds
		so += 4 * ss
	}
	for ; n > 0; n-- {
		*(*T)(unsafe.Add(dst, do)) = *(*T)(unsafe.Add(src, so))
		do += ds
		so += ss
	}
}
