//go:build !js

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// program needs what slim must leave: stacks that grow, garbage that is collected while
// goroutines hold pointers in their frames, panics that pass deferred calls.
const program = `package main

import "runtime"

type node struct{ next *node; text string }

//go:noinline
func deep(n int, list *node) int {
	var pad [64]int
	pad[n%64] = n
	if n == 0 {
		runtime.GC()
		count := 0
		for ; list != nil; list = list.next {
			if list.text != "kept" {
				panic("lost")
			}
			count++
		}
		return count
	}
	return deep(n-1, list) + pad[(n+1)%64]
}

//go:noinline
func fails(list *node) string { return list.next.next.text }

func try(f func() string) (stack string) {
	defer func() {
		recover()
		buf := make([]byte, 4096)
		stack = string(buf[:runtime.Stack(buf, false)])
	}()
	return f()
}

func main() {
	done := make(chan int)
	for range 8 {
		go func() {
			var list *node
			for range 1000 {
				list = &node{list, string([]byte("kept"))}
				_ = make([]byte, 10000)
			}
			done <- deep(500, list)
		}()
	}
	sum := 0
	for range 8 {
		sum += <-done
	}
	println("sum", sum)
	println(try(func() string { return fails(&node{}) }))
	panic("the end")
}
`

func TestSlimProgramsRun(t *testing.T) {
	if v := runtime.Version(); !isKnown(v) {
		// slim leaves the programs of other versions as they are: there is nothing to run that differs.
		t.Skip("the tables of " + v + " are not known")
	}
	node, err := exec.LookPath("node")
	if err != nil {
		t.Fatal("node is needed: ", err)
	}
	dir := t.TempDir()
	source, path := filepath.Join(dir, "main.go"), filepath.Join(dir, "main.wasm")
	if err := os.WriteFile(source, []byte(program), 0o644); err != nil {
		t.Fatal(err)
	}
	build := exec.Command("go", "build", "-ldflags=-s -w", "-o", path, source)
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var warnings strings.Builder
	if err := run(path, runtime.Version(), &warnings); err != nil || warnings.Len() > 0 {
		t.Fatal(err, warnings.String())
	}
	after, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	start := exec.Command(node, filepath.Join(strings.TrimSpace(string(goroot)), "lib", "wasm", "wasm_exec_node.js"), path)
	start.Env = []string{"PATH=" + os.Getenv("PATH")} // the wasm's memory for variables is small
	out, err := start.CombinedOutput()
	if err == nil {
		t.Error("the program ended without its panic")
	}
	for _, want := range []string{"sum 8000", "main.fails", "panic: the end", "main.main"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %q in the output:\n%s", want, out)
		}
	}
	if strings.Contains(string(out), "main.go:") {
		t.Errorf("there are still lines:\n%s", out)
	}

	// Nothing but zeros has been written.
	m, err := readModule(before)
	if err != nil {
		t.Fatal(err)
	}
	n, err := readModule(after)
	if err != nil {
		t.Fatal(err)
	}
	zeroed := 0
	for i, b := range m.memory {
		switch {
		case i < len(n.memory) && n.memory[i] == b:
		case i >= len(n.memory) || n.memory[i] == 0:
			zeroed++
		default:
			t.Fatalf("byte %d is %d and was %d", i, n.memory[i], b)
		}
	}
	if zeroed < 50_000 {
		t.Errorf("only %d bytes were taken out", zeroed)
	}
}

func TestUnknownVersion(t *testing.T) {
	path := filepath.Join(t.TempDir(), "main.wasm")
	const module = "as it was linked"
	if err := os.WriteFile(path, []byte(module), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		ci    string
		fails bool
	}{{"", false}, {"false", false}, {"true", true}, {"1", true}} {
		t.Setenv("CI", c.ci)
		var warnings strings.Builder
		err := run(path, "go1.99.1", &warnings)
		said := warnings.String()
		if err != nil {
			said = err.Error()
		}
		if (err != nil) != c.fails || !strings.Contains(said, "go1.99.1") {
			t.Errorf("CI=%q: %v, %q", c.ci, err, &warnings)
		}
		if err != nil && !strings.Contains(said, "wasm/slim/lines.go") {
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
		if _, err := slim([]byte(b)); err == nil {
			t.Error(name, "is taken for a program")
		}
	}
}
