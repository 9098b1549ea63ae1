package zarr_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/store/overlay"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
)

// archive is a locator of objects that lie side by side in others, as in an archive or behind a set
// of references.
type archive struct{ at map[string]store.Location }

func (a *archive) Locate(_ context.Context, key string) (store.Location, error) {
	if err := store.CheckKey(key); err != nil {
		return store.Location{}, err
	}
	at, ok := a.at[key]
	if !ok {
		return at, store.NotFound(key)
	}
	return at, nil
}

// pack puts objects side by side into one object of a source, in the order of their keys.
func pack(objects map[string][]byte) (*archive, *counted) {
	a := &archive{map[string]store.Location{}}
	var all []byte
	c := &counted{}
	for _, key := range sortedKeys(objects) {
		a.at[key] = store.Location{Object: store.Object{Source: c, Name: "c/all", Offset: int64(len(all)), Length: int64(len(objects[key])), Version: store.Unknown}}
		all = append(all, objects[key]...)
	}
	c.Source = memstore.New(map[string][]byte{"c/all": all})
	return a, c
}

func sortedKeys(objects map[string][]byte) []string {
	keys := make([]string, 0, len(objects))
	for key := range objects {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// scatter distributes objects over layered archives in all possible ways. They are inline, extents
// of two sources, encoded, separate objects, and in the second place of a location.
func scatter(rng *rand.Rand, objects map[string][]byte) store.Locator {
	layers := [2]*archive{{map[string]store.Location{}}, {map[string]store.Location{}}}
	var blobs [2][]byte
	loose := map[string][]byte{}
	sources := [2]*counted{{}, {}}
	keys := sortedKeys(objects)
	rng.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
	for _, key := range keys {
		data, k := objects[key], rng.IntN(2)
		at := store.Location{Object: store.Object{Source: sources[k], Name: "blob", Offset: int64(len(blobs[k])), Length: int64(len(data)), Version: store.Unknown}}
		switch rng.IntN(6) {
		case 0:
			at = store.Location{Inline: data}
		case 1:
			for _, b := range data {
				blobs[k] = append(blobs[k], b^0x5a)
			}
			at.Packed = &store.Packed{Decode: func(_ context.Context, stored []byte, _ int64) ([]byte, error) {
				plain := make([]byte, len(stored))
				for i, b := range stored {
					plain[i] = b ^ 0x5a
				}
				return plain, nil
			}}
		case 2:
			loose["own/"+key] = data
			at = store.At(sources[1], "own/"+key)
		case 3:
			blobs[k] = append(blobs[k], data...)
			real := at
			at = store.At(sources[1], "absent/"+key)
			at.Else = &real
		default:
			blobs[k] = append(blobs[k], data...)
		}
		layers[rng.IntN(2)].at[key] = at
	}
	loose["blob"] = blobs[1]
	sources[0].Source = memstore.New(map[string][]byte{"blob": blobs[0]})
	sources[1].Source = memstore.New(loose)
	if rng.IntN(2) == 0 {
		sources[1].Source = whole{sources[1].Source}
	}
	return overlay.New(layers[0], layers[1])
}

func TestNeighboursInOneObjectAreOneRequest(t *testing.T) {
	objects := array([]int{64, 64}, []int{8, 8}, func(c []int) bool { return c[0] == 3 })
	a, c := pack(objects)
	for _, st := range []store.Locator{a, overlay.New(&archive{}, a)} {
		c.take()
		arr := must.Get(zarr.Over(st, codecs.Default(), zarr.Options{}).OpenArray(t.Context(), ""))(t)
		c.take()
		res := must.Get(arr.Read(t.Context(), nil, zarr.ReadOptions{}))(t)
		if asked := c.take(); len(asked) != 1 {
			t.Errorf("56 chunks side by side took %q", asked)
		}
		for i := range 64 * 64 {
			want := uint16(i)
			if i/64/8 == 3 {
				want = uint16(res.Data[2*3*8*64]) | uint16(res.Data[2*3*8*64+1])<<8 // the fill value
			}
			if got := uint16(res.Data[2*i]) | uint16(res.Data[2*i+1])<<8; got != want {
				t.Fatalf("element %d is %d, not %d", i, got, want)
			}
		}
	}
}

// TestHierarchiesOverOneSourceShare reads with two hierarchies over one source, and two below it.
// Each object is requested once.
func TestHierarchiesOverOneSourceShare(t *testing.T) {
	s := big()
	c := &counted{Source: memstore.New(s.objects())}
	caches := zarr.NewCaches(zarr.CacheOptions{})
	for i := range 3 {
		arr := must.Get(zarr.Over(store.Plain(c), codecs.Default(), zarr.Options{Caches: caches}).OpenArray(t.Context(), ""))(t)
		if i == 0 {
			c.take()
		}
		s.read(t, arr, 0, 100, 0, 100)
		if asked := c.take(); (len(asked) == 0) != (i > 0) {
			t.Errorf("hierarchy %d asks for %q", i, asked)
		}
	}
}

// TestGetOnlyStoresAreAskedOnce reads many places of a shard in a store without ranges,
// concurrently or in sequence. The shard is requested once.
func TestGetOnlyStoresAreAskedOnce(t *testing.T) {
	s := big()
	c := &counted{Source: memstore.New(s.objects())}
	a := must.Get(hierarchy(onlyWhole{c}, zarr.Options{}).OpenArray(t.Context(), ""))(t)
	c.take()
	done := make(chan bool)
	for i := range 16 {
		go func() {
			s.read(t, a, 32*i, 32*i+3, 8*i, 8*i+2)
			done <- true
		}()
	}
	for range 16 {
		<-done
	}
	for i := range 16 {
		s.read(t, a, 31*i, 31*i+2, 9*i, 9*i+2)
	}
	if asked := c.take(); !slices.Equal(asked, []string{"c/0/0"}) {
		t.Errorf("asked for %q", asked)
	}
}

// onlyWhole is a source that only reads whole objects.
type onlyWhole struct{ *counted }

func (onlyWhole) Capabilities() store.Capabilities { return store.Capabilities{WholeOnly: true} }

func (o onlyWhole) Read(ctx context.Context, name string, ask store.Ask) (store.Extent, error) {
	ask.Range = nil
	return o.counted.Read(ctx, name, ask)
}

// TestDanglingLocationsAreErrors locates chunks at places without data.
func TestDanglingLocationsAreErrors(t *testing.T) {
	objects := array([]int{8}, []int{4}, nil)
	for name, wrong := range map[string]func(*store.Location){
		"no such object":         func(l *store.Location) { l.Name = "c/none" },
		"beyond the object":      func(l *store.Location) { l.Offset = 1 << 40 },
		"longer than the object": func(l *store.Location) { l.Offset += 1 << 20 },
		"another version":        func(l *store.Location) { l.Version = store.Version{Size: 7} },
	} {
		a, _ := pack(objects)
		at := a.at["1"]
		wrong(&at)
		a.at["1"] = at
		arr, err := zarr.Over(a, codecs.Default(), zarr.Options{}).OpenArray(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			_, err = arr.Read(t.Context(), nil, zarr.ReadOptions{})
			var key *store.KeyError
			var truncated *zarr.CodecPipelineError
			if !errors.As(err, &key) && !errors.As(err, &truncated) || strings.Contains(fmt.Sprint(err), "panic") {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
