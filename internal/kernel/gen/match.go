package main

// match holds the registers of a match. It copies n bytes from `from`, offset bytes before d, to d
// up to to. x is scratch.
type match struct {
	f                         *Func
	d, from, to, offset, n, x Reg
}

// copy8 copies 8 bytes from from+k to to+k.
func copy8(f *Func, to, from Reg, k int) { f.Store64(to, k, Load64(from, k)) }

// pattern sets x to 8 bytes of the pattern that a match repeats at a distance below 8. It sets
// offset to the largest number of these bytes that is whole patterns. It reads 8 bytes at from, and
// uses to.
func (m match) pattern() {
	f := m.f
	f.Set(m.to, Shl(m.offset, 3))
	f.Set(m.x, And(Load64(m.from, 0), Shr(-1, Sub(64, m.to))))
	f.Set(m.x, Or(m.x, Shl(m.x, m.to)))
	for range 2 {
		f.Set(m.to, Shl(m.to, 1))
		f.Set(m.x, Or(m.x, Select(Lt(m.to, 64), Shl(m.x, m.to), 0)))
	}
	f.Set(m.offset, And(Shr(uint64(0x0706050806080800), Shl(m.offset, 3)), 255))
}

// steps copies up to 63 bytes too many, and reads as many. It advances d to to.
func (m match) steps() {
	f := m.f
	f.IfElse(Lt(m.offset, 16), func() {
		// No load reads recent stores: 16 bytes of the pattern stay in registers.
		f.Set(m.n, m.to)
		f.IfElse(Lt(m.offset, 8), func() {
			m.pattern()
			f.Set(m.from, m.x)
		}, func() {
			f.Set(m.x, Load64(m.from, 0))
			f.Set(m.from, Load64(m.from, 8))
		})
		f.Loop("pattern", func() {
			f.Store64(m.d, 0, m.x)
			f.Store64(m.d, 8, m.from)
			f.Inc(m.d, m.offset)
			f.BreakIf("pattern", Lt(m.d, m.n))
		})
		f.Set(m.d, m.n)
	}, func() {
		f.Loop("wide", func() {
			for k := 0; k < 64; k += 8 {
				copy8(f, m.d, m.from, k)
			}
			f.Inc(m.from, 64)
			f.Inc(m.d, 64)
			f.BreakIf("wide", Lt(m.d, m.to))
		})
		f.Set(m.d, m.to)
	})
}

// exact copies no byte too many. It advances d to to.
func (m match) exact() {
	f := m.f
	f.IfElse(Eq(m.offset, 1), func() {
		f.Fill(m.d, Load8(m.from, 0), m.n)
	}, func() {
		// Each copy doubles the length of the next one.
		f.Loop("double", func() {
			f.If(Lt(m.offset, m.n), func() {
				f.Copy(m.d, m.from, m.offset)
				f.Inc(m.d, m.offset)
				f.Dec(m.n, m.offset)
				f.Set(m.offset, Shl(m.offset, 1))
				f.Break("double")
			})
		})
		f.Copy(m.d, m.from, m.n)
	})
	f.Set(m.d, m.to)
}
