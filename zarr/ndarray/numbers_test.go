package ndarray

import (
	"bytes"
	"math/rand"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
)

// numeric are the types of numbers, of every width and kind.
func numeric(t testing.TB) []*dtype.Type {
	t.Helper()
	var all []*dtype.Type
	for _, name := range []string{
		"bool", "int2", "int4", "int8", "int16", "int32", "int64", "uint2", "uint4", "uint8", "uint16", "uint32", "uint64",
		"float16", "float32", "float64", "bfloat16", "float8_e4m3", "float8_e5m2",
	} {
		v := must.Get(json.Parse([]byte(`"`+name+`"`), json.Limits{}))(t)
		typ, err := dtype.ParseV3(v, dtype.Limits{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all = append(all, typ)
	}
	return all
}

// One by one and in batches, numbers are the same.
func TestNumbersInBatches(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, typ := range numeric(t) {
		for _, n := range []int{0, 1, 255, 256, 300} {
			data := make([]byte, (n+1)*typ.Size)
			r.Read(data)
			nums := make([]Number, n)
			LoadAll(nums, data, 1, typ)
			for i, got := range nums {
				if want := Load(data, i+1, typ); got != want {
					t.Fatalf("%s: loads %x, want %x", typ.Name, got, want)
				}
			}
			got, want := bytes.Clone(data), bytes.Clone(data)
			r.Shuffle(n, func(i, j int) { nums[i], nums[j] = nums[j], nums[i] })
			StoreAll(got, 1, typ, nums)
			for i, n := range nums {
				Store(want, i+1, typ, n)
			}
			if !bytes.Equal(got, want) {
				t.Fatalf("%s: stores %x, want %x", typ.Name, got, want)
			}
		}
	}
}

func TestCast(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	const n = 600
	for _, from := range numeric(t) {
		src := make([]byte, n*from.Size)
		r.Read(src)
		clear(src[:from.Size])
		for _, to := range numeric(t) {
			got, want := make([]byte, n*to.Size), make([]byte, n*to.Size)
			Cast(got, to, src, from)
			for i := range n {
				x := Load(src, i, from)
				y := Convert(x, DomainOf(from), DomainOf(to))
				if to.Kind == dtype.Bool {
					y = Truth(x, DomainOf(from))
				}
				Store(want, i, to, y)
			}
			if !bytes.Equal(got, want) {
				t.Fatalf("%s to %s: wrong", from.Name, to.Name)
			}
		}
	}
}

func BenchmarkCast(b *testing.B) {
	types := numeric(b)
	const n = 1 << 16
	src, dst := make([]byte, 8*n), make([]byte, 8*n)
	for _, pair := range [][2]int{{4, 5}, {4, 14}, {14, 15}, {14, 5}} {
		from, to := types[pair[0]], types[pair[1]]
		b.Run(from.Name+" to "+to.Name, func(b *testing.B) {
			b.SetBytes(int64(n * from.Size))
			for b.Loop() {
				Cast(dst[:n*to.Size], to, src[:n*from.Size], from)
			}
		})
	}
}
