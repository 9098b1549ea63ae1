//go:build !js

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/must"
)

// in is an instruction with at most two numbers.
func in(op byte, numbers ...int64) instruction {
	i := instruction{op: op}
	if len(numbers) > 0 {
		i.arg = numbers[0]
	}
	if len(numbers) > 1 {
		i.more = uint64(numbers[1])
	}
	return i
}

var (
	address = int64(firstEntry+7) << 16
	end     = in(opEnd)
	// pushed is a call's return address, in the compiler's form.
	pushed = []instruction{in(opLocalGet, 1), in(opI32Const, 8), in(opI32Sub), in(opLocalTee, 1), in(opGlobalSet), in(opLocalGet, 1), in(opI64Const, address+5), in(opI64Store, 3)}
	load   = in(opI64Load, 3, 16)
)

// TestShorter rewrites code in the compiler's form.
func TestShorter(t *testing.T) {
	call := append(slices.Clone(pushed), in(opI32Const), in(opCall, 9))
	offset := []instruction{in(opLocalGet, 1), in(opI64ExtendI32U), in(opI64Const, 40), in(opI64Add), in(opI32WrapI64)}
	for _, c := range []struct {
		name      string
		do        func(*body)
		was, want []instruction
	}{
		{"a call", (*body).pass, call, []instruction{in(opAddress, 5), in(opCall, 9)}},
		{"an address that nothing is called with", (*body).pass, pushed, pushed},
		{"a call without an address", (*body).pass, call[len(pushed):], call[len(pushed):]},
		{"an indirect call", (*body).pass,
			slices.Concat(pushed, []instruction{in(opI64Const, 16), in(opI64ShrU), in(opI32WrapI64), in(opLocalSet, 0), in(opI32Const), in(opLocalGet, 0), in(opCallIndirect, 3)}),
			[]instruction{in(opI64Const, 16), in(opI64ShrU), in(opI32WrapI64), in(opLocalSet, 0), in(opAddress, 5), in(opLocalGet, 0), in(opCallIndirect, 3)}},

		{"a mark of an inlined call", (*body).omitMarks, []instruction{in(opNop), in(opCall, 9), in(opNop), end}, []instruction{in(opCall, 9), end}},

		{"what follows a call", func(f *body) { f.leave(nil) }, append([]instruction{in(opCall, 9)}, append(slices.Clone(refresh), in(opBrIf, 40), in(opNop), end)...),
			append([]instruction{in(opCall, 9)}, append(slices.Clone(refresh), in(opIf, blockNone), in(opI32Const, 1), in(opReturn), end, in(opNop), end)...)},
		{"what follows a call that does not return", func(f *body) { f.leave(map[int]bool{9: true}) },
			append([]instruction{in(opCall, 9)}, append(slices.Clone(refresh), in(opBrIf, 40), in(opNop), end)...), []instruction{in(opCall, 9), in(opReturn), in(opNop), end}},
		{"a call that nothing follows", func(f *body) { f.leave(nil) },
			append([]instruction{in(opCall, 9)}, append(slices.Clone(refresh), in(opBrIf, 40), end, in(opUnreachable), end)...), []instruction{in(opCall, 9), in(opReturn), end, in(opUnreachable), end}},

		{"a return", (*body).shortenReturns,
			[]instruction{in(opLocalGet, 1), in(opI32Const, 40), in(opI32Add), in(opLocalTee, 1), in(opGlobalSet), in(opLocalGet, 1), in(opI32Const, 8), in(opI32Add), in(opLocalTee, 1), in(opGlobalSet), in(opI32Const), in(opReturn), end},
			[]instruction{in(opLocalGet, 1), in(opI32Const, 48), in(opI32Add), in(opGlobalSet), in(opI32Const), in(opReturn), end}},
		{"a tail call", (*body).shortenReturns,
			[]instruction{in(opLocalGet, 1), in(opI32Const, 40), in(opI32Add), in(opLocalTee, 1), in(opGlobalSet), in(opI32Const), in(opCall, 3), in(opReturn), end},
			[]instruction{in(opLocalGet, 1), in(opI32Const, 40), in(opI32Add), in(opLocalTee, 1), in(opGlobalSet), in(opI32Const), in(opCall, 3), in(opReturn), end}},

		{"a load", (*body).shortenAddresses, append(slices.Clone(offset), load, in(opDrop)), []instruction{in(opLocalGet, 1), in(opI64Load, 3, 56), in(opDrop)}},
		{"a store", (*body).shortenAddresses, append(slices.Clone(offset), in(opLocalGet, 2), in(opI64Const, 3), in(opI64Add), in(opI64Store, 3, 2), in(opNop)),
			[]instruction{in(opLocalGet, 1), in(opLocalGet, 2), in(opI64Const, 3), in(opI64Add), in(opI64Store, 3, 42), in(opNop)}},
		{"a store of an address", (*body).shortenAddresses, append([]instruction{in(opI32Const, 0)}, append(slices.Clone(offset), in(opI32Store, 2, 0), in(opNop))...),
			[]instruction{in(opI32Const, 0), in(opLocalGet, 1), in(opI32Const, 40), in(opI32Add), in(opI32Store, 2, 0), in(opNop)}},
		{"an address for something else", (*body).shortenAddresses, append(slices.Clone(offset), in(opI32Eqz), in(opDrop)),
			[]instruction{in(opLocalGet, 1), in(opI32Const, 40), in(opI32Add), in(opI32Eqz), in(opDrop)}},
		{"an address across a call", (*body).shortenAddresses, append(slices.Clone(offset), in(opCall, 4), in(opI64Store, 3, 2), in(opNop)),
			[]instruction{in(opLocalGet, 1), in(opI32Const, 40), in(opI32Add), in(opCall, 4), in(opI64Store, 3, 2), in(opNop)}},
		{"a number there and back", (*body).shortenAddresses, []instruction{in(opLocalGet, 1), in(opI64ExtendI32U), in(opI32WrapI64), in(opDrop)}, []instruction{in(opLocalGet, 1), in(opDrop)}},

		{"addresses", func(f *body) { f.locals = []byte{2, 1, typeI32, 3, typeI64}; f.expand(address) }, []instruction{in(opLocalGet, 0), in(opLocalGet, 1), in(opLocalGet, 2), in(opAddress, 5), in(opAddress, 0)},
			[]instruction{in(opI32Const, address), in(opLocalSet, 2), in(opLocalGet, 0), in(opLocalGet, 1), in(opLocalGet, 3), in(opLocalGet, 2), in(opI32Const, 5), in(opI32Or), in(opLocalGet, 2)}},
		{"addresses without a local", func(f *body) { f.expand(address) }, []instruction{in(opLocalGet, 2), in(opAddress, 5), in(opAddress, 0)},
			[]instruction{in(opLocalGet, 2), in(opI32Const, address+5), in(opI32Const, address)}},
		{"no address", func(f *body) { f.expand(address) }, []instruction{in(opLocalGet, 2)}, []instruction{in(opLocalGet, 2)}},
	} {
		f := &body{[]byte{0}, append(slices.Clone(c.was), end)}
		c.do(f)
		if want := append(slices.Clone(c.want), end); !slices.EqualFunc(f.code, want, func(a, b instruction) bool {
			return a.op == b.op && a.arg == b.arg && a.more == b.more
		}) {
			t.Errorf("%s has become %v and not %v", c.name, f.code, want)
		}
	}
}

