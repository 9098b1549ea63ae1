package main

// lz4 is func lz4(dst []byte, d int, src []byte) (end, used int): it decodes the
// block src to dst[d:], with matches that may begin anywhere in what is before.
// used is -1 where that succeeded, else the first sequence that it leaves to
// careful code, which finds the error, and end is where that sequence begins in dst.
//
// Every access lies within its slice:
//
//   - The loop for short sequences runs where dst has 40 and src 32 bytes left. It
//     reads 17 bytes and writes 16, of which up to 14 are literals; then it writes 24
//     where at least 26 are left. The 2 bytes of the offset are in the 17.
//   - A match reads from d-offset on, which is not before dst, as the offset was compared
//     with d, and up to where it writes, or 16 bytes where 40 are left.
//   - Elsewhere lengths are compared with what is left. Copies in steps of 16 or 32
//     go up to 31 bytes too far, with literals 16: they are taken only where 40 and 32
//     bytes are left behind the copy.
//   - Comparisons with what is 40 before the end of dst and 32 before that of src have
//     signs, as the address of an empty slice may be 0.
//   - Lengths do not wrap around: a byte of src adds at most 255.
func lz4() *Func {
	f := New("lz4", Slice("dst"), Word("d"), Slice("src"), Result("end"), Result("used"))
	first, d, dEnd, dFast := f.Reg("first"), f.Reg("d"), f.Reg("dEnd"), f.Reg("dFast")
	s, sEnd, sFast := f.Reg("s"), f.Reg("sEnd"), f.Reg("sFast")
	d0, s0 := f.Reg("d0"), f.Reg("s0") // where the sequence begins
	token, n, offset, from, to := f.Reg("token"), f.Reg("n"), f.Reg("offset"), f.Reg("from"), f.Reg("to")

	f.Set(first, f.Base("dst"))
	f.Set(d, Add(first, f.Arg("d")))
	f.Set(dEnd, Add(first, f.Len("dst")))
	f.Set(dFast, Sub(dEnd, 40))
	f.Set(s, f.Base("src"))
	f.Set(sEnd, Add(s, f.Len("src")))
	f.Set(sFast, Sub(sEnd, 32))

	// extend adds the bytes that a length of 15 goes on in.
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
	// copy8 copies 8 bytes k behind from to k behind to.
	copy8 := func(to, from Reg, k int) { f.Store64(to, k, Load64(from, k)) }

	f.Block("done", func() {
		f.Block("fail", func() {
			f.Loop("sequence", func() {
				f.Set(d0, d)
				f.Set(s0, s)
				f.Block("match", func() {
					f.Block("careful", func() {
						f.BreakIf("careful", Any(LtS(dFast, d), LtS(sFast, s)))
						f.Set(token, Load8(s, 0))
						f.Set(n, Shr(token, 4))
						f.BreakIf("careful", Eq(n, 15))
						f.Store64(d, 0, Load64(s, 1))
						f.Store64(d, 8, Load64(s, 9))
						f.Inc(d, n)
						f.Set(s, Add(Add(s, n), 1))
						f.Set(offset, Load16(s, 0))
						f.Set(n, And(token, 15))
						f.BreakIf("match", Any(Any(Eq(n, 15), Lt(offset, 8)), Gt(offset, Sub(d, first))))
						f.Set(from, Sub(d, offset))
						copy8(d, from, 0)
						copy8(d, from, 8)
						copy8(d, from, 16)
						f.Set(d, Add(Add(d, n), 4))
						f.Inc(s, 2)
						f.Break("sequence")
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
								copy8(to, from, 0)
								copy8(to, from, 8)
								f.Inc(from, 16)
								f.Inc(to, 16)
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
				f.BreakIf("fail", Ge(Sub(offset, 1), Sub(d, first))) // an offset of 0 is the largest so
				f.BreakIf("fail", Gt(n, Sub(dEnd, d)))
				f.Set(from, Sub(d, offset))
				f.Set(to, Add(d, n))
				f.Block("matched", func() {
					f.If(Both(Le(n, 256), GeS(dFast, to)), func() {
						f.If(Lt(offset, 16), func() {
							// Nothing is loaded that was just stored: 16 bytes stay in registers, of which
							// as many count as are the pattern, once or several times.
							f.Set(token, Load64(from, 0))
							f.Set(n, Load64(from, 8))
							f.If(Lt(offset, 8), func() {
								f.Set(from, Shl(offset, 3))
								f.Set(token, And(token, Shr(-1, Sub(64, from))))
								f.Loop("repeat", func() {
									f.Set(token, Or(token, Shl(token, from)))
									f.Set(from, Shl(from, 1))
									f.BreakIf("repeat", Lt(from, 64))
								})
								// The largest multiple of the offset up to 8.
								f.Set(offset, And(Shr(uint64(0x0706050806080800), Shl(offset, 3)), 255))
								f.Set(n, token)
							})
							f.Loop("pattern", func() {
								f.Store64(d, 0, token)
								f.Store64(d, 8, n)
								f.Inc(d, offset)
								f.BreakIf("pattern", Lt(d, to))
							})
							f.Break("matched")
						})
						f.Loop("wide", func() {
							for k := 0; k < 32; k += 8 {
								copy8(d, from, k)
							}
							f.Inc(from, 32)
							f.Inc(d, 32)
							f.BreakIf("wide", Lt(d, to))
						})
						f.Break("matched")
					})
					f.If(Eq(offset, 1), func() {
						f.Fill(d, Load8(from, 0), n)
						f.Break("matched")
					})
					// Each copy doubles what the next one can take.
					f.Loop("double", func() {
						f.If(Lt(offset, n), func() {
							f.Copy(d, from, offset)
							f.Inc(d, offset)
							f.Dec(n, offset)
							f.Set(offset, Shl(offset, 1))
							f.Break("double")
						})
					})
					f.Copy(d, from, n)
				})
				f.Set(d, to)
				f.Break("sequence")
			})
		})
		f.Return(Sub(d0, first), Sub(s0, f.Base("src")))
	})
	f.Return(Sub(d, first), -1)
	return f
}
