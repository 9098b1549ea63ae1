package main

const (
	bytes01 = uint64(0x00ff00ff00ff00ff)
	bytes23 = uint64(0x0000ffff0000ffff)
	low32   = uint64(0x00000000ffffffff)
	high32  = uint64(0xffffffff00000000)
)

// exchange swaps the bits of a above the mask with those of b under it: one step
// of a transposition of the bytes or bits of several words.
func exchange(f *Func, t, a, b Reg, shift int, mask uint64) {
	f.Set(t, And(Xor(Shr(a, shift), b), mask))
	f.Set(b, Xor(b, t))
	f.Set(a, Xor(a, Shl(t, shift)))
}

func unshuffle() []*Func { return []*Func{unshuffle4()} }

// unshuffle4 is func unshuffle4x8(dst, src []byte, n int): elements 0 to n of src, n a
// multiple of 8 above 0, of which plane k is at src[k*stride:].
func unshuffle4() *Func {
	f := New("unshuffle4x8", Slice("dst"), Slice("src"), Word("stride"), Word("n"))
	dst, p, q, r, s, end := f.Reg("dst"), f.Reg("p"), f.Reg("q"), f.Reg("r"), f.Reg("s"), f.Reg("end")
	a, b, c, d, t := f.Reg("a"), f.Reg("b"), f.Reg("c"), f.Reg("d"), f.Reg("t")
	f.Set(dst, f.Base("dst"))
	f.Set(p, f.Base("src"))
	f.Set(q, Add(p, f.Arg("stride")))
	f.Set(r, Add(q, f.Arg("stride")))
	f.Set(s, Add(r, f.Arg("stride")))
	f.Set(end, Add(p, f.Arg("n")))
	f.Loop("eight", func() {
		f.Set(a, Load64(p, 0))
		f.Set(b, Load64(q, 0))
		f.Set(c, Load64(r, 0))
		f.Set(d, Load64(s, 0))
		exchange(f, t, a, b, 8, bytes01)
		exchange(f, t, c, d, 8, bytes01)
		exchange(f, t, a, c, 16, bytes23)
		exchange(f, t, b, d, 16, bytes23)
		f.Store64(dst, 0, Or(And(a, low32), Shl(b, 32)))
		f.Store64(dst, 8, Or(And(c, low32), Shl(d, 32)))
		f.Store64(dst, 16, Or(Shr(a, 32), And(b, high32)))
		f.Store64(dst, 24, Or(Shr(c, 32), And(d, high32)))
		f.Inc(dst, 32)
		for _, r := range []Reg{p, q, r, s} {
			f.Inc(r, 8)
		}
		f.BreakIf("eight", Lt(p, end))
	})
	f.Return()
	return f
}
