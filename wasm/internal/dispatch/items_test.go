package dispatch

import (
	"errors"
	"math/rand"
	"slices"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/wasm/internal/wire"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// TestAnAnswerOfManyItemsIsThatOfAFew puts and fills random boxes of a result, some of them twice,
// in both forms.
func TestAnAnswerOfManyItemsIsThatOfAFew(t *testing.T) {
	s := NewSession(Config{
		Limits: codec.Limits{}.WithDefaults(),
		Post:   func(wire.Object) {},
		Memory: func(size int, _ bool) (wire.Memory, error) { return make(bytesMemory, size), nil },
	})
	r := rand.New(rand.NewSource(1))
	for round := range 20 {
		shape := []int{1 + r.Intn(300), 1 + r.Intn(150)}
		many, few := newItems(shape), ndarray.New(shape, 0, true)
		strides := ndarray.Strides(shape)
		must.Do(t, many.Fill(ndarray.Layout{Strides: strides}, shape, nil))
		for range 30 {
			from, box := make([]int, 2), make([]int, 2)
			for d, n := range shape {
				from[d] = r.Intn(n)
				box[d] = 1 + r.Intn(n-from[d])
			}
			out := ndarray.Layout{Offset: from[0]*strides[0] + from[1], Strides: strides}
			if r.Intn(3) == 0 {
				value := randomItem(r)
				must.Do(t, many.Fill(out, box, value))
				must.Do(t, ndarray.Fill(few, out, box, value))
				continue
			}
			chunk := ndarray.New([]int{box[1] + r.Intn(2), box[0]}, 0, true)
			for i := range chunk.Items {
				chunk.Items[i] = randomItem(r)
			}
			in := ndarray.Layout{Strides: []int{1, box[0]}} // transposed
			if r.Intn(2) == 0 {
				chunk.Shape, in.Strides = box, ndarray.Strides(box)
			}
			must.Do(t, many.Put(out, chunk, in, box))
			must.Do(t, ndarray.Copy(few, out, chunk, in, box))
		}
		res := &zarr.Result{Block: few, Type: &dtype.Type{Name: "object", Kind: dtype.Object}}
		want := must.Get(result(res, s.cfg.Limits.OutputBytes))(t)
		got := must.Get(many.answer(s, "", res))(t)
		for _, f := range []string{"buffer", "offsets", "missing"} {
			a, _ := got.Get(f).(bytesMemory)
			b, _ := want.Get(f).(wire.Buffer)
			if !slices.Equal([]byte(a), []byte(b)) {
				t.Fatalf("round %d: %s differs: %d bytes and %d", round, f, len(a), len(b))
			}
		}
	}
}

// TestFilledItemsShareTheirBytes fills a result beyond all limits. Only its answer fails.
func TestFilledItemsShareTheirBytes(t *testing.T) {
	s := NewSession(Config{Limits: codec.Limits{}.WithDefaults(), Post: func(wire.Object) {}})
	shape := []int{manyItems}
	many := newItems(shape)
	must.Do(t, many.Fill(ndarray.Layout{Strides: []int{1}}, shape, make([]byte, 1<<20)))
	res := &zarr.Result{Block: ndarray.Block{Shape: shape}, Type: &dtype.Type{Kind: dtype.String}}
	var limit *codec.LimitError
	if _, err := many.answer(s, "", res); !errors.As(err, &limit) || many.size != 1<<20 {
		t.Errorf("%d bytes, %v", many.size, err)
	}
}

// randomItem returns a missing, empty or short item.
func randomItem(r *rand.Rand) []byte {
	n := r.Intn(8) - 1
	if n < 0 {
		return nil
	}
	item := make([]byte, n)
	r.Read(item)
	return item
}
