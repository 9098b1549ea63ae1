//go:build !js

package zipstore_test

import (
	"archive/zip"
	"bytes"
	"io"
	"io/fs"
	"strconv"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store/zipstore"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
)

// hollow keeps the beginning and the end of its bytes, and reads zeros between.
type hollow struct {
	size int64
	kept map[int64][]byte
}

func (s *hollow) Write(b []byte) (int, error) {
	if len(b) < 1<<20 {
		s.kept[s.size] = bytes.Clone(b)
	}
	s.size += int64(len(b))
	return len(b), nil
}

func (s *hollow) ReadAt(b []byte, at int64) (int, error) {
	clear(b)
	for from, data := range s.kept {
		if lo, hi := max(at, from), min(at+int64(len(b)), from+int64(len(data))); lo < hi {
			copy(b[lo-at:hi-at], data[lo-from:])
		}
	}
	if at+int64(len(b)) > s.size {
		return int(max(s.size-at, 0)), io.EOF
	}
	return len(b), nil
}

// TestWriterLarge writes members beyond 4 GiB. They consist of zeros, with at most one block in
// memory.
func TestWriterLarge(t *testing.T) {
	to := &hollow{kept: map[int64][]byte{}}
	w := zipstore.NewWriter(to)
	block := make([]byte, 64<<20)
	for i := range 66 {
		must.Do(t, w.Set(t.Context(), "large/"+strconv.Itoa(i), block))
	}
	must.Do(t, w.Set(t.Context(), "zarr.json", []byte("{}")))
	must.Do(t, w.Close())
	std, err := zip.NewReader(to, to.size)
	if err != nil || len(std.File) != 67 {
		t.Fatal(err)
	}
	if b, err := fs.ReadFile(std, "zarr.json"); err != nil || string(b) != "{}" {
		t.Errorf("read %q, %v", b, err)
	}
	at, err := std.File[65].DataOffset()
	if err != nil || at < 1<<32 {
		t.Errorf("the last large member begins at %d, %v", at, err)
	}
}
