package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/must"
)

// The largest function that a reader can hold in mind.
const (
	maxLines    = 120
	maxBranches = 30
)

// kernels are the hot loops outside of internal/kernel: a call for each symbol or element would
// cost more than the decoding.
var kernels = map[string]bool{
	"zarr/codec/lzma/decoder.go: symbols": true, // keeps its state in local variables
	"zarr/ndarray/numbers.go: LoadAll":    true, // one loop for each type
}

// isUnbounded reports whether functions of a file may be of any size: kernels and the programs that
// generate them, generated code, and tests.
func isUnbounded(path string, f *ast.File) bool {
	return strings.HasPrefix(path, "internal/kernel/") || strings.HasSuffix(path, "_test.go") || ast.IsGenerated(f)
}

// branches counts the places where a function goes one of several ways.
func branches(f ast.Node) int {
	n := 0
	ast.Inspect(f, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt, *ast.CommClause:
			n++
		case *ast.CaseClause:
			if node.List != nil { // a default is the way that is left
				n++
			}
		case *ast.BinaryExpr:
			if node.Op == token.LAND || node.Op == token.LOR {
				n++
			}
		}
		return true
	})
	return n
}

// isTable reports whether a function is a table: one switch whose cases only return, or one
// composite literal.
func isTable(f *ast.FuncDecl) bool {
	for _, s := range f.Body.List {
		switch s := s.(type) {
		case *ast.ReturnStmt:
		case *ast.SwitchStmt:
			for _, c := range s.Body.List {
				body := c.(*ast.CaseClause).Body
				if len(body) != 1 {
					return false
				}
				if _, returns := body[0].(*ast.ReturnStmt); !returns {
					return false
				}
			}
		default:
			return false
		}
	}
	return true
}

// TestFunctionsAreSmall allows functions of maxLines lines and maxBranches branches outside of
// kernels, generated code, tables and tests.
func TestFunctionsAreSmall(t *testing.T) {
	dir := root(t)
	must.Do(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "node_modules" || d.Name() == "build" || d.Name() == "dist" || d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && path != dir) {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") {
			return nil
		}
		files := token.NewFileSet()
		f, err := parser.ParseFile(files, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		path, err = filepath.Rel(dir, path)
		if path = filepath.ToSlash(path); err != nil || isUnbounded(path, f) {
			return err
		}
		for _, decl := range f.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || fn.Body == nil || isTable(fn) || kernels[path+": "+fn.Name.Name] {
				continue
			}
			lines := files.Position(fn.End()).Line - files.Position(fn.Pos()).Line + 1
			if n := branches(fn); lines > maxLines || n > maxBranches {
				t.Errorf("%s:%d: %s has %d lines and %d branches; at most %d and %d are allowed",
					path, files.Position(fn.Pos()).Line, fn.Name.Name, lines, n, maxLines, maxBranches)
			}
		}
		return nil
	}))
}
