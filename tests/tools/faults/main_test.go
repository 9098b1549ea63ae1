package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/fixtures"
)

func TestPageIsCurrent(t *testing.T) {
	root, err := fixtures.Root()
	if err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	if err := page(t.Context(), &want); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(root, "docs", "reports", "http.md"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want.Bytes()) {
		t.Errorf("docs/reports/http.md is not current: go run ./tests/tools/faults >docs/reports/http.md")
	}
}
