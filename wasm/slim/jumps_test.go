//go:build !js

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/must"
)

// parts returns a body of four parts in the dispatch loop. The second part has this code.
func parts(code ...instruction) *body {
	f := &body{locals: []byte{0}, code: []instruction{
		{op: opBlock, arg: blockNone}, {op: opLoop, arg: blockNone},
		{op: opBlock, arg: blockNone}, {op: opBlock, arg: blockNone}, {op: opBlock, arg: blockNone}, {op: opBlock, arg: blockNone},
		{op: opLocalGet, arg: localPC}, {op: opBrTable, rest: []byte{5, 0, 0, 1, 2, 2, 3}},
		{op: opEnd}, {op: opNop}, {op: opEnd},
	}}
	f.code = append(f.code, code...)
	return &body{f.locals, append(f.code, instruction{op: opEnd}, instruction{op: opNop}, instruction{op: opEnd}, instruction{op: opNop},
		instruction{op: opEnd}, instruction{op: opUnreachable}, instruction{op: opEnd}, instruction{op: opI32Const, arg: 1}, instruction{op: opEnd})}
}

func TestJumps(t *testing.T) {
	jump := func(pc, depth int64) []instruction {
		return []instruction{{op: opI32Const, arg: pc}, {op: opLocalSet, arg: localPC}, {op: opBr, arg: depth}}
	}
	when := func(then []instruction) []instruction {
		return append(append([]instruction{{op: opLocalGet, arg: 1}, {op: opIf, arg: blockNone}}, then...), instruction{op: opEnd})
	}
	for _, c := range []struct {
		name      string
		was, want []instruction
	}{
		{"to the next part", jump(3, 2), []instruction{{op: opBr, arg: 0}}},
		{"to the last part", jump(5, 2), []instruction{{op: opBr, arg: 1}}},
		{"beyond the table", jump(50, 2), []instruction{{op: opBr, arg: 1}}},
		{"to the part itself", jump(2, 2), jump(2, 2)},
		{"to the first part", jump(1, 2), jump(1, 2)},
		{"under a condition", when(jump(5, 3)), []instruction{{op: opLocalGet, arg: 1}, {op: opBrIf, arg: 1}}},
		{"back under a condition", when(jump(0, 3)), []instruction{{op: opLocalGet, arg: 1}, {op: opI32Const}, {op: opLocalSet}, {op: opBrIf, arg: 2}}},
		{"after something under a condition", when(append([]instruction{{op: opNop}}, jump(5, 3)...)),
			[]instruction{{op: opLocalGet, arg: 1}, {op: opIf, arg: blockNone}, {op: opNop}, {op: opBr, arg: 2}, {op: opEnd}}},
		{"out of the loop", jump(5, 3), jump(5, 3)},
		{"where the counter has another use", append(jump(5, 2), instruction{op: opLocalGet, arg: localPC}), append(jump(5, 2), instruction{op: opLocalGet, arg: localPC})},
	} {
		f := parts(c.was...)
		f.jump()
		if got, want := f.encode(), parts(c.want...).encode(); !bytes.Equal(got, want) {
			t.Errorf("%s: the body is % x and not % x", c.name, got, want)
		}
	}
}

// TestBodiesAreWrittenAsTheyWere decodes and encodes all functions of a program.
func TestBodiesAreWrittenAsTheyWere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "main.wasm")
	build(t, program, path)
	b := must.Get(os.ReadFile(path))(t)
	m, table := tableOf(t, b)
	jumps := 0
	for i, b := range m.bodies {
		f, err := decode(b)
		if err != nil {
			t.Fatalf("%s: %v", table.functions[i].name, err)
		}
		// The linker writes some numbers longer than necessary.
		again := f.encode()
		if g, err := decode(again); err != nil || !reflect.DeepEqual(f, g) || len(again) > len(b) {
			t.Errorf("%s has changed: %v", table.functions[i].name, err)
		}
		before := len(f.code)
		f.jump()
		if len(f.code) < before {
			jumps++
		}
	}
	if jumps < len(m.bodies)/4 {
		t.Errorf("of %d functions only %d have jumps", len(m.bodies), jumps)
	}
}
