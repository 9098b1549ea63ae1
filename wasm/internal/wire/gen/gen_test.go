package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/must"
)

func TestTheTypesOfThePageAreThoseOfTheDeclarations(t *testing.T) {
	want := must.Get(generate(".."))(t)
	got, err := os.ReadFile(filepath.Join("..", output))
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not what gen writes: run go generate ./wasm/internal/wire (%v)", output, err)
	}
}

// sources returns the files of the packages that use messages, by their paths.
func sources(t *testing.T) map[string]*ast.File {
	t.Helper()
	found := map[string]*ast.File{}
	for _, dir := range []string{"wire", "hostside", "offload", "dispatch", "changes"} {
		names, err := filepath.Glob(filepath.Join("..", "..", dir, "*.go"))
		if err != nil || len(names) == 0 {
			t.Fatal(dir, err)
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			f := must.Get(parser.ParseFile(token.NewFileSet(), name, nil, 0))(t)
			found[name] = f
		}
	}
	return found
}

func TestGoReadsOrWritesEveryMember(t *testing.T) {
	used := map[string]bool{}
	for path, f := range sources(t) {
		inWire := filepath.Base(filepath.Dir(path)) == "wire"
		if inWire && slices.Contains(files, filepath.Base(path)) {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && x.Name == "wire" {
					used[n.Sel.Name] = true
				}
			case *ast.Ident:
				used[n.Name] = used[n.Name] || inWire
			}
			return true
		})
	}
	blocks := must.Get(parse(".."))(t)
	seen := 0
	for _, b := range blocks {
		names := []string{}
		if b.op != "" {
			names = append(names, b.name)
		}
		for _, list := range b.alternatives {
			for _, m := range list {
				if m.constant != "" && m.constant != "_" {
					names = append(names, m.constant)
				}
			}
		}
		for _, name := range names {
			seen++
			if !used[name] {
				t.Errorf("no package uses wire.%s", name)
			}
		}
	}
	if seen < 250 {
		t.Errorf("%d constants", seen)
	}
}

func TestMembersAreNamedByConstants(t *testing.T) {
	methods := []string{
		"Text", "TextIf", "Int", "Number", "Integer", "Flag", "FlagIf", "Object", "Memory", "Bytes", "Texts", "Ints",
		"List", "Any", "Get",
	}
	// The operation, the marks of values in a text, and a setting of a codec.
	data := []string{`"op"`, `"bigint"`, `"bytes"`, `"cname"`}
	for path, f := range sources(t) {
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) == 0 {
				return true
			}
			method, ok := call.Fun.(*ast.SelectorExpr)
			name, literal := call.Args[0].(*ast.BasicLit)
			if ok && literal && !slices.Contains(data, name.Value) &&
				(slices.Contains(methods, method.Sel.Name) || strings.HasPrefix(method.Sel.Name, "Add")) {
				t.Errorf("%s: %s(%s)", path, method.Sel.Name, name.Value)
			}
			return true
		})
	}
}

func TestFaultyDeclarationsAreErrors(t *testing.T) {
	for _, c := range []struct{ file, old, new, want string }{
		{"answers.go", "// WirePartial & WireNumbered: a box", "// A box", "has no head"},
		{"answers.go", `"event" // : RequestEvent`, `"event"`, "EventOf has no type"},
		{"answers.go", `"event" // : RequestEvent`, `"event" // the request`, "is not a type"},
		{"answers.go", " | WireEvent", "", "WireEvent is part of no message"},
		{"questions.go", "// WireAborted:", "// WireFetch:", "WireFetch is declared twice"},
		{"requests.go", `Op         = "get"`, `Op         = "put"`, `OpGet is "put"`},
		{"requests.go", "	OpCodecs    Op       = \"codecs\"\n", "", `"codecs" has no constant`},
	} {
		dir := filepath.Join(t.TempDir(), "a", "b", "c")
		must.Do(t, os.CopyFS(dir, os.DirFS("..")))
		limits, err := os.ReadFile(filepath.Join("..", bounds))
		if err == nil {
			err = os.MkdirAll(filepath.Dir(filepath.Join(dir, bounds)), 0o755)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, bounds), limits, 0o644)
		}
		path := filepath.Join(dir, c.file)
		text, err2 := os.ReadFile(path)
		if err != nil || err2 != nil || !strings.Contains(string(text), c.old) {
			t.Fatal(err, err2, c.old)
		}
		must.Do(t, os.WriteFile(path, []byte(strings.ReplaceAll(string(text), c.old, c.new)), 0o644))
		if _, err := generate(dir); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q instead of %q: %v, expected %q", c.new, c.old, err, c.want)
		}
	}
}
