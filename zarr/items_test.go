package zarr_test

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr"
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
