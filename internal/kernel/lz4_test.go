package kernel

import (
	"bytes"
	"fmt"
	"math/rand"
	"testing"
)

// naiveLZ4 decodes a block byte by byte after the bytes in out, up to size bytes.
func naiveLZ4(out []byte, size int, src []byte) ([]byte, Fault) {
	length := func(n int) (int, bool) {
		for more := n == 15; more; {
			if len(src) == 0 {
				return 0, false
			}
			more = src[0] == 255
			n += int(src[0])
			src = src[1:]
		}
		return n, true
	}
	for {
		if len(src) == 0 {
			return out, Ended
		}
		token := int(src[0])
		src = src[1:]
		n, ok := length(token >> 4)
		if !ok || n > len(src) {
			return out, Ended
		}
		if n > size-len(out) {
			return out, Room
		}
		out = append(out, src[:n]...)
		src = src[n:]
		if len(src) == 0 {
			return out, None
		}
		if len(src) < 2 {
			return out, Ended
		}
		offset := int(src[0]) | int(src[1])<<8
		src = src[2:]
		if offset == 0 || offset > len(out) {
			return out, Offset
		}
		if n, ok = length(token & 15); !ok {
			return out, Ended
		}
		if n+4 > size-len(out) {
			return out, Room
		}
		for range n + 4 {
			out = append(out, out[len(out)-offset])
		}
	}
}

// blockOf writes a block of n random sequences that may refer to have earlier bytes.
func blockOf(r *rand.Rand, n, have int) []byte {
	var src []byte
	length := func() int {
		switch r.Intn(8) {
		case 0:
			return 15 + r.Intn(300)
		case 1:
			return 15 + 255*r.Intn(4) + r.Intn(3)
		case 2:
			return r.Intn(1 << uint(r.Intn(13)))
		}
		return r.Intn(15)
	}
	put := func(n int) {
		if n >= 15 {
			for n -= 15; n >= 255; n -= 255 {
				src = append(src, 255)
			}
			src = append(src, byte(n))
		}
	}
	for i := range n + 1 {
		literals, match := length(), length()
		if have+literals == 0 && i < n {
			literals = 1
		}
		src = append(src, byte(min(literals, 15)<<4|min(match, 15)))
		put(literals)
		for range literals {
			src = append(src, byte(r.Intn(256)))
		}
		have += literals
		if i == n {
			return src
		}
		offset := 1 + r.Intn(min(have, 1<<uint(r.Intn(17)), 65535))
		if r.Intn(3) == 0 {
			offset = 1 + r.Intn(min(have, 24))
		}
		src = append(src, byte(offset), byte(offset>>8))
		put(match)
		have += match + 4
	}
	return src
}

// checkLZ4 decodes a block to size bytes, after those of prefix, between guards.
func checkLZ4(t *testing.T, prefix, block []byte, size, align int) {
	t.Helper()
	want, fault := naiveLZ4(bytes.Clone(prefix), len(prefix)+size, block)
	what := fmt.Sprintf("%d bytes to %d behind %d, alignment %d", len(block), size, len(prefix), align)
	for name, decode := range map[string]func([]byte, int, []byte) (int, Fault){
		"LZ4":   LZ4,
		"lz4Go": func(dst []byte, d int, src []byte) (int, Fault) { return lz4Go(dst, d, src, 0) },
	} {
		src := guard(len(block), 15-align, func(b []byte) { copy(b, block) })
		dst := guard(len(prefix)+size, align, func(b []byte) { copy(b, prefix) })
		n, got := decode(dst.Bytes, len(prefix), src.Bytes)
		src.check(t, false, name+": "+what)
		dst.check(t, true, name+": "+what)
		if got != fault || !bytes.Equal(dst.Bytes[:len(prefix)], prefix) {
			t.Fatalf("%s: %s: fault %d, want %d\n%x", name, what, got, fault, block)
		}
		if fault == None && !bytes.Equal(dst.Bytes[:n], want) {
			t.Fatalf("%s: %s: wrong\n%x", name, what, block)
		}
	}
}

func TestLZ4(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	prefix := make([]byte, 70000)
	r.Read(prefix)
	for i := range 4000 {
		from := prefix[:r.Intn(1<<uint(r.Intn(17)))]
		block := blockOf(r, r.Intn(1<<uint(r.Intn(7))), len(from))
		want, fault := naiveLZ4(bytes.Clone(from), 1<<30, block)
		if fault != None {
			t.Fatalf("the test's block has fault %d", fault)
		}
		size := len(want) - len(from)
		checkLZ4(t, from, block, size, i%16)
		checkLZ4(t, from, block, size+r.Intn(65), i%16)
		checkLZ4(t, from, block, r.Intn(size+1), i%16)
		checkLZ4(t, from, block[:r.Intn(len(block))], size, i%16)
		for range 3 {
			damaged := bytes.Clone(block)
			damaged[r.Intn(len(damaged))] ^= 1 << r.Intn(8)
			checkLZ4(t, from, damaged, size, i%16)
		}
	}
}

