//go:build !js

package main

import (
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/must"
)

// TestSlimProgramsRun runs a program before and after slimming. Both must print the same and end in
// the same way.
func TestSlimProgramsRun(t *testing.T) {
	if v := runtime.Version(); !isKnown(v) {
		// slim leaves the programs of other versions unchanged.
		t.Skip("the tables of " + v + " are not known")
	}
	dir := t.TempDir()
	linked, made := filepath.Join(dir, "linked.wasm"), filepath.Join(dir, "slim.wasm")
	build(t, program, linked)
	before := must.Get(os.ReadFile(linked))(t)
	after := must.Get(slim(before, present(t, before)))(t)
	must.Do(t, os.WriteFile(made, after, 0o644))
	if len(before)-len(after) < 800_000 {
		t.Errorf("%d bytes have become %d", len(before), len(after))
	}
	for _, end := range []string{"panic", "error", "goroutine", "callback", "deadlock", "memory", "stack", "mutex", "nil", "none"} {
		t.Run(end, func(t *testing.T) {
			want, all := start(t, linked, end), start(t, made, end)
			if said(all) != said(want) {
				t.Errorf("it was\n%s\nand is\n%s", want, all)
			}
			for _, name := range []string{"sum 8000", "main.fails", "main.try"} {
				if !strings.Contains(all, name) {
					t.Errorf("no %q in the output:\n%s", name, all)
				}
			}
			if strings.Contains(all, "main.go:") {
				t.Errorf("there are still lines:\n%s", all)
			}
			if end == "nil" && !strings.Contains(said(all), "nil pointer") || end == "deadlock" && !strings.Contains(all, "all goroutines are asleep") {
				t.Error("the program has not ended as it should: ", all)
			}
		})
	}
}

// present returns the families that a program contains: a small one lacks some.
func present(t *testing.T, b []byte) []family {
	t.Helper()
	m, table := tableOf(t, b)
	var all []family
	for _, f := range families {
		if table.stub(m, []family{f}) == nil {
			all = append(all, f)
		}
	}
	if len(all) < len(families)/2 {
		t.Fatal("there are few families in the program: ", all)
	}
	return all
}

func build(t *testing.T, program, path string) {
	t.Helper()
	source := filepath.Join(t.TempDir(), "main.go")
	must.Do(t, os.WriteFile(source, []byte(program), 0o644))
	build := exec.Command("go", "build", "-ldflags=-s -w", "-o", path, source)
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// start runs a program in Node and returns its output.
func start(t *testing.T, path, arg string) string {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Fatal("node is needed: ", err)
	}
	goroot := must.Get(exec.Command("go", "env", "GOROOT").Output())(t)
	start := exec.Command(node, filepath.Join(strings.TrimSpace(string(goroot)), "lib", "wasm", "wasm_exec_node.js"), path, arg)
	start.Env = []string{"PATH=" + os.Getenv("PATH")} // the wasm has little memory for variables
	out, err := start.CombinedOutput()
	if (err != nil) == (arg == "none") {
		t.Error("the program has ended with ", err)
	}
	return string(out)
}

// said returns a program's output without stacks, whose lines slim removes.
func said(out string) string {
	before, after, _ := strings.Cut(out, "\ngoroutine ")
	for line := range strings.Lines(after) {
		for _, begin := range []string{"panic: ", "fatal error: ", "runtime: "} {
			if strings.HasPrefix(line, begin) {
				before += line
			}
		}
	}
	return before
}

