package rpc

import (
	"context"
	"errors"

	"zarr-wasm/zarr"
	"zarr-wasm/zarr/grid"
)

// mostListed bounds the positions of lists in one answer to project.
const mostListed = 1 << 16

var errNotExact = errors.New("the selection reaches beyond 2^53, where JavaScript's numbers are not exact")

// project tells what a selection takes of each chunk that it touches, and where that belongs in its
// result. There may be any number of chunks: a few are told at a time, and where to go on.
func (s *Session) project(ctx context.Context, msg Object) (any, error) {
	a, err := s.array(ctx, msg)
	if err != nil {
		return nil, err
	}
	sel, err := selection(a.Path(), msg.Get("selection"))
	if err != nil {
		return nil, err
	}
	var from []int64
	if list, ok := msg.Get("from").([]any); ok {
		from = make([]int64, len(list))
		for d, v := range list {
			from[d], _ = integer(v)
		}
	}
	w, axes, err := a.Walk(sel, from)
	if err != nil {
		return nil, err
	}
	g := a.ChunkGrid()
	spans := make([]grid.Span, len(axes))
	list := []any{}
	p := projector{}
	for most := msg.number("most"); len(list) < most && p.listed < mostListed && w.Next(spans); {
		var coords, start, take, put []any
		for d, span := range spans {
			at := g.Start(d, span.Chunk)
			coords, start = append(coords, p.number(span.Chunk)), append(start, p.number(at))
			span.In.Drop = axes[d].Drop
			take = append(take, p.selector(span.In, at))
			if !axes[d].Drop {
				put = append(put, p.selector(span.Out, 0))
			}
		}
		var o Object
		o.add("coords", coords)
		o.add("start", start)
		o.add("selection", take)
		o.add("out", put)
		list = append(list, o)
	}
	var next any
	if at := w.At(); at != nil {
		positions := make([]any, len(at))
		for d, n := range at {
			positions[d] = p.number(n)
		}
		next = positions
	}
	if p.inexact {
		return nil, &zarr.InvalidSelectionError{Path: a.Path(), Err: errNotExact}
	}
	var o Object
	if from == nil {
		o.add("count", w.Count())
		o.add("shape", numbers(grid.OutShape(axes)))
	}
	o.add("projections", list)
	o.add("next", next)
	return o, nil
}

// projector makes selectors for JavaScript of axes.
type projector struct {
	inexact bool
	listed  int
}

func (p *projector) number(n int64) any {
	p.inexact = p.inexact || !isExact(n)
	return number(n)
}

// selector is an axis that begins at a position.
func (p *projector) selector(a grid.Axis, at int64) any {
	if a.List != nil {
		p.listed += len(a.List)
		list := make([]any, len(a.List))
		for i, v := range a.List {
			list[i] = p.number(at + v)
		}
		return list
	}
	if a.Drop {
		return p.number(at + a.Start)
	}
	// The stop comes right after the last position: there a step more may be beyond all integers.
	var stop any
	step := int64(1)
	if a.Step < 0 {
		step = -1
	}
	if end := at + a.At(a.Count-1) + step; end >= 0 {
		stop = p.number(end)
	}
	var o Object
	o.add("start", p.number(at+a.Start))
	o.add("stop", stop)
	o.add("step", p.number(a.Step))
	return o
}
