package zarr_test

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
)

// gone is a source whose objects are absent for one read, after a number of reads.
type gone struct {
	store.Source
	after atomic.Int64
}

func (g *gone) Read(ctx context.Context, name string, ask store.Ask) (store.Extent, error) {
	if g.after.Add(-1) == 0 {
		return store.Extent{}, store.NotFound(name)
	}
	return g.Source.Read(ctx, name, ask)
}

// TestAGoneArchiveIsNoFill makes an archive absent for a moment. Its contents count neither as fill
// values nor as absent documents, whichever request fails and however the bytes lie there.
func TestAGoneArchiveIsNoFill(t *testing.T) {
	plain := map[string][]byte{".zarray": []byte(
		`{"zarr_format":2,"shape":[8],"chunks":[2],"dtype":"<u4","compressor":null,"fill_value":9,"filters":null,"order":"C"}`)}
	for i := range 4 {
		plain[string(rune('0'+i))] = []byte{byte(2 * i), 0, 0, 0, byte(2*i + 1), 0, 0, 0}
	}
	as := func(_ context.Context, stored []byte, _ int64) ([]byte, error) { return stored, nil }
	for name, change := range map[string]func(*store.Location){
		"extents": func(*store.Location) {},
		"decoded": func(l *store.Location) { l.Packed = &store.Packed{Decode: as, Size: l.Length} },
		"parts": func(l *store.Location) {
			exact := *l
			l.Packed = &store.Packed{Decode: as, Size: l.Length, Exact: func(context.Context) (store.Location, error) { return exact, nil }}
		},
	} {
		for kind, objects := range map[string]map[string][]byte{
			"chunks": plain,
			"shards": sharding{shape: []int{8}, levels: [][]int{{8}, {2}}}.objects(),
			"nested": sharding{shape: []int{8}, levels: [][]int{{8}, {4}, {2}}}.objects(),
		} {
			for n := range 8 {
				a, c := pack(objects)
				for key, at := range a.at {
					at.Version = store.Version{}
					change(&at)
					a.at[key] = at
				}
				g := &gone{Source: c.Source}
				c.Source = g
				opt := zarr.Options{Cache: zarr.CacheOptions{Decoded: -1, Encoded: -1, Indexes: -1}}
				g.after.Store(int64(n))
				h := zarr.Over(a, codecs.Default(), opt)
				arr, err := h.OpenArray(t.Context(), "")
				if err != nil {
					if arr, err = h.OpenArray(t.Context(), ""); err != nil {
						t.Fatalf("%s of %s, %d, again: %v", kind, name, n, err)
					}
				}
				for range 2 {
					res, err := arr.Read(t.Context(), nil, zarr.ReadOptions{})
					if err != nil {
						if res, err = arr.Read(t.Context(), nil, zarr.ReadOptions{}); err != nil {
							t.Fatalf("%s of %s, %d, read again: %v", kind, name, n, err)
						}
					}
					want := make([]byte, 32)
					for i := range 8 {
						want[4*i] = byte(i)
					}
					if !slices.Equal(res.Data, want) {
						t.Fatalf("%s of %s, %d: %v", kind, name, n, res.Data)
					}
				}
			}
		}
	}
}