// TestTheTableSaysTheSame compares the runtime's view of the table of functions before and after.
// Nothing else in memory changes.
func TestTheTableSaysTheSame(t *testing.T) {
	path := filepath.Join(t.TempDir(), "main.wasm")
	build(t, "package main\nfunc main() { panic(1) }", path)
	before := must.Get(os.ReadFile(path))(t)
	m, old := tableOf(t, before)
	n, _ := written(t, before)
	n, now := tableOf(t, n.write())
	if len(old.functions) != len(now.functions) {
		t.Fatalf("%d functions were %d", len(now.functions), len(old.functions))
	}
	reached := must.Get(old.reached(m))(t)
	used := func(f *function) function {
		g := *f
		for _, off := range []int{offName, offFrame, offFile, offLine, offTables, offUnit, offStartLine} {
			clear(g.fixed[off : off+4])
		}
		g.fixed[offMaps] = 0
		binary.LittleEndian.PutUint32(g.fixed[offArgs:], argsOf(u32(g.fixed[:], offArgs)))
		return g
	}
	// The linker also keeps methods for package reflect, in the tables of types.
	types, typesEnd := word(m.memory[old.module:], moduleTypes), word(m.memory[old.module:], moduleTypesEnd)
	reflected := map[int]bool{}
	for at := types; at+4 <= typesEnd; at += 4 {
		reflected[int(u32(m.memory, at))-firstEntry] = true
	}
	for k, f := range old.functions {
		if was, is := used(f), used(now.functions[k]); reached[k] && !reflect.DeepEqual(was, is) {
			t.Errorf("%s was %+v and is %+v", f.name, was, is)
		}
		// The linker omits unused functions, except those that only name the exports.
		if !reached[k] && !reflected[k] && f.name != "_rt0_wasm_js" {
			t.Errorf("%s is taken for one that nothing calls", f.name)
		}
	}
	for _, table := range []*functionTable{old, now} {
		for _, part := range [][]byte{table.names, table.files, table.values, table.descriptions, table.maps, table.search} {
			clear(part)
		}
	}
	if !bytes.Equal(bytes.TrimRight(m.memory, "\x00"), bytes.TrimRight(n.memory, "\x00")) {
		t.Error("something else than the table of functions has changed")
	}
}

// written returns a module with the table of functions written, but not packed.
func written(t *testing.T, b []byte) (*module, *functionTable) {
	t.Helper()
	m, table := tableOf(t, b)
	must.Do(t, table.direct(m))
	must.Do(t, table.write())
	return m, table
}

func tableOf(t *testing.T, b []byte) (*module, *functionTable) {
	t.Helper()
	m := must.Get(readModule(b))(t)
	return m, must.Get(findFunctions(m.memory))(t)
}

func TestUnknownVersion(t *testing.T) {
	path := filepath.Join(t.TempDir(), "main.wasm")
	const module = "as it was linked"
	must.Do(t, os.WriteFile(path, []byte(module), 0o644))
	for _, c := range []struct {
		ci    string
		fails bool
	}{{"", false}, {"false", false}, {"true", true}, {"1", true}} {
		t.Setenv("CI", c.ci)
		var warnings strings.Builder
		err := run(path, "go1.99.1", io.Discard, &warnings)
		said := warnings.String()
		if err != nil {
			said = err.Error()
		}
		if (err != nil) != c.fails || !strings.Contains(said, "go1.99.1") {
			t.Errorf("CI=%q: %v, %q", c.ci, err, &warnings)
		}
		if err != nil && !strings.Contains(said, "wasm/slim/README.md") {
			t.Errorf("CI=%q: %v does not say what to do", c.ci, err)
		}
		if b, err := os.ReadFile(path); string(b) != module {
			t.Errorf("CI=%q: the file has become %q (%v)", c.ci, b, err)
		}
	}
}

func TestOtherFilesAreRefused(t *testing.T) {
	for name, b := range map[string]string{
		"empty":            "",
		"no wasm":          "<!doctype html>",
		"no data":          "\x00asm\x01\x00\x00\x00",
		"section too long": "\x00asm\x01\x00\x00\x00\x0b\x7f",
		"passive segment":  "\x00asm\x01\x00\x00\x00\x0b\x03\x01\x01\x00",
		"no table":         "\x00asm\x01\x00\x00\x00\x0b\x07\x01\x00\x41\x00\x0b\x01\x2a",
	} {
		if _, err := slim([]byte(b), nil); err == nil {
			t.Error(name, "is taken for a program")
		}
	}
}