// TestParts numbers a function with an unused part and an empty one.
func TestParts(t *testing.T) {
	const wide = blockNone
	calls := func(counter int64) []instruction {
		return append([]instruction{in(opAddress, counter), in(opCall, 9)}, append(slices.Clone(refresh), in(opIf, wide), in(opI32Const, 1), in(opReturn), end)...)
	}
	f := &body{[]byte{0}, slices.Concat(
		[]instruction{in(opBlock, wide), in(opLoop, wide), in(opBlock, wide), in(opBlock, wide), in(opBlock, wide), in(opBlock, wide), in(opBlock, wide),
			in(opLocalGet, 0), {op: opBrTable, rest: []byte{8, 0, 0, 0, 1, 1, 2, 2, 3, 4}}, end},
		// the first part, the second, to which the call returns, and
		calls(3), []instruction{end, in(opNop), in(opBr, 1), end},
		// the third, to which nothing leads, the fourth, which is empty
		[]instruction{in(opNop), end, end},
		[]instruction{in(opLocalGet, 1), in(opIf, wide), in(opAddress, 7), in(opCall, 5), in(opReturn), end},
		[]instruction{in(opAddress, 8), in(opCall, 6), in(opReturn), in(opUnreachable)},
		[]instruction{in(opI32Const, 3), in(opLocalSet, 0), in(opBr, 0), end, in(opUnreachable), end, in(opI32Const, 1), end},
	)}
	fn := &function{
		frame:    values{0, 32}.write(),
		pointers: values{-1, -1, 4, 5, 5, 5, 5, 4, 4}.write(),
	}
	f.number(fn, 5)
	want := slices.Concat(
		[]instruction{in(opBlock, wide), in(opLoop, wide), in(opBlock, wide), in(opBlock, wide), in(opBlock, wide),
			in(opLocalGet, 0), {op: opBrTable, rest: []byte{3, 0, 0, 1, 2}}, end},
		calls(2), []instruction{end, in(opNop), in(opBr, 0), in(opNop), end},
		[]instruction{in(opLocalGet, 1), in(opIf, wide), in(opAddress, 1), in(opCall, 5), in(opReturn), end},
		[]instruction{in(opAddress, 2), in(opCall, 6), in(opReturn)},
		[]instruction{in(opI32Const, 2), in(opLocalSet, 0), in(opBr, 0), end, in(opUnreachable), end, in(opI32Const, 1), end},
	)
	if !slices.EqualFunc(f.code, want, func(a, b instruction) bool { return a.op == b.op && a.arg == b.arg && bytes.Equal(a.rest, b.rest) }) {
		t.Errorf("the code is\n%v and not\n%v", f.code, want)
	}
	if maps := readValues(fn.pointers); maps.at(1) != 4 {
		t.Error("the map is that of another call: ", maps[:4])
	}
	if sizes := readValues(fn.frame); sizes.at(0) != 0 || sizes.at(1) != 32 || sizes.at(counterMost) != 32 {
		t.Error("the frame is ", sizes[:3])
	}
}

