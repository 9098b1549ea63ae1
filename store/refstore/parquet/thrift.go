package parquet

import "errors"

// This file implements the part of Thrift's compact protocol that Parquet uses.

// errThrift is the cause when a structure violates the compact protocol.
var errThrift = errors.New("a structure is not valid in Thrift's compact protocol")

// Types of the compact protocol.
const (
	typeTrue   = 1
	typeFalse  = 2
	typeByte   = 3
	typeI64    = 6 // also typeByte+1 for 16 bits and typeByte+2 for 32
	typeDouble = 7
	typeBinary = 8
	typeList   = 9
	typeSet    = 10
	typeMap    = 11
	typeStruct = 12
)

// maxDepth limits the nesting of structures. Parquet nests up to 6 levels.
const maxDepth = 16

// thrift reads structures from bytes. A failure sets the error, and all later reads return zeros.
type thrift struct {
	b     []byte
	pos   int
	depth int
	err   error
}

func (t *thrift) fail() { t.err = errThrift }

func (t *thrift) byte() byte {
	if t.err != nil || t.pos >= len(t.b) {
		t.fail()
		return 0
	}
	t.pos++
	return t.b[t.pos-1]
}

func (t *thrift) uvarint() (n uint64) {
	for shift := 0; shift < 64; shift += 7 {
		c := t.byte()
		n |= uint64(c&0x7f) << shift
		if c < 0x80 {
			return n
		}
	}
	t.fail()
	return 0
}

// int reads a whole number of any size.
func (t *thrift) int() int64 {
	n := t.uvarint()
	return int64(n>>1) ^ -int64(n&1)
}

func (t *thrift) text() string {
	n := t.uvarint()
	if t.err != nil || n > uint64(len(t.b)-t.pos) {
		t.fail()
		return ""
	}
	t.pos += int(n)
	return string(t.b[t.pos-int(n) : t.pos])
}

// list reads a list, with a function for each of its items, which are of that type.
func (t *thrift) list(kind byte, item func()) {
	head := t.byte()
	n := uint64(head >> 4)
	if n == 15 {
		n = t.uvarint()
	}
	if n > 0 && head&15 != kind {
		t.fail()
	}
	for ; n > 0 && t.err == nil; n-- {
		item() // reads at least a byte, so the remaining bytes bound the list
	}
}

// structure reads a structure and calls field for each of its fields. field must skip a field of an
// unexpected type.
func (t *thrift) structure(field func(id int, kind byte)) {
	if t.depth++; t.depth > maxDepth {
		t.fail()
	}
	id := 0
	for t.err == nil {
		head := t.byte()
		if head == 0 {
			break
		}
		if delta := int(head >> 4); delta != 0 {
			id += delta
		} else {
			id = int(int16(t.int()))
		}
		field(id, head&15)
	}
	t.depth--
}

// skip skips a value.
func (t *thrift) skip(kind byte) {
	switch kind {
	case typeTrue, typeFalse:
	case typeByte:
		t.byte()
	case typeByte + 1, typeByte + 2, typeI64:
		t.uvarint()
	case typeDouble:
		for range 8 {
			t.byte()
		}
	case typeBinary:
		t.text()
	case typeList, typeSet:
		if t.pos >= len(t.b) {
			t.fail()
			return
		}
		item := t.b[t.pos] & 15
		if t.depth++; t.depth > maxDepth {
			t.fail()
			return
		}
		t.list(item, func() { t.item(item) })
		t.depth--
	case typeMap:
		n := t.uvarint()
		if n == 0 {
			return
		}
		if t.depth++; t.depth > maxDepth {
			t.fail()
			return
		}
		kinds := t.byte()
		for ; n > 0 && t.err == nil; n-- {
			t.item(kinds >> 4)
			t.item(kinds & 15)
		}
		t.depth--
	case typeStruct:
		t.structure(func(_ int, kind byte) { t.skip(kind) })
	default:
		t.fail()
	}
}

// item skips an item of a list or map, in which a boolean takes a byte.
func (t *thrift) item(kind byte) {
	if kind == typeTrue || kind == typeFalse {
		kind = typeByte
	}
	t.skip(kind)
}

// isInt reports whether a field has a whole number of 16, 32 or 64 bits.
func isInt(kind byte) bool { return kind > typeByte && kind <= typeI64 }
