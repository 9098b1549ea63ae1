package main

import "fmt"

func zstdSearch() []*Func { return []*Func{search()} }

// common advances a while its bytes equal those offset before it, up to end. x is scratch. The
// bytes at a-offset are in memory, and a is at most end.
func common(f *Func, a, offset Reg, end Val, x Reg) {
	f.Block("differs", func() {
		f.Loop("words", func() {
			f.If(Le(Add(a, 8), end), func() {
				f.Set(x, Xor(Load64(a, 0), Load64(Sub(a, offset), 0)))
				f.If(NonZero(x), func() {
					f.Inc(a, Shr(Ctz(x), 3))
					f.Break("differs")
				})
				f.Inc(a, 8)
				f.Break("words")
			})
		})
		f.Loop("bytes", func() {
			f.BreakIf("differs", Ge(a, end))
			f.BreakIf("differs", Ne(Load8(a, 0), Load8(Sub(a, offset), 0)))
			f.Inc(a, 1)
			f.Break("bytes")
		})
	})
}

// retreat lowers at while the bytes before it equal those offset before them. It stays at or
// after least, and at-offset at or after base.
func retreat(f *Func, at, offset, least Reg, base Val) {
	f.Block("first", func() {
		f.Loop("back", func() {
			f.BreakIf("first", Any(Le(at, least), Le(Sub(at, offset), base)))
			f.BreakIf("first", Ne(Load8(Sub(at, 1), 0), Load8(Sub(Sub(at, 1), offset), 0)))
			f.Dec(at, 1)
			f.Break("back")
		})
	})
}

