package zarr_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
)

// TestLongListsInMetadata replaces each member of metadata, and each value in it, by a list of very
// many items. The lists are rejected without parsing their items.
func TestLongListsInMetadata(t *testing.T) {
	list := func(item string) string { return "[" + strings.Repeat(item+",", 1<<17) + item + "]" }
	numbers := list("1")
	lists := map[string]string{
		"numbers": numbers, "texts": list(`"a"`), "pairs": list(`["a","b"]`), "objects": list(`{"name":"a","id":"b"}`), "nested": "[" + numbers + "]",
		"field": `[["a",` + numbers + `]]`, "sub-array": `[["a","|u1",` + numbers + `]]`, "title": `[[` + numbers + `,"|u1"]]`,
		"fields":      `{"name":"struct","configuration":{"fields":` + numbers + `}}`,
		"shard":       `[{"name":"sharding_indexed","configuration":{"chunk_shape":` + numbers + `,"codecs":["bytes"],"index_codecs":["bytes"]}}]`,
		"inner chain": `[{"name":"sharding_indexed","configuration":{"chunk_shape":[4],"codecs":` + numbers + `,"index_codecs":["bytes"]}}]`,
		"order":       `[{"name":"transpose","configuration":{"order":` + numbers + `}},"bytes"]`,
	}
	documents := map[string][]string{
		".zarray": {`"zarr_format":2`, `"shape":[8]`, `"chunks":[8]`, `"dtype":"|u1"`, `"compressor":null`, `"filters":[]`, `"order":"C"`, `"fill_value":0`, `"dimension_separator":"."`},
		"zarr.json": {
			`"zarr_format":3`, `"node_type":"array"`, `"shape":[8]`, `"data_type":"uint8"`, `"fill_value":0`, `"chunk_grid":{"name":"regular","configuration":{"chunk_shape":[8]}}`,
			`"chunk_key_encoding":{"name":"default"}`, `"codecs":["bytes"]`, `"dimension_names":["x"]`, `"storage_transformers":[]`,
		},
	}
	for document, members := range documents {
		open := func(text string) (took uint64, err error) {
			s := memstore.New(map[string][]byte{document: []byte(text)})
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err = zarr.New(s, codecs.Default(), zarr.Options{}).Open(t.Context(), "", zarr.OpenOptions{})
			runtime.ReadMemStats(&after)
			return after.TotalAlloc - before.TotalAlloc, err
		}
		text := "{" + strings.Join(members, ",") + "}"
		if _, err := open(text); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		for _, member := range members {
			name, value, _ := strings.Cut(member, ":")
			places := []string{value}
			if strings.Contains(value, "[8]") {
				places = append(places, "[8]")
			}
			for _, place := range places {
				for kind, long := range lists {
					// Some errors quote the text, which is copied for them.
					took, err := open(strings.Replace(text, member, name+":"+strings.Replace(value, place, long, 1), 1))
					if most := 8 * uint64(len(long)); err == nil || took > most {
						t.Errorf("%s in %s, %s: %.200v, with %d MiB", kind, document, name, err, took>>20)
					}
				}
			}
		}
	}
}
