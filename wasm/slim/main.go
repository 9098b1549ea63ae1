// This tool of the build runs programs, which wasm cannot.

//go:build !js

// Command slim removes unused parts of the package's wasm, nearly half of a visitor's download.
//
//	slim FILE.wasm
//
// It prints the remaining bytes of code of each function.
//
// It drops data that only serves the lines of stack traces (file names, line tables, inlining
// trees), preemption or package reflect. It computes functions' entries instead of searching them.
// It replaces the functions in families.go, which do nothing in the package, by stubs. It shortens
// the compiler's code for jumps, calls, returns and stack addresses, and renumbers each function's
// program counters. It stores the table of functions in columns, which a function expands at the
// start. It makes the memory grow in larger steps.
//
// It keeps functions' names, so that a panic's stack remains readable, and all data that the
// runtime uses, such as frame sizes and pointer maps. It knows the tables of the Go versions that
// README.md lists. For another version it warns and leaves the file unchanged. With CI=true in the
// environment it fails, so that no larger wasm is released unnoticed.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: slim FILE.wasm")
		os.Exit(2)
	}
	if err := run(os.Args[1], runtime.Version(), os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "slim:", err)
		os.Exit(1)
	}
}

// isKnown reports whether the tables of that version of Go are known.
func isKnown(version string) bool {
	return version == known || strings.HasPrefix(version, known+".")
}

// run slims the wasm at a path, linked by a version of Go, and prints each function's remaining
// bytes of code.
func run(path, version string, sizes, warnings io.Writer) error {
	if !isKnown(version) {
		what := "the tables of " + version + " are not known"
		if ci, err := strconv.ParseBool(os.Getenv("CI")); err == nil && ci {
			return errors.New(what + ": build with " + known + ", or follow wasm/slim/README.md")
		}
		fmt.Fprintln(warnings, "slim: "+what+"; the wasm stays about twice as large")
		return nil
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	m, t, err := shorten(b, families)
	if err != nil {
		return err
	}
	for _, f := range t.functions {
		fmt.Fprintf(sizes, "%d %s\n", len(m.bodies[f.index]), f.name)
	}
	return os.WriteFile(path, m.write(), 0o644)
}

// slim returns the module without its lines, with stubs for the families, and with shorter code.
func slim(linked []byte, families []family) ([]byte, error) {
	m, _, err := shorten(linked, families)
	if err != nil {
		return nil, err
	}
	return m.write(), nil
}

func shorten(linked []byte, families []family) (*module, *functionTable, error) {
	m, err := readModule(linked)
	if err != nil {
		return nil, nil, err
	}
	t, err := findFunctions(m.memory)
	if err != nil {
		return nil, nil, err
	}
	if err := t.stub(m, families); err != nil {
		return nil, nil, err
	}
	t.forgetFields(m)
	if err := t.direct(m); err != nil {
		return nil, nil, err
	}
	if err := t.growAhead(m); err != nil {
		return nil, nil, err
	}
	if err := t.rewrite(m); err != nil {
		return nil, nil, err
	}
	if err := t.write(); err != nil {
		return nil, nil, err
	}
	return m, t, t.pack(m)
}

var errFormat = errors.New("not a wasm program as Go's linker writes it")
