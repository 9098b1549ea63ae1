package main

func zstdHuffman() []*Func { return []*Func{huffman4(), huffman1(), huffmanFill(), weights()} }

// bitsOf and bitAddress turn a position in the bits of src into an address as
// backward takes it, and back.
func bitAddress(f *Func, at Val) Val {
	return Add(Shl(f.Base("src"), 3), Sub(at, 57))
}

func bitsOf(f *Func, p Val) Val {
	return Add(Sub(p, Shl(f.Base("src"), 3)), 57)
}

// symbols decodes five symbols of the word at p to o. Of the word's 57 bits or
// more they take at most 55. The lowest bit is set to count how far it was
// shifted; it is none of those.
func symbols(f *Func, h, shift, p, o, acc, e Reg) {
	f.Set(acc, Shl(Or(Load64(Shr(p, 3), 0), 1), And(Xor(p, 7), 7)))
	for i := range 5 {
		f.Set(e, Load16(Add(h, Shl(Shr(acc, shift), 1)), "Huffman_entries"))
		f.Store8(o, i, Shr(e, 8))
		f.Set(acc, Shl(acc, e))
	}
	f.Set(p, Sub(Or(p, 7), Ctz(acc)))
	f.Inc(o, 5)
}

// huffman4 is func huffman4(h *Huffman, dst, src []byte, quarter, n int). An index of the
// table has h.log bits.
func huffman4() *Func {
	f := New("huffman4", Word("h"), Slice("dst"), Slice("src"), Word("quarter"), Word("n"))
	h, shift, end, acc, e := f.Reg("h"), f.Reg("shift"), f.Reg("end"), f.Reg("acc"), f.Reg("e")
	p := f.Regs("p0", "p1", "p2", "p3")
	o := f.Regs("o0", "o1", "o2", "o3")
	f.Set(h, f.Arg("h"))
	f.Set(shift, Sub(64, Load64(h, "Huffman_log")))
	for i := range 4 {
		f.Set(p[i], bitAddress(f, Load64(h, offset("Huffman_at", 8*i))))
		if i == 0 {
			f.Set(o[i], f.Base("dst"))
		} else {
			f.Set(o[i], Add(o[i-1], f.Arg("quarter")))
		}
	}
	f.Set(end, Add(o[0], Mul(f.Arg("n"), 5)))
	f.Loop("round", func() {
		for i := range 4 {
			symbols(f, h, shift, p[i], o[i], acc, e)
		}
		f.BreakIf("round", Lt(o[0], end))
	})
	for i := range 4 {
		f.Store64(h, offset("Huffman_at", 8*i), bitsOf(f, p[i]))
	}
	f.Return()
	return f
}

// huffman1 is func huffman1(h *Huffman, dst, src []byte, at, low int) int.
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
			symbols(f, h, shift, p, o, acc, e)
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

// huffmanFill is func huffmanFill(h *Huffman, n int): sorts the symbols by their
// weights, and then writes entries from the first to the last, four or more
// at a time. Those that are too many, the next symbol overwrites; behind the table there is room for them.
func huffmanFill() *Func {
	f := New("huffmanFill", Word("h"), Word("n"))
	h, p, v, end, t := f.Reg("h"), f.Reg("p"), f.Reg("v"), f.Reg("end"), f.Reg("t")
	f.Set(h, f.Arg("h"))
	// ranks become the places of the next symbol of each weight; weight 0 comes last.
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

	// Now a rank's place is where the next one's symbols begin.
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

// weights is func weights(h *Huffman, src []byte, pos, low int) int.
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
