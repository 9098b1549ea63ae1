package netcdf3

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/internal/indextest"
	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/references"
)

var seeds = []string{"testdata/classic.nc", "testdata/offset.nc", "testdata/cdf5.nc"}

func TestVariablesOfFilesHaveReferences(t *testing.T) {
	for _, name := range seeds {
		b := indextest.Seed(t, name)
		out, skipped, err := indextest.Run(t, Index, b)
		if err != nil || len(skipped) != 0 || !Is(bytes.NewReader(b), int64(len(b))) {
			t.Errorf("%s: %v %q", name, err, skipped)
		}
		for _, key := range []string{`"x/0"`, `"v/2.0"`, `"w/2.0"`, `"time/0"`, `"scalar/0"`} {
			if !strings.Contains(out, "\n"+key+":") {
				t.Errorf("%s: no %s in %s", name, key, out)
			}
		}
	}
}

func TestDamagedFilesGiveNamedErrors(t *testing.T) {
	for _, name := range seeds {
		indextest.Damage(t, Index, indextest.Seed(t, name))
	}
}

// encoded returns a classic file of numbers of four bytes and texts.
func encoded(parts ...any) []byte {
	b := []byte("CDF\x01")
	for _, p := range parts {
		switch p := p.(type) {
		case int:
			b = binary.BigEndian.AppendUint32(b, uint32(p))
		case string:
			b = binary.BigEndian.AppendUint32(b, uint32(len(p)))
			b = append(append(b, p...), make([]byte, -len(p)&3)...)
		}
	}
	return b
}

func TestHostileHeadersHaveNamedErrors(t *testing.T) {
	dims := func(more ...any) []any {
		return append([]any{10, 2, "t", 0, "x", 3, 0, 0}, more...)
	}
	for _, c := range []struct {
		name, says string
		file       []byte
	}{
		{"nothing", "ends within the magic number", nil},
		{"another version", "version 4", []byte("CDF\x04")},
		{"another magic number", "does not begin", []byte("HDF\x01")},
		{"a wrong tag", "tag 9", encoded(0, 9, 1)},
		{"many dimensions", "do not fit", encoded(0, 10, 0x7fffffff)},
		{"a negative number", "negative", encoded(0, 10, -2)},
		{"a long name", "ends within the name", encoded(0, 10, 1, 0x7ffffff0, 0, 0, 0)},
		{"no name", "has no name", encoded(0, 10, 1, "", 3, 0, 0, 0, 0)},
		{"two kinds of records", "2 dimensions have records", encoded(0, 10, 2, "t", 0, "u", 0, 0, 0, 0, 0)},
		{"a type of CDF-5", "type 7", encoded(append([]any{0}, dims(11, 1, "v", 0, 0, 0, 7, 0, 0)...)...)},
		{"a dimension that is missing", "impossible", encoded(append([]any{0}, dims(11, 1, "v", 1, 5, 0, 0, 4, 0, 0)...)...)},
		{"records along the second dimension", "impossible", encoded(append([]any{0}, dims(11, 1, "v", 2, 1, 0, 0, 0, 4, 0, 0)...)...)},
		{"elements beyond the end", "beyond the end", encoded(append([]any{0}, dims(11, 1, "v", 1, 1, 0, 0, 4, 12, 4000)...)...)},
		{"records beyond the end", "beyond the end", encoded(append([]any{0x7ffffff0}, dims(11, 2, "v", 1, 0, 0, 0, 4, 12, 40, "w", 1, 0, 0, 0, 4, 12, 40)...)...)},
		{"too many elements", "too many", encoded(0, 10, 3, "x", 0x7fffffff, "y", 0x7fffffff, "z", 0x7fffffff, 0, 0,
			11, 1, "v", 3, 0, 1, 2, 0, 0, 6, 0, 0)},
		{"a name with a slash", "with a slash", encoded(append([]any{0}, dims(11, 1, "a/b", 1, 1, 0, 0, 4, 12, 0)...)...)},
		{"a name of a dimension that each of 1024 dimensions repeats", "limit of 4096", encoded(0, 10, 1, strings.Repeat("n", 5000), 3, 0, 0, 0, 0)},
		{"a rank of 2^20", "limit of 1024", encoded(append([]any{0}, dims(11, 1, "v", 1<<20)...)...)},
	} {
		_, skipped, err := indextest.Run(t, Index, c.file)
		if err != nil {
			skipped = append(skipped, err.Error())
		}
		if !strings.Contains(strings.Join(skipped, "\n"), c.says) {
			t.Errorf("%s: %q", c.name, skipped)
		}
	}
}

// Headers larger than the limit are refused before they are read.
func TestHeadersAreLimited(t *testing.T) {
	b := encoded(0, 10, 1, maxHeader)
	b = append(b, make([]byte, maxHeader+100)...)
	_, _, err := indextest.Run(t, Index, b)
	var limit *references.LimitError
	if !errors.As(err, &limit) {
		t.Error(err)
	}
	attribute := encoded(0, 0, 0, 12, 1, "a", 1, maxNumbers+1)
	_, _, err = indextest.Run(t, Index, append(attribute, make([]byte, maxNumbers+100)...))
	if !errors.As(err, &limit) {
		t.Error(err)
	}
}

func FuzzIndex(f *testing.F) {
	for _, name := range seeds {
		f.Add(indextest.Seed(f, name))
	}
	f.Fuzz(func(t *testing.T, b []byte) { _, _, _ = indextest.Run(t, Index, b) })
}
