//go:build !js

package main

import "encoding/binary"

// grower is the function by which Go's allocator grows the memory.
const grower = "runtime.growMemory"

// mostAhead bounds a growth, in pages of 64 KiB: memory cannot shrink.
const mostAhead = 8 << 20 >> 16

// growAhead replaces grower's body: each growth adds a quarter of the memory, at most mostAhead,
// which later calls use. Go grows the memory by half a megabyte. Each growth detaches JavaScript's
// views, and its platform counts the whole memory as new, which makes it collect garbage.
func (t *functionTable) growAhead(m *module) error {
	for _, f := range t.functions {
		if f.name != grower {
			continue
		}
		spare, err := m.global()
		if err != nil {
			return err
		}
		m.bodies[f.index] = growBody(spare)
		return nil
	}
	return errFormat
}

// growBody returns the wasm of
//
//	func growMemory(pages int32) int32 {
//		left := spare - pages
//		if left < 0 {
//			ahead := memory.size >> 2
//			if memory.grow(ahead-left) < 0 {
//				ahead = 0
//				if memory.grow(-left) < 0 {
//					return -1
//				}
//			}
//			left = ahead
//		}
//		spare = left
//		return memory.size - left - pages
//	}
//
// Its result is that of memory.grow in a memory without the spare pages. Its argument is 8 bytes
// above the stack pointer, its result 16 bytes.
func growBody(spare int) []byte {
	const sp, left, ahead = 0, 1, 2 // a global, and locals
	global := func(op byte) []byte { return binary.AppendUvarint([]byte{op}, uint64(spare)) }
	// fails begins a block for a memory that cannot grow.
	fails := []byte{opMemoryGrow, 0, opI32Const, 0, opI32LtS, opIf, blockEmpty}

	b := []byte{1, 2, typeI32, opBlock, blockEmpty}
	b = append(b, opGlobalGet, sp)
	b = appendInt(append(b, opI32Const), -1)
	b = append(b, opI32Store, 2, 16)

	b = append(b, global(opGlobalGet)...)
	b = append(b, opGlobalGet, sp, opI32Load, 2, 8, opI32Sub, opLocalTee, left)
	b = append(b, opI32Const, 0, opI32LtS, opIf, blockEmpty)
	b = append(b, opMemorySize, 0, opI32Const, 2, opI32ShrU, opLocalTee, ahead)
	b = appendInt(append(b, opI32Const), mostAhead)
	b = append(b, opLocalGet, ahead)
	b = appendInt(append(b, opI32Const), mostAhead)
	b = append(b, opI32LtS, opSelect, opLocalTee, ahead, opLocalGet, left, opI32Sub)
	b = append(b, fails...)
	b = append(b, opI32Const, 0, opLocalSet, ahead)
	b = append(b, opI32Const, 0, opLocalGet, left, opI32Sub)
	b = append(b, fails...)
	b = append(b, opBr, 3, opEnd, opEnd) // out of all blocks
	b = append(b, opLocalGet, ahead, opLocalSet, left, opEnd)

	b = append(append(b, opLocalGet, left), global(opGlobalSet)...)
	b = append(b, opGlobalGet, sp)
	b = append(b, opMemorySize, 0, opLocalGet, left, opI32Sub, opGlobalGet, sp, opI32Load, 2, 8, opI32Sub)
	b = append(b, opI32Store, 2, 16, opEnd)

	b = append(b, opGlobalGet, sp, opI32Const, 8, opI32Add, opGlobalSet, sp)
	return append(b, opI32Const, 0, opEnd) // no unwinding of the stack
}
