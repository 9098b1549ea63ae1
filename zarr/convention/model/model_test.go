package model_test

import (
	"bytes"
	"context"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/tests/conventions/golden"
	"github.com/zarr-wasm/zarr-wasm/tests/spent"
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

// plain is JSON as encoding/json has it: what is compared is compared without anything of the package.
func plain(t testing.TB, text []byte) string {
	t.Helper()
	var v any
	golden.Decode(t, text, &v)
	b, err := stdjson.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
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
			group, err := e.Hierarchy(t, c.Store).OpenGroup(t.Context(), "")
			if err != nil {
				t.Fatal(err)
			}
			got, err := model.ToModel(t.Context(), group, model.Options{})
			if err != nil {
				t.Fatal(err)
			}
			same(t, got.Raw(), want.Model, "the model")
			flat, err := model.Flatten(got)
			if err != nil {
				t.Fatal(err)
			}
			same(t, flat.Raw(), want.Flat, "its flattening")
			back, err := model.Unflatten(parse(t, want.Flat))
			if err != nil {
				t.Fatal(err)
			}
			same(t, back.Raw(), want.Model, "what is put together of that")
			problems, err := model.Validate(got, model.Value{}, model.ValidateOptions{})
			if err != nil || len(problems) > 0 {
				t.Error(problems, err)
			}
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

func valid(t testing.TB, m, schema model.Value) bool {
	t.Helper()
	problems, err := model.Validate(m, schema, model.ValidateOptions{})
	if err != nil {
		t.Fatalf("%v of %.300s by %.300s", err, m.Raw(), schema.Raw())
	}
	return len(problems) == 0
}

func TestExpectedValidity(t *testing.T) {
	e := golden.Load(t)
	all := cases(t, e)
	type row struct {
		ID, Note, Schema string
		ModelOf          string `json:"model_of"`
		Model            stdjson.RawMessage
		Valid            bool
	}
	for _, r := range golden.Table[row](t, e, "model_valid") {
		if r.ModelOf != "" {
			r.Model = all[r.ModelOf].Model
		}
		m := parse(t, r.Model)
		if got := valid(t, m, parse(t, e.Read(t, r.Schema))); got != r.Valid {
			t.Errorf("%s (%s): %v", r.ID, r.Note, got)
		}
		if own := map[string]int{"model/schema_v2.json": 2, "model/schema_v3.json": 3}[r.Schema]; own != 0 {
			if got := valid(t, m, model.Schema(own)); got != r.Valid {
				t.Errorf("%s (%s): %v by the schema of the package", r.ID, r.Note, got)
			}
		}
	}
}

// The ZEP's examples; in v2's, filters are what Zarr v2 allows, in v3's the data type and codecs are such that Zarr v3 has.
const (
	exampleV2 = `{"zarr_format":2,"attributes":{"foo":42,"bar":false},"members":{"foo":{"zarr_format":2,"shape":[1000,1000],"chunks":[100,100],"dtype":"|u1","compressor":null,"fill_value":0,"order":"C","dimension_separator":"/","filters":null,"attributes":{"baz":true}}}}`
	exampleV3 = `{"zarr_format":3,"node_type":"group","attributes":{"foo":42,"bar":false},"members":{"array":{"zarr_format":3,"node_type":"array","attributes":{"baz":[1,2,3]},"shape":[1000,1000],"data_type":"uint8","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[1000,100]}},"chunk_key_encoding":{"name":"default","configuration":{"separator":"/"}},"fill_value":0,"codecs":[{"name":"bytes"},{"name":"gzip","configuration":{"level":1}}],"storage_transformers":[],"dimension_names":["rows","columns"]}}}`
)

// The table says of the schemas as the ZEP prints them what ours say instead.
func TestSchemaCorrections(t *testing.T) {
	if n := len(golden.Table[string](t, golden.Load(t), "model_schema_corrections")); n != 3 {
		t.Fatalf("%d corrections", n)
	}
	for _, c := range []struct {
		example, old, new, problem string
	}{
		{exampleV3, `"array":{"zarr_format":3,`, `"array":{`, "/members/array required"},
		{exampleV3, `"node_type":"array",`, ``, "/members/array required"},
		{exampleV3, `{"zarr_format":3,"node_type":"group",`, `{"node_type":"group",`, " required"},
		{exampleV3, `"node_type":"group",`, ``, " required"},
		{exampleV3, `"rows"`, `null`, ""},
		{exampleV3, `["rows","columns"]`, `null`, ""},
		{exampleV3, `"uint8"`, `{"name":"r8"}`, ""},
		{exampleV3, `{"name":"bytes"}`, `"bytes"`, ""},
		{exampleV3, `"attributes":{"foo"`, `"_members":1,"__members":{},"attributes":{"foo"`, ""},
		{exampleV3, `"attributes":{"foo"`, `"members_":1,"attributes":{"foo"`, " additionalProperties"},
		{exampleV2, `"compressor":null`, `"compressor":{"id":"zlib"}`, ""},
		{exampleV2, `"filters":null`, `"filters":[{"id":"delta"}]`, ""},
		{exampleV2, `"filters":null`, `"filters":{}`, "/members/foo/filters type"},
		{exampleV2, `"|u1"`, `[["a","<i4"]]`, ""},
		{exampleV2, `"fill_value":0,`, ``, "/members/foo required"},
		{exampleV2, `,"attributes":{"baz":true}`, ``, "/members/foo required"},
	} {
		text := strings.Replace(c.example, c.old, c.new, 1)
		if text == c.example {
			t.Fatalf("%s is not there", c.old)
		}
		schema := model.Schema(3)
		if c.example == exampleV2 {
			schema = model.Schema(2)
		}
		problems, err := model.Validate(parse(t, []byte(text)), schema, model.ValidateOptions{})
		got := ""
		if len(problems) > 0 {
			got = problems[0].Path + " " + problems[0].Keyword
		}
		if err != nil || got != c.problem || len(problems) > 1 {
			t.Errorf("%s for %s: %v, %v", c.new, c.old, problems, err)
		}
	}
}

// storeOf returns a store that has a flat model's documents, with consolidated metadata or without.
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
		all, err := stdjson.Marshal(metadata)
		if err != nil {
			t.Fatal(err)
		}
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
	group, err := h.OpenGroup(context.Background(), "")
	if err != nil {
		t.Fatal(err)
	}
	return model.ToModel(context.Background(), group, opt)
}

func TestExamplesOfTheZEP(t *testing.T) {
	for _, text := range []string{exampleV2, exampleV3} {
		want := parse(t, []byte(text))
		if problems, err := model.Validate(want, model.Value{}, model.ValidateOptions{}); err != nil || len(problems) > 0 {
			t.Error(problems, err)
		}
		flat, err := model.Flatten(want)
		if err != nil {
			t.Fatal(err)
		}
		back, err := model.Unflatten(flat)
		if err != nil {
			t.Fatal(err)
		}
		same(t, back.Raw(), want.Raw(), "back")
		for _, consolidated := range []bool{false, true} {
			got, err := readModel(t, storeOf(t, flat, consolidated), model.Options{})
			if err != nil {
				t.Fatal(err)
			}
			same(t, got.Raw(), want.Raw(), "read")
			if !model.EqualStructure(got, want) {
				t.Error("it is not equal")
			}
		}
	}
	// As printed: no Zarr has such codecs or filters, but they are models.
	printed := strings.NewReplacer(`"uint8"`, `"|u1"`, `{"name":"bytes"},`, ``, `"gzip"`, `"GZip"`, `"storage_transformers":[]`, `"storage_transformers":null`).Replace(exampleV3)
	if !valid(t, parse(t, []byte(printed)), model.Value{}) {
		t.Error("v3's is not valid")
	}
}

// The ZEP's check of a convention.
func TestXarraySchema(t *testing.T) {
	e := golden.Load(t)
	own := string(model.Schema(2).Raw())
	from := strings.LastIndex(own, `"attributes": {`)
	to := from + strings.IndexByte(own[from:], '}') + 1
	own = own[:from] + `"attributes": {"type": "object", "required": ["_ARRAY_DIMENSIONS"], "properties": {"_ARRAY_DIMENSIONS": {"type": "array", "items": {"type": "string"}}}}` + own[to:]
	for attributes, want := range map[string]bool{`{"_ARRAY_DIMENSIONS":["a","b"]}`: true, `{"_ARRAY_DIMENSIONS":"a"}`: false, `{"foo":10}`: false} {
		m := parse(t, []byte(strings.Replace(exampleV2, `{"baz":true}`, attributes, 1)))
		if got := valid(t, m, parse(t, []byte(own))); got != want {
			t.Errorf("%s: %v", attributes, got)
		}
		if got := valid(t, m, parse(t, e.Read(t, "model/schema_xarray_v2.json"))); got != want {
			t.Errorf("%s: %v by the fixture's", attributes, got)
		}
	}
}

var nodeNames = []string{"a", "b", "members", "_members", "x y", "é", "𝒳", "ｚz", "__proto__", "0", "10", "2", "shape"}

// hierarchy returns the text of a model.
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
	r := rand.New(rand.NewPCG(6, 6))
	nodes := 0
	for i := range 60 {
		text := hierarchy(r, 2+i%2, 0)
		want := parse(t, []byte(text))
		flat, err := model.Flatten(want)
		if err != nil {
			t.Fatal(err)
		}
		nodes += flat.Len()
		back, err := model.Unflatten(flat)
		if err != nil {
			t.Fatal(err)
		}
		if string(back.Raw()) != text {
			at := 0
			for got := string(back.Raw()); at < len(text) && at < len(got) && got[at] == text[at]; at++ {
			}
			t.Fatalf("from %d on: %.200s\nis not %.200s", at, back.Raw()[max(at-100, 0):], text[max(at-100, 0):])
		}
		var texts []string
		for _, consolidated := range []bool{false, true} {
			got, err := readModel(t, storeOf(t, flat, consolidated), model.Options{})
			if err != nil {
				t.Fatal(err)
			}
			same(t, got.Raw(), want.Raw(), "read")
			if !model.EqualStructure(got, want) || !model.EqualLayout(got, want) {
				t.Error("it is not equal")
			}
			if !valid(t, got, model.Value{}) {
				t.Error("it is not valid")
			}
			texts = append(texts, string(got.Raw()))
		}
		if texts[0] != texts[1] {
			t.Errorf("%s\nand, consolidated, %s", texts[0], texts[1])
		}
	}
	if nodes < 300 {
		t.Errorf("only %d nodes", nodes)
	}
}

