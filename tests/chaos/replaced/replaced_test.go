package replaced_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/internal/kinds"
	"github.com/zarr-wasm/zarr-wasm/internal/target"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/httpstore"
	"github.com/zarr-wasm/zarr-wasm/tests/chaos/replaced"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/tests/rounds"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

// site is the server with the means to open stores there.
type site struct {
	url string
}

func newSite(t testing.TB, seed uint64) site {
	server := httptest.NewServer(replaced.New(seed))
	t.Cleanup(server.Close)
	return site{server.URL}
}

func (s site) ask(t testing.TB, method, what string) {
	t.Helper()
	req := must.Get(http.NewRequestWithContext(t.Context(), method, s.url+"/-/"+what, nil))(t)
	res := must.Get(http.DefaultClient.Do(req))(t)
	res.Body.Close()
}

// open opens an array of a session.
func (s site) open(t testing.TB, a *replaced.Array, kind, session string, odds int, opt zarr.Options) *zarr.Array {
	t.Helper()
	opt.Caches = zarr.NewCaches(opt.Cache)
	layer := opt.Caches.Layer()
	options := httpstore.Options{RetryDelay: time.Microsecond}
	registry := kinds.Composites()
	registry["zip"], registry["n5"] = kinds.Zip(codecs.Unzip(codecs.Default())), kinds.N5
	registry["http"] = func(*kinds.Making, json.Value) (store.Locator, error) {
		st, err := httpstore.New(fmt.Sprintf("%s/%s/-/%d/%s/%s", s.url, kind, odds, session, strings.Split(a.Store, "/")[0]), options)
		return store.Plain(st), err
	}
	all := kinds.New(registry, layer)
	all.Targets = target.NewSources(func(origin string) (store.Source, error) { return httpstore.New(origin, options) }, layer.Drop)
	description := `{"http":{}}`
	switch a.Kind {
	case "zip", "reference":
		description = fmt.Sprintf(`{%q:{"of":{"http":{}},"key":%q}}`, a.Kind, path.Base(a.Store))
	case "n5":
		description = `{"n5":{"of":{"http":{}}}}`
	}
	st := must.Get(all.Open([]byte(description)))(t)
	t.Cleanup(st.Close)
	h := zarr.Over(st.Locator, codecs.Full(), opt)
	n, err := h.Open(t.Context(), a.Path, zarr.OpenOptions{Format: map[string]int{"v1": 1}[a.Name]})
	if err != nil && a.Kind == "zip" && strings.Contains(err.Error(), "changed") {
		// the archive was replaced while the array was opened
		return s.open(t, a, kind, session+"x", odds, opt)
	}
	if err != nil {
		t.Fatalf("%s, %s: %v", a.Name, kind, err)
	}
	return n.(*zarr.Array)
}

// mixed returns the objects with elements of several versions in one read. position returns an
// element's position.
func mixed(a *replaced.Array, data []byte, position func(i int) [2]int) error {
	of := map[[2]int]uint32{}
	for i := range len(data) / 4 {
		got := binary.LittleEndian.Uint32(data[4*i:])
		p := position(i)
		want := uint32(0)
		if p[0] < a.Shape[0] && p[1] < a.Shape[1] {
			want = uint32(p[0]*a.Shape[1] + p[1])
		}
		version, number := got>>replaced.NumberBits, got&(1<<replaced.NumberBits-1)
		if number != want {
			return fmt.Errorf("%w: element %v has number %d, and version %d", errWrong, p, number, version)
		}
		id := [2]int{p[0] / a.Object[0], p[1] / a.Object[1]}
		if v, seen := of[id]; seen && v != version {
			return fmt.Errorf("%w: element %v of version %d, others of version %d", errMixed, p, version, v)
		}
		of[id] = version
	}
	return nil
}

var (
	errMixed = errors.New("two versions of one object")
	errWrong = errors.New("a wrong element")
)

