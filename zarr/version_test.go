package zarr_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	runs "github.com/zarr-wasm/zarr-wasm/tests/rounds"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

// replaced is a source whose objects are all replaced at the same time during a read.
type replaced struct {
	mu       sync.Mutex
	rng      *rand.Rand
	versions []map[string][]byte
	now      int
	odds     int // one read in odds is followed by another version
	tell     func(rng *rand.Rand, version int, v *store.Version)
}

func (r *replaced) Read(ctx context.Context, name string, ask store.Ask) (store.Extent, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e, err := memstore.New(r.versions[r.now]).Read(ctx, name, ask)
	// A new store reports the same for each of its first objects.
	e.Version = store.Version{Size: e.Size}
	r.tell(r.rng, r.now, &e.Version)
	if name != "zarr.json" && r.odds > 0 && r.rng.IntN(r.odds) == 0 && r.now+1 < len(r.versions) {
		r.now++
	}
	return e, err
}

// TestWhatIsReadOfOneObjectIsOfOneVersion reads sharded and nested arrays that are replaced
// meanwhile. All parts of one object must have one version, whatever the source reports about
// versions.
func TestWhatIsReadOfOneObjectIsOfOneVersion(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 3))
	told := map[string]func(*rand.Rand, int, *store.Version){
		"strong tags": func(_ *rand.Rand, n int, v *store.Version) { v.ETag = fmt.Sprintf(`"%d"`, n) },
		"weak tags":   func(_ *rand.Rand, n int, v *store.Version) { v.ETag = fmt.Sprintf(`W/"%d"`, n); v.Size = -1 },
		"times":       func(_ *rand.Rand, n int, v *store.Version) { v.Modified = fmt.Sprint(n); v.Size = -1 },
		"sizes":       func(_ *rand.Rand, n int, v *store.Version) {},
		"tags, some times": func(rng *rand.Rand, n int, v *store.Version) {
			v.ETag = fmt.Sprintf(`"%d"`, n)
			v.Modified = fmt.Sprint(rng.IntN(9))
		},
		"tags on some answers": func(rng *rand.Rand, n int, v *store.Version) {
			if v.ETag = fmt.Sprintf(`"%d"`, n); rng.IntN(3) == 0 {
				v.ETag, v.Modified = "", fmt.Sprint(n)
			} else {
				v.Modified = fmt.Sprint(n)
			}
		},
	}
	names := sortedNames(told)
	reads, changed := 0, 0
	for round := range runs.Of(600) {
		name := names[round%len(names)]
		s := sharding{shape: []int{16, 16}, levels: [][]int{{8, 16}, {4, 4}}}
		if rng.IntN(2) == 0 {
			s.levels = [][]int{{8, 16}, {4, 8}, {2, 2}}
		}
		s.atStart = rng.IntN(2) == 0
		r := &replaced{rng: rand.New(rand.NewPCG(rng.Uint64(), 1)), odds: 3 + rng.IntN(20), tell: told[name]}
		for v := range 40 {
			one := s
			one.base = uint32(v) * 1000
			if name == "sizes" {
				one.pad = v
			}
			r.versions = append(r.versions, one.objects())
		}
		opt := zarr.Options{Requests: zarr.RequestOptions{Waste: -1, Gap: -1}}
		if rng.IntN(2) == 0 {
			opt.Cache = zarr.CacheOptions{Decoded: -1}
		}
		if rng.IntN(3) == 0 {
			opt.Cache.Encoded = -1
		}
		a := must.Get(zarr.New(r, codecs.Default(), opt).OpenArray(t.Context(), ""))(t)
		for range 6 {
			from, to := rng.IntN(16), 0
			to = from + 1 + rng.IntN(16-from)
			rows, ys := positions(from, to)
			cols, xs := positions(rng.IntN(8), 8+rng.IntN(8))
			res, err := a.Read(t.Context(), []grid.Item{rows, cols}, zarr.ReadOptions{})
			reads++
			if err != nil {
				if changed++; !strings.Contains(err.Error(), "changed") && !strings.Contains(err.Error(), "chunk") {
					t.Fatalf("%s: %v", name, err)
				}
				continue
			}
			of := map[int]uint32{} // the version of each shard
			for i := range len(ys) * len(xs) {
				got := binary.LittleEndian.Uint32(res.Data[4*i:])
				y, x := ys[i/len(xs)], xs[i%len(xs)]
				if got%1000 != uint32(16*y+x) {
					t.Fatalf("%s: element %d,%d is %d", name, y, x, got)
				}
				if v, seen := of[y/8]; seen && v != got/1000 {
					t.Fatalf("%s, %+v: elements of version %d and of version %d in one shard", name, s, v, got/1000)
				}
				of[y/8] = got / 1000
			}
		}
	}
	if changed > reads/2 {
		t.Errorf("%d of %d reads gave up", changed, reads)
	}
}