// Models that are spoiled at random are judged by the package's schemas as by those of the fixtures.
func TestSchemasAgree(t *testing.T) {
	e := golden.Load(t)
	theirs := map[int]model.Value{2: parse(t, e.Read(t, "model/schema_v2.json")), 3: parse(t, e.Read(t, "model/schema_v3.json"))}
	r := rand.New(rand.NewPCG(66, 6))
	values := strings.Fields(`null true 0 -1 1.5 3 "C" "group" "array" "x" [] [1] ["x"] [null] [{}] {} {"name":"x"} {"name":1} {"name":"x","configuration":[]} {"name":"x","must_understand":false}`)
	invalid := 0
	for i := range 300 {
		format := 2 + i%2
		text := hierarchy(r, format, 0)
		// A value of a member is another one, or the member has another name.
		at := regexp.MustCompile(`"([^"]*)":("[^"]*"|[0-9a-z]+|\[[^\[\]]*\]|\{\})`).FindAllStringSubmatchIndex(text, -1)
		if len(at) > 0 {
			one := at[r.IntN(len(at))]
			if r.IntN(3) == 0 {
				text = text[:one[2]] + "extra" + text[one[3]:]
			} else {
				text = text[:one[4]] + values[r.IntN(len(values))] + text[one[5]:]
			}
		}
		m := parse(t, []byte(text))
		own, other := valid(t, m, model.Schema(format)), valid(t, m, theirs[format])
		if own != other {
			t.Errorf("%v and not %v: %s", own, other, text)
		}
		if !own {
			invalid++
		}
	}
	if invalid < 60 {
		t.Errorf("only %d were spoiled", invalid)
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
	// A folder of something else is no node.
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
	// What is no model is judged, whatever it is.
	for _, text := range []string{`null`, `1`, `"x"`, `[]`, `{}`, `NaN`} {
		if valid(t, parse(t, []byte(text)), model.Value{}) {
			t.Errorf("%s is valid", text)
		}
	}
	// No value, as one that was not found, is no model and equals only itself.
	if _, err := model.Flatten(model.Value{}); !errors.As(err, &invalid) {
		t.Error(err)
	}
	if valid(t, model.Value{}, model.Value{}) || model.EqualLayout(model.Value{}, parse(t, []byte(exampleV2))) {
		t.Error("nothing is a model")
	}
}

func TestSchemaKeywords(t *testing.T) {
	for _, c := range []struct{ schema, valid, invalid string }{
		{`true`, `1 [] {}`, ``},
		{`false`, ``, `1 [] {}`},
		{`{"type":["integer","null"]}`, `1 2.0 null 12345678901234567890 1e300 1e2`, `1.5 "1" true [] {} NaN`},
		{`{"type":"number"}`, `1 1.5 -0 Infinity`, `"1" null`},
		{`{"const":{"a":[1,2]}}`, `{"a":[1.0,2]}`, `{"a":[2,1]} {"a":[1,2],"b":1}`},
		{`{"const":false}`, `false`, `0 null ""`},
		{`{"const":9007199254740993}`, `9007199254740993`, `9007199254740992 9007199254740992.0`},
		{`{"enum":[1,"x",null,[0]]}`, `1.0 "x" null [0]`, `true "1" [false] {}`},
		{`{"allOf":[{"minimum":1},{"maximum":3}]}`, `1 2 3 "x"`, `0 4`},
		{`{"anyOf":[{"type":"string"},{"minimum":3,"type":"number"}]}`, `"x" 3`, `2 null`},
		{`{"oneOf":[{"multipleOf":2},{"multipleOf":3}]}`, `2 3 4`, `6 1`},
		{`{"not":{"type":"string"}}`, `1`, `"x"`},
		{`{"if":{"type":"string"},"then":{"minLength":2},"else":{"minimum":2}}`, `"xx" 2`, `"x" 1`},
		{`{"properties":{"a":{"type":"null"}}}`, `{} {"a":null} {"b":1} 1`, `{"a":1}`},
		{`{"patternProperties":{"^x":{"type":"null"}}}`, `{"x1":null,"y":1}`, `{"x1":1}`},
		{`{"properties":{"a":true},"patternProperties":{"^x":true},"additionalProperties":{"type":"null"}}`, `{"a":1,"x1":1,"b":null}`, `{"b":1}`},
		{`{"propertyNames":{"maxLength":2}}`, `{"ab":1} {}`, `{"abc":1}`},
		{`{"required":["a","toString"]}`, `{"a":1,"toString":1} "x"`, `{"a":1} {}`},
		{`{"dependentRequired":{"a":["b"]}}`, `{} {"b":1} {"a":1,"b":1}`, `{"a":1}`},
		{`{"dependentSchemas":{"a":{"minProperties":2}}}`, `{"b":1} {"a":1,"b":1}`, `{"a":1}`},
		{`{"minProperties":1,"maxProperties":2}`, `{"a":1} {"a":1,"b":1}`, `{} {"a":1,"b":1,"c":1}`},
		{`{"items":{"type":"integer"}}`, `[] [1,2] "x"`, `[1,"x"]`},
		{`{"prefixItems":[{"const":1},true],"items":{"const":3}}`, `[] [1] [1,9,3]`, `[2] [1,9,9]`},
		{`{"minItems":1,"maxItems":2}`, `[1] [1,2]`, `[] [1,2,3]`},
		{`{"uniqueItems":true}`, `[] [1,"1",true] [{"a":1},{"a":2}]`, `[1,1.0] [{"a":1,"b":2},{"b":2,"a":1}]`},
		{`{"contains":{"const":1}}`, `[1] [2,1]`, `[] [2]`},
		{`{"contains":{"const":1},"minContains":0,"maxContains":1}`, `[] [1]`, `[1,1]`},
		{`{"exclusiveMinimum":1,"exclusiveMaximum":2}`, `1.5`, `1 2 3 NaN`},
		{`{"maximum":9007199254740993}`, `9007199254740993 1e15`, `9007199254740994 1e16`},
		{`{"multipleOf":0.01}`, `0.07 19.99 4 1e300`, `0.075 NaN Infinity`},
		{`{"minLength":1,"maxLength":2}`, `"𝒳𝒳" "a"`, `"" "abc"`},
		{`{"pattern":"^_+members$"}`, `"_members" "__members" 1`, `"members" "_members_" ""`},
		{`{"$ref":"#/$defs/a~1b%25","$defs":{"a/b%":{"items":{"$ref":"#"}}},"maxItems":1}`, `[] [[[]]]`, `[1,2] [[[1,2]]]`},
		{`{"title":"x","format":"date","default":3,"x-own":{"type":"no"}}`, `"date" 1`, ``},
	} {
		schema := parse(t, []byte(c.schema))
		for values, want := range map[string]bool{c.valid: true, c.invalid: false} {
			for _, text := range strings.Fields(values) {
				if got := valid(t, parse(t, []byte(text)), schema); got != want {
					t.Errorf("%s by %s: %v", text, c.schema, got)
				}
			}
		}
	}
}

func TestSchemasThatAreRefused(t *testing.T) {
	one := parse(t, []byte("1"))
	check := func(schema string) error {
		_, err := model.Validate(one, parse(t, []byte(schema)), model.ValidateOptions{MaxSteps: 200_000})
		return err
	}
	for want, schemas := range map[bool][]string{
		true: {
			`{"unevaluatedProperties":false}`, `{"$dynamicRef":"#x"}`, `{"$ref":"https://example.org/schema"}`, `{"$ref":"#anchor"}`,
			`{"$schema":"http://json-schema.org/draft-07/schema#"}`, `{"properties":{"a":{"anyOf":[{"dependencies":{}}]}}}`,
			`{"$defs":{"unused":{"minimun":1}}}`, `{"$defs":{"a":{"$id":"x"}}}`, `{"pattern":"(?=x)"}`, `{"pattern":"(a)\\1"}`,
			`{"pattern":"\\p{L}"}`, `{"patternProperties":{"(?<!x)":true}}`,
		},
		false: {
			`{"type":"text"}`, `{"type":[]}`, `{"enum":1}`, `{"properties":[]}`, `{"properties":{"a":1}}`, `{"items":[{}]}`, `{"allOf":[]}`, `{"anyOf":{}}`,
			`{"required":"a"}`, `{"required":[1]}`, `{"minLength":-1}`, `{"maxItems":1.5}`, `{"minimum":"1"}`, `{"multipleOf":0}`, `{"multipleOf":Infinity}`,
			`{"uniqueItems":1}`, `{"dependentRequired":{"a":"b"}}`, `{"$ref":"#/$defs/none"}`, `{"$ref":"#/%"}`, `{"$ref":"#"}`, `{"$ref":1}`, `1`, `null`,
			`{"anyOf":[{"type":"string"},{"$ref":"#/$defs/a"}],"$defs":{"a":{"allOf":[{"$ref":"#/$defs/a"}]}}}`,
			`{"pattern":"("}`, `{"pattern":")"}`, `{"pattern":"["}`, `{"pattern":"a{2,1}"}`, `{"pattern":"*"}`, `{"pattern":"a**"}`, `{"pattern":"\\"}`,
			`{"pattern":"\\y"}`, `{"pattern":"[b-a]"}`, `{"pattern":"{"}`, `{"pattern":"x{"}`, `{"pattern":"^*"}`, `{"pattern":"(?x)"}`,
			`{"pattern":"\\u{110000}"}`, `{"pattern":"\\u{}"}`, `{"pattern":"[\\w-a]"}`,
		},
	} {
		for _, schema := range schemas {
			var got *model.SchemaError
			if err := check(schema); !errors.As(err, &got) || got.Unsupported != want {
				t.Errorf("%s: %v", schema, err)
			}
		}
	}
	branches := `{"$ref":"#/$defs/d0","$defs":{`
	for i := range 60 {
		if i < 59 {
			branches += fmt.Sprintf(`"d%d":{"anyOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]},`, i, i+1, i+1)
		}
	}
	for _, schema := range []string{`{"pattern":"((a{100}){100}){100}"}`, `{"pattern":"` + strings.Repeat("(", 5000) + strings.Repeat(")", 5000) + `"}`, branches + `"d59":{"type":"null"}}}`} {
		var limit *zarr.LimitError
		if err := check(schema); !errors.As(err, &limit) {
			t.Errorf("%.100s: %v", schema, err)
		}
	}
}

func matches(t testing.TB, pattern, text string) bool {
	t.Helper()
	quoted := func(s string) string { b, _ := stdjson.Marshal(s); return string(b) }
	return valid(t, parse(t, []byte(quoted(text))), parse(t, []byte(`{"pattern":`+quoted(pattern)+"}")))
}

// Package regexp is the measure, of all that both can.
func TestPatterns(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	pieces := []string{"a", "b", "-", "é", "𝒳", `[^\n\r\x{2028}\x{2029}]`, `\d`, `\w`, "[a-c]", "[^a]", `[\d_-]`, `\b`, `\B`, "^", "$", `\.`, `\/`, `\x61`, "[𝒳-𝒵]", `\t`}
	counts := []string{"", "", "", "*", "+", "?", "*?", "+?", "??", "{2}", "{1,}", "{0,2}", "{1,2}?"}
	var expression func(depth int) string
	expression = func(depth int) string {
		out := ""
		for range 1 + r.IntN(3) {
			if depth > 0 && r.IntN(3) == 0 {
				out += []string{"(", "(?:"}[r.IntN(2)] + expression(depth-1) + "|" + expression(depth-1) + ")" + counts[r.IntN(len(counts))]
				continue
			}
			piece := pieces[r.IntN(len(pieces))]
			out += piece
			if !slices.Contains([]string{"^", "$", `\b`, `\B`}, piece) {
				out += counts[r.IntN(len(counts))]
			}
		}
		return out
	}
	letters := []rune("abc-é𝒳_7 \n./\u2028\b")
	matched := 0
	for range 3000 {
		source := expression(2)
		theirs := regexp.MustCompile(strings.ReplaceAll(source, `\/`, "/"))
		ours := strings.NewReplacer(`[^\n\r\x{2028}\x{2029}]`, ".").Replace(source)
		for range 4 {
			text := ""
			for range r.IntN(6) {
				text += string(letters[r.IntN(len(letters))])
			}
			want := theirs.MatchString(text)
			if want {
				matched++
			}
			if got := matches(t, ours, text); got != want {
				t.Fatalf("%q of %q: %v", ours, text, got)
			}
		}
	}
	if matched < 1000 || matched > 11_000 {
		t.Errorf("%d matched", matched)
	}
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{`^\s$`, "\ufeff", true}, {`^\S$`, "\u2003", false}, {`^\u{1d4b3}$`, "𝒳", true}, {`^\ud835\udcb3$`, "𝒳", true}, {`^\cJ\0$`, "\n\x00", true},
		{`[]`, "a", false}, {`^[^]$`, "\n", true}, {`[\b]`, "\b", true}, {`^(?<n>a)$`, "a", true}, {`^\u0041\x42$`, "AB", true}, {`^.$`, "𝒳", true}, {`^\D\W$`, "a ", true},
	} {
		if got := matches(t, c.pattern, c.text); got != c.want {
			t.Errorf("%q of %q: %v", c.pattern, c.text, got)
		}
	}
	// Expressions that take others forever.
	start := spent.Start()
	for _, source := range []string{"(a+)+$", "^(a|a)*$", "^(a*)*b", "(.*a){20}x", "^((a?){50}a{50})$x"} {
		if matches(t, source, strings.Repeat("a", 2000)+"!") {
			t.Error(source)
		}
	}
	if took := start.Took(); took > spent.Most {
		t.Error(took)
	}
}

