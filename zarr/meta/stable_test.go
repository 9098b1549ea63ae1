//go:build !js

package meta_test

import (
	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
)

// FuzzWrite reads any bytes as a document and writes the node, changed from its documents and new.
// Both outputs read as the same node, and are written the same again.
func FuzzWrite(f *testing.F) {
	for _, seed := range []string{
		changing2, changing3, `{"zarr_format":2}`, `{"zarr_format":3,"node_type":"group","attributes":{"a":[1,NaN]}}`,
		`{"zarr_format":2,"shape":[5],"chunks":[2],"dtype":"|O","compressor":null,"fill_value":{"a":1},"order":"F","filters":[{"id":"json2"}]}`,
		`{"zarr_format":2,"shape":[5,4],"chunks":[2,2],"dtype":[["a","<i4"],["b",">c8",[2]]],"compressor":{"id":"zlib"},"fill_value":"AAAA","order":"F","filters":[{"id":"crc32"}]}`,
		`{"zarr_format":3,"node_type":"array","shape":[6],"data_type":{"name":"zarrs.optional","configuration":{"name":"float8_e5m2","configuration":{}}},` +
			`"chunk_grid":{"name":"rectilinear","configuration":{"kind":"inline","chunk_shapes":[[1,[2,2],1]]}},` +
			`"chunk_key_encoding":{"name":"v2"},"fill_value":["0x7d"],"codecs":[{"name":"optional","configuration":{}}],"dimension_names":[null]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		for _, name := range []string{meta.DocumentV3, meta.DocumentArray, meta.DocumentGroup} {
			n, err := meta.Parse([]meta.Document{{Name: name, Bytes: doc}}, meta.Options{})
			if err != nil || n == nil {
				continue
			}
			stable(t, n)
			fresh := *n
			fresh.Documents = nil
			stable(t, &fresh)
			for _, format := range []int{2, 3} {
				if other, err := n.To(format); err == nil {
					stable(t, other)
				}
			}
		}
	})
}

func stable(t *testing.T, n *meta.Node) {
	docs, err := n.Write()
	if err != nil {
		return // what has no text, as a NaN of its own in version 2
	}
	again, err := meta.Parse(docs, meta.Options{Limits: looser})
	if err != nil {
		t.Fatalf("%v\n%s", err, docs[0].Bytes)
	}
	// Invalid texts are kept; see package json's own tests.
	n.Attributes = again.Attributes
	if diff := compare(n, again); diff != "" {
		t.Fatalf("%s differs\n%s", diff, docs[0].Bytes)
	}
	again.Documents = nil
	twice, err := again.Write()
	if err != nil {
		return // again: only the text that was read says it
	}
	third, err := meta.Parse(twice, meta.Options{Limits: looser})
	if err != nil {
		t.Fatalf("%v\n%s", err, twice[0].Bytes)
	}
	if diff := compare(again, third); diff != "" {
		t.Fatalf("%s differs\n%s\n%s", diff, docs[0].Bytes, twice[0].Bytes)
	}
}

// looser are limits for documents that are indented now.
var looser = json.Limits{Bytes: 1 << 30}
