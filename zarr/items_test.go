package zarr_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// TestItemsAreDecodedWhereTheyBelong reads very many empty texts. A chunk that is the whole result
// is in memory once.
func TestItemsAreDecodedWhereTheyBelong(t *testing.T) {
	const n = 1 << 20
	chunk := make([]byte, 4+4*n)
	binary.LittleEndian.PutUint32(chunk, n)
	a := must.Get(hierarchy(memstore.New(map[string][]byte{
		".zarray": fmt.Appendf(nil, `{"zarr_format":2,"shape":[%d],"chunks":[%d],"dtype":"|O","compressor":null,"fill_value":null,"order":"C","filters":[{"id":"vlen-utf8"}]}`, n, n),
		"0":       chunk,
	}), zarr.Options{Cache: zarr.CacheOptions{Decoded: -1}}).OpenArray(t.Context(), ""))(t)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	res, err := a.Read(t.Context(), nil, zarr.ReadOptions{})
	runtime.ReadMemStats(&after)
	if err != nil || len(res.Items) != n || res.Items[n-1] == nil {
		t.Fatalf("%d items, %v", len(res.Items), err)
	}
	if took := (after.TotalAlloc - before.TotalAlloc) / n; took > 40 {
		t.Errorf("it took %d bytes an item; the items are 24", took)
	}
}

// itemsOutput is an output of items in Go's memory.
type itemsOutput struct {
	zarr.Output
	ndarray.Block
}

func (o *itemsOutput) Put(out ndarray.Layout, src ndarray.Block, in ndarray.Layout, shape []int) error {
	for i, item := range src.Items {
		src.Items[i] = slices.Clone(item)
	}
	return ndarray.Copy(o.Block, out, src, in, shape)
}

func (o *itemsOutput) Fill(out ndarray.Layout, shape []int, value []byte) error {
	return ndarray.Fill(o.Block, out, shape, value)
}

// TestItemsOfAnOutputAreThoseOfAResult reads texts in chunks, some of them absent, into an output
// and into Go's memory.
func TestItemsOfAnOutputAreThoseOfAResult(t *testing.T) {
	objects := map[string][]byte{
		".zarray": []byte(`{"zarr_format":2,"shape":[9,7],"chunks":[3,4],"dtype":"|O","compressor":null,"fill_value":"none","order":"C","filters":[{"id":"vlen-utf8"}]}`),
	}
	for i := range 3 {
		chunk := binary.LittleEndian.AppendUint32(nil, 12)
		for k := range 12 {
			text := strings.Repeat(string(rune('a'+k)), (i+k)%5)
			chunk = append(binary.LittleEndian.AppendUint32(chunk, uint32(len(text))), text...)
		}
		objects[fmt.Sprintf("%d.%d", i, i%2)] = chunk
	}
	selections := [][]grid.Item{nil, {grid.At(4)}, {grid.EllipsisItem(), grid.ListOf([]int64{6, 0, 3, 3})}, {grid.ListOf([]int64{8, 1}), grid.All()}}
	for _, decoded := range []int64{-1, 1 << 20} {
		a := must.Get(hierarchy(memstore.New(objects), zarr.Options{Cache: zarr.CacheOptions{Decoded: decoded}}).OpenArray(t.Context(), ""))(t)
		for _, sel := range selections {
			want := must.Get(a.Read(t.Context(), sel, zarr.ReadOptions{}))(t)
			to := &itemsOutput{}
			got := must.Get(a.Read(t.Context(), sel, zarr.ReadOptions{Items: func(shape []int) zarr.Output {
				to.Block = ndarray.New(shape, 0, true)
				return to
			}}))(t)
			if got.Items != nil || !slices.Equal(got.Shape, want.Shape) || !slices.EqualFunc(to.Items, want.Items, bytes.Equal) {
				t.Errorf("%v: %q, not %q", sel, to.Items, want.Items)
			}
		}
	}
}
