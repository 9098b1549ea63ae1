package refstore

import (
	stdjson "encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
)

// TestKeysWithoutTheLanguage generates keys from pieces in random order. The language must generate
// the same keys.
func TestKeysWithoutTheLanguage(t *testing.T) {
	parts := []string{
		"a/", ".", "}}", "{", " ", "{{i}}", "{{ j }}", "{{\tlist\n}}", "{{i}}{{j}}", "{{k}}", "{{i+1}}", "{{'i'}}", "{{i j}}", "{{}}", "{{i",
		"{% if %}", "{{3}}", "{{u}}", "{{long}}", "{{-i}}",
	}
	long := strings.Repeat("x", maxText-4)
	split := 0
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 1))
		key := ""
		for range r.IntN(5) + 1 {
			key += parts[r.IntN(len(parts))]
		}
		quoted := must.Get(stdjson.Marshal(key))(t)
		g := must.Get(newGenerator(parsed(t, `{"key":`+string(quoted)+`,"url":"x","dimensions":{"i":{"start":-1,"stop":13,"step":7},
			"list":["x",3,2.50],"j":{"start":10,"stop":6,"step":-1},"3":{"stop":1},"":{"stop":1},"long":["`+long+`"]}}`), 1000))(t)
		if g.count != 2*3*4 {
			t.Fatal(g.count, "references")
		}
		if g.pieces == nil {
			continue
		}
		split++
		d := &document{templates: map[string]string{"u": "U"}}
		for i := range g.count {
			env := map[string]value{}
			want, wrong := expression{templates: d.templates, env: g.at(i, env)}.append(nil, key)
			got, err := d.appendKey(nil, g, i, nil)
			if string(got) != string(want) && wrong == nil || (err == nil) != (wrong == nil) {
				t.Fatalf("seed %d: key %q at %d: %.100q, %v; the language makes %.100q, %v", seed, key, i, got, err, want, wrong)
			}
		}
	}
	if split < 300 {
		t.Errorf("%d keys are made without the language, of 3000", split)
	}
}

func parsed(t *testing.T, text string) json.Value {
	return must.Get(json.Parse([]byte(text), json.Limits{}))(t)
}
