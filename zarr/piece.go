package zarr

import (
	"cmp"
	"slices"

	"zarr-wasm/zarr/codec"
)

// piece is a chunk, or a chunk in a shard, with what is wanted of it.
type piece struct {
	plan   *codec.Plan
	shape  []int
	coords []int64 // of the chunk of the array that it is, or is in
	key    string  // its object
	base   int64   // where in the object it begins
	length int64   // -1: it is all of the object
	index  *index  // that told so
	pick   []*span // what is wanted of each dimension
}

func (p *piece) id(a *Array) blockID { return blockID{a, p.key, p.base, p.index} }

// span is a grid.Span in the integers of memory.
type span struct {
	chunk   int64
	in, out line
}

// line is positions along one dimension: start + i*step, or the list.
type line struct {
	start, step, count int
	list               []int
}

// at is the i-th position.
func (l *line) at(i int) int {
	if l.list != nil {
		return l.list[i]
	}
	return l.start + i*l.step
}

// part is n positions from the i-th on.
func (l *line) part(i, n int) line {
	if l.list != nil {
		return line{count: n, list: l.list[i : i+n]}
	}
	return line{start: l.start + i*l.step, step: l.step, count: n}
}

// bounds is the range that holds all positions.
func (l *line) bounds() codec.Range {
	if l.list != nil {
		return codec.Range{From: slices.Min(l.list), To: slices.Max(l.list) + 1}
	}
	last := l.start + (l.count-1)*l.step
	return codec.Range{From: min(l.start, last), To: max(l.start, last) + 1}
}

// split divides a span by the inner chunks of that size, each of them once.
func (s *span) split(size int) []span {
	if s.in.list != nil {
		return s.splitList(size)
	}
	var parts []span
	for i := 0; i < s.in.count; {
		chunk := s.in.at(i) / size
		n := 1
		switch room := s.in.at(i) - chunk*size; {
		case s.in.step > 0:
			n = (size-1-room)/s.in.step + 1
		case s.in.step < 0:
			n = room/-s.in.step + 1
		}
		n = min(n, s.in.count-i)
		in := s.in.part(i, n)
		in.start -= chunk * size
		parts = append(parts, span{int64(chunk), in, s.out.part(i, n)})
		i += n
	}
	return parts
}

func (s *span) splitList(size int) []span {
	order := make([]int, s.in.count)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(s.in.list[a]/size, s.in.list[b]/size), cmp.Compare(a, b))
	})
	in, out := make([]int, len(order)), make([]int, len(order))
	for k, i := range order {
		in[k], out[k] = s.in.list[i]%size, s.out.at(i)
	}
	var parts []span
	for i := 0; i < len(order); {
		chunk := s.in.list[order[i]] / size
		j := i + 1
		for j < len(order) && s.in.list[order[j]]/size == chunk {
			j++
		}
		parts = append(parts, span{int64(chunk), line{count: j - i, list: in[i:j]}, line{count: j - i, list: out[i:j]}})
		i = j
	}
	return parts
}

// leaves is how many chunks that hold no chunks a span touches, of at most most.
func (s *span) leaves(d int, plan *codec.Plan, most int) int {
	c := plan.Contents()
	if c == nil {
		return 1
	}
	n := 0
	parts := s.split(c.Inner.Array().Shape[d])
	for i := range parts {
		if n += parts[i].leaves(d, c.Inner, most); n > most {
			break
		}
	}
	return n
}

// leaves is how many chunks that hold no chunks a piece touches.
func (p *piece) leaves() int {
	n := 1
	for d, s := range p.pick {
		n *= s.leaves(d, p.plan, 1<<30)
	}
	return n
}
