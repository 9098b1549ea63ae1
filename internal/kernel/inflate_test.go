package kernel

import (
	"bytes"
	"math/rand"
	"slices"
	"testing"
)

// symbolsWith is Symbols with the given fast loop.
func symbolsWith(s *Inflate, fast func(*Inflate) InflateEnd) InflateEnd {
	for {
		if s.left > 0 && !s.match() {
			return InflateFull
		}
		if len(s.Src)-s.Pos >= inflateSrcRoom && len(s.Dst)-s.Out >= inflateDstRoom {
			if end := fast(s); end != InflateNear {
				return end
			}
		}
		if end := s.symbol(); end != InflateNear {
			return end
		}
	}
}

// bitwise decodes a block bit by bit, by the definition of canonical codes.
func bitwise(lits, dists []uint8, src []byte, dst []byte, base, out int) ([]byte, InflateEnd) {
	at := 0
	bit := func() int {
		if at >= 8*len(src) {
			return -1
		}
		at++
		return int(src[(at-1)/8]>>((at-1)%8)) & 1
	}
	take := func(n int) (v int, ok bool) {
		for i := range n {
			b := bit()
			if b < 0 {
				return 0, false
			}
			v |= b << i
		}
		return v, true
	}
	symbol := func(lens []uint8) (int, InflateEnd) {
		code, first := 0, 0
		for l := uint8(1); l < 16; l++ {
			b := bit()
			if b < 0 {
				return 0, InflateCut
			}
			code, first = code<<1|b, first<<1
			for sym, k := range lens {
				if k == l {
					if code == first {
						return sym, InflateNear
					}
					first++
				}
			}
		}
		return 0, InflateBadCode
	}
	for {
		sym, end := symbol(lits)
		if end != InflateNear {
			return dst[:out], end
		}
		if sym == 256 {
			return dst[:out], InflateDone
		}
		if sym < 256 {
			if out == len(dst) {
				return dst[:out], InflateFull
			}
			dst[out] = byte(sym)
			out++
			continue
		}
		value := func(e uint32) (int, InflateEnd) {
			if e == inflateNone {
				return 0, InflateBadCode
			}
			v, ok := take(int(e & 63))
			if !ok {
				return 0, InflateCut
			}
			return int(e>>16) + v, InflateNear
		}
		size, end := value(inflateLitSymbols[sym])
		if end != InflateNear {
			return dst[:out], end
		}
		if sym, end = symbol(dists); end != InflateNear {
			return dst[:out], end
		}
		back, end := value(inflateDistSymbols[sym])
		if end != InflateNear {
			return dst[:out], end
		}
		if back > out-base {
			return dst[:out], InflateBadMatch
		}
		for ; size > 0; size-- {
			if out == len(dst) {
				return dst[:out], InflateFull
			}
			dst[out] = dst[out-back]
			out++
		}
	}
}

// randomCode returns the lengths of a complete code of up to n symbols.
func randomCode(r *rand.Rand, n int, skew float64) []uint8 {
	// The leaves of a tree; the loop splits one at a time.
	leaves := []uint8{0}
	for want := 2 + r.Intn(n-1); len(leaves) < want; {
		i := r.Intn(len(leaves))
		if r.Float64() < skew {
			i = len(leaves) - 1
		}
		if leaves[i] == 15 {
			if slices.Min(leaves) == 15 {
				break
			}
			skew /= 2
			continue
		}
		leaves[i]++
		leaves = append(leaves, leaves[i])
	}
	lens := make([]uint8, n)
	for i, k := range r.Perm(n)[:len(leaves)] {
		lens[k] = leaves[i]
	}
	return lens
}

// poisoned returns n bytes inside of others that must not change.
func poisoned(n int) (b []byte, intact func() bool) {
	const border = 64
	all := bytes.Repeat([]byte{0xa5}, n+2*border)
	return all[border : border+n : border+n], func() bool {
		want := bytes.Repeat([]byte{0xa5}, border)
		return bytes.Equal(all[:border], want) && bytes.Equal(all[border+n:], want)
	}
}

// checkInflate decodes with this machine's fast loop, the portable one, and bit by bit. It compares
// their output and their reasons to stop.
func checkInflate(t *testing.T, lits, dists []uint8, src []byte, size, base int) {
	t.Helper()
	before := make([]byte, size)
	rand.New(rand.NewSource(int64(size))).Read(before)
	out := min(size, base+size/3)
	want, wantEnd := bitwise(lits, dists, src, slices.Clone(before), base, out)
	for name, fast := range map[string]func(*Inflate) InflateEnd{"inflate": inflate, "inflateGo": inflateGo} {
		dst, intact := poisoned(size)
		copy(dst, before)
		s := Inflate{Src: src, Dst: dst, Out: out, Base: base}
		if !s.Codes(lits, dists) {
			t.Fatal("no code")
		}
		end := symbolsWith(&s, fast)
		if !intact() {
			t.Fatalf("%s wrote outside", name)
		}
		// A truncated code may be undefined, and the decoder does not check which.
		if end != wantEnd && (end != InflateCut || wantEnd != InflateBadCode) {
			t.Fatalf("%s stopped with %d, want %d", name, end, wantEnd)
		}
		if !bytes.Equal(dst[:s.Out], want) {
			t.Fatalf("%s wrote %d bytes, which differ from the %d wanted", name, s.Out, len(want))
		}
	}
}

