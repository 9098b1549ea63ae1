package zstdenc

import (
	"bytes"
	"math/rand"
	"slices"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/rounds"
)

// These tests compare the two forms of each loop in wasm. Natively the portable form is compared
// with itself.

const poison = 0xa5

// room returns n bytes with poison after them.
func room(n int) []byte { return bytes.Repeat([]byte{poison}, n+64)[:n] }

func poisoned(b []byte) bool {
	return bytes.Equal(b[len(b):len(b)+64:len(b)+64], bytes.Repeat([]byte{poison}, 64))
}

// source returns n bytes with repetitions at many distances.
func source(r *rand.Rand, n int) []byte {
	data := make([]byte, 0, n)
	few := 1 + r.Intn(256)
	for len(data) < n {
		k := 1 + r.Intn(1<<r.Intn(9))
		if from := len(data) - 1 - r.Intn(1+r.Intn(len(data)+1)); from >= 0 && r.Intn(3) > 0 {
			for i := range k {
				data = append(data, data[from+i])
			}
			continue
		}
		for range k {
			data = append(data, byte(r.Intn(few)))
		}
	}
	return data[:n:n]
}

func TestFormsOfSearch(t *testing.T) {
	a, b := &Search{}, &Search{}
	for i := range rounds.Of(400) {
		r := rand.New(rand.NewSource(int64(i)))
		src := source(r, margin+2+r.Intn(1<<r.Intn(17)))
		a.Begin()
		b.Begin()
		for from := 0; len(src)-from > margin; {
			end := min(from+1+margin+r.Intn(MaxBlock-margin), len(src))
			a.count, a.length, a.end = 0, 0, from
			b.count, b.length, b.end = 0, 0, from
			search(a, src[:end:end], from)
			searchGo(b, src[:end:end], from)
			if a.table != b.table || a.count != b.count || a.length != b.length || a.end != b.end || a.run != b.run || a.recent != b.recent {
				t.Fatalf("source %d: the state differs after the block from %d to %d", i, from, end)
			}
			same := func(x, y Sequence) bool {
				return x.Literals == y.Literals && x.Match == y.Match && x.Offset == y.Offset
			}
			if !slices.EqualFunc(a.Sequences(), b.Sequences(), same) || !bytes.Equal(a.Literals(), b.Literals()) {
				t.Fatalf("source %d: the matches differ in the block from %d to %d", i, from, end)
			}
			from = end
		}
	}
}

// The sequences and literals of a block make up the block.
func TestBlocksAreTheirSequences(t *testing.T) {
	s := &Search{}
	for i := range rounds.Of(400) {
		r := rand.New(rand.NewSource(int64(i)))
		src := source(r, r.Intn(1<<r.Intn(19)))
		s.Begin()
		var got []byte
		recent := [3]int{1, 4, 8}
		for from := 0; from < len(src); {
			end := min(from+1+r.Intn(MaxBlock), len(src))
			before := s.Recent()
			s.Block(src, from, end)
			literals := s.Literals()
			was := len(got)
			now := recent
			for _, q := range s.Sequences() {
				got = append(got, literals[:q.Literals]...)
				literals = literals[q.Literals:]
				offset := int(q.Offset) - 3
				switch {
				case q.Offset > 3:
					now = [3]int{offset, now[0], now[1]}
				case q.Offset == 1 && q.Literals == 0:
					offset = now[1]
					now = [3]int{now[1], now[0], now[2]}
				case q.Offset == 1:
					offset = now[0]
				default:
					t.Fatalf("source %d: offset value %d", i, q.Offset)
				}
				if offset > len(got) {
					t.Fatalf("source %d: a match begins before the source", i)
				}
				for range q.Match + 3 {
					got = append(got, got[len(got)-offset])
				}
			}
			got = append(got, literals...)
			if !bytes.Equal(got[was:], src[from:end]) {
				t.Fatalf("source %d: the sequences of the block from %d to %d make other bytes", i, from, end)
			}
			if r.Intn(3) == 0 { // the block is stored
				s.Restore(before)
			} else {
				recent = now
			}
			from = end
		}
	}
}

