package hdf5

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/references"
)

var seeds = []string{"testdata/earliest.h5", "testdata/latest.h5"}

func seed(t testing.TB, name string) []byte {
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// run returns the references of a file, and the objects left out. Unchecked ignores checksums.
func run(t testing.TB, b []byte, unchecked bool) (string, []string, error) {
	var doc references.Document
	var skipped []string
	w := doc.File("f.h5", "", func(_ string, err error) { skipped = append(skipped, err.Error()) })
	f := &file{r: bytes.NewReader(b), size: int64(len(b)), work: 1 << 22, unchecked: unchecked}
	err := f.index(w)
	var out bytes.Buffer
	if _, err := doc.WriteTo(&out); err != nil {
		t.Fatal(err)
	}
	if !json.Valid(out.Bytes()) {
		t.Fatalf("not JSON: %s", out.Bytes())
	}
	return out.String(), skipped, err
}

func TestObjectsOfFilesHaveReferences(t *testing.T) {
	for _, name := range seeds {
		out, skipped, err := run(t, seed(t, name), false)
		if err != nil || len(skipped) != 1 || !strings.Contains(skipped[0], "so: unsupported: a soft link") {
			t.Errorf("%s: %v %q", name, err, skipped)
		}
		for _, key := range []string{`"x/0"`, `"g/c/3.1"`, `"t/0.0"`, `"f/3"`, `"s/0"`, `"k/0"`, `"e/0"`} {
			if !strings.Contains(out, "\n"+key+":") {
				t.Errorf("%s: no %s", name, key)
			}
		}
	}
}

// Every byte of the files becomes another value. Errors have a class, and name what is wrong.
func TestDamagedFilesGiveNamedErrors(t *testing.T) {
	for _, name := range seeds {
		b := seed(t, name)
		for i := range b {
			was := b[i]
			b[i] = []byte{0, 0xff, was + 1, was ^ 0x80}[i%4]
			_, skipped, err := run(t, b, true)
			for _, text := range skipped {
				if text == "" {
					t.Fatalf("%s: byte %d: an error without a text", name, i)
				}
			}
			var d *references.Damaged
			var u *references.Unsupported
			var l *references.LimitError
			if err != nil && !errors.As(err, &d) && !errors.As(err, &u) && !errors.As(err, &l) {
				t.Fatalf("%s: byte %d is %d: %T %v", name, i, b[i], err, err)
			}
			b[i] = was
		}
		for n := 0; n < len(b); n += 97 {
			_, _, _ = run(t, b[:n], true)
		}
	}
}

func TestFlippedBitsFailTheChecksum(t *testing.T) {
	b := seed(t, seeds[1])
	at := bytes.Index(b, []byte("OHDR"))
	b[at+12] ^= 1
	if _, _, err := run(t, b, false); err == nil || !strings.Contains(err.Error(), "checksum") {
		t.Error(err)
	}
}

func FuzzIndex(f *testing.F) {
	for _, name := range seeds {
		f.Add(seed(f, name))
	}
	f.Fuzz(func(t *testing.T, b []byte) { _, _, _ = run(t, b, true) })
}
