// A tool of the build: it runs programs, which wasm cannot.

//go:build !js

// Command slim takes out of a wasm program of Go's what only tells the lines of
// a stack trace: names of files, tables from program counters to lines, and the
// trees of inlined calls. They are a seventh of what a visitor downloads.
//
//	slim FILE.wasm
//
// Names of functions stay, so that the stack of a panic can still be read, and
// so does all that the runtime works with: sizes of frames and maps of pointers.
// It knows the tables of one version of Go, and leaves the file of another one
// as it is.
package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
)

// known is the version of Go whose tables package slim can read.
const known = "go1.26"

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: slim FILE.wasm")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "slim:", err)
		os.Exit(1)
	}
}

func run(path string) error {
	if v := runtime.Version(); v != known && !strings.HasPrefix(v, known+".") {
		fmt.Fprintln(os.Stderr, "slim: the tables of", v, "are not known; the wasm keeps its lines")
		return nil
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	b, err = slim(b)
	if err != nil {
		return err
	}
	return os.WriteFile(path, b, 0o644)
}

// slim returns the module without its lines.
func slim(module []byte) ([]byte, error) {
	m, err := readModule(module)
	if err != nil {
		return nil, err
	}
	t, err := findLineTable(m.memory)
	if err != nil {
		return nil, err
	}
	if err := t.strip(); err != nil {
		return nil, err
	}
	return m.write(), nil
}

var errFormat = errors.New("not a wasm program as Go's linker writes it")
