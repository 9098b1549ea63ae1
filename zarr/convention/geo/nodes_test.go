package geo_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
)

// stored is a hierarchy in memory: key to object.
type stored map[string][]byte

func (s stored) open() *zarr.Hierarchy {
	return zarr.New(memstore.New(s), codecs.Default(), zarr.Options{})
}

// node opens the root of a hierarchy.
func (s stored) node(t testing.TB, path string) zarr.Node {
	t.Helper()
	return must.Get(s.open().Open(context.Background(), path, zarr.OpenOptions{}))(t)
}

func join(path, name string) string { return strings.Trim(path+"/"+name, "/") }

func (s stored) group(path, attributes string) {
	s[join(path, "zarr.json")] = []byte(`{"zarr_format":3,"node_type":"group","attributes":` + attributes + `}`)
}

// array adds an array of float64 with named dimensions. Without values all elements are 0.
func (s stored) array(path string, shape []int, names []string, attributes string, values ...float64) {
	text := func(v any) string {
		b, _ := json.Marshal(v)
		return string(b)
	}
	s[join(path, "zarr.json")] = []byte(`{"zarr_format":3,"node_type":"array","data_type":"float64","shape":` + text(shape) +
		`,"chunk_grid":{"name":"regular","configuration":{"chunk_shape":` + text(shape) + `}},"chunk_key_encoding":{"name":"default"}` +
		`,"fill_value":0,"codecs":[{"name":"bytes","configuration":{"endian":"little"}}],"dimension_names":` + text(names) +
		`,"attributes":` + attributes + `}`)
	var chunk []byte
	for _, v := range values {
		chunk = binary.LittleEndian.AppendUint64(chunk, math.Float64bits(v))
	}
	if chunk != nil {
		s[join(path, "c/0")] = chunk
	}
}

// nodeOf opens the root of a hierarchy that consists of one document.
func nodeOf(t testing.TB, document string) zarr.Node {
	return stored{"zarr.json": []byte(document)}.node(t, "")
}
