package zarr_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs/writing"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

// interrupted is a store that fails from one of its changes on. The first failing change may still
// take effect.
type interrupted struct {
	*memstore.Store
	left    int // changes that succeed
	makes   bool
	changes int
}

var errInterrupted = errors.New("interrupted")

func (s *interrupted) change(make func() error) error {
	s.changes++
	if s.left--; s.left >= 0 {
		return make()
	}
	if s.left == -1 && s.makes {
		_ = make()
	}
	return errInterrupted
}

func (s *interrupted) Set(ctx context.Context, name string, data []byte) error {
	return s.change(func() error { return s.Store.Set(ctx, name, data) })
}

func (s *interrupted) Delete(ctx context.Context, name string) error {
	return s.change(func() error { return s.Store.Delete(ctx, name) })
}

// forever exceeds the number of changes.
const forever = 1 << 30

// hierarchyOf returns the objects of a random hierarchy; in version 1, of one array.
func hierarchyOf(t *testing.T, r random, format int) map[string][]byte {
	t.Helper()
	ctx := t.Context()
	st, h := writable(t)
	if format == 1 {
		objects := map[string][]byte{
			"meta": []byte(`{"zarr_format": 1, "shape": [4], "chunks": [2], "dtype": "<i2", "compression": "zlib", "compression_opts": 1, "fill_value": 7, "order": "C"}`),
		}
		if r.IntN(2) == 0 {
			objects["attrs"] = []byte(`{"x": [1, {"b": 2, "a": 1.50}]}`)
		}
		return objects
	}
	attributes := func() map[string]any {
		if r.IntN(3) == 0 {
			return nil
		}
		return map[string]any{"n": r.IntN(9), "list": []any{1.5, "ä", nil}}
	}
	var make func(path string, depth int)
	make = func(path string, depth int) {
		if depth > 0 && (path == "" || r.IntN(2) == 0) {
			must.Get(h.CreateGroup(ctx, path, zarr.GroupSpec{Format: 2, Attributes: attributes()}))(t)
			for i := range r.IntN(4) {
				make(store.Join(path, fmt.Sprint("n", i)), depth-1)
			}
			if r.IntN(3) == 0 {
				must.Get(h.ConsolidateMetadata(ctx, path))(t)
			}
			return
		}
		spec := zarr.ArraySpec{Format: 2, Shape: []int64{4, 3}, Chunks: []int64{2, 3}, DType: []string{"<i2", ">f8", "|b1"}[r.IntN(3)], Attributes: attributes()}
		spec.Order, spec.Separator = []string{"C", "F"}[r.IntN(2)], []string{".", "/"}[r.IntN(2)]
		spec.Codecs = [][]zarr.Codec{nil, {}, quick, {{"zlib", map[string]any{"level": 1}}}}[r.IntN(4)]
		if r.IntN(2) == 0 {
			spec.DimensionNames = []string{"y", "x"}
		}
		a := must.Get(h.Create(ctx, path, spec))(t)
		var value any = 1
		if spec.DType == "|b1" {
			value = true
		}
		must.Do(t, a.Set(ctx, []grid.Item{grid.At(int64(r.IntN(4)))}, value, zarr.WriteOptions{}))
	}
	make("", r.IntN(4))
	return objectsOf(t, st)
}

func hierarchyAt(st store.Source) *zarr.Hierarchy {
	return zarr.New(st, writing.Codecs(), zarr.Options{})
}

// elements reads all arrays of objects, by path.
func elements(t *testing.T, objects map[string][]byte) map[string]string {
	t.Helper()
	h, all := hierarchyAt(memstore.New(maps.Clone(objects))), map[string]string{}
	for key := range objects {
		at := strings.LastIndexByte(key, '/')
		path, name := key[:max(at, 0)], key[at+1:]
		if name != "meta" && name != ".zarray" && name != "zarr.json" {
			continue
		}
		n := must.Get(h.Open(t.Context(), path, zarr.OpenOptions{}))(t)
		if a, ok := n.(*zarr.Array); ok {
			all[path] = fmt.Sprint(must.Get(a.Read(t.Context(), nil, zarr.ReadOptions{}))(t).Data, string(a.Metadata().Attributes.Get("n").Raw()), a.DimensionNames)
		}
	}
	return all
}

