//go:build !js

package main

import (
	"encoding/binary"
	"slices"
)

// layout locates the parts of a function.
type layout struct {
	code []instruction
	way  *dispatch
	// the part that begins at a block's end, by the instruction that opens the block
	blocks map[int]int
	same   []int // For each part its canonical one: a part without code equals the next.
	leaves []int // For each end and branch, the instruction that opens the block it leaves.
}

// layout finds the parts. It returns nil if there are none, or if there are other branch tables.
func (f *body) layout() *layout {
	way := f.dispatch()
	if way == nil {
		return nil
	}
	l := &layout{code: f.code, way: way, blocks: map[int]int{}, leaves: make([]int, len(f.code))}
	parts := slices.Max(way.table) + 1
	begin := make([]int, parts) // the end of the block before each part
	var open []int              // the openers of the blocks around an instruction
	for i, in := range f.code {
		l.leaves[i] = -1
		switch in.op {
		case opBlock, opLoop, opIf:
			if around := len(open); i < way.at && around >= way.depth-parts {
				l.blocks[i] = way.depth - 1 - around
			}
			open = append(open, i)
		case opEnd:
			if len(open) == 0 {
				continue // the function's own end
			}
			l.leaves[i] = open[len(open)-1]
			open = open[:len(open)-1]
			if part, ok := l.blocks[l.leaves[i]]; ok {
				begin[part] = i
			}
		case opBr, opBrIf:
			if int(in.arg) >= len(open) {
				return nil
			}
			l.leaves[i] = open[len(open)-1-int(in.arg)]
		case opBrTable:
			if i != way.at {
				return nil
			}
		}
	}
	l.same = make([]int, parts)
	for part := parts - 1; part >= 0; part-- {
		l.same[part] = part
		if part > 0 && part+1 < parts && begin[part]+1 == begin[part+1] {
			l.same[part] = l.same[part+1]
		}
	}
	return l
}

// part returns the part at which a counter resumes.
func (l *layout) part(counter int64) int {
	return l.same[l.way.table[min(int(counter), len(l.way.table)-1)]]
}

// left returns the part to which a branch goes, or -1.
func (l *layout) left(i int) int {
	if op := l.code[i].op; op == opBr || op == opBrIf {
		if part, ok := l.blocks[l.leaves[i]]; ok {
			return l.same[part]
		}
	}
	return -1
}

// back returns the part that an instruction selects before the function restarts, or -1.
func (l *layout) back(i int) int {
	if i < l.way.at || i+2 >= len(l.code) || l.code[i].op != opI32Const || l.code[i+1].op != opLocalSet || l.code[i+1].arg != localPC {
		return -1
	}
	if op := l.code[i+2].op; op != opBr && op != opBrIf {
		return -1
	}
	return l.part(l.code[i].arg)
}

// place is where a call gets a return address.
type place struct {
	at      int // the instruction
	counter int64
	kind    placeKind
	part    int // the part at which the function resumes
}

type placeKind int

const (
	resumes placeKind = iota
	never             // the call does not return
	panics            // and the frame is not scanned
	again             // the function is called again
)

// places finds the return addresses.
func (l *layout) places(panicking int) []place {
	var all []place
	for i, in := range l.code {
		if in.op != opAddress {
			continue
		}
		p := place{at: i, counter: in.arg}
		call := i + 1
		for l.code[call].op != opCall && l.code[call].op != opCallIndirect {
			call++
		}
		switch after := l.code[call+1:]; {
		case in.arg == 0:
			p.kind = again
		case l.code[call].op == opCall && int(l.code[call].arg) == panicking:
			p.kind = panics
		case after[0].op == opReturn, starts(after, refresh) && after[2].op == opIf && after[3].op == opUnreachable:
			p.kind = never
		default:
			p.part = l.part(in.arg)
		}
		all = append(all, p)
	}
	return all
}

// numbering assigns new counters, from 1, to the kept parts of a function, in order. Counter 0 is
// the function's entry, which has no frame yet. No call returns to counter 1; it also stands for
// faults whose frame is not scanned.
type numbering struct {
	*layout
	numbers []int64 // the parts' new counters, or 0
	count   int     // the number of kept parts
}

