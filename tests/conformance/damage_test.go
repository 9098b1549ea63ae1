package conformance

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/tests/chaos/spent"
	"github.com/zarr-wasm/zarr-wasm/tests/fixtures"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

// FuzzDamage overwrites and truncates one object of a fixture and reads the rest. The result is
// data or a named error, soon. tests/chaos does more of the same through the package.
func FuzzDamage(f *testing.F) {
	dir := fixtures.Dir(f)
	cases := damageable(f, dir)
	r := rand.New(rand.NewPCG(1, 1))
	for range 400 {
		with := make([]byte, r.IntN(10))
		for i := range with {
			with[i] = byte(r.Uint32() >> (8 * r.IntN(4)))
		}
		f.Add(uint16(r.Uint32()), uint8(r.Uint32()), uint32(r.IntN(1<<r.IntN(20))), with, uint32(r.IntN(1<<r.IntN(20))))
	}
	f.Fuzz(func(t *testing.T, which uint16, object uint8, at uint32, with []byte, cut uint32) {
		c := cases[int(which)%len(cases)]
		objects := map[string][]byte{}
		for _, key := range c.keys {
			b := must.Get(os.ReadFile(filepath.Join(c.dir, filepath.FromSlash(key))))(t)
			objects[key] = b
		}
		key := c.keys[int(object)%len(c.keys)]
		b := objects[key]
		if len(b) > 0 {
			copy(b[int(at)%len(b):], with)
			if cut%4 == 0 {
				b = b[:int(cut)%len(b)]
			}
		}
		objects[key] = b
		began := spent.Start()
		readDamaged(t, memstore.New(objects), c.array)
		if d := began.Took(); d > spent.Most {
			t.Errorf("%s: it took %v", key, d)
		}
	})
}

// damaged is a fixture in a directory: an array, and the keys that affect it.
type damaged struct {
	dir, array string
	keys       []string
}

func damageable(f *testing.F, dir string) []damaged {
	var all []damaged
	for _, c := range loadManifest(f, dir).Cases {
		if c.StoreKind != "dir" {
			continue
		}
		d := damaged{dir: filepath.Join(dir, filepath.FromSlash(c.Store)), array: c.Array}
		err := filepath.WalkDir(filepath.Join(d.dir, filepath.FromSlash(c.Array)), func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			key, err := filepath.Rel(d.dir, path)
			d.keys = append(d.keys, filepath.ToSlash(key))
			return err
		})
		if err == nil && len(d.keys) > 0 && len(d.keys) < 200 {
			all = append(all, d)
		}
	}
	if len(all) < 500 {
		f.Fatalf("%d fixtures can be damaged", len(all))
	}
	return all
}

// readDamaged calls every method of an array.
func readDamaged(t *testing.T, st store.Source, path string) {
	t.Helper()
	settled := func(what string, err error) bool {
		if err != nil && !hasName(err) {
			t.Errorf("%s: %T: %v", what, err, err)
		}
		return err == nil
	}
	ctx := t.Context()
	limits := codec.Limits{OutputBytes: 1 << 26, ChunkBytes: 1 << 26}
	h := zarr.New(st, codecs.Full(), zarr.Options{Limits: limits})
	n, err := h.Open(ctx, path, zarr.OpenOptions{})
	if g, ok := n.(*zarr.Group); ok && settled("open", err) {
		_, err := g.Members(ctx)
		settled("members", err)
	}
	a, ok := n.(*zarr.Array)
	if !settled("open", err) || !ok {
		return
	}
	_, err = a.Read(ctx, nil, zarr.ReadOptions{})
	settled("all of it", err)
	part := make([]grid.Item, len(a.Shape))
	points := make([][]int64, len(a.Shape))
	chunk := make([]int64, len(a.Shape))
	for d, n := range a.Shape {
		from, to, step := n/2, n/2+3, int64(1)
		part[d] = grid.Range(&from, &to, &step)
		points[d] = []int64{0, n - 1}
		chunk[d] = max(0, a.Grid.Counts()[d]-1)
	}
	_, err = a.Read(ctx, part, zarr.ReadOptions{})
	settled("a part", err)
	_, err = a.ReadPoints(ctx, points, zarr.ReadOptions{})
	settled("points", err)
	_, err = a.ReadChunk(ctx, chunk, zarr.ReadOptions{})
	settled("a chunk", err)
}

// hasName tells whether an error is one of those that the package documents.
func hasName(err error) bool {
	var invalid *zarr.InvalidSelectionError
	for _, kind := range strings.Fields("metadata unsupported-codec unsupported-dtype codec too-large not-found") {
		if ofKind(err, kind) {
			return true
		}
	}
	return errors.As(err, &invalid)
}