func FuzzValidate(f *testing.F) {
	f.Add([]byte(exampleV2), []byte(`{"$ref":"#/$defs/a","$defs":{"a":{"pattern":"^(a|b)*$","not":{"$ref":"#"}}}}`))
	f.Add([]byte(exampleV3), model.Schema(3).Raw())
	f.Add([]byte(`{"a":[1,2.5,"x",null,true],"b":{"c":{}}}`), []byte(`{"type":"object","required":["a"],"minProperties":1,"maxProperties":3,"propertyNames":{"maxLength":9},`+
		`"patternProperties":{"^a$":{"type":"array","prefixItems":[{"const":1}],"items":{"enum":["x",null,true,2.5]},"contains":{"multipleOf":0.5},"minContains":1,"uniqueItems":true}},`+
		`"additionalProperties":{"oneOf":[{"$ref":"#/$defs/x~1y"},{"minLength":3}]},"dependentRequired":{"a":["b"]},"if":{"minimum":3},"then":false,"else":{"exclusiveMaximum":1e300},"$defs":{"x/y":{}}}`))
	f.Fuzz(func(t *testing.T, m, schema []byte) {
		v, err := model.Parse(m)
		if err != nil {
			return
		}
		if flat, err := model.Flatten(v); err == nil {
			if _, err := model.Unflatten(flat); err != nil {
				t.Errorf("%v of %s", err, flat.Raw())
			}
		}
		model.EqualIgnoringAttributes(v, v)
		model.EqualLayout(v, v)
		s, err := model.Parse(schema)
		if err != nil {
			return
		}
		_, err = model.Validate(v, s, model.ValidateOptions{MaxSteps: 100_000})
		var wrong *model.SchemaError
		var limit *zarr.LimitError
		if err != nil && !errors.As(err, &wrong) && !errors.As(err, &limit) {
			t.Error(err)
		}
	})
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
	problems, err := model.Validate(hierarchy, model.Schema(2), model.ValidateOptions{})
	fmt.Println(string(hierarchy.Raw()), problems, err)
	// Output: {"zarr_format":2,"attributes":{"title": "mine"},"members":{}} [] <nil>
}
