package main

// swaps writes the functions swap2, swap4 and swap8, with the contract of swap2Go. The masks are
// arguments because a browser's compiler materialises each 64-bit constant at every use.
func swaps() []*Func {
	return []*Func{swap("swap2", 2), swap("swap4", 4), swap("swap8", 8)}
}

func swap(name string, width int) *Func {
	f := New(name, Slice("dst"), Slice("src"), Word("even"), Word("pairs"))
	d, s, end := f.Reg("d"), f.Reg("s"), f.Reg("end")
	even, pairs := f.Reg("even"), f.Reg("pairs")
	f.Set(even, f.Arg("even"))
	f.Set(pairs, f.Arg("pairs"))
	w := f.Regs("a", "b", "c", "e")
	f.Set(d, f.Base("dst"))
	f.Set(s, f.Base("src"))
	f.Set(end, Add(s, f.Len("src")))
	// The words are independent of each other.
	f.Loop("words", func() {
		for i, r := range w {
			f.Set(r, Load64(s, 8*i))
		}
		for _, r := range w {
			f.Set(r, Or(And(Shr(r, 8), even), Shl(And(r, even), 8)))
		}
		if width >= 4 {
			for _, r := range w {
				f.Set(r, Or(And(Shr(r, 16), pairs), Shl(And(r, pairs), 16)))
			}
		}
		if width == 8 {
			for _, r := range w {
				f.Set(r, Rotl(r, 32))
			}
		}
		for i, r := range w {
			f.Store64(d, 8*i, r)
		}
		f.Inc(s, 8*len(w))
		f.Inc(d, 8*len(w))
		f.BreakIf("words", Lt(s, end))
	})
	f.Return()
	return f
}
