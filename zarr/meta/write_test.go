//go:build !js

package meta_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
)

func parse(t *testing.T, docs ...meta.Document) *meta.Node {
	t.Helper()
	n, err := meta.Parse(docs, meta.Options{})
	if err != nil || n == nil {
		t.Fatal(n, err)
	}
	return n
}

const changing2 = `{
  "zarr_format": 2, "_note": {"keep": [1, 1e400]},
  "shape": [ 10 ],
  "chunks": [4],
  "dtype": "<f4", "fill_value": "0x7fc00001",
  "compressor": {"id": "crc32"}, "filters": [ ], "order": "C"
}`

const changing3 = `{"zarr_format":3,"node_type":"array","shape":[10],"data_type":{"name":"float32"},"chunk_grid":{"name":"regular","configuration":{"chunk_shape":[4]}},
"chunk_key_encoding":"default","fill_value":"0x7fc00001","codecs":["bytes"],"x":{"must_understand":false,"a":1.50},"attributes":{"n":123456789012345678901234567890,"x":NaN,"s":"é\ud800"}}`

// TestChange changes one thing of a node that was read: the rest of its document stays as it was
// written.
func TestChange(t *testing.T) {
	resize := func(n *meta.Node) {
		a := *n.Array
		a.Shape = []int64{23}
		a.Grid, _ = grid.Regular(a.Shape, []int64{4})
		n.Array = &a
	}
	n := parse(t, meta.Document{Name: ".zarray", Bytes: []byte(changing2)})
	resize(n)
	docs, err := n.Write()
	want := `{
  "zarr_format": 2,
  "_note": {
    "keep": [
      1,
      1e400
    ]
  },
  "shape": [
    23
  ],
  "chunks": [
    4
  ],
  "dtype": "<f4",
  "fill_value": "0x7fc00001",
  "compressor": {
    "id": "crc32"
  },
  "filters": [],
  "order": "C"
}`
	if err != nil || len(docs) != 1 || string(docs[0].Bytes) != want {
		t.Errorf("resized: %v\n%s", err, docs[0].Bytes)
	}
	n = parse(t, meta.Document{Name: "zarr.json", Bytes: []byte(changing3)})
	resize(n)
	docs, err = n.Write()
	want = strings.NewReplacer("\n", " ", "[10]", "[23]", "é", "\\u00e9", ",", ", ", ":", ": ").Replace(strings.ReplaceAll(changing3, ",\n", ","))
	if err != nil || string(docs[0].Bytes) == "" || !sameText(t, docs[0].Bytes, want) {
		t.Errorf("resized: %v\n%s\nwant %s", err, docs[0].Bytes, want)
	}
	// Names of dimensions come and go.
	n = parse(t, docs...)
	n.Array.DimensionNames = []meta.DimensionName{{Text: "t", Named: true}}
	if docs, err = n.Write(); err != nil || !strings.Contains(string(docs[0].Bytes), `"t"`) {
		t.Errorf("named: %v\n%s", err, docs[0].Bytes)
	}
	n = parse(t, docs...)
	n.Array.DimensionNames = nil
	if docs, err = n.Write(); err != nil || !sameText(t, docs[0].Bytes, want) {
		t.Errorf("unnamed: %v\n%s", err, docs[0].Bytes)
	}
	// Codecs that change change together.
	n = parse(t, meta.Document{Name: ".zarray", Bytes: []byte(changing2)})
	n.Array.Codecs = append(slices.Clone(n.Array.Codecs), meta.CodecSpec{Name: "zlib", Config: json.Make()})
	docs, err = n.Write()
	if v, _ := json.Parse(docs[0].Bytes, json.Limits{}); err != nil || v.Get("filters").Len() != 1 || string(v.Get("compressor").Get("id").Raw()) != `"zlib"` {
		t.Errorf("compressed: %v\n%s", err, docs[0].Bytes)
	}
}

