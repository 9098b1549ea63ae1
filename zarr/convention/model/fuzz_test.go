package model_test

import (
	stdjson "encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/convention/model"
)

// FuzzPatterns matches texts by any pattern: it is refused by name or matches within its steps, and as package regexp does where both
// read the same language.
func FuzzPatterns(f *testing.F) {
	for _, seed := range []string{
		`^(a|b)*$`, `(?:ab){2,3}?`, `a{100}`, `(a?){50}a{50}`, `[a-c^]`, `[^]`, `[]`, `[\d\w\s\D\W\S.-]`, `\b\B`, `(?<name>x)`, `(?=x)`, `\1`, `\p{L}`, `\u{1f600}`,
		`\ud83d\ude00`, `\u0041`, `\x41`, `\cJ`, `\0`, `\t\n\v\f\r`, `\/\^\$\.\*`, `.`, `𝒳+`, `[𝒳-𝒵]`, `a**`, `{`, `x{2,1}`, `(`, `)`, `[b-a]`, `[\b]`, `\ud83d`,
	} {
		f.Add(seed, "ab")
		f.Add(seed, "x𝒳A\n.1_ é")
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		quote := func(s string) model.Value {
			v, err := model.Parse([]byte(quoted(s)))
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		schema, err := model.Parse([]byte(`{"pattern":` + quoted(pattern) + `}`))
		if err != nil {
			t.Fatal(err)
		}
		problems, err := model.Validate(quote(text), schema, model.ValidateOptions{MaxSteps: 200_000})
		var wrong *model.SchemaError
		var limit *zarr.LimitError
		if err != nil {
			if !errors.As(err, &wrong) && !errors.As(err, &limit) {
				t.Errorf("%q: %v", pattern, err)
			}
			return
		}
		// Letters that mean the same in both languages.
		if strings.Trim(pattern, `ab()|*+?^$.[]-{}019,`) != "" || strings.Trim(text, "ab019") != "" || strings.Contains(pattern, "[") ||
			regexp.MustCompile(`[{,]0\d`).MatchString(pattern) {
			return
		}
		if theirs, err := regexp.Compile(pattern); err == nil && theirs.MatchString(text) != (len(problems) == 0) {
			t.Errorf("%q of %q: %v", pattern, text, problems)
		}
	})
}

// quoted is a text in JSON.
func quoted(s string) string {
	b, _ := stdjson.Marshal(s)
	return string(b)
}
