package rechunk_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/tests/rounds"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs/writing"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/internal/killed"
	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/rechunk"
	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/units"
)

func Example() {
	ctx := context.Background()
	h := zarr.New(memstore.New(nil), writing.Codecs(), zarr.Options{})
	images, _ := h.Full(ctx, "images", 7, zarr.ArraySpec{Shape: []int64{1000, 100, 100}, Chunks: []int64{1, 100, 100}, DType: "uint8"})
	r, _ := rechunk.New(ctx, images, h, "series", rechunk.Options{
		Array:   func(_ string, spec *zarr.ArraySpec) { spec.Chunks = []int64{1000, 4, 4} },
		Options: units.Options{Memory: 2 << 20, Workers: 2},
	})
	for _, p := range r.Plans[0].Passes {
		fmt.Println(p.Name, p.Units, "units of", p.Box)
	}
	fmt.Println(r.Plans[0].Temporary, "temporary bytes; one pass would read each chunk", r.Plans[0].OnePassReads, "times")
	_, err := r.Run(ctx)
	fmt.Println(err)
	// Output:
	// to temporary 16 units of [64 100 100]
	// from temporary 28 units of [1000 32 16]
	// 10000000 temporary bytes; one pass would read each chunk 28 times
	// <nil>
}

// random is an array with random chunks, and the options of a random copy.
type random struct {
	spec, to zarr.ArraySpec
	memory   int64
	seed     uint64
}

func (r random) String() string {
	return fmt.Sprintf("seed %d: %s %v, chunks %v shards %v edges %v order %s -> chunks %v shards %v edges %v, %d bytes", r.seed, r.spec.DType, r.spec.Shape,
		r.spec.Chunks, r.spec.Shards, r.spec.ChunkEdges, r.spec.Order, r.to.Chunks, r.to.Shards, r.to.ChunkEdges, r.memory)
}

var types = []string{"bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64", "complex64", "complex128", "numpy.datetime64", "string"}

func randomCase(seed uint64) random {
	rnd := rand.New(rand.NewPCG(seed, 32))
	r := random{seed: seed}
	rank := 1 + rnd.IntN(4)
	most := []int64{4000, 90, 24, 11}[rank-1]
	layout := func(s *zarr.ArraySpec) {
		for _, n := range r.spec.Shape {
			s.Chunks = append(s.Chunks, 1+rnd.Int64N(max(1, n)))
		}
		switch kind := rnd.IntN(4); {
		case kind == 0 && s.Format == 3:
			for _, c := range s.Chunks {
				s.Shards = append(s.Shards, c*(1+rnd.Int64N(3)))
			}
		case kind == 1 && s.Format == 3:
			for _, n := range r.spec.Shape {
				edges := []grid.Run{}
				for at := int64(0); at < n; {
					run := grid.Run{Size: 1 + rnd.Int64N(max(1, n/2)), Count: 1 + rnd.Int64N(2)}
					edges = append(edges, run)
					at += run.Size * run.Count
				}
				s.ChunkEdges = append(s.ChunkEdges, edges)
			}
			s.Chunks = nil
		}
	}
	for range rank {
		r.spec.Shape = append(r.spec.Shape, 1+rnd.Int64N(most))
	}
	r.spec.Format, r.to.Format = 2+rnd.IntN(2), 2+rnd.IntN(2)
	r.spec.DType = types[rnd.IntN(len(types))]
	if r.spec.DType == "numpy.datetime64" {
		r.spec.DType = `{"name":"numpy.datetime64","configuration":{"unit":"s","scale_factor":1}}`
	}
	if rnd.IntN(3) == 0 && r.spec.DType != "string" {
		r.spec.Order = "F"
	}
	layout(&r.spec)
	layout(&r.to)
	r.memory = int64(4<<10) << rnd.IntN(8)
	return r
}

// make creates the array, with some chunks absent.
func (r random) make(t *testing.T, h *zarr.Hierarchy) *zarr.Array {
	t.Helper()
	rnd := rand.New(rand.NewPCG(r.seed, 33))
	a, err := h.Create(t.Context(), "from", r.spec)
	if err != nil {
		t.Fatalf("%v: %v", r, err)
	}
	for range 1 + rnd.IntN(3) {
		var sel []grid.Item
		var shape []int
		for _, n := range a.Shape {
			from := rnd.Int64N(n)
			to := from + 1 + rnd.Int64N(n-from)
			sel, shape = append(sel, grid.Range(&from, &to, nil)), append(shape, int(to-from))
		}
		b := ndarray.New(shape, a.Type.Size, a.Type.Variable())
		for i := range b.Data {
			b.Data[i] = byte(rnd.IntN(3))
			if r.spec.DType == "bool" {
				b.Data[i] &= 1
			}
		}
		for i := range b.Items {
			b.Items[i] = bytes.Repeat([]byte("x"), rnd.IntN(4))
		}
		if err := a.Set(t.Context(), sel, b, zarr.WriteOptions{}); err != nil {
			t.Fatalf("%v: %v", r, err)
		}
	}
	return a
}