func sortedNames[V any](m map[string]V) []string {
	var names []string
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// spoilt is a source that damages some of its answers.
type spoilt struct {
	store.Source
	mu     sync.Mutex
	rng    *rand.Rand
	spoil  int // the number of answers to damage
	spoils int
}

func (s *spoilt) Read(ctx context.Context, name string, ask store.Ask) (store.Extent, error) {
	e, err := s.Source.Read(ctx, name, ask)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil || s.spoil == 0 || len(e.Bytes) == 0 {
		return e, err
	}
	s.spoil--
	s.spoils++
	e.Bytes = slices.Clone(e.Bytes)
	switch k := s.rng.IntN(len(e.Bytes)); s.rng.IntN(3) {
	case 0:
		if ask.Range == nil { // an answer without a body
			return store.AllOf([]byte{}), nil
		}
		fallthrough
	case 1:
		if ask.Range == nil { // or a truncated one
			return store.AllOf(e.Bytes[:k]), nil
		}
		fallthrough
	default:
		e.Bytes[k] ^= 0x10
	}
	return e, nil
}

// damage lets the next n answers be damaged, and returns the number damaged since the last call.
func (s *spoilt) damage(n int) (spoils int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	spoils, s.spoil, s.spoils = s.spoils, n, 0
	return spoils
}

// TestWhatFailsLeavesNoTrace damages answers: documents, indexes, chunks. A read with damaged
// answers returns right values or an error. With a single damaged answer it is right, and so is
// every later read.
func TestWhatFailsLeavesNoTrace(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 5))
	failed, spoils := 0, 0
	for round := range runs.Of(800) {
		s := sharding{shape: []int{16, 16}, levels: [][]int{{8, 8}, {4, 4}}}
		switch rng.IntN(3) {
		case 0:
			s.levels = [][]int{{8, 16}, {4, 8}, {2, 2}}
		case 1:
			s.levels = [][]int{{8, 8}}
		}
		src := &spoilt{Source: memstore.New(s.objects()), rng: rand.New(rand.NewPCG(rng.Uint64(), 1))}
		opt := zarr.Options{Requests: zarr.RequestOptions{Waste: -1, Gap: int64(rng.IntN(2)*20 - 1)}}
		if rng.IntN(3) == 0 {
			opt.Cache.Decoded = -1
		}
		h := zarr.New(src, codecs.Default(), opt)
		read := func() error {
			a, err := h.OpenArray(t.Context(), "")
			if err != nil {
				return err
			}
			rows, ys := positions(rng.IntN(8), 8+rng.IntN(8))
			res, err := a.Read(t.Context(), []grid.Item{rows}, zarr.ReadOptions{})
			if err != nil {
				return err
			}
			_, xs := positions(0, 16)
			s.check(t, res, [][]int{ys, xs})
			return s.checkPoints(t, a, rng)
		}
		for step := range 4 {
			most := []int{0, 1, 1 + rng.IntN(9), 0}[step]
			src.damage(most)
			err := read()
			var metadata *zarr.InvalidMetadataError
			var chunk *zarr.CodecPipelineError
			switch {
			case err == nil:
			case most <= 1:
				t.Fatalf("round %d, step %d, %d damaged answers: %v", round, step, most, err)
			case errors.As(err, &metadata), errors.As(err, &chunk), errors.Is(err, fs.ErrNotExist), errors.Is(err, store.ErrChanged):
				failed++
			default:
				t.Fatalf("round %d: %v", round, err)
			}
			spoils += src.damage(0)
		}
	}
	t.Logf("%d damaged answers, %d reads failed", spoils, failed)
	if spoils < runs.Of(500) {
		t.Errorf("only %d answers were damaged", spoils)
	}
}
