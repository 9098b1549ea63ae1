package dispatch

import (
	"github.com/zarr-wasm/zarr-wasm/wasm/internal/wire"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

// maxNumbers bounds an answer to project whose chunks have long lists of positions.
const maxNumbers = 1 << 16

// project returns the projections of a selection: for each chunk, its part of the selection and
// that part's place in the result. One answer covers a few chunks, and names the next. Each chunk
// has, per dimension, its coordinate, its start, the positions in the array and, for a kept
// dimension, those in the result.
func (s *Session) project(msg wire.Object) (any, error) {
	a, err := s.array(msg)
	if err != nil {
		return nil, err
	}
	sel, err := selection(a.Path(), msg.List(wire.ProjectSelection))
	if err != nil {
		return nil, err
	}
	from, err := wire.Integers(msg.List(wire.ListName(wire.ProjectFrom)))
	g := a.ChunkGrid()
	var w *grid.Walk
	if err == nil {
		w, err = g.Walk(sel, from)
	}
	if err != nil {
		return nil, &zarr.InvalidSelectionError{Path: a.Path(), Err: err}
	}
	var p projector
	projections := make([]grid.Projection, len(w.Axes))
	n, most, numbers := 0, msg.Int(wire.ProjectMost), maxNumbers
	for d := range w.Axes {
		// Each answer walks and sorts the whole list. The number of answers therefore does not grow
		// with its length.
		if part := len(w.Axes[d].List) / 8; part > numbers {
			most, numbers = part, part
		}
	}
	for ; n < most && len(p.numbers) < numbers && w.Next(projections); n++ {
		for d := range projections {
			projection := &projections[d]
			start := g.Start(d, projection.Chunk)
			p.put(projection.Chunk)
			p.put(start)
			projection.In.Drop = w.Axes[d].Drop
			p.line(&projection.In, start)
			if !projection.In.Drop {
				p.line(&projection.Out, 0)
			}
		}
	}
	var o wire.Object
	o.AddInt(wire.ProjectionsHere, n)
	o.AddNumbers(wire.ProjectionsNumbers, p.numbers)
	if at := w.At(); at != nil {
		o.AddNumbers(wire.ProjectionsNext, wire.Numbers(at))
	}
	if len(from) == 0 {
		o.AddNumber(wire.ProjectionsCount, w.Count())
		o.AddNumbers(wire.ProjectionsShape, wire.Numbers(grid.OutShape(w.Axes)))
	}
	return o, nil
}

// projector writes positions, which fit into numbers: see [CheckLengths].
type projector struct {
	numbers []any
}

func (p *projector) put(n int64) { p.numbers = append(p.numbers, float64(n)) }

// line writes an axis that starts at start. A list has its length and positions. A range has 0, the
// first position, the last and the step, which is 0 for a dropped dimension.
func (p *projector) line(a *grid.Axis, start int64) {
	p.put(int64(len(a.List)))
	for _, n := range a.List {
		p.put(start + n)
	}
	if a.List == nil {
		p.put(start + a.Start)
		p.put(start + a.At(a.Count-1))
		step := a.Step
		if a.Drop {
			step = 0
		}
		p.put(step)
	}
}
