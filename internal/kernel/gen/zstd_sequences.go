package main

import "fmt"

// wideCopy copies 16 bytes word by word: src may be 8 or more bytes before dst.
func wideCopy(f *Func, dst, src Reg, off int) {
	f.Store64(dst, off, Load64(src, off))
	f.Store64(dst, off+8, Load64(src, off+8))
}

// topBits returns the n highest bits of acc, n modulo 64.
func topBits(acc, n Val) Val { return Shr(Shr(acc, 1), Xor(n, -1)) }

// backward loads the next word of a stream that is read backwards from its highest bit. The
// argument p is the address of the bit 57 before the next one: the byte's address times 8, plus the
// bit.
func backward(p Val) Val { return Shl(Load64(Shr(p, 3), 0), And(Xor(p, 7), 7)) }

func zstdSequences() []*Func { return []*Func{sequences()} }

// The offsets of the three tables.
var tables = [3]string{"Sequences_tables", "(Sequences_tables+table__size)", "(Sequences_tables+2*table__size)"}

// sequences writes func sequences(s *Sequences) int, with the contract of sequencesGo.
//
// Loads and stores:
//
//   - words of src from 16 bytes before the stream's start, which exist. p is compared before each
//     load, and at most 57 bits precede it.
//   - table entries at states of the table.
//   - 16 bytes at lit and o, up to 32 beyond the copy. fast and fastLit leave room for these.
//   - matches, from base.
func sequences() *Func {
	f := New("sequences", Word("s"), Result("result"))
	s, p := f.Reg("s"), f.Reg("p")
	le, oe, me := f.Reg("literals' state or entry"), f.Reg("offset's"), f.Reg("match's")
	o, lit, n := f.Reg("o"), f.Reg("lit"), f.Reg("n")
	r0, r1, r2 := f.Reg("r0"), f.Reg("r1"), f.Reg("r2")
	acc, ll, ml, off := f.Reg("acc"), f.Reg("ll"), f.Reg("ml"), f.Reg("off")
	all := f.Reg("all")

	f.Set(s, f.Arg("s"))
	f.Set(p, Add(Shl(Load64(s, "Sequences_src"), 3), Sub(Load64(s, "Sequences_at"), 57)))
	f.Set(le, Load64(s, "Sequences_states"))
	f.Set(oe, Load64(s, "(Sequences_states+8)"))
	f.Set(me, Load64(s, "(Sequences_states+16)"))
	f.Set(o, Add(Load64(s, "Sequences_buf"), Load64(s, "Sequences_o")))
	f.Set(lit, Add(Load64(s, "Sequences_lits"), Load64(s, "Sequences_lit")))
	f.Set(n, Load64(s, "Sequences_n"))
	f.Set(r0, Load64(s, "Sequences_Offsets"))
	f.Set(r1, Load64(s, "(Sequences_Offsets+8)"))
	f.Set(r2, Load64(s, "(Sequences_Offsets+16)"))
	// The limits are addresses in this function.
	address := func(limit, slice string, sign func(a, b Val) Val) {
		f.Store64(s, "Sequences_"+limit, sign(Load64(s, "Sequences_"+limit), Load64(s, "Sequences_"+slice)))
	}
	bits := func(sign func(a, b Val) Val) {
		f.Store64(s, "Sequences_low", sign(Load64(s, "Sequences_low"), Sub(Shl(Load64(s, "Sequences_src"), 3), 57)))
	}
	limits := func(sign func(a, b Val) Val) {
		address("fast", "buf", sign)
		address("base", "buf", sign)
		address("fastLit", "lits", sign)
		bits(sign)
	}
	limits(Add)
	badStream := func() { f.BreakIf("bad stream", Lt(p, Load64(s, "Sequences_low"))) }

	// leave sets the result and returns.
	result := all
	f.Block("out", func() {
		f.Block("bad offset", func() {
			f.Block("bad stream", func() {
				f.Block("careful", func() {
					f.If(NonZero(n), func() {
						f.Loop("next", func() {
							badStream()
							entry := func(r Reg, i int) { f.Set(r, Load64(Add(s, Shl(r, 3)), tables[i])) }
							entry(oe, 1)
							entry(me, 2)
							entry(le, 0)
							f.Set(acc, backward(p))
							f.Set(off, Add(Shr(oe, 32), topBits(acc, Shr(oe, 8))))
							f.Set(ml, Shr(me, 32))
							f.Set(ll, Shr(le, 32))
							f.IfElse(Zero(And(Or(le, me), 0xff00)), func() {
								f.Set(all, And(Shr(oe, 8), 63))
								f.Set(acc, Shl(acc, all))
								f.Dec(p, all)
							}, func() {
								extraBits(f, p, le, oe, me, acc, ll, ml, all, badStream)
							})

							// Decode the offset while the entries are loaded.
							f.IfElse(Zero(And(oe, 0x3e00)), func() {
								f.Inc(off, Bool(Zero(ll)))
								f.IfElse(Zero(off), func() {
									f.Set(off, r0)
								}, func() {
									f.IfElse(Eq(off, 1), func() {
										f.Set(off, r1)
									}, func() {
										f.Set(off, Select(Eq(off, 2), r2, Sub(r0, 1)))
										f.Set(r2, r1)
									})
									f.Set(r1, r0)
									f.Set(r0, off)
								})
							}, func() {
								f.Set(r2, r1)
								f.Set(r1, r0)
								f.Set(r0, off)
							})

							// The next states.
							state := func(r Reg, acc, bits Val) {
								f.Set(r, Add(And(Shr(r, 16), 0xffff), topBits(acc, bits)))
							}
							f.Set(all, And(Add(Add(le, me), oe), 63))
							f.Store64(s, "Sequences_unread", all)
							f.Dec(p, all)
							state(oe, Shl(acc, Add(le, me)), oe)
							f.Set(all, Shl(acc, le))
							state(me, all, me)
							state(le, acc, le)
							f.Dec(n, 1)

							execute(f, s, o, lit, ll, ml, off, acc, all)
							f.Inc(o, ml)
							f.BreakIf("next", NonZero(n))
						})
					})
					f.Set(result, 0)
					f.Break("out")
				})
				f.Store64(s, "Sequences_ll", ll)
				f.Store64(s, "Sequences_ml", ml)
				f.Store64(s, "Sequences_off", off)
				f.Set(result, 1)
				f.Break("out")
			})
			f.Set(result, 2)
			f.Break("out")
		})
		f.Set(result, 3)
	})
	limits(Sub)
	f.Store64(s, "Sequences_at", Add(Sub(p, Shl(Load64(s, "Sequences_src"), 3)), 57))
	f.Store64(s, "Sequences_n", n)
	f.Store64(s, "Sequences_o", Sub(o, Load64(s, "Sequences_buf")))
	f.Store64(s, "Sequences_lit", Sub(lit, Load64(s, "Sequences_lits")))
	for i, r := range []Reg{le, oe, me} {
		f.Store64(s, offset("Sequences_states", 8*i), r)
	}
	for i, r := range []Reg{r0, r1, r2} {
		f.Store64(s, offset("Sequences_Offsets", 8*i), r)
	}
	f.Return(result)
	return f
}