func (r random) options() rechunk.Options {
	return rechunk.Options{
		Format: r.to.Format,
		Array: func(_ string, s *zarr.ArraySpec) {
			s.Chunks, s.Shards, s.ChunkEdges, s.ShardEdges = r.to.Chunks, r.to.Shards, r.to.ChunkEdges, nil
		},
		Options: units.Options{Memory: r.memory, Workers: 3, JournalInterval: -1},
	}
}

func equal(a, b *zarr.Result) bool {
	return slices.Equal(a.Shape, b.Shape) && bytes.Equal(a.Data, b.Data) && slices.EqualFunc(a.Items, b.Items, bytes.Equal)
}

// TestCopiesHaveEqualElementsWithinTheBound rechunks random arrays. The copy has equal elements,
// and the units hold no more memory than the bound.
func TestCopiesHaveEqualElementsWithinTheBound(t *testing.T) {
	passes := map[int]int{}
	var refused, held int
	for i := range rounds.Each(400) {
		r := randomCase(uint64(i))
		st := memstore.New(nil)
		h := zarr.New(st, writing.Codecs(), zarr.Options{})
		a := r.make(t, h)
		work, err := rechunk.New(t.Context(), a, h, "to", r.options())
		var few *units.MemoryError
		if errors.As(err, &few) {
			if few.Need <= few.Max {
				t.Errorf("%v: refused: %v", r, err)
			}
			refused++
			continue
		}
		if err != nil {
			t.Fatalf("%v: %v", r, err)
		}
		stats, err := work.Run(t.Context())
		if err != nil {
			t.Fatalf("%v: %v", r, err)
		}
		if stats.Peak > r.memory {
			t.Errorf("%v: %d bytes were held", r, stats.Peak)
		}
		if stats.Peak > r.memory/4 {
			held++
		}
		passes[len(work.Plans[0].Passes)]++
		b, err := zarr.New(st, writing.Codecs(), zarr.Options{}).OpenArray(t.Context(), "to")
		if err != nil {
			t.Fatalf("%v: %v", r, err)
		}
		want, err1 := a.Read(t.Context(), nil, zarr.ReadOptions{})
		got, err2 := b.Read(t.Context(), nil, zarr.ReadOptions{})
		if err := errors.Join(err1, err2); err != nil {
			t.Fatalf("%v: %v", r, err)
		}
		if !equal(want, got) {
			t.Fatalf("%v: other elements after %+v", r, work.Plans)
		}
		names, err := st.List(t.Context(), "to")
		if err != nil || slices.Contains(names, units.Journal) || slices.Contains(names, ".zarr-temporary/") {
			t.Errorf("%v: %v remains: %v", r, names, err)
		}
	}
	t.Logf("passes: %v, refused: %d, used a quarter of the bound: %d", passes, refused, held)
	if passes[1] < rounds.Of(40) || passes[2] < rounds.Of(8) || held < rounds.Of(40) {
		t.Errorf("the cases do not cover both plans: %v", passes)
	}
}

