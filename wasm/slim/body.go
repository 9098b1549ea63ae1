//go:build !js

package main

import "slices"

import "encoding/binary"

// body is a function's code as instructions that can be changed.
type body struct {
	locals []byte // as declared
	code   []instruction
}

// instruction is a wasm instruction with its immediates.
type instruction struct {
	op   byte
	arg  int64  // a number: an index, a constant, a depth, a block type, an alignment
	more uint64 // a second one: an offset, a table
	rest []byte // other immediates, as encoded
}

// decode reads a body.
func decode(b []byte) (*body, error) {
	r := reader{b: b}
	for n := r.uint(); n > 0 && !r.bad; n-- { // locals: their number and type
		r.uint()
		r.byte()
	}
	f := &body{locals: b[:r.at:r.at], code: make([]instruction, 0, len(b)/2)}
	for r.at < len(b) && !r.bad {
		in, err := r.instruction()
		if err != nil {
			return nil, err
		}
		f.code = append(f.code, in)
	}
	if r.bad || len(f.code) == 0 || f.code[len(f.code)-1].op != opEnd {
		return nil, errFormat
	}
	return f, nil
}

// omitMarks removes the compiler's marks of inlined calls, for stack traces that the program no
// longer has.
func (f *body) omitMarks() {
	f.code = slices.DeleteFunc(f.code, func(in instruction) bool { return in.op == opNop })
}

// instruction reads an instruction with its immediates.
func (r *reader) instruction() (instruction, error) {
	in := instruction{op: r.byte()}
	begin := r.at
	switch op := in.op; {
	case op == opBlock || op == opLoop || op == opIf || op == opI32Const || op == opI64Const:
		in.arg = r.int()
	case op == opBr || op == opBrIf || op == opCall || op >= opLocalGet && op <= opGlobalSet:
		in.arg = int64(r.uint())
	case op == opCallIndirect || op >= opI32Load && op <= opI64Store32:
		in.arg, in.more = int64(r.uint()), r.uvarint()
	case op == opBrTable:
		for n := r.uint(); n >= 0 && !r.bad; n-- {
			r.uint()
		}
		in.rest = r.b[begin:r.at]
	case op == opMemorySize || op == opMemoryGrow:
		in.rest = r.bytes(1)
	case op == opF32Const:
		in.rest = r.bytes(4)
	case op == opF64Const:
		in.rest = r.bytes(8)
	case op <= opNop, op == opElse, op == opEnd, op == opReturn, op == opDrop, op == opSelect, op > opF64Const && op <= opI64Extend32S:
	case op == opMore:
		switch more := r.uint(); {
		case more <= moreTruncLast:
		case more == moreCopy:
			r.bytes(2)
		case more == moreFill:
			r.bytes(1)
		default:
			return in, errFormat
		}
		in.rest = r.b[begin:min(r.at, len(r.b))]
	default:
		return in, errFormat
	}
	return in, nil
}

// encode writes a body.
func (f *body) encode() []byte {
	out := append(make([]byte, 0, 4*len(f.code)), f.locals...)
	for _, in := range f.code {
		out = append(out, in.op)
		switch op := in.op; {
		case op == opBlock || op == opLoop || op == opIf || op == opI32Const || op == opI64Const:
			out = appendInt(out, in.arg)
		case op == opBr || op == opBrIf || op == opCall || op >= opLocalGet && op <= opGlobalSet:
			out = binary.AppendUvarint(out, uint64(in.arg))
		case op == opCallIndirect || op >= opI32Load && op <= opI64Store32:
			out = binary.AppendUvarint(out, uint64(in.arg))
			out = binary.AppendUvarint(out, in.more)
		default:
			out = append(out, in.rest...)
		}
	}
	return out
}
