package main

func lz4Encoding() []*Func { return []*Func{lz4Encode()} }

// lz4Encode writes func lz4Encode(dst, src []byte, t *LZ4Table, acceleration int) (d, anchor int),
// with the contract of lz4EncodeGo. The length of src is more than lz4Begin, and dst has LZ4Bound
// bytes for it.
//
// Every access is within its slice:
//
//   - Places that are examined are at least lz4Begin, 12 bytes, before the end of src. Loads reach
//     8 bytes further.
//   - The table holds earlier places only, since places are entered in increasing order.
//   - Literals end before a match, 12 bytes before the end or earlier. Copies in steps of 8 read up
//     to 8 bytes more, and write as many, for which LZ4Bound has room.
func lz4Encode() *Func {
	f := New("lz4Encode", Slice("dst"), Slice("src"), Word("t"), Word("acceleration"), Result("d"), Result("anchor"))
	base, p, anchor, stop, table := f.Reg("base"), f.Reg("p"), f.Reg("anchor"), f.Reg("stop"), f.Reg("table")
	d, v, slot, step, n, x, at, offset := f.Reg("d"), f.Reg("v"), f.Reg("slot"), f.Reg("step"), f.Reg("n"), f.Reg("x"), f.Reg("at"), f.Reg("offset")
	slotOf := func(bytes Val) Val {
		return Add(table, Shl(Shr(Mul(Shl(bytes, 24), uint64(0x9e3779b97f4a7c15)), "(64-const_lz4Log)"), 2))
	}
	// extend writes the rest x of a length.
	extend := func() {
		f.Loop("extend", func() {
			f.If(Ge(x, 255), func() {
				f.Store8(d, 0, 255)
				f.Inc(d, 1)
				f.Dec(x, 255)
				f.Break("extend")
			})
		})
		f.Store8(d, 0, x)
		f.Inc(d, 1)
	}

	f.Set(base, f.Base("src"))
	f.Set(anchor, base)
	f.Set(p, Add(base, 1))
	f.Set(stop, Sub(Add(base, f.Len("src")), "const_lz4Begin"))
	f.Set(table, f.Arg("t"))
	f.Set(d, f.Base("dst"))
	f.Block("done", func() {
		f.Loop("sequence", func() {
			f.Set(step, Shl(f.Arg("acceleration"), 6))
			f.Block("found", func() {
				f.Loop("search", func() {
					f.BreakIf("done", Gt(p, stop))
					f.Set(v, Load64(p, 0))
					f.Set(slot, slotOf(v))
					f.Set(x, Sub(p, base))
					f.Set(offset, Sub(x, Load32(slot, 0)))
					f.Store32(slot, 0, x)
					f.BreakIf("found", Both(Eq(Load32(Sub(p, offset), 0), And(v, uint64(0xffffffff))), Le(offset, "const_lz4Far")))
					f.Inc(p, Shr(step, 6))
					f.Inc(step, 1)
					f.Break("search")
				})
			})
			f.Set(at, Add(p, 4))
			retreat(f, p, offset, anchor, base)
			common(f, at, offset, Add(stop, "(const_lz4Begin-const_lz4End)"), x)

			f.Set(n, Sub(Sub(at, p), 4))
			f.Set(x, Sub(p, anchor))
			f.Store8(d, 0, Or(Shl(Select(Lt(x, 15), x, 15), 4), Select(Lt(n, 15), n, 15)))
			f.Inc(d, 1)
			f.If(Ge(x, 15), func() {
				f.Dec(x, 15)
				extend()
			})
			f.Set(x, Sub(p, anchor))
			f.IfElse(Le(x, 32), func() {
				f.Set(slot, d)
				f.Loop("literals", func() {
					copy8(f, slot, anchor, 0)
					f.Inc(slot, 8)
					f.Inc(anchor, 8)
					f.BreakIf("literals", Lt(anchor, p))
				})
			}, func() {
				f.Copy(d, anchor, x)
			})
			f.Inc(d, x)
			f.Store16(d, 0, offset)
			f.Inc(d, 2)
			f.If(Ge(n, 15), func() {
				f.Set(x, Sub(n, 15))
				extend()
			})
			f.Set(anchor, at)
			f.Set(p, at)
			f.If(Le(p, stop), func() {
				f.Set(x, Sub(p, 2))
				f.Store32(slotOf(Load64(x, 0)), 0, Sub(x, base))
			})
			f.Break("sequence")
		})
	})
	f.Return(Sub(d, f.Base("dst")), Sub(anchor, base))
	return f
}