// number drops unreachable parts, and renumbers the others. All functions then have the same branch
// table, and the counters in jumps and addresses vary little. Functions in an unknown form remain
// unchanged.
func (f *body) number(fn *function, panicking int) {
	l := f.layout()
	if l == nil {
		return
	}
	places := l.places(panicking)
	n := l.number(places, fn.deferCounter())
	sizes, maps := readValues(fn.frame), readValues(fn.pointers)
	size := sizes.at(counterMost) // the frame's size, except at the entry
	for _, p := range places {
		if p.kind != again && sizes.at(p.counter) != size {
			return
		}
	}
	maps, ok := n.counters(places, maps, fn.deferCounter())
	if !ok {
		return
	}
	for _, p := range places {
		l.code[p.at].arg = p.counter
	}
	f.code = n.write()
	if counter := fn.deferCounter(); counter != 0 {
		binary.LittleEndian.PutUint32(fn.fixed[offDefer:], uint32(n.numbers[l.part(counter)]))
	}
	if fn.pointers != nil {
		fn.pointers = maps.write()
	}
	if fn.frame != nil {
		fn.frame = values{sizes[0], size}.write()
	}
}

// deferCounter returns where the function resumes after a deferred call has recovered a panic, or
// 0.
func (fn *function) deferCounter() int64 { return int64(u32(fn.fixed[:], offDefer)) }

func (l *layout) number(places []place, deferred int64) *numbering {
	needed := make([]bool, len(l.same))
	needed[0] = true
	for _, p := range places {
		if p.kind == resumes {
			needed[p.part] = true
		}
	}
	for i := range l.code {
		for _, part := range []int{l.left(i), l.back(i)} {
			if part >= 0 {
				needed[part] = true
			}
		}
	}
	if deferred != 0 {
		needed[l.part(deferred)] = true
	}
	n := &numbering{layout: l, numbers: make([]int64, len(needed))}
	for part, is := range needed {
		if is {
			n.count++
			n.numbers[part] = int64(n.count)
		}
	}
	return n
}

// counters assigns new counters to the places, and returns the maps by these. A call's map is
// looked up at the counter before its return. ok is false if that is impossible.
func (n *numbering) counters(places []place, old values, deferred int64) (values, bool) {
	maps := make(values, n.count+1)
	for i := range maps {
		maps[i] = anyValue
	}
	// -1 stands for the first as well
	of := func(p *place) int32 { return max(old.at(p.counter-1), 0) }
	for i := range places {
		p := &places[i]
		if p.kind != resumes {
			continue
		}
		counter := n.numbers[p.part]
		if m := &maps[counter-1]; *m == anyValue {
			*m = of(p)
		} else if *m != of(p) {
			return nil, false
		}
		// The runtime assumes that deferred calls return to the counter after the one that leads to
		// them.
		if deferred != 0 && p.counter == deferred+1 && counter != n.numbers[n.part(deferred)]+1 {
			return nil, false
		}
		p.counter = counter
	}
	for i := range places {
		p := &places[i]
		switch p.kind {
		case panics:
			p.counter = 1
		case never: // any counter with that map
			at := slices.Index(maps, of(p))
			if at < 0 {
				at = slices.Index(maps, anyValue)
			}
			if at < 0 {
				at = len(maps)
				maps = append(maps, anyValue)
			}
			maps[at] = of(p)
			p.counter = int64(at + 1)
		}
	}
	return maps, len(maps) < counterMost
}

// write returns the code of the kept parts.
func (n *numbering) write() []instruction {
	var out []instruction
	var open []int
	// A branch is identified by the part to which it leads, or by itself.
	key := func(opener int) int {
		if part, ok := n.blocks[opener]; ok {
			return -1 - n.same[part]
		}
		return opener
	}
	dropped := func(opener int) bool {
		part, ok := n.blocks[opener]
		return ok && n.numbers[part] == 0
	}
	for i, in := range n.code {
		switch in.op {
		case opBlock, opLoop, opIf:
			if dropped(i) {
				continue
			}
			open = append(open, i)
		case opEnd:
			if dropped(n.leaves[i]) {
				continue
			}
			open = open[:max(len(open)-1, 0)]
		case opBr, opBrIf:
			to := key(n.leaves[i])
			for in.arg = 0; key(open[len(open)-1-int(in.arg)]) != to; {
				in.arg++
			}
		case opBrTable:
			in.rest = append(binary.AppendUvarint(nil, uint64(n.count)), 0)
			for k := range n.count {
				in.rest = binary.AppendUvarint(in.rest, uint64(k))
			}
		case opUnreachable:
			if out[len(out)-1].op == opReturn {
				continue
			}
		}
		if part := n.back(i); part >= 0 {
			in.arg = n.numbers[part]
		}
		out = append(out, in)
	}
	return out
}
