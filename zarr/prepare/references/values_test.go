package references

import "testing"

// zarr-python 2.13 reads documents as ASCII.
func TestJSONIsASCII(t *testing.T) {
	value := map[string]any{"é": []any{"level of 0 °C", "日\"", "😀", 1.5}}
	want := `{"\u00e9":["level of 0 \u00b0C","\u65e5\"","\ud83d\ude00",1.5]}`
	if got := string(AppendJSON(nil, value)); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
