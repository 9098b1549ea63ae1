package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/must"
)

// public lists the packages that programs outside of this module may import.
func public(t *testing.T) []pkg {
	t.Helper()
	var found []pkg
	for _, p := range list(t, nil, "./store/...", "./zarr/...") {
		if !strings.Contains(p.ImportPath+"/", "/internal/") && !strings.HasSuffix(p.ImportPath, "/storetest") {
			found = append(found, p)
		}
	}
	if len(found) < 40 {
		t.Fatalf("go list finds %d public packages only", len(found))
	}
	return found
}

// parsed returns the files of a folder whose names match the pattern.
func parsed(t *testing.T, dir, pattern string, keep func(name string) bool) []*ast.File {
	t.Helper()
	names := must.Get(filepath.Glob(filepath.Join(dir, pattern)))(t)
	var files []*ast.File
	for _, name := range names {
		if !keep(filepath.Base(name)) {
			continue
		}
		f := must.Get(parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.SkipObjectResolution))(t)
		files = append(files, f)
	}
	return files
}

func isTest(name string) bool { return strings.HasSuffix(name, "_test.go") }

// unprefixed are types whose constants are well known by their own names, with the reason.
var unprefixed = map[string]string{
	"dtype.Kind":  "int, float, string, ... are the names of the kinds everywhere; dtype.Float says it all",
	"dtype.Order": "dtype.Little and dtype.Big, as binary.LittleEndian",

	"cf.Calendar":         "the names of CF's calendars: standard, julian, noleap, ...",
	"cf.Form":             "cf.Time and cf.Text are what users compare with",
	"ome.ProblemLevel":    "MUST and SHOULD of RFC 2119, as the specification has them",
	"xarray.Method":       "nearest, pad and backfill are xarray's own words",
	"xarray.DecodeCoords": "Coords is prefix enough: xarray.CoordsAll",
}

// constants returns the exported constants of each named type of a package.
func constants(files []*ast.File) map[string][]string {
	types := map[string]bool{}
	for _, f := range files {
		for _, d := range f.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.TYPE {
				for _, s := range g.Specs {
					types[s.(*ast.TypeSpec).Name.Name] = true
				}
			}
		}
	}
	found := map[string][]string{}
	for _, f := range files {
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.CONST {
				continue
			}
			last := ""
			for _, s := range g.Specs {
				v := s.(*ast.ValueSpec)
				typed := ""
				switch {
				case v.Type != nil:
					typed = nameOf(v.Type)
				case len(v.Values) == 0: // as the one before
					typed = last
				default:
					if call, ok := v.Values[0].(*ast.CallExpr); ok {
						typed = nameOf(call.Fun)
					}
				}
				last = typed
				for _, name := range v.Names {
					if types[typed] && name.IsExported() {
						found[typed] = append(found[typed], name.Name)
					}
				}
			}
		}
	}
	return found
}

func nameOf(e ast.Expr) string {
	if id, ok := e.(*ast.Ident); ok {
		return id.Name
	}
	return ""
}

// TestConstantsHaveThePrefixOfTheirType: zarr.IfExistsRaise and not zarr.Raise, which says nothing
// where it is used.
func TestConstantsHaveThePrefixOfTheirType(t *testing.T) {
	used := map[string]bool{}
	for _, p := range public(t) {
		files := parsed(t, p.Dir, "*.go", func(name string) bool { return !isTest(name) })
		for typ, names := range constants(files) {
			full := files[0].Name.Name + "." + typ
			for _, name := range names {
				if !strings.HasPrefix(name, typ) {
					if used[full] = true; unprefixed[full] == "" {
						t.Errorf("%s: the constant %s of the type %s has not its prefix", p.ImportPath, name, typ)
					}
				}
			}
		}
	}
	for full := range unprefixed {
		if !used[full] {
			t.Errorf("%s has only constants with its prefix: take it off the list", full)
		}
	}
}

func TestConstantsAreFound(t *testing.T) {
	f := must.Get(parser.ParseFile(token.NewFileSet(), "x.go", `package x
type Kind int
type How string
const (
	A Kind = iota + 1
	B
	hidden
)
const C = How("c")
const D, E How = "d", "e"
const F = 7
const G int = 8
`, parser.SkipObjectResolution))(t)
	got := constants([]*ast.File{f})
	if !slices.Equal(got["Kind"], []string{"A", "B"}) || !slices.Equal(got["How"], []string{"C", "D", "E"}) || len(got) != 2 {
		t.Errorf("%v", got)
	}
}

// withoutExamples are packages whose use begins with a tree of another format, which an example
// cannot show in a few lines.
var withoutExamples = []string{module + "/store/n5store"}

// hasOutput reports whether a function of the file has an output comment.
func hasOutput(f *ast.File, fn *ast.FuncDecl) bool {
	return slices.ContainsFunc(f.Comments, func(c *ast.CommentGroup) bool {
		text := strings.ToLower(c.Text())
		return fn.Body.Pos() < c.Pos() && c.End() < fn.Body.End() && (strings.HasPrefix(text, "output:") || strings.HasPrefix(text, "unordered output:"))
	})
}

// TestPublicPackagesHaveRunnableExamples: an example with an output comment is compiled, run and
// shown by the documentation.
func TestPublicPackagesHaveRunnableExamples(t *testing.T) {
	for _, p := range public(t) {
		runnable := 0
		for _, f := range parsed(t, p.Dir, "*_test.go", isTest) {
			for _, d := range f.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && strings.HasPrefix(fn.Name.Name, "Example") && hasOutput(f, fn) {
					runnable++
				}
			}
		}
		// A codec's package exports its entry for package codecs, which lists them in an example.
		if leaf := strings.HasPrefix(p.ImportPath, module+"/zarr/codec/"); runnable == 0 && !leaf && !slices.Contains(withoutExamples, p.ImportPath) {
			t.Errorf("%s has no example", p.ImportPath)
		}
	}
}
