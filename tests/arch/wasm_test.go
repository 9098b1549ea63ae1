package arch

import (
	"strings"
	"testing"
)

// forbidden may not be linked into the wasm, by any import. A name that ends
// in a slash means everything below.
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
