package lzma

import "github.com/zarr-wasm/zarr-wasm/internal/kernel"

// A writer's filters make the targets of calls and jumps in machine code absolute, so that calls of
// the same function have the same bytes. The functions below make them relative again. Each works
// on a whole stream whose first byte has the address start. Trailing bytes that are not whole
// instruction stay unchanged.

// x86 undoes the filter of CALL and JMP (E8, E9) with 32-bit operands. Only operands with a highest
// byte of 00 or FF were changed. An operand shortly after another opcode was not, because it is
// unlikely to be one; mask records those opcodes.
func x86(data []byte, start uint32) {
	extreme := func(b byte) bool { return b == 0 || b == 0xff }
	// Bits 0-2: an opcode 3, 2, 1 bytes ago (shifted). Bits 4-6: whose operand's highest byte was
	// extreme.
	mask := uint32(0)
	last := -5 // where the last opcode was
	for i := 0; i+5 <= len(data); {
		if data[i]&0xfe != 0xe8 {
			i++
			continue
		}
		ago := i - last
		last = i
		if ago > 5 {
			mask = 0
		} else {
			for range ago {
				mask = mask & 0x77 << 1
			}
		}
		high := data[i+4]
		near := mask >> 1
		if !extreme(high) || near >= 0x10 || !(near == 0 || near == 1 || near == 2 || near == 4) {
			mask |= 1
			if extreme(high) {
				mask |= 0x10
			}
			i++
			continue
		}
		operand := data[i+1 : i+5]
		from := kernel.Load32(operand, 0)
		var to uint32
		for {
			to = from - (start + uint32(i) + 5)
			if mask == 0 {
				break
			}
			shift := [5]uint{0, 8, 16, 16, 24}[near]
			if !extreme(byte(to >> (24 - shift))) {
				break
			}
			from = to ^ (1<<(32-shift) - 1)
		}
		to = uint32(int32(to<<7) >> 7) // bit 24 is the sign
		kernel.Store32(operand, 0, to)
		i += 5
		mask = 0
	}
}

// powerPC undoes the filter of bl with a relative target.
func powerPC(data []byte, start uint32) {
	for i := 0; i+4 <= len(data); i += 4 {
		b := data[i : i+4]
		v := big32(b, 0)
		if v>>26 == 0x12 && v&3 == 1 {
			to := v&0x03fffffc - (start + uint32(i))
			putBig32(b, 0, 0x48000001|to&0x03fffffc)
		}
	}
}

// ia64 undoes the filter of br.call and similar instructions. Bundles of 16 bytes hold three
// instructions of 41 bits after a template of 5 bits, which marks the branches.
func ia64(data []byte, start uint32) {
	branches := [32]uint8{16: 4, 17: 4, 18: 6, 19: 6, 22: 7, 23: 7, 24: 4, 25: 4, 28: 4, 29: 4}
	for i := 0; i+16 <= len(data); i += 16 {
		slots := branches[data[i]&31]
		for slot := range 3 {
			if slots>>slot&1 == 0 {
				continue
			}
			bit := 5 + 41*slot
			b := data[i+bit/8:][:6]
			var v uint64
			for k, c := range b {
				v |= uint64(c) << (8 * k)
			}
			shift := bit % 8
			op := v >> shift
			if op>>37&15 != 5 || op>>9&7 != 0 {
				continue
			}
			to := uint32(op>>13&0xfffff|op>>36&1<<20) << 4
			to = (to - (start + uint32(i))) >> 4
			op &^= 0x8fffff << 13
			op |= uint64(to&0xfffff)<<13 | uint64(to&0x100000)<<(36-20)
			v = v&(1<<shift-1) | op<<shift
			for k := range b {
				b[k] = byte(v >> (8 * k))
			}
		}
	}
}

// arm undoes the filter of BL without a condition.
func arm(data []byte, start uint32) {
	for i := 0; i+4 <= len(data); i += 4 {
		b := data[i : i+4]
		if b[3] == 0xeb {
			to := kernel.Load32(b, 0)<<2 - (start + uint32(i) + 8)
			kernel.Store32(b, 0, 0xeb000000|to>>2&0xffffff)
		}
	}
}

