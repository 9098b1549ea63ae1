//go:build !js

package main

// The offsets of the fields of a type ("abi.Type", "abi.StructType").
const (
	offSize       = 0
	offPtrBytes   = 8
	offFlags      = 20
	offAlign      = 21 // for variables; the next byte is for fields
	offKind       = 23
	offEqual      = 24
	offFields     = 56
	offFieldCount = 64
	offFieldSpace = 72
	lenStruct     = 80

	offFieldName   = 0
	offFieldType   = 8
	offFieldOffset = 16
	lenField       = 24

	kindStruct = 25

	// The offsets in a method ("abi.Method"). Only package reflect calls the fields after these,
	// and the programs ask it for no method.
	offMethodName = 0
	offMethodType = 4
	offCalled     = 8 // the number of the function that is called through an interface
	lenMethod     = 16

	kindFunc = 19

	flagRegular   = 1 << 3 // compared and hashed as one block of memory
	flagMaskLater = 1 << 4 // the collector's mask is built on demand
	flagsKnown    = 1<<6 - 1
	maxFields     = 1000
)

// forgetFields removes the fields of structs that nothing reads, since the program does not link
// package reflect, and the names of all fields. The runtime reads the fields of structs that it
// hashes in parts, and of those with masks on demand. It checks whether a name is blank.
func (t *functionTable) forgetFields(m *module) {
	md := m.memory[t.module:]
	types := region{m.memory, word(md, moduleTypes), word(md, moduleTypesEnd)}
	names := map[int]bool{} // of fields
	for at := types.from; at+lenStruct <= types.to; at += 8 {
		fields := types.fields(at)
		if fields == nil {
			continue
		}
		for ; len(fields) > 0; fields = fields[lenField:] {
			name := word(fields[offFieldName:], 0)
			if types.name(name) == "_" {
				continue
			}
			names[name] = true
			clear(fields[offFieldName : offFieldName+8])
		}
		b := m.memory[at:]
		if masked := b[offFlags]&flagMaskLater != 0; !masked && (word(b[offEqual:], 0) == 0 || b[offFlags]&flagRegular != 0) {
			clear(m.memory[word(b[offFields:], 0):][:lenField*word(b[offFieldCount:], 0)])
			clear(b[offFields:lenStruct])
		}
	}
	// Types, methods and packages may share these names.
	for at := 0; at+8 <= len(m.memory); at += 8 {
		delete(names, word(m.memory[at:], 0))
	}
	for at := types.from; at+4 <= types.to; at += 4 {
		delete(names, types.from+int(u32(m.memory, at)))
	}
	for at := range names {
		clear(m.memory[at : at+2+len(types.name(at))])
	}
}

// region is a part of memory.
type region struct {
	memory   []byte
	from, to int
}

// fields returns the fields of the struct type at an address, or nil.
func (r region) fields(at int) []byte {
	b := r.memory[at:]
	align := b[offAlign]
	if b[offKind] != kindStruct || b[offFlags]&^flagsKnown != 0 || align == 0 || align > 8 || align&(align-1) != 0 {
		return nil
	}
	size, count := word(b[offSize:], 0), word(b[offFieldCount:], 0)
	if word(b[offPtrBytes:], 0) > size || count <= 0 || count > maxFields || count != word(b[offFieldSpace:], 0) {
		return nil
	}
	start := word(b[offFields:], 0)
	if start < r.from || start > r.to-lenField*count {
		return nil
	}
	fields := r.memory[start:][:lenField*count]
	last := 0
	for f := fields; len(f) > 0; f = f[lenField:] {
		kind, offset := word(f[offFieldType:], 0), word(f[offFieldOffset:], 0)
		if r.name(word(f[offFieldName:], 0)) == "" || kind < r.from || kind >= r.to || offset < last || offset > size {
			return nil
		}
		last = offset
	}
	return fields
}

// method reports whether there may be a method of a type at an address: one with a name, and with a
// function type. It may be true for other numbers, but is never false for a method.
func (r region) method(at int) bool {
	name, kind := r.from+int(u32(r.memory, at+offMethodName)), r.from+int(u32(r.memory, at+offMethodType))
	if name > r.to-2 || kind > r.to-offFields || kind%8 != 0 {
		return false
	}
	return r.memory[name]&^nameFlags == 0 && r.memory[name+1] != 0 && r.memory[kind+offKind] == kindFunc
}

// name returns the name at an address, after its flags and length. It is empty unless that is the
// name of a field without a tag.
func (r region) name(at int) string {
	if at < r.from || at > r.to-2 {
		return ""
	}
	flags, length := r.memory[at], int(r.memory[at+1])
	if flags&^(nameExported|nameEmbedded) != 0 || length > 127 || length > r.to-at-2 {
		return ""
	}
	return string(r.memory[at+2 : at+2+length])
}

const (
	nameExported = 1 << 0
	nameEmbedded = 1 << 3
	nameFlags    = 1<<4 - 1
)
