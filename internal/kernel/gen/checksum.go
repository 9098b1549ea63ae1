package main

func checksums() []*Func { return []*Func{crc32Fold(), adler32Sum()} }

// crc32Fold writes func crc32Fold(next *[5]uint64, src []byte), which has the contract of
// crc32FoldGo. The length of src is a positive multiple of 40, which bounds all reads.
func crc32Fold() *Func {
	f := New("crc32Fold", Word("next"), Slice("src"))
	state, src, end, x := f.Reg("state"), f.Reg("src"), f.Reg("end"), f.Reg("x")
	next := f.Regs("next0", "next1", "next2", "next3", "next4")
	f.Set(state, f.Arg("next"))
	f.Set(src, f.Base("src"))
	f.Set(end, Add(src, f.Len("src")))
	for i, r := range next {
		f.Set(r, Load64(state, 8*i))
	}
	f.Loop("forty", func() {
		for i := range 5 {
			r := func(k int) Reg { return next[(i+k)%5] }
			f.Set(x, Xor(Load64(src, 8*i), r(0)))
			f.Set(r(2), Xor(r(2), Xor(Shl(x, 17), Shl(x, 55))))
			f.Set(r(3), Xor(r(3), Xor(Shr(x, 47), Xor(Shr(x, 9), Shl(x, 19)))))
			f.Set(r(4), Xor(r(4), Xor(Shr(x, 45), Shl(x, 44))))
			f.Set(r(5), Shr(x, 20))
		}
		f.Inc(src, 40)
		f.BreakIf("forty", Lt(src, end))
	})
	for i, r := range next {
		f.Store64(state, 8*i, r)
	}
	f.Return()
	return f
}

// adler32Sum writes func adler32Sum(src []byte, a, b uint64) (ra, rb uint64), which has the
// contract of adler32SumGo. The length of src is a positive multiple of 128, which bounds all
// reads.
func adler32Sum() *Func {
	f := New("adler32Sum", Slice("src"), Word("a"), Word("b"), Result("ra"), Result("rb"))
	src, end, stop, a, b := f.Reg("src"), f.Reg("end"), f.Reg("stop"), f.Reg("a"), f.Reg("b")
	x, even, odd, evens, odds := f.Reg("x"), f.Reg("even"), f.Reg("odd"), f.Reg("evens"), f.Reg("odds")
	f.Set(src, f.Base("src"))
	f.Set(end, Add(src, f.Len("src")))
	f.Set(a, f.Arg("a"))
	f.Set(b, f.Arg("b"))
	low := func(v Val) Val { return And(v, bytes23) }
	high := func(v Val) Val { return And(Shr(v, 16), bytes23) }
	sum := func(v Val) { f.Set(x, v); f.Set(x, Add(Shr(x, 32), And(x, low32))) }
	f.Loop("block", func() {
		for _, r := range []Reg{even, odd, evens, odds} {
			f.Set(r, 0)
		}
		f.Set(stop, Add(src, 128))
		f.Loop("words", func() {
			for i := range 4 {
				f.Set(x, Load64(src, 8*i))
				f.Inc(even, And(x, bytes01))
				f.Inc(odd, And(Shr(x, 8), bytes01))
				f.Inc(evens, even)
				f.Inc(odds, odd)
			}
			f.Inc(src, 32)
			f.BreakIf("words", Lt(src, stop))
		})
		f.Inc(b, Shl(a, 7))
		sum(Add(Add(low(evens), high(evens)), Add(low(odds), high(odds))))
		f.Inc(b, Shl(x, 3))
		sum(Add(Shl(high(even), 1), Add(low(odd), Mul(high(odd), 3))))
		f.Dec(b, x)
		f.Set(x, Add(Add(low(even), high(even)), Add(low(odd), high(odd))))
		f.Dec(b, Shl(Shr(x, 32), 2))
		f.Inc(a, Add(Shr(x, 32), And(x, low32)))
		f.BreakIf("block", Lt(src, end))
	})
	f.Return(a, b)
	return f
}