// TestPlacesSayTheSame compares the calls of all functions of a program before and after
// renumbering. It compares their target, the frame's size and map at the return address, and their
// return.
func TestPlacesSayTheSame(t *testing.T) {
	path := filepath.Join(t.TempDir(), "main.wasm")
	build(t, program, path)
	b := must.Get(os.ReadFile(path))(t)
	m, table := tableOf(t, b)
	regular := must.Get(m.regular())(t)
	type said struct {
		kind       placeKind
		calls      instruction
		size, maps int32
		deferred   bool
	}
	say := func(f *body, fn *function) (all []said) {
		l := f.layout()
		if l == nil {
			return nil
		}
		sizes, maps := readValues(fn.frame), readValues(fn.pointers)
		for _, p := range l.places(-1) {
			s := said{kind: p.kind, size: sizes.at(p.counter), maps: max(maps.at(max(p.counter-1, 0)), 0)}
			s.deferred = p.kind == resumes && fn.deferCounter() != 0 && fn.deferCounter() == p.counter-1
			for i := p.at; ; i++ {
				if s.calls = f.code[i]; s.calls.op == opCall || s.calls.op == opCallIndirect {
					break
				}
			}
			if p.kind == again {
				s.maps = 0
			}
			all = append(all, s)
		}
		return all
	}
	numbered := 0
	for _, fn := range table.functions {
		if !regular[fn.index] {
			continue
		}
		f := must.Get(decode(m.bodies[fn.index]))(t)
		f.jump()
		f.pass()
		f.leave(nil)
		want, before := say(f, fn), len(f.code)
		f.number(fn, -1)
		if got := say(f, fn); !slices.EqualFunc(got, want, func(a, b said) bool {
			return a.kind == b.kind && a.calls.op == b.calls.op && a.calls.arg == b.calls.arg && a.size == b.size && a.maps == b.maps && a.deferred == b.deferred
		}) {
			t.Errorf("%s has the calls\n%v and had\n%v", fn.name, got, want)
		}
		if len(f.code) < before {
			numbered++
		}
	}
	if numbered < len(m.bodies)/3 {
		t.Errorf("of %d functions only %d were numbered", len(m.bodies), numbered)
	}
}
