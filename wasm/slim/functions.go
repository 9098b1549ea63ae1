//go:build !js

package main

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// functionTable is Go's table of functions ("pclntab") in a program's memory. Package debug/gosym
// reads part of it. Files runtime/symtab.go and cmd/link/internal/ld/pcln.go define it. Command
// slim parses the table, and writes only the fields that the runtime of a wasm program reads.
type functionTable struct {
	names        []byte
	files        []byte // The table of file names, with the index before it.
	values       []byte // The tables from program counters to values, shared by the functions.
	descriptions []byte // The index of the functions, and their descriptions.
	maps         []byte // Frame data for the collector and panics, shared by the functions.
	search       []byte // The search table from program counters to the index.

	address       int // The index's address.
	searchAddress int
	module        int // The address of the program's description ("moduledata").
	functions     []*function
}

// function is a function's entry in the table.
type function struct {
	name     string
	index    int // in the module's bodies
	fixed    [lenDescribed]byte
	frame    []byte // the table of the frame's size
	pointers []byte // the table of pointer maps, or nil
	maps     [mapKinds][]byte
}

// header is the start of the table: its version, the size of an instruction, the size of a pointer.
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

// The words of runtime.moduledata at the same place in all known versions of Go. The others are in
// layout_*.go.
const (
	moduleNames  = 1
	moduleIndex  = 16
	moduleSearch = 19
	moduleTypes  = 37
)

// itabMethods is the offset of an itab's program counters.
const itabMethods = 24

// The offsets of the fields of a function's description ("_func"). The numbers of the tables and of
// the maps follow.
const (
	offEntry     = 0
	offName      = 4
	offDefer     = 12 // where execution resumes after a recovered panic
	offArgs      = 8  // the size of its arguments
	offFrame     = 16 // table of the frame's size
	offFile      = 20
	offLine      = 24
	offTables    = 28 // the number of tables
	offUnit      = 32
	offStartLine = 36
	offMaps      = 43 // the number of maps
	lenDescribed = 44
)

// The tables from program counters to values ("PCDATA"). Wasm has no asynchronous preemption, and
// its bounds checks call separate functions, so only the second is read. Stack traces also read the
// third, which is useless without lines, and the fourth.
const (
	tableUnsafe   = iota // where a goroutine may not be preempted
	tablePointers        // the valid map of pointers
	tableInlined         // the inlined call
	tableArguments
	tableKinds
)

// The maps ("FUNCDATA"). Stack traces work without the omitted ones; the last is the tracer's.
const (
	mapArguments = iota
	mapLocals
	mapObjects
	mapInlined
	mapDefers
	mapKinds // the number of kept kinds
	mapsMost = 8
)

// firstEntry is the entry of the first function; entries count up from it.
const firstEntry = 0x1000

// rowWords is the size of a written description, in words.
const rowWords = lenDescribed/4 + tablePointers + 1 + mapKinds

// none is the offset of a missing map.
const none = 1<<32 - 1

func word(b []byte, n int) int { return int(binary.LittleEndian.Uint64(b[8*n:])) }

func u32(b []byte, at int) uint32 { return binary.LittleEndian.Uint32(b[at:]) }

func findFunctions(memory []byte) (*functionTable, error) {
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
		// The program's own code also contains these bytes, but not with valid words after them.
		if !sane || w[wordFunctions] == 0 || w[wordFunctions] > (len(table)-last)/8 {
			continue
		}
		return readFunctions(memory, at, w)
	}
}

// readFunctions parses the table with its header at an address.
func readFunctions(memory []byte, at int, w [words]int) (*functionTable, error) {
	start := binary.LittleEndian.AppendUint64(nil, uint64(at))
	start = binary.LittleEndian.AppendUint64(start, uint64(at+w[wordNames]))
	module := bytes.Index(memory, start)
	if module < 0 || len(memory)-module < 8*moduleWords {
		return nil, errFormat
	}
	md := memory[module:]
	maps, search, end := word(md, moduleMaps), word(md, moduleSearch), word(md, moduleTableEnd)
	index := at + w[wordDescriptions]
	if word(md, moduleIndex) != index || maps < index || search < maps || end < search || end > len(memory) {
		return nil, errFormat
	}
	t := &functionTable{
		names:         memory[at+w[wordNames] : at+w[wordUnits]],
		files:         memory[at+w[wordUnits] : at+w[wordValues]],
		values:        memory[at+w[wordValues] : index],
		descriptions:  memory[index:maps],
		maps:          memory[maps:search],
		search:        memory[search:end],
		address:       index,
		searchAddress: search,
		module:        module,
	}
	for k := range w[wordFunctions] {
		f, err := t.read(k)
		if err != nil {
			return nil, err
		}
		t.functions = append(t.functions, f)
	}
	return t, nil
}