// sameText compares but for the indentation.
func sameText(t *testing.T, a []byte, b string) bool {
	x, err := json.Parse(a, json.Limits{})
	y, other := json.Parse([]byte(b), json.Limits{})
	if err != nil || other != nil {
		t.Fatal(err, other)
	}
	return string(json.AppendLaidOut(nil, x.Raw(), json.Layout{})) == string(json.AppendLaidOut(nil, y.Raw(), json.Layout{}))
}

// TestAttributesWritten changes attributes: what is kept of them is kept to the letter.
func TestAttributesWritten(t *testing.T) {
	const text = `{"z":123456789012345678901234567890,"nan":NaN,"inf":-Infinity,"minus":-0.0,"long":0.1000,"a":{"y":[],"x":{}},"s":"\ud83e\uddca"}`
	for _, format := range []int{2, 3} {
		v, err := json.Parse([]byte(text), json.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		n := &meta.Node{Format: format, Attributes: v}
		docs := must.Get(n.Write())(t)
		again := parse(t, docs...)
		if !sameText(t, again.Attributes.Raw(), text) {
			t.Errorf("%d: %s", format, again.Attributes.Raw())
		}
		again.Attributes = json.Make(append(slices.Clone(again.Attributes.Members()), json.Member{Name: "é", Value: json.Text("\"\n")})...)
		if docs, err = again.Write(); err != nil {
			t.Fatal(err)
		}
		if !sameText(t, parse(t, docs...).Attributes.Raw(), strings.TrimSuffix(text, "}")+`,"é":"\"\n"}`) {
			t.Errorf("%d: %s", format, docs)
		}
		// Without attributes there is an empty document where there was one.
		again = parse(t, docs...)
		again.Attributes = json.EmptyObject()
		if docs, err = again.Write(); err != nil || parse(t, docs...).Attributes.Len() != 0 {
			t.Errorf("%d: %v %s", format, err, docs)
		}
	}
}

// TestOtherVersion converts each array of the fixtures to the other version, and back. A feature
// that the other version lacks is an error with its name.
func TestOtherVersion(t *testing.T) {
	made, back, refused := 0, 0, map[string]int{}
	unsupported := func(name string, err error) {
		var e *meta.Error
		if !errors.As(err, &e) || !e.Unsupported && !strings.HasPrefix(name, "corrupt/") {
			t.Errorf("%s: %v", name, err)
			return
		}
		refused[e.Error()]++
	}
	nodes(t, func(name string, n *meta.Node) {
		formats := []int{2, 3}
		if n.Format != 1 {
			formats = []int{5 - n.Format}
		}
		for _, format := range formats {
			other, err := n.To(format)
			if err != nil {
				unsupported(name, err)
				continue
			}
			docs, err := other.Write()
			if err != nil {
				t.Errorf("%s as version %d: %v", name, format, err)
				continue
			}
			again, err := meta.Parse(docs, meta.Options{})
			if err != nil {
				t.Errorf("%s as version %d: %v\n%s", name, format, err, docs[0].Bytes)
				continue
			}
			if format == 2 && again.Array != nil {
				other.Attributes = again.Attributes // they have the names of the dimensions
			}
			if diff := compare(other, again); diff != "" {
				t.Errorf("%s as version %d: %s differs\n%s\n%s", name, format, diff, n.Documents[0].Bytes, docs[0].Bytes)
			}
			made++
			if n.Format == 1 {
				continue
			}
			first, err := again.To(n.Format)
			if err != nil {
				t.Errorf("%s as version %d, and back: %v", name, format, err)
				continue
			}
			if n.Array != nil && !slices.Equal(first.Array.Fill, n.Array.Fill) {
				t.Errorf("%s as version %d, and back: fill value % x, was % x", name, format, first.Array.Fill, n.Array.Fill)
			}
			back++
		}
	})
	t.Log(made, back, refused)
	if made < 1500 || back < 1500 {
		t.Errorf("%d nodes of the other version, %d back", made, back)
	}
}
