//go:build !js

package main

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// module is a wasm module: its code as a list of bodies, and its data as a memory image.
type module struct {
	sections []section
	imports  int      // the number of imported functions, whose indices come first
	exported []int    // the functions that are exported
	bodies   [][]byte // of the functions that are not imported
	memory   []byte   // from address 0
}

// section is a section as read. Those of code and of data are rewritten.
type section struct {
	id   byte
	body []byte
}

const (
	typeSection     = 1
	importSection   = 2
	functionSection = 3
	globalSection   = 6
	exportSection   = 7
	startSection    = 8
	elementSection  = 9
	codeSection     = 10
	dataSection     = 11
	// maxMemory bounds the image; Go's data is a few megabytes.
	maxMemory = 1 << 28
)

var magic = []byte("\x00asm\x01\x00\x00\x00")

func readModule(b []byte) (*module, error) {
	if !bytes.HasPrefix(b, magic) {
		return nil, errFormat
	}
	m := &module{}
	r := reader{b: b, at: len(magic)}
	for r.at < len(b) {
		id := r.byte()
		body := r.bytes(r.uint())
		if r.bad {
			return nil, errFormat
		}
		m.sections = append(m.sections, section{id, body})
		var err error
		switch id {
		case importSection:
			m.imports, err = importedFunctions(body)
		case exportSection:
			m.exported, err = exportedFunctions(body)
		case codeSection:
			m.bodies, err = bodies(body)
		case dataSection:
			m.memory, err = image(body)
		}
		if err != nil {
			return nil, err
		}
	}
	if m.memory == nil {
		return nil, errFormat
	}
	return m, nil
}

// importedFunctions counts a section's imports, which must be functions.
func importedFunctions(section []byte) (int, error) {
	r := reader{b: section}
	count := r.uint()
	for range count {
		r.bytes(r.uint())
		r.bytes(r.uint())
		if r.byte() != 0 || r.bad {
			return 0, errFormat
		}
		r.uint()
	}
	if r.bad || r.at != len(section) {
		return 0, errFormat
	}
	return count, nil
}

// exportedFunctions returns the indices of a section's exported functions.
func exportedFunctions(section []byte) ([]int, error) {
	r := reader{b: section}
	var all []int
	for n := r.uint(); n > 0 && !r.bad; n-- {
		r.bytes(r.uint())
		kind, index := r.byte(), r.uint()
		if kind == 0 {
			all = append(all, index)
		}
	}
	if r.bad || r.at != len(section) {
		return nil, errFormat
	}
	return all, nil
}

func bodies(section []byte) ([][]byte, error) {
	r := reader{b: section}
	var all [][]byte
	for n := r.uint(); n > 0 && !r.bad; n-- {
		all = append(all, r.bytes(r.uint()))
	}
	if r.bad || r.at != len(section) {
		return nil, errFormat
	}
	return all, nil
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
		data := r.bytes(r.uint())
		if r.bad || at > maxMemory || len(data) > maxMemory-at {
			return nil, errFormat
		}
		if end := at + len(data); end > len(memory) {
			memory = append(memory, make([]byte, end-len(memory))...)
		}
		copy(memory[at:], data)
	}
	if r.bad || r.at != len(section) {
		return nil, errFormat
	}
	return memory, nil
}

// start adds a function without parameters and results that runs when the module is instantiated.
func (m *module) start(body []byte) error {
	kind := 0
	for i := range m.sections {
		s := &m.sections[i]
		switch s.id {
		case typeSection:
			kind, s.body = appendItem(s.body, typeFunction, 0, 0)
		case functionSection:
			_, s.body = appendItem(s.body, binary.AppendUvarint(nil, uint64(kind))...)
		case startSection:
			return errFormat
		case elementSection:
			index := binary.AppendUvarint(nil, uint64(m.imports+len(m.bodies)))
			m.sections = slices.Insert(m.sections, i, section{startSection, index})
			m.bodies = append(m.bodies, body)
			return nil
		}
	}
	return errFormat
}

// global adds a variable of 32 bits, which is 0 at first, and returns its index.
func (m *module) global() (int, error) {
	for i := range m.sections {
		if s := &m.sections[i]; s.id == globalSection {
			var index int
			index, s.body = appendItem(s.body, typeI32, 1, opI32Const, 0, opEnd)
			return index, nil
		}
	}
	return 0, errFormat
}

// appendItem appends an item to a section that is a list, and returns the item's number.
func appendItem(section []byte, item ...byte) (int, []byte) {
	r := reader{b: section}
	count := r.uint()
	return count, slices.Concat(binary.AppendUvarint(nil, uint64(count+1)), section[r.at:], item)
}

// write returns the module with its present code and memory.
func (m *module) write() []byte {
	out := bytes.Clone(magic)
	for _, s := range m.sections {
		body := s.body
		switch s.id {
		case codeSection:
			body = m.code()
		case dataSection:
			body = m.data()
		}
		out = append(out, s.id)
		out = appendBytes(out, body)
	}
	return out
}

func (m *module) code() []byte {
	out := binary.AppendUvarint(nil, uint64(len(m.bodies)))
	for _, b := range m.bodies {
		out = appendBytes(out, b)
	}
	return out
}

// data returns the memory as segments. Initial memory is zero, so segments omit zeros where that is
// shorter.
func (m *module) data() []byte {
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
		segments = appendBytes(segments, m.memory[at:end])
		count++
		at = end
	}
	return append(binary.AppendUvarint(nil, uint64(count)), segments...)
}

// gap is the number of zeros that ends a segment. A new segment costs about eight bytes and
// compresses worse than zeros: a larger gap saves less than a thousandth of the download.
const gap = 256
