package reader

import (
	"cmp"
	"slices"

	"zarr-wasm/zarr/codec"
	"zarr-wasm/zarr/grid"
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
	list               []int
}

func newPositions(a grid.Axis) positions {
	p := positions{start: int(a.Start), step: int(a.Step), count: int(a.Count)}
	if a.List != nil {
		p.list = make([]int, len(a.List))
		for i, v := range a.List {
			p.list[i] = int(v)
		}
	}
	return p
}

// at returns the i-th position.
func (p *positions) at(i int) int {
	if p.list != nil {
		return p.list[i]
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
	list := make([]int, len(p.list))
	for i, at := range p.list {
		list[i] = at + n
	}
	p.list = list
	return p
}

// bounds returns the range that holds all positions.
func (p *positions) bounds() codec.Range {
	if p.list != nil {
		return codec.Range{From: slices.Min(p.list), To: slices.Max(p.list) + 1}
	}
	last := p.start + (p.count-1)*p.step
	return codec.Range{From: min(p.start, last), To: max(p.start, last) + 1}
}

// split divides a projection by the inner chunks of that size, each of them once.
func (p *projection) split(size int) []projection {
	if p.in.list != nil {
		return p.splitList(size)
	}
	var all []projection
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
		all = append(all, projection{int64(chunk), in, p.out.slice(i, n)})
		i += n
	}
	return all
}

func (p *projection) splitList(size int) []projection {
	order := make([]int, p.in.count)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(p.in.list[a]/size, p.in.list[b]/size), cmp.Compare(a, b))
	})
	in, out := make([]int, len(order)), make([]int, len(order))
	for k, i := range order {
		in[k], out[k] = p.in.list[i]%size, p.out.at(i)
	}
	var all []projection
	for i := 0; i < len(order); {
		chunk := p.in.list[order[i]] / size
		j := i + 1
		for j < len(order) && p.in.list[order[j]]/size == chunk {
			j++
		}
		all = append(all, projection{int64(chunk), positions{count: j - i, list: in[i:j]}, positions{count: j - i, list: out[i:j]}})
		i = j
	}
	return all
}

// innermost counts the chunks without inner chunks that a projection touches, up to most.
func (p *projection) innermost(d int, plan *codec.Plan, most int) int {
	c := plan.Contents()
	if c == nil {
		return 1
	}
	n := 0
	all := p.split(c.Inner.Array().Shape[d])
	for i := range all {
		if n += all[i].innermost(d, c.Inner, most); n > most {
			break
		}
	}
	return n
}
