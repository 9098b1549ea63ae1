package main

// blosclz writes func blosclz(dst, src []byte) (end, used int), which decodes the stream src. On
// success used is -1. Otherwise used and end are the start, in src and dst, of the sequence that it
// leaves to careful code.
//
// Every access is within its slice. Literals are copied 32 bytes at once while dst and src have
// that many left. Otherwise, and for matches, lengths are compared with what is left. Copies in
// steps run up to 63 bytes too far, and are used only if 64 bytes are left after the match. A match
// starts in decoded bytes: its distance is compared with d. As in lz4, comparisons with positions
// before the end are signed.
func blosclz() *Func {
	f := New("blosclz", Slice("dst"), Slice("src"), Result("end"), Result("used"))
	first, d, dEnd, dFast := f.Reg("first"), f.Reg("d"), f.Reg("dEnd"), f.Reg("dFast")
	s, sEnd, mask := f.Reg("s"), f.Reg("sEnd"), f.Reg("mask")
	d0, s0 := f.Reg("d0"), f.Reg("s0") // the start of the sequence
	control, n, offset, from, to := f.Reg("control"), f.Reg("n"), f.Reg("offset"), f.Reg("from"), f.Reg("to")
	m := match{f, d, from, to, offset, n, control}

	f.Set(first, f.Base("dst"))
	f.Set(d, first)
	f.Set(dEnd, Add(first, f.Len("dst")))
	f.Set(dFast, Sub(dEnd, 64))
	f.Set(s, f.Base("src"))
	f.Set(sEnd, Add(s, f.Len("src")))
	f.Set(mask, 31) // the upper bits of the first control byte have no meaning
	f.Block("done", func() {
		f.Block("fail", func() {
			f.Loop("sequence", func() {
				f.Set(d0, d)
				f.Set(s0, s)
				f.BreakIf("fail", Ge(s, sEnd))
				f.Set(control, And(Load8(s, 0), mask))
				f.Set(mask, 255)
				f.Inc(s, 1)
				f.Block("copied", func() {
					f.If(Lt(control, 32), func() {
						f.Set(n, Add(control, 1))
						f.IfElse(Both(GeS(dFast, d), GeS(Sub(sEnd, s), 32)), func() {
							for k := 0; k < 32; k += 8 {
								copy8(f, d, s, k)
							}
						}, func() {
							f.BreakIf("fail", Gt(n, Sub(sEnd, s)))
							f.BreakIf("fail", Gt(n, Sub(dEnd, d)))
							f.Copy(d, s, n)
						})
						f.Inc(d, n)
						f.Inc(s, n)
						f.Break("copied")
					})
					f.Set(n, Add(Shr(control, 5), 2))
					f.If(Eq(n, 9), func() {
						f.Loop("extend", func() {
							f.BreakIf("fail", Ge(s, sEnd))
							f.Set(from, Load8(s, 0))
							f.Inc(s, 1)
							f.Inc(n, from)
							f.BreakIf("extend", Eq(from, 255))
						})
					})
					f.BreakIf("fail", Ge(s, sEnd))
					f.Set(offset, Add(Shl(And(control, 31), 8), Load8(s, 0)))
					f.Inc(s, 1)
					f.If(Eq(offset, 8191), func() {
						f.BreakIf("fail", Lt(Sub(sEnd, s), 2))
						f.Inc(offset, Add(Shl(Load8(s, 0), 8), Load8(s, 1)))
						f.Inc(s, 2)
					})
					f.Inc(offset, 1)
					f.BreakIf("fail", Gt(offset, Sub(d, first)))
					f.BreakIf("fail", Gt(n, Sub(dEnd, d)))
					f.Set(from, Sub(d, offset))
					f.Set(to, Add(d, n))
					f.IfElse(Both(Le(n, 512), GeS(dFast, to)), m.steps, m.exact)
				})
				f.BreakIf("sequence", Ne(s, sEnd))
				f.Break("done")
			})
		})
		f.Return(Sub(d0, first), Sub(s0, f.Base("src")))
	})
	f.Return(Sub(d, first), -1)
	return f
}
