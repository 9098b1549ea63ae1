package kernel

import (
	"bytes"
	"fmt"
	"strconv"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/naive"
)

// checkUnshuffle undoes both shuffles of data between guards.
func checkUnshuffle(t *testing.T, data []byte, size, align int) {
	t.Helper()
	what := fmt.Sprintf("%d bytes, elements of %d, alignment %d", len(data), size, align)
	for _, c := range []struct {
		name      string
		shuffle   func([]byte, int) []byte
		unshuffle func(dst, src []byte, size int)
	}{{"bytes", naive.Shuffle, Unshuffle}, {"bits", naive.BitShuffle, BitUnshuffle}} {
		src := guard(len(data), 15-align, func(b []byte) { copy(b, c.shuffle(data, size)) })
		dst := guard(len(data), align, nil)
		c.unshuffle(dst.Bytes, src.Bytes, size)
		src.check(t, false, c.name+": "+what)
		dst.check(t, true, c.name+": "+what)
		if !bytes.Equal(dst.Bytes, data) {
			t.Fatalf("%s: %s: wrong", c.name, what)
		}
	}
}

func TestUnshuffle(t *testing.T) {
	data := make([]byte, 1<<16)
	random(1)(data)
	// Every number of elements below and around the loops' iterations, with every number of
	// trailing bytes.
	for size := 1; size <= 20; size++ {
		for n := range 76 {
			for tail := range size {
				checkUnshuffle(t, data[:n*size+tail], size, n%16)
			}
		}
		for n := 480; n <= 560; n += 8 {
			checkUnshuffle(t, data[:n*size], size, n/8%16)
		}
	}
	for _, size := range []int{1, 2, 3, 4, 7, 8, 12, 16} {
		for align := range 16 {
			for tail := range 65 {
				checkUnshuffle(t, data[:128*size+tail], size, align)
			}
		}
	}
	for _, size := range []int{31, 32, 33, 100, 255, 256, 1000} {
		for _, n := range []int{0, 1, 7, 8, 9, 40, 64, 65} {
			checkUnshuffle(t, data[:min(n*size, len(data))], size, 3)
		}
	}
}

func FuzzUnshuffle(f *testing.F) {
	f.Add([]byte("0123456789abcdefghijklmnopqrstuvwxyz"), 4, 1)
	f.Add(bytes.Repeat([]byte("0123456789abcdefghijklmnopqrstuvwxyz"), 40), 2, 0)
	f.Fuzz(func(t *testing.T, data []byte, size, align int) {
		checkUnshuffle(t, data, 1+size&255, align&15)
	})
}

// These benchmarks measure the assembly if GOARCH is wasm.
func BenchmarkUnshuffle(b *testing.B) {
	const n = 256 << 10
	src, dst := make([]byte, n), make([]byte, n)
	random(1)(src)
	for _, size := range []int{2, 3, 4, 8, 12, 16} {
		b.Run("bytes"+strconv.Itoa(size), func(b *testing.B) {
			b.SetBytes(n)
			for b.Loop() {
				Unshuffle(dst, src, size)
			}
		})
	}
	for _, size := range []int{1, 2, 4, 8} {
		b.Run("bits"+strconv.Itoa(size), func(b *testing.B) {
			b.SetBytes(n)
			for b.Loop() {
				BitUnshuffle(dst, src, size)
			}
		})
	}
}