func randomSequences(r *rand.Rand) []Sequence {
	list := make([]Sequence, 1+r.Intn(1<<r.Intn(13)))
	bits := 1 + r.Intn(17)
	for i := range list {
		list[i] = Sequence{Literals: uint32(r.Intn(1 << r.Intn(bits))), Match: uint32(1 + r.Intn(1<<r.Intn(bits))), Offset: uint32(1 + r.Intn(1<<r.Intn(31)))}
		if r.Intn(3) == 0 {
			list[i].Offset = 1
		}
	}
	return list
}

func TestFormsOfCodes(t *testing.T) {
	for i := range rounds.Of(2000) {
		r := rand.New(rand.NewSource(int64(i)))
		list := randomSequences(r)
		other := slices.Clone(list)
		var a, b [kinds][maxSymbols]uint32
		count(list, &a)
		countGo(other, &b)
		if a != b || !slices.Equal(list, other) {
			t.Fatalf("the codes of list %d differ", i)
		}
		var c Codes
		dst := c.Append(make([]byte, 0, SequenceRoom(len(list))), list)
		x, y := room(SequenceRoom(len(list))), room(SequenceRoom(len(list)))
		n, m := encode(x, list, &c.coders), encodeGo(y, list, &c.coders)
		if n != m || !bytes.Equal(x[:n], y[:m]) || !poisoned(x) || !poisoned(y) {
			t.Fatalf("the bits of list %d differ", i)
		}
		if !bytes.HasSuffix(dst, x[:n]) {
			t.Fatalf("the section of list %d does not end with its bits", i)
		}
	}
}

func TestFormsOfHuffman(t *testing.T) {
	tree := &Tree{}
	for i := range rounds.Of(1000) {
		r := rand.New(rand.NewSource(int64(i)))
		literals := make([]byte, 1+r.Intn(1<<r.Intn(17)))
		spread, at := r.Float64()*40, float64(r.Intn(256))
		for k := range literals {
			literals[k] = byte(at + spread*r.NormFloat64())
		}
		var a, b [4][256]uint32
		histogram(literals, &a)
		histogramGo(literals, &b)
		if a != b {
			t.Fatalf("the counts of literals %d differ", i)
		}
		out := tree.Append(make([]byte, 0, LiteralRoom(len(literals))), literals)
		if len(out) > len(literals)+3 {
			t.Fatalf("%d literals became %d bytes", len(literals), len(out))
		}
		if out[0]&3 != 2 {
			continue
		}
		x, y := room(LiteralRoom(len(literals))), room(LiteralRoom(len(literals)))
		n, m := huffman(x, literals, &tree.codes), huffmanGo(y, literals, &tree.codes)
		if n != m || !bytes.Equal(x[:n], y[:m]) || !poisoned(x) || !poisoned(y) {
			t.Fatalf("the stream of literals %d differs", i)
		}
	}
}

func TestNormsAddUp(t *testing.T) {
	for i := range rounds.Of(20_000) {
		r := rand.New(rand.NewSource(int64(i)))
		counts := make([]uint32, 2+r.Intn(52))
		present, total := 0, 0
		for s := range counts {
			if s < 2 || r.Intn(3) > 0 {
				counts[s] = uint32(1 + r.Intn(1<<r.Intn(16)))
				present++
				total += int(counts[s])
			}
		}
		log := logFor(total, present, maxLog-uint(r.Intn(2)))
		var n norms
		n.normalize(counts, log)
		sum := 0
		for s, c := range counts {
			if (c > 0) != (n[s] > 0) {
				t.Fatalf("case %d: symbol %d of count %d has %d states", i, s, c, n[s])
			}
			sum += int(n[s])
		}
		if sum != 1<<log {
			t.Fatalf("case %d: %d states of %d", i, sum, 1<<log)
		}
	}
}
