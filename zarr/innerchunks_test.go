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

	"github.com/zarr-wasm/zarr-wasm/store/httpstore"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

// TestTooManyInnerChunksAreNotMade tries to read millions of inner chunks by each entry point,
// twice. The reads are rejected with little memory.
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
	st := must.Get(httpstore.New(server.URL, httpstore.Options{}))(t)
	a := must.Get(zarr.New(st, codecs.Default(), zarr.Options{}).OpenArray(t.Context(), ""))(t)
	back := int64(-2)
	points := make([]int64, 2<<20)
	for i := range points {
		points[i] = int64(i) * 4
	}
	read := func(selection ...grid.Item) func() error {
		return func() error {
			_, err := a.Read(t.Context(), selection, zarr.ReadOptions{})
			return err
		}
	}
	byPoint := func() error {
		_, err := a.ReadPoints(t.Context(), [][]int64{points}, zarr.ReadOptions{})
		return err
	}
	for i, f := range []func() error{read(), read(grid.Range(nil, nil, nil)), read(grid.Range(nil, nil, &back)), read(), byPoint, byPoint} {
		most := uint64(16 << 20)
		if i > 3 {
			most = 160 << 20 // their order
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := f()
		runtime.ReadMemStats(&after)
		var limit *zarr.LimitError
		if took := after.TotalAlloc - before.TotalAlloc; !errors.As(err, &limit) || took > most {
			t.Errorf("read %d: %v, with %d MiB", i, err, took>>20)
		}
	}
}
