package zstdk

import (
	"bytes"
	"math/rand"
	"testing"
)

// These tests compare the two forms of each loop in wasm. Natively the portable form is compared
// with itself.

const poison = 0xa5

// guarded is memory with poison on both sides.
type guarded struct {
	all  []byte
	data []byte
}

func guard(n int) guarded {
	all := bytes.Repeat([]byte{poison}, n+128)
	return guarded{all, all[64 : 64+n : 64+n]}
}

func (g guarded) check(t *testing.T, what string) {
	t.Helper()
	edge := append(bytes.Clone(g.all[:64]), g.all[len(g.all)-64:]...)
	if !bytes.Equal(edge, bytes.Repeat([]byte{poison}, 128)) {
		t.Fatalf("%s: writes outside of its memory", what)
	}
}

// randomCounts returns the counts of a table of the given log with up to most symbols, few of the
// later ones.
func randomCounts(r *rand.Rand, log uint, most int) counts {
	c := counts{log: log}
	for left := 1 << log; left > 0; {
		s := min(r.Intn(most), r.Intn(most), r.Intn(most))
		switch {
		case c.of[s] < 0:
		case s > 0 && c.of[s] == 0 && r.Intn(4) == 0:
			c.of[s] = -1
			left--
		default:
			n := 1 + r.Intn(min(left, 1+left/3))
			c.of[s] += int16(n)
			left -= n
		}
		c.n = max(c.n, s+1)
	}
	return c
}

func TestFormsOfBuild(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for i := range 3000 {
		var symbols []uint64
		most := maxSymbols
		if i%2 == 1 {
			symbols = kinds[i%3].codes
			most = len(symbols)
		}
		c := randomCounts(r, uint(5+r.Intn(5)), most)
		d := c
		var a, b table
		a.log, b.log = 77, 77
		for k := range a.entries {
			a.entries[k], b.entries[k] = poison, poison
		}
		build(&a, &c, symbols)
		buildGo(&b, &d, symbols)
		if a != b {
			t.Fatalf("table %d of log %d differs", i, c.log)
		}
		for _, e := range a.entries[:1<<a.log] {
			if next := e>>stateAt&0xffff + 1<<(e&63) - 1; next >= 1<<a.log {
				t.Fatalf("table %d of log %d leads to state %d", i, c.log, next)
			}
		}
	}
}

// randomCode returns a table of Huffman codes of up to 256 symbols, and its weights.
func randomCode(t *testing.T, r *rand.Rand) *Huffman {
	h := &Huffman{}
	for k := range h.entries {
		h.entries[k] = poison<<8 | poison
	}
	// Split codes until there are enough, starting with the code of no bits.
	lengths := []int{0}
	for want := 2 + r.Intn(255); len(lengths) < want; {
		i := r.Intn(len(lengths))
		if r.Intn(3) > 0 {
			i = len(lengths) - 1
		}
		if lengths[i] == maxHuffman {
			if len(lengths) > 20 {
				break
			}
			continue
		}
		lengths[i]++
		lengths = append(lengths, lengths[i])
	}
	for _, n := range lengths {
		h.log = max(h.log, uint(n))
	}
	r.Shuffle(len(lengths), func(i, j int) { lengths[i], lengths[j] = lengths[j], lengths[i] })
	for s, n := range lengths {
		h.weights[s] = uint8(int(h.log) + 1 - n)
		h.ranks[h.weights[s]]++
	}
	// Add a few unused symbols.
	n := len(lengths)
	for ; n < 256 && r.Intn(3) > 0; n++ {
		h.weights[n] = h.weights[0]
		h.weights[0] = 0
		h.ranks[0]++
	}
	g := *h
	huffmanFill(h, n)
	huffmanFillGo(&g, n)
	size := 1 << h.log
	if !equal(h.entries[:size], g.entries[:size]) {
		t.Fatalf("tables of %d symbols differ", n)
	}
	for _, e := range h.entries[:size] {
		if n := e & 255; n < 1 || n > maxHuffman {
			t.Fatalf("a code of %d bits", n)
		}
	}
	for _, e := range h.entries[min(size+4, len(h.entries)):] {
		if e != poison<<8|poison {
			t.Fatal("writes behind the table")
		}
	}
	return h
}