// offset is an offset within a field.
func offset(field string, n int) string { return fmt.Sprintf("(%s+%d)", field, n) }

// extraBits adds to ll and ml the bits of acc after the extra bits of the offset.
func extraBits(f *Func, p, le, oe, me, acc, ll, ml, all Reg, badStream func()) {
	f.Set(all, And(Shr(Add(Add(le, me), oe), 8), 255))
	f.IfElse(Le(all, 57-9-9-8), func() {
		f.Inc(ml, topBits(Shl(acc, Shr(oe, 8)), Shr(me, 8)))
		f.Inc(ll, topBits(Shl(acc, Add(Shr(oe, 8), Shr(me, 8))), Shr(le, 8)))
		f.Set(acc, Shl(acc, all))
		f.Dec(p, all)
	}, func() {
		// Too few bits would remain for the states: load twice more.
		f.Set(acc, And(Shr(oe, 8), 63))
		f.Dec(p, acc)
		f.Dec(all, acc)
		badStream()
		f.Set(acc, backward(p))
		f.Inc(ml, topBits(acc, Shr(me, 8)))
		f.Inc(ll, topBits(Shl(acc, Shr(me, 8)), Shr(le, 8)))
		f.Dec(p, all)
		badStream()
		f.Set(acc, backward(p))
	})
}

