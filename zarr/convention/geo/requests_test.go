package geo_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
	"github.com/zarr-wasm/zarr-wasm/zarr/convention/geo"
)

// With consolidated metadata, only the coordinates' chunks are requested, and listed variables are
// found without a name.
func TestRequestsWithConsolidatedMetadata(t *testing.T) {
	s := stored{}
	s.array("g/t", []int{2, 2}, []string{"y", "x"}, `{"grid_mapping":"nowhere"}`)
	s.array("g/u", []int{2, 2}, []string{"y", "x"}, `{}`)
	s.array("g/y", []int{2}, []string{"y"}, `{}`, 1, 2)
	s.array("g/x", []int{2}, []string{"x"}, `{}`, 1, 2)
	s.array("g/spatial_ref", []int{}, []string{}, `{"spatial_ref":"EPSG:4326"}`)
	s.group("g", `{}`)
	var nodes []string
	for key, doc := range s {
		if path, ok := strings.CutSuffix(key, "/zarr.json"); ok {
			nodes = append(nodes, `"`+path+`":`+string(doc))
		}
	}
	s["zarr.json"] = []byte(`{"zarr_format":3,"node_type":"group","attributes":{},"consolidated_metadata":{"kind":"inline","must_understand":false,"metadata":{` +
		strings.Join(nodes, ",") + `}}}`)
	// A request may be recorded after its bytes arrived. Both sides hold a lock for the list.
	var mu sync.Mutex
	var asked []string
	h := zarr.New(memstore.New(s), codecs.Default(), zarr.Options{Observe: func(e store.Event) {
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, e.Key)
	}})
	take := func() []string {
		mu.Lock()
		defer mu.Unlock()
		keys := asked
		asked = nil
		return keys
	}
	ctx := context.Background()
	must.Get(h.OpenGroup(ctx, ""))(t)
	for _, c := range []struct {
		path     string
		problems int
		epsg     int
	}{{"g/t", 1, 0}, {"g/u", 0, 4326}} {
		a := array(t, h, c.path)
		take()
		g := georeference(t, a)
		equal(t, "problems", len(g.Problems), c.problems)
		equal(t, "transform", g.Transform, &geo.Affine{1, 0, 0.5, 0, 1, 0.5})
		if g.CRS != nil {
			equal(t, "epsg", g.CRS.EPSG, c.epsg)
		} else {
			equal(t, "epsg", 0, c.epsg)
		}
		for _, key := range take() {
			if !strings.HasPrefix(key, "g/") {
				continue // a document of the root, opened earlier and recorded late
			}
			if !slices.Contains([]string{"g/y/c/0", "g/x/c/0"}, key) {
				t.Errorf("%s asked for %s", c.path, key)
			}
		}
	}
}
