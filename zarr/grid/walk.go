package grid

// Walk iterates over the chunks that a selection touches, in C order of the projections of its
// dimensions. Unlike [Grid.Projections] it lists only the projections of lists. It therefore starts
// at once, however many chunks there are.
type Walk struct {
	Axes []Axis // the selection, one axis for each dimension

	g     *Grid
	lists [][]Projection // of the axes that are lists
	at    []int64        // the next position of Next; nil at the end
}

// Walk starts a walk over a selection. It starts at the position of another walk or, if at is nil,
// at the beginning. It returns a *SelectionError if the selection or at does not fit the grid.
func (g *Grid) Walk(sel []Item, at []int64) (*Walk, error) {
	axes, err := Resolve(sel, g.shape)
	if err != nil {
		return nil, err
	}
	w := &Walk{Axes: axes, g: g, lists: make([][]Projection, len(axes)), at: make([]int64, len(axes))}
	end := false
	for d, a := range axes {
		if a.List != nil {
			// There are no more projections than positions.
			w.lists[d], _ = g.dims[d].projectList(a.List, a.Count)
		}
		if d < len(at) {
			w.at[d] = at[d]
		}
		n := w.steps(d)
		end = end || n == 0
		if uint64(w.at[d]) >= uint64(max(n, 1)) {
			return nil, &SelectionError{d, "a walk cannot continue there"}
		}
	}
	if end {
		w.at = nil
	}
	return w, nil
}

// steps returns the length of a walk in a dimension: positions of a range, or projections of a
// list.
func (w *Walk) steps(dim int) int64 {
	if list := w.lists[dim]; list != nil {
		return int64(len(list))
	}
	return w.Axes[dim].Count
}

// At returns the walk's position, from which another one can continue; nil at its end.
func (w *Walk) At() []int64 { return w.at }

// Next stores the projections of the next chunk, one for each dimension, and returns false at the
// end.
func (w *Walk) Next(projections []Projection) bool {
	if w.at == nil {
		return false
	}
	for d := range projections {
		if list := w.lists[d]; list != nil {
			projections[d] = list[w.at[d]]
		} else {
			projections[d] = w.g.dims[d].projection(w.Axes[d], w.at[d])
		}
	}
	for d := len(w.at) - 1; d >= 0; d-- {
		if w.lists[d] != nil {
			w.at[d]++
		} else {
			w.at[d] += projections[d].In.Count
		}
		if w.at[d] < w.steps(d) {
			return true
		}
		w.at[d] = 0
	}
	w.at = nil
	return true
}

// Count returns how many chunks the whole walk visits. It is computed, and a float64 because it may
// exceed all integers.
func (w *Walk) Count() float64 {
	n := 1.0
	for d, a := range w.Axes {
		if list := w.lists[d]; list != nil {
			n *= float64(len(list))
		} else {
			n *= float64(w.g.dims[d].touched(a))
		}
	}
	return n
}

// touched returns how many chunks a range touches. Among chunks of one length it touches either
// every chunk from the first to the last, or one for each position.
func (d *dimension) touched(a Axis) int64 {
	var n int64
	for i := int64(0); i < a.Count; {
		p := a.Start + i*a.Step
		first, _, _ := d.find(p)
		left := min(a.Count-i, a.room(d.reach(p, a.Step)))
		last, _, _ := d.find(p + (left-1)*a.Step)
		n += min(left, max(first-last, last-first)+1)
		i += left
	}
	return n
}

// reach considers the chunks around a position that are as long as its own. It returns the number
// of elements from the position to their end, in the direction of step.
func (d *dimension) reach(p, step int64) int64 {
	from, to := int64(0), d.length
	if d.runs != nil {
		i := runAt(d.runs, p)
		from = d.runs[i].start
		if i+1 < len(d.runs) {
			to = d.runs[i+1].start
		}
	}
	if step < 0 {
		return p - from
	}
	return to - 1 - p
}

// room returns the number of positions from one on, if that many elements follow it in the axis'
// direction.
func (a Axis) room(elements int64) int64 {
	if a.Step == 0 {
		return a.Count
	}
	return int64(uint64(elements)/magnitude(a.Step)) + 1
}
