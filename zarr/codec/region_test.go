package codec

import (
	"math/rand"
	"testing"
)

func TestRegionOverlapsWhatItHasBytesOf(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for range 300 {
		p := ByteRegion{size: 1 + r.Intn(4)}
		total := p.size
		for range 1 + r.Intn(4) {
			n := 1 + r.Intn(5)
			from := r.Intn(n)
			p.shape = append(p.shape, n)
			p.box = append(p.box, Range{from, from + 1 + r.Intn(n-from)})
			total *= n
		}
		// in tells whether a byte belongs to the part.
		in := make([]bool, total)
		for i := range in {
			in[i] = true
			rest := i / p.size
			for d := len(p.shape) - 1; d >= 0; d-- {
				at := rest % p.shape[d]
				rest /= p.shape[d]
				in[i] = in[i] && p.box[d].From <= at && at < p.box[d].To
			}
		}
		for from := range total + 1 {
			want := false
			for to := from; to <= total; to++ {
				if got := p.Overlaps(from, to); got != want {
					t.Fatalf("%+v: bytes %d to %d: %v", p, from, to, got)
				}
				want = want || to < total && in[to]
			}
		}
	}
	if whole := (ByteRegion{}); !whole.Overlaps(7, 8) || whole.Overlaps(7, 7) {
		t.Error("the zero value is not the whole chunk")
	}
}
