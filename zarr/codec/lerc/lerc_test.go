package lerc

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/internal/kernel"
	"github.com/zarr-wasm/zarr-wasm/tests/codectest"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// seeds are images that GDAL wrote, of 11 rows of 17 pixels, and the numbers that it reads. A test
// of the command compares many more.
func seeds(t testing.TB) map[string][2][]byte {
	t.Helper()
	names := must.Get(filepath.Glob("testdata/*.lerc"))(t)
	all := map[string][2][]byte{}
	for _, name := range names {
		base := strings.TrimSuffix(name, ".lerc")
		all[filepath.Base(base)] = [2][]byte{must.Get(os.ReadFile(name))(t), must.Get(os.ReadFile(base + ".raw"))(t)}
	}
	if len(all) < 12 {
		t.Fatal(len(all))
	}
	return all
}

// shapes are those of chunks, if not of 11 by 17.
var shapes = map[string][]int{"depths": {11, 17, 3}, "transparent": {11, 17, 4}}

func newDecoder(t testing.TB, name, config string) codec.BytesToBytes {
	t.Helper()
	shape := shapes[name]
	if shape == nil {
		shape = []int{11, 17}
	}
	return must.Get(codectest.As[codec.BytesToBytes](Codec().New(codectest.JSON(t, config), codec.Build{Array: codec.Array{Shape: shape}})))(t)
}

// summed sets the size and the checksum of an image to those of its bytes.
func summed(b []byte) []byte {
	b = bytes.Clone(b)
	if len(b) > 40 {
		kernel.Store32(b, 34, uint32(len(b)))
		kernel.Store32(b, 10, fletcher(b[14:]))
	}
	return b
}

func TestImagesOfGDALHaveItsValues(t *testing.T) {
	for name, one := range seeds(t) {
		d := newDecoder(t, name, `{}`)
		for _, size := range []codec.Size{codectest.Exact(len(one[1])), {N: 1 << 20}} {
			got, err := codectest.Decode(d, size, one[0])
			if err != nil || !bytes.Equal(got, one[1]) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

func TestAShortImageIsFollowedByZeros(t *testing.T) {
	one := seeds(t)["ints"]
	want := append(bytes.Clone(one[1]), make([]byte, 17*4)...)
	got, err := codectest.Decode(newDecoder(t, "ints", `{"short":true}`), codectest.Exact(len(want)), one[0])
	if err != nil || !bytes.Equal(got, want) {
		t.Error(err)
	}
	for size, is := range map[int]error{len(want): codec.ErrTruncated, len(want) - 17*8: codec.ErrCorrupt} {
		if _, err := codectest.Decode(newDecoder(t, "ints", `{}`), codectest.Exact(size), one[0]); !errors.Is(err, is) {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
	if _, err := codectest.Decode(decoder{shape: []int{17, 11}}, codectest.Exact(len(one[1])), one[0]); !errors.Is(err, codec.ErrCorrupt) {
		t.Error(err)
	}
}

// LibTIFF writes an image for each sample if their masks differ.
func TestSeveralImagesAreUnsupported(t *testing.T) {
	one := seeds(t)["ints"]
	var feature *codec.UnsupportedError
	if _, err := codectest.Decode(newDecoder(t, "ints", `{"short":true}`), codectest.Exact(2*len(one[1])), slices.Concat(one[0], one[0])); !errors.As(err, &feature) {
		t.Error(err)
	}
}

func TestCodesEndWithTheirContext(t *testing.T) {
	for _, name := range []string{"huffman", "deltas", "tolerance"} {
		one := seeds(t)[name]
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		out := codec.Output{Size: codectest.Exact(len(one[1]))}
		if _, err := newDecoder(t, name, `{}`).Decode(codec.NewEnv(ctx, codec.Limits{}), out, one[0]); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestEveryDamagedByteHasANamedError(t *testing.T) {
	for name, one := range seeds(t) {
		d := newDecoder(t, name, `{}`)
		for i := range one[0] {
			if _, err := codectest.Decode(d, codectest.Exact(len(one[1])), one[0][:i]); err == nil || !codectest.Classed(err) {
				t.Fatalf("%s: %d bytes: %v", name, i, err)
			}
			for _, flip := range []byte{1, 0x80, 0xff, 0x14} {
				b := bytes.Clone(one[0])
				b[i] ^= flip
				// The checksum is not of the version, in bytes 6 to 9.
				if _, err := codectest.Decode(d, codectest.Exact(len(one[1])), b); err == nil && (i < 6 || i > 9) || !codectest.Classed(err) {
					t.Fatalf("%s: byte %d: %v", name, i, err)
				}
				// The same behind a checksum that matches.
				if _, err := codectest.Decode(d, codectest.Exact(len(one[1])), summed(b)); !codectest.Classed(err) {
					t.Fatalf("%s: byte %d with its checksum: %T %v", name, i, err, err)
				}
			}
		}
	}
}

func FuzzDecode(f *testing.F) {
	for name, one := range seeds(f) {
		f.Add(one[0], len(one[1]), name == "depths", false)
	}
	f.Fuzz(func(t *testing.T, src []byte, n int, deep, short bool) {
		n &= 1<<14 - 1
		d := decoder{shape: []int{11, 17}, short: short}
		if deep {
			d.shape = []int{11, 17, 3}
		}
		_, _ = codectest.Guarded(t, d, n, summed(src))
	})
}
