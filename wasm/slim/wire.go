//go:build !js

package main

import "encoding/binary"

// The wasm instructions that slim reads and writes.
const (
	opUnreachable   = 0x00
	opNop           = 0x01
	opBlock         = 0x02
	opLoop          = 0x03
	opIf            = 0x04
	opElse          = 0x05
	opEnd           = 0x0b
	opBr            = 0x0c
	opBrIf          = 0x0d
	opBrTable       = 0x0e
	opReturn        = 0x0f
	opCall          = 0x10
	opCallIndirect  = 0x11
	opDrop          = 0x1a
	opSelect        = 0x1b
	opLocalGet      = 0x20
	opLocalSet      = 0x21
	opLocalTee      = 0x22
	opGlobalGet     = 0x23
	opGlobalSet     = 0x24
	opI32Load       = 0x28
	opI64Load       = 0x29
	opI32Load8U     = 0x2d
	opI32Load16U    = 0x2f
	opI64Load32U    = 0x35
	opI32Store      = 0x36
	opI64Store      = 0x37
	opI64Store32    = 0x3e
	opMemorySize    = 0x3f
	opMemoryGrow    = 0x40
	opI32Const      = 0x41
	opI64Const      = 0x42
	opF32Const      = 0x43
	opF64Const      = 0x44
	opI32Eqz        = 0x45
	opI32LtS        = 0x48
	opI32GtU        = 0x4b
	opI64Eqz        = 0x50
	opI64LtU        = 0x54
	opI32Clz        = 0x67 // the first with one operand
	opI32Popcnt     = 0x69
	opI32Add        = 0x6a
	opI32Sub        = 0x6b
	opI32Or         = 0x72
	opI32Shl        = 0x74
	opI32ShrU       = 0x76
	opI64Clz        = 0x79
	opI64Popcnt     = 0x7b
	opI64Add        = 0x7c
	opI64Sub        = 0x7d
	opI64ShrU       = 0x88
	opF32Abs        = 0x8b
	opF32Sqrt       = 0x91
	opF64Abs        = 0x99
	opF64Sqrt       = 0x9f
	opI32WrapI64    = 0xa7
	opI64ExtendI32U = 0xad
	opI64Extend32S  = 0xc4 // the last numeric instruction

	opMore        = 0xfc // the prefix of the opcodes below
	moreTruncLast = 7
	moreCopy      = 10
	moreFill      = 11

	typeI32      = 0x7f
	typeI64      = 0x7e
	typeFunction = 0x60
	blockEmpty   = 0x40
	blockNone    = blockEmpty - 0x80 // the same as a signed number
)

// reader reads wasm's integers. It sets bad beyond the end.
type reader struct {
	b   []byte
	at  int
	bad bool
}

func (r *reader) byte() byte {
	if r.at >= len(r.b) {
		r.bad = true
		return 0
	}
	r.at++
	return r.b[r.at-1]
}

func (r *reader) bytes(n int) []byte {
	if r.bad || n < 0 || n > len(r.b)-r.at {
		r.bad = true
		return nil
	}
	r.at += n
	return r.b[r.at-n : r.at : r.at]
}

func (r *reader) uint() int {
	v, n := binary.Uvarint(r.b[min(r.at, len(r.b)):])
	if n <= 0 || v > maxMemory {
		r.bad = true
		return 0
	}
	r.at += n
	return int(v)
}

// uvarint reads a number of any size.
func (r *reader) uvarint() uint64 {
	v, n := binary.Uvarint(r.b[min(r.at, len(r.b)):])
	r.bad = r.bad || n <= 0
	r.at += max(n, 0)
	return v
}

// uint32 and uint64 read a number of fixed size.
func (r *reader) uint32() int { return int(r.fixed(4)) }
func (r *reader) uint64() int { return int(r.fixed(8)) }

func (r *reader) fixed(n int) uint64 {
	var v uint64
	for i := range n {
		v |= uint64(r.byte()) << (8 * i)
	}
	if v > maxMemory {
		r.bad = true
		return 0
	}
	return v
}

// int reads a signed LEB128 number of 32 or 64 bits.
func (r *reader) int() int64 {
	var v int64
	for shift := uint(0); shift < 70; shift += 7 {
		c := r.byte()
		v |= int64(c&0x7f) << shift
		if c < 0x80 {
			if c&0x40 != 0 && shift < 63 {
				v |= -1 << (shift + 7)
			}
			return v
		}
	}
	r.bad = true
	return 0
}

func appendBytes(out, b []byte) []byte {
	return append(binary.AppendUvarint(out, uint64(len(b))), b...)
}

func appendInt(b []byte, v int64) []byte {
	for {
		c := byte(v & 0x7f)
		v >>= 7
		if v == 0 && c&0x40 == 0 || v == -1 && c&0x40 != 0 {
			return append(b, c)
		}
		b = append(b, c|0x80)
	}
}
