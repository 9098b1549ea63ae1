package arch

import (
	"bytes"
	"encoding/json"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/fixtures"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
)

const module = "github.com/zarr-wasm/zarr-wasm"

// packages are those of both modules of go.work: "./..." stops at another module.
var packages = []string{"./...", "./cmd/zarr/..."}

// browser is the environment of browser builds.
var browser = []string{"GOOS=js", "GOARCH=wasm"}

func root(t *testing.T) string {
	t.Helper()
	return must.Get(fixtures.Root())(t)
}

type pkg struct {
	ImportPath string
	Dir        string
	Standard   bool
	Imports    []string
	GoFiles    []string
	Module     *struct{ Path, Version, Dir string }
}

// list runs go list in the test's environment plus env.
func list(t *testing.T, env []string, args ...string) []pkg {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-e", "-json=ImportPath,Dir,Standard,Imports,GoFiles,Module"}, args...)...)
	cmd.Dir = root(t)
	cmd.Env = append(os.Environ(), env...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, &errs)
	}
	var all []pkg
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := d.Decode(&p); err == io.EOF {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// A floor is a set of packages and the floors below that they may import. Every
// package may import the standard library and the tools of internal, which import nothing.
type floor struct {
	name     string
	has      func(path string) bool // path is without the module
	mayUse   []string               // names of floors
	siblings func(from, to string) bool
}

func one(paths ...string) func(string) bool {
	return func(p string) bool { return slices.Contains(paths, p) }
}

func below(prefix string) func(string) bool {
	return func(p string) bool { return strings.HasPrefix(p, prefix+"/") }
}

func or(fs ...func(string) bool) func(string) bool {
	return func(p string) bool {
		for _, f := range fs {
			if f(p) {
				return true
			}
		}
		return false
	}
}

// wrappers may import their siblings: they consist of other codecs, or pass their input to others.
var wrappers = map[string][]string{
	"zarr/codec/bitshuffle": {"zarr/codec/lz4", "zarr/codec/zstd"},
	"zarr/codec/blosc":      {"zarr/codec/inflate", "zarr/codec/lz4", "zarr/codec/snappy", "zarr/codec/zstd"},
	"zarr/codec/brotli":     {"zarr/codec/inflate"}, // its dictionary is packed
	"zarr/codec/grib":       {"zarr/codec/inflate"}, // a message may hold a PNG
	"zarr/codec/hdf5":       {"zarr/codec/grib"},    // both have the coder of CCSDS
	"zarr/codec/compress": { // it adds encoders to them
		"zarr/codec/blosc", "zarr/codec/brotli", "zarr/codec/inflate", "zarr/codec/lz4", "zarr/codec/lzma", "zarr/codec/snappy", "zarr/codec/zstd",
	},
}

// builtOn lists the conventions that build on others.
var builtOn = map[string][]string{
	"zarr/convention/xarray": {"zarr/convention/cf", "zarr/convention/nczarr"},
	"zarr/convention/geo":    {"zarr/convention/cf"},
}

// indexers are the packages that index files of one format, and their tests. They write references.
var indexers = []string{"zarr/prepare/grib", "zarr/prepare/hdf5", "zarr/prepare/netcdf3", "zarr/prepare/tiff", "zarr/prepare/internal/indextest"}

// prepares reports whether a package of zarr/prepare may import another: units do the work of all,
// and a pyramid begins with a copy.
func prepares(from, to string) bool {
	return to == "zarr/prepare/references" && slices.Contains(indexers, from) || to == "zarr/prepare/units" || strings.HasPrefix(to, "zarr/prepare/internal/") || to == "zarr/prepare/rechunk" && from == "zarr/prepare/pyramid"
}

func standsOn(from, to string) bool { return slices.Contains(builtOn[from], to) }

// inside reports whether a package imports one below itself.
func inside(from, to string) bool { return strings.HasPrefix(to, from+"/") }

func wraps(from, to string) bool { return slices.Contains(wrappers[from], to) }

func insideOrWraps(from, to string) bool { return inside(from, to) || wraps(from, to) }

// all lets every package of a floor import its siblings.
func all(_, _ string) bool { return true }

var floors = []floor{
	{name: "tools", has: func(p string) bool {
		elsewhere := or(one("internal/kernel", "internal/object", "internal/kinds", "internal/target", "internal/static"), below("internal/kernel"))
		return below("internal")(p) && !elsewhere(p)
	}, siblings: func(_, to string) bool { return to == "internal/guard" || to == "internal/ascii" }},
	{name: "kernel", has: or(one("internal/kernel"), below("internal/kernel")), siblings: all},
	{name: "0", has: one("zarr/dtype", "zarr/grid", "store", "store/address"), mayUse: []string{"kernel"}},
	{name: "1", has: one("zarr/ndarray", "zarr/meta", "internal/object"), mayUse: []string{"0", "kernel"}},
	{name: "2", has: one("zarr/codec"), mayUse: []string{"0", "1", "kernel"}},
	// by several codecs
	{name: "3 shared", has: below("zarr/codec/internal"), mayUse: []string{"kernel"}},
	{name: "3 codecs", has: below("zarr/codec"), mayUse: []string{"0", "1", "2", "3 shared", "kernel"}, siblings: wraps},
	{name: "5 kinds", has: one("internal/kinds"), mayUse: []string{"0", "1", "3 targets", "3 stores"}},
	{name: "3 targets", has: one("internal/target"), mayUse: []string{"0"}},
	// of floor 0 only the interfaces: see mayImport
	{name: "3 stores", has: below("store"), mayUse: []string{"0", "kernel", "3 targets"}, siblings: insideOrWraps},
	{name: "4 plan", has: one("zarr/internal/plan"), mayUse: []string{"0", "1", "2"}},
	{name: "4 reader", has: one("zarr/internal/reader"), mayUse: []string{"0", "1", "2", "4 plan", "kernel"}},
	{name: "4 writer", has: one("zarr/internal/writer"), mayUse: []string{"0", "1", "2", "4 plan", "4 reader", "kernel"}},
	{name: "4 catalog", has: one("zarr/internal/catalog"), mayUse: []string{"0", "1", "2", "4 reader"}},
	{name: "4", has: one("zarr"), mayUse: []string{"0", "1", "2", "4 reader", "4 writer", "4 catalog", "kernel"}},
	{name: "5", has: one("zarr/codecs"), mayUse: []string{"2", "3 codecs"}},
	{name: "5 writing", has: one("zarr/codecs/writing"), mayUse: []string{"2", "3 codecs", "5"}},
	{name: "5 conventions", has: below("zarr/convention"), mayUse: []string{"0", "1", "2", "4"}, siblings: standsOn},
	{name: "5 prepare", has: below("zarr/prepare"), mayUse: []string{"0", "1", "2", "3 stores", "4", "5 writing", "5 conventions"}, siblings: prepares},
	{name: "6 wire", has: one("wasm/internal/wire"), mayUse: []string{"0", "1", "2"}},
	{name: "6 hostside", has: one("wasm/internal/hostside"), mayUse: []string{"6 wire", "0", "1", "2", "3 stores"}},
	{name: "6 offload", has: one("wasm/internal/offload"), mayUse: []string{"6 wire", "0", "1", "2"}},
	{name: "6 dispatch", has: one("wasm/internal/dispatch"), mayUse: []string{"6 wire", "6 hostside", "6 offload", "0", "1", "2", "3 targets", "3 stores", "4", "5 kinds", "kernel"}},
	{name: "6 changes", has: one("wasm/internal/changes"), mayUse: []string{"6 wire", "6 hostside", "6 dispatch", "0", "1", "2", "4"}},
	{name: "6", has: one("wasm", "wasm/slim", "wasm/internal/wire/gen"), mayUse: []string{"6 wire", "6 dispatch", "6 changes", "2", "3 targets", "3 stores", "5", "5 writing", "5 kinds"}},
	{name: "buckets", has: below("cmd/zarr/blobstore"), mayUse: []string{"0"}, siblings: inside},
	{name: "server", has: one("internal/static")}, // the file server of the command and of tests
	{name: "commands", has: below("cmd"), mayUse: []string{"server", "buckets", "0", "1", "2", "3 targets", "3 stores", "4", "5", "5 writing", "5 conventions", "5 kinds", "5 prepare"}, siblings: inside},
	{name: "tests", has: below("tests"), mayUse: []string{"0", "1", "2", "3 codecs", "3 targets", "3 stores", "4", "5", "5 writing", "5 conventions", "5 kinds", "5 prepare", "6", "6 wire", "6 dispatch", "6 changes", "kernel", "server", "commands"}, siblings: all},
}

func floorOf(path string) *floor {
	for i := range floors {
		if floors[i].has(path) {
			return &floors[i]
		}
	}
	return nil
}

// mayImport checks one import between packages of the module.
func mayImport(from, to string) string {
	f, t := floorOf(from), floorOf(to)
	switch {
	case f == nil:
		return "package " + from + " is on no floor: give it one in tests/arch"
	case t == nil:
		return "package " + to + " is on no floor: give it one in tests/arch"
	case t.name == "tools" && f != t:
		return ""
	case f == t:
		if f.siblings == nil || !f.siblings(from, to) {
			return from + " imports its sibling " + to
		}
	case strings.HasPrefix(from, "store/") && strings.HasPrefix(to, "zarr/"):
		return from + " is a store, and imports " + to
	case !slices.Contains(f.mayUse, t.name):
		return from + " (floor " + f.name + ") imports " + to + " (floor " + t.name + ")"
	}
	return ""
}

func TestImportsPointDown(t *testing.T) {
	for _, env := range [][]string{nil, browser} {
		seen := 0
		for _, p := range list(t, env, packages...) {
			from := strings.TrimPrefix(p.ImportPath, module+"/")
			if floorOf(from) == nil {
				t.Errorf("package %s is on no floor: give it one in tests/arch", from)
				continue
			}
			seen++
			for _, imp := range p.Imports {
				if to, ok := strings.CutPrefix(imp, module+"/"); ok {
					if why := mayImport(from, to); why != "" {
						t.Errorf("%v: %s", env, why)
					}
				}
			}
		}
		if seen < 5 {
			t.Errorf("%v: only %d packages were looked at", env, seen)
		}
	}
}

func TestFloorsTellGoodImportsFromBadOnes(t *testing.T) {
	for _, c := range []struct {
		from, to string
		ok       bool
	}{
		{"zarr", "zarr/meta", true},
		{"zarr", "internal/json", true},
		{"zarr", "zarr/codec/blosc", false},
		{"zarr", "zarr/codecs", false},
		{"zarr", "store/httpstore", false},
		{"zarr", "internal/object", true},
		{"internal/object", "zarr/codec", false},
		{"internal/object", "store/httpstore", false},
		{"store/httpstore", "zarr/codec", false},
		{"store/httpstore", "zarr/grid", false},
		{"store/icechunk", "internal/target", true},
		{"internal/target", "store/httpstore", false},
		{"store/httpstore", "store/httpstore/internal/listing", true},
		{"store/httpstore/internal/listing", "store/httpstore", false},
		{"internal/kinds", "store/overlay", true},
		{"store/overlay", "internal/object", false},
		{"zarr/internal/reader", "zarr", false},
		{"zarr/internal/reader", "zarr/internal/writer", false},
		{"zarr/internal/writer", "zarr/internal/reader", true},
		{"zarr/internal/catalog", "zarr/internal/reader", true},
		{"zarr/internal/reader", "zarr/internal/catalog", false},
		{"zarr/codecs", "zarr/internal/reader", false},
		{"zarr/grid", "zarr/dtype", false},
		{"zarr/meta", "zarr/grid", true},
		{"zarr/meta", "zarr/codec", false},
		{"zarr/codec", "zarr/ndarray", true},
		{"zarr/codec/blosc", "zarr/codec", true},
		{"zarr/codec/blosc", "zarr/codec/zstd", true},
		{"zarr/codec/zstd", "zarr/codec/blosc", false},
		{"zarr/codecs", "zarr/codec/zstd", true},
		{"zarr/codecs/writing", "zarr/codec/compress", true},
		{"zarr/codecs", "zarr/codecs/writing", false},
		{"wasm/internal/dispatch", "zarr/codecs/writing", false},
		{"store", "zarr/dtype", false},
		{"store/memstore", "store", true},
		{"store/memstore", "store/httpstore", false},
		{"zarr/convention/xarray", "zarr/convention/cf", true},
		{"zarr/convention/cf", "zarr/convention/xarray", false},
		{"zarr/convention/ome", "zarr", true},
		{"zarr/convention/ome", "zarr/codecs", false},
		{"zarr", "zarr/convention/cf", false},
		{"wasm/internal/dispatch", "zarr/convention/cf", false},
		{"wasm", "wasm/internal/dispatch", true},
		{"wasm", "wasm/internal/offload", false},
		{"wasm/internal/dispatch", "wasm/internal/hostside", true},
		{"wasm/internal/hostside", "wasm/internal/wire", true},
		{"wasm/internal/hostside", "wasm/internal/offload", false},
		{"wasm/internal/hostside", "zarr", false},
		{"wasm/internal/offload", "wasm/internal/wire", true},
		{"wasm/internal/offload", "store/httpstore", false},
		{"wasm/internal/wire", "wasm/internal/dispatch", false},
		{"wasm/internal/wire", "zarr", false},
		{"wasm", "zarr/codecs", true},
		{"wasm", "zarr/codec/zstd", false},
		{"wasm/internal/dispatch", "wasm", false},
		{"cmd/zarr", "wasm", false},
		{"cmd/zarr", "cmd/zarr/blobstore", true},
		{"cmd/zarr/blobstore", "cmd/zarr/blobstore/bucket", true},
		{"cmd/zarr/blobstore/bucket", "zarr", false},
		{"cmd/zarr/blobstore/bucket", "store/httpstore", false},
		{"cmd/zarr", "internal/static", true},
		{"cmd/zarr", "tests/chaos/faulty", false},
		{"internal/static", "store", false},
		{"tests/chaos/faulty", "internal/static", true},
		{"store/httpstore", "internal/static", false},
		{"zarr/prepare/pyramid", "zarr/prepare/rechunk", true},
		{"zarr/prepare/rechunk", "zarr/prepare/pyramid", false},
		{"zarr/prepare/units", "zarr", true},
		{"zarr", "zarr/prepare/units", false},
		{"wasm", "zarr/prepare/units", false},
		{"nowhere", "zarr", false},
	} {
		if why := mayImport(c.from, c.to); (why == "") != c.ok {
			t.Errorf("%s -> %s: %q, want ok %v", c.from, c.to, why, c.ok)
		}
	}
}

// restricted names the imports that only some files may have. A path that ends in a slash is a
// directory.
var restricted = map[string][]string{
	"syscall/js": {"wasm/", "store/httpstore/fetch_js.go"},
	"unsafe":     {"internal/kernel/", "zarr/ndarray/", "tests/bench/decode/"},
	"net/http":   {"store/httpstore/fetch_native.go", "cmd/", "tests/", "internal/static/"},
	// Every visitor pays for these: see docs/background/decisions.
	"encoding/json": {"beam/", "cmd/", "internal/static/", "zarr/convention/", "zarr/prepare/", "tests/"},
	"fmt":           {"beam/", "cmd/", "zarr/convention/", "zarr/prepare/", "tests/", "store/storetest/", "internal/kernel/gen/", "wasm/slim/", "wasm/internal/wire/gen/", "internal/static/"},
	"log":           {"cmd/", "tests/", "internal/kernel/gen/", "wasm/slim/"},
	"reflect":       {"tests/", "store/storetest/"},
	"regexp":        {"cmd/", "zarr/convention/", "tests/", "internal/kernel/gen/", "wasm/slim/", "wasm/internal/wire/gen/", "internal/static/"},
}

// modules names the packages that may import a third-party module. Tests may import any module in
// go.mod.
var modules = map[string][]string{
	"github.com/andybalholm/brotli":            {"zarr/codec/compress/"},
	"github.com/klauspost/compress":            {"zarr/codec/compress/", "tests/tools/benchdata/"},
	"github.com/pierrec/lz4/v4":                {"zarr/codec/compress/", "tests/tools/benchdata/"},
	"github.com/ulikunitz/xz":                  {"zarr/codec/compress/"},
	"github.com/schollz/progressbar/v3":        {"cmd/zarr/"},
	"golang.org/x/term":                        {"cmd/zarr/"},
	"github.com/santhosh-tekuri/jsonschema/v6": {"cmd/zarr/"},
	"golang.org/x/text":                        {"cmd/zarr/"},
	"github.com/urfave/cli/v3":                 {"cmd/zarr/"},
	"gocloud.dev":                              {"cmd/zarr/blobstore/"},
	"github.com/apache/beam/sdks/v2":           {"beam/"},
	"github.com/aws/aws-sdk-go-v2":             {"cmd/zarr/blobstore/"},
	"github.com/aws/smithy-go":                 {"cmd/zarr/blobstore/"},
	"cloud.google.com/go/storage":              {"cmd/zarr/blobstore/"},
	"google.golang.org/api":                    {"cmd/zarr/blobstore/"},
	"github.com/Azure/azure-sdk-for-go/sdk":    {"cmd/zarr/blobstore/"},
}

func TestOnlyTheirFilesImportWhatIsRestricted(t *testing.T) {
	dir := root(t)
	checked := 0
	must.Do(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := d.Name(); d.IsDir() {
			if path != dir && (strings.HasPrefix(name, ".") || name == "node_modules" || name == "build" || name == "dist" || name == "testdata") {
				return fs.SkipDir
			}
			return nil
		} else if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		checked++
		for _, spec := range f.Imports {
			imp, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if where, ok := restricted[imp]; ok && !within(rel, where) {
				t.Errorf("%s imports %s, which only %s may", rel, imp, strings.Join(where, ", "))
			}
			host, _, _ := strings.Cut(imp, "/")
			if strings.Contains(host, ".") && !strings.HasPrefix(imp, module+"/") && !within(rel, modulePlaces(imp)) {
				t.Errorf("%s imports %s: a third-party module is for the leaf that needs it (tests/arch has the list)", rel, imp)
			}
		}
		return nil
	}))
	if checked < 10 {
		t.Errorf("only %d files were looked at", checked)
	}
}

func modulePlaces(imp string) []string {
	for m, where := range modules {
		if imp == m || strings.HasPrefix(imp, m+"/") {
			return where
		}
	}
	return nil
}

func within(file string, places []string) bool {
	for _, p := range places {
		if file == p || strings.HasSuffix(p, "/") && strings.HasPrefix(file, p) {
			return true
		}
	}
	return false
}
