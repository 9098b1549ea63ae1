//go:build !js

package zarr_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"zarr-wasm/store/httpstore"
	"zarr-wasm/zarr"
	"zarr-wasm/zarr/codecs"
	"zarr-wasm/zarr/grid"
)

// TestTooManyInnerChunksAreNotMade refuses to read millions of chunks inside of a shard, by each entry and twice, with little memory.
func TestTooManyInnerChunksAreNotMade(t *testing.T) {
	const chain = `[{"name":"sharding_indexed","configuration":{"chunk_shape":[2],"codecs":[{"name":"bytes","configuration":{"endian":"little"}}],
		"index_codecs":[{"name":"bytes","configuration":{"endian":"little"}}]}}]`
	documents := map[string]string{"zarr.json": `{"zarr_format":3,"node_type":"array","shape":[8388608],"data_type":"uint8","fill_value":0,
		"chunk_grid":{"name":"regular","configuration":{"chunk_shape":[8388608]}},"chunk_key_encoding":{"name":"default"},"codecs":` + chain + `}`}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, ok := documents[strings.TrimPrefix(r.URL.Path, "/")]
		if !ok {
			http.NotFound(w, r)
			return
		}
		http.ServeContent(w, r, "", time.Time{}, strings.NewReader(text))
	}))
	defer server.Close()
	st, err := httpstore.New(server.URL, httpstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	a, err := zarr.New(st, codecs.Default(), zarr.Options{}).OpenArray(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	back := int64(-2)
	for _, selection := range [][]grid.Item{nil, {grid.Range(nil, nil, nil)}, {grid.Range(nil, nil, &back)}, nil} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := a.Read(t.Context(), selection, zarr.ReadOptions{})
		runtime.ReadMemStats(&after)
		var limit *zarr.LimitError
		if took := after.TotalAlloc - before.TotalAlloc; !errors.As(err, &limit) || took > 16<<20 {
			t.Errorf("%v: %v, with %d MiB", selection, err, took>>20)
		}
	}
}
