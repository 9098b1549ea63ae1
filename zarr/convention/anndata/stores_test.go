package anndata_test

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
)

// node is a group or an array of Zarr v3, which tests write: arrays without compression.
type node struct {
	attrs   map[string]any
	members map[string]*node // of a group

	dtype  string
	shape  []int
	values []any
	chunks []int
}

type attributes = map[string]any

func dir(attrs attributes, members map[string]*node) *node {
	if attrs == nil {
		attrs = attributes{}
	}
	if members == nil {
		members = map[string]*node{}
	}
	return &node{attrs: attrs, members: members}
}

// array is an array of none, one or two dimensions, of one chunk.
func array(dtype string, shape []int, values ...any) *node {
	n := &node{attrs: attributes{}, dtype: dtype, shape: shape, values: values}
	for _, length := range shape {
		n.chunks = append(n.chunks, max(length, 1))
	}
	return n
}

func list(dtype string, values ...any) *node { return array(dtype, []int{len(values)}, values...) }

func (n *node) chunked(chunks ...int) *node {
	n.chunks = chunks
	return n
}

func (n *node) with(attrs attributes) *node {
	n.attrs = attrs
	return n
}

func number64(v any) float64 {
	switch v := v.(type) {
	case int:
		return float64(v)
	case int64:
		return float64(v)
	case bool:
		if v {
			return 1
		}
		return 0
	}
	return v.(float64)
}

func appendElement(b []byte, dtype string, v any) []byte {
	switch dtype {
	case "string":
		text := v.(string)
		return append(binary.LittleEndian.AppendUint32(b, uint32(len(text))), text...)
	case "complex64":
		c := v.(complex64)
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(real(c)))
		return binary.LittleEndian.AppendUint32(b, math.Float32bits(imag(c)))
	case "float64":
		return binary.LittleEndian.AppendUint64(b, math.Float64bits(number64(v)))
	case "float32":
		return binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(number64(v))))
	}
	bits := uint64(int64(number64(v)))
	switch strings.TrimLeft(dtype, "uint") {
	case "64":
		return binary.LittleEndian.AppendUint64(b, bits)
	case "32":
		return binary.LittleEndian.AppendUint32(b, uint32(bits))
	case "16":
		return binary.LittleEndian.AppendUint16(b, uint16(bits))
	}
	return append(b, byte(bits))
}

func zeroOf(dtype string) any {
	switch dtype {
	case "string":
		return ""
	case "complex64":
		return complex64(0)
	}
	return 0
}

// objects are the documents and chunks of a tree. With consolidated, its root has the documents of all nodes.
func (n *node) objects(t testing.TB, consolidated bool) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	documents := map[string]attributes{}
	n.write(out, documents, "")
	if consolidated {
		inside := attributes{}
		for path, d := range documents {
			if path != "" {
				inside[path] = d
			}
		}
		documents[""]["consolidated_metadata"] = attributes{"kind": "inline", "must_understand": false, "metadata": inside}
	}
	for path, d := range documents {
		b, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		out[store.Join(path, "zarr.json")] = b
	}
	return out
}

func (n *node) write(out map[string][]byte, documents map[string]attributes, path string) {
	if n.members != nil {
		documents[path] = attributes{"zarr_format": 3, "node_type": "group", "attributes": n.attrs}
		for name, one := range n.members {
			one.write(out, documents, store.Join(path, name))
		}
		return
	}
	fill, codec := any(0), any(attributes{"name": "bytes", "configuration": attributes{"endian": "little"}})
	switch n.dtype {
	case "string":
		fill, codec = "", attributes{"name": "vlen-utf8"}
	case "bool":
		fill = false
	case "complex64":
		fill = []int{0, 0}
	}
	shape := append([]int{}, n.shape...)
	documents[path] = attributes{
		"zarr_format": 3, "node_type": "array", "attributes": n.attrs, "shape": shape, "data_type": n.dtype, "fill_value": fill,
		"chunk_grid":         attributes{"name": "regular", "configuration": attributes{"chunk_shape": append([]int{}, n.chunks...)}},
		"chunk_key_encoding": attributes{"name": "default"},
		"codecs":             []any{codec},
	}
	full := func(list []int) [2]int { // of two dimensions
		out := [2]int{1, 1}
		copy(out[:], list)
		return out
	}
	size, chunk := full(n.shape), full(n.chunks)
	for r := 0; r < size[0]; r += chunk[0] {
		for c := 0; c < size[1]; c += chunk[1] {
			var b []byte
			if n.dtype == "string" {
				b = binary.LittleEndian.AppendUint32(b, uint32(chunk[0]*chunk[1]))
			}
			for i := r; i < r+chunk[0]; i++ {
				for j := c; j < c+chunk[1]; j++ {
					v := zeroOf(n.dtype)
					if i < size[0] && j < size[1] {
						v = n.values[i*size[1]+j]
					}
					b = appendElement(b, n.dtype, v)
				}
			}
			key := store.Join(path, "c")
			for d, at := range []int{r / chunk[0], c / chunk[1]}[:len(n.shape)] {
				_ = d
				key += fmt.Sprintf("/%d", at)
			}
			out[key] = b
		}
	}
}

