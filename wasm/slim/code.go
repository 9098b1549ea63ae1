//go:build !js

package main

// refers calls call with the index of every function that a body calls, and number with
// every constant in it, as functions and data are named by constants.
func refers(body []byte, call func(index int), number func(v int64)) error {
	r := reader{b: body}
	for n := r.uint(); n > 0; n-- { // locals: how many, of what type
		r.uint()
		r.byte()
	}
	for r.at < len(body) && !r.bad {
		switch op := r.byte(); {
		case op == opBlock || op == opLoop || op == opIf:
			r.int()
		case op == opBr || op == opBrIf || op >= opLocalGet && op <= opGlobalSet:
			r.uint()
		case op == opBrTable:
			for n := r.uint(); n >= 0 && !r.bad; n-- {
				r.uint()
			}
		case op == opCall:
			call(r.uint())
		case op == opCallIndirect || op >= opI32Load && op <= opI64Store32: // a type and a table, an alignment and an offset
			r.uvarint()
			r.uvarint()
		case op == opMemorySize || op == opMemoryGrow:
			r.byte()
		case op == opI32Const || op == opI64Const:
			number(r.int())
		case op == opF32Const:
			r.bytes(4)
		case op == opF64Const:
			r.bytes(8)
		case op <= opNop, op == opElse, op == opEnd, op == opReturn, op == opDrop, op == opSelect, op > opF64Const && op <= opI64Extend32S:
		case op == opMore:
			switch more := r.uint(); {
			case more <= moreTruncLast:
			case more == moreCopy:
				r.bytes(2)
			case more == moreFill:
				r.bytes(1)
			default:
				return errFormat
			}
		default:
			return errFormat
		}
	}
	if r.bad {
		return errFormat
	}
	return nil
}
