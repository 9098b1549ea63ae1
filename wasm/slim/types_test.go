//go:build !js

package main

import (
	"bytes"
	"encoding/binary"
	"testing"
)

func TestFieldsThatNothingReads(t *testing.T) {
	const types = 8 * moduleWords
	const length = 4096
	// A struct of each kind, each with fields of these names, which begin at 2048.
	names := map[string]int{"a": 2048, "_": 2064, "Shared": 2080, "whole": 2096, "part": 2112}
	for _, c := range []struct {
		name           string
		equal          int
		flags          byte
		change         func(b []byte)
		fields, sparse bool // whether the fields stay, with their names or without
	}{
		{name: "not comparable"},
		{name: "compared in one piece", equal: types, flags: flagRegular},
		{name: "compared in parts", equal: types, sparse: true},
		{name: "with a mask that is made later", flags: flagMaskLater, sparse: true},
		{name: "no struct", change: func(b []byte) { b[offKind]-- }, fields: true},
		{name: "with flags that are not known", flags: 1 << 6, fields: true},
		{name: "not aligned", change: func(b []byte) { b[offAlign] = 3 }, fields: true},
		{name: "with more fields than space", change: func(b []byte) { b[offFieldCount]++ }, fields: true},
		{name: "with a field outside", change: func(b []byte) { b[offSize] = 8 }, fields: true},
		{name: "with a name that is none", change: func(b []byte) { b[offFields+1]++ }, fields: true},
	} {
		memory := make([]byte, types+length)
		put := func(at, v int) { binary.LittleEndian.PutUint64(memory[at:], uint64(v)) }
		put(8*moduleTypes, types)
		put(8*moduleTypesEnd, types+length)
		for name, at := range names {
			copy(memory[types+at:], append([]byte{nameExported, byte(len(name))}, name...))
		}
		const at, fields = types + 64, types + 256
		put(at+offSize, 40)
		put(at+offPtrBytes, 8)
		memory[at+offFlags], memory[at+offAlign], memory[at+offKind] = c.flags, 8, kindStruct
		put(at+offEqual, c.equal)
		put(at+offFields, fields)
		put(at+offFieldCount, 5)
		put(at+offFieldSpace, 5)
		for i, name := range []string{"a", "_", "Shared", "whole", "part"} {
			put(fields+lenField*i+offFieldName, types+names[name])
			put(fields+lenField*i+offFieldType, at)
			put(fields+lenField*i+offFieldOffset, 8*i)
		}
		// A type is called Shared, and something points to "whole".
		binary.LittleEndian.PutUint32(memory[types+1024:], uint32(names["Shared"]))
		put(types+1032, types+names["whole"])
		if c.change != nil {
			c.change(memory[at:])
		}
		m := &module{memory: bytes.Clone(memory)}
		(&functionTable{}).forgetFields(m)

		got := m.memory[fields : fields+5*lenField]
		want := make([]byte, len(got))
		switch {
		case c.fields:
			want = memory[fields : fields+5*lenField]
		case c.sparse:
			copy(want, memory[fields:])
			for _, i := range []int{0, 2, 3, 4} {
				clear(want[lenField*i : lenField*i+8])
			}
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s: the fields are % x", c.name, got)
		}
		if gone := word(m.memory[at:], offFieldCount/8) == 0; gone != (!c.fields && !c.sparse) {
			t.Errorf("%s: its list of fields is gone: %v", c.name, gone)
		}
		for name, at := range names {
			kept := m.memory[types+at] != 0
			// A blank name is read with its fields, and must not be removed.
			if want := c.fields || name == "_" || name == "Shared" || name == "whole"; kept != want {
				t.Errorf("%s: the name %s is kept: %v", c.name, name, kept)
			}
		}
	}
}

func TestWhatMayBeAMethod(t *testing.T) {
	const types = 8 * moduleWords
	const at, name, kind = types + 64, types + 256, types + 512
	for _, c := range []struct {
		name   string
		change func(b []byte)
		want   bool
	}{
		{name: "a method", want: true},
		{name: "of another package", change: func(b []byte) { b[name] = 1 << 2 }, want: true},
		{name: "with a long name", change: func(b []byte) { b[name+1] = 0x80 }, want: true},
		{name: "without a name", change: func(b []byte) { b[name+1] = 0 }},
		{name: "with flags that are not known", change: func(b []byte) { b[name] = 1 << 4 }},
		{name: "of a type that is not a function's", change: func(b []byte) { b[kind+offKind] = kindStruct }},
		{name: "of a type that does not begin there", change: func(b []byte) { b[at+offMethodType] += 4 }},
		{name: "with a name outside", change: func(b []byte) { b[at+offMethodName+2] = 1 }},
		{name: "with a type outside", change: func(b []byte) { b[at+offMethodType+2] = 1 }},
	} {
		memory := make([]byte, types+1024)
		binary.LittleEndian.PutUint32(memory[at+offMethodName:], name-types)
		binary.LittleEndian.PutUint32(memory[at+offMethodType:], kind-types)
		memory[name], memory[name+1], memory[kind+offKind] = nameExported, 3, kindFunc
		if c.change != nil {
			c.change(memory)
		}
		if got := (region{memory, types, len(memory)}).method(at); got != c.want {
			t.Errorf("%s: %t", c.name, got)
		}
	}
}