// open opens the tree in a store that lists.
func (n *node) open(t testing.TB, consolidated bool) *zarr.Group {
	t.Helper()
	return rootOf(t, memstore.New(n.objects(t, consolidated)))
}

// unlisting opens the tree in a store that cannot list, as most servers.
func (n *node) unlisting(t testing.TB, consolidated bool) *zarr.Group {
	t.Helper()
	return rootOf(t, struct{ store.Source }{memstore.New(n.objects(t, consolidated))})
}

func rootOf(t testing.TB, s store.Source) *zarr.Group {
	t.Helper()
	g, err := zarr.New(s, codecs.Full(), zarr.Options{}).OpenGroup(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func encoded(kind, version string, more ...any) attributes {
	a := attributes{"encoding-type": kind, "encoding-version": version}
	for i := 0; i < len(more); i += 2 {
		a[more[i].(string)] = more[i+1]
	}
	return a
}

func texts(values ...any) *node {
	return list("string", values...).with(encoded("string-array", "0.2.0"))
}

func frame(index []any, columns ...any) *node {
	n := dir(nil, map[string]*node{"_index": texts(index...)})
	order := []any{}
	for i := 0; i < len(columns); i += 2 {
		order = append(order, columns[i])
		n.members[columns[i].(string)] = columns[i+1].(*node)
	}
	n.attrs = encoded("dataframe", "0.2.0", "_index", "_index", "column-order", order)
	return n
}

func dict(members map[string]*node) *node { return dir(encoded("dict", "0.1.0"), members) }

func csr(shape []any, indptr, indices, data []any) *node {
	return dir(encoded("csr_matrix", "0.1.0", "shape", shape), map[string]*node{
		"data": list("float32", data...), "indices": list("int32", indices...), "indptr": list("int32", indptr...),
	})
}

type values = []any

// small is an AnnData with one of everything.
func small() *node {
	return dir(encoded("anndata", "0.1.0"), map[string]*node{
		"X": csr(values{3, 2}, values{0, 1, 1, 3}, values{1, 0, 1}, values{1, 2, 3}),
		"obs": frame(values{"a", "b", "c"},
			"kind", dir(encoded("categorical", "0.2.0", "ordered", true), map[string]*node{
				"codes": list("int8", 1, -1, 0), "categories": texts("low", "high"),
			}),
			"count", dir(encoded("nullable-integer", "0.1.0"), map[string]*node{
				"values": list("int64", 5, 6, 7), "mask": list("bool", 0, 1, 0),
			}),
			"name", dir(encoded("nullable-string-array", "0.1.0", "na-value", "NaN"), map[string]*node{
				"values": texts("x", "", "z"), "mask": list("bool", 0, 1, 0),
			}),
			"size", list("float64", 0.5, 1.5, 2.5),
			"flag", list("bool", 1, 0, 1)),
		"var": frame(values{"g", "h"}),
		"obsm": dict(map[string]*node{
			"X_umap": array("float32", []int{3, 2}, 1, 2, 3, 4, 5, 6),
			"ragged": dir(encoded("awkward-array", "0.1.0", "form", `{"class": "ListOffsetArray"}`, "length", 3), map[string]*node{
				"node0-offsets": list("int64", 0, 1, 1, 2),
			}),
		}),
		"layers": dict(nil),
		"uns": dict(map[string]*node{
			"nothing": array("bool", []int{}, 0).with(encoded("null", "0.1.0")), "three": array("int32", []int{}, 3),
		}),
	})
}

// all returns the node and all below it, in an order that is the same in every run.
func (n *node) all() []*node {
	out := []*node{n}
	for _, name := range n.names() {
		out = append(out, n.members[name].all()...)
	}
	return out
}

func (n *node) names() []string {
	var names []string
	for name := range n.members {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
