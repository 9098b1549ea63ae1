package kernel

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"
)

func TestNumbers(t *testing.T) {
	type loop = func(dst, src unsafe.Pointer, n int)
	r := rand.New(rand.NewPCG(11, 12))
	for _, c := range []struct {
		name      string
		from, to  int
		used, own loop
	}{
		{"widenS1", 1, 8, widenS1, widenGo[int8]}, {"widenU1", 1, 8, widenU1, widenGo[uint8]},
		{"widenS2", 2, 8, widenS2, widenGo[int16]}, {"widenU2", 2, 8, widenU2, widenGo[uint16]},
		{"widenS4", 4, 8, widenS4, widenGo[int32]}, {"widenU4", 4, 8, widenU4, widenGo[uint32]},
		{"narrow1", 8, 1, narrow1, narrowGo[uint8]}, {"narrow2", 8, 2, narrow2, narrowGo[uint16]},
		{"narrow4", 8, 4, narrow4, narrowGo[uint32]},
		{"realS", 8, 8, realS, realGo[int64]}, {"realU", 8, 8, realU, realGo[uint64]},
		// Floating-point numbers are finite here: NaNs may come in other forms.
		{"promote", 4, 8, promote, promoteGo}, {"demote", 8, 4, demote, demoteGo},
		{"scale", 8, 8, func(d, s unsafe.Pointer, n int) { scale(d, s, n, 0x4059000000000000, 0xc000cccccccccccd) },
			func(d, s unsafe.Pointer, n int) { scaleGo(d, s, n, 0x4059000000000000, 0xc000cccccccccccd) }},
	} {
		for n := 1; n < 40; n++ {
			align := r.IntN(8)
			src := noise(r, n*c.from+align)[align:]
			for i := c.from - 1; i < len(src); i += c.from {
				src[i] &^= 0x40 // no exponent of ones
			}
			before := noise(r, n*c.to+2*margin+align)
			want, got := bytes.Clone(before), bytes.Clone(before)
			c.own(unsafe.Pointer(&want[margin+align]), unsafe.Pointer(&src[0]), n)
			c.used(unsafe.Pointer(&got[margin+align]), unsafe.Pointer(&src[0]), n)
			if !bytes.Equal(got, want) {
				t.Fatalf("%s of %d elements differs", c.name, n)
			}
			if !bytes.Equal(got[:margin+align], before[:margin+align]) || !bytes.Equal(got[margin+align+n*c.to:], before[margin+align+n*c.to:]) {
				t.Fatalf("%s of %d elements writes beyond them", c.name, n)
			}
		}
	}
}

// At the ends of their types, too large numbers become infinite, too small ones round to even, and
// NaN stays NaN.
func TestFloatsAtTheirEnds(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	ends := []float64{
		0, math.Copysign(0, -1), 1, -1, inf, -inf, nan, math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64, 0x1p-1022, math.MaxFloat32, -math.MaxFloat32,
		0x1.ffffffp127, 0x1.fffffefffffffp127, 0x1p128, math.SmallestNonzeroFloat32, math.SmallestNonzeroFloat32 / 2, 0x1.0000000000001p-150, 0x1p-126, 0x1.fffffep-127, 1 + 0x1p-24, 1 + 0x1p-23, 1 + 0x1p-24 + 0x1p-52,
	}
	same := func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) || a != a && b != b }
	for n := 1; n <= 2*len(ends); n++ {
		for from := range ends {
			wide, singles := make([]uint64, n), make([]byte, 4*n)
			for i := range wide {
				wide[i] = math.Float64bits(ends[(from+i)%len(ends)])
			}
			Demote(singles, wide)
			for i := range n {
				v := ends[(from+i)%len(ends)]
				if got := math.Float32frombits(binary.LittleEndian.Uint32(singles[4*i:])); !same(float64(got), float64(float32(v))) {
					t.Fatalf("%d of %d: %v becomes %v", i, n, v, got)
				}
			}
			back := make([]uint64, n)
			Promote(back, singles)
			for i := range n {
				if v := float64(float32(ends[(from+i)%len(ends)])); !same(math.Float64frombits(back[i]), v) {
					t.Fatalf("%d of %d: %v becomes %v", i, n, v, math.Float64frombits(back[i]))
				}
			}
			by, offset := ends[(from+n)%len(ends)], ends[(from*n)%len(ends)]
			Scale(wide, by, offset)
			for i := range n {
				v := ends[(from+i)%len(ends)]
				if want := float64(v/by) + offset; !same(math.Float64frombits(wide[i]), want) {
					t.Fatalf("%v/%v+%v is %v, not %v", v, by, offset, math.Float64frombits(wide[i]), want)
				}
			}
		}
	}
}
