package grid

import (
	"slices"
	"strconv"
)

// ItemKind is the kind of an [Item].
type ItemKind uint8

// The kinds of items.
const (
	ItemKindAll      ItemKind = iota // the whole dimension
	ItemKindAt                       // one index; the dimension is dropped from the result
	ItemKindRange                    // start:stop:step, as in Python
	ItemKindEllipsis                 // all whole dimensions that no other item selects
	ItemKindList                     // a list of indices
	ItemKindMask                     // one bool for each position
)

// Item is the selection of one dimension (for an ellipsis, of several). The zero Item selects all.
// The rules are numpy's, except that several lists or masks select orthogonally, each for its own
// dimension, like numpy.ix_.
type Item struct {
	Kind ItemKind
	// Index is the index of [At]. A negative index counts from the end.
	Index int64
	// Start, Stop and Step are the bounds of [Range], nil if left open. Negative starts and stops
	// count from the end, and those outside the dimension are clamped. Step must not be 0.
	Start, Stop, Step *int64
	// List holds the indices of [ListOf], in any order and with repetitions. Negative indices count
	// from the end.
	List []int64
	// Mask is the mask of [MaskOf], as long as the dimension.
	Mask []bool
}

// All selects a whole dimension.
func All() Item { return Item{Kind: ItemKindAll} }

// At selects one index of a dimension and drops the dimension.
func At(i int64) Item { return Item{Kind: ItemKindAt, Index: i} }

// Range selects start:stop:step like Python; nil leaves an end open.
func Range(start, stop, step *int64) Item {
	return Item{Kind: ItemKindRange, Start: start, Stop: stop, Step: step}
}

// EllipsisItem selects the whole dimensions that the other items leave.
func EllipsisItem() Item { return Item{Kind: ItemKindEllipsis} }

// ListOf selects the indices of a list, in its order.
func ListOf(list []int64) Item { return Item{Kind: ItemKindList, List: list} }

// MaskOf selects the positions at which the mask is true.
func MaskOf(mask []bool) Item { return Item{Kind: ItemKindMask, Mask: mask} }

// Axis is a resolved selection along one dimension. It has Count positions; the i-th of them is
// Start+i*Step, or List[i] if List is not nil. None is negative.
type Axis struct {
	Start, Step, Count int64
	// Drop is true for an integer index: Count is 1 and the result lacks the dimension.
	Drop bool
	// List has Count entries; Start and Step are then 0. An evenly spaced list becomes Start and
	// Step instead. List may share memory with the [Item].
	List []int64
}

// At returns the axis' i-th position.
func (a Axis) At(i int64) int64 {
	if a.List != nil {
		return a.List[i]
	}
	return a.Start + i*a.Step
}

// SelectionError reports that a selection does not fit the array.
type SelectionError struct {
	Dim int // the array's dimension, -1 for the selection as a whole
	Msg string
}

func (e *SelectionError) Error() string {
	if e.Dim < 0 {
		return "selection: " + e.Msg
	}
	return "selection: dimension " + strconv.Itoa(e.Dim) + ": " + e.Msg
}

// Resolve resolves a selection for an array of the given shape to one axis for each dimension. A
// short selection selects all of the remaining dimensions; nil selects the array. It returns a
// *SelectionError if there are more items than dimensions or more than one ellipsis. An index out
// of bounds, a step of 0, or a mask of another length than its dimension are also a
// *SelectionError.
func Resolve(sel []Item, shape []int64) ([]Axis, error) {
	ellipsis := -1
	for i := range sel {
		if sel[i].Kind != ItemKindEllipsis {
			continue
		}
		if ellipsis >= 0 {
			return nil, &SelectionError{-1, "more than one ellipsis"}
		}
		ellipsis = i
	}
	named := len(sel)
	if ellipsis >= 0 {
		named--
	}
	if named > len(shape) {
		return nil, &SelectionError{-1, strconv.Itoa(named) + " items for " + strconv.Itoa(len(shape)) + " dimensions"}
	}
	axes := make([]Axis, len(shape))
	for dim, n := range shape {
		if n < 0 {
			return nil, &SelectionError{dim, "negative length " + strconv.FormatInt(n, 10)}
		}
		i := dim // the item for this dimension
		if ellipsis >= 0 && dim >= ellipsis {
			if i = dim - (len(shape) - named) + 1; i <= ellipsis {
				i = ellipsis
			}
		}
		item := Item{}
		if i < len(sel) && i != ellipsis {
			item = sel[i]
		}
		a, err := resolve(item, n)
		if err != nil {
			err.Dim = dim
			return nil, err
		}
		axes[dim] = a
	}
	return axes, nil
}

