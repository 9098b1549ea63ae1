// A tool of the build: it runs programs, which wasm cannot.

//go:build !js

// Command slim takes out of the package's wasm what cannot be of use there, nearly half of what a
// visitor would download.
//
//	slim FILE.wasm
//
// and writes to its output how many bytes of code each function has then.
//
// It drops what only tells the lines of a stack trace (names of files, tables from program counters to lines, the
// trees of inlined calls) and what only the interruption of goroutines or package reflect reads; it replaces the table by
// which functions are searched for by their numbers, and the bodies of the functions in families.go, which do nothing in the
// package, by stubs; it shortens what the compiler writes in more instructions than are needed (jumps, calls, returns, addresses
// on the stack), and numbers the program counters of each function anew; and it keeps the table of functions in columns, which a
// function writes out at the start.
//
// Names of functions stay, so that the stack of a panic can still be read, and
// so does all that the runtime works with: sizes of frames and maps of pointers.
// It knows the tables of the versions of Go that README.md lists. With CI=true in the
// environment it fails for another one, so that no larger wasm is released unseen; elsewhere it
// warns and leaves the file unchanged.
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

// run makes the wasm at a path slim, which a version of Go linked, and writes how many bytes of code each function has now.
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
	if err := t.rewrite(m); err != nil {
		return nil, nil, err
	}
	if err := t.write(); err != nil {
		return nil, nil, err
	}
	return m, t, t.pack(m)
}

var errFormat = errors.New("not a wasm program as Go's linker writes it")
