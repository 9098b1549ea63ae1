package zarr_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

// behind is a source behind a stale cache of ranges, as of a browser or a proxy. Only requests past
// all caches replace its entries.
type behind struct {
	mu   sync.Mutex
	real *replaced
	kept map[string]store.Extent
	tell func(ask store.Ask, e *store.Extent)
}

func (b *behind) Read(ctx context.Context, name string, ask store.Ask) (store.Extent, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	id := name
	if ask.Range != nil {
		id += ask.Range.String()
	}
	if e, ok := b.kept[id]; ok && !ask.Fresh {
		return e, nil
	}
	e, err := b.real.Read(ctx, name, ask)
	if b.tell != nil {
		b.tell(ask, &e)
	}
	if err == nil && b.kept != nil {
		b.kept[id] = e
	}
	return e, err
}

// twoVersions returns a sharded array in versions whose elements differ by 1000, each with its own
// tag.
func twoVersions(levels ...[]int) *replaced {
	s := sharding{shape: levels[0], levels: levels}
	r := &replaced{tell: func(_ *rand.Rand, n int, v *store.Version) { v.ETag = fmt.Sprintf(`"%d"`, n) }}
	for v := range 2 {
		s.base = uint32(v) * 1000
		r.versions = append(r.versions, s.objects())
	}
	return r
}

// row reads one row of an array, and returns the version of each element.
func row(t *testing.T, a *zarr.Array, from, to int) []int {
	t.Helper()
	sel, _ := positions(from, to)
	res := must.Get(a.Read(t.Context(), []grid.Item{sel}, zarr.ReadOptions{}))(t)
	var of []int
	for i := 0; i < len(res.Data); i += 4 {
		of = append(of, (int(res.Data[i])|int(res.Data[i+1])<<8)/1000)
	}
	return of
}

// TestCachesOnTheWayMayBeBehind changes an object. All of it, and not only its index, is requested
// past intermediate caches.
func TestCachesOnTheWayMayBeBehind(t *testing.T) {
	for _, levels := range [][][]int{{{8}, {2}}, {{8}, {4}, {2}}} {
		for kept := range 16 {
			r := twoVersions(levels...)
			b := &behind{real: r}
			if kept&1 == 0 {
				b.kept = map[string]store.Extent{}
			}
			opt := zarr.Options{Requests: zarr.RequestOptions{Waste: -1, Gap: -1}}
			opt.Cache.Decoded, opt.Cache.Encoded, opt.Cache.Indexes = int64(kept>>1&1)-1, int64(kept>>2&1)-1, int64(kept>>3&1)-1
			a := must.Get(zarr.New(b, codecs.Default(), opt).OpenArray(t.Context(), ""))(t)
			if of := row(t, a, 0, 2); slices.Max(of) != 0 {
				t.Fatal(of)
			}
			r.now = 1
			// The last chunk is not cached anywhere, and has the new version: from then on the
			// whole object has it.
			for _, from := range []int{6, 0, 2} {
				if of := row(t, a, from, 8); slices.Min(of) != 1 {
					t.Errorf("%v, %04b, from %d: elements of versions %v", levels, kept, from, of)
				}
			}
		}
	}
}

// TestDecodedChunksAreOfAVersion checks that a cached decoded chunk belongs to the version of its
// bytes, even if the index had none.
func TestDecodedChunksAreOfAVersion(t *testing.T) {
	r := twoVersions([]int{8}, []int{2})
	b := &behind{real: r, tell: func(ask store.Ask, e *store.Extent) {
		if ask.Range != nil && ask.Range.Suffix {
			e.ETag = ""
		}
	}}
	opt := zarr.Options{Requests: zarr.RequestOptions{Waste: -1, Gap: -1}, Cache: zarr.CacheOptions{Encoded: -1}}
	a := must.Get(zarr.New(b, codecs.Default(), opt).OpenArray(t.Context(), ""))(t)
	if of := row(t, a, 0, 2); slices.Max(of) != 0 {
		t.Fatal(of)
	}
	r.now = 1
	if of := row(t, a, 0, 8); slices.Min(of) != slices.Max(of) {
		t.Errorf("elements of versions %v in one shard", of)
	}
}

// TestLocatedChunksAreOfOneVersion checks that chunks of one object have one version, also if a
// locator decodes them or reads them whole.
func TestLocatedChunksAreOfOneVersion(t *testing.T) {
	plain := func(_ context.Context, stored []byte, _ int64) ([]byte, error) { return stored, nil }
	for name, change := range map[string]func(*store.Location){
		"extents": func(*store.Location) {},
		"decoded": func(l *store.Location) { l.Packed = &store.Packed{Decode: plain, Size: l.Length} },
		"decoded wholes": func(l *store.Location) {
			l.Offset, l.Length, l.Packed = 0, store.ToEnd, &store.Packed{Decode: plain}
		},
		"wholes": func(l *store.Location) { l.Offset, l.Length = 0, store.ToEnd },
		"parts of wholes": func(l *store.Location) {
			exact := *l
			l.Packed = &store.Packed{Decode: plain, Exact: func(context.Context) (store.Location, error) { return exact, nil }}
		},
	} {
		for n := range 20 {
			r := &replaced{odds: 1, tell: func(_ *rand.Rand, n int, v *store.Version) { v.ETag = fmt.Sprintf(`"%d"`, n) }}
			for v := range 2 {
				r.versions = append(r.versions, map[string][]byte{"c/all": slices.Repeat([]byte{byte(v)}, 4)})
			}
			r.rng = rand.New(rand.NewPCG(uint64(n), 1))
			r.odds = 2
			a := &archive{map[string]store.Location{".zarray": {Inline: []byte(
				`{"zarr_format":2,"shape":[16],"chunks":[4],"dtype":"|u1","compressor":null,"fill_value":9,"filters":null,"order":"C"}`)}}}
			for i := range 4 {
				at := store.Location{Object: store.Object{Source: r, Name: "c/all", Length: 4, Version: store.Unknown}}
				change(&at)
				a.at[fmt.Sprint(i)] = at
			}
			opt := zarr.Options{Cache: zarr.CacheOptions{Decoded: -1, Encoded: -1}}
			arr := must.Get(zarr.Over(a, codecs.Default(), opt).OpenArray(t.Context(), ""))(t)
			res, err := arr.Read(t.Context(), nil, zarr.ReadOptions{})
			if err != nil && !strings.Contains(err.Error(), "changed") {
				t.Fatalf("%s: %v", name, err)
			}
			if err == nil && slices.Min(res.Data) != slices.Max(res.Data) {
				t.Fatalf("%s: elements of versions %v in one object", name, res.Data)
			}
		}
	}
}
