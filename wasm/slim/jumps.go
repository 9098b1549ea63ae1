//go:build !js

package main

import "slices"

// The compiler divides a function into parts, in blocks of which each is in the next: the end of
// the k-th is where the k-th part begins. A table of branches at the start enters the one that a local, the program
// counter in the function, says, as a goroutine may have stopped there; and each jump sets
// the local and goes back to the start, even where the end of a block can be reached at once.

// localPC is the local that says in which part a function goes on: its parameter.
const localPC = 0

// dispatch is the way into the parts of a function.
type dispatch struct {
	at    int   // the branch by the table
	loop  int   // how many blocks are around the loop that returns there, or -1 if none does
	depth int   // how many blocks are open at the table
	table []int // which of them each program counter leaves, from the innermost
}

// dispatch finds the way into the parts. It is nil where there is none, or where the local has another use.
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
	// Else it is read only where an indirect call keeps its target in it for a moment.
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

// jump lets jumps to parts that are still to come leave the blocks that end there.
func (f *body) jump() {
	d := f.dispatch()
	if d == nil || d.loop < 0 {
		return
	}
	var out []instruction
	depth, open := 0, d.depth // how many blocks are open, and how many of those of the dispatch
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
		// How many blocks are around the one that ends where the part begins.
		if around := d.depth - 1 - d.table[min(int(in.arg), len(d.table)-1)]; around < open {
			jump = []instruction{{op: opBr, arg: int64(depth - 1 - around)}}
		}
		i += 2
		// Where nothing else is done under a condition, it is that of the jump.
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

// jumps reports whether at an instruction there is a jump to the loop that is so many blocks away.
func (f *body) jumps(i, loop int) bool {
	if i+3 >= len(f.code) {
		return false
	}
	set, br := f.code[i+1], f.code[i+2]
	return f.code[i].op == opI32Const && set.op == opLocalSet && set.arg == localPC && br.op == opBr && int(br.arg) == loop
}
