// Package golden reads conventions/expected.json of the fixtures for the tests of zarr/convention.
// The file explains itself in its member "conventions".
//
//	for _, c := range golden.Load(t).Of(t, "cf") { ... }
package golden

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store/filestore"
	"github.com/zarr-wasm/zarr-wasm/tests/fixtures"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
)

// Expected is expected.json.
type Expected struct {
	// Dir is the folder of the file and of the files that it names.
	Dir    string
	Cases  []Case
	Tables map[string]json.RawMessage
}

// Case is a case of the file.
type Case struct {
	ID, Kind, Store, Variable, Group string
	// Ask is the question, and Expect the required answer.
	Ask, Expect, Differ json.RawMessage
	AcceptDTypes        []string `json:"accept_dtypes"`
	Debatable           bool
	Note, By            string
}

// Load reads the file.
func Load(t testing.TB) *Expected {
	t.Helper()
	e := &Expected{Dir: filepath.Join(fixtures.Dir(t), "conventions")}
	Decode(t, e.Read(t, "expected.json"), e)
	if len(e.Cases) < 600 || len(e.Tables) < 10 {
		t.Fatalf("only %d cases and %d tables", len(e.Cases), len(e.Tables))
	}
	return e
}

// Of returns the cases of a kind, and fails if there are none.
func (e *Expected) Of(t testing.TB, kind string) []Case {
	t.Helper()
	var of []Case
	for _, c := range e.Cases {
		if c.Kind == kind {
			of = append(of, c)
		}
	}
	if len(of) == 0 {
		t.Fatalf("no case of kind %s", kind)
	}
	return of
}

// Table returns the rows of a table, and fails if there are none.
func Table[T any](t testing.TB, e *Expected, name string) []T {
	t.Helper()
	var rows []T
	Decode(t, e.Tables[name], &rows)
	if len(rows) == 0 {
		t.Fatalf("no table %s", name)
	}
	return rows
}

// Read returns the bytes of a file that expected.json names.
func (e *Expected) Read(t testing.TB, file string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(e.Dir, filepath.FromSlash(file)))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Hierarchy returns the hierarchy of a store that expected.json names.
func (e *Expected) Hierarchy(t testing.TB, store string) *zarr.Hierarchy {
	t.Helper()
	h := zarr.New(filestore.New(os.DirFS(filepath.Join(e.Dir, filepath.FromSlash(store)))), codecs.Full(), zarr.Options{})
	t.Cleanup(h.Close)
	return h
}

// Decode calls json.Unmarshal, and fails on an error.
func Decode(t testing.TB, from []byte, to any) {
	t.Helper()
	if err := json.Unmarshal(from, to); err != nil {
		t.Fatalf("%v in %.200s", err, from)
	}
}