// OutShape returns the shape of the axes' selection: their counts, without the dropped dimensions.
func OutShape(axes []Axis) []int64 {
	out := make([]int64, 0, len(axes))
	for i := range axes {
		if !axes[i].Drop {
			out = append(out, axes[i].Count)
		}
	}
	return out
}

// resolve resolves one item for a dimension of length n. The error lacks its dimension.
func resolve(item Item, n int64) (Axis, *SelectionError) {
	switch item.Kind {
	case ItemKindAll:
		return Axis{Step: 1, Count: n}, nil
	case ItemKindAt:
		p, err := wrap(item.Index, n)
		return Axis{Start: p, Step: 1, Count: 1, Drop: true}, err
	case ItemKindRange:
		return resolveRange(item, n)
	case ItemKindList:
		list := item.List
		for i, p := range item.List {
			at, err := wrap(p, n)
			if err != nil {
				return Axis{}, err
			}
			if at == p {
				continue
			}
			if &list[0] == &item.List[0] {
				list = slices.Clone(list) // the list is the caller's
			}
			list[i] = at
		}
		return even(list), nil
	case ItemKindMask:
		if int64(len(item.Mask)) != n {
			return Axis{}, &SelectionError{-1, "mask of length " + strconv.Itoa(len(item.Mask)) + " for length " + strconv.FormatInt(n, 10)}
		}
		set := 0
		for _, m := range item.Mask {
			if m {
				set++
			}
		}
		list := make([]int64, 0, set)
		for i, m := range item.Mask {
			if m {
				list = append(list, int64(i))
			}
		}
		return even(list), nil
	}
	return Axis{}, &SelectionError{-1, "unknown kind of item " + strconv.Itoa(int(item.Kind))}
}

// wrap makes an index non-negative and checks it.
func wrap(i, n int64) (int64, *SelectionError) {
	p := i
	if p < 0 {
		p += n // cannot overflow: n is not negative
	}
	if p < 0 || p >= n {
		return 0, &SelectionError{-1, "index " + strconv.FormatInt(i, 10) + " is out of bounds for length " + strconv.FormatInt(n, 10)}
	}
	return p, nil
}

// resolveRange is Python's slice.indices, with the length of that range.
func resolveRange(item Item, n int64) (Axis, *SelectionError) {
	step := int64(1)
	if item.Step != nil {
		step = *item.Step
	}
	if step == 0 {
		return Axis{}, &SelectionError{-1, "a step of 0"}
	}
	// Bounds for ends that are open or clamped. Going down, one before the first position is a
	// legal stop.
	low, high := int64(0), n
	if step < 0 {
		low, high = -1, n-1
	}
	clamp := func(p *int64, open int64) int64 {
		if p == nil {
			return open
		}
		v := *p
		if v < 0 {
			v += n
		}
		return min(max(v, low), high)
	}
	var distance uint64
	var start int64
	if step > 0 {
		start = clamp(item.Start, low)
		if stop := clamp(item.Stop, high); stop > start {
			distance = uint64(stop - start)
		}
	} else {
		start = clamp(item.Start, high)
		if stop := clamp(item.Stop, low); start > stop {
			distance = uint64(start - stop)
		}
	}
	if distance == 0 {
		return Axis{Step: 1}, nil
	}
	count := int64((distance-1)/magnitude(step)) + 1
	if count == 1 {
		step = 1 // a huge unused step must not overflow later products
	}
	return Axis{Start: start, Step: step, Count: count}, nil
}

// magnitude returns |v|, also of the smallest int64.
func magnitude(v int64) uint64 {
	if v < 0 {
		return -uint64(v)
	}
	return uint64(v)
}

// even returns the axis of a list of non-negative positions. An evenly spaced list becomes a start
// and a step, which later code handles faster.
func even(list []int64) Axis {
	n := int64(len(list))
	switch n {
	case 0:
		return Axis{Step: 1}
	case 1:
		return Axis{Start: list[0], Step: 1, Count: 1}
	}
	step := list[1] - list[0]
	if step == 0 {
		return Axis{Count: n, List: list}
	}
	for i := 2; i < len(list); i++ {
		if list[i]-list[i-1] != step {
			return Axis{Count: n, List: list}
		}
	}
	return Axis{Start: list[0], Step: step, Count: n}
}