// TestKilledCopiesContinueToEqualObjects kills random copies after random numbers of writes, again
// and again. The last run's objects are those of a copy that was never killed.
func TestKilledCopiesContinueToEqualObjects(t *testing.T) {
	resumed := int64(0)
	for i := range rounds.Each(100) {
		seed := uint64(i)
		r := randomCase(seed)
		from := memstore.New(nil)
		a := r.make(t, zarr.New(from, writing.Codecs(), zarr.Options{}))
		run := func(st *killed.Store) (units.Stats, error) {
			opt := r.options()
			if seed%2 == 0 { // the journal is written at the start and the end only
				opt.JournalInterval = time.Hour
			}
			work, err := rechunk.New(t.Context(), a, zarr.New(st, writing.Codecs(), zarr.Options{}), "to", opt)
			if err != nil {
				return units.Stats{}, err
			}
			return work.Run(t.Context())
		}
		whole := killed.New(nil, 1<<30)
		if _, err := run(whole); err != nil {
			var few *units.MemoryError
			if errors.As(err, &few) {
				continue
			}
			t.Fatalf("%v: %v", r, err)
		}
		rnd := rand.New(rand.NewPCG(seed, 34))
		objects := map[string][]byte{}
		for kills := 0; ; kills++ {
			st := killed.New(objects, 1+rnd.IntN(20+2*kills))
			stats, err := run(st)
			resumed += stats.Resumed
			objects = st.Objects()
			if err == nil {
				break
			}
			if !errors.Is(err, killed.ErrKilled) {
				t.Fatalf("%v: %v", r, err)
			}
			if kills > 2000 {
				t.Fatalf("%v: no progress", r)
			}
		}
		want := whole.Objects()
		for name, b := range want {
			if !bytes.Equal(b, objects[name]) {
				t.Fatalf("%v: %s is %.100q, want %.100q", r, name, objects[name], b)
			}
		}
		if len(objects) != len(want) {
			t.Fatalf("%v: %d objects, want %d", r, len(objects), len(want))
		}
	}
	if resumed == 0 {
		t.Error("no unit was skipped")
	}
}

// TestReplacedTargetsAreWritten replaces an array by one with other chunks, in one hierarchy.
func TestReplacedTargetsAreWritten(t *testing.T) {
	h := zarr.New(memstore.New(nil), writing.Codecs(), zarr.Options{})
	a, err := h.Full(t.Context(), "a", 5, zarr.ArraySpec{Shape: []int64{10}, Chunks: []int64{2}, DType: "uint8"})
	if err == nil {
		err = a.Set(t.Context(), nil, 6, zarr.WriteOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, chunk := range []int64{3, 4} {
		opt := rechunk.Options{Array: func(_ string, s *zarr.ArraySpec) { s.Chunks = []int64{chunk} }}
		r, err := rechunk.New(t.Context(), a, h, "b", opt)
		if err != nil {
			t.Fatal(err)
		}
		var exists *zarr.ExistsError
		if _, err = r.Run(t.Context()); (chunk == 4) != errors.As(err, &exists) {
			t.Fatalf("%v", err)
		}
		if opt.IfExists = zarr.IfExistsReplace; chunk == 4 {
			if r, err = rechunk.New(t.Context(), a, h, "b", opt); err == nil {
				_, err = r.Run(t.Context())
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		b := must.Get(h.OpenArray(t.Context(), "b"))(t)
		res, err := b.Read(t.Context(), nil, zarr.ReadOptions{})
		if err != nil || b.Grid.ChunkShapes()[0] != chunk || !bytes.Equal(res.Data, bytes.Repeat([]byte{6}, 10)) {
			t.Errorf("%v, %v, %v", b.Grid.ChunkShapes(), res, err)
		}
	}
}

// unlisted is a store that cannot list, nor delete what it would have to list.
type unlisted struct{ *memstore.Store }

func (unlisted) List(context.Context, string) ([]string, error) { return nil, errors.ErrUnsupported }
func (unlisted) ListsAll() bool                                 { return false }
func (unlisted) DeleteAll(context.Context, string) error        { return errors.ErrUnsupported }

// TestTemporaryChunksAreDeletedWithoutLists rechunks in two passes.
func TestTemporaryChunksAreDeletedWithoutLists(t *testing.T) {
	st := unlisted{memstore.New(nil)}
	h := zarr.New(st, writing.Codecs(), zarr.Options{})
	a, err := h.Create(t.Context(), "a", zarr.ArraySpec{Shape: []int64{100, 50, 50}, Chunks: []int64{1, 50, 50}, DType: "uint8"})
	if err == nil {
		err = a.Set(t.Context(), nil, 3, zarr.WriteOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
	r := must.Get(rechunk.New(t.Context(), a, h, "b", rechunk.Options{
		Array:   func(_ string, s *zarr.ArraySpec) { s.Chunks = []int64{100, 2, 2} },
		Options: units.Options{Memory: 64 << 10},
	}))(t)
	if _, err := r.Run(t.Context()); err != nil || len(r.Plans[0].Passes) != 2 {
		t.Fatalf("%d passes: %v", len(r.Plans[0].Passes), err)
	}
	names, err := st.Store.List(t.Context(), "b")
	if err != nil || slices.ContainsFunc(names, func(n string) bool { return n != "c/" && n != "zarr.json" }) {
		t.Errorf("%v remains: %v", names, err)
	}
}
