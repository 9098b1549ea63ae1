package rechunk_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/tests/rounds"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs/writing"
	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/internal/killed"
	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/rechunk"
	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/units"
)

// tree creates random groups and arrays below the path "from" of a hierarchy.
func tree(t *testing.T, h *zarr.Hierarchy, rnd *rand.Rand) {
	t.Helper()
	format := 2 + rnd.IntN(2)
	groups := []string{"from"}
	for i := range rnd.IntN(4) {
		groups = append(groups, store.Join(groups[rnd.IntN(len(groups))], fmt.Sprintf("g%d", i)))
	}
	for i, path := range groups {
		if _, err := h.CreateGroup(t.Context(), path, zarr.GroupSpec{Format: format, Attributes: map[string]any{"n": i, "x": 1.5}}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range rnd.IntN(5) {
		s := zarr.ArraySpec{Format: format, DType: "<i2", Fill: 3}
		for range rnd.IntN(4) {
			s.Shape, s.Chunks = append(s.Shape, rnd.Int64N(40)), append(s.Chunks, 1+rnd.Int64N(20))
		}
		a, err := h.Create(t.Context(), store.Join(groups[rnd.IntN(len(groups))], fmt.Sprintf("a%d", i)), s)
		if err == nil && rnd.IntN(4) > 0 {
			n := int64(1)
			for _, length := range s.Shape {
				n *= length
			}
			values := make([]int16, n)
			for k := range values {
				values[k] = int16(rnd.IntN(5))
			}
			err = a.Set(t.Context(), nil, values, zarr.WriteOptions{})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// A group without a change is copied to the objects that zarr.Copy writes. With other chunks each
// array is copied to the objects of its own copy. A run that was killed after random numbers of
// writes, and repeated, writes them too.
func TestGroupsAreCopiedAsTheirArraysAreWhateverIsKilled(t *testing.T) {
	killings, arrays := 0, 0
	for i := range rounds.Each(80) {
		rnd := rand.New(rand.NewPCG(uint64(i), 8))
		from := zarr.New(memstore.New(nil), writing.Codecs(), zarr.Options{})
		tree(t, from, rnd)
		opt := rechunk.Options{Options: units.Options{Memory: int64(2000 + rnd.IntN(40_000)), Workers: 3, JournalInterval: time.Hour}}
		if i%2 == 0 {
			opt.JournalInterval = -1
		}
		changes := i%3 > 0
		if seed := rnd.Uint64(); changes {
			opt.Array = func(path string, s *zarr.ArraySpec) {
				rnd := rand.New(rand.NewPCG(seed, uint64(len(path))))
				for d := range s.Chunks {
					s.Chunks[d] = 1 + rnd.Int64N(25)
				}
			}
		}
		src, err := from.Open(t.Context(), "from", zarr.OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		run := func(st *killed.Store) error {
			r, err := rechunk.New(t.Context(), src, zarr.New(st, writing.Codecs(), zarr.Options{}), "to", opt)
			if err == nil {
				_, err = r.Run(t.Context())
			}
			return err
		}
		whole := killed.New(nil, 1<<30)
		var few *units.MemoryError
		if err := run(whole); errors.As(err, &few) {
			continue
		} else if err != nil {
			t.Fatalf("seed %d: %v", i, err)
		}
		other := killed.New(nil, 1<<30)
		to := zarr.New(other, writing.Codecs(), zarr.Options{})
		if !changes {
			if _, err := zarr.Copy(t.Context(), src, to, "to", zarr.CopyOptions{}); err != nil {
				t.Fatal(err)
			}
		} else {
			err := zarr.Each(t.Context(), src, func(n zarr.Node, path string) error {
				a, ok := n.(*zarr.Array)
				if !ok {
					return to.CommitGroup(t.Context(), store.Join("to", path), n.(*zarr.Group), 0)
				}
				arrays++
				single := opt
				if opt.Array != nil {
					single.Array = func(_ string, s *zarr.ArraySpec) { opt.Array(path, s) }
				}
				r, err := rechunk.New(t.Context(), a, to, store.Join("to", path), single)
				if err == nil {
					_, err = r.Run(t.Context())
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		equalObjects(t, fmt.Sprintf("seed %d, beside copies of its arrays", i), whole.Objects(), other.Objects())

		objects := map[string][]byte{}
		for kills := 0; ; kills++ {
			st := killed.New(objects, 1+rnd.IntN(10+2*kills))
			err := run(st)
			objects = st.Objects()
			if err == nil {
				break
			}
			if !errors.Is(err, killed.ErrKilled) || kills > 2000 {
				t.Fatalf("seed %d: %v", i, err)
			}
			killings++
		}
		equalObjects(t, fmt.Sprintf("seed %d, killed", i), objects, whole.Objects())
	}
	if killings == 0 || arrays == 0 {
		t.Errorf("%d runs were killed, %d arrays", killings, arrays)
	}
}

func equalObjects(t *testing.T, of string, got, want map[string][]byte) {
	t.Helper()
	if !maps.EqualFunc(got, want, bytes.Equal) {
		t.Errorf("%s: %v, want %v", of, slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
	}
}
