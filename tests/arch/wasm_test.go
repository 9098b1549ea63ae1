package arch

import (
	"compress/gzip"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The budget of the wasm that every visitor loads, in bytes. It is that of a
// build that reads everything: the rare codecs have no module of their own yet.
const (
	maxRaw  = 5_600_000
	maxGzip = 1_600_000
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

func TestWasmStaysWithinItsBudget(t *testing.T) {
	if testing.Short() {
		t.Skip("links the wasm")
	}
	wasmDeps(t)
	out := filepath.Join(t.TempDir(), "zarr.wasm")
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid=", "-o", out, "./wasm")
	cmd.Dir = root(t)
	cmd.Env = append(os.Environ(), browser...)
	if msg, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, msg)
	}
	b, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	var packed counter
	zw, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := zw.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := zw.Close(); err != nil {
		t.Fatal(err)
	}
	t.Logf("zarr.wasm: %d bytes, %d with gzip", len(b), packed)
	if len(b) > maxRaw || packed > maxGzip {
		t.Errorf("zarr.wasm has %d bytes, %d with gzip; the budget is %d and %d", len(b), packed, maxRaw, maxGzip)
	}
}

type counter int64

func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}

var _ io.Writer = (*counter)(nil)
