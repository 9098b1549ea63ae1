package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/fixtures"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
)

func TestPageIsCurrent(t *testing.T) {
	root := must.Get(fixtures.Root())(t)
	var want bytes.Buffer
	must.Do(t, page(t.Context(), &want))
	got := must.Get(os.ReadFile(filepath.Join(root, "docs", "reports", "http.md")))(t)
	if !bytes.Equal(got, want.Bytes()) {
		t.Errorf("docs/reports/http.md is not current: go run ./tests/tools/faults >docs/reports/http.md")
	}
}
