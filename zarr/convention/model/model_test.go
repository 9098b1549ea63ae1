package model_test

import (
	"bytes"
	"context"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/tests/conventions/golden"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/tests/rounds"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
	"github.com/zarr-wasm/zarr-wasm/zarr/convention/model"
)

func parse(t testing.TB, text []byte) model.Value {
	t.Helper()
	v, err := model.Parse(text)
	if err != nil {
		t.Fatalf("%v in %.200s", err, text)
	}
	return v
}

// plain normalises JSON by encoding/json, independent of this package.
func plain(t testing.TB, text []byte) string {
	t.Helper()
	var v any
	golden.Decode(t, text, &v)
	return string(must.Get(stdjson.Marshal(v))(t))
}

func same(t testing.TB, got, want []byte, what string) {
	t.Helper()
	if g, w := plain(t, got), plain(t, want); g != w {
		t.Errorf("%s: %s\nand not %s", what, g, w)
	}
}

type modelCase struct {
	Model stdjson.RawMessage
	Flat  stdjson.RawMessage
}

func cases(t testing.TB, e *golden.Expected) map[string]modelCase {
	all := map[string]modelCase{}
	for _, c := range e.Of(t, "model") {
		var want modelCase
		golden.Decode(t, c.Expect, &want)
		all[strings.TrimPrefix(c.ID, "model.")] = want
	}
	return all
}

func TestExpectedModels(t *testing.T) {
	e := golden.Load(t)
	for _, c := range e.Of(t, "model") {
		t.Run(c.ID, func(t *testing.T) {
			want := cases(t, e)[strings.TrimPrefix(c.ID, "model.")]
			group := must.Get(e.Hierarchy(t, c.Store).OpenGroup(t.Context(), ""))(t)
			got := must.Get(model.ToModel(t.Context(), group, model.Options{}))(t)
			same(t, got.Raw(), want.Model, "the model")
			flat := must.Get(model.Flatten(got))(t)
			same(t, flat.Raw(), want.Flat, "its flattening")
			back := must.Get(model.Unflatten(parse(t, want.Flat)))(t)
			same(t, back.Raw(), want.Model, "what is put together of that")
		})
	}
}

func TestExpectedEquality(t *testing.T) {
	e := golden.Load(t)
	all := cases(t, e)
	type row struct {
		ID, Note                string
		A, B                    stdjson.RawMessage
		Equal                   bool
		EqualIgnoringAttributes bool `json:"equal_ignoring_attributes"`
		EqualLayout             bool `json:"equal_layout"`
	}
	for _, r := range golden.Table[row](t, e, "model_equal") {
		valueOf := func(raw stdjson.RawMessage) model.Value {
			var name string
			if stdjson.Unmarshal(raw, &name) == nil {
				raw = all[name].Model
			}
			return parse(t, raw)
		}
		a, b := valueOf(r.A), valueOf(r.B)
		for _, pair := range [][2]model.Value{{a, b}, {b, a}} {
			if got := model.EqualStructure(pair[0], pair[1]); got != r.Equal {
				t.Errorf("%s (%s): equal %v", r.ID, r.Note, got)
			}
			if got := model.EqualIgnoringAttributes(pair[0], pair[1]); got != r.EqualIgnoringAttributes {
				t.Errorf("%s (%s): equal but for attributes %v", r.ID, r.Note, got)
			}
			if got := model.EqualLayout(pair[0], pair[1]); got != r.EqualLayout {
				t.Errorf("%s (%s): equal layout %v", r.ID, r.Note, got)
			}
		}
	}
}

// These are the ZEP's examples. The v2 ones have filters that Zarr v2 allows, the v3 ones data
// types and codecs of Zarr v3.
const (
	exampleV2 = `{"zarr_format":2,"attributes":{"foo":42,"bar":false},"members":{"foo":{"zarr_format":2,"shape":[1000,1000],"chunks":[100,100],"dtype":"|u1","compressor":null,"fill_value":0,"order":"C","dimension_separator":"/","filters":null,"attributes":{"baz":true}}}}`
	exampleV3 = `{"zarr_format":3,"node_type":"group","attributes":{"foo":42,"bar":false},"members":{"array":{"zarr_format":3,"node_type":"array","attributes":{"baz":[1,2,3]},"shape":[1000,1000],"data_type":"uint8","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[1000,100]}},"chunk_key_encoding":{"name":"default","configuration":{"separator":"/"}},"fill_value":0,"codecs":[{"name":"bytes"},{"name":"gzip","configuration":{"level":1}}],"storage_transformers":[],"dimension_names":["rows","columns"]}}}`
)