// search writes func search(s *Search, src []byte, from int), with the contract of searchGo. The
// length of src exceeds from by more than margin.
//
// Every access is within its slice:
//
//   - Places that are examined are at least margin, 16 bytes, before the end. Loads reach 10 bytes
//     further.
//   - The table holds earlier places only. The search enters no place from which it returns to an
//     earlier one. The recent offsets are at most the place that is examined: they begin as 1 and
//     4, and matches have at least 4 bytes.
//   - A match takes 4 bytes or more, which bounds the sequences. Literals are bytes of the block,
//     and up to 16 are written beyond: overrun.
func search() *Func {
	f := New("search", Word("s"), Slice("src"), Word("from"))
	s, base, p, v, slot, next := f.Reg("s"), f.Base("src"), f.Reg("p"), f.Reg("v"), f.Reg("slot"), f.Reg("next")
	a, b, near, far := f.Reg("a"), f.Reg("b"), f.Reg("near"), f.Reg("far")
	anchor, end, seq, lit, at, x := f.Reg("anchor"), f.Reg("end"), f.Reg("seq"), f.Reg("lit"), f.Reg("at"), f.Reg("x")
	ahead := f.Reg("ahead")
	stop := Sub(end, "const_margin")
	slotOf := func(bytes Val) Val {
		return Add(s, Shl(Shr(Mul(Shl(bytes, "(64-8*const_hashBytes)"), uint64(0x9e3779b97f4a7c15)), "(64-const_hashLog)"), 2))
	}
	enter := func(place Val) { f.Store32(slotOf(Load64(place, 0)), "Search_table", Sub(place, base)) }
	low := func(v Val) Val { return And(v, uint64(0xffffffff)) }
	// add adds a match of [at, e), whose literals have the length x.
	add := func(e Reg, value Val) {
		f.Store32(seq, 0, x)
		f.Store32(seq, 4, Sub(Sub(e, at), 3))
		f.Store32(seq, 8, value)
		f.Inc(seq, 16)
	}

	f.Set(s, f.Arg("s"))
	f.Set(end, Add(base, f.Len("src")))
	f.Set(anchor, Add(base, f.Arg("from")))
	f.Set(p, Add(anchor, Bool(Eq(anchor, base))))
	f.Set(near, Load64(s, "Search_recent"))
	f.Set(far, Load64(s, "(Search_recent+8)"))
	f.Set(ahead, 0)
	f.Set(seq, Add(s, Const("Search_sequences")))
	f.Set(lit, Add(s, Const("Search_literals")))

	f.Block("done", func() {
		f.Loop("step", func() {
			f.BreakIf("done", Ge(p, stop))
			f.Set(v, Load64(p, 0))
			f.Set(slot, slotOf(v))
			f.Set(next, slotOf(Shr(v, 8)))
			// The offsets of the two candidates.
			f.Set(x, Sub(p, base))
			f.Set(a, Sub(x, Load32(slot, "Search_table")))
			f.Set(b, Sub(Add(x, 1), Load32(next, "Search_table")))
			store := func() {
				f.Set(x, Sub(p, base))
				f.Store32(slot, "Search_table", x)
				f.Store32(next, "Search_table", Add(x, 1))
			}
			f.Block("match", func() {
				f.Set(at, Add(p, 2))
				f.If(Eq(Load32(Sub(at, near), 0), low(Shr(v, 16))), func() {
					f.Set(a, near)
					f.Break("match")
				})
				f.If(Eq(Load32(Sub(p, a), 0), low(v)), func() {
					f.Set(at, p)
					f.Break("match")
				})
				f.Set(at, Add(p, 1))
				f.Set(a, b)
				f.BreakIf("match", Eq(Load32(Sub(at, b), 0), low(Shr(v, 8))))
				f.If(NonZero(ahead), func() {
					f.Set(p, anchor)
					f.Set(ahead, 0)
					f.Break("step")
				})
				store()
				f.Inc(p, Add(2, Shr(Sub(p, anchor), "const_patience")))
				f.Break("step")
			})
			store()

			f.Set(x, anchor)
			f.Set(b, 1)
			f.IfElse(Both(Eq(a, near), Gt(at, anchor)), func() {
				f.Inc(x, 1)
			}, func() {
				f.Set(far, near)
				f.Set(near, a)
				f.Set(b, Add(a, 3))
			})
			retreat(f, at, a, x, base)
			f.Set(slot, Add(at, "const_minMatch"))
			common(f, slot, a, end, x)
			f.Set(x, Sub(at, anchor))
			add(slot, b)
			f.Set(ahead, 0)
			f.If(Both(Eq(x, Load64(s, "Search_run")), Both(Le(x, "const_regular"), Le(Sub(slot, at), "const_regular"))), func() {
				f.Set(ahead, x)
			})
			f.Store64(s, "Search_run", x)
			f.IfElse(Both(Le(x, 16), Le(Add(anchor, 16), end)), func() {
				copy8(f, lit, anchor, 0)
				copy8(f, lit, anchor, 8)
			}, func() {
				f.Copy(lit, anchor, x)
			})
			f.Inc(lit, x)
			f.Set(anchor, slot)
			f.BreakIf("done", Ge(slot, stop))
			f.Set(at, Add(p, 2))
			enter(at)
			f.Set(at, Sub(slot, 2))
			enter(at)
			f.Set(p, slot)
			f.Loop("again", func() {
				f.BreakIf("done", Ge(p, stop))
				f.If(Eq(Load32(p, 0), Load32(Sub(p, far), 0)), func() {
					f.Set(x, near)
					f.Set(near, far)
					f.Set(far, x)
					enter(p)
					f.Set(at, p)
					f.Inc(p, "const_minMatch")
					common(f, p, near, end, x)
					f.Set(x, 0)
					add(p, 1)
					f.Set(anchor, p)
					f.Break("again")
				})
			})
			f.Inc(p, ahead)
			f.Break("step")
		})
	})
	f.Store64(s, "Search_recent", near)
	f.Store64(s, "(Search_recent+8)", far)
	f.Store64(s, "Search_count", Shr(Sub(Sub(seq, s), Const("Search_sequences")), 4))
	f.Store64(s, "Search_length", Sub(Sub(lit, s), Const("Search_literals")))
	f.Store64(s, "Search_end", Sub(anchor, base))
	f.Return()
	return f
}

func zstdCodes() []*Func { return []*Func{count(), encode()} }

