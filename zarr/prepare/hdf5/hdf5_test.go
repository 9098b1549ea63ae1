package hdf5

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/internal/indextest"
	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/references"
)

var seeds = []string{"testdata/earliest.h5", "testdata/latest.h5"}

// indexing indexes a file. Unchecked ignores checksums.
func indexing(unchecked bool) indextest.Index {
	return func(r io.ReaderAt, size int64, to *references.Writer) error {
		return (&file{r: r, size: size, work: 1 << 22, unchecked: unchecked}).index(to)
	}
}

func TestObjectsOfFilesHaveReferences(t *testing.T) {
	for _, name := range seeds {
		out, skipped, err := indextest.Run(t, indexing(false), indextest.Seed(t, name))
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
		indextest.Damage(t, indexing(true), indextest.Seed(t, name))
	}
}

func TestFlippedBitsFailTheChecksum(t *testing.T) {
	b := indextest.Seed(t, seeds[1])
	at := bytes.Index(b, []byte("OHDR"))
	b[at+12] ^= 1
	if _, _, err := indextest.Run(t, indexing(false), b); err == nil || !strings.Contains(err.Error(), "checksum") {
		t.Error(err)
	}
}

func FuzzIndex(f *testing.F) {
	for _, name := range seeds {
		f.Add(indextest.Seed(f, name))
	}
	f.Fuzz(func(t *testing.T, b []byte) { _, _, _ = indextest.Run(t, indexing(true), b) })
}
