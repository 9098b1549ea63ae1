package validate_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/tests/rounds"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs/writing"
	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/validate"
)

func Example() {
	ctx := context.Background()
	st := memstore.New(nil)
	h := zarr.New(st, writing.Codecs(), zarr.Options{})
	_, _ = h.Full(ctx, "", 1, zarr.ArraySpec{Shape: []int64{4}, Chunks: []int64{2}, DType: "uint8", Codecs: []zarr.Codec{}})
	_ = st.Set(ctx, "c/1", []byte("x"))
	n, _ := h.Open(ctx, "", zarr.OpenOptions{})
	c, _ := validate.New(ctx, n, validate.Options{Data: true})
	report, err := c.Run(ctx)
	fmt.Println(report.Nodes, report.Chunks, report.Errors(), err)
	// Output: 1 2 1 <nil>
}

// broken creates an array of random chunks and shards. It damages some objects, and returns the
// number of chunks, and of those that cannot be read.
func broken(t *testing.T, h *zarr.Hierarchy, st *memstore.Store, path string, rnd *rand.Rand) (chunks, bad int64) {
	t.Helper()
	s := zarr.ArraySpec{DType: "uint8", Codecs: []zarr.Codec{}}
	for range rnd.IntN(3) {
		s.Shape, s.Chunks = append(s.Shape, 1+rnd.Int64N(60)), append(s.Chunks, 1+rnd.Int64N(9))
		s.Shards = append(s.Shards, s.Chunks[len(s.Chunks)-1]*(1+rnd.Int64N(4)))
	}
	sharded := len(s.Shape) > 0 && rnd.IntN(2) == 0
	if !sharded {
		s.Shards = nil
	}
	a, err := h.Create(t.Context(), path, s)
	if err == nil {
		err = a.Set(t.Context(), nil, 1, zarr.WriteOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
	counts, cells := a.Grid.Counts(), int64(1)
	for _, n := range counts {
		cells *= n
	}
	chunks = 1
	for _, n := range a.ChunkGrid().Counts() {
		chunks *= n
	}
	for cell := range cells {
		if rnd.IntN(3) > 0 {
			continue
		}
		at, inner, rest := make([]int64, len(counts)), int64(1), cell
		for d := len(counts) - 1; d >= 0; d-- {
			at[d], rest = rest%counts[d], rest/counts[d]
			if object := a.Grid.ChunkShapes()[d]; sharded { // chunks that begin within the array
				inner *= (min(object, s.Shape[d]-at[d]*object) + s.Chunks[d] - 1) / s.Chunks[d]
			}
		}
		if err := st.Set(t.Context(), store.Join(path, a.Keys.Key(at)), []byte{}); err != nil {
			t.Fatal(err)
		}
		bad += inner
	}
	return chunks, bad
}

// Each chunk is read once, and each that cannot be read is counted once. Units run in any order,
// and twice. Each comes from another check of the same source.
func TestEachBrokenChunkIsCountedOnceInWhateverOrderUnitsRun(t *testing.T) {
	for i := range rounds.Each(60) {
		rnd := rand.New(rand.NewPCG(uint64(i), 3))
		st := memstore.New(nil)
		h := zarr.New(st, writing.Codecs(), zarr.Options{})
		var chunks, bad int64
		for k := range 1 + rnd.IntN(3) {
			n, b := broken(t, h, st, fmt.Sprintf("g/a%d", k), rnd)
			chunks, bad = chunks+n, bad+b
		}
		prepare := func() *validate.Check {
			n, err := zarr.New(st, writing.Codecs(), zarr.Options{}).Open(t.Context(), "", zarr.OpenOptions{})
			if err != nil {
				t.Fatal(err)
			}
			c, err := validate.New(t.Context(), n, validate.Options{Data: true})
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		c := prepare()
		want, err := c.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		counted := int64(0)
		for _, f := range want.Findings {
			var more int64
			if _, err := fmt.Sscanf(f.Message, "%d further chunks", &more); err != nil {
				more = 1
			}
			counted += more
		}
		if want.Chunks != chunks || counted != bad {
			t.Errorf("seed %d: %d chunks and %d broken ones, want %d and %d", i, want.Chunks, counted, chunks, bad)
		}
		job := c.Job(nil)
		var all []validate.Found
		for _, unit := range append(rnd.Perm(int(job.Stages[0].Count)), rnd.Perm(int(job.Stages[0].Count))...) {
			found, err := prepare().Look(t.Context(), int64(unit))
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, found)
		}
		if got := c.Report(all); !reflect.DeepEqual(got, want) {
			t.Errorf("seed %d: %+v, want %+v", i, got, want)
		}
		if prepare().Job(nil).Identity != job.Identity {
			t.Errorf("seed %d: another identity", i)
		}
	}
}

// Most bounds the chunks of an array, also within a shard.
func TestNoMoreChunksThanTheMostAreRead(t *testing.T) {
	for i := range rounds.Each(60) {
		rnd := rand.New(rand.NewPCG(uint64(i), 4))
		st := memstore.New(nil)
		h := zarr.New(st, writing.Codecs(), zarr.Options{})
		chunks, _ := broken(t, h, st, "", rnd)
		n, err := h.Open(t.Context(), "", zarr.OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		most := 1 + rnd.Int64N(50)
		c, err := validate.New(t.Context(), n, validate.Options{Data: true, Most: most})
		if err != nil {
			t.Fatal(err)
		}
		report, err := c.Run(t.Context())
		if err != nil || report.Chunks > most || most < chunks && report.Chunks == 0 {
			t.Errorf("seed %d: %d of %d chunks read, at most %d: %v", i, report.Chunks, chunks, most, err)
		}
	}
}
