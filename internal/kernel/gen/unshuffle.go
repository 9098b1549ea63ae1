package main

const (
	bytes01 = uint64(0x00ff00ff00ff00ff)
	bytes23 = uint64(0x0000ffff0000ffff)
	low32   = uint64(0x00000000ffffffff)
	high32  = uint64(0xffffffff00000000)
)

// exchange swaps the bits of a above the mask with those of b under it. This is one step of
// transposing the bytes or bits of several words.
func exchange(f *Func, t, a, b Reg, shift int, mask uint64) {
	f.Set(t, And(Xor(Shr(a, shift), b), mask))
	f.Set(b, Xor(b, t))
	f.Set(a, Xor(a, Shl(t, shift)))
}

func unshuffle() []*Func {
	return []*Func{unshuffle2(), unshuffle4(), unshuffle8(), bitRows(), bitBytes()}
}

// The functions unshuffle2, unshuffle4 and unshuffle8 have the contract of unshuffle8Go: n is a
// positive multiple of 8. An iteration reads 8 elements from the 8 bytes at every plane's position,
// which the caller has checked.

func unshuffle2() *Func {
	f := New("unshuffle2", Slice("dst"), Slice("src"), Word("stride"), Word("step"), Word("n"))
	dst, p, q, end, step := f.Reg("dst"), f.Reg("p"), f.Reg("q"), f.Reg("end"), f.Reg("step")
	a, b, t := f.Reg("a"), f.Reg("b"), f.Reg("t")
	f.Set(dst, f.Base("dst"))
	f.Set(p, f.Base("src"))
	f.Set(q, Add(p, f.Arg("stride")))
	f.Set(end, Add(p, f.Arg("n")))
	f.Set(step, f.Arg("step"))
	// Afterwards a holds the elements 0, 1, 4, 5, and b the elements 2, 3, 6, 7.
	eight := func() {
		f.Set(a, Load64(p, 0))
		f.Set(b, Load64(q, 0))
		f.Inc(p, 8)
		f.Inc(q, 8)
		exchange(f, t, a, b, 8, bytes01)
		exchange(f, t, a, b, 16, bytes23)
	}
	f.If(Eq(step, 2), func() {
		f.Loop("eight", func() {
			eight()
			f.Store64(dst, 0, Or(And(a, low32), Shl(b, 32)))
			f.Store64(dst, 8, Or(Shr(a, 32), And(b, high32)))
			f.Inc(dst, 16)
			f.BreakIf("eight", Lt(p, end))
		})
		f.Return()
	})
	f.Loop("eight apart", func() {
		eight()
		for _, half := range []int{0, 32} {
			for _, x := range []Reg{a, b} {
				for _, i := range []int{0, 16} {
					f.Store16(dst, 0, Shr(x, half+i))
					f.Inc(dst, step)
				}
			}
		}
		f.BreakIf("eight apart", Lt(p, end))
	})
	f.Return()
	return f
}

func unshuffle4() *Func {
	f := New("unshuffle4", Slice("dst"), Slice("src"), Word("stride"), Word("step"), Word("n"))
	dst, end, step, t := f.Reg("dst"), f.Reg("end"), f.Reg("step"), f.Reg("t")
	row := f.Regs("p", "q", "r", "s")
	w := f.Regs("a", "b", "c", "d")
	a, b, c, d := w[0], w[1], w[2], w[3]
	f.Set(dst, f.Base("dst"))
	f.Set(row[0], f.Base("src"))
	for i := range 3 {
		f.Set(row[i+1], Add(row[i], f.Arg("stride")))
	}
	f.Set(end, Add(row[0], f.Arg("n")))
	f.Set(step, f.Arg("step"))
	// Afterwards a to d hold the elements 0 and 4, 1 and 5, 2 and 6, 3 and 7.
	eight := func() {
		for i := range 4 {
			f.Set(w[i], Load64(row[i], 0))
			f.Inc(row[i], 8)
		}
		exchange(f, t, a, b, 8, bytes01)
		exchange(f, t, c, d, 8, bytes01)
		exchange(f, t, a, c, 16, bytes23)
		exchange(f, t, b, d, 16, bytes23)
	}
	f.If(Eq(step, 4), func() {
		f.Loop("eight", func() {
			eight()
			f.Store64(dst, 0, Or(And(a, low32), Shl(b, 32)))
			f.Store64(dst, 8, Or(And(c, low32), Shl(d, 32)))
			f.Store64(dst, 16, Or(Shr(a, 32), And(b, high32)))
			f.Store64(dst, 24, Or(Shr(c, 32), And(d, high32)))
			f.Inc(dst, 32)
			f.BreakIf("eight", Lt(row[0], end))
		})
		f.Return()
	})
	f.Loop("eight apart", func() {
		eight()
		for _, shift := range []int{0, 32} {
			for _, x := range w {
				f.Store32(dst, 0, Shr(x, shift))
				f.Inc(dst, step)
			}
		}
		f.BreakIf("eight apart", Lt(row[0], end))
	})
	f.Return()
	return f
}

// transpose does all but the last step of transposing 8 by 8 bytes. Column i, for i from 0 to 3, is
// the low half of w[i] followed by that of w[i+4]. Column i+4 is their high halves.
func transpose(f *Func, t Reg, w []Reg) {
	for _, i := range []int{0, 2, 4, 6} {
		exchange(f, t, w[i], w[i+1], 8, bytes01)
	}
	for _, i := range []int{0, 1, 4, 5} {
		exchange(f, t, w[i], w[i+2], 16, bytes23)
	}
}

