package icechunk

import "encoding/binary"

// flat is a FlatBuffer. Its accessors check every offset before they follow it. An offset outside
// of the buffer or at a forbidden place sets bad and reads as zero. Readers check bad after they
// read a table.
type flat struct {
	b   []byte
	bad bool
}

// identifier follows the first offset of each FlatBuffer of Icechunk.
const identifier = "Ichk"

func (f *flat) has(at, n int) bool {
	if at < 0 || n < 0 || at > len(f.b)-n {
		f.bad = true
		return false
	}
	return true
}

func (f *flat) u16(at int) int {
	if !f.has(at, 2) {
		return 0
	}
	return int(binary.LittleEndian.Uint16(f.b[at:]))
}

func (f *flat) u32(at int) uint32 {
	if !f.has(at, 4) {
		return 0
	}
	return binary.LittleEndian.Uint32(f.b[at:])
}

// follow returns the target of the offset at a position.
func (f *flat) follow(at int) int {
	o := int(f.u32(at))
	if o == 0 {
		f.bad = true
	}
	return at + o
}

// table is a table of a FlatBuffer. The zero table has no fields.
type table struct {
	f    *flat
	at   int
	size int // of the table, in bytes
	vt   int // the position of its field offsets
	n    int // the number of its fields
}

// root returns the buffer's first table.
func (f *flat) root() table {
	if !f.has(0, 8) || string(f.b[4:8]) != identifier {
		f.bad = true
		return table{f: f}
	}
	return f.table(f.follow(0))
}

// table returns the table at a position.
func (f *flat) table(at int) table {
	t := table{f: f, at: at}
	vt := at - int(int32(f.u32(at)))
	size := f.u16(vt)
	t.size = f.u16(vt + 2)
	if size < 4 || size%2 != 0 || t.size < 4 || !f.has(vt, size) || !f.has(at, t.size) {
		f.bad = true
		return table{f: f}
	}
	t.vt, t.n = vt+4, (size-4)/2
	return t
}

// field returns the position of a field with a size in bytes, and whether the table has it.
func (t table) field(i, size int) (at int, ok bool) {
	if i >= t.n {
		return 0, false
	}
	o := t.f.u16(t.vt + 2*i)
	if o == 0 {
		return 0, false
	}
	if o < 4 || o > t.size-size {
		t.f.bad = true
		return 0, false
	}
	return t.at + o, true
}

func (t table) u8(i int, absent uint8) uint8 {
	if at, ok := t.field(i, 1); ok {
		return t.f.b[at]
	}
	return absent
}

func (t table) u32(i int) uint32 {
	if at, ok := t.field(i, 4); ok {
		return t.f.u32(at)
	}
	return 0
}

func (t table) u64(i int) uint64 {
	if at, ok := t.field(i, 8); ok {
		return binary.LittleEndian.Uint64(t.f.b[at:])
	}
	return 0
}

// inside returns a struct, nil if the table lacks it.
func (t table) inside(i, size int) []byte {
	if at, ok := t.field(i, size); ok {
		return t.f.b[at : at+size]
	}
	return nil
}

// table returns the table that a field refers to.
func (t table) table(i int) (table, bool) {
	at, ok := t.field(i, 4)
	if !ok {
		return table{f: t.f}, false
	}
	return t.f.table(t.f.follow(at)), true
}

// vector returns the position of a vector's elements and their number. The result ok reports
// whether the table has it.
func (t table) vector(i, size int) (at, n int, ok bool) {
	field, ok := t.field(i, 4)
	if !ok {
		return 0, 0, false
	}
	at = t.f.follow(field)
	n = int(t.f.u32(at))
	at += 4
	if at > len(t.f.b) || n > (len(t.f.b)-at)/size {
		t.f.bad = true
		return 0, 0, false
	}
	return at, n, true
}

// bytes returns a vector of bytes, or a string.
func (t table) bytes(i int) ([]byte, bool) {
	at, n, ok := t.vector(i, 1)
	if !ok {
		return nil, false
	}
	return t.f.b[at : at+n : at+n], true
}

func (t table) text(i int) string {
	b, _ := t.bytes(i)
	return string(b)
}

// tables returns a vector of tables.
func (t table) tables(i int) vector {
	at, n, _ := t.vector(i, 4)
	return vector{t.f, at, n}
}

// vector is a vector of tables.
type vector struct {
	f     *flat
	at, n int
}

// table returns the i-th table.
func (v vector) table(i int) table { return v.f.table(v.f.follow(v.at + 4*i)) }
