package zstdk

import (
	"bytes"
	"math/rand"
	"testing"
)

func TestCopies(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	const before = 80
	for off := 1; off <= 70; off++ {
		for n := 1; n <= 300; n++ {
			want := make([]byte, before+n+2*wide)
			r.Read(want)
			got := bytes.Clone(want)
			for i := before; i < before+n; i++ {
				want[i] = want[i-off]
			}
			if off < wide {
				copyClose(got, before, before+n, off)
			} else {
				copyFar(got, before, before+n, off)
			}
			if !bytes.Equal(got[:before+n], want[:before+n]) {
				t.Fatalf("offset %d, %d bytes: wrong copy", off, n)
			}
			if !bytes.Equal(got[before+n+wide:], want[before+n+wide:]) {
				t.Fatalf("offset %d, %d bytes: writes too far", off, n)
			}
		}
	}
}
