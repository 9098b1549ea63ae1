package main

import (
	"os"
	"path/filepath"
	"testing"
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
	there, err := filepath.Glob("../*_wasm.s")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range there {
		if _, ok := all[filepath.Base(path)]; !ok {
			t.Errorf("%s is written by nobody", filepath.Base(path))
		}
	}
}
