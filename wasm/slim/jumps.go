//go:build !js

package main

import "slices"

// The compiler divides a function into parts in nested blocks: the end of the k-th block is the
// start of the k-th part. A branch table at the start enters the part that a local holds, the
// program counter, since a goroutine may resume there. Each jump sets the local and returns to the
// start, even if a branch could reach the block's end.

// localPC is the parameter that selects the part at which a function resumes.
const localPC = 0

// dispatch is the code that enters a function's parts.
type dispatch struct {
	at    int   // The branch table.
	loop  int   // The number of blocks around the loop that returns there, or -1 without a loop.
	depth int   // The number of open blocks at the table.
	table []int // The block that each program counter leaves, from the innermost.
}

// dispatch finds the code that enters the parts. It returns nil if there is none, or if the local
// has another use.
func (f *body) dispatch() *dispatch {
	d := &dispatch{loop: -1}
	code := f.code
	at := 0
	for ; at < len(code) && (code[at].op == opGlobalGet || code[at].op == opLocalSet); at++ {
	}
	for ; at < len(code) && (code[at].op == opBlock || code[at].op == opLoop); at++ {
		if code[at].op == opLoop {
			d.loop = d.depth
		}
		d.depth++
	}
	if at+1 >= len(code) || code[at].op != opLocalGet || code[at].arg != localPC || code[at+1].op != opBrTable {
		return nil
	}
	d.at = at + 1
	r := reader{b: code[d.at].rest}
	for n := r.uint(); n >= 0; n-- {
		d.table = append(d.table, r.uint())
	}
	// The local's only other use is to hold the target of an indirect call for a moment.
	for i, in := range code {
		if in.op == opLocalTee && in.arg == localPC {
			return nil
		}
		if i != at && in.op == opLocalGet && in.arg == localPC && (code[i-1].op != opI32Const && code[i-1].op != opAddress || code[i-2].op != opLocalSet || code[i-2].arg != localPC) {
			return nil
		}
	}
	return d
}

// jump replaces jumps to later parts by branches out of the blocks that end there.
func (f *body) jump() {
	d := f.dispatch()
	if d == nil || d.loop < 0 {
		return
	}
	var out []instruction
	depth, open := 0, d.depth // the number of open blocks, and of open dispatch blocks
	for i := 0; i < len(f.code); i++ {
		in := f.code[i]
		switch in.op {
		case opBlock, opLoop, opIf:
			depth++
		case opEnd:
			depth--
			if i > d.at {
				open = min(open, depth)
			}
		}
		if i < d.at || !f.jumps(i, depth-1-d.loop) {
			out = append(out, in)
			continue
		}
		jump := f.code[i : i+3]
		// The number of blocks around the one that ends at the part's start.
		if around := d.depth - 1 - d.table[min(int(in.arg), len(d.table)-1)]; around < open {
			jump = []instruction{{op: opBr, arg: int64(depth - 1 - around)}}
		}
		i += 2
		// A condition that guards only the jump becomes the branch's.
		if n := len(out); out[n-1].op == opIf && f.code[i+1].op == opEnd {
			jump = slices.Clone(jump)
			last := &jump[len(jump)-1]
			last.op = opBrIf
			last.arg--
			out = out[:n-1]
			depth--
			i++
		}
		out = append(out, jump...)
	}
	f.code = out
}

// jumps reports whether an instruction jumps to the loop at that depth.
func (f *body) jumps(i, loop int) bool {
	if i+3 >= len(f.code) {
		return false
	}
	set, br := f.code[i+1], f.code[i+2]
	return f.code[i].op == opI32Const && set.op == opLocalSet && set.arg == localPC && br.op == opBr && int(br.arg) == loop
}
