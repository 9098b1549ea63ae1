package kernel

import (
	"bytes"
	"fmt"
	"strconv"
	"testing"
)

// naiveDelta adds byte by byte, with carries.
func naiveDelta(src []byte, size int) []byte {
	dst := bytes.Clone(src)
	for i := size; i < len(dst); i += size {
		carry := 0
		for k := range size {
			carry += int(dst[i+k]) + int(dst[i+k-size])
			dst[i+k] = byte(carry)
			carry >>= 8
		}
	}
	return dst
}

func checkDelta(t *testing.T, data []byte, size, align int) {
	t.Helper()
	data = data[:len(data)/size*size]
	what := fmt.Sprintf("%d bytes, elements of %d, alignment %d", len(data), size, align)
	want := naiveDelta(data, size)
	src := guard(len(data), 15-align, func(b []byte) { copy(b, data) })
	dst := guard(len(data), align, nil)
	Delta(dst.Bytes, src.Bytes, size)
	src.check(t, false, what)
	dst.check(t, true, what)
	if !bytes.Equal(dst.Bytes, want) {
		t.Fatalf("%s: wrong", what)
	}
	Delta(src.Bytes, src.Bytes, size)
	src.check(t, true, what)
	if !bytes.Equal(src.Bytes, want) {
		t.Fatalf("%s, in place: wrong", what)
	}
}

func TestDelta(t *testing.T) {
	data := make([]byte, 1024)
	random(1)(data)
	for _, size := range []int{1, 2, 4, 8} {
		for align := range 16 {
			for n := range 65 {
				checkDelta(t, data[:min(n*size, len(data))], size, align)
			}
		}
	}
}

func FuzzDelta(f *testing.F) {
	f.Add([]byte("0123456789abcdefghijklmnopqrstuvwxyz"), 2, 1)
	f.Fuzz(func(t *testing.T, data []byte, size, align int) {
		checkDelta(t, data, 1<<(size&3), align&15)
	})
}

func BenchmarkDelta(b *testing.B) {
	const n = 256 << 10
	src, dst := make([]byte, n), make([]byte, n)
	random(1)(src)
	for _, size := range []int{1, 2, 4, 8} {
		b.Run(strconv.Itoa(size), func(b *testing.B) {
			b.SetBytes(n)
			for b.Loop() {
				Delta(dst, src, size)
			}
		})
		b.Run("go"+strconv.Itoa(size), func(b *testing.B) {
			b.SetBytes(n)
			for b.Loop() {
				deltaGo(dst, src, size, 0)
			}
		})
	}
}
