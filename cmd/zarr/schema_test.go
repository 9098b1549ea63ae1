package main

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/conventions/golden"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr/convention/model"
)

// written writes a new file and returns its name.
func written(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "schema.json")
	must.Do(t, os.WriteFile(file, []byte(text), 0o644))
	return file
}

// The expectations say which models are valid by which schema. The schemas of package model agree
// with the fixtures'.
func TestSchemaIsAppliedAsTheExpectationsSay(t *testing.T) {
	e := golden.Load(t)
	own := map[string]string{}
	for format, name := range map[int]string{2: "model/schema_v2.json", 3: "model/schema_v3.json"} {
		own[name] = written(t, string(model.Schema(format).Raw()))
	}
	for _, row := range golden.Table[struct {
		ID, Note, Schema string
		ModelOf          string `json:"model_of"`
		Model            json.RawMessage
		Valid            bool
	}](t, e, "model_valid") {
		files := []string{filepath.Join(e.Dir, filepath.FromSlash(row.Schema))}
		if file, ok := own[row.Schema]; ok {
			files = append(files, file)
		}
		for _, file := range files {
			if row.ModelOf != "" {
				r := zarrs(t, "validate", "--schema", file, filepath.Join(e.Dir, "model", row.ModelOf+".zarr"))
				if want := map[bool]int{true: done, false: wrong}[row.Valid]; r.status != want {
					t.Errorf("%s (%s): status %d, %s%s", row.ID, row.Note, r.status, r.out, r.errs)
				}
				continue
			}
			s := must.Get(compileSchema(file))(t)
			m := must.Get(model.Parse(row.Model))(t)
			if err := s.Validate(plain(m)); (err == nil) != row.Valid {
				t.Errorf("%s (%s): %v", row.ID, row.Note, err)
			}
		}
	}
}

// In a hierarchy of random groups, one group lacks an attribute that the schema requires: that
// group is the finding.
func TestSchemaFindingNamesTheNode(t *testing.T) {
	const group = `{"zarr_format":3,"node_type":"group","attributes":`
	schema := written(t, `{"$ref":"#/$defs/node","$defs":{"node":{"properties":{
		"attributes":{"required":["title"]},"members":{"additionalProperties":{"$ref":"#/$defs/node"}}}}}}`)
	r := rand.New(rand.NewPCG(27, 0))
	names := []string{"a", "members", "attributes", "x y", "é", "0"}
	for range 20 {
		dir := t.TempDir()
		paths := []string{""}
		for range r.IntN(12) {
			path := strings.TrimPrefix(paths[r.IntN(len(paths))]+"/"+names[r.IntN(len(names))], "/")
			must.Do(t, os.MkdirAll(filepath.Join(dir, path), 0o755))
			paths = append(paths, path)
		}
		bad := paths[r.IntN(len(paths))]
		for _, path := range paths {
			attributes := `{"title":"x","no JSON":NaN,"large":123456789012345678901}}`
			if path == bad {
				attributes = `{}}`
			}
			must.Do(t, os.WriteFile(filepath.Join(dir, path, "zarr.json"), []byte(group+attributes), 0o644))
		}
		run := zarrs(t, "validate", "--schema", schema, dir)
		if want := "/" + bad + ": error: attributes: missing property 'title'\n"; run.status != wrong || !strings.HasPrefix(run.out, want) || !strings.Contains(run.out, " 1 errors") {
			t.Fatalf("%q: status %d, %s%s", want, run.status, run.out, run.errs)
		}
	}
}

func TestSchemaFindings(t *testing.T) {
	dir := t.TempDir()
	attributes := `{"nan":NaN,"low":-Infinity,"big":123456789012345678901,"half":0.5,"list":[1,"x"],"none":null}`
	must.Do(t, os.WriteFile(filepath.Join(dir, "zarr.json"), []byte(`{"zarr_format":3,"node_type":"group","attributes":`+attributes+"}"), 0o644))
	for _, c := range []struct{ of, out string }{
		{`{"properties":{"nan":{"const":"NaN"},"low":{"const":"-Infinity"},"big":{"const":123456789012345678901},"half":{"multipleOf":0.25}}}`, ""},
		{`{"properties":{"big":{"const":123456789012345678902}}}`, "attributes/big: value must be 123456789012345678902"},
		{`{"properties":{"list":{"items":{"type":"integer"}}}}`, "attributes/list/1: got string, want integer"},
		{`{"properties":{"list":true,"none":true},"additionalProperties":false}`, "attributes: additional properties 'big', 'half', 'low', 'nan' not allowed"},
		// The branch with the fewest errors is named.
		{`{"anyOf":[{"required":["a"],"properties":{"half":{"type":"string"}}},{"required":["b"]}]}`, "attributes: missing property 'b'"},
	} {
		r := zarrs(t, "validate", "--schema", written(t, `{"properties":{"attributes":`+c.of+"}}"), dir)
		want, status := "1 nodes, 0 errors, 0 warnings\n", done
		if c.out != "" {
			want, status = "/: error: "+c.out+"\n1 nodes, 1 errors, 0 warnings\n", wrong
		}
		if r.out != want || r.status != status {
			t.Errorf("%s: status %d, %s%s", c.of, r.status, r.out, r.errs)
		}
	}
	for schema, errs := range map[string]string{
		`{"type":"text"}`: "not valid against metaschema", `{"pattern":"(?=x)"}`: "pattern", `{"$ref":"#/$defs/none"}`: "none", `{`: "EOF",
		`{"$ref":"https://example.org/schema.json"}`: "example.org",
	} {
		if r := zarrs(t, "validate", "--schema", written(t, schema), dir); r.status != misused || !strings.Contains(r.errs, errs) || r.out != "" {
			t.Errorf("%s: status %d, %s%s", schema, r.status, r.out, r.errs)
		}
	}
	// An unreadable member is a finding, and the schema is not applied to the rest.
	must.Do(t, os.MkdirAll(filepath.Join(dir, "bad"), 0o755))
	must.Do(t, os.WriteFile(filepath.Join(dir, "bad", "zarr.json"), []byte(`{"zarr_format":3,"node_type":"array"}`), 0o644))
	if r := zarrs(t, "validate", "--schema", written(t, "{}"), dir); r.status != wrong || !strings.Contains(r.out, "/bad: error: ") || !strings.Contains(r.out, "/: error: the schema was not applied: ") {
		t.Errorf("status %d, %s%s", r.status, r.out, r.errs)
	}
}
