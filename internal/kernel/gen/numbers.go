package main

import "strconv"

// float is a floating-point number on the stack. The language has no registers for them except
// local.
type float = Val

// local is a wasm local that holds a float64.
func local(n int) Val { return op("Get F" + strconv.Itoa(16+n)) }

func setLocal(f *Func, n int, v float) {
	f.push(v)
	f.line("Set F%d", 16+n)
}

// convert writes a function of dst, src and n. It reads n elements of from bytes at src, converts
// each by one, and writes n elements of to bytes.
func convert(name string, from, to int, setup func(f *Func), one func(f *Func, d, s Val, di, si int), more ...Param) *Func {
	f := New(name, append([]Param{Word("dst"), Word("src"), Word("n")}, more...)...)
	d, s, n := f.Reg("d"), f.Reg("s"), f.Reg("n")
	f.Set(d, f.Arg("dst"))
	f.Set(s, f.Arg("src"))
	f.Set(n, f.Arg("n"))
	setup(f)
	f.Block("few", func() {
		f.BreakIf("few", LtS(n, 4))
		f.Loop("four", func() {
			for i := range 4 {
				one(f, d, s, i*to, i*from)
			}
			f.Inc(d, 4*to)
			f.Inc(s, 4*from)
			f.Dec(n, 4)
			f.BreakIf("four", GeS(n, 4))
		})
	})
	f.Block("none", func() {
		f.BreakIf("none", Zero(n))
		f.Loop("one", func() {
			one(f, d, s, 0, 0)
			f.Inc(d, to)
			f.Inc(s, from)
			f.Dec(n, 1)
			f.BreakIf("one", NonZero(n))
		})
	})
	f.Return()
	return f
}

func nothing(*Func) {}

func numbers() []*Func {
	var all []*Func
	ints := []struct {
		name  string
		width int
		load  string
	}{
		{"S1", 1, "I64Load8S"}, {"U1", 1, "I64Load8U"}, {"S2", 2, "I64Load16S"},
		{"U2", 2, "I64Load16U"}, {"S4", 4, "I64Load32S"}, {"U4", 4, "I64Load32U"},
	}
	for _, t := range ints {
		all = append(all, convert("widen"+t.name, t.width, 8, nothing, func(f *Func, d, s Val, di, si int) {
			f.Store64(d, di, load{t.load, s, si})
		}))
	}
	for _, width := range []int{1, 2, 4} {
		all = append(all, convert("narrow"+strconv.Itoa(width), 8, width, nothing, func(f *Func, d, s Val, di, si int) {
			f.store("I64Store"+strconv.Itoa(8*width), d, di, Load64(s, si))
		}))
	}
	all = append(all, convert("promote", 4, 8, nothing, func(f *Func, d, s Val, di, si int) {
		f.store("F64Store", d, di, op("F64PromoteF32", load{"F32Load", s, si}))
	}), convert("demote", 8, 4, nothing, func(f *Func, d, s Val, di, si int) {
		f.store("F32Store", d, di, op("F32DemoteF64", load{"F64Load", s, si}))
	}), convert("scale", 8, 8, func(f *Func) {
		setLocal(f, 0, op("F64ReinterpretI64", f.Arg("scale")))
		setLocal(f, 1, op("F64ReinterpretI64", f.Arg("offset")))
	}, func(f *Func, d, s Val, di, si int) {
		f.store("F64Store", d, di, op("F64Add", op("F64Div", load{"F64Load", s, si}, local(0)), local(1)))
	}, Word("scale"), Word("offset")))
	for _, c := range []string{"S", "U"} {
		all = append(all, convert("real"+c, 8, 8, nothing, func(f *Func, d, s Val, di, si int) {
			f.store("F64Store", d, di, op("F64ConvertI64"+c, Load64(s, si)))
		}))
	}
	return all
}
