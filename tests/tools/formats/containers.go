package main

import (
	"go/doc"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// container is a container of hierarchies. packages holds the names of its store package below
// store; files are others that show its presence.
type container struct {
	what     string
	packages []string
	files    []string
	others   others
	note     string
}

var containers = []container{
	{"HTTP, with byte ranges", name("httpstore"), nil, "y??y?", ""},
	{"a `Map`, or an object with `get` and `getRange`", nil, name("wasm/internal/hostside/store.go"), "y??n?", ""},
	{"memory", name("memstore"), nil, "yy?n?", ""},
	{"directories: of the machine, picked, dropped, the origin's own", name("filestore"), name("js/stores/directorystore.ts"), "yy???", "zarrita: in Node"},
	{"zip", name("zipstore"), nil, "py?y?", "zarrita: two requests a chunk"},
	{"kerchunk references, JSON", name("refstore", "referencestore", "kerchunkstore", "kerchunk"), nil, "py?ny", "zarrita: no references to whole files"},
	{"kerchunk references, Parquet", nil, name("store/refstore/parquet/parquet.go"), "n??ny", ""},
	{"icechunk", name("icechunk"), nil, "ny?yy", "zarr-python: with the package icechunk"},
	{"S3 and its listing", name("s3store", "s3"), nil, "n??y?", "by its HTTP address: as HTTP"},
	{"OCDBT", name("ocdbtstore", "ocdbt"), nil, "nnnyn", ""},
	{"N5", name("n5store", "n5"), nil, "np?y?", "zarr-python: until version 2"},
}

func containerSection(w io.Writer, root string) error {
	// The program's stores are those of package kinds.
	var linked []string
	for _, dir := range []string{"wasm", "internal/kinds"} {
		more, err := imports(filepath.Join(root, dir))
		if err != nil {
			return err
		}
		linked = append(linked, more...)
	}
	described, err := imports(filepath.Join(root, "internal", "kinds"))
	if err != nil {
		return err
	}
	linked = append(linked, described...)
	there, err := storePackages(root)
	if err != nil {
		return err
	}
	title(w, "## Containers", "*Go* means that Go programs have it, and the browser does not.")
	t := table{first: []string{"container"}}
	for _, c := range containers {
		own := "no"
		for _, p := range c.packages {
			if _, ok := there[p]; !ok {
				continue
			}
			delete(there, p)
			own = "Go"
			if slices.Contains(linked, "github.com/zarr-wasm/zarr-wasm/store/"+p) {
				own = "yes"
			}
		}
		for _, f := range c.files {
			if _, err := os.Stat(filepath.Join(root, f)); err == nil {
				own = "yes"
			}
		}
		t.rows = append(t.rows, row{[]string{c.what}, own, c.others, c.note})
	}
	if err := t.write(w); err != nil {
		return err
	}
	if len(there) == 0 {
		return nil
	}
	title(w, "Other packages below `store`:", "")
	var names []string
	for n := range there {
		names = append(names, n)
	}
	slices.Sort(names)
	for _, n := range names {
		if _, err := io.WriteString(w, "- `"+n+"`: "+there[n]+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// imports returns the imports of the Go files below a directory, without tests.
func imports(dir string) ([]string, error) {
	var all []string
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range f.Imports {
			imp, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			all = append(all, imp)
		}
		return nil
	})
	return all, err
}

// storePackages returns the packages below store with their documentation.
func storePackages(root string) (map[string]string, error) {
	entries, err := os.ReadDir(filepath.Join(root, "store"))
	if err != nil {
		return nil, err
	}
	there := map[string]string{}
	for _, e := range entries {
		if !e.IsDir() || e.Name() == "storetest" {
			continue
		}
		files, err := filepath.Glob(filepath.Join(root, "store", e.Name(), "*.go"))
		if err != nil {
			return nil, err
		}
		for _, path := range files {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.PackageClauseOnly|parser.ParseComments)
			if err != nil {
				return nil, err
			}
			if text := new(doc.Package).Synopsis(f.Doc.Text()); text != "" || there[e.Name()] == "" {
				there[e.Name()] = text
			}
		}
	}
	return there, nil
}
