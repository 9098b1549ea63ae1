package main

func zstdHuffman() []*Func {
	return []*Func{huffman4("huffman4", single), huffman4("huffman4Pairs", pairs), huffman1(), huffmanFill(), huffmanPairs(), weights()}
}

// bitsOf and bitAddress convert between a position in the bits of src and an address for backward.
func bitAddress(f *Func, at Val) Val {
	return Add(Shl(f.Base("src"), 3), Sub(at, 57))
}

func bitsOf(f *Func, p Val) Val {
	return Add(Sub(p, Shl(f.Base("src"), 3)), 57)
}

// single decodes a symbol of acc to o+i.
func single(f *Func, h, shift, o, acc, e Reg, i int) {
	f.Set(e, Load16(Add(h, Shl(Shr(acc, shift), 1)), "Huffman_entries"))
	f.Store8(o, i, Shr(e, 8))
	f.Set(acc, Shl(acc, e))
	if i == 4 {
		f.Inc(o, 5)
	}
}

// pairs decodes one or two symbols of acc to o.
func pairs(f *Func, h, _, o, acc, e Reg, _ int) {
	f.Set(e, Load32(Add(h, Shl(Shr(acc, 64-11), 2)), "Huffman_pairs"))
	f.Store16(o, 0, e)
	f.Inc(o, Shr(e, 24))
	f.Set(acc, Shl(acc, Shr(e, 16)))
}

// symbols does five lookups for the word at p. They take at most 55 of its 57 or more bits. The
// lowest bit, which is not among those, is set to count the shifts.
func symbols(f *Func, h, shift, p, o, acc, e Reg, lookup func(f *Func, h, shift, o, acc, e Reg, i int)) {
	f.Set(acc, Shl(Or(Load64(Shr(p, 3), 0), 1), And(Xor(p, 7), 7)))
	for i := range 5 {
		lookup(f, h, shift, o, acc, e, i)
	}
	f.Set(p, Sub(Or(p, 7), Ctz(acc)))
}

// huffman4 writes func huffman4(h *Huffman, dst, src []byte, n int), and the same for pairs. It
// decodes n rounds, for which the caller has checked bits and room. A table's index has as many
// bits as the table is built for.
func huffman4(name string, lookup func(f *Func, h, shift, o, acc, e Reg, i int)) *Func {
	f := New(name, Word("h"), Slice("dst"), Slice("src"), Word("n"))
	h, shift, n, acc, e := f.Reg("h"), f.Reg("shift"), f.Reg("n"), f.Reg("acc"), f.Reg("e")
	p := f.Regs("p0", "p1", "p2", "p3")
	o := f.Regs("o0", "o1", "o2", "o3")
	f.Set(h, f.Arg("h"))
	f.Set(shift, Sub(64, Load64(h, "Huffman_log")))
	for i := range 4 {
		f.Set(p[i], bitAddress(f, Load64(h, offset("Huffman_at", 8*i))))
		f.Set(o[i], Add(f.Base("dst"), Load64(h, offset("Huffman_to", 8*i))))
	}
	f.Set(n, f.Arg("n"))
	f.Loop("round", func() {
		for i := range 4 {
			symbols(f, h, shift, p[i], o[i], acc, e, lookup)
		}
		f.Dec(n, 1)
		f.BreakIf("round", NonZero(n))
	})
	for i := range 4 {
		f.Store64(h, offset("Huffman_at", 8*i), bitsOf(f, p[i]))
		f.Store64(h, offset("Huffman_to", 8*i), Sub(o[i], f.Base("dst")))
	}
	f.Return()
	return f
}

// huffmanPairs writes func huffmanPairs(h *Huffman).
func huffmanPairs() *Func {
	f := New("huffmanPairs", Word("h"))
	h, shift, i, e, next, both := f.Reg("h"), f.Reg("shift"), f.Reg("i"), f.Reg("e"), f.Reg("next"), f.Reg("both")
	f.Set(h, f.Arg("h"))
	f.Set(shift, Sub(11, Load64(h, "Huffman_log")))
	f.Set(i, 0)
	f.Loop("entry", func() {
		entry := func(at Val) Val { return Load16(Add(h, Shl(Shr(at, shift), 1)), "Huffman_entries") }
		f.Set(e, entry(i))
		f.Set(next, entry(And(Shl(i, e), 2047)))
		f.Set(both, And(Add(e, next), 255))
		f.IfElse(Le(both, 11), func() {
			f.Set(e, Or(Shr(e, 8), Or(And(next, 0xff00), Or(Shl(both, 16), 2<<24))))
		}, func() {
			f.Set(e, Or(Shr(e, 8), Or(Shl(And(e, 255), 16), 1<<24)))
		})
		f.Store32(Add(h, Shl(i, 2)), "Huffman_pairs", e)
		f.Inc(i, 1)
		f.BreakIf("entry", Lt(i, 2048))
	})
	f.Return()
	return f
}