func equal[T comparable](a, b []T) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return len(a) == len(b)
}

func TestFormsOfHuffman(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	for i := range 600 {
		h := randomCode(t, r)
		src := make([]byte, before+r.Intn(300))
		r.Read(src)
		low := 8 * (before + r.Intn(len(src)-before+1))
		at := low + r.Intn(8*len(src)-low+1)
		for _, n := range []int{0, 1 + i%7, r.Intn(500)} {
			a, b := guard(n), guard(n)
			next, want := huffman1(h, a.data, src, at, low), huffman1Go(h, b.data, src, at, low)
			a.check(t, "one stream")
			if next != want || !bytes.Equal(a.data, b.data) {
				t.Fatalf("%d symbols from %d to %d: to %d, not %d", n, at, low, next, want)
			}
		}
		rounds := 1 + r.Intn(1+8*(len(src)-before)/roundBits)
		for k := range h.at {
			h.low[k] = 8 * before
			h.at[k] = h.low[k] + r.Intn(64) + rounds*roundBits
		}
		src = make([]byte, (h.at[0]+h.at[1]+h.at[2]+h.at[3])/8)
		r.Read(src)
		pairs := *h
		huffmanPairs(h)
		huffmanPairsGo(&pairs)
		if h.pairs != pairs.pairs {
			t.Fatal("tables of pairs differ")
		}
		for name, form := range map[string]struct {
			room             int
			decode, portable func(h *Huffman, dst, src []byte, n int)
		}{
			"single": {round, huffman4, huffman4Go},
			"pairs":  {2 * round, huffman4Pairs, huffman4PairsGo},
		} {
			for k := range h.to {
				h.to[k] = r.Intn(9) + k*(rounds*form.room+10)
			}
			size := h.to[3] + rounds*form.room
			a, b, f, g := guard(size), guard(size), *h, *h
			form.decode(&f, a.data, src, rounds)
			form.portable(&g, b.data, src, rounds)
			a.check(t, name)
			if f.at != g.at || f.to != g.to || !bytes.Equal(a.data, b.data) {
				t.Fatalf("%s: %d rounds of four streams differ", name, rounds)
			}
			for k := range h.at {
				if f.at[k] < h.at[k]-rounds*roundBits || f.to[k] > h.to[k]+rounds*form.room {
					t.Fatalf("%s: %d rounds of four streams take too much", name, rounds)
				}
			}
		}
	}
}

func TestFormsOfWeights(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	for range 2000 {
		var h Huffman
		c := randomCounts(r, uint(5+r.Intn(2)), 2+r.Intn(12))
		build(&h.states, &c, nil)
		src := make([]byte, before+2+r.Intn(128))
		r.Read(src)
		low := 8 * before
		pos := low + 2*int(h.states.log) + r.Intn(8*len(src)-low-2*int(h.states.log)+1)
		g := h
		n, want := weights(&h, src, pos, low), weightsGo(&g, src, pos, low)
		if n != want || h.weights != g.weights {
			t.Fatalf("%d weights, not %d, or others", n, want)
		}
	}
}