// TestInflateLoops decodes random bits by random codes, into room of every length.
func TestInflateLoops(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for i := range 400 {
		lits := randomCode(r, 288, r.Float64())
		dists := randomCode(r, 32, r.Float64())
		if r.Intn(4) == 0 { // matches that fit
			clear(dists)
			dists[0], dists[1+r.Intn(14)] = 1, 1
		}
		src := make([]byte, r.Intn(3000))
		r.Read(src)
		checkInflate(t, lits, dists, src, 300+i*17%4000, r.Intn(300))
	}
	lits, dists := randomCode(r, 280, 0), make([]uint8, 30)
	dists[0], dists[5], dists[9], dists[12] = 2, 2, 2, 2
	src := make([]byte, 2000)
	r.Read(src)
	for size := range 900 {
		checkInflate(t, lits, dists, src, size, 0)
		checkInflate(t, lits, dists, src[:size], 20_000, 0)
	}
}

// bitWriter writes the bits of a stream.
type bitWriter struct {
	b []byte
	n int
}

func (w *bitWriter) bits(v, n int) {
	for i := range n {
		if w.n%8 == 0 {
			w.b = append(w.b, 0)
		}
		w.b[w.n/8] |= byte(v>>i&1) << (w.n % 8)
		w.n++
	}
}

// symbol writes the canonical code of a symbol: the number of codes before it, first bit first.
func (w *bitWriter) symbol(lens []uint8, sym int) {
	code := 0
	for i, l := range lens {
		if l > 0 && (l < lens[sym] || l == lens[sym] && i < sym) {
			code += 1 << (lens[sym] - l&15)
		}
	}
	for i := int(lens[sym]) - 1; i >= 0; i-- {
		w.bits(code>>i, 1)
	}
}

// value writes the symbol, and the extra bits, of a length or a distance.
func (w *bitWriter) value(lens []uint8, symbols []uint32, v int) {
	for sym := len(lens) - 1; ; sym-- {
		if e := symbols[sym]; e&(inflateLit|inflateOdd) == 0 && int(e>>16) <= v {
			w.symbol(lens, sym)
			w.bits(v-int(e>>16), int(e&63))
			return
		}
	}
}

// TestInflateMatches copies matches of every length from near and far.
func TestInflateMatches(t *testing.T) {
	lits := slices.Concat(bytes.Repeat([]byte{8}, 144), bytes.Repeat([]byte{9}, 112), bytes.Repeat([]byte{7}, 24), bytes.Repeat([]byte{8}, 8))
	dists := bytes.Repeat([]byte{5}, 32)
	for back := 1; back <= 40_000; back += 1 + back/12 {
		back = min(back, 32768)
		var w bitWriter
		var want []byte
		literal := func() {
			v := len(want) * 7 & 255
			w.symbol(lits, v)
			want = append(want, byte(v))
		}
		for len(want) < back {
			literal()
		}
		for size := 3; size <= 258; size++ {
			w.value(lits, inflateLitSymbols[:], size)
			w.value(dists, inflateDistSymbols[:], back)
			for range size {
				want = append(want, want[len(want)-back])
			}
			literal()
		}
		w.symbol(lits, 256)
		w.bits(0, 16*inflateSrcRoom) // enough for the fast loop
		dst := make([]byte, len(want)+inflateDstRoom)
		for name, fast := range map[string]func(*Inflate) InflateEnd{"inflate": inflate, "inflateGo": inflateGo} {
			s := Inflate{Src: w.b, Dst: dst}
			if !s.Codes(lits, dists) {
				t.Fatal("no code")
			}
			s.Fill()
			if end := fast(&s); end != InflateDone || !bytes.Equal(dst[:s.Out], want) {
				t.Fatalf("%s, distance %d: stopped with %d after %d of %d bytes", name, back, end, s.Out, len(want))
			}
			clear(dst)
		}
		if back == 32768 {
			break
		}
	}
}

func FuzzInflate(f *testing.F) {
	f.Add([]byte("some bits"), int64(1), uint16(400), uint16(0))
	f.Add(bytes.Repeat([]byte{0x5a, 1, 99}, 200), int64(2), uint16(3000), uint16(100))
	f.Fuzz(func(t *testing.T, src []byte, seed int64, size, base uint16) {
		r := rand.New(rand.NewSource(seed))
		lits, dists := randomCode(r, 288, r.Float64()), randomCode(r, 32, r.Float64())
		checkInflate(t, lits, dists, src, int(size), int(base)%(int(size)+1))
	})
}
