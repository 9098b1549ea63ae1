package main

// lz4 writes func lz4(dst []byte, d int, src []byte) (end, used int), which decodes the block src
// to dst[d:]. Matches may start anywhere in the bytes before. On success used is -1. Otherwise used
// is the first sequence that it leaves to careful code, which finds the error, and end is that
// sequence's start in dst.
//
// Every access is within its slice:
//
//   - A short sequence needs 64 bytes left in dst and 32 in src. It reads 17 bytes and writes 16,
//     up to 14 of them literals, so that 50 and 17 remain. These hold the offset's 2 bytes, a byte
//     that extends a length, and a match. A match writes 24 bytes, a pattern 32.
//   - A match reads from d-offset, which is not before dst, since the offset is compared with d. It
//     reads up to where it writes, or 16 bytes if 64 are left.
//   - Elsewhere lengths are compared with what is left. Copies in steps run up to 63 bytes too far,
//     and with literals 31. They are used only if 64 and 32 bytes are left after the copy.
//   - Comparisons with positions 64 before the end of dst, or 32 before that of src, are signed.
//     The reason is that the address of an empty slice may be 0.
//   - Lengths do not wrap around: a byte of src adds at most 255.
//
// Mispredicted branches dominate the time. Short sequences therefore have no loop, and do some
// useless work that costs less than a branch.
func lz4() *Func {
	f := New("lz4", Slice("dst"), Word("d"), Slice("src"), Result("end"), Result("used"))
	first, d, dEnd, dFast := f.Reg("first"), f.Reg("d"), f.Reg("dEnd"), f.Reg("dFast")
	s, sEnd, sFast := f.Reg("s"), f.Reg("sEnd"), f.Reg("sFast")
	d0, s0 := f.Reg("d0"), f.Reg("s0") // the start of the sequence
	token, n, offset, from, to := f.Reg("token"), f.Reg("n"), f.Reg("offset"), f.Reg("from"), f.Reg("to")

	f.Set(first, f.Base("dst"))
	f.Set(d, Add(first, f.Arg("d")))
	f.Set(dEnd, Add(first, f.Len("dst")))
	f.Set(dFast, Sub(dEnd, 64))
	f.Set(s, f.Base("src"))
	f.Set(sEnd, Add(s, f.Len("src")))
	f.Set(sFast, Sub(sEnd, 32))

	// extend adds the bytes that extend a length of 15.
	extend := func() {
		f.If(Eq(n, 15), func() {
			f.Loop("extend", func() {
				f.BreakIf("fail", Ge(s, sEnd))
				f.Set(from, Load8(s, 0))
				f.Inc(s, 1)
				f.Inc(n, from)
				f.BreakIf("extend", Eq(from, 255))
			})
		})
	}
	m := match{f, d, from, to, offset, n, token}

	f.Block("done", func() {
		f.Block("fail", func() {
			f.Loop("sequence", func() {
				f.Set(d0, d)
				f.Set(s0, s)
				f.Block("copy", func() {
					f.Block("match", func() {
						f.Block("careful", func() {
							f.BreakIf("careful", Any(LtS(dFast, d), LtS(sFast, s)))
							f.Set(token, Load8(s, 0))
							f.Set(n, Shr(token, 4))
							f.BreakIf("careful", Eq(n, 15))
							f.Store64(d, 0, Load64(s, 1))
							f.Store64(d, 8, Load64(s, 9))
							f.Inc(d, n)
							// the next token depends on this: n comes last
							f.Set(s, Add(Add(s, 1), n))
							f.Set(offset, Load16(s, 0))
							f.Set(from, Sub(d, offset))
							f.Set(n, And(token, 15))
							f.BreakIf("match", Ge(Sub(offset, 1), Sub(d, first)))
							f.Block("long", func() {
								f.BreakIf("long", Eq(n, 15))
								f.If(Lt(offset, 8), func() {
									m.pattern()
									f.Set(to, d)
									for i := range 4 {
										f.Store64(to, 0, token)
										if i < 3 {
											f.Inc(to, offset)
										}
									}
									f.Set(d, Add(Add(d, 4), n))
									f.Inc(s, 2)
									f.Break("sequence")
								})
								copy8(f, d, from, 0)
								copy8(f, d, from, 8)
								copy8(f, d, from, 16)
								f.Set(d, Add(Add(d, 4), n))
								f.Inc(s, 2)
								f.Break("sequence")
							})
							f.Set(n, Load8(s, 2))
							f.BreakIf("match", Eq(n, 255))
							f.Inc(n, 19)
							f.Set(to, Add(d, n))
							f.BreakIf("match", LtS(dFast, to))
							f.Inc(s, 3)
							f.Break("copy")
						})
						f.BreakIf("fail", Ge(s, sEnd))
						f.Set(token, Load8(s, 0))
						f.Inc(s, 1)
						f.Set(n, Shr(token, 4))
						extend()
						f.BreakIf("fail", Gt(n, Sub(sEnd, s)))
						f.BreakIf("fail", Gt(n, Sub(dEnd, d)))
						f.Block("copied", func() {
							f.If(Both(Le(n, 256), Both(GeS(dFast, Add(d, n)), GeS(sFast, Add(s, n)))), func() {
								f.Set(from, s)
								f.Set(to, d)
								f.Inc(d, n)
								f.Inc(s, n)
								f.Loop("literals", func() {
									for k := 0; k < 32; k += 8 {
										copy8(f, to, from, k)
									}
									f.Inc(from, 32)
									f.Inc(to, 32)
									f.BreakIf("literals", Lt(to, d))
								})
								f.Break("copied")
							})
							f.Copy(d, s, n)
							f.Inc(d, n)
							f.Inc(s, n)
						})
						f.BreakIf("done", Eq(s, sEnd))
					})

					f.BreakIf("fail", Lt(Sub(sEnd, s), 2))
					f.Set(offset, Load16(s, 0))
					f.Inc(s, 2)
					f.Set(n, And(token, 15))
					extend()
					f.Inc(n, 4)
					// an offset of 0 wraps to the largest
					f.BreakIf("fail", Ge(Sub(offset, 1), Sub(d, first)))
					f.BreakIf("fail", Gt(n, Sub(dEnd, d)))
					f.Set(from, Sub(d, offset))
					f.Set(to, Add(d, n))
					f.BreakIf("copy", Both(Le(n, 512), GeS(dFast, to)))
					m.exact()
					f.Break("sequence")
				})

				m.steps()
				f.Break("sequence")
			})
		})
		f.Return(Sub(d0, first), Sub(s0, f.Base("src")))
	})
	f.Return(Sub(d, first), -1)
	return f
}
