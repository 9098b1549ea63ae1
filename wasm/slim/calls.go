//go:build !js

package main

import "slices"

// The compiler makes the caller push the return address, and enters the callee with the parameter
// zero. Command slim makes the address the parameter, and the callee pushes it. Code at tens of
// thousands of calls thus moves to the start of thousands of functions. A parameter that is no
// address still selects the part at which a suspended function resumes.

const (
	globalSP = 0 // the stack pointer
	localSP  = 1 // its copy, in functions that use it

	// localSelf is a new local: the function's own address, the base of addresses within it.
	localSelf = 2

	// opAddress is a pseudo-instruction that produces a return address. Its argument is the
	// counter.
	opAddress = 0xff
)

// pass makes return addresses the parameters of calls.
func (f *body) pass() {
	// The target of an indirect call is below the address on the stack, and moves through a local.
	indirect := []instruction{{op: opI64Const, arg: 16}, {op: opI64ShrU}, {op: opI32WrapI64}, {op: opLocalSet, arg: localPC}, {op: opI32Const}, {op: opLocalGet, arg: localPC}}
	direct := []instruction{{op: opI32Const}}
	var out []instruction
	for i := 0; i < len(f.code); i++ {
		n, counter := f.pushes(i)
		after := f.code[i+n:]
		switch {
		case n == 0:
			out = append(out, f.code[i])
		case starts(after, direct) && after[len(direct)].op == opCall:
			out = append(out, instruction{op: opAddress, arg: counter})
			i += n + len(direct) - 1
		case starts(after, indirect) && after[len(indirect)].op == opCallIndirect:
			out = append(out, indirect...)
			out[len(out)-2] = instruction{op: opAddress, arg: counter}
			i += n + len(indirect) - 1
		default:
			out = append(out, f.code[i])
		}
	}
	f.code = out
}

// pushes returns the number of instructions that push a return address, and its counter. n is 0 for
// other code.
func (f *body) pushes(i int) (n int, counter int64) {
	code := f.code[i:]
	next := func(op byte, arg int64) bool {
		if n < len(code) && code[n].op == op && code[n].arg == arg {
			n++
			return true
		}
		return false
	}
	pointer := func() bool { return next(opLocalGet, localSP) || next(opGlobalGet, globalSP) }
	if !pointer() || !next(opI32Const, 8) || !next(opI32Sub, 0) {
		return 0, 0
	}
	next(opLocalTee, localSP)
	if !next(opGlobalSet, globalSP) || !pointer() || n+2 >= len(code) || code[n].op != opI64Const {
		return 0, 0
	}
	address := code[n].arg
	n++
	if !next(opI64Store, 3) || code[n-1].more != 0 || functionAt(address) < 0 {
		return 0, 0
	}
	return n, address & counterMost
}

// counterMost is the highest counter in an address, and the lower bound of addresses.
const counterMost = 1<<16 - 1

// starts reports whether code begins with these instructions, and goes on.
func starts(code, with []instruction) bool {
	if len(code) <= len(with) {
		return false
	}
	for i, in := range with {
		if code[i].op != in.op || code[i].arg != in.arg {
			return false
		}
	}
	return true
}

// expand writes the code of return addresses. A local with the function's own address leaves only
// the counter to each call.
func (f *body) expand(self int64) {
	if !slices.ContainsFunc(f.code, func(in instruction) bool { return in.op == opAddress }) {
		return
	}
	// The first local after the parameter is alone of its type if it is the stack pointer.
	local := len(f.locals) >= 3 && f.locals[1] == 1 && f.locals[2] == typeI32
	var out []instruction
	if local {
		f.locals = slices.Clone(f.locals)
		f.locals[1]++
		out = append(out, instruction{op: opI32Const, arg: self}, instruction{op: opLocalSet, arg: localSelf})
	}
	for _, in := range f.code {
		switch {
		case in.op >= opLocalGet && in.op <= opLocalTee && in.arg >= localSelf && local:
			in.arg++
		case in.op == opAddress && !local:
			in = instruction{op: opI32Const, arg: self | in.arg}
		case in.op == opAddress && in.arg == 0:
			in = instruction{op: opLocalGet, arg: localSelf}
		case in.op == opAddress:
			out = append(out, instruction{op: opLocalGet, arg: localSelf}, instruction{op: opI32Const, arg: in.arg})
			in = instruction{op: opI32Or}
		}
		out = append(out, in)
	}
	f.code = out
}

// push makes a function push the address in its parameter, if any.
func (f *body) push() {
	f.code = append([]instruction{
		{op: opLocalGet, arg: localPC}, {op: opI32Const, arg: counterMost}, {op: opI32GtU}, {op: opIf, arg: blockNone},
		{op: opGlobalGet, arg: globalSP}, {op: opI32Const, arg: 8}, {op: opI32Sub}, {op: opGlobalSet, arg: globalSP},
		{op: opGlobalGet, arg: globalSP}, {op: opLocalGet, arg: localPC}, {op: opI64ExtendI32U}, {op: opI64Store, arg: 3},
		{op: opI32Const}, {op: opLocalSet, arg: localPC}, {op: opEnd},
	}, f.code...)
}

// refresh follows each call: the stack may have moved.
var refresh = []instruction{{op: opGlobalGet, arg: globalSP}, {op: opLocalSet, arg: localSP}}

// leave shortens the code after calls. A call returns whether to unwind wasm's stack, because
// another goroutine runs or this one ends. The compiler then jumps to the function's end through
// all later parts; slim returns at once. A call at which nothing can follow, or that never returns,
// returns its result to its own caller.
func (f *body) leave(never map[int]bool) {
	var out []instruction
	for i := 0; i < len(f.code); i++ {
		in := f.code[i]
		out = append(out, in)
		if in.op != opCall && in.op != opCallIndirect {
			continue
		}
		after := f.code[i+1:]
		if !starts(after, refresh) || after[len(refresh)].op != opBrIf {
			continue
		}
		i += len(refresh) + 1
		nothing := len(after) > 4 && after[3].op == opEnd && after[4].op == opUnreachable
		if in.op == opCall && never[int(in.arg)] || nothing {
			out = append(out, instruction{op: opReturn})
			continue
		}
		out = append(out, refresh...)
		out = append(out, instruction{op: opIf, arg: blockNone}, instruction{op: opI32Const, arg: 1}, instruction{op: opReturn}, instruction{op: opEnd})
	}
	f.code = out
}
