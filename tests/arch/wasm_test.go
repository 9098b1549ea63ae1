package arch

import (
	"path/filepath"
	"strings"
	"testing"
)

// forbidden may not be linked into the wasm, by nobody's import. A name that ends
// in a slash means everything below.
var forbidden = []string{
	"net/", "net", "crypto/tls", "crypto/x509", "regexp", "encoding/json", "encoding/xml", "encoding/gob",
	"text/template", "html/template", "go/", "testing", "testing/", "os/exec", "database/", "archive/", "compress/flate", "compress/gzip", "compress/zlib", "image/", "mime", "mime/",
	"log", "log/", "fmt", "math/big", "crypto/rand", "time/tzdata",
}

func wasmDeps(t *testing.T) []pkg {
	t.Helper()
	if !hasMain(t) {
		t.Skip("there is no package ./wasm yet")
	}
	return list(t, browser, "-deps", "./wasm")
}

func hasMain(t *testing.T) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root(t), "wasm", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	return len(files) > 0
}

func TestWasmLinksNothingForbidden(t *testing.T) {
	for _, p := range wasmDeps(t) {
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
