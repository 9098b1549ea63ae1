package main

func inflateFuncs() []*Func { return []*Func{inflate()} }

// inflate writes func inflate(s *Inflate) InflateEnd. inflateGo does the same in plainer code.
// inflate_table.go documents the tables.
//
// An iteration starts with 56 valid bits, and with e looked up from them. It decodes three
// literals, or a match with up to two literals before it.
//
// Bits: two literals take 22, and the length's code and extra bits 20. The rest suffices for the
// first lookup of the distance, 8. After another refill, the distance takes 28, and the rest
// suffices for the next lookup, 11. Shifts count modulo 64, so only the low 6 bits of n must be
// right: the bits above hold the rest of entries.
//
// Reads: an iteration has at most two refills. Each loads 8 bytes and advances by at most 7, so
// reads reach 15 bytes beyond pos; inflateSrcRoom is 16.
//
// Writes: three literals, or two literals and a match of at most 258 bytes. The last step of a
// match stores at most 15 bytes beyond its end. The sum is at most 275; inflateDstRoom is 288. A
// match loads from Dst[Base] on, since its distance is checked, and no further than it stores.
//
// Tables: a first lookup is masked with the number of bits of the table's first level. A subtable's
// index is at most its start plus the mask of its width, and the builder allocates that many
// entries within the table.
func inflate() *Func {
	f := New("inflate", Word("s"), Result("ret"))
	s, acc, n, src, dst := f.Reg("s"), f.Reg("acc"), f.Reg("n"), f.Reg("src"), f.Reg("dst")
	srcEnd, dstEnd, base := f.Reg("srcEnd"), f.Reg("dstEnd"), f.Reg("base")
	e, old, size, from, to, t := f.Reg("e"), f.Reg("old"), f.Reg("size"), f.Reg("from"), f.Reg("to"), f.Reg("t")

	refill := func() {
		f.Set(acc, Or(acc, Shl(Load64(src, 0), n)))
		f.Inc(src, And(Shr(Xor(n, 63), 3), 7))
		f.Set(n, Or(n, 56))
	}
	lookup := func(table, mask string) {
		f.Set(e, Load32(Add(s, Shl(And(acc, mask), 2)), table))
	}
	lookupLit := func() { lookup("Inflate_lit", "const_inflateLitMask") }
	sub := func(table string) {
		f.Set(e, Load32(Add(s, Shl(Add(Shr(e, 16), And(acc, Sub(Shl(1, Shr(e, 8)), 1))), 2)), table))
	}
	take := func() {
		f.Set(old, acc)
		f.Set(acc, Shr(acc, e))
		f.Dec(n, e)
	}
	// value returns the base of e plus its extra bits, and consumes them.
	value := func() Val {
		return Add(Shr(e, 16), Shr(And(old, Sub(Shl(1, e), 1)), Shr(e, 8)))
	}
	isLiteral := func() Cond { return NonZero(And(e, "const_inflateLit")) }
	putLiteral := func() {
		f.Store8(dst, 0, Shr(e, 16))
		f.Inc(dst, 1)
	}
	leave := func(why string) {
		f.Store64(s, "Inflate_Acc", acc)
		f.Store64(s, "Inflate_N", And(n, 63))
		f.Store64(s, "Inflate_Pos", Sub(src, Load64(s, "Inflate_Src")))
		f.Store64(s, "Inflate_Out", Sub(dst, Load64(s, "Inflate_Dst")))
		f.Return(why)
	}

	f.Set(s, f.Arg("s"))
	f.Set(acc, Load64(s, "Inflate_Acc"))
	f.Set(n, Load64(s, "Inflate_N"))
	f.Set(t, Load64(s, "Inflate_Src"))
	f.Set(src, Add(t, Load64(s, "Inflate_Pos")))
	f.Set(srcEnd, Sub(Add(t, Load64(s, "Inflate_Src+8")), "const_inflateSrcRoom"))
	f.Set(t, Load64(s, "Inflate_Dst"))
	f.Set(dst, Add(t, Load64(s, "Inflate_Out")))
	f.Set(dstEnd, Sub(Add(t, Load64(s, "Inflate_Dst+8")), "const_inflateDstRoom"))
	f.Set(base, Add(t, Load64(s, "Inflate_Base")))
	refill()
	lookupLit()
	f.Block("bad match", func() {
		f.Block("bad code", func() {
			f.Block("done", func() {
				f.Block("near", func() {
					f.Loop("round", func() {
						f.BreakIf("near", Any(Gt(src, srcEnd), Gt(dst, dstEnd)))
						f.Block("match", func() {
							f.Block("other", func() {
								for range 3 {
									take()
									f.BreakIf("other", Not(isLiteral()))
									putLiteral()
									lookupLit()
								}
								refill()
								f.Break("round")
							})
							f.BreakIf("match", Zero(And(e, "const_inflateOdd")))
							f.If(Eq(And(e, "const_inflateOdd"), "const_inflateSub"), func() {
								sub("Inflate_lit")
								take()
								f.If(isLiteral(), func() {
									putLiteral()
									lookupLit()
									refill()
									f.Break("round")
								})
								f.BreakIf("match", Zero(And(e, "const_inflateOdd")))
							})
							f.BreakIf("done", Ne(e, "const_inflateNone"))
							f.Break("bad code")
						})
						f.Set(size, value())
						lookup("Inflate_dist", "const_inflateDistMask")
						refill()
						take()
						f.If(NonZero(And(e, "const_inflateOdd")), func() {
							f.BreakIf("bad code", Eq(e, "const_inflateNone"))
							sub("Inflate_dist")
							f.BreakIf("bad code", Eq(e, "const_inflateNone"))
							take()
						})
						f.Set(t, value())
						f.BreakIf("bad match", Gt(t, Sub(dst, base)))
						lookupLit()
						refill()
						f.Set(from, Sub(dst, t))
						f.Set(to, Add(dst, size))
						f.IfElse(Ge(t, 8), func() {
							f.Store64(dst, 0, Load64(from, 0))
							f.Store64(dst, 8, Load64(from, 8))
							f.If(Gt(size, 16), func() {
								f.Loop("sixteen", func() {
									f.Inc(dst, 16)
									f.Inc(from, 16)
									f.Store64(dst, 0, Load64(from, 0))
									f.Store64(dst, 8, Load64(from, 8))
									f.BreakIf("sixteen", Lt(Add(dst, 16), to))
								})
							})
						}, func() {
							// Repeat as many whole periods as fit into a word.
							f.Set(old, Mul(And(Load64(from, 0), Sub(Shl(1, Shl(t, 3)), 1)), Load64(Add(Global("inflatePeriod"), Shl(t, 3)), 0)))
							f.Set(t, Load8(Add(Global("inflateStep"), t), 0))
							f.Loop("period", func() {
								f.Store64(dst, 0, old)
								f.Inc(dst, t)
								f.BreakIf("period", Lt(dst, to))
							})
						})
						f.Set(dst, to)
						f.Break("round")
					})
				})
				leave("const_InflateNear")
			})
			leave("const_InflateDone")
		})
		leave("const_InflateBadCode")
	})
	leave("const_InflateBadMatch")
	return f
}
