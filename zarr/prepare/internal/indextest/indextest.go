// Package indextest tests packages that index files, with damaged files.
package indextest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/references"
)

// Index is the function of a format.
type Index func(r io.ReaderAt, size int64, to *references.Writer) error

// Seed returns a file.
func Seed(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Run returns the references of a file, and the objects left out. It fails the test if the
// references are not JSON, or an error does not name its cause.
func Run(t testing.TB, index Index, b []byte) (string, []string, error) {
	t.Helper()
	var doc references.Document
	var skipped []string
	w := doc.File("file", "", func(_ string, err error) { skipped = append(skipped, err.Error()) })
	err := index(bytes.NewReader(b), int64(len(b)), w)
	var out bytes.Buffer
	if _, err := doc.WriteTo(&out); err != nil {
		t.Fatal(err)
	}
	if !json.Valid(out.Bytes()) {
		t.Fatalf("not JSON: %s", out.Bytes())
	}
	for _, text := range skipped {
		if text == "" {
			t.Fatal("an error without a text")
		}
	}
	var d *references.Damaged
	var u *references.Unsupported
	var l *references.LimitError
	if err != nil && !errors.As(err, &d) && !errors.As(err, &u) && !errors.As(err, &l) {
		t.Fatalf("an error without a class: %T %v", err, err)
	}
	return out.String(), skipped, err
}

// Damage runs a file with each byte changed, and cut at many places.
func Damage(t *testing.T, index Index, b []byte) {
	t.Helper()
	for i := range b {
		was := b[i]
		b[i] = []byte{0, 0xff, was + 1, was ^ 0x80}[i%4]
		_, _, _ = Run(t, index, b)
		b[i] = was
	}
	for n := 0; n < len(b); n += 97 {
		_, _, _ = Run(t, index, b[:n])
	}
}
