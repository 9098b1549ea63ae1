package ndarray

import (
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/must"
)

func benchmark(b *testing.B, shape []int, size int, dl, sl Layout, dn, sn int) {
	dst := Block{Size: size, Data: make([]byte, dn*size)}
	src := Block{Size: size, Data: make([]byte, sn*size)}
	for i := range src.Data {
		src.Data[i] = byte(i) // memory that was never written is not real
	}
	b.SetBytes(int64(Block{Shape: shape}.Len() * size))
	b.ReportAllocs()
	for b.Loop() {
		must.Do(b, Copy(dst, dl, src, sl, shape))
	}
}

const side = 1024

func square(n int) []int { return []int{n, n} }

func BenchmarkContiguous(b *testing.B) {
	l := Layout{Strides: Strides(square(side))}
	benchmark(b, square(side), 4, l, l, side*side, side*side)
}

// A chunk of 256x256 that lands in the middle of an array.
func BenchmarkChunk(b *testing.B) {
	shape := square(256)
	benchmark(b, shape, 4, Layout{Offset: 256, Strides: Strides(square(side))}, Layout{Strides: Strides(shape)}, side*side, 256*256)
}

func BenchmarkStep2(b *testing.B) {
	shape := square(side)
	for name, size := range map[string]int{"uint8": 1, "uint16": 2, "float32": 4, "float64": 8} {
		b.Run(name, func(b *testing.B) {
			benchmark(b, shape, size, Layout{Strides: Strides(shape)}, Layout{Strides: []int{2 * side, 2}}, side*side, 2*side*side)
		})
	}
}

func BenchmarkReverse(b *testing.B) {
	shape := square(side)
	benchmark(b, shape, 4, Layout{Strides: Strides(shape)}, Layout{Offset: side*side - 1, Strides: []int{-side, -1}}, side*side, side*side)
}

func BenchmarkList(b *testing.B) {
	shape := square(side)
	list := make([]int64, side)
	for i := range list {
		list[i] = int64(i * 7 % side)
	}
	benchmark(b, shape, 4, Layout{Strides: Strides(shape)}, Layout{Strides: Strides(shape), Lists: [][]int64{nil, list}}, side*side, side*side)
}

func BenchmarkTranspose(b *testing.B) {
	for _, c := range []struct {
		name    string
		n, size int
	}{{"uint8", side, 1}, {"uint16", side, 2}, {"float32", side, 4}, {"float64", side, 8}, {"complex128", side, 16}, {"float32_1000", 1000, 4}, {"float32_256", 256, 4}, {"float32_512", 512, 4}, {"float64_256", 256, 8}} {
		b.Run(c.name, func(b *testing.B) {
			shape := square(c.n)
			benchmark(b, shape, c.size, Layout{Strides: Strides(shape)}, Layout{Strides: []int{1, c.n}}, c.n*c.n, c.n*c.n)
		})
	}
}

// Colour channels first to colour channels last, and back.
func BenchmarkChannels(b *testing.B) {
	n := side * side
	first, last := Layout{Strides: []int{n, 1}}, Layout{Strides: []int{1, 3}}
	b.Run("last", func(b *testing.B) { benchmark(b, []int{3, n}, 1, last, first, 3*n, 3*n) })
	b.Run("first", func(b *testing.B) { benchmark(b, []int{3, n}, 1, first, last, 3*n, 3*n) })
}

func BenchmarkSmall(b *testing.B) {
	shape := []int{2, 2, 2}
	benchmark(b, shape, 4, Layout{Strides: []int{100, 10, 1}}, Layout{Strides: Strides(shape)}, 1000, 8)
}

func BenchmarkFill(b *testing.B) {
	shape := square(side)
	dst := New(shape, 4, false)
	run := func(name string, fill []byte, l Layout, shape []int) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(Block{Shape: shape}.Len() * 4))
			for b.Loop() {
				must.Do(b, Fill(dst, l, shape, fill))
			}
		})
	}
	run("zero", make([]byte, 4), Layout{Strides: Strides(shape)}, shape)
	run("value", []byte{1, 2, 3, 4}, Layout{Strides: Strides(shape)}, shape)
	run("rows", []byte{1, 2, 3, 4}, Layout{Strides: Strides(shape)}, []int{side, 256})
	run("step2", []byte{1, 2, 3, 4}, Layout{Strides: []int{side, 2}}, square(side/2))
}