// read parses the entry of the k-th function.
func (t *functionTable) read(k int) (*function, error) {
	at := int(u32(t.descriptions, 8*k+4))
	if at > len(t.descriptions)-lenDescribed {
		return nil, errFormat
	}
	d := t.descriptions[at:]
	tables, maps := int(u32(d, offTables)), int(d[offMaps])
	name := int(u32(d, offName))
	f := &function{fixed: [lenDescribed]byte(d), index: int(u32(d, offEntry)) - firstEntry}
	if tables > tableKinds || maps > mapsMost || lenDescribed+4*(tables+maps) > len(d) || name >= len(t.names) || f.index < 0 {
		return nil, errFormat
	}
	length := bytes.IndexByte(t.names[name:], 0)
	if length < 0 {
		return nil, errFormat
	}
	f.name = string(t.names[name : name+length])
	var err error
	if f.frame, err = t.valuesAt(u32(d, offFrame)); err != nil {
		return nil, err
	}
	d = d[lenDescribed:]
	if tables > tablePointers {
		if f.pointers, err = t.valuesAt(u32(d, 4*tablePointers)); err != nil {
			return nil, err
		}
	}
	d = d[4*tables:]
	for kind := range min(maps, mapKinds) {
		if off := u32(d, 4*kind); off != none && kind != mapInlined {
			if f.maps[kind], err = t.mapAt(kind, int(off)); err != nil {
				return nil, err
			}
		}
	}
	return f, nil
}

// valuesAt returns a table from program counters to values: pairs of variable-length differences,
// up to a difference of 0.
func (t *functionTable) valuesAt(off uint32) ([]byte, error) {
	if off == 0 {
		return nil, nil // no table
	}
	r := reader{b: t.values, at: int(off)}
	for first := true; ; first = false {
		if r.uvarint() == 0 && !first {
			break
		}
		r.uvarint()
		if r.bad {
			return nil, errFormat
		}
	}
	if r.bad {
		return nil, errFormat
	}
	return t.values[off:r.at], nil
}

// mapAt returns a map of a frame.
func (t *functionTable) mapAt(kind, off int) ([]byte, error) {
	r := reader{b: t.maps, at: off}
	switch kind {
	case mapArguments, mapLocals: // their number, their number of bits, and the maps
		count, bits := r.uint32(), r.uint32()
		r.bytes(count * ((bits + 7) / 8))
	case mapObjects: // their number, and sixteen bytes for each
		r.bytes(16 * r.uint64())
	case mapDefers: // two offsets
		r.uvarint()
		r.uvarint()
	}
	if r.bad {
		return nil, errFormat
	}
	return t.maps[off:r.at], nil
}

// write writes the table.
func (t *functionTable) write() error {
	values, maps := newPool(noValues), newPool(nil) // offset 0 stands for no table
	names := []byte{0}                              // and for no name
	var descriptions []byte
	entries := make([]byte, 0, 8*len(t.functions))
	rows := 8 * (len(t.functions) + 1) // the index ends with an entry after the last function
	for _, f := range t.functions {
		d := f.fixed
		for _, off := range []int{offFile, offLine, offUnit, offStartLine} {
			clear(d[off : off+4])
		}
		binary.LittleEndian.PutUint32(d[offName:], uint32(len(names)))
		names = append(append(names, f.name...), 0)
		binary.LittleEndian.PutUint32(d[offArgs:], argsOf(u32(d[:], offArgs)))
		binary.LittleEndian.PutUint32(d[offFrame:], values.add(f.frame, 1, 0))
		binary.LittleEndian.PutUint32(d[offTables:], tablePointers+1)
		d[offMaps] = mapKinds
		entries = append(entries, d[offEntry:offEntry+4]...)
		entries = binary.LittleEndian.AppendUint32(entries, uint32(rows+len(descriptions)))
		descriptions = append(descriptions, d[:]...)
		descriptions = binary.LittleEndian.AppendUint32(descriptions, 0)
		descriptions = binary.LittleEndian.AppendUint32(descriptions, values.add(f.pointers, 1, 0))
		for _, b := range f.maps {
			descriptions = binary.LittleEndian.AppendUint32(descriptions, maps.add(b, 8, none))
		}
	}
	last := t.descriptions[len(entries):rows]
	for _, part := range []struct{ to, from []byte }{
		{t.descriptions, append(append(entries, last...), descriptions...)},
		{t.values, values.b},
		{t.maps, maps.b},
		{t.names, names},
		{t.files, nil},
	} {
		if len(part.from) > len(part.to) {
			return errFormat
		}
		clear(part.to[copy(part.to, part.from):])
	}
	return nil
}

// argsOf reduces the size of arguments to two facts, which suffice without arguments in traces:
// whether it is one word, and whether it is known.
func argsOf(size uint32) uint32 {
	if n := int32(size); n >= 0 {
		return uint32(min(n, wordSize) &^ (wordSize - 1))
	}
	return size
}

const wordSize = 8

// noValues is the table of a function without one, which is read nevertheless: of one counter.
var noValues = []byte{0, 1, 0}

// pool lays out data that functions share.
type pool struct {
	b  []byte
	at map[string]uint32
}

func newPool(first []byte) *pool {
	return &pool{slices.Clone(first), map[string]uint32{}}
}

// add returns the offset of some bytes, or absent for none.
func (p *pool) add(b []byte, align int, absent uint32) uint32 {
	if b == nil {
		return absent
	}
	at, ok := p.at[string(b)]
	if !ok {
		for len(p.b)%align != 0 {
			p.b = append(p.b, 0)
		}
		at = uint32(len(p.b))
		p.at[string(b)] = at
		p.b = append(p.b, b...)
	}
	return at
}
