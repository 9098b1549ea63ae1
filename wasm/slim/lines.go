//go:build !js

package main

import (
	"bytes"
	"encoding/binary"
)

// lineTable is Go's table of functions ("pclntab") in the memory of a program:
// debug/gosym reads a part of it, runtime/symtab.go and cmd/link/internal/ld/pcln.go
// define it.
type lineTable struct {
	files     []byte // the table of file names, with the index before it
	values    []byte // the tables from program counters to values, shared by the functions
	functions []byte // the index of the functions, and their descriptions
	count     int
	memory    []byte
}

// header is what the table begins with: its version, the size of an instruction,
// the size of a pointer.
var header = []byte{0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8}

// The words after the header.
const (
	wordFunctions = iota
	wordFiles
	wordText
	wordNames
	wordUnits
	wordFileTable
	wordValues
	wordDescriptions
	words
)

func findLineTable(memory []byte) (*lineTable, error) {
	for at := 0; ; at++ {
		i := bytes.Index(memory[at:], header)
		if i < 0 {
			return nil, errFormat
		}
		at += i
		table := memory[at:]
		if len(table) < 8+8*words {
			return nil, errFormat
		}
		var w [words]int
		last, sane := 8+8*words, true
		for k := range w {
			v := binary.LittleEndian.Uint64(table[8+8*k:])
			sane = sane && v < uint64(len(table))
			w[k] = int(v)
			if k >= wordNames {
				sane = sane && w[k] >= last
				last = w[k]
			}
		}
		// The program's own code has these bytes as well, but not what follows.
		if !sane || w[wordFunctions] == 0 || w[wordFunctions] > (len(table)-last)/8 {
			continue
		}
		return &lineTable{
			files:     table[w[wordUnits]:w[wordValues]],
			values:    table[w[wordValues]:w[wordDescriptions]],
			functions: table[w[wordDescriptions]:],
			count:     w[wordFunctions],
			memory:    memory,
		}, nil
	}
}

// Where the fields of a function's description ("_func") are.
const (
	offFrame      = 16 // table of the frame's size
	offFile       = 20
	offLine       = 24
	offTables     = 28 // number of the tables below
	offUnit       = 32
	offStartLine  = 36
	lenDescribed  = 44
	tableUnsafe   = 0 // program counters at which a goroutine may not be stopped
	tablePointers = 1 // the map of pointers that holds
	tableInlined  = 2 // the inlined call
)

// strip zeroes the tables that only tell lines, and what refers to them.
func (t *lineTable) strip() error {
	live := make([]bool, len(t.values))
	keep := func(off uint32) error {
		if off == 0 { // there is no table
			return nil
		}
		n := t.valuesLen(int(off))
		if n < 0 {
			return errFormat
		}
		for i := range n {
			live[int(off)+i] = true
		}
		return nil
	}
	for k := range t.count {
		at := int(binary.LittleEndian.Uint32(t.functions[8*k+4:]))
		if at > len(t.functions)-lenDescribed {
			return errFormat
		}
		f := t.functions[at:]
		tables := int(binary.LittleEndian.Uint32(f[offTables:]))
		if tables > (len(f)-lenDescribed)/4 {
			return errFormat
		}
		if err := keep(binary.LittleEndian.Uint32(f[offFrame:])); err != nil {
			return err
		}
		for i := range tables {
			table := f[lenDescribed+4*i:]
			switch i {
			case tableInlined:
				clear(table[:4])
			default:
				if err := keep(binary.LittleEndian.Uint32(table)); err != nil {
					return err
				}
			}
		}
		for _, off := range []int{offFile, offLine, offUnit, offStartLine} {
			clear(f[off : off+4])
		}
	}
	for i, is := range live {
		if !is {
			t.values[i] = 0
		}
	}
	clear(t.files)
	return nil
}

// valuesLen is the length of a table from program counters to values: pairs of
// variable-length differences, up to a value that does not differ.
func (t *lineTable) valuesLen(off int) int {
	if off >= len(t.values) {
		return -1
	}
	b := t.values[off:]
	for at := 0; ; {
		value, n := binary.Uvarint(b[at:])
		if n <= 0 {
			return -1
		}
		if value == 0 && at > 0 {
			return at + n
		}
		at += n
		_, n = binary.Uvarint(b[at:])
		if n <= 0 {
			return -1
		}
		at += n
	}
}