// read reads at random, by one of the entries.
func read(ctx context.Context, rng *rand.Rand, a *replaced.Array, arr *zarr.Array) error {
	axis := func(n int) (grid.Item, func(i int) int, int) {
		count := 1 + rng.IntN(12)
		step := 1 + rng.IntN(max(1, n/count))
		from := rng.IntN(n - (count-1)*step)
		first, end, by := int64(from), int64(from+(count-1)*step+1), int64(step)
		return grid.Range(&first, &end, &by), func(i int) int { return from + i*step }, count
	}
	switch rng.IntN(4) {
	case 0:
		n := 1 + rng.IntN(20)
		coords := make([][]int64, 2)
		for range n {
			for d := range 2 {
				coords[d] = append(coords[d], rng.Int64N(int64(a.Shape[d])))
			}
		}
		res, err := arr.ReadPoints(ctx, coords, zarr.ReadOptions{})
		if err != nil {
			return err
		}
		return mixed(a, res.Data, func(i int) [2]int { return [2]int{int(coords[0][i]), int(coords[1][i])} })
	case 1:
		shape := arr.ChunkGrid().ChunkShapes()
		counts := arr.ChunkGrid().Counts()
		at := []int64{rng.Int64N(counts[0]), rng.Int64N(counts[1])}
		res, err := arr.ReadInnerChunk(ctx, at, zarr.ReadOptions{})
		if err != nil {
			return err
		}
		return mixed(a, res.Data, func(i int) [2]int {
			return [2]int{int(at[0]*shape[0]) + i/int(shape[1]), int(at[1]*shape[1]) + i%int(shape[1])}
		})
	}
	rows, y, _ := axis(a.Shape[0])
	columns, x, n := axis(a.Shape[1])
	res, err := arr.Read(ctx, []grid.Item{rows, columns}, zarr.ReadOptions{})
	if err != nil {
		return err
	}
	return mixed(a, res.Data, func(i int) [2]int { return [2]int{y(i / n), x(i % n)} })
}

// named reports whether a replaced object may cause an error.
func named(err error) bool {
	var (
		http     *httpstore.Error
		key      *store.KeyError
		pipeline *zarr.CodecPipelineError
	)
	return errors.As(err, &http) || errors.As(err, &key) || errors.As(err, &pipeline) || errors.Is(err, store.ErrChanged) || strings.Contains(err.Error(), "zip archive")
}

// TestReplacedObjects reads arrays concurrently while their objects are replaced between any two
// requests. A read returns one version of each object, or a named error. Once the objects no longer
// change, every read is correct.
func TestReplacedObjects(t *testing.T) {
	s := newSite(t, 5)
	rng := rand.New(rand.NewPCG(5, 9))
	arrays := replaced.Arrays()
	counts := map[string]*[3]int{}
	for round := range rounds.Of(5) * len(replaced.Kinds) {
		kind, a := replaced.Kinds[round%len(replaced.Kinds)], arrays[rng.IntN(len(arrays))]
		if kind == "size" && !a.Sized {
			continue
		}
		count := counts[kind]
		if count == nil {
			count = &[3]int{}
			counts[kind] = count
		}
		opt := zarr.Options{}
		if rng.IntN(2) == 0 {
			opt.Cache.Decoded, opt.Cache.Indexes = -1, -1
		}
		if rng.IntN(2) == 0 {
			opt.Cache.Encoded = 200_000
		}
		session := fmt.Sprint("s", round)
		arr := s.open(t, a, kind, session, 2+rng.IntN(25), opt)
		results := make([]error, 8)
		for range 2 {
			var all sync.WaitGroup
			for i := range results {
				one := rand.New(rand.NewPCG(rng.Uint64(), 1))
				all.Go(func() { results[i] = read(t.Context(), one, a, arr) })
			}
			all.Wait()
			for _, err := range results {
				count[0]++
				switch {
				case err == nil:
				case errors.Is(err, errMixed) && kind == "none":
					count[2]++
				case errors.Is(err, errMixed), errors.Is(err, errWrong) && kind != "none", errors.Is(err, fs.ErrNotExist):
					t.Fatalf("%s, %s: %v", kind, a.Name, err)
				case !named(err):
					t.Fatalf("%s, %s: %v, which has no name", kind, a.Name, err)
				default:
					count[1]++
				}
			}
		}
		s.ask(t, "POST", "still/"+session)
		s.ask(t, "POST", "still/"+session+"x")
		for range 3 {
			if err := read(t.Context(), rng, a, arr); err != nil && kind != "none" {
				t.Fatalf("%s, %s: when nothing changes any more: %v", kind, a.Name, err)
			}
		}
		s.ask(t, "DELETE", "still/"+session)
	}
	for kind, count := range counts {
		t.Logf("%s: %d reads, %d errors, %d mixed", kind, count[0], count[1], count[2])
	}
}
