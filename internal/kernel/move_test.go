package kernel

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"unsafe"
)

// The forms are the functions in use and the portable ones, which are the same without assembly.
var moveForms = map[string]func(dst, src unsafe.Pointer, width, na, da, sa, nb, db, sb int){
	"Move": Move,
	"portable": func(dst, src unsafe.Pointer, width, na, da, sa, nb, db, sb int) {
		switch width {
		case 1:
			moveGo[uint8](dst, src, na, da, sa, nb, db, sb)
		case 2:
			moveGo[uint16](dst, src, na, da, sa, nb, db, sb)
		case 4:
			moveGo[uint32](dst, src, na, da, sa, nb, db, sb)
		case 8:
			moveGo[uint64](dst, src, na, da, sa, nb, db, sb)
		case 16:
			moveGo[pair](dst, src, na, da, sa, nb, db, sb)
		}
	},
}

var turnForms = map[string]func(dst, src unsafe.Pointer, width, na, da, nb, sb int){
	"Turn": Turn,
	"portable": func(dst, src unsafe.Pointer, width, na, da, nb, sb int) {
		switch width {
		case 1:
			turn1Go(dst, src, na, da, nb, sb)
		case 2:
			turn2Go(dst, src, na, da, nb, sb)
		case 4:
			turn4Go(dst, src, na, da, nb, sb)
		}
	},
}

// span returns the distance that na rows of nb elements cover, and the offset of the first when the
// lowest is at 0.
func span(width, na, a, nb, b int) (length, first int) {
	low := min(0, (na-1)*a) + min(0, (nb-1)*b)
	high := max(0, (na-1)*a) + max(0, (nb-1)*b)
	return high - low + width, -low
}

func noise(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// margin is the number of bytes around a kernel's memory that reveal stray writes.
const margin = 64

func testMove(t *testing.T, r *rand.Rand, width, na, da, sa, nb, db, sb int) {
	t.Helper()
	dn, df := span(width, na, da, nb, db)
	sn, sf := span(width, na, sa, nb, sb)
	align := r.IntN(8)
	df, sf = df+margin+align, sf+r.IntN(8)
	before, src := noise(r, dn+2*margin+8), noise(r, sn+8)
	want := bytes.Clone(before)
	for i := range na {
		for j := range nb {
			copy(want[df+i*da+j*db:][:width], src[sf+i*sa+j*sb:])
		}
	}
	for name, move := range moveForms {
		dst := bytes.Clone(before)
		move(unsafe.Pointer(&dst[df]), unsafe.Pointer(&src[sf]), width, na, da, sa, nb, db, sb)
		if !bytes.Equal(dst, want) {
			t.Fatalf("%s of %d bytes: %d rows (%d, %d) of %d (%d, %d) differ", name, width, na, da, sa, nb, db, sb)
		}
	}
}

func TestMove(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, width := range []int{1, 2, 4, 8, 16} {
		for na := 1; na <= 3; na++ {
			for nb := 1; nb <= 19; nb++ {
				// No two elements of the destination overlap.
				row := nb*width*2 + r.IntN(9)
				testMove(t, r, width, na, row, r.IntN(40)-20, nb, width, r.IntN(40)-20)
				testMove(t, r, width, na, -row, width, nb, -width-1, r.IntN(40)-20)
				testMove(t, r, width, na, width, row, nb, na*width+3, width)
			}
		}
	}
}

func testTurn(t *testing.T, r *rand.Rand, width, na, da, nb, sb int) {
	t.Helper()
	dn, sn := (na-1)*da+nb*width, (nb-1)*sb+na*width
	align := margin + r.IntN(8)
	before, src := noise(r, dn+2*margin+8), noise(r, sn)
	want := bytes.Clone(before)
	for i := range na {
		for j := range nb {
			copy(want[align+i*da+j*width:][:width], src[i*width+j*sb:])
		}
	}
	for name, turn := range turnForms {
		dst := bytes.Clone(before)
		turn(unsafe.Pointer(&dst[align]), unsafe.Pointer(&src[0]), width, na, da, nb, sb)
		if !bytes.Equal(dst, want) {
			t.Fatalf("%s of %d bytes: %d rows (%d) of %d (%d) differ", name, width, na, da, nb, sb)
		}
	}
}

func TestTurn(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, width := range []int{1, 2, 4} {
		k := 8 / width
		for i := 1; i <= 5; i++ {
			for j := 1; j <= 5; j++ {
				testTurn(t, r, width, i*k, j*8, j*k, i*8)
				testTurn(t, r, width, i*k, j*8+r.IntN(20), j*k, i*8+r.IntN(20))
			}
		}
	}
}

func FuzzMove(f *testing.F) {
	f.Add(uint64(1), uint8(2), uint8(3), uint8(9), int16(-7), int16(5))
	f.Fuzz(func(t *testing.T, seed uint64, size, na, nb uint8, sa, sb int16) {
		r := rand.New(rand.NewPCG(seed, 5))
		width, rows, n := 1<<(size%5), 1+int(na%20), 1+int(nb%40)
		testMove(t, r, width, rows, n*width+int(seed%5), int(sa), n, width, int(sb))
		if k := 8 / width; k > 1 {
			rows, n = (rows+k-1)/k*k, (n+k-1)/k*k
			testTurn(t, r, width, rows, n*width+int(seed%5), n, rows*width+int(seed%7))
		}
	})
}