func TestFormsOfSequences(t *testing.T) {
	r := rand.New(rand.NewSource(4))
	var s Sequences
	ended := [4]int{}
	src := make([]byte, 4000)
	lits := make([]byte, 3000)
	r.Read(lits)
	for i := range 4000 {
		// Short literals and matches, mostly near; sometimes anything.
		most := [3]int{4 + r.Intn(20), 3 + r.Intn(9), 5 + r.Intn(38)}
		if i%8 == 0 {
			most = [3]int{36, 32, 53}
		}
		for k := range s.tables {
			c := randomCounts(r, uint(5+r.Intn(4)), most[k])
			build(&s.tables[k], &c, kinds[k].codes)
			s.states[k] = r.Intn(1 << s.tables[k].log)
		}
		r.Read(src[:])
		from := before + r.Intn(20)
		s.src = src[:from+1+r.Intn(len(src)-from-1)]
		s.low = 8 * from
		s.at = s.low + r.Intn(8*(len(s.src)-from)+1)
		s.lits, s.lit = lits[r.Intn(2000):], 0
		s.n = r.Intn(200)
		s.Offsets = [3]int{1 + r.Intn(40), 1 + r.Intn(40), r.Intn(1000)}
		size := r.Intn(6000)
		a, b := guard(size), guard(size)
		r.Read(a.data)
		copy(b.data, a.data)
		s.base = r.Intn(1 + size/10)
		s.o = s.base + r.Intn(1+size/2)
		s.fast = r.Intn(size+1) - 2*wide
		s.fastLit = r.Intn(len(s.lits)+1) - wide
		s.unread = 0

		g := s
		s.buf, g.buf = a.data, b.data
		got, want := sequences(&s), sequencesGo(&g)
		a.check(t, "sequences")
		g.buf = s.buf
		if got != want {
			t.Fatalf("%d: ends with %d, not %d", i, got, want)
		}
		ended[got]++
		if got == ranBadStream || got == ranBadOffset {
			continue // the remaining bytes are arbitrary
		}
		if s.at != g.at || s.states != g.states || s.n != g.n || s.o != g.o || s.lit != g.lit || s.Offsets != g.Offsets || s.unread != g.unread ||
			s.low != g.low || s.base != g.base || s.fast != g.fast || s.fastLit != g.fastLit {
			t.Fatalf("%d: another state", i)
		}
		if got == ranCareful && (s.ll != g.ll || s.ml != g.ml || s.off != g.off) {
			t.Fatalf("%d: sequence %d %d %d, not %d %d %d", i, s.ll, s.ml, s.off, g.ll, g.ml, g.off)
		}
		if !bytes.Equal(a.data[:s.o], b.data[:s.o]) {
			t.Fatalf("%d: decodes to something else", i)
		}
	}
	for i, n := range ended {
		if n < 100 {
			t.Errorf("only %d runs ended with %d", n, i)
		}
	}
}

// TestFormsOfCopies runs one sequence for every offset up to 140, and every length up to 600.
func TestFormsOfCopies(t *testing.T) {
	r := rand.New(rand.NewSource(5))
	lits := make([]byte, 1000)
	r.Read(lits)
	for off := 1; off <= 140; off++ {
		for n := 3; n <= 600; n += 1 + n/100 {
			var s Sequences
			ll := (off*n + n) % 300
			s.tables[literalLengths].repeat(uint64(ll) << valueAt)
			s.tables[offsetCodes].repeat(uint64(off)<<valueAt | 2<<extraAt)
			s.tables[matchLengths].repeat(uint64(n) << valueAt)
			s.src, s.at, s.low = make([]byte, 16), 64+2, 64
			s.o = 150
			g := guard(s.o + ll + n + 2*wide)
			r.Read(g.data)
			want := bytes.Clone(g.data)
			s.buf, s.lits, s.n = g.data, lits, 1
			s.fast, s.fastLit = s.o+ll+n, len(lits)-wide
			copy(want[s.o:], lits[:ll])
			for i := s.o + ll; i < s.o+ll+n; i++ {
				want[i] = want[i-off]
			}
			if got := sequences(&s); got != ranThrough || s.o != 150+ll+n || !bytes.Equal(s.buf[:s.o], want[:s.o]) {
				t.Fatalf("%d literals, then %d bytes from %d before: wrong", ll, n, off)
			}
			g.check(t, "a copy")
		}
	}
}

func TestFormsOfStripes(t *testing.T) {
	r := rand.New(rand.NewSource(6))
	for n := 32; n <= 2000; n += 32 {
		data := make([]byte, n+8)
		r.Read(data)
		data = data[n%8:][:n]
		a := [4]uint64{r.Uint64(), r.Uint64(), r.Uint64(), r.Uint64()}
		b := a
		stripes(&a, data)
		stripesGo(&b, data)
		if a != b {
			t.Fatalf("%d bytes: the lanes differ", n)
		}
	}
}
