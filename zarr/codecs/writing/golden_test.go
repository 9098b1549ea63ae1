package writing_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store/filestore"
	"github.com/zarr-wasm/zarr-wasm/tests/fixtures"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs/writing"
	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// readOnly are the codecs that cannot write.
var readOnly = []string{}

// free are the codecs whose writers have a choice; for all others every writer writes the same
// bytes.
var free = []string{
	"blosc", "brotli", "bz2", "deflate", "gzip", "imagecodecs_deflate", "imagecodecs_lz4", "imagecodecs_lz4f", "imagecodecs_zlib", "imagecodecs_zstd",
	"json2", "lz4", "lzma", "msgpack2", "sharding_indexed", "snappy", "zlib", "zstd",
}

// isFixed reports whether no codec of a chain has a choice.
func isFixed(chain []meta.CodecSpec) bool {
	return !slices.ContainsFunc(chain, func(c meta.CodecSpec) bool {
		return slices.Contains(free, strings.TrimPrefix(c.Name, "numcodecs."))
	})
}

// TestFixturesEncode decodes chunks of all fixtures, encodes them with the same chain and decodes
// the result. The elements must stay the same. If the chain leaves its writer no choice, the bytes
// must too.
func TestFixturesEncode(t *testing.T) {
	dir := fixtures.Dir(t)
	refused := map[string]int{}
	chains := map[string]int{}
	same, chunks := 0, 0
	must.Do(t, filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if base := d.Name(); base != ".zarray" && base != "zarr.json" && base != "meta" || strings.Contains(name, "/corrupt/") {
			return nil
		}
		at := filepath.Dir(name)
		h := zarr.New(filestore.New(os.DirFS(at)), writing.Codecs(), zarr.Options{})
		defer h.Close()
		array, err := h.OpenArray(t.Context(), "")
		if err != nil {
			return nil // a group, or unsupported
		}
		rel, _ := filepath.Rel(dir, at)
		for _, coords := range someChunks(array) {
			src, err := os.ReadFile(filepath.Join(at, filepath.FromSlash(path.Clean(array.Keys.Key(coords)))))
			if err != nil || len(src) == 0 || len(src) > 1<<20 {
				continue
			}
			plan, p, err := planOf(array, coords)
			if err != nil {
				continue
			}
			a := plan.Array()
			first := ndarray.New(a.Shape, a.Type.Size, a.Type.Variable())
			env := codec.NewEnv(context.Background(), codec.Limits{}.WithDefaults())
			if plan.CheckEncoded(len(src)) != nil || plan.Decode(env, first, src, nil) != nil {
				continue
			}
			chunks++
			stored, err := p.Encode(env, a, first)
			var feature *codec.UnsupportedError
			if errors.As(err, &feature) {
				refused[feature.Feature]++
				continue
			}
			if err != nil {
				t.Errorf("%s %v: %v", rel, coords, err)
				continue
			}
			again := ndarray.New(a.Shape, a.Type.Size, a.Type.Variable())
			if err = plan.CheckEncoded(len(stored)); err == nil {
				err = plan.Decode(env, again, stored, nil)
			}
			if err != nil {
				t.Errorf("%s %v: what was encoded does not decode: %v", rel, coords, err)
				continue
			}
			if !equal(first, again) {
				t.Errorf("%s %v: other elements", rel, coords)
			}
			chain := chainOf(array.Codecs)
			chains[chain]++
			if bytes.Equal(stored, src) {
				same++
			} else if isFixed(array.Codecs) {
				t.Errorf("%s %v: %d bytes that are not the reference's %d, by %s", rel, coords, len(stored), len(src), chain)
			}
		}
		return nil
	}))
	for feature, n := range refused {
		if name := strings.TrimPrefix(feature, "writing with the codec "); !slices.Contains(readOnly, strings.TrimPrefix(name, "numcodecs.")) {
			t.Errorf("unsupported: %s (%d chunks)", feature, n)
		}
	}
	if chunks < 2000 || same < 1000 {
		t.Errorf("only %d chunks, of which %d have the same bytes", chunks, same)
	}
	t.Logf("%d chunks, %d chains, %d with the very same bytes", chunks, len(chains), same)
}

func equal(a, b ndarray.Block) bool {
	return bytes.Equal(a.Data, b.Data) && slices.EqualFunc(a.Items, b.Items, func(x, y []byte) bool {
		return bytes.Equal(x, y) && (x == nil) == (y == nil)
	})
}

// someChunks returns the coordinates of a few chunks of an array.
func someChunks(a *zarr.Array) [][]int64 {
	first, next := make([]int64, len(a.Shape)), make([]int64, len(a.Shape))
	if len(next) == 0 {
		return [][]int64{first}
	}
	next[len(next)-1] = 1
	return [][]int64{first, next}
}

// chainOf returns the names of a chain's codecs.
func chainOf(chain []meta.CodecSpec) string {
	var b strings.Builder
	for _, c := range chain {
		b.WriteString(" " + c.Name + strings.Join(strings.Fields(string(c.Config.Raw())), ""))
	}
	return b.String()
}

// planOf returns the plan for decoding and encoding an array's chunk.
func planOf(array *zarr.Array, coords []int64) (*codec.Plan, *codec.Pipeline, error) {
	shape, err := array.Grid.ChunkShape(coords)
	if err != nil {
		return nil, nil, err
	}
	about := codec.Array{Shape: make([]int, len(shape)), Type: array.Type, Fill: array.Fill}
	for i, n := range shape {
		about.Shape[i] = int(n)
	}
	p, err := writing.Codecs().Pipeline(array.Codecs, codec.Build{Format: array.Metadata().Format, Array: about, Limits: codec.Limits{}.WithDefaults()})
	if err != nil {
		return nil, nil, err
	}
	plan, err := p.Plan(about)
	return plan, p, err
}
