package zarr_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs/writing"
)

// stepwise is a store in memory that deletes objects one by one, like directories and buckets. Its
// n-th change fails, and so do all later ones.
type stepwise struct{ failingWrites }

func (s *stepwise) DeletesAtomically() bool { return false }

func newStepwise(objects map[string][]byte, left int) *stepwise {
	return &stepwise{failingWrites{Store: memstore.New(objects), left: left}}
}

func objectsOf(t *testing.T, st interface {
	store.Lister
	store.Source
}) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	for _, key := range keys(t, st, "") {
		all[key] = must.Get(st.Read(t.Context(), key, store.Ask{}))(t).Bytes
	}
	return all
}

// randomTree makes a hierarchy below path, and returns the elements of each array by its path below
// that.
func randomTree(ctx context.Context, h *zarr.Hierarchy, r *rand.Rand, path string, format int) (map[string][]byte, error) {
	values := map[string][]byte{}
	if _, err := h.CreateGroup(ctx, path, zarr.GroupSpec{Format: format, Attributes: map[string]any{"a": 1}}); err != nil {
		return nil, err
	}
	folders := []string{""}
	for i := range 1 + r.IntN(5) {
		name := folders[r.IntN(len(folders))] + string(rune('a'+i))
		if r.IntN(3) == 0 {
			if _, err := h.CreateGroup(ctx, store.Join(path, name), zarr.GroupSpec{Format: format}); err != nil {
				return nil, err
			}
			folders = append(folders, name+"/")
			continue
		}
		n := int64(1 + r.IntN(6))
		spec := zarr.ArraySpec{Format: format, Shape: []int64{n}, Chunks: []int64{int64(1 + r.IntN(3))}, DType: "uint8", Codecs: quick}
		a, err := h.Create(ctx, store.Join(path, name), spec)
		if err != nil {
			return nil, err
		}
		data := make([]byte, n)
		for k := range data {
			data[k] = byte(1 + r.IntN(255))
		}
		if err := a.Set(ctx, nil, data, zarr.WriteOptions{}); err != nil {
			return nil, err
		}
		values[name] = data
	}
	return values, nil
}