// column returns a column of transpose's result.
func column(w []Reg, i int) Val {
	if i < 4 {
		return Or(And(w[i], low32), Shl(w[i+4], 32))
	}
	return Or(Shr(w[i-4], 32), And(w[i], high32))
}

func unshuffle8() *Func {
	f := New("unshuffle8", Slice("dst"), Slice("src"), Word("stride"), Word("step"), Word("n"))
	dst, src, row, stride, step, end, t := f.Reg("dst"), f.Reg("src"), f.Reg("row"), f.Reg("stride"), f.Reg("step"), f.Reg("end"), f.Reg("t")
	w := f.Regs("w0", "w1", "w2", "w3", "w4", "w5", "w6", "w7")
	f.Set(dst, f.Base("dst"))
	f.Set(src, f.Base("src"))
	f.Set(end, Add(src, f.Arg("n")))
	f.Set(stride, f.Arg("stride"))
	f.Set(step, f.Arg("step"))
	eight := func() {
		f.Set(w[0], Load64(src, 0))
		f.Set(row, Add(src, stride))
		for i := 1; i < 8; i++ {
			f.Set(w[i], Load64(row, 0))
			if i < 7 {
				f.Inc(row, stride)
			}
		}
		f.Inc(src, 8)
		transpose(f, t, w)
	}
	f.If(Eq(step, 8), func() {
		f.Loop("eight", func() {
			eight()
			for i := range 8 {
				f.Store64(dst, 8*i, column(w, i))
			}
			f.Inc(dst, 64)
			f.BreakIf("eight", Lt(src, end))
		})
		f.Return()
	})
	f.Loop("eight apart", func() {
		eight()
		for i := range 8 {
			f.Store64(dst, 0, column(w, i))
			f.Inc(dst, step)
		}
		f.BreakIf("eight apart", Lt(src, end))
	})
	f.Return()
	return f
}

// bitRows has the contract of bitRowsGo. An iteration of the inner loop reads 8 bytes of 8 rows,
// and writes 8 words of tile for a column of 64 elements.
func bitRows() *Func {
	f := New("bitRows", Slice("tile"), Slice("src"), Word("row"), Word("n"), Word("size"))
	tile, p, q, end, row, step, t := f.Reg("tile"), f.Reg("p"), f.Reg("q"), f.Reg("end"), f.Reg("row"), f.Reg("step"), f.Reg("t")
	w := f.Regs("w0", "w1", "w2", "w3", "w4", "w5", "w6", "w7")
	f.Set(tile, f.Base("tile"))
	f.Set(p, f.Base("src"))
	f.Set(row, f.Arg("row"))
	f.Set(step, Shl(f.Arg("size"), 3))
	f.Loop("rows", func() {
		f.Set(q, tile)
		f.Set(end, Add(p, f.Arg("n")))
		f.Loop("column", func() {
			f.Set(t, p)
			for i := range w {
				f.Set(w[i], Load64(t, 0))
				if i < 7 {
					f.Inc(t, row)
				}
			}
			// The upper bytes of small numbers are all zero.
			f.Set(t, w[0])
			for _, r := range w[1:] {
				f.Set(t, Or(t, r))
			}
			f.If(NonZero(t), func() {
				for i, mask := range []uint64{0x5555555555555555, 0x3333333333333333, 0x0f0f0f0f0f0f0f0f} {
					for k := range w {
						if k>>i&1 == 0 {
							exchange(f, t, w[k], w[k+(1<<i)], 1<<i, mask)
						}
					}
				}
			})
			for i := range w {
				f.Store64(q, 0, w[i])
				f.Inc(q, step)
			}
			f.Inc(p, 8)
			f.BreakIf("column", Lt(p, end))
		})
		f.Inc(p, Sub(Shl(row, 3), f.Arg("n")))
		f.Inc(tile, 8)
		f.BreakIf("rows", Lt(tile, Add(f.Base("tile"), step)))
	})
	f.Return()
	return f
}

// bitBytes has the contract of bitBytesGo. It reads tile from its first to its last byte, and
// writes dst in columns as large as those that it reads.
func bitBytes() *Func {
	f := New("bitBytes", Slice("dst"), Slice("tile"), Word("size"))
	dst, next, p, end, step, t := f.Reg("dst"), f.Reg("next"), f.Reg("p"), f.Reg("end"), f.Reg("step"), f.Reg("t")
	w := f.Regs("w0", "w1", "w2", "w3", "w4", "w5", "w6", "w7")
	f.Set(dst, f.Base("dst"))
	f.Set(p, f.Base("tile"))
	f.Set(end, Add(p, f.Len("tile")))
	f.Set(step, Shl(f.Arg("size"), 3))
	f.Loop("column", func() {
		f.Set(next, Add(dst, step))
		f.Loop("bytes", func() {
			for i := range w {
				f.Set(w[i], Load64(p, 8*i))
			}
			f.Inc(p, 64)
			transpose(f, t, w)
			f.Set(t, dst)
			for i := range w {
				f.Store64(t, 0, column(w, i))
				if i < 7 {
					f.Inc(t, step)
				}
			}
			f.Inc(dst, 8)
			f.BreakIf("bytes", Lt(dst, next))
		})
		f.Inc(dst, Sub(Shl(step, 3), step))
		f.BreakIf("column", Lt(p, end))
	})
	f.Return()
	return f
}