// count writes func count(list []Sequence, counts *[kinds][maxSymbols]uint32), with the contract of
// countGo. Codes are below maxSymbols for all 32-bit lengths and offsets.
func count() *Func {
	f := New("count", Slice("list"), Word("counts"))
	q, end, counts, l, m, o, v := f.Reg("q"), f.Reg("end"), f.Reg("counts"), f.Reg("l"), f.Reg("m"), f.Reg("o"), f.Reg("v")
	f.Set(q, f.Base("list"))
	f.Set(end, Add(q, Shl(f.Len("list"), 4)))
	f.Set(counts, f.Arg("counts"))
	code := func(to Reg, at int, table string, short int, beyond string) {
		f.Set(v, Load32(q, at))
		f.IfElse(Lt(v, short), func() {
			f.Set(to, Load8(Add(Global(table), v), 0))
		}, func() {
			f.Set(to, Sub(Add(63, beyond), Clz(v)))
		})
	}
	increment := func(kind string, code Reg) {
		f.Set(v, Add(counts, Shl(Add(code, "(const_"+kind+"*const_maxSymbols)"), 2)))
		f.Store32(v, 0, Add(Load32(v, 0), 1))
	}
	f.Block("done", func() {
		f.Loop("sequence", func() {
			f.BreakIf("done", Ge(q, end))
			code(l, 0, "literalCodes", 64, "const_literalBeyond")
			code(m, 4, "matchCodes", 128, "const_matchBeyond")
			f.Set(o, Sub(63, Clz(Load32(q, 8))))
			increment("literalLengths", l)
			increment("offsets", o)
			increment("matchLengths", m)
			f.Store32(q, 12, Or(l, Or(Shl(m, 8), Shl(o, 16))))
			f.Inc(q, 16)
			f.Break("sequence")
		})
	})
	f.Return()
	return f
}

// bitWriter has the registers of a stream of bits: acc holds n bits to write at out.
type bitWriter struct {
	f           *Func
	out, acc, n Reg
}

func newBitWriter(f *Func) bitWriter {
	w := bitWriter{f, f.Reg("out"), f.Reg("acc"), f.Reg("n")}
	f.Set(w.out, f.Base("dst"))
	f.Set(w.acc, 0)
	f.Set(w.n, 0)
	return w
}

// put adds bits of v, whose other bits are 0.
func (w bitWriter) put(v, bits Val) {
	w.f.Set(w.acc, Or(w.acc, Shl(v, w.n)))
	w.f.Inc(w.n, bits)
}

// flush writes the whole bytes, and up to 8 in all.
func (w bitWriter) flush() {
	w.f.Store64(w.out, 0, w.acc)
	w.f.Inc(w.out, Shr(w.n, 3))
	w.f.Set(w.acc, Shr(w.acc, And(w.n, 56)))
	w.f.Set(w.n, And(w.n, 7))
}

// finish ends the stream and returns from the function with its length.
func (w bitWriter) finish() {
	w.put(1, 1)
	w.flush()
	w.f.Return(Add(Sub(w.out, w.f.Base("dst")), Bool(NonZero(w.n))))
}

// encode writes func encode(dst []byte, list []Sequence, c *[kinds]coder) (n int), with the
// contract of encodeGo. The coders are built for the codes of the list, so that states and indices
// are within their tables. A sequence takes 89 bits at most, and dst has 12 bytes for
// each, and 300 more.
//
// Between two flushes there are at most 7+26+16 bits, and 7+16+31.
func encode() *Func {
	f := New("encode", Slice("dst"), Slice("list"), Word("c"), Result("n"))
	w := newBitWriter(f)
	q, first, c, e, bits, codes := f.Reg("q"), f.Reg("first"), f.Reg("c"), f.Reg("e"), f.Reg("bits"), f.Reg("codes")
	states := f.Regs("l", "o", "m")
	f.Set(first, f.Base("list"))
	f.Set(q, Add(first, Shl(Sub(f.Len("list"), 1), 4)))
	f.Set(c, f.Arg("c"))
	field := func(name string, kind int) string { return fmt.Sprintf("(%s+%d*coder__size)", name, kind) }
	// The codes of the kinds are in this order in a sequence.
	shift := [3]int{0, 16, 8}
	symbol := func(kind int) Val {
		return Add(c, Shl(And(Shr(codes, shift[kind]), 255), 4))
	}
	transition := func(kind int) {
		x := states[kind]
		f.Set(e, symbol(kind))
		f.Set(bits, Shr(Add(x, Load32(e, field("coder_symbols", kind))), 16))
		w.put(And(x, Sub(Shl(1, bits), 1)), bits)
		// find may be negative: addresses wrap around at 32 bits.
		f.Set(x, Load16(Add(c, Shl(Add(Shr(x, bits), Load32(e, field("coder_symbols+4", kind))), 1)), field("coder_next", kind)))
	}
	extra := func(kind, at int) {
		f.Set(bits, Load32(symbol(kind), field("coder_symbols+8", kind)))
		w.put(And(Load32(q, at), Sub(Shl(1, bits), 1)), bits)
	}
	values := func() {
		extra(0, 0)
		w.flush()
		extra(2, 4)
		extra(1, 8)
		w.flush()
	}
	f.Set(codes, Load32(q, 12))
	for kind, x := range states {
		f.Set(x, Load32(symbol(kind), field("coder_symbols+12", kind)))
	}
	values()
	f.Block("done", func() {
		f.Loop("sequence", func() {
			f.BreakIf("done", Le(q, first))
			f.Dec(q, 16)
			f.Set(codes, Load32(q, 12))
			transition(1)
			transition(2)
			transition(0)
			values()
			f.Break("sequence")
		})
	})
	for _, kind := range []int{2, 1, 0} {
		f.Set(bits, Load64(c, field("coder_log", kind)))
		w.put(And(states[kind], Sub(Shl(1, bits), 1)), bits)
	}
	w.finish()
	return f
}

