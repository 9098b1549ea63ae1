package zarr_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/filestore"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs/writing"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// chunksOf returns the stored chunks of an array by their coordinates.
func chunksOf(t *testing.T, st store.Source, a *zarr.Array) map[string]string {
	t.Helper()
	walk := must.Get(a.Grid.Walk(nil, nil))(t)
	projections, all := make([]grid.Projection, len(a.Shape)), map[string]string{}
	for walk.Next(projections) {
		coords := make([]int64, len(a.Shape))
		for d := range projections {
			coords[d] = projections[d].Chunk
		}
		e, err := st.Read(t.Context(), store.Join(a.Path(), a.Keys.Key(coords)), store.Ask{})
		if err == nil {
			all[fmt.Sprint(coords)] = string(e.Bytes)
		} else if !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
	return all
}

// refusing is an executor that neither decodes nor encodes.
type refusing struct{}

var errRefused = errors.New("refused")

func (refusing) Decode(*codec.Env, *codec.Plan, ndarray.Block, []byte, []codec.Range) error {
	return errRefused
}
func (refusing) Encode(*codec.Env, *codec.Plan, ndarray.Block) ([]byte, error) {
	return nil, errRefused
}
func (refusing) Parallel() int { return 1 }

// undecoded opens an array with a hierarchy that cannot decode. It also returns another hierarchy
// that cannot encode.
func undecoded(t *testing.T, st store.Source, path string) (*zarr.Array, *memstore.Store, *zarr.Hierarchy) {
	t.Helper()
	opt := zarr.Options{Executor: refusing{}}
	to := memstore.New(nil)
	a := must.Get(zarr.New(st, writing.Codecs(), opt).OpenArray(t.Context(), path))(t)
	return a, to, zarr.New(to, writing.Codecs(), opt)
}

// TestCopyThatChangesNothingDecodesNothing copies random arrays, to their own version and to the
// other one and back. Chunks keep their bytes, and absent ones stay absent.
func TestCopyThatChangesNothingDecodesNothing(t *testing.T) {
	ctx := t.Context()
	bothWays := 0
	for seed := range uint64(*rounds) {
		c := newCase(seed)
		from := memstore.New(nil)
		a := must.Get(zarr.New(from, writing.Codecs(), zarr.Options{}).Create(ctx, "a", c.ArraySpec))(t)
		for range 1 + c.IntN(4) {
			if _, err := c.step(ctx, a, newModel(a.Shape, a.Fill)); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
		want := chunksOf(t, from, a)
		a, st, h := undecoded(t, from, "a")
		same := func(from *zarr.Array, path string, format int) *zarr.Array {
			t.Helper()
			if _, err := zarr.Copy(ctx, from, h, path, zarr.CopyOptions{Format: format}); err != nil {
				t.Fatalf("seed %d: %+v: %v", seed, c.ArraySpec, err)
			}
			b := must.Get(h.OpenArray(ctx, path))(t)
			if !maps.Equal(want, chunksOf(t, st, b)) {
				t.Fatalf("seed %d: %+v: other chunks", seed, c.ArraySpec)
			}
			return b
		}
		same(a, "b", c.Format)
		if c.Shards != nil || c.ShardEdges != nil || c.ChunkEdges != nil { // version 2 has none
			continue
		}
		same(same(a, "c", 5-c.Format), "d", c.Format)
		bothWays++
	}
	t.Logf("%d arrays, %d of them to the other version and back", *rounds, bothWays)
}

// TestCopyRecodes decodes and encodes if the option is set.
func TestCopyRecodes(t *testing.T) {
	ctx := t.Context()
	src := family(t, 3)
	_, h := writable(t)
	must.Get(zarr.Copy(ctx, must.Get(src.OpenGroup(ctx, ""))(t), h, "", zarr.CopyOptions{Recode: true}))(t)
	same(t, h, "", src, 3)
	st := memstore.New(nil)
	must.Get(zarr.CopyStore(ctx, src, "", zarr.New(st, writing.Codecs(), zarr.Options{}), "", zarr.CopyStoreOptions{}))(t)
	a, _, h := undecoded(t, st, "a")
	if _, err := zarr.Copy(ctx, a, h, "a", zarr.CopyOptions{Recode: true}); !errors.Is(err, errRefused) {
		t.Errorf("a copy that recodes: %v", err)
	}
	must.Get(zarr.Copy(ctx, a, h, "a", zarr.CopyOptions{}))(t)
	for name, change := range map[string]func(*zarr.ArraySpec){
		"chunks":     func(s *zarr.ArraySpec) { s.Chunks = []int64{3, 3} },
		"shards":     func(s *zarr.ArraySpec) { s.Shards = []int64{6, 4} },
		"codecs":     func(s *zarr.ArraySpec) { s.Codecs = []zarr.Codec{{Name: "crc32c"}} },
		"order":      func(s *zarr.ArraySpec) { s.Order = "F" },
		"fill value": func(s *zarr.ArraySpec) { s.Fill = 5 },
	} {
		_, err := zarr.Copy(ctx, a, h, "changed", zarr.CopyOptions{Array: func(_ string, s *zarr.ArraySpec) { change(s) }})
		if !errors.Is(err, errRefused) {
			t.Errorf("a copy with other %s: %v", name, err)
		}
	}
	for name, keep := range map[string]func(*zarr.ArraySpec){
		"keys":       func(s *zarr.ArraySpec) { s.Separator = "." },
		"attributes": func(s *zarr.ArraySpec) { s.Attributes = map[string]any{"other": 1} },
		"names":      func(s *zarr.ArraySpec) { s.DimensionNames = []string{"v", "w"} },
		"chunks":     func(s *zarr.ArraySpec) { s.Chunks = []int64{3, 2} },
	} {
		if _, err := zarr.Copy(ctx, a, h, "kept/"+name, zarr.CopyOptions{Array: func(_ string, s *zarr.ArraySpec) { keep(s) }}); err != nil {
			t.Errorf("a copy with %s: %v", name, err)
		}
	}
}

// TestCopyKeepsShardsAsTheyAre copies shards whose index has a place and an encoding that this
// package would not choose.
func TestCopyKeepsShardsAsTheyAre(t *testing.T) {
	ctx := t.Context()
	st, h := writable(t)
	document := `{"zarr_format":3,"node_type":"array","shape":[8],"data_type":"uint8","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[4]}},
		"chunk_key_encoding":{"name":"v2"},"fill_value":0,"attributes":{},"x-note":{"must_understand":false},
		"codecs":[{"name":"sharding_indexed","configuration":{"index_location":"start","index_codecs":[{"name":"bytes","configuration":{"endian":"big"}}],"codecs":["bytes"],"chunk_shape":[2]}}]}`
	must.Do(t, st.Set(ctx, "a/zarr.json", []byte(document)))
	a := must.Get(h.OpenArray(ctx, "a"))(t)
	must.Do(t, a.Set(ctx, along(2, 4), 7, zarr.WriteOptions{}))
	want := chunksOf(t, st, a)
	a, to, h := undecoded(t, st, "a")
	must.Get(zarr.Copy(ctx, a, h, "b", zarr.CopyOptions{}))(t)
	if b := must.Get(h.OpenArray(ctx, "b"))(t); len(want) != 1 || !maps.Equal(want, chunksOf(t, to, b)) || !slices.Equal(b.InnerChunks(), []int64{2}) {
		t.Errorf("chunks %q, want %q", chunksOf(t, to, b), want)
	}
	e := must.Get(to.Read(ctx, "b/zarr.json", store.Ask{}))(t)
	for _, kept := range []string{`"start"`, `"big"`, "x-note"} {
		if !strings.Contains(string(e.Bytes), kept) {
			t.Errorf("without %s: %s", kept, e.Bytes)
		}
	}
}

// TestCopyOfWhatCannotBeEncoded copies an array whose codec cannot encode its decoded elements, and
// one whose codec has no encoder.
func TestCopyOfWhatCannotBeEncoded(t *testing.T) {
	ctx := t.Context()
	for codecs, want := range map[string]any{
		`"filters":[{"id":"fixedscaleoffset","offset":1000,"scale":10,"dtype":"<f8","astype":"|u1"}],"compressor":null`: new(*zarr.InvalidValueError),
		`"filters":null,"compressor":{"id":"pcodec"}`:                                                                   new(*zarr.UnsupportedError),
	} {
		from := memstore.New(map[string][]byte{
			".zarray": []byte(`{"zarr_format":2,"shape":[3],"chunks":[2],"dtype":"<f8","fill_value":0,"order":"C",` + codecs + `}`),
			"1":       {200, 100},
		})
		a := must.Get(zarr.New(from, writing.Codecs(), zarr.Options{}).OpenArray(ctx, ""))(t)
		st, h := writable(t)
		if _, err := zarr.Copy(ctx, a, h, "a", zarr.CopyOptions{Recode: true}); !errors.As(err, want) {
			t.Errorf("%s: recoded: %v, want %T", codecs, err, want)
		}
		if _, err := h.OpenArray(ctx, "a"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: what cannot be encoded: %v", codecs, err)
		}
		must.Get(zarr.Copy(ctx, a, h, "b", zarr.CopyOptions{}))(t)
		if got, want := chunksOf(t, st, must.Get(h.OpenArray(ctx, "b"))(t)), chunksOf(t, from, a); len(want) != 1 || !maps.Equal(got, want) {
			t.Errorf("%s: chunks %q, want %q", codecs, got, want)
		}
	}
}

// TestCopyLeavesNoChunksOfOthers copies an array over chunks from an interrupted copy of another
// one. Chunks that the array lacks are deleted, in a store that lists and in one that does not.
func TestCopyLeavesNoChunksOfOthers(t *testing.T) {
	ctx := t.Context()
	_, src := writable(t)
	a := must.Get(src.Create(ctx, "a", zarr.ArraySpec{Shape: []int64{6}, Chunks: []int64{2}, DType: "uint8", Codecs: quick}))(t)
	must.Do(t, a.Set(ctx, along(0, 2), 1, zarr.WriteOptions{}))
	for _, recode := range []bool{false, true} {
		for _, lists := range []bool{false, true} {
			mem := memstore.New(map[string][]byte{"b/c/0": {9}, "b/c/1": {9}, "b/c/7": {9}})
			var st store.Source = mem
			if !lists {
				st = struct {
					store.Source
					store.Writer
				}{mem, mem}
			}
			h := zarr.New(st, writing.Codecs(), zarr.Options{})
			must.Get(zarr.Copy(ctx, a, h, "b", zarr.CopyOptions{Recode: recode}))(t)
			b := must.Get(h.OpenArray(ctx, "b"))(t)
			if got, want := must.Get(b.Read(ctx, nil, zarr.ReadOptions{}))(t), []byte{1, 1, 0, 0, 0, 0}; !bytes.Equal(got.Data, want) {
				t.Errorf("recode %v, lists %v: %v, want %v", recode, lists, got.Data, want)
			}
			// With Overwrite, the old nodes disappear, and the copy stays.
			must.Get(zarr.Copy(ctx, a, zarr.New(mem, writing.Codecs(), zarr.Options{}), "b", zarr.CopyOptions{
				IfExists: zarr.IfExistsReplace, Recode: recode, Array: func(_ string, s *zarr.ArraySpec) { s.Overwrite = true },
			}))(t)
			if got := keys(t, mem, "b"); !slices.Equal(got, []string{"b/c/0", "b/zarr.json"}) {
				t.Errorf("recode %v, lists %v: %q are there", recode, lists, got)
			}
		}
	}
}

// TestCopyOfManyAbsentChunks copies an array of too many chunks for single requests.
func TestCopyOfManyAbsentChunks(t *testing.T) {
	ctx := t.Context()
	from, src := writable(t)
	a := must.Get(src.Create(ctx, "a", zarr.ArraySpec{Shape: []int64{1 << 50, 3}, Chunks: []int64{2, 3}, DType: "uint8", Codecs: []zarr.Codec{}}))(t)
	for _, at := range []int64{0, 1 << 49, 1<<50 - 1} {
		must.Do(t, a.Set(ctx, []grid.Item{grid.At(at)}, 7, zarr.WriteOptions{}))
	}
	last := int64(0)
	st, h := writable(t)
	stats := must.Get(zarr.Copy(ctx, a, h, "a", zarr.CopyOptions{Progress: func(_ string, done, total int64) {
		if last = done; total != 3<<50 {
			t.Errorf("of %d", total)
		}
	}}))(t)
	if got, want := keys(t, st, "a/c"), keys(t, from, "a/c"); len(want) != 3 || !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if last != 3<<50 || stats.Bytes != 3<<50 {
		t.Errorf("%d elements, %+v", last, stats)
	}
}

// TestCopyAsBytesEnds ends copies by a limit, by damage, by a failing write and by the context. No
// array exists afterwards, and the next copy is complete.
func TestCopyAsBytesEnds(t *testing.T) {
	ctx := t.Context()
	from, src := writable(t)
	a := must.Get(src.Create(ctx, "a", zarr.ArraySpec{Shape: []int64{100}, Chunks: []int64{2}, DType: "uint8", Codecs: []zarr.Codec{}}))(t)
	must.Do(t, a.Set(ctx, nil, 7, zarr.WriteOptions{}))
	inside, cancel := context.WithCancel(ctx)
	defer cancel()
	full := &failingWrites{Store: memstore.New(nil), left: 20}
	dir := must.Get(filestore.MakeDir(t.TempDir(), filestore.DirOptions{}))(t)
	defer dir.Close()
	must.Get(zarr.CopyStore(ctx, src, "", zarr.New(dir, writing.Codecs(), zarr.Options{}), "", zarr.CopyStoreOptions{}))(t)
	limited := must.Get(zarr.New(dir, writing.Codecs(), zarr.Options{Limits: codec.Limits{EncodedBytes: 1}}).OpenArray(ctx, "a"))(t)
	damaged := memstore.New(nil)
	must.Get(zarr.CopyStore(ctx, src, "", zarr.New(damaged, writing.Codecs(), zarr.Options{}), "", zarr.CopyStoreOptions{}))(t)
	must.Do(t, damaged.Set(ctx, "a/c/31", []byte{7}))
	for name, c := range map[string]struct {
		ctx  context.Context
		a    *zarr.Array
		to   store.Source
		done func(string, int64, int64)
		want func(error) bool
	}{
		"limit": {ctx, limited, memstore.New(nil), nil, func(err error) bool { return errors.As(err, new(*zarr.LimitError)) }},
		"damage": {ctx, must.Get(zarr.New(damaged, writing.Codecs(), zarr.Options{}).OpenArray(ctx, "a"))(t), memstore.New(nil), nil, func(err error) bool {
			e := new(zarr.CodecPipelineError)
			return errors.As(err, &e) && e.Key == "a/c/31"
		}},
		"write":   {ctx, a, full, nil, func(err error) bool { return errors.As(err, new(*zarr.WriteError)) && errors.Is(err, errFull) }},
		"context": {inside, a, memstore.New(nil), func(string, int64, int64) { cancel() }, func(err error) bool { return errors.Is(err, context.Canceled) }},
	} {
		h := zarr.New(c.to, writing.Codecs(), zarr.Options{})
		if _, err := zarr.Copy(c.ctx, c.a, h, "a", zarr.CopyOptions{Progress: c.done}); !c.want(err) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := h.OpenArray(ctx, "a"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: the array is there: %v", name, err)
		}
		if c.to == full {
			full.mu.Lock()
			full.left = 1000
			full.mu.Unlock()
		}
		must.Get(zarr.Copy(ctx, a, h, "a", zarr.CopyOptions{}))(t)
		if got := chunksOf(t, c.to, must.Get(h.OpenArray(ctx, "a"))(t)); !maps.Equal(got, chunksOf(t, from, a)) {
			t.Errorf("%s: the next copy has %q", name, got)
		}
	}
}

// TestCopyOfAnArrayWithoutFillValue decodes and encodes into other chunks. A chunk of zeros is
// stored if a chunk with some of its elements is stored, and only then.
func TestCopyOfAnArrayWithoutFillValue(t *testing.T) {
	ctx := t.Context()
	from := memstore.New(map[string][]byte{
		"a/.zarray": []byte(`{"zarr_format":2,"shape":[12],"chunks":[3],"dtype":"|u1","compressor":null,"fill_value":null,"filters":null,"order":"C"}`),
		"a/1":       {0, 0, 0},
		"a/3":       {0, 0, 1},
	})
	a := must.Get(zarr.New(from, writing.Codecs(), zarr.Options{}).OpenArray(ctx, "a"))(t)
	for chunks, want := range map[int64][]string{
		2: {"a/1", "a/2", "a/4", "a/5"}, 3: {"a/1", "a/3"}, 6: {"a/0", "a/1"}, 12: {"a/0"},
	} {
		st, h := writable(t)
		must.Get(zarr.Copy(ctx, a, h, "a", zarr.CopyOptions{Recode: true, Array: func(_ string, s *zarr.ArraySpec) { s.Chunks = []int64{chunks} }}))(t)
		if got := keys(t, st, "a"); !slices.Equal(got[1:], want) { // after .zarray
			t.Errorf("chunks of %d: %q, want %q", chunks, got, want)
		}
	}
}
