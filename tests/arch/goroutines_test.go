package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/must"
)

// unguarded lists the places that may start goroutines without package guard, with the reason.
var unguarded = map[string]string{
	"zarr/internal/reader/run.go: AfterFunc":        "wakes the waiters of a queue, and calls nothing else",
	"store/httpstore/origins.go: AfterFunc":         "lets waiters in, and calls nothing else",
	"store/httpstore/watch.go: AfterFunc":           "ends contexts, and calls nothing else",
	"wasm/internal/dispatch/progress.go: AfterFunc": "news.flush has a guard",
	"wasm/internal/changes/session.go: AfterFunc":   "ends a context, and calls nothing else",
	"wasm/internal/dispatch/session.go: go":         "the request crash, which is to end the instance",
	// Callbacks from JavaScript run on their own goroutines.
	"wasm/main.go: FuncOf":                "Session.Receive has a guard",
	"store/httpstore/fetch_js.go: FuncOf": "Exchange.settle has a guard",
}

// starts lists the places in a file that start goroutines: go statements, AfterFunc, FuncOf, and
// WaitGroup, which has a method Go.
func starts(f *ast.File) (found []string) {
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			found = append(found, "go")
		case *ast.ValueSpec:
			if t, ok := n.Type.(*ast.SelectorExpr); ok && t.Sel.Name == "WaitGroup" {
				found = append(found, "WaitGroup")
			}
		case *ast.SelectorExpr:
			if slices.Contains([]string{"AfterFunc", "FuncOf"}, n.Sel.Name) {
				found = append(found, n.Sel.Name)
			}
		case *ast.Field:
			if t, ok := n.Type.(*ast.SelectorExpr); ok && t.Sel.Name == "WaitGroup" {
				found = append(found, "WaitGroup")
			}
		}
		return true
	})
	return found
}

func TestGoroutinesAreGuarded(t *testing.T) {
	skip := []string{"internal/guard", "internal/kernel/gen", "internal/static", "store/storetest", "wasm/internal/wire/gen", "wasm/slim"}
	met := map[string]bool{}
	files := 0
	for _, top := range []string{"zarr", "store", "internal", "wasm"} {
		dir := root(t)
		must.Do(t, filepath.WalkDir(filepath.Join(dir, top), func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			rel, err := filepath.Rel(dir, path)
			if err != nil {
				return err
			}
			rel = filepath.ToSlash(rel)
			if d.IsDir() && slices.Contains(skip, rel) {
				return fs.SkipDir
			}
			if d.IsDir() || !strings.HasSuffix(rel, ".go") || strings.HasSuffix(rel, "_test.go") {
				return nil
			}
			src, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			f, err := parser.ParseFile(token.NewFileSet(), path, src, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			files++
			for _, what := range starts(f) {
				met[rel+": "+what] = true
				if unguarded[rel+": "+what] == "" {
					t.Errorf("%s has %s: start goroutines by package guard, so that a panic ends its read and not the program", rel, what)
				}
			}
			return nil
		}))
	}
	if files < 100 {
		t.Errorf("only %d files were looked at", files)
	}
	for place := range unguarded {
		if !met[place] {
			t.Errorf("%s is not there any more: take it off the list", place)
		}
	}
}

func TestStartsAreFound(t *testing.T) {
	f := must.Get(parser.ParseFile(token.NewFileSet(), "x.go", `package x
		type s struct{ wg sync.WaitGroup }
		func f(g *guard.Group) {
			var wg sync.WaitGroup
			wg.Go(f)
			go f()
			time.AfterFunc(d, f)
			js.FuncOf(f)
			guard.Go(f, nil)
			g.Go(f)
		}`, 0))(t)
	if found := starts(f); !slices.Equal(found, []string{"WaitGroup", "WaitGroup", "go", "AfterFunc", "FuncOf"}) {
		t.Error(found)
	}
}
