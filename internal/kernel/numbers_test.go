package kernel

import (
	"bytes"
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
