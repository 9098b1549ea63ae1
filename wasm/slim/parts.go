//go:build !js

package main

import (
	"encoding/binary"
	"slices"
)

// layout is where the parts of a function are.
type layout struct {
	code   []instruction
	way    *dispatch
	blocks map[int]int // the part that begins where a block ends, by the instruction that opens it
	same   []int       // for each part the one that it is, as a part without code is the next
	leaves []int       // for each end and each branch, the instruction that opens what it leaves
}

// layout finds the parts. It is nil if there are none, or if there are other tables of branches.
func (f *body) layout() *layout {
	way := f.dispatch()
	if way == nil {
		return nil
	}
	l := &layout{code: f.code, way: way, blocks: map[int]int{}, leaves: make([]int, len(f.code))}
	parts := slices.Max(way.table) + 1
	begin := make([]int, parts) // where the block before each part ends
	var open []int              // what opens the blocks around an instruction
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
				continue // of the function
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

// part is the one where a counter goes on.
func (l *layout) part(counter int64) int {
	return l.same[l.way.table[min(int(counter), len(l.way.table)-1)]]
}

// left is the part to which a branch goes, or -1.
func (l *layout) left(i int) int {
	if op := l.code[i].op; op == opBr || op == opBrIf {
		if part, ok := l.blocks[l.leaves[i]]; ok {
			return l.same[part]
		}
	}
	return -1
}

// back is the part to which an instruction sets the counter before the function begins again, or -1.
func (l *layout) back(i int) int {
	if i < l.way.at || i+2 >= len(l.code) || l.code[i].op != opI32Const || l.code[i+1].op != opLocalSet || l.code[i+1].arg != localPC {
		return -1
	}
	if op := l.code[i+2].op; op != opBr && op != opBrIf {
		return -1
	}
	return l.part(l.code[i].arg)
}

// place is where a return address is given to a call.
type place struct {
	at      int // the instruction
	counter int64
	kind    placeKind
	part    int // where the function goes on
}

type placeKind int

const (
	resumes placeKind = iota
	never             // the call does not return
	panics            // nor is the frame looked at
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

// numbering is which parts of a function are kept, and the counters of their beginnings: in their order, from 1 on.
// A counter of 0 is that of the function's entry, where it has no frame yet. Counter 1, at which no call returns, is also that of the
// faults of which the frame is not looked at.
type numbering struct {
	*layout
	numbers []int64 // of the parts, or 0
	count   int     // of those that are kept
}

// number drops the parts that nothing jumps to and no call returns to, and numbers the others anew, so that the table of branches is the same
// in all functions, and the counters in jumps and addresses differ as little as can be. Functions that it does not
// understand stay as they are.
func (f *body) number(fn *function, panicking int) {
	l := f.layout()
	if l == nil {
		return
	}
	places := l.places(panicking)
	n := l.number(places, fn.deferCounter())
	sizes, maps := readValues(fn.frame), readValues(fn.pointers)
	size := sizes.at(counterMost) // that of the frame, but at the entry
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

// deferCounter is where the function goes on after a panic that a deferred call has recovered, or 0.
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

// counters gives the places their new counters, and returns the maps by these: that of a call is looked up at the counter before the one to which it
// returns. It reports whether that can be.
func (n *numbering) counters(places []place, old values, deferred int64) (values, bool) {
	maps := make(values, n.count+1)
	for i := range maps {
		maps[i] = anyValue
	}
	of := func(p *place) int32 { return max(old.at(p.counter-1), 0) } // -1 stands for the first as well
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
		// The runtime takes it that the call of deferred functions returns to the counter after the one that leads to it.
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

// write returns the code with only the parts that are kept.
func (n *numbering) write() []instruction {
	var out []instruction
	var open []int
	// What a branch leaves is found by the part to which that leads, or by itself.
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
