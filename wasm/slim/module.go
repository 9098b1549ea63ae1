//go:build !js

package main

import (
	"bytes"
	"encoding/binary"
)

// module is a wasm module whose data section is a memory image.
type module struct {
	before, after []byte // the sections before the data section, and those after it
	memory        []byte // from address 0
}

const (
	dataSection = 11
	// maxMemory bounds the image; Go's data is a few megabytes.
	maxMemory = 1 << 28
)

func readModule(b []byte) (*module, error) {
	if !bytes.HasPrefix(b, []byte("\x00asm\x01\x00\x00\x00")) {
		return nil, errFormat
	}
	r := reader{b: b, at: 8}
	for r.at < len(b) {
		start := r.at
		id := r.byte()
		n := r.uint()
		if r.bad || n > len(b)-r.at {
			return nil, errFormat
		}
		if id != dataSection {
			r.at += n
			continue
		}
		end := r.at + n
		memory, err := image(b[r.at:end])
		if err != nil {
			return nil, err
		}
		return &module{before: b[:start], after: b[end:], memory: memory}, nil
	}
	return nil, errFormat
}

// image lays the segments of a data section out in memory.
func image(section []byte) ([]byte, error) {
	var memory []byte
	r := reader{b: section}
	for n := r.uint(); n > 0; n-- {
		// Active, for memory 0: the address is a constant expression.
		if r.uint() != 0 || r.byte() != opI32Const {
			return nil, errFormat
		}
		at := int(uint32(r.int()))
		if r.byte() != opEnd {
			return nil, errFormat
		}
		length := r.uint()
		if r.bad || length > len(section)-r.at || at > maxMemory || length > maxMemory-at {
			return nil, errFormat
		}
		if at+length > len(memory) {
			memory = append(memory, make([]byte, at+length-len(memory))...)
		}
		copy(memory[at:], section[r.at:r.at+length])
		r.at += length
	}
	if r.bad || r.at != len(section) {
		return nil, errFormat
	}
	return memory, nil
}

const (
	opI32Const = 0x41
	opEnd      = 0x0b
)

// write returns the module with its memory as it is now. Memory is zero before
// it is initialized, so zeros are left out where that is shorter.
func (m *module) write() []byte {
	var segments []byte
	count := 0
	for at := 0; at < len(m.memory); {
		if m.memory[at] == 0 {
			at++
			continue
		}
		end := at + 1
		for i := end; i < len(m.memory) && i-end < gap; i++ {
			if m.memory[i] != 0 {
				end = i + 1
			}
		}
		segments = append(segments, 0, opI32Const)
		segments = appendInt(segments, int64(int32(at)))
		segments = append(segments, opEnd)
		segments = binary.AppendUvarint(segments, uint64(end-at))
		segments = append(segments, m.memory[at:end]...)
		count++
		at = end
	}
	head := binary.AppendUvarint(nil, uint64(count))
	out := append([]byte(nil), m.before...)
	out = append(out, dataSection)
	out = binary.AppendUvarint(out, uint64(len(head)+len(segments)))
	out = append(out, head...)
	out = append(out, segments...)
	return append(out, m.after...)
}

// gap is how many zeros end a segment. A new segment costs about eight bytes, and
// compresses worse than zeros do: more would be smaller to download but larger in memory.
const gap = 64

// reader reads wasm's integers. After something that is not there, bad is set.
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

func (r *reader) uint() int {
	v, n := binary.Uvarint(r.b[min(r.at, len(r.b)):])
	if n <= 0 || v > maxMemory {
		r.bad = true
		return 0
	}
	r.at += n
	return int(v)
}

// int reads a signed LEB128 number of 32 bits.
func (r *reader) int() int64 {
	var v int64
	for shift := uint(0); shift < 35; shift += 7 {
		c := r.byte()
		v |= int64(c&0x7f) << shift
		if c < 0x80 {
			if c&0x40 != 0 {
				v |= -1 << (shift + 7)
			}
			return v
		}
	}
	r.bad = true
	return 0
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