// armThumb undoes the filter of BL of two halves.
func armThumb(data []byte, start uint32) {
	for i := 0; i+4 <= len(data); i += 2 {
		b := data[i : i+4]
		if b[1]&0xf8 != 0xf0 || b[3]&0xf8 != 0xf8 {
			continue
		}
		high, low := uint32(kernel.Load16(b, 0)), uint32(kernel.Load16(b, 2))
		to := (high&0x7ff<<11|low&0x7ff)<<1 - (start + uint32(i) + 4)
		kernel.Store16(b, 0, uint16(0xf000|to>>12&0x7ff))
		kernel.Store16(b, 2, uint16(0xf800|to>>1&0x7ff))
		i += 2
	}
}

// sparc undoes the filter of call with a target of 23 signed bits.
func sparc(data []byte, start uint32) {
	for i := 0; i+4 <= len(data); i += 4 {
		b := data[i : i+4]
		v := big32(b, 0)
		if top := v >> 22; top != 0x100 && top != 0x1ff {
			continue
		}
		to := (v<<2 - (start + uint32(i))) >> 2
		to = uint32(int32(to<<9)>>9) & 0x3fffffff
		putBig32(b, 0, 0x40000000|to)
	}
}

// arm64 undoes the filter of BL, and of ADRP within 512 MiB.
func arm64(data []byte, start uint32) {
	for i := 0; i+4 <= len(data); i += 4 {
		b := data[i : i+4]
		v := kernel.Load32(b, 0)
		pc := start + uint32(i)
		switch {
		case v>>26 == 0x25:
			v = 0x94000000 | (v-pc>>2)&0x03ffffff
		case v&0x9f000000 == 0x90000000:
			page := v>>29&3 | v>>3&0x1ffffc
			if (page+0x20000)&0x1c0000 != 0 {
				continue
			}
			page -= pc >> 12
			v = v&0x9000001f | page&3<<29 | page&0x3fffc<<3 | -(page&0x20000)&0xe00000
		default:
			continue
		}
		kernel.Store32(b, 0, v)
	}
}

// riscV undoes the filter of JAL that writes ra or t0. It also undoes that of pairs of AUIPC and an
// instruction that uses its result. A filtered pair is an AUIPC that writes sp, with most of the
// second instruction, and the big-endian address. The writer made accidental look-alikes
// distinguishable by changing them into pairs.
func riscV(data []byte, start uint32) {
	const auipc = 0x17
	for i := 0; i+8 <= len(data); {
		b := data[i : i+8]
		pc := start + uint32(i)
		first, second := kernel.Load32(b, 0), kernel.Load32(b, 4)
		switch {
		case b[0] == 0xef && b[1]&0x0d == 0:
			to := first>>12&15<<17 | first>>16&0xff<<9 | first>>24<<1
			to -= pc
			first = first&0xfff | to>>12&0xff<<12 | to>>11&1<<20 | to>>1&0x3ff<<21 | to>>20&1<<31
			kernel.Store32(b, 0, first)
			i += 4
			continue
		case b[0]&0x7f != auipc:
			i += 2
			continue
		}
		rd := first >> 7 & 31
		if rd != 0 && rd != 2 {
			if second&3 != 3 || second>>15&31 != rd {
				i += 6
				continue
			}
			first, second = auipc|2<<7|second<<12, first&0xfffff000+second>>20
		} else {
			rs1 := first >> 27
			if first&0x3fff != 3<<12|2<<7|auipc || rs1 == 0 || rs1 == 2 {
				i += 4
				continue
			}
			to := big32(b, 4) - pc
			first, second = auipc|rs1<<7|(to+0x800)&0xfffff000, first>>12|to<<20
		}
		kernel.Store32(b, 0, first)
		kernel.Store32(b, 4, second)
		i += 8
	}
}
