package main

func zstdFSE() []*Func { return []*Func{build()} }

// build writes func build(t *table, c *counts, symbols []uint64), with the contract of buildGo. The
// number c.n is at most maxSymbols, and at most len(symbols) if that is not 0. The counts add up to
// 1<<c.log, which is at most 1<<9.
func build() *Func {
	f := New("build", Word("t"), Word("c"), Slice("symbols"))
	t, c, high, p, end, sym := f.Reg("t"), f.Reg("c"), f.Reg("high"), f.Reg("p"), f.Reg("end"), f.Reg("symbols")
	e, n, pos, step, mask := f.Reg("e"), f.Reg("n"), f.Reg("pos"), f.Reg("step"), f.Reg("mask")
	f.Set(t, f.Arg("t"))
	f.Set(c, f.Arg("c"))
	f.Store64(t, "table_log", Load64(c, "counts_log"))
	f.Set(high, Shl(1, Load64(c, "counts_log")))
	f.Set(mask, Sub(high, 1))
	f.Set(step, Add(Add(Shr(high, 1), Shr(high, 3)), 3))
	f.Set(end, Add(c, Shl(Load64(c, "counts_n"), 1)))
	f.Set(sym, f.Base("symbols"))

	// Every entry gets its symbol, and temporarily the symbol's number in place of the next state.
	// The count -1 is placed from the end, then the others.
	entry := func() {
		f.Set(e, Shr(Sub(p, c), 1))
		f.IfElse(NonZero(f.Len("symbols")), func() {
			f.Set(e, Add(Load64(Add(sym, Shl(e, 3)), 0), Shl(e, 16)))
		}, func() {
			f.Set(e, Or(Shl(e, 32), Shl(e, 16)))
		})
	}
	f.Set(p, c)
	f.Loop("rare", func() {
		f.If(Eq(Load16(p, "counts_of"), 0xffff), func() {
			entry()
			f.Dec(high, 1)
			f.Store64(Add(t, Shl(high, 3)), "table_entries", e)
		})
		f.Inc(p, 2)
		f.BreakIf("rare", Lt(p, end))
	})
	f.Set(p, c)
	f.Set(pos, 0)
	f.Loop("symbol", func() {
		f.Set(n, Load16(p, "counts_of"))
		f.IfElse(Eq(n, 0xffff), func() {
			f.Store16(p, "counts_of", 1)
		}, func() {
			f.If(NonZero(n), func() {
				entry()
				f.Loop("spread", func() {
					f.Store64(Add(t, Shl(pos, 3)), "table_entries", e)
					f.Loop("step", func() {
						f.Set(pos, And(Add(pos, step), mask))
						f.BreakIf("step", Ge(pos, high))
					})
					f.Dec(n, 1)
					f.BreakIf("spread", NonZero(n))
				})
			})
		})
		f.Inc(p, 2)
		f.BreakIf("symbol", Lt(p, end))
	})

	// The states of a symbol are consecutive, from its count.
	bits := pos
	f.Set(p, t)
	f.Set(end, Add(t, Shl(Add(mask, 1), 3)))
	f.Free(high, step)
	at, log := f.Reg("at"), f.Reg("log")
	f.Set(log, Sub(Load64(c, "counts_log"), 63))
	f.Loop("entry", func() {
		f.Set(e, Load64(p, "table_entries"))
		f.Set(n, And(Shr(e, 16), 0xff))
		f.Set(at, Add(c, Shl(n, 1)))
		f.Dec(e, Shl(n, 16))
		f.Set(n, Load16(at, "counts_of"))
		f.Store16(at, "counts_of", Add(n, 1))
		f.Set(bits, Add(Clz(n), log))
		f.Store64(p, "table_entries", Add(Add(e, bits), Shl(Sub(Shl(n, bits), Add(mask, 1)), 16)))
		f.Inc(p, 8)
		f.BreakIf("entry", Lt(p, end))
	})
	f.Return()
	return f
}
