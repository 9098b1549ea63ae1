package conformance

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

// manifest holds the fields of the fixtures' manifest.json that tests use; its "conventions"
// explain them.
type manifest struct {
	Counts struct{ Cases, Groups int }
	Cases  []testCase
	Groups []testGroup
}

type testCase struct {
	ID             string
	Class          string
	Format         int
	Store          string
	StoreKind      string `json:"store_kind"`
	Array          string
	Features       []string
	Shape          []int64
	Chunks         any // a list of lengths, or of lists of them
	Expected       *values
	Selections     []selection
	ExpectError    *expectError `json:"expect_error"`
	Optional       bool
	NullOrDefault  bool      `json:"null_or_default"`
	ItemDtype      string    `json:"item_dtype"`
	DimensionNames []*string `json:"dimension_names"`
	Attributes     any
	// The attributes where the metadata has bare NaN and Infinity.
	AttributesNonstandard any `json:"attributes_nonstandard"`
}

func (c *testCase) has(feature string) bool { return slices.Contains(c.Features, feature) }

type values struct {
	Encoding string // raw-le, json
	NBytes   *int64
	SHA256   string
	File     string
	Values   []any
}

type selection struct {
	Sel    []any
	Shape  []int64
	SHA256 string
	Values []any
}

type expectError struct {
	Kind          string
	At            string
	MaxSeconds    float64 `json:"max_seconds"`
	MaxAllocBytes uint64  `json:"max_alloc_bytes"`
}

type testGroup struct {
	ID           string
	Format       int
	Store        string
	StoreKind    string `json:"store_kind"`
	Group        string
	Attributes   any
	Members      struct{ Arrays, Groups []string }
	Consolidated []string
}

func loadManifest(t testing.TB, dir string) *manifest {
	t.Helper()
	var m manifest
	readJSON(t, filepath.Join(dir, "manifest.json"), &m)
	if len(m.Cases) == 0 || len(m.Cases) != m.Counts.Cases || len(m.Groups) != m.Counts.Groups {
		t.Fatalf("the manifest has %d cases and %d groups, and says %+v", len(m.Cases), len(m.Groups), m.Counts)
	}
	return &m
}

func readJSON(t testing.TB, file string, into any) {
	t.Helper()
	b := must.Get(os.ReadFile(file))(t)
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if err := d.Decode(into); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

// items converts a selection of the manifest to the library's.
func items(t *testing.T, sel []any) []grid.Item {
	t.Helper()
	out := make([]grid.Item, len(sel))
	for i, s := range sel {
		switch s := s.(type) {
		case nil:
			out[i] = grid.All()
		case json.Number:
			out[i] = grid.At(*integer(t, s))
		case map[string]any:
			out[i] = grid.Range(integer(t, s["start"]), integer(t, s["stop"]), integer(t, s["step"]))
		default:
			t.Fatalf("selection %v", sel)
		}
	}
	return out
}

func integer(t *testing.T, v any) *int64 {
	t.Helper()
	if v == nil {
		return nil
	}
	n, ok := v.(json.Number)
	if !ok {
		t.Fatalf("%v is not an integer", v)
	}
	i := must.Get(n.Int64())(t)
	return &i
}