// storeOf returns a store with a flat model's documents, with or without consolidated metadata.
func storeOf(t testing.TB, flat model.Value, consolidated bool) *memstore.Store {
	t.Helper()
	objects := map[string][]byte{}
	metadata := map[string]stdjson.RawMessage{}
	for _, m := range flat.Members() {
		var attributes []byte
		node := []string{}
		for _, own := range m.Value.Members() {
			if own.Name == "attributes" {
				attributes = own.Value.Raw()
			} else {
				node = append(node, strconv.Quote(own.Name)+":"+string(own.Value.Raw()))
			}
		}
		if n, _ := m.Value.Get("zarr_format").Int64(); n == 3 {
			objects[path.Join(m.Name, "zarr.json")] = m.Value.Raw()
			if m.Name != "" {
				metadata[m.Name] = m.Value.Raw()
			}
			continue
		}
		name := ".zgroup"
		if m.Value.Get("shape").Exists() {
			name = ".zarray"
		}
		objects[path.Join(m.Name, name)] = []byte("{" + strings.Join(node, ",") + "}")
		objects[path.Join(m.Name, ".zattrs")] = attributes
		metadata[path.Join(m.Name, name)] = objects[path.Join(m.Name, name)]
		metadata[path.Join(m.Name, ".zattrs")] = attributes
	}
	if consolidated {
		all := must.Get(stdjson.Marshal(metadata))(t)
		if root, ok := objects["zarr.json"]; ok {
			inline := `,"consolidated_metadata":{"kind":"inline","must_understand":false,"metadata":` + string(all) + "}}"
			objects["zarr.json"] = append(bytes.Clone(root[:len(root)-1]), inline...)
		} else {
			objects[".zmetadata"] = []byte(`{"zarr_consolidated_format":1,"metadata":` + string(all) + "}")
		}
	}
	return memstore.New(objects)
}

func readModel(t testing.TB, s *memstore.Store, opt model.Options) (model.Value, error) {
	t.Helper()
	h := zarr.New(s, codecs.Full(), zarr.Options{})
	t.Cleanup(h.Close)
	return model.ToModel(context.Background(), must.Get(h.OpenGroup(context.Background(), ""))(t), opt)
}

func TestExamplesOfTheZEP(t *testing.T) {
	for _, text := range []string{exampleV2, exampleV3} {
		want := parse(t, []byte(text))
		flat := must.Get(model.Flatten(want))(t)
		back := must.Get(model.Unflatten(flat))(t)
		same(t, back.Raw(), want.Raw(), "back")
		for _, consolidated := range []bool{false, true} {
			got := must.Get(readModel(t, storeOf(t, flat, consolidated), model.Options{}))(t)
			same(t, got.Raw(), want.Raw(), "read")
			if !model.EqualStructure(got, want) {
				t.Error("it is not equal")
			}
		}
	}
}

var nodeNames = []string{"a", "b", "members", "_members", "x y", "é", "𝒳", "ｚz", "__proto__", "0", "10", "2", "shape"}

