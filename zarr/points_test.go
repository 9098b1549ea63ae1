package zarr_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

func TestReadPoints(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := &watched{Source: memstore.New(array([]int{5, 7}, []int{2, 3}, func(c []int) bool { return c[0] == 2 && c[1] == 0 }))}
		a := must.Get(hierarchy(st, zarr.Options{}).OpenArray(t.Context(), ""))(t)
		opened := len(st.asked())
		calls := 0
		res := must.Get(a.ReadPoints(t.Context(), [][]int64{{0, 1, -1, 0, 4}, {0, 2, -1, 0, 1}}, zarr.ReadOptions{
			Progress: func(done, total int) {
				calls++
				if total != 3 {
					t.Errorf("progress of %d, want 3", total)
				}
			},
		}))(t)
		if want := []byte{0, 0, 9, 0, 34, 0, 0, 0, 255, 255}; !slices.Equal(res.Data, want) {
			t.Errorf("got %v, want %v", res.Data, want)
		}
		if calls != 3 {
			t.Errorf("%d calls of Progress, want one a chunk", calls)
		}
		// The missing chunk is requested under both separators.
		if n := len(st.asked()) - opened; n > 4 {
			t.Errorf("%d requests for three chunks: %v", n, st.asked())
		}
		for name, coords := range map[string][][]int64{
			"too few lists":  {{0}},
			"ragged lists":   {{0, 1}, {0}},
			"beyond the end": {{5}, {0}},
			"before":         {{-6}, {0}},
		} {
			var invalid *zarr.InvalidSelectionError
			if _, err := a.ReadPoints(t.Context(), coords, zarr.ReadOptions{}); !errors.As(err, &invalid) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if res, err := a.ReadPoints(t.Context(), [][]int64{{}, {}}, zarr.ReadOptions{}); err != nil || len(res.Data) != 0 {
			t.Errorf("no points: %v, %v", res, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := a.ReadPoints(ctx, [][]int64{{0}, {0}}, zarr.ReadOptions{}); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
	})
}

// TestReadPointsFarApart reads points whose chunks cannot be numbered with 64 bits.
func TestReadPointsFarApart(t *testing.T) {
	const far = 1 << 62
	document := `{"zarr_format":2,"shape":[F,F,F],"chunks":[1,2,1],"dtype":"|u1","compressor":null,"fill_value":7,"order":"C","filters":null}`
	objects := map[string][]byte{".zarray": []byte(strings.ReplaceAll(document, "F", strconv.Itoa(far)))}
	var coords [3][]int64
	want := make([]byte, 200)
	for i := range want {
		for d := range coords {
			c := []int64{0, far - 1, far / 2, -2}[(i>>d+i*i/7)%4]
			coords[d] = append(coords[d], c)
		}
		want[i] = 7
		if coords[0][i] == 0 && coords[2][i] == -2 {
			switch coords[1][i] {
			case -2:
				want[i] = 8
			case far - 1:
				want[i] = 9
			}
		}
	}
	objects[fmt.Sprint(0, ".", far/2-1, ".", far-2)] = []byte{8, 9}
	a := must.Get(hierarchy(memstore.New(objects), zarr.Options{}).OpenArray(t.Context(), ""))(t)
	res, err := a.ReadPoints(t.Context(), coords[:], zarr.ReadOptions{})
	if err != nil || !slices.Equal(res.Data, want) || !slices.Contains(want, 9) {
		t.Errorf("got %v, %v, want %v", res, err, want)
	}
}

// plain hides that a store can list.
type plain struct{ store.Source }

func TestStoredChunks(t *testing.T) {
	objects := array([]int{5, 7}, []int{2, 3}, func(c []int) bool { return c[0] == c[1] })
	objects["9.9"], objects["x"] = []byte{1}, []byte{1} // not chunks of this grid
	for name, st := range map[string]store.Source{"lists": memstore.New(objects), "is asked": plain{memstore.New(objects)}} {
		a := must.Get(hierarchy(st, zarr.Options{}).OpenArray(t.Context(), ""))(t)
		if n, err := a.StoredChunks(t.Context()); n != 6 || err != nil {
			t.Errorf("a store that %s: %d chunks, %v; want 6", name, n, err)
		}
	}
	a := must.Get(hierarchy(plain{memstore.New(objects)}, zarr.Options{Limits: codec.Limits{Chunks: 8}}).OpenArray(t.Context(), ""))(t)
	var limit *codec.LimitError
	if _, err := a.StoredChunks(t.Context()); !errors.As(err, &limit) {
		t.Errorf("more chunks than the limit: %v", err)
	}
}

func TestReadInnerChunk(t *testing.T) {
	// One shard of 4 with inner chunks of 2, of an array of 3 elements.
	shard := []byte{1, 2, 3, 9}
	for _, n := range []byte{0, 2, 2, 2} {
		shard = append(shard, n, 0, 0, 0, 0, 0, 0, 0)
	}
	a := must.Get(hierarchy(memstore.New(map[string][]byte{"c/0": shard, "zarr.json": []byte(`{"zarr_format":3,"node_type":"array","shape":[3],
		"data_type":"uint8","fill_value":7,"chunk_key_encoding":{"name":"default"},
		"chunk_grid":{"name":"regular","configuration":{"chunk_shape":[4]}},
		"codecs":[{"name":"sharding_indexed","configuration":{"chunk_shape":[2],"codecs":[{"name":"bytes"}],"index_codecs":[{"name":"bytes","configuration":{"endian":"little"}}]}}]}`)}),
		zarr.Options{}).OpenArray(t.Context(), ""))(t)
	if got := a.InnerChunks(); !slices.Equal(got, []int64{2}) {
		t.Fatalf("inner chunks %v", got)
	}
	for c, want := range [][]byte{{1, 2}, {3, 9}} {
		res, err := a.ReadInnerChunk(t.Context(), []int64{int64(c)}, zarr.ReadOptions{})
		if err != nil || !slices.Equal(res.Data, want) {
			t.Errorf("inner chunk %d: %v, %v; want %v", c, res, err, want)
		}
	}
	for _, coords := range [][]int64{{2}, {-1}, {0, 0}} {
		var invalid *zarr.InvalidSelectionError
		if _, err := a.ReadInnerChunk(t.Context(), coords, zarr.ReadOptions{}); !errors.As(err, &invalid) {
			t.Errorf("inner chunk %v: %v", coords, err)
		}
	}
}
