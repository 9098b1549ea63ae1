//go:build !js

package main

import "encoding/binary"

// lookup is the function that finds the description of a program counter's function.
const lookup = "runtime.findfunc"

// direct replaces lookup's body by arithmetic, since functions are numbered without gaps. It clears
// the runtime's search table: 320 bytes for each function, which wasm does not need.
func (t *functionTable) direct(m *module) error {
	found := -1
	for k, f := range t.functions {
		if f.index != k {
			return errFormat
		}
		if f.name == lookup {
			found = k
		}
	}
	if found < 0 || len(m.bodies) != len(t.functions) {
		return errFormat
	}
	m.bodies[found] = lookupBody(len(t.functions), t.address, t.module)
	clear(t.search)
	return nil
}

// lookupBody returns the wasm of
//
//	func findfunc(pc uintptr) funcInfo {
//		k := pc>>16 - firstEntry
//		if k < count {
//			return funcInfo{(*_func)(index + index[k].funcoff), module}
//		}
//		return funcInfo{}
//	}
//
// Its argument is 8 bytes above the stack pointer, its results 16 and 24 bytes.
func lookupBody(count, index, module int) []byte {
	const sp, k = 0, 1 // a global, a local
	b := []byte{1, 1, typeI64}
	b = append(b, opGlobalGet, sp, opI64Load, 3, 8)
	b = append(b, opI64Const, 16, opI64ShrU)
	b = appendInt(append(b, opI64Const), firstEntry)
	b = append(b, opI64Sub, opLocalTee, k)
	b = appendInt(append(b, opI64Const), int64(count))
	b = append(b, opI64LtU, opIf, blockEmpty)

	b = append(b, opGlobalGet, sp)
	b = append(b, opLocalGet, k, opI32WrapI64, opI32Const, 3, opI32Shl, opI64Load32U, 2)
	b = binary.AppendUvarint(b, uint64(index+4))
	b = appendInt(append(b, opI64Const), int64(index))
	b = append(b, opI64Add, opI64Store, 3, 16)
	b = append(b, opGlobalGet, sp)
	b = appendInt(append(b, opI64Const), int64(module))
	b = append(b, opI64Store, 3, 24)

	b = append(b, opElse)
	for _, result := range []byte{16, 24} {
		b = append(b, opGlobalGet, sp, opI64Const, 0, opI64Store, 3, result)
	}
	b = append(b, opEnd)

	b = append(b, opGlobalGet, sp, opI32Const, 8, opI32Add, opGlobalSet, sp)
	return append(b, opI32Const, 0, opEnd) // no unwinding of the stack
}