// Every literal length, match length and offset near the fast loops' borders, with every number of
// remaining bytes.
func TestLZ4Borders(t *testing.T) {
	text := make([]byte, 4096)
	random(2)(text)
	sequence := func(literals, offset, match int) []byte {
		src := []byte{byte(min(literals, 15)<<4 | min(match-4, 15))}
		put := func(n int) {
			if n >= 15 {
				for n -= 15; n >= 255; n -= 255 {
					src = append(src, 255)
				}
				src = append(src, byte(n))
			}
		}
		put(literals)
		src = append(append(src, text[:literals]...), byte(offset), byte(offset>>8))
		put(match - 4)
		return src
	}
	for _, literals := range []int{1, 2, 3, 5, 7, 8, 9, 13, 14, 15, 16, 17, 31, 33, 60, 255, 256, 257, 258, 300} {
		for _, offset := range []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 24, 100, 256, 300} {
			for _, match := range []int{4, 5, 8, 12, 17, 18, 19, 20, 24, 25, 32, 33, 64, 100, 255, 256, 257, 258, 1000} {
				if offset > literals {
					continue
				}
				block := sequence(literals, offset, match)
				for tail := 0; tail <= 64; tail += 1 + tail/24 {
					end := append([]byte{byte(min(tail, 15) << 4)}, text[:min(tail, 14)]...)
					if tail >= 15 {
						end = append([]byte{15 << 4, byte(tail - 15)}, text[:tail]...)
					}
					checkLZ4(t, nil, append(bytes.Clone(block), end...), literals+match+tail, tail%16)
				}
				checkLZ4(t, nil, block, literals+match, 0)
				checkLZ4(t, nil, append(block, 0), literals+match-1, 0)
			}
		}
	}
	for n := range 65 {
		for align := range 16 {
			checkLZ4(t, text[:n], append([]byte{byte(min(n, 14) << 4)}, text[:min(n, 14)]...), min(n, 14), align)
		}
		checkLZ4(t, nil, bytes.Repeat([]byte{255}, n), n, 0)
		checkLZ4(t, nil, make([]byte, n), n, 0)
	}
	if n, fault := LZ4(nil, 0, nil); n != 0 || fault != Ended {
		t.Errorf("nothing at all: %d, fault %d", n, fault)
	}
	if n, fault := LZ4(nil, 0, []byte{0}); n != 0 || fault != None {
		t.Errorf("the empty block: %d, fault %d", n, fault)
	}
}

func FuzzLZ4(f *testing.F) {
	r := rand.New(rand.NewSource(1))
	for i := range 20 {
		f.Add(blockOf(r, i, 10), 300, 10, i)
	}
	prefix := make([]byte, 1<<16)
	random(1)(prefix)
	f.Fuzz(func(t *testing.T, block []byte, size, have, align int) {
		checkLZ4(t, prefix[:have&0xffff], block, size&0xffff, align&15)
	})
}

// BenchmarkLZ4 decodes four kinds of blocks: nearly incompressible, many short sequences, long
// matches, and runs.
func BenchmarkLZ4(b *testing.B) {
	r := rand.New(rand.NewSource(1))
	for _, kind := range []struct {
		name                                  string
		literals, match, sequences, maxOffset int
	}{
		{"literals", 2000, 10, 100, 1000},
		{"short", 14, 14, 8000, 60000},
		{"middle", 6, 60, 4000, 60000},
		{"long", 4, 3000, 60, 60000},
		{"runs", 4, 300, 600, 1},
		{"pairs", 4, 300, 600, 3},
	} {
		var src []byte
		have := 0
		put := func(n int) {
			if n >= 15 {
				for n -= 15; n >= 255; n -= 255 {
					src = append(src, 255)
				}
				src = append(src, byte(n))
			}
		}
		for range kind.sequences {
			literals, match := 1+r.Intn(kind.literals), r.Intn(kind.match)
			src = append(src, byte(min(literals, 15)<<4|min(match, 15)))
			put(literals)
			for range literals {
				src = append(src, byte(r.Intn(256)))
			}
			have += literals
			offset := 1 + r.Intn(min(have, kind.maxOffset))
			src = append(src, byte(offset), byte(offset>>8))
			put(match)
			have += match + 4
		}
		src = append(src, 0)
		dst := make([]byte, have)
		b.Run(kind.name, func(b *testing.B) {
			b.SetBytes(int64(have))
			for b.Loop() {
				if n, fault := LZ4(dst, 0, src); n != have || fault != None {
					b.Fatal(n, fault)
				}
			}
		})
	}
}
