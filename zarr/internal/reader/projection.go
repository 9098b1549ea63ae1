package reader

import (
	"slices"

	"github.com/zarr-wasm/zarr-wasm/internal/order"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

// projection is what one dimension of a selection takes of a chunk, and where it goes in the result: a
// grid.Span in the integers of memory.
type projection struct {
	chunk   int64
	in, out positions
}

// positions are places along one dimension: start + i*step, or the list.
type positions struct {
	start, step, count int
	list               []int64
}

func newPositions(a grid.Axis) positions {
	return positions{start: int(a.Start), step: int(a.Step), count: int(a.Count), list: a.List}
}

// at returns the i-th position.
func (p *positions) at(i int) int {
	if p.list != nil {
		return int(p.list[i])
	}
	return p.start + i*p.step
}

// slice returns n positions from the i-th on.
func (p *positions) slice(i, n int) positions {
	if p.list != nil {
		return positions{count: n, list: p.list[i : i+n]}
	}
	return positions{start: p.start + i*p.step, step: p.step, count: n}
}

// moved returns the positions, each n further.
func (p positions) moved(n int) positions {
	if p.list == nil {
		p.start += n
		return p
	}
	list := make([]int64, len(p.list))
	for i, at := range p.list {
		list[i] = at + int64(n)
	}
	p.list = list
	return p
}

// bounds returns the range that holds all positions.
func (p *positions) bounds() codec.Range {
	if p.list != nil {
		return codec.Range{From: int(slices.Min(p.list)), To: int(slices.Max(p.list)) + 1}
	}
	last := p.start + (p.count-1)*p.step
	return codec.Range{From: min(p.start, last), To: max(p.start, last) + 1}
}

// split divides a projection by the inner chunks of that size, each of them once.
func (p *projection) split(size int) (all []projection) {
	if p.in.list != nil {
		return p.splitList(size)
	}
	p.each(size, func(of *projection) bool {
		all = append(all, *of)
		return true
	})
	return all
}

// each calls f with the parts of a projection by the inner chunks of that size, one after the other in one place, until it returns false. Of
// positions that are no list it takes no memory.
func (p *projection) each(size int, f func(of *projection) bool) {
	if p.in.list != nil {
		all := p.splitList(size)
		for i := range all {
			if !f(&all[i]) {
				return
			}
		}
		return
	}
	var of projection
	for i := 0; i < p.in.count; {
		chunk := p.in.at(i) / size
		n := 1
		switch room := p.in.at(i) - chunk*size; {
		case p.in.step > 0:
			n = (size-1-room)/p.in.step + 1
		case p.in.step < 0:
			n = room/-p.in.step + 1
		}
		n = min(n, p.in.count-i)
		in := p.in.slice(i, n)
		in.start -= chunk * size
		of = projection{int64(chunk), in, p.out.slice(i, n)}
		if !f(&of) {
			return
		}
		i += n
	}
}

func (p *projection) splitList(size int) []projection {
	n, edge := len(p.in.list), int64(size)
	in, out := slices.Clone(p.in.list), p.out
	sorted := true
	for i := 1; i < n; i++ {
		sorted = sorted && in[i-1]/edge <= in[i]/edge
	}
	if !sorted {
		out = positions{count: n, list: make([]int64, n)}
		by := order.By(n, uint64(slices.Max(in)/edge), func(i int) uint64 { return uint64(p.in.list[i] / edge) })
		for k, i := range by {
			in[k], out.list[k] = p.in.list[i], int64(p.out.at(int(i)))
		}
	}
	var all []projection
	for from := 0; from < n; {
		chunk, to := in[from]/edge, from
		for ; to < n && in[to]/edge == chunk; to++ {
			in[to] -= chunk * edge
		}
		all = append(all, projection{chunk, positions{count: to - from, list: in[from:to]}, out.slice(from, to-from)})
		from = to
	}
	return all
}

// innermost counts the chunks without inner chunks that a projection touches, up to most.
func (p *projection) innermost(d int, plan *codec.Plan, most int) int {
	c := plan.Shard()
	if c == nil {
		return 1
	}
	n := 0
	p.each(c.Inner.Array().Shape[d], func(of *projection) bool {
		n += of.innermost(d, c.Inner, most)
		return n <= most
	})
	return n
}
