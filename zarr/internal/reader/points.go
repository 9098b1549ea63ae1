package reader

import (
	"cmp"
	"context"
	"slices"

	"zarr-wasm/zarr/codec"
	"zarr-wasm/zarr/grid"
	"zarr-wasm/zarr/ndarray"
)

// point is one element that is wanted of a chunk by itself.
type point struct {
	out int   // its place in the result
	in  []int // its place in the chunk
}

// ReadPoints reads single elements: coords has a list for each dimension, all
// of one length, and element i of the result is the one at coords[0][i],
// coords[1][i], and so on. Negative coordinates count from the end; coords is not changed. Each chunk
// is read once, however many points lie in it, and of shards only the inner chunks with points. There
// are no partial results. Errors are those of [Array.Read].
func (a *Array) ReadPoints(ctx context.Context, coords [][]int64, opt Options) (*Result, error) {
	n, err := a.checkPoints(coords)
	if err != nil {
		return nil, err
	}
	r := &read{a: a, opt: opt}
	r.opt.Partial = nil
	if err := r.preparePoints(coords, n); err != nil {
		return nil, err
	}
	return r.execute(ctx, []int{n})
}

// checkPoints returns how many points there are.
func (a *Array) checkPoints(coords [][]int64) (int, error) {
	invalid := func(dim int, msg string) error {
		return &InvalidSelectionError{a.Path, &grid.Error{Dim: dim, Msg: msg}}
	}
	if len(coords) != len(a.Shape) || len(coords) == 0 {
		return 0, invalid(-1, "points need a list of coordinates for each dimension")
	}
	n := len(coords[0])
	for d, list := range coords {
		if len(list) != n {
			return 0, invalid(d, "the lists of coordinates are not of one length")
		}
		for _, c := range list {
			if c < -a.Shape[d] || c >= a.Shape[d] {
				return 0, invalid(d, "a coordinate is outside the array")
			}
		}
	}
	return n, nil
}

// preparePoints groups the points by chunk and takes the memory for the result.
func (r *read) preparePoints(coords [][]int64, n int) error {
	a, rank := r.a, len(coords)
	if err := a.allows([]int{n}, "selection"); err != nil {
		return err
	}
	chunks := make([]int64, n*rank) // the chunk of each point
	places := make([]int, n*rank)   // its place there
	for d, list := range coords {
		for i, c := range list {
			if c < 0 {
				c += a.Shape[d]
			}
			chunk := a.Grid.Find(d, c)
			chunks[i*rank+d], places[i*rank+d] = chunk, int(c-a.Grid.Start(d, chunk))
		}
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	at := func(i int) []int64 { return chunks[i*rank : (i+1)*rank] }
	slices.SortFunc(order, func(i, j int) int { return cmp.Or(slices.Compare(at(i), at(j)), cmp.Compare(i, j)) })
	points := make([]point, n)
	for k, i := range order {
		points[k] = point{i, places[i*rank : (i+1)*rank]}
	}
	most := a.engine.opt.Limits.Chunks
	for from := 0; from < n; {
		to := from + 1
		for to < n && slices.Equal(at(order[to]), at(order[from])) {
			to++
		}
		if int64(len(r.pointChunks)) >= most {
			return &codec.LimitError{Limit: "Chunks", Max: most, Asked: most + 1, What: "selection"}
		}
		r.pointChunks = append(r.pointChunks, pointChunk{at(order[from]), points[from:to]})
		from = to
	}
	r.total = len(r.pointChunks)
	if err := r.size([]int{n}); err != nil {
		return err
	}
	return r.takeOutput([]int{n})
}

// pointChunk is a chunk of the grid with the points in it.
type pointChunk struct {
	coords []int64
	points []point
}

// splitPoints groups the points of a shard by its inner chunks.
func splitPoints(points []point, inner, counts []int) map[int][]point {
	groups := map[int][]point{}
	for _, p := range points {
		number := 0
		in := make([]int, len(p.in))
		for d, at := range p.in {
			number = number*counts[d] + at/inner[d]
			in[d] = at % inner[d]
		}
		groups[number] = append(groups[number], point{p.out, in})
	}
	return groups
}

// innermostOfPoints counts the chunks without inner chunks that hold points.
func innermostOfPoints(points []point, plan *codec.Plan) int {
	c := plan.Contents()
	if c == nil {
		return 1
	}
	n := 0
	for _, group := range splitPoints(points, c.Inner.Array().Shape, c.Counts) {
		n += innermostOfPoints(group, c.Inner)
	}
	return n
}

// boundsOfPoints sets want to the box that holds all points.
func boundsOfPoints(want []codec.Range, points []point) {
	for d := range want {
		want[d] = codec.Range{From: points[0].in[d], To: points[0].in[d] + 1}
		for _, p := range points[1:] {
			want[d] = codec.Range{From: min(want[d].From, p.in[d]), To: max(want[d].To, p.in[d]+1)}
		}
	}
}

// aimAtPoints sets the worker's layouts to points of a block with these strides and to their places in the result: lists of
// one dimension, whatever the array has.
func (w *worker) aimAtPoints(points []point, strides []int) {
	from, to := make([]int, len(points)), make([]int, len(points))
	for i, p := range points {
		to[i] = p.out
		for d, at := range p.in {
			from[i] += at * strides[d]
		}
	}
	w.shape = append(w.shape[:0], len(points))
	w.in = ndarray.Layout{Strides: []int{1}, Lists: [][]int{from}}
	w.out = ndarray.Layout{Strides: []int{1}, Lists: [][]int{to}}
}

// movePoints returns the points with their places in the chunk shifted to those in a box of it.
func movePoints(points []point, box []codec.Range) []point {
	moved := make([]point, len(points))
	for i, p := range points {
		in := make([]int, len(p.in))
		for d, at := range p.in {
			in[d] = at - box[d].From
		}
		moved[i] = point{p.out, in}
	}
	return moved
}
