package kernel

import (
	"bytes"
	"fmt"
	"math/rand"
	"testing"
)

// naiveBloscLZ decodes a stream byte by byte, up to size bytes.
func naiveBloscLZ(size int, src []byte) ([]byte, Fault) {
	var out []byte
	next := func() (int, bool) {
		if len(src) == 0 {
			return 0, false
		}
		c := src[0]
		src = src[1:]
		return int(c), true
	}
	for first := true; ; first = false {
		control, ok := next()
		if !ok {
			return out, Ended
		}
		if first {
			control &= 31
		}
		if control < 32 {
			n := control + 1
			if n > len(src) {
				return out, Ended
			}
			if n > size-len(out) {
				return out, Room
			}
			out = append(out, src[:n]...)
			src = src[n:]
		} else {
			n := control >> 5
			for more := n == 7; more; {
				c, ok := next()
				if !ok {
					return out, Ended
				}
				n += c
				more = c == 255
			}
			low, ok := next()
			if !ok {
				return out, Ended
			}
			distance := control&31<<8 + low
			if distance == 8191 {
				a, _ := next()
				b, ok := next()
				if !ok {
					return out, Ended
				}
				distance += a<<8 + b
			}
			if distance+1 > len(out) {
				return out, Offset
			}
			if n+2 > size-len(out) {
				return out, Room
			}
			for range n + 2 {
				out = append(out, out[len(out)-distance-1])
			}
		}
		if len(src) == 0 {
			return out, None
		}
	}
}

// streamOf writes a stream of n random sequences.
func streamOf(r *rand.Rand, n int) []byte {
	var src []byte
	have := 0
	for i := range n {
		if i == 0 || r.Intn(2) == 0 {
			literals := 1 + r.Intn(32)
			src = append(src, byte(literals-1))
			for range literals {
				src = append(src, byte(r.Intn(256)))
			}
			have += literals
			continue
		}
		distance := r.Intn(min(have, 1<<uint(r.Intn(18)), 8191+1<<16))
		if r.Intn(3) == 0 {
			distance = r.Intn(min(have, 24))
		}
		extra := 1 + r.Intn(1<<uint(1+r.Intn(11))) // the length is 2 more
		control := min(extra, 7) << 5
		src = append(src, byte(control|min(distance, 8191)>>8))
		if extra >= 7 {
			rest := extra - 7
			for ; rest >= 255; rest -= 255 {
				src = append(src, 255)
			}
			src = append(src, byte(rest))
		}
		src = append(src, byte(min(distance, 8191)))
		if distance >= 8191 {
			src = append(src, byte((distance-8191)>>8), byte(distance-8191))
		}
		have += extra + 2
	}
	if len(src) > 0 {
		src[0] |= byte(r.Intn(8)) << 5
	}
	return src
}

// checkBloscLZ decodes a stream to size bytes between guards.
func checkBloscLZ(t *testing.T, stream []byte, size, align int) {
	t.Helper()
	want, fault := naiveBloscLZ(size, stream)
	what := fmt.Sprintf("%d bytes to %d, alignment %d", len(stream), size, align)
	for name, decode := range map[string]func(dst, src []byte) (int, Fault){
		"BloscLZ":   BloscLZ,
		"blosclzGo": func(dst, src []byte) (int, Fault) { return blosclzGo(dst, 0, src, 0) },
	} {
		src := guard(len(stream), 15-align, func(b []byte) { copy(b, stream) })
		dst := guard(size, align, nil)
		n, got := decode(dst.Bytes, src.Bytes)
		src.check(t, false, name+": "+what)
		dst.check(t, true, name+": "+what)
		if got != fault {
			t.Fatalf("%s: %s: fault %d, want %d\n%x", name, what, got, fault, stream)
		}
		if fault == None && !bytes.Equal(dst.Bytes[:n], want) {
			t.Fatalf("%s: %s: wrong\n%x", name, what, stream)
		}
	}
}

func TestBloscLZ(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for i := range 3000 {
		stream := streamOf(r, 1+r.Intn(1<<uint(r.Intn(9))))
		want, fault := naiveBloscLZ(1<<30, stream)
		if fault != None {
			t.Fatalf("the test's stream has fault %d", fault)
		}
		checkBloscLZ(t, stream, len(want), i%16)
		checkBloscLZ(t, stream, len(want)+r.Intn(65), i%16)
		checkBloscLZ(t, stream, r.Intn(len(want)+1), i%16)
		checkBloscLZ(t, stream[:r.Intn(len(stream))], len(want), i%16)
		for range 3 {
			damaged := bytes.Clone(stream)
			damaged[r.Intn(len(damaged))] ^= 1 << r.Intn(8)
			checkBloscLZ(t, damaged, len(want), i%16)
		}
	}
	for n := range 65 {
		checkBloscLZ(t, bytes.Repeat([]byte{255}, n), n, 0)
		checkBloscLZ(t, make([]byte, n), n, 0)
	}
	if n, fault := BloscLZ(nil, nil); n != 0 || fault != Ended {
		t.Errorf("nothing at all: %d, fault %d", n, fault)
	}
}

func FuzzBloscLZ(f *testing.F) {
	r := rand.New(rand.NewSource(1))
	for i := range 20 {
		f.Add(streamOf(r, 1+i), 300, i)
	}
	f.Fuzz(func(t *testing.T, stream []byte, size, align int) {
		checkBloscLZ(t, stream, size&0xffff, align&15)
	})
}
