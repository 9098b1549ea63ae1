package main

// word defines how a kernel loads and stores elements of one width: whole, or as two halves of 8
// bytes.
type word struct {
	name  string
	width int
	load  func(addr Val, off any) Val
	store func(f *Func, addr Val, off any, v Val)
}

var words = []word{
	{"move1", 1, Load8, (*Func).Store8},
	{"move2", 2, Load16, (*Func).Store16},
	{"move4", 4, Load32, (*Func).Store32},
	{"move8", 8, Load64, (*Func).Store64},
	{"move16", 16, Load64, (*Func).Store64},
}

func moves() []*Func {
	var all []*Func
	for _, w := range words {
		all = append(all, move(w))
	}
	return append(all, turn1(), turn2(), turn4())
}

// move has the contract of moveGo.
func move(w word) *Func {
	f := New(w.name, Word("dst"), Word("src"), Word("na"), Word("da"), Word("sa"), Word("nb"), Word("db"), Word("sb"))
	row, from, na, d, s, n := f.Reg("row"), f.Reg("from"), f.Reg("na"), f.Reg("d"), f.Reg("s"), f.Reg("n")
	db, sb, db2, sb2, db3, sb3 := f.Reg("db"), f.Reg("sb"), f.Reg("db2"), f.Reg("sb2"), f.Reg("db3"), f.Reg("sb3")
	f.Set(row, f.Arg("dst"))
	f.Set(from, f.Arg("src"))
	f.Set(na, f.Arg("na"))
	f.Set(db, f.Arg("db"))
	f.Set(sb, f.Arg("sb"))
	f.Set(db2, Shl(db, 1))
	f.Set(sb2, Shl(sb, 1))
	f.Set(db3, Add(db2, db))
	f.Set(sb3, Add(sb2, sb))
	one := func(to, at Val) {
		for off := 0; off < w.width; off += 8 {
			w.store(f, to, off, w.load(at, off))
		}
	}
	f.Loop("row", func() {
		f.Set(d, row)
		f.Set(s, from)
		f.Set(n, f.Arg("nb"))
		f.Block("few", func() {
			f.BreakIf("few", LtS(n, 4))
			f.Loop("four", func() {
				one(d, s)
				one(Add(d, db), Add(s, sb))
				one(Add(d, db2), Add(s, sb2))
				one(Add(d, db3), Add(s, sb3))
				f.Inc(d, Shl(db, 2))
				f.Inc(s, Shl(sb, 2))
				f.Dec(n, 4)
				f.BreakIf("four", GeS(n, 4))
			})
		})
		f.Block("none", func() {
			f.BreakIf("none", Zero(n))
			f.Loop("one", func() {
				one(d, s)
				f.Inc(d, db)
				f.Inc(s, sb)
				f.Dec(n, 1)
				f.BreakIf("one", NonZero(n))
			})
		})
		f.Inc(row, f.Arg("da"))
		f.Inc(from, f.Arg("sa"))
		f.Dec(na, 1)
		f.BreakIf("row", NonZero(na))
	})
	f.Return()
	return f
}

// turn starts a function with the contract of turnGo. For each k rows of dst it visits nb/k
// squares, which square transposes.
func turn(name string, width int, square func(f *Func, t Reg, w []Reg)) *Func {
	k := 8 / width
	f := New(name, Word("dst"), Word("src"), Word("na"), Word("da"), Word("nb"), Word("sb"))
	row, from, na, d, s, n, t := f.Reg("row"), f.Reg("from"), f.Reg("na"), f.Reg("d"), f.Reg("s"), f.Reg("n"), f.Reg("t")
	w := f.Regs("w0", "w1", "w2", "w3", "w4", "w5", "w6", "w7")[:k]
	f.Set(row, f.Arg("dst"))
	f.Set(from, f.Arg("src"))
	f.Set(na, f.Arg("na"))
	f.Loop("rows", func() {
		f.Set(d, row)
		f.Set(s, from)
		f.Set(n, f.Arg("nb"))
		f.Loop("square", func() {
			for i := range w {
				f.Set(w[i], Load64(s, 0))
				f.Inc(s, f.Arg("sb"))
			}
			square(f, t, w)
			f.Set(t, d)
			for i := range w {
				f.Store64(t, 0, w[i])
				f.Inc(t, f.Arg("da"))
			}
			f.Inc(d, 8)
			f.Dec(n, k)
			f.BreakIf("square", NonZero(n))
		})
		f.Inc(row, Mul(f.Arg("da"), k))
		f.Inc(from, 8)
		f.Dec(na, k)
		f.BreakIf("rows", NonZero(na))
	})
	f.Return()
	return f
}

func turn4() *Func {
	return turn("turn4", 4, func(f *Func, t Reg, w []Reg) {
		exchange(f, t, w[0], w[1], 32, low32)
	})
}

func turn2() *Func {
	return turn("turn2", 2, func(f *Func, t Reg, w []Reg) {
		exchange(f, t, w[0], w[2], 32, low32)
		exchange(f, t, w[1], w[3], 32, low32)
		exchange(f, t, w[0], w[1], 16, bytes23)
		exchange(f, t, w[2], w[3], 16, bytes23)
	})
}

func turn1() *Func {
	return turn("turn1", 1, func(f *Func, t Reg, w []Reg) {
		for i, mask := range []uint64{bytes01, bytes23, low32} {
			for j := range w {
				if j>>i&1 == 0 {
					exchange(f, t, w[j], w[j+1<<i], 8<<i, mask)
				}
			}
		}
	})
}