// hierarchy returns the text of a random model.
func hierarchy(r *rand.Rand, format, depth int) string {
	attributes := "{}"
	if r.IntN(3) > 0 {
		attributes = `{"units":"m","nested":{"list":[1,null,"x"]},` + strconv.Quote(nodeNames[r.IntN(4)]) + ":" + strconv.Itoa(r.IntN(100)) + "}"
	}
	if depth > 0 && (depth > 4 || r.IntN(2) == 0) {
		lengths := make([]string, r.IntN(3))
		for i := range lengths {
			lengths[i] = strconv.Itoa(1 + r.IntN(9))
		}
		shape := "[" + strings.Join(lengths, ",") + "]"
		if format == 3 {
			return `{"zarr_format":3,"node_type":"array","shape":` + shape + `,"data_type":"uint8","chunk_grid":{"name":"regular","configuration":{"chunk_shape":` + shape +
				`}},"chunk_key_encoding":{"name":"default","configuration":{"separator":"/"}},"fill_value":0,"codecs":[{"name":"bytes"}],"attributes":` + attributes + "}"
		}
		return `{"zarr_format":2,"shape":` + shape + `,"chunks":` + shape + `,"dtype":"|u1","compressor":null,"fill_value":0,"order":"` + "CF"[r.IntN(2):][:1] +
			`","filters":null,"attributes":` + attributes + "}"
	}
	var members []string
	names := slices.Clone(nodeNames)
	slices.Sort(names)
	for _, name := range names {
		if r.IntN(3) == 0 {
			members = append(members, strconv.Quote(name)+":"+hierarchy(r, format, depth+1))
		}
	}
	head := `{"zarr_format":2`
	if format == 3 {
		head = `{"zarr_format":3,"node_type":"group"`
	}
	return head + `,"attributes":` + attributes + `,"members":{` + strings.Join(members, ",") + "}}"
}

func TestRandomHierarchies(t *testing.T) {
	nodes := 0
	for i := range rounds.Each(60) {
		r := rand.New(rand.NewPCG(6, uint64(i)))
		text := hierarchy(r, 2+i%2, 0)
		want := parse(t, []byte(text))
		flat := must.Get(model.Flatten(want))(t)
		nodes += flat.Len()
		back := must.Get(model.Unflatten(flat))(t)
		if string(back.Raw()) != text {
			at := 0
			for got := string(back.Raw()); at < len(text) && at < len(got) && got[at] == text[at]; at++ {
			}
			t.Fatalf("from %d on: %.200s\nis not %.200s", at, back.Raw()[max(at-100, 0):], text[max(at-100, 0):])
		}
		var texts []string
		for _, consolidated := range []bool{false, true} {
			got := must.Get(readModel(t, storeOf(t, flat, consolidated), model.Options{}))(t)
			same(t, got.Raw(), want.Raw(), "read")
			if !model.EqualStructure(got, want) || !model.EqualLayout(got, want) {
				t.Error("it is not equal")
			}
			texts = append(texts, string(got.Raw()))
		}
		if texts[0] != texts[1] {
			t.Errorf("%s\nand, consolidated, %s", texts[0], texts[1])
		}
	}
	if nodes < rounds.Of(300) {
		t.Errorf("only %d nodes", nodes)
	}
}

func TestHostileDocuments(t *testing.T) {
	read := func(objects map[string]string, opt model.Options) (string, error) {
		all := map[string][]byte{}
		for name, text := range objects {
			all[name] = []byte(text)
		}
		v, err := readModel(t, memstore.New(all), opt)
		return string(v.Raw()), err
	}
	const array = `{"zarr_format":2,"shape":[1],"chunks":[1],"dtype":"|u1","compressor":null,"fill_value":0,"order":"C","filters":null}`
	got, err := read(map[string]string{"zarr.json": `{"zarr_format":3,"node_type":"group","attributes":{"big":12345678901234567890,"nan":NaN},` +
		`"members":{"must_understand":false},"_members":{"must_understand":false},"__members":{"must_understand":false}}`}, model.Options{})
	if want := `{"zarr_format":3,"node_type":"group","___members":{"must_understand":false},"_members":{"must_understand":false},"__members":{"must_understand":false},` +
		`"attributes":{"big":12345678901234567890,"nan":NaN},"members":{}}`; err != nil || got != want {
		t.Errorf("%s, %v", got, err)
	}
	// Consolidated metadata that name a node, but not the groups above it.
	got, err = read(map[string]string{".zgroup": `{"zarr_format":2}`, ".zmetadata": `{"zarr_consolidated_format":1,"metadata":{".zgroup":{"zarr_format":2},"a/b/.zarray":` + array + `}}`}, model.Options{})
	if want := `{"zarr_format":2,"attributes":{},"members":{"a":{"zarr_format":2,"attributes":{},"members":{"b":` + array[:len(array)-1] + `,"attributes":{}}}}}}`; err != nil || got != want {
		t.Errorf("%s, %v", got, err)
	}
	// A folder of something else is not a node.
	got, err = read(map[string]string{".zgroup": `{"zarr_format":2}`, "notes/readme.txt": "x"}, model.Options{})
	if err != nil || got != `{"zarr_format":2,"attributes":{},"members":{}}` {
		t.Errorf("%s, %v", got, err)
	}
	var invalid *zarr.InvalidMetadataError
	if _, err = read(map[string]string{".zgroup": `{"zarr_format":2}`, "a/.zarray": `{"zarr_format":2,"shape":"x"}`}, model.Options{}); !errors.As(err, &invalid) {
		t.Error(err)
	}
	var limit *zarr.LimitError
	deep := map[string]string{".zgroup": `{"zarr_format":2}`, "a/.zgroup": `{"zarr_format":2}`, "a/b/.zgroup": `{"zarr_format":2}`}
	if _, err = read(deep, model.Options{MaxDepth: 1}); !errors.As(err, &limit) {
		t.Error(err)
	}
	if _, err = read(deep, model.Options{MaxDepth: 2}); err != nil {
		t.Error(err)
	}
}