// compareTree returns how many arrays of a tree exist, and an error for one with other elements.
func compareTree(ctx context.Context, h *zarr.Hierarchy, path string, values map[string][]byte) (int, error) {
	there := 0
	for name, want := range values {
		a, err := h.OpenArray(ctx, store.Join(path, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return 0, err
		}
		res, err := a.Read(ctx, nil, zarr.ReadOptions{})
		if err != nil {
			return 0, err
		}
		if !bytes.Equal(res.Data, want) {
			return 0, fmt.Errorf("%s/%s has %v, not %v", path, name, res.Data, want)
		}
		there++
	}
	return there, nil
}

// eachStep calls f for random trees at "from" in both versions. The store fails at its n-th change,
// for every n until nothing fails. It returns the number of failed changes.
func eachStep(t *testing.T, f func(name string, st *stepwise, values map[string][]byte)) int {
	failures := 0
	for seed := range uint64(40) {
		format := 2 + int(seed%2)
		plain := memstore.New(nil)
		values := must.Get(randomTree(t.Context(), zarr.New(plain, writing.Codecs(), zarr.Options{}), rand.New(rand.NewPCG(seed, 1)), "from", format))(t)
		objects := objectsOf(t, plain)
		for n := 0; ; n++ {
			st := newStepwise(objects, n)
			f(fmt.Sprintf("seed %d, change %d", seed, n), st, values)
			if t.Failed() {
				return failures
			}
			if !st.failed {
				break
			}
			failures++
		}
	}
	return failures
}

// TestMoveThatFailsAtAnyChangeKeepsOneWholeTree fails a move at each of its changes. An array at
// the new path then has all its elements, one of the paths has all arrays, and the move can be
// completed.
func TestMoveThatFailsAtAnyChangeKeepsOneWholeTree(t *testing.T) {
	ctx := t.Context()
	failures := eachStep(t, func(name string, st *stepwise, values map[string][]byte) {
		err := zarr.New(st, writing.Codecs(), zarr.Options{}).Move(ctx, "from", "x/to")
		if st.failed != (err != nil) || err != nil && !errors.Is(err, errFull) {
			t.Errorf("%s: %v", name, err)
			return
		}
		h := zarr.New(st.Store, writing.Codecs(), zarr.Options{})
		moved, err := compareTree(ctx, h, "x/to", values)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		// The old tree loses chunks only when the new one is complete.
		old, err := compareTree(ctx, h, "from", values)
		if moved < len(values) && (err != nil || old < len(values)) {
			t.Errorf("%s: %d and %d of %d arrays are there: %v", name, old, moved, len(values), err)
		}
		if !st.failed && old > 0 {
			t.Errorf("%s: %d arrays are still at the old path", name, old)
		}
		if !st.failed {
			return
		}
		// A repeated move either completes, or finds the node at the new path; then the old one is
		// deleted.
		if err := h.Move(ctx, "from", "x/to"); errors.Is(err, fs.ErrExist) {
			err = h.Delete(ctx, "from")
			if err != nil {
				t.Errorf("%s: delete after the move: %v", name, err)
			}
		} else if err != nil {
			t.Errorf("%s: the move repeated: %v", name, err)
		}
		if moved, err := compareTree(ctx, h, "x/to", values); err != nil || moved != len(values) {
			t.Errorf("%s: then %d of %d arrays, %v", name, moved, len(values), err)
		}
		for _, key := range keys(t, st.Store, "") {
			if strings.HasPrefix(key, "from") {
				t.Errorf("%s: then there is still %s", name, key)
			}
		}
	})
	t.Logf("%d failures", failures)
	if failures < 500 {
		t.Errorf("only %d changes failed", failures)
	}
}

// TestDeleteThatFailsAtAnyChangeCanBeRepeated fails a deletion at each of its changes. Remaining
// arrays may be incomplete, since their chunks go first. A second deletion leaves nothing, and a
// new array has no old elements even without it.
func TestDeleteThatFailsAtAnyChangeCanBeRepeated(t *testing.T) {
	ctx := t.Context()
	failures := eachStep(t, func(name string, st *stepwise, values map[string][]byte) {
		err := zarr.New(st, writing.Codecs(), zarr.Options{}).Delete(ctx, "from")
		if st.failed != (err != nil) || err != nil && !errors.Is(err, errFull) {
			t.Errorf("%s: %v", name, err)
			return
		}
		left := objectsOf(t, st.Store)
		for array, old := range values {
			h := zarr.New(memstore.New(left), writing.Codecs(), zarr.Options{})
			spec := zarr.ArraySpec{Format: 3, Shape: []int64{int64(len(old))}, Chunks: []int64{1}, DType: "uint8", Codecs: quick}
			a, err := h.Create(ctx, store.Join("from", array), spec)
			if errors.Is(err, fs.ErrExist) {
				continue
			}
			if err != nil {
				t.Errorf("%s: create: %v", name, err)
				continue
			}
			if res := must.Get(a.Read(ctx, nil, zarr.ReadOptions{}))(t); !bytes.Equal(res.Data, make([]byte, len(old))) {
				t.Errorf("%s: a new array at %s has %v", name, array, res.Data)
			}
		}
		if st.failed {
			err = zarr.New(st.Store, writing.Codecs(), zarr.Options{}).Delete(ctx, "from")
		}
		if err != nil {
			t.Errorf("%s: repeated: %v", name, err)
		}
		for _, key := range keys(t, st.Store, "") {
			if strings.HasPrefix(key, "from") {
				t.Errorf("%s: there is still %s", name, key)
			}
		}
	})
	t.Logf("%d failures", failures)
	if failures < 300 {
		t.Errorf("only %d changes failed", failures)
	}
}

// TestStaleConsolidatedMetadataNeverGiveWrongElements reads by consolidated metadata while another
// hierarchy changes arrays and does not consolidate again. A read returns the elements of the
// described array, or an error that names the change.
func TestStaleConsolidatedMetadataNeverGiveWrongElements(t *testing.T) {
	ctx := t.Context()
	reads, stale := 0, 0
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 2))
		format := 2 + int(seed%2)
		st := memstore.New(nil)
		writer := zarr.New(st, writing.Codecs(), zarr.Options{})
		values := must.Get(randomTree(ctx, writer, r, "", format))(t)
		must.Get(writer.ConsolidateMetadata(ctx, ""))(t)
		// Each round has a fresh reader: this test is not about its caches.
		for range 6 {
			other := zarr.New(st, writing.Codecs(), zarr.Options{})
			for name, now := range values {
				switch r.IntN(4) {
				case 0: // other elements
					a := must.Get(other.OpenArray(ctx, name))(t)
					for i := range now {
						now[i] = byte(1 + r.IntN(255))
					}
					must.Do(t, a.Set(ctx, nil, now, zarr.WriteOptions{}))
				case 1: // another length
					n := 1 + r.IntN(6)
					a := must.Get(other.OpenArray(ctx, name))(t)
					must.Get(a.Resize(ctx, int64(n)))(t)
					values[name] = append(now, make([]byte, max(0, n-len(now)))...)[:n]
				case 2: // deleted
					must.Do(t, other.Delete(ctx, name))
					delete(values, name)
				}
			}
			reader := zarr.New(st, writing.Codecs(), zarr.Options{})
			g := must.Get(reader.OpenGroup(ctx, ""))(t)
			if g.Metadata().Consolidated == nil {
				continue // the writer dropped them
			}
			for _, path := range g.Metadata().Consolidated.Paths {
				a, err := reader.OpenArray(ctx, path)
				if err != nil {
					if _, there := values[path]; there {
						t.Errorf("seed %d: %s: %v", seed, path, err)
					}
					continue
				}
				res, err := a.Read(ctx, nil, zarr.ReadOptions{})
				if err != nil {
					t.Errorf("seed %d: %s: %v", seed, path, err)
					continue
				}
				reads++
				now, there := values[path]
				if !there || len(now) != len(res.Data) {
					stale++
				}
				// Elements outside the stored part read as fill; the others equal the stored ones.
				for i, v := range res.Data {
					want := byte(0)
					if there && i < len(now) {
						want = now[i]
					}
					if v != want {
						t.Fatalf("seed %d: %s reads %v by stale metadata; it has %v", seed, path, res.Data, now)
					}
				}
			}
		}
	}
	t.Logf("%d reads, %d by stale metadata", reads, stale)
	if reads < 1000 {
		t.Errorf("only %d reads", reads)
	}
}
