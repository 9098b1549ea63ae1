package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/fixtures"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
)

func TestGeneratedNamesAreThoseOfTheRegistry(t *testing.T) {
	root := must.Get(fixtures.Root())(t)
	for name, want := range files() {
		got, err := os.ReadFile(filepath.Join(root, name))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what the registry of codecs makes of it: run go generate ./zarr/codecs (%v)", name, err)
		}
	}
}