func TestHostileModels(t *testing.T) {
	const array = `{"zarr_format":2,"shape":[1],"attributes":{}}`
	var invalid *zarr.InvalidMetadataError
	for _, text := range []string{
		`{"a":A,"a/b":A}`, `{"a/b":A,"a":A}`, `{"a//b":A}`, `{"..":A}`, `{"a/.":A}`, `{"a":A,"/a":A}`, `{"a":1}`, `{"":A,"a":A}`, `1`, `null`,
		`{"a":{"zarr_format":2,"attributes":{},"members":{"b":A}}}`,
	} {
		if v, err := model.Unflatten(parse(t, []byte(strings.ReplaceAll(text, "A", array)))); !errors.As(err, &invalid) {
			t.Errorf("%s: %s, %v", text, v.Raw(), err)
		}
	}
	for _, members := range []string{`1`, `[]`, `{"":A}`, `{"a/b":A}`, `{".":A}`, `{"a":1}`, `{"a":null}`} {
		text := `{"zarr_format":2,"attributes":{},"members":` + strings.ReplaceAll(members, "A", array) + "}"
		if v, err := model.Flatten(parse(t, []byte(text))); !errors.As(err, &invalid) {
			t.Errorf("%s: %s, %v", text, v.Raw(), err)
		}
	}
	if v, err := model.Flatten(parse(t, []byte(`{"shape":[0],"members":{"a":`+array+`}}`))); !errors.As(err, &invalid) {
		t.Errorf("an array with members: %s, %v", v.Raw(), err)
	}
	if v, err := model.Unflatten(parse(t, []byte(`{}`))); err != nil || string(v.Raw()) != `{"zarr_format":3,"node_type":"group","attributes":{},"members":{}}` {
		t.Errorf("%s, %v", v.Raw(), err)
	}
	var limit *zarr.LimitError
	if _, err := model.Unflatten(parse(t, []byte(`{"`+strings.Repeat("a/", 5000)+`a":`+array+`}`))); !errors.As(err, &limit) {
		t.Error(err)
	}
	// No value, as one that was not found, is not a model and equals only itself.
	if _, err := model.Flatten(model.Value{}); !errors.As(err, &invalid) {
		t.Error(err)
	}
	if model.EqualLayout(model.Value{}, parse(t, []byte(exampleV2))) {
		t.Error("nothing is a model")
	}
}

func ExampleToModel() {
	h := zarr.New(memstore.New(map[string][]byte{
		".zgroup": []byte(`{"zarr_format": 2}`),
		".zattrs": []byte(`{"title": "mine"}`),
	}), codecs.Default(), zarr.Options{})
	defer h.Close()
	group, err := h.OpenGroup(context.Background(), "")
	if err != nil {
		panic(err)
	}
	hierarchy, err := model.ToModel(context.Background(), group, model.Options{})
	if err != nil {
		panic(err)
	}
	fmt.Println(string(hierarchy.Raw()))
	// Output: {"zarr_format":2,"attributes":{"title": "mine"},"members":{}}
}
