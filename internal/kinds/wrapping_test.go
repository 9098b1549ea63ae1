package kinds_test

import (
	"testing"

	"github.com/zarr-wasm/zarr-wasm/internal/object"
	"github.com/zarr-wasm/zarr-wasm/internal/target"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/icechunk"
	"github.com/zarr-wasm/zarr-wasm/store/n5store"
	"github.com/zarr-wasm/zarr-wasm/store/refstore"
	"github.com/zarr-wasm/zarr-wasm/store/refstore/parquet"
	"github.com/zarr-wasm/zarr-wasm/store/storetest"
	"github.com/zarr-wasm/zarr-wasm/store/zipstore"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
)

// TestStoresPassOnExactlyTheCapabilitiesThatTheyClaim covers the stores over other stores. Packages
// prefix and overlay have this test themselves.
func TestStoresPassOnExactlyTheCapabilitiesThatTheyClaim(t *testing.T) {
	layer := object.NewLayer(1 << 20)
	sources := target.NewSources(func(string) (store.Source, error) { return nil, store.NotFound("") }, layer.Drop)
	tables := []string{"Lister", "Refresher"} // they know their keys
	for name, w := range map[string]storetest.Wrapping{
		"plain": {
			New: func(of storetest.Below) store.Locator { return store.Plain(of) },
			Passes: []string{
				"Lister", "Writer", "Conditional", "Locker", "Preparer", "Refresher", "Remote", "Batcher", "Reuser", "WholeOnly",
			},
		},
		"object layer": {
			New:    func(of storetest.Below) store.Locator { return store.Plain(layer.Reader(of, object.Options{}, nil)) },
			Passes: []string{"Lister", "Remote", "Reuser", "WholeOnly"},
		},
		"object layer in memory": {
			New: func(of storetest.Below) store.Locator {
				return store.Plain(layer.Reader(of, object.Options{Memory: true}, nil))
			},
			Passes: []string{"Lister", "Remote", "Batcher", "Reuser", "WholeOnly"},
		},
		"target of a reference": {
			New: func(of storetest.Below) store.Locator {
				set := must.Get(target.New(sources, store.Plain(of), "refs.json", store.At(of, "refs.json"), target.Options{}))(t)
				return store.Plain(must.Get(set.Locate(t.Context(), "x"))(t).Source)
			},
			Passes: []string{"WholeOnly"}, Always: []string{"Remote"},
		},
		"n5": {
			New:    func(of storetest.Below) store.Locator { return n5store.New(of, layer) },
			Passes: []string{"Lister", "Preparer", "Refresher"}, Partial: true,
		},
		"zip": {
			New: func(of storetest.Below) store.Locator {
				return must.Get(zipstore.New(of, "a.zip", layer, zipstore.Options{}))(t)
			},
			Always: tables,
		},
		"reference": {
			New: func(of storetest.Below) store.Locator {
				return refstore.New(of, "refs.json", layer, sources, refstore.Options{})
			},
			Always: tables,
		},
		"references in Parquet": {
			New:    func(of storetest.Below) store.Locator { return parquet.New(of, layer, sources, parquet.Options{}) },
			Always: []string{"Refresher"},
		},
		"icechunk": {
			New: func(of storetest.Below) store.Locator {
				return must.Get(icechunk.New(of, layer, icechunk.Options{}))(t)
			},
			Always: append(tables, "Preparer"),
		},
	} {
		t.Run(name, func(t *testing.T) { storetest.RunWrapping(t, w) })
	}
}