// TestMigrateIsRepeatedAfterAnyInterruption interrupts migrations of random hierarchies at each of
// their changes, and at several in sequence. The last change may take effect or not. Everything
// stays readable. A repetition gives the result of an uninterrupted migration, and a further one
// has nothing to do.
func TestMigrateIsRepeatedAfterAnyInterruption(t *testing.T) {
	ctx := t.Context()
	interruptions := 0
	for seed := range uint64(60) {
		r := random{rand.New(rand.NewPCG(seed, 7))}
		from := 1 + min(1, r.IntN(6))
		objects := hierarchyOf(t, r, from)
		before := elements(t, objects)
		whole := &interrupted{Store: memstore.New(maps.Clone(objects)), left: forever}
		nodes, err := hierarchyAt(whole).Migrate(ctx, "", from+1)
		if err != nil || nodes == 0 {
			t.Fatalf("seed %d: %d nodes, %v", seed, nodes, err)
		}
		want, changes := objectsOf(t, whole.Store), whole.changes
		for key := range want {
			if name := key[strings.LastIndexByte(key, '/')+1:]; from == 2 && strings.HasPrefix(name, ".z") || name == "meta" || name == "attrs" {
				t.Errorf("seed %d: %s is left", seed, key)
			}
		}
		check := func(what string, st *interrupted) {
			t.Helper()
			st.left, st.changes = forever, 0
			if n, err := hierarchyAt(st).Migrate(ctx, "", from+1); err != nil {
				t.Fatalf("seed %d: %s: repeated: %d nodes, %v", seed, what, n, err)
			}
			if got := objectsOf(t, st.Store); !maps.EqualFunc(got, want, bytes.Equal) {
				t.Fatalf("seed %d: %s: there is %v, want %v", seed, what, slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
			}
			st.changes = 0
			if n, err := hierarchyAt(st).Migrate(ctx, "", from+1); n != 0 || err != nil || st.changes != 0 {
				t.Fatalf("seed %d: %s: when it is done: %d nodes, %d changes, %v", seed, what, n, st.changes, err)
			}
		}
		check("not interrupted", whole)
		readable := func(what string, st *interrupted) {
			t.Helper()
			if got := elements(t, objectsOf(t, st.Store)); !maps.Equal(got, before) {
				t.Fatalf("seed %d: %s: arrays are %v, want %v", seed, what, got, before)
			}
		}
		for k := range changes {
			for _, makes := range []bool{false, true} {
				st := &interrupted{Store: memstore.New(maps.Clone(objects)), left: k, makes: makes}
				if _, err := hierarchyAt(st).Migrate(ctx, "", from+1); !errors.Is(err, errInterrupted) {
					t.Fatalf("seed %d: change %d: %v", seed, k, err)
				}
				interruptions++
				what := fmt.Sprint("change ", k, ", made: ", makes)
				readable(what, st)
				check(what, st)
			}
		}
		st := &interrupted{Store: memstore.New(maps.Clone(objects))}
		for tries := 0; ; tries++ {
			st.left, st.makes = 1+r.IntN(3), r.IntN(2) == 0
			_, err := hierarchyAt(st).Migrate(ctx, "", from+1)
			readable(fmt.Sprint("try ", tries), st)
			if err == nil {
				break
			}
			interruptions++
			if !errors.Is(err, errInterrupted) || tries > 2*changes {
				t.Fatalf("seed %d: try %d: %v", seed, tries, err)
			}
		}
		check("several times", st)
	}
	t.Logf("%d interruptions", interruptions)
	if interruptions < 1000 {
		t.Errorf("only %d interruptions", interruptions)
	}
}

// TestMigrateKeepsConsolidatedMetadata migrates groups with consolidated metadata. They have it in
// the new version, and it agrees with the nodes.
func TestMigrateKeepsConsolidatedMetadata(t *testing.T) {
	ctx := t.Context()
	h := family(t, 2)
	must.Get(h.ConsolidateMetadata(ctx, "g"))(t)
	must.Get(h.Migrate(ctx, "", 3))(t)
	if g := must.Get(h.Open(ctx, "g", zarr.OpenOptions{Fresh: true}))(t); g.Metadata().Consolidated == nil || !slices.Equal(g.Metadata().Consolidated.Paths, []string{"b", "h", "h/c"}) {
		t.Errorf("the group has %+v", g.Metadata().Consolidated)
	}
	if g := must.Get(h.Open(ctx, "", zarr.OpenOptions{Fresh: true}))(t); g.Metadata().Consolidated != nil {
		t.Errorf("the root has %+v", g.Metadata().Consolidated)
	}
}

// TestMigrateRefusesNodesOfTwoVersionsThatDiffer migrates such nodes: neither version may be lost.
func TestMigrateRefusesNodesOfTwoVersionsThatDiffer(t *testing.T) {
	ctx := t.Context()
	for name, change := range map[string]func(h *zarr.Hierarchy) error{
		"attributes": func(h *zarr.Hierarchy) error {
			n, err := h.Open(ctx, "a", zarr.OpenOptions{Format: 3})
			if err == nil {
				_, err = zarr.UpdateAttributes(ctx, n, map[string]any{"other": 1})
			}
			return err
		},
		"shape": func(h *zarr.Hierarchy) error {
			n, err := h.Open(ctx, "a", zarr.OpenOptions{Format: 3})
			if err == nil {
				_, err = n.(*zarr.Array).Resize(ctx, 9)
			}
			return err
		},
		"kind": func(h *zarr.Hierarchy) error {
			_, err := h.CreateGroup(ctx, "b", zarr.GroupSpec{Format: 3})
			return err
		},
	} {
		st, h := writable(t)
		must.Get(h.CreateGroup(ctx, "", zarr.GroupSpec{Format: 2}))(t)
		for _, path := range []string{"a", "b"} {
			must.Get(h.Create(ctx, path, zarr.ArraySpec{Format: 2, Shape: []int64{4}, DType: "<i2", Attributes: map[string]any{"n": 1}}))(t)
		}
		kept := objectsOf(t, st)
		must.Get(h.Migrate(ctx, "", 3))(t)
		if name == "kind" {
			must.Do(t, h.Delete(ctx, "b"))
		}
		h = hierarchyAt(st)
		if err := change(h); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for key, data := range kept {
			must.Do(t, st.Set(ctx, key, data))
		}
		both := objectsOf(t, st)
		n, err := hierarchyAt(st).Migrate(ctx, "", 3)
		if !errors.As(err, new(*zarr.ExistsError)) || !strings.Contains(err.Error(), "contradicts that of version 2") || n != 0 {
			t.Errorf("%s: %d, %v", name, n, err)
		}
		if got := objectsOf(t, st); !maps.EqualFunc(got, both, bytes.Equal) {
			t.Errorf("%s: something was changed", name)
		}
	}
}

// TestMigrateSaysWhatIsThereInstead migrates nodes of neither version.
func TestMigrateSaysWhatIsThereInstead(t *testing.T) {
	ctx := t.Context()
	_, h := writable(t)
	must.Get(h.Create(ctx, "three", zarr.ArraySpec{Shape: []int64{1}}))(t)
	if _, err := h.Migrate(ctx, "three", 2); !errors.As(err, new(*zarr.UnsupportedError)) || !strings.Contains(err.Error(), "version 3 to version 2") {
		t.Errorf("down: %v", err)
	}
	if _, err := h.Migrate(ctx, "nothing", 3); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing: %v", err)
	}
	one := hierarchyAt(memstore.New(hierarchyOf(t, random{rand.New(rand.NewPCG(1, 1))}, 1)))
	if _, err := one.Migrate(ctx, "", 3); !errors.As(err, new(*zarr.UnsupportedError)) || !strings.Contains(err.Error(), "version 1 to version 3") {
		t.Errorf("two steps at once: %v", err)
	}
}