func zstdLiterals() []*Func { return []*Func{histogram(), huffman()} }

// histogram writes func histogram(data []byte, counts *[4][256]uint32), with the contract of
// histogramGo.
func histogram() *Func {
	f := New("histogram", Slice("data"), Word("counts"))
	p, end, counts, v, at := f.Reg("p"), f.Reg("end"), f.Reg("counts"), f.Reg("v"), f.Reg("at")
	f.Set(p, f.Base("data"))
	f.Set(end, Add(p, f.Len("data")))
	f.Set(counts, f.Arg("counts"))
	increment := func(index Val, part int) {
		f.Set(at, Add(counts, index))
		f.Store32(at, 1024*part, Add(Load32(at, 1024*part), 1))
	}
	f.Loop("words", func() {
		f.If(Le(Add(p, 8), end), func() {
			f.Set(v, Load64(p, 0))
			increment(And(Shl(v, 2), 0x3fc), 0)
			for i := 1; i < 8; i++ {
				increment(And(Shr(v, 8*i-2), 0x3fc), i%4)
			}
			f.Inc(p, 8)
			f.Break("words")
		})
	})
	f.Loop("bytes", func() {
		f.If(Lt(p, end), func() {
			increment(Shl(Load8(p, 0), 2), 0)
			f.Inc(p, 1)
			f.Break("bytes")
		})
	})
	f.Return()
	return f
}

// huffman writes func huffman(dst, literals []byte, codes *[256]uint32) (n int), with the contract
// of huffmanGo. A code has at most 11 bits: four fit between two flushes. dst has 1.5 bytes for
// each literal, and more than 8 beyond.
func huffman() *Func {
	f := New("huffman", Slice("dst"), Slice("literals"), Word("codes"), Result("n"))
	w := newBitWriter(f)
	p, first, codes, v, e := f.Reg("p"), f.Reg("first"), f.Reg("codes"), f.Reg("v"), f.Reg("e")
	f.Set(first, f.Base("literals"))
	f.Set(p, Add(first, f.Len("literals")))
	f.Set(codes, f.Arg("codes"))
	put := func(index Val) {
		f.Set(e, Load32(Add(codes, index), 0))
		w.put(Shr(e, 8), And(e, 255))
	}
	f.Loop("tail", func() {
		f.If(NonZero(And(Sub(p, first), 3)), func() {
			f.Dec(p, 1)
			put(Shl(Load8(p, 0), 2))
			f.Break("tail")
		})
	})
	w.flush()
	f.Loop("four", func() {
		f.If(Gt(p, first), func() {
			f.Dec(p, 4)
			f.Set(v, Load32(p, 0))
			for i := 3; i > 0; i-- {
				put(And(Shr(v, 8*i-2), 0x3fc))
			}
			put(And(Shl(v, 2), 0x3fc))
			w.flush()
			f.Break("four")
		})
	})
	w.finish()
	return f
}
