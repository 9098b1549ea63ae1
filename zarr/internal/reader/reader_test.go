package reader

import (
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/internal/limits"
	"github.com/zarr-wasm/zarr-wasm/internal/object"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
)

// newEngine returns the engine of a store, with its own caches.
func newEngine(l store.Locator) *Engine {
	return NewEngine(Config{
		Store: l, Limits: limits.Limits{}.WithDefaults(), Executor: codec.InPlace(), Caches: NewCaches(1<<20, 1<<20, 1<<20),
		Objects: object.Options{}.WithDefaults(),
	})
}

// newArray returns the array of documents, given as pairs of name and text.
func newArray(t testing.TB, e *Engine, documents ...string) *Array {
	t.Helper()
	var docs []meta.Document
	for i := 0; i < len(documents); i += 2 {
		docs = append(docs, meta.Document{Name: documents[i], Bytes: []byte(documents[i+1])})
	}
	m, err := meta.Parse(docs, meta.Options{})
	if err != nil {
		t.Fatal(err)
	}
	a, err := e.NewArray("", m, codecs.Default())
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// sharded returns the document of an array of bytes of that shape. Chunks have the first of the
// other shapes and hold chunks of the second, and so on. Shapes are written in JSON.
func sharded(shape string, chunks ...string) string {
	inner := `{"name":"bytes"}`
	for i := len(chunks) - 1; i > 0; i-- {
		inner = `{"name":"sharding_indexed","configuration":{"chunk_shape":` + chunks[i] + `,"codecs":[` + inner +
			`],"index_codecs":[{"name":"bytes","configuration":{"endian":"little"}},{"name":"crc32c"}]}}`
	}
	return strings.NewReplacer("SHAPE", shape, "CHUNK", chunks[0], "CODECS", inner).Replace(`{"zarr_format":3,"node_type":"array","shape":SHAPE,"data_type":"uint8",
		"chunk_grid":{"name":"regular","configuration":{"chunk_shape":CHUNK}},"chunk_key_encoding":{"name":"default"},"fill_value":9,"codecs":[CODECS]}`)
}