const (
	long     = 256 // from here on the copy instruction, which is a call, beats words
	veryLong = 512 // from here on also if it takes several calls
)

// execute copies ll literals, and ml bytes at the distance off. It updates no counts. It jumps to
// "careful" without room for wide copies.
func execute(f *Func, s, o, lit, ll, ml, off, p, q Reg) {
	f.BreakIf("careful", LtS(Load64(s, "Sequences_fast"), Add(Add(o, ll), ml)))
	f.BreakIf("careful", LtS(Load64(s, "Sequences_fastLit"), Add(lit, ll)))
	wideCopy(f, o, lit, 0)
	f.If(Gt(ll, 16), func() {
		f.IfElse(Gt(ll, long), func() {
			f.Copy(o, lit, ll)
		}, func() {
			f.Set(p, lit)
			f.Set(q, o)
			f.Loop("literals", func() {
				wideCopy(f, q, p, 16)
				f.Inc(p, 16)
				f.Inc(q, 16)
				f.BreakIf("literals", Lt(Add(q, 16), Add(o, ll)))
			})
		})
	})
	f.Inc(o, ll)
	f.Inc(lit, ll)
	f.BreakIf("bad offset", Ge(Sub(off, 1), Sub(o, Load64(s, "Sequences_base"))))

	end := ll
	f.Set(end, Add(o, ml))
	f.Set(p, Sub(o, off))
	f.Set(q, o)
	f.Block("matched", func() {
		f.If(Ge(off, 8), func() {
			wideCopy(f, o, p, 0)
			f.BreakIf("matched", Le(ml, 16))
			wideCopy(f, o, p, 16)
			f.BreakIf("matched", Le(ml, 32))
			f.If(Lt(ml, Select(Lt(off, ml), veryLong, long)), func() {
				f.Loop("words", func() {
					wideCopy(f, q, p, 32)
					f.Inc(p, 16)
					f.Inc(q, 16)
					f.BreakIf("words", Lt(Add(q, 32), end))
				})
				f.Break("matched")
			})
			double(f, p, q, end, off)
			f.Break("matched")
		})

		// The match overlaps itself within a word: repeat the pattern, and copy from that.
		f.If(Both(Eq(off, 1), Gt(ml, long)), func() {
			f.Fill(o, Load8(p, 0), ml)
			f.Break("matched")
		})
		word, stride := p, off
		f.Set(word, And(Load64(p, 0), Sub(Shl(1, Shl(off, 3)), 1)))
		f.Set(word, Or(word, Shl(word, Shl(off, 3))))
		f.If(Lt(off, 4), func() {
			f.Set(word, Or(word, Shl(word, Shl(off, 4))))
			f.If(Eq(off, 1), func() {
				f.Set(word, Or(word, Shl(word, 32)))
			})
		})
		// The largest multiple of off up to 8.
		f.Set(stride, And(Shr(0x76586880, Shl(off, 2)), 15))
		f.Loop("repeat", func() {
			f.Store64(q, 0, word)
			f.Inc(q, stride)
			f.BreakIf("matched", Ge(q, end))
			f.BreakIf("repeat", Lt(Sub(q, o), long))
		})
		f.Set(p, o)
		double(f, p, q, end, off)
	})
}

// double copies the bytes from p to q to their end, until that reaches end. Each copy doubles the
// length of the next.
func double(f *Func, p, q, end, n Reg) {
	f.Loop("double", func() {
		f.Set(n, Sub(q, p))
		f.Set(n, Select(Lt(n, Sub(end, q)), n, Sub(end, q)))
		f.Copy(q, p, n)
		f.Inc(q, n)
		f.BreakIf("double", Lt(q, end))
	})
}
