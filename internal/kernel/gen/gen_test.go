package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/must"
)

func TestGeneratedFilesAreCurrent(t *testing.T) {
	all := files()
	for name, want := range all {
		got, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			t.Error(err)
		} else if string(got) != want {
			t.Errorf("%s is not what gen writes: run go generate ./internal/kernel", name)
		}
	}
	for _, pattern := range []string{"../*_wasm.s", "../*/*_wasm.s"} {
		there := must.Get(filepath.Glob(pattern))(t)
		for _, path := range there {
			name := must.Get(filepath.Rel("..", path))(t)
			if _, ok := all[filepath.ToSlash(name)]; !ok {
				t.Errorf("%s is not written by the generator", name)
			}
		}
	}
}
