package arch

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/must"
)

// forbidden packages must not be linked into the wasm, by any import. A trailing slash includes
// everything below.
var forbidden = []string{
	"net/", "net", "crypto/tls", "crypto/x509", "regexp", "encoding/json", "encoding/xml", "encoding/gob",
	"text/template", "html/template", "go/", "testing", "testing/", "os/exec", "database/", "archive/", "compress/flate", "compress/gzip", "compress/zlib", "image/", "mime", "mime/",
	"github.com/", "log", "log/", "fmt", "math/big", "crypto/rand", "time/tzdata",
}

func wasmDeps(t *testing.T) []pkg {
	t.Helper()
	deps := list(t, browser, "-deps", "./wasm")
	if len(deps) < 50 {
		t.Fatalf("only %d packages are linked: ./wasm is not the program", len(deps))
	}
	return deps
}

func TestWasmLinksNothingForbidden(t *testing.T) {
	for _, p := range wasmDeps(t) {
		if p.Module != nil && p.Module.Path == module {
			continue
		}
		for _, f := range forbidden {
			if p.ImportPath == f || strings.HasSuffix(f, "/") && strings.HasPrefix(p.ImportPath, f) {
				t.Errorf("the wasm links %s", p.ImportPath)
			}
		}
	}
}

func TestWasmLinksOnlyKnownModules(t *testing.T) {
	for _, p := range wasmDeps(t) {
		if !p.Standard && p.Module != nil && p.Module.Path != module && modulePlaces(p.ImportPath) == nil {
			t.Errorf("the wasm links %s, which tests/arch does not list", p.ImportPath)
		}
	}
}

// tabled matches the functions of package strings that link the tables of package unicode, some 5
// KB of the download.
var tabled = regexp.MustCompile(`\bstrings\.(ToLower|ToUpper|ToTitle|Title|EqualFold|TrimSpace|Fields)\(`)

func TestWasmLinksNoTablesOfUnicode(t *testing.T) {
	seen := 0
	for _, p := range wasmDeps(t) {
		if p.Module == nil || p.Module.Path != module {
			continue
		}
		for _, name := range p.GoFiles {
			b := must.Get(os.ReadFile(filepath.Join(p.Dir, name)))(t)
			seen++
			if found := tabled.Find(b); found != nil {
				t.Errorf("%s/%s calls %s...): internal/ascii has what protocols need", p.ImportPath, name, found)
			}
		}
	}
	if seen < 100 {
		t.Errorf("only %d files were looked at", seen)
	}
}
