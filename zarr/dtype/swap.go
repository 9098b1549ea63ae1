package dtype

import "github.com/zarr-wasm/zarr-wasm/internal/kernel"

// Swap locates scalars of more than one byte in an element: Count of them in a row, each Width
// bytes (2, 4 or 8), stored in Order.
type Swap struct {
	Offset, Width, Count int
	Order                Order
}

// scalar returns the width and number of the scalars in an element of a type without parts. The
// width is 1 if their order does not matter.
func (t *Type) scalar() (width, count int) {
	switch t.Kind {
	case Int, Uint, Float, MiniFloat, DateTime, TimeDelta:
		return t.Size, 1
	case Complex:
		return t.Elem.Size, 2
	case Unicode:
		return 4, t.Size / 4
	}
	return 1, t.Size
}

// HasOrder reports whether an element holds a scalar of more than one byte, so that the stored
// order matters. It is false for types of variable length.
func (t *Type) HasOrder() bool {
	if t.Size == 0 {
		return false
	}
	switch t.Kind {
	case Struct:
		for i := range t.Fields {
			if t.Fields[i].Type.HasOrder() {
				return true
			}
		}
		return false
	case Sub, Optional:
		return t.Elem.HasOrder()
	}
	width, _ := t.scalar()
	return width > 1
}

// SwapRanges lists the multi-byte scalars in an element, by offset. Neighbours of the same width
// and order form one range.
func (t *Type) SwapRanges() []Swap { return t.appendSwaps(nil, 0) }

func (t *Type) appendSwaps(list []Swap, at int) []Swap {
	if !t.HasOrder() {
		return list
	}
	switch t.Kind {
	case Struct:
		for i := range t.Fields {
			list = t.Fields[i].Type.appendSwaps(list, at+t.Fields[i].Offset)
		}
		return list
	case Optional:
		return t.Elem.appendSwaps(list, at+1)
	case Sub:
		for end := at + t.Size; at < end; at += t.Elem.Size {
			list = t.Elem.appendSwaps(list, at)
		}
		return list
	}
	width, count := t.scalar()
	if n := len(list); n > 0 {
		last := &list[n-1]
		if last.Width == width && last.Order == t.Order && last.Offset+last.Width*last.Count == at {
			last.Count += count
			return list
		}
	}
	return append(list, Swap{Offset: at, Width: width, Count: count, Order: t.Order})
}

// ToLittle converts packed elements to little-endian order, in place. order is the stored order of
// all scalars; None selects the Order of each scalar, as in v2 metadata. Bytes after the last whole
// element stay unchanged.
func (t *Type) ToLittle(data []byte, order Order) {
	if order == Little || t.Size == 0 {
		return
	}
	t.toLittle(data, t.Size, len(data)/t.Size, order)
}

// toLittle swaps the scalars of n elements that begin stride bytes apart.
func (t *Type) toLittle(data []byte, stride, n int, order Order) {
	if n == 0 || !t.HasOrder() {
		return
	}
	switch t.Kind {
	case Struct:
		for i := range t.Fields {
			t.Fields[i].Type.toLittle(data[t.Fields[i].Offset:], stride, n, order)
		}
		return
	case Optional:
		t.Elem.toLittle(data[1:], stride, n, order)
		return
	case Sub:
		if stride == t.Size {
			t.Elem.toLittle(data, t.Elem.Size, n*(t.Size/t.Elem.Size), order)
			return
		}
		for ; n > 0; n-- {
			t.Elem.toLittle(data, t.Elem.Size, t.Size/t.Elem.Size, order)
			if n > 1 {
				data = data[stride:]
			}
		}
		return
	}
	if order == None {
		order = t.Order
	}
	if order != Big {
		return
	}
	width, _ := t.scalar()
	if stride == t.Size {
		kernel.Swap(data[:n*stride], data[:n*stride], width)
		return
	}
	for ; n > 0; n-- {
		kernel.Swap(data[:t.Size], data[:t.Size], width)
		if n > 1 {
			data = data[stride:]
		}
	}
}
