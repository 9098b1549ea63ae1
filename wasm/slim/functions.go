//go:build !js

package main

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// functionTable is Go's table of functions ("pclntab") in the memory of a program:
// debug/gosym reads a part of it, runtime/symtab.go and cmd/link/internal/ld/pcln.go
// define it. The table is read into what it says of each function, and written with
// only what the runtime of a wasm program reads.
type functionTable struct {
	names        []byte
	files        []byte // the table of file names, with the index before it
	values       []byte // the tables from program counters to values, shared by the functions
	descriptions []byte // the index of the functions, and their descriptions
	maps         []byte // what the collector and panics know of frames, shared by the functions
	search       []byte // where in the index a program counter is

	address       int // of the index
	searchAddress int
	module        int // the address of what describes the program ("moduledata")
	functions     []*function
}

// function is what the table says of one.
type function struct {
	name     string
	index    int // among the bodies of the module
	fixed    [lenDescribed]byte
	frame    []byte // the table of the frame's size
	pointers []byte // the table of the maps that hold; nil if there is none
	maps     [mapKinds][]byte
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

// The words of runtime.moduledata that all known versions of Go have in one place. The
// others are in layout_*.go.
const (
	moduleNames  = 1
	moduleIndex  = 16
	moduleSearch = 19
	moduleTypes  = 37
)

// itabMethods is where an itab's program counters are.
const itabMethods = 24

// Where the fields of a function's description ("_func") are. The numbers of the tables and
// of the maps follow it.
const (
	offEntry     = 0
	offName      = 4
	offDefer     = 12 // where a panic goes on that was recovered
	offArgs      = 8  // the size of its arguments
	offFrame     = 16 // table of the frame's size
	offFile      = 20
	offLine      = 24
	offTables    = 28 // how many tables there are
	offUnit      = 32
	offStartLine = 36
	offMaps      = 43 // how many maps there are
	lenDescribed = 44
)

// The tables from program counters to values ("PCDATA"). Wasm has no asynchronous preemption, and
// its bounds checks call functions of their own: only the second is read, and in the
// traces of stacks the third, which says nothing without lines, and the fourth.
const (
	tableUnsafe   = iota // where a goroutine may not be stopped
	tablePointers        // the map of pointers that holds
	tableInlined         // the inlined call
	tableArguments
	tableKinds
)

// The maps ("FUNCDATA"). Traces of stacks work without those that are not kept; the last is the tracer's.
const (
	mapArguments = iota
	mapLocals
	mapObjects
	mapInlined
	mapDefers
	mapKinds // those that are kept end here
	mapsMost = 8
)

// firstEntry is the entry of the first function: entries are indices from here on.
const firstEntry = 0x1000

// rowWords is how long a description is that is written.
const rowWords = lenDescribed/4 + tablePointers + 1 + mapKinds

// none is the offset of a map that there is not.
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
		// The program's own code has these bytes as well, but not what follows.
		if !sane || w[wordFunctions] == 0 || w[wordFunctions] > (len(table)-last)/8 {
			continue
		}
		return readFunctions(memory, at, w)
	}
}

// readFunctions reads the table whose header is at an address.
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

// read reads what the table says of the k-th function.
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

// valuesAt is a table from program counters to values: pairs of
// variable-length differences, up to a value that does not differ.
func (t *functionTable) valuesAt(off uint32) ([]byte, error) {
	if off == 0 {
		return nil, nil // there is no table
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

// mapAt is a map of a frame.
func (t *functionTable) mapAt(kind, off int) ([]byte, error) {
	r := reader{b: t.maps, at: off}
	switch kind {
	case mapArguments, mapLocals: // how many there are, of how many bits, and they
		count, bits := r.uint32(), r.uint32()
		r.bytes(count * ((bits + 7) / 8))
	case mapObjects: // how many there are, and sixteen bytes of each
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
	values, maps := newPool(noValues), newPool(nil) // offset 0 is that of no table
	names := []byte{0}                              // and of no name; the others are in the order of the functions
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

// argsOf is what is written as the size of arguments: only whether they are a word, and whether it is known, is of use
// without arguments in traces.
func argsOf(size uint32) uint32 {
	if n := int32(size); n >= 0 {
		return uint32(min(n, wordSize) &^ (wordSize - 1))
	}
	return size
}

const wordSize = 8

// noValues is the table of a function that has none, as it is read all the same: of one counter.
var noValues = []byte{0, 1, 0}

// pool lays out what functions share.
type pool struct {
	b  []byte
	at map[string]uint32
}

func newPool(first []byte) *pool {
	return &pool{slices.Clone(first), map[string]uint32{}}
}

// add returns the offset of some bytes, or without any what stands for none.
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