// huffman1 writes func huffman1(h *Huffman, dst, src []byte, at, low int) int.
func huffman1() *Func {
	f := New("huffman1", Word("h"), Slice("dst"), Slice("src"), Word("at"), Word("low"), Result("next"))
	h, shift, p, low, o, end := f.Reg("h"), f.Reg("shift"), f.Reg("p"), f.Reg("low"), f.Reg("o"), f.Reg("end")
	acc, e := f.Reg("acc"), f.Reg("e")
	f.Set(h, f.Arg("h"))
	f.Set(shift, Sub(64, Load64(h, "Huffman_log")))
	f.Set(p, bitAddress(f, f.Arg("at")))
	f.Set(low, bitAddress(f, f.Arg("low")))
	f.Set(o, f.Base("dst"))
	f.Set(end, Add(o, f.Len("dst")))
	f.Block("few", func() {
		f.Loop("round", func() {
			f.BreakIf("few", Gt(Add(o, 5), end))
			f.BreakIf("few", Gt(Add(low, 55), p))
			symbols(f, h, shift, p, o, acc, e, single)
			f.Break("round")
		})
	})
	f.Block("done", func() {
		f.Loop("symbol", func() {
			f.BreakIf("done", Ge(o, end))
			f.BreakIf("done", Lt(p, low))
			f.Set(e, Load16(Add(h, Shl(Shr(backward(p), shift), 1)), "Huffman_entries"))
			f.Store8(o, 0, Shr(e, 8))
			f.Dec(p, And(e, 255))
			f.Inc(o, 1)
			f.Break("symbol")
		})
	})
	f.Return(bitsOf(f, p))
	return f
}

// huffmanFill writes func huffmanFill(h *Huffman, n int). It sorts the symbols by weight, and
// writes entries in order, four or more at a time. The next symbol overwrites the excess entries;
// the table has room for them at its end.
func huffmanFill() *Func {
	f := New("huffmanFill", Word("h"), Word("n"))
	h, p, v, end, t := f.Reg("h"), f.Reg("p"), f.Reg("v"), f.Reg("end"), f.Reg("t")
	f.Set(h, f.Arg("h"))
	// ranks become the positions of the next symbol of each weight; weight 0 comes last.
	f.Set(p, Add(h, Const("Huffman_sorted")))
	next := func() {
		f.Set(t, Load64(Add(h, Shl(v, 3)), "Huffman_ranks"))
		f.Store64(Add(h, Shl(v, 3)), "Huffman_ranks", p)
		f.Inc(p, t)
	}
	f.Set(v, 1)
	f.Loop("rank", func() {
		next()
		f.Inc(v, 1)
		f.BreakIf("rank", Le(v, 12))
	})
	f.Set(v, 0)
	next()
	f.Set(p, h)
	f.Set(end, Add(h, f.Arg("n")))
	f.Loop("sort", func() {
		f.Set(v, Shl(Load8(p, "Huffman_weights"), 3))
		f.Inc(v, h)
		f.Set(t, Load64(v, "Huffman_ranks"))
		f.Store8(t, 0, Sub(p, h))
		f.Store64(v, "Huffman_ranks", Add(t, 1))
		f.Inc(p, 1)
		f.BreakIf("sort", Lt(p, end))
	})

	// A rank is now the start of the next rank's symbols.
	e, size, o, q := f.Reg("e"), f.Reg("size"), f.Reg("o"), f.Reg("q")
	f.Set(p, Add(h, Const("Huffman_sorted")))
	f.Set(o, Add(h, Const("Huffman_entries")))
	f.Set(size, 2)
	f.Set(v, 1)
	f.Loop("weight", func() {
		f.Set(end, Load64(Add(h, Shl(v, 3)), "Huffman_ranks"))
		f.If(Lt(p, end), func() {
			f.Loop("symbol", func() {
				f.Set(e, Add(Shl(Load8(p, 0), 8), Sub(Add(Load64(h, "Huffman_log"), 1), v)))
				f.Set(e, Mul(e, uint64(0x0001000100010001)))
				f.Store64(o, 0, e)
				f.If(Gt(size, 8), func() {
					f.Set(q, Add(o, size))
					f.Loop("run", func() {
						f.Store64(o, 0, e)
						f.Store64(o, 8, e)
						f.Inc(o, 16)
						f.BreakIf("run", Lt(o, q))
					})
					f.Dec(o, size)
				})
				f.Inc(o, size)
				f.Inc(p, 1)
				f.BreakIf("symbol", Lt(p, end))
			})
		})
		f.Set(size, Shl(size, 1))
		f.Inc(v, 1)
		f.BreakIf("weight", Le(v, Load64(h, "Huffman_log")))
	})
	f.Return()
	return f
}

// weights writes func weights(h *Huffman, src []byte, pos, low int) int.
func weights() *Func {
	f := New("weights", Word("h"), Slice("src"), Word("pos"), Word("low"), Result("n"))
	h, p, low, acc, a, b, n, e := f.Reg("h"), f.Reg("p"), f.Reg("low"), f.Reg("acc"), f.Reg("a"), f.Reg("b"), f.Reg("n"), f.Reg("e")
	f.Set(h, f.Arg("h"))
	f.Set(p, bitAddress(f, f.Arg("pos")))
	f.Set(low, bitAddress(f, f.Arg("low")))
	f.Set(e, Load64(h, "(Huffman_states+table_log)"))
	f.Set(acc, backward(p))
	f.Set(a, topBits(acc, e))
	f.Set(b, topBits(Shl(acc, e), e))
	f.Dec(p, Shl(e, 1))
	f.Set(n, h)
	f.Block("end", func() {
		f.Loop("next", func() {
			entry := func(state Reg) Val { return Load64(Add(h, Shl(state, 3)), "(Huffman_states+table_entries)") }
			f.Set(e, entry(a))
			f.Store8(n, "Huffman_weights", Shr(e, 32))
			f.Set(acc, backward(p))
			f.Dec(p, And(e, 63))
			f.If(Lt(p, low), func() {
				f.Store8(n, "(Huffman_weights+1)", Shr(entry(b), 32))
				f.Set(n, Sub(Add(n, 2), h))
				f.Break("end")
			})
			f.Set(a, b)
			f.Set(b, Add(And(Shr(e, 16), 0xffff), topBits(acc, e)))
			f.Inc(n, 1)
			f.BreakIf("next", Lt(n, Add(h, 254)))
		})
		f.Set(n, 256)
	})
	f.Return(n)
	return f
}
