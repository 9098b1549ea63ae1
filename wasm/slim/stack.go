//go:build !js

package main

// shortenReturns pops the frame and the return address at once.
func (f *body) shortenReturns() {
	var out []instruction
	for i := 0; i < len(f.code); i++ {
		code := f.code[i:]
		n, sum := 0, int64(0)
		for n+1 < len(code) && starts(code[n:], []instruction{{op: opLocalGet, arg: localSP}, {op: opI32Const, arg: code[n+1].arg},
			{op: opI32Add}, {op: opLocalTee, arg: localSP}, {op: opGlobalSet, arg: globalSP}}) {
			sum += code[n+1].arg
			n += 5
		}
		if n == 0 || code[n].op != opI32Const || n+1 >= len(code) || code[n+1].op != opReturn {
			out = append(out, f.code[i])
			continue
		}
		out = append(out, instruction{op: opLocalGet, arg: localSP}, instruction{op: opI32Const, arg: sum}, instruction{op: opI32Add}, instruction{op: opGlobalSet, arg: globalSP})
		i += n - 1
	}
	f.code = out
}

// shortenAddresses computes stack addresses with 32 bits instead of 64. If possible it adds the
// distance from the stack pointer to the offset of the load or store.
func (f *body) shortenAddresses() {
	var out []instruction
	for i := 0; i < len(f.code); i++ {
		code := f.code[i:]
		switch {
		case len(code) > 2 && code[2].arg >= 0 && code[2].arg < maxMemory &&
			starts(code, []instruction{{op: opLocalGet, arg: localSP}, {op: opI64ExtendI32U}, {op: opI64Const, arg: code[2].arg}, {op: opI64Add}, {op: opI32WrapI64}}):
			distance := code[2].arg
			out = append(out, code[0])
			if user := addressUser(code[5:]); user != nil {
				user.more += uint64(distance)
			} else {
				out = append(out, instruction{op: opI32Const, arg: distance}, instruction{op: opI32Add})
			}
			i += 4
		case starts(code, []instruction{{op: opI64ExtendI32U}, {op: opI32WrapI64}}):
			i++
		default:
			out = append(out, f.code[i])
		}
	}
	f.code = out
}

// addressUser finds the load or store that uses the address just computed. It returns nil if
// another instruction uses the address, or for unknown code.
func addressUser(code []instruction) *instruction {
	above := 0 // values above the address
	for i := range code {
		in := &code[i]
		takes, gives := in.effect()
		switch {
		case takes < 0:
			return nil
		case takes <= above:
			above += gives - takes
		case above == 0 && in.op >= opI32Load && in.op <= opI64Load32U, above == 1 && in.op >= opI32Store && in.op <= opI64Store32:
			return in
		default:
			return nil
		}
	}
	return nil
}

// effect returns how many values an instruction pops and pushes. takes is negative for an unknown
// instruction, or one with further effects.
func (in *instruction) effect() (takes, gives int) {
	switch op := in.op; {
	case op == opLocalGet || op == opGlobalGet || op >= opI32Const && op <= opF64Const || op == opMemorySize:
		return 0, 1
	case op == opLocalSet || op == opGlobalSet || op == opDrop:
		return 1, 0
	case op == opLocalTee || op >= opI32Load && op <= opI64Load32U || op == opMemoryGrow:
		return 1, 1
	case op >= opI32Store && op <= opI64Store32:
		return 2, 0
	case op == opSelect:
		return 3, 1
	case op == opI32Eqz || op == opI64Eqz || op >= opI32Clz && op <= opI32Popcnt || op >= opI64Clz && op <= opI64Popcnt ||
		op >= opF32Abs && op <= opF32Sqrt || op >= opF64Abs && op <= opF64Sqrt || op >= opI32WrapI64 && op <= opI64Extend32S:
		return 1, 1
	case op >= opI32Eqz && op < opI32WrapI64:
		return 2, 1
	}
	return -1, 0
}
