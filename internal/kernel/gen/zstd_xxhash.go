package main

func zstdXXH() []*Func { return []*Func{stripes()} }

// stripes writes func stripes(lanes *[4]uint64, data []byte). The length of data is a positive
// multiple of 32 bytes.
func stripes() *Func {
	f := New("stripes", Word("lanes"), Slice("data"))
	lanes, p, end, prime1, prime2 := f.Reg("lanes"), f.Reg("p"), f.Reg("end"), f.Reg("prime1"), f.Reg("prime2")
	lane := f.Regs("a", "b", "c", "d")
	f.Set(lanes, f.Arg("lanes"))
	f.Set(p, f.Base("data"))
	f.Set(end, Add(p, f.Len("data")))
	f.Set(prime1, uint64(0x9e3779b185ebca87))
	f.Set(prime2, uint64(0xc2b2ae3d27d4eb4f))
	for i, r := range lane {
		f.Set(r, Load64(lanes, 8*i))
	}
	f.Loop("stripe", func() {
		for i, r := range lane {
			f.Set(r, Mul(Rotl(Add(r, Mul(Load64(p, 8*i), prime2)), 31), prime1))
		}
		f.Inc(p, 32)
		f.BreakIf("stripe", Lt(p, end))
	})
	for i, r := range lane {
		f.Store64(lanes, 8*i, r)
	}
	f.Return()
	return f
}
