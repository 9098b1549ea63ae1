package overlay_test

import (
	"context"
	"fmt"
	"log"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/store/overlay"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
)

// An edited chunk covers the one of its hierarchy.
func Example() {
	edited := memstore.New(map[string][]byte{"c/0": {9, 9}})
	original := memstore.New(map[string][]byte{
		"zarr.json": []byte(`{"zarr_format": 3, "node_type": "array", "shape": [4], "data_type": "uint8",
			"chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2]}},
			"chunk_key_encoding": {"name": "default"}, "codecs": [{"name": "bytes"}], "fill_value": 0}`),
		"c/0": {1, 2},
		"c/1": {3, 4},
	})
	ctx := context.Background()
	h := zarr.Over(overlay.New(store.Plain(edited), store.Plain(original)), codecs.Default(), zarr.Options{})
	array, err := h.OpenArray(ctx, "")
	if err != nil {
		log.Fatal(err)
	}
	res, err := array.Read(ctx, nil, zarr.ReadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(res.Data)
	// Output: [9 9 3 4]
}
