package main

import "strconv"

// deltas writes the functions delta1, delta2, delta4 and delta8, with the contract of deltaGo. They
// read and write the same number of bytes in order, 4 elements per iteration.
func deltas() []*Func {
	return []*Func{
		delta(1, Load8, (*Func).Store8),
		delta(2, Load16, (*Func).Store16),
		delta(4, Load32, (*Func).Store32),
		delta(8, Load64, (*Func).Store64),
	}
}

func delta(size int, load func(Val, any) Val, store func(*Func, Val, any, Val)) *Func {
	f := New("delta"+strconv.Itoa(size), Slice("dst"), Slice("src"))
	d, s, end, sum := f.Reg("d"), f.Reg("s"), f.Reg("end"), f.Reg("sum")
	f.Set(d, f.Base("dst"))
	f.Set(s, f.Base("src"))
	f.Set(end, Add(s, f.Len("src")))
	f.Set(sum, 0)
	f.Loop("four", func() {
		for i := range 4 {
			f.Inc(sum, load(s, i*size))
			store(f, d, i*size, sum)
		}
		f.Inc(d, 4*size)
		f.Inc(s, 4*size)
		f.BreakIf("four", Lt(s, end))
	})
	f.Return()
	return f
}
