package zarr_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/filestore"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs/writing"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

func writable(t *testing.T) (*memstore.Store, *zarr.Hierarchy) {
	t.Helper()
	st := memstore.New(nil)
	return st, zarr.New(st, writing.Codecs(), zarr.Options{})
}

// quick is a compressor, for arrays that do not need the default.
var quick = []zarr.Codec{{Name: "gzip", Config: map[string]any{"level": 1}}}

// keys lists all objects of a store.
func keys(t *testing.T, st store.Lister, at string) []string {
	t.Helper()
	var all []string
	for _, name := range must.Get(st.List(t.Context(), at))(t) {
		if folder, ok := strings.CutSuffix(name, "/"); ok {
			all = append(all, keys(t, st, store.Join(at, folder))...)
		} else {
			all = append(all, store.Join(at, name))
		}
	}
	slices.Sort(all)
	return all
}

func TestCreateMakesTheGroupsAbove(t *testing.T) {
	for _, format := range []int{2, 3} {
		st, h := writable(t)
		ctx := t.Context()
		must.Get(h.Create(ctx, "/a/b/c/", zarr.ArraySpec{Format: format, Shape: []int64{3}, DType: "int32", Codecs: quick}))(t)
		want := []string{"a/b/c/zarr.json", "a/b/zarr.json", "a/zarr.json", "zarr.json"}
		if format == 2 {
			want = []string{".zgroup", "a/.zgroup", "a/b/.zgroup", "a/b/c/.zarray"}
		}
		if got := keys(t, st, ""); !slices.Equal(got, want) {
			t.Errorf("version %d: %v", format, got)
		}
		// New members of a group have its version.
		g := must.Get(h.CreateGroup(ctx, "a/g", zarr.GroupSpec{Attributes: map[string]any{"x": 1}}))(t)
		if g.Metadata().Format != format || string(g.Metadata().Attributes.Get("x").Raw()) != "1" {
			t.Errorf("version %d: %+v", format, g.Metadata())
		}
		members := must.Get(must.Get(h.OpenGroup(ctx, "a"))(t).Members(ctx))(t)
		if len(members) != 2 || members[0].Name != "b" || members[1].Name != "g" {
			t.Errorf("version %d: members %v", format, members)
		}
	}
}

func TestCreateRefusesWhatIsThere(t *testing.T) {
	ctx := t.Context()
	_, h := writable(t)
	spec := zarr.ArraySpec{Shape: []int64{3}, DType: "int32", Codecs: quick}
	a := must.Get(h.Create(ctx, "a", spec))(t)
	must.Get(h.CreateGroup(ctx, "g", zarr.GroupSpec{}))(t)
	must.Do(t, a.Set(ctx, nil, []int32{1, 2, 3}, zarr.WriteOptions{}))
	exists := func(what string, err error, found string) {
		t.Helper()
		var e *zarr.ExistsError
		if !errors.As(err, &e) || e.Found != found || !errors.Is(err, fs.ErrExist) {
			t.Errorf("%s: %v", what, err)
		}
	}
	_, err := h.Create(ctx, "a", spec)
	exists("an array over an array", err, "array")
	_, err = h.Create(ctx, "g", spec)
	exists("an array over a group", err, "group")
	_, err = h.CreateGroup(ctx, "a", zarr.GroupSpec{})
	exists("a group over an array", err, "array")
	_, err = h.RequireGroup(ctx, "a", zarr.GroupSpec{})
	exists("a group that is required over an array", err, "array")
	_, err = h.Create(ctx, "a/b/c", spec)
	exists("an array below an array", err, "array")
	_, err = h.RequireArray(ctx, "g", spec)
	exists("an array that is required over a group", err, "group")
	_, err = h.RequireArray(ctx, "a", zarr.ArraySpec{Shape: []int64{4}, DType: "int32"})
	exists("an array of another shape", err, "array")
	_, err = h.RequireArray(ctx, "a", zarr.ArraySpec{Shape: []int64{3}, DType: "int64"})
	exists("an array of another type", err, "array")
	same := must.Get(h.RequireArray(ctx, "a", spec))(t)
	if res := must.Get(same.Read(ctx, nil, zarr.ReadOptions{}))(t); res.Data[4] != 2 {
		t.Errorf("the array that is there has %v", res.Data)
	}
	must.Get(h.RequireGroup(ctx, "g", zarr.GroupSpec{}))(t)
	must.Get(h.RequireArray(ctx, "new/array", spec))(t)

	// Overwriting removes the old node completely, and its old handles report it.
	spec.Overwrite = true
	over := must.Get(h.Create(ctx, "a", spec))(t)
	if res := must.Get(over.Read(ctx, nil, zarr.ReadOptions{}))(t); !bytes.Equal(res.Data, make([]byte, 12)) {
		t.Errorf("the array over another one has %v", res.Data)
	}
	must.Get(h.CreateGroup(ctx, "a", zarr.GroupSpec{Overwrite: true}))(t)
	_, err = over.Read(ctx, nil, zarr.ReadOptions{})
	var changed *zarr.MetadataChangedError
	if !errors.As(err, &changed) {
		t.Errorf("an array of which there is a group: %v", err)
	}
}

func TestCreateRefusesWhatCannotBe(t *testing.T) {
	st, h := writable(t)
	for i, s := range []zarr.ArraySpec{
		{Shape: []int64{-1}},
		{Shape: []int64{3}, Chunks: []int64{-1}},
		{Shape: []int64{3}, Chunks: []int64{1, 1}},
		{Shape: []int64{3}, DType: "int33"},
		{Shape: []int64{3}, DType: "[["},
		{Shape: []int64{3}, Format: 1},
		{Shape: []int64{3}, Order: "A"},
		{Shape: []int64{3}, Separator: ":"},
		{Shape: []int64{3}, DType: "int8", Fill: 200},
		{Shape: []int64{3}, DType: "int8", Fill: "x"},
		{Shape: []int64{3}, Codecs: []zarr.Codec{{Name: "no such codec"}}},
		{Shape: []int64{3}, Codecs: []zarr.Codec{{Name: "gzip", Config: map[string]any{"level": 99}}}},
		{Shape: []int64{3}, DimensionNames: []string{"x", "y"}},
		{Shape: []int64{3}, Attributes: map[string]any{"x": make(chan int)}},
		{Shape: []int64{4}, Shards: []int64{3}, Chunks: []int64{2}},
		{Shape: []int64{4}, Shards: []int64{4}, Chunks: []int64{2}, Format: 2},
	} {
		_, err := h.Create(t.Context(), "a", s)
		var invalid *zarr.InvalidMetadataError
		var unsupported *zarr.UnsupportedError
		var unknown *zarr.UnknownCodecError
		if !errors.As(err, &invalid) && !errors.As(err, &unsupported) && !errors.As(err, &unknown) {
			t.Errorf("%d %+v: %v", i, s, err)
		}
	}
	if got := keys(t, st, ""); len(got) != 0 {
		t.Errorf("there is %v", got)
	}
	read := zarr.New(struct{ store.Source }{st}, writing.Codecs(), zarr.Options{})
	_, err := read.Create(t.Context(), "a", zarr.ArraySpec{Shape: []int64{1}})
	var unsupported *zarr.UnsupportedError
	if !errors.As(err, &unsupported) {
		t.Errorf("a store that cannot be written: %v", err)
	}
}

func TestTheErrorOfAnUnknownTypeListsNamesThatCreateTakes(t *testing.T) {
	for _, format := range []int{2, 3} {
		_, h := writable(t)
		_, err := h.Create(t.Context(), "unknown", zarr.ArraySpec{Shape: []int64{2}, DType: "floot64", Format: format})
		_, list, found := strings.Cut(fmt.Sprint(err), "floot64: unknown data type; known are ")
		names := strings.Split(strings.Replace(list, "and typestrings such as ", "", 1), ", ")
		if !found || len(names) < 30 || !slices.Contains(names, "float64") || !slices.Contains(names, `"<i4"`) {
			t.Fatalf("format %d: %v", format, err)
		}
		if format == 2 {
			continue // which has no place for some of them
		}
		for i, name := range names {
			spec := zarr.ArraySpec{Shape: []int64{2}, DType: strings.Trim(name, `"`), Format: format}
			if _, err := h.Create(t.Context(), fmt.Sprint(i), spec); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// TestChunksAreGuessedAsByZarrPython compares with guess_chunks of zarr-python 2.18.
func TestChunksAreGuessedAsByZarrPython(t *testing.T) {
	for _, c := range []struct {
		shape []int64
		dtype string
		want  []int64
	}{
		{[]int64{100}, "float64", []int64{100}},
		{[]int64{10000, 10000}, "int32", []int64{625, 625}},
		{[]int64{1000000}, "int64", []int64{62500}},
		{[]int64{0, 5}, "int8", []int64{1, 5}},
		{[]int64{2000, 3000, 7}, "int16", []int64{250, 750, 2}},
		{[]int64{123457, 89, 3}, "float64", []int64{15433, 12, 1}},
		{[]int64{4, 4096, 4096}, "int16", []int64{1, 512, 1024}},
		{[]int64{}, "int8", []int64{}},
	} {
		_, h := writable(t)
		a := must.Get(h.Create(t.Context(), "", zarr.ArraySpec{Shape: c.shape, DType: c.dtype, Codecs: quick}))(t)
		if got := a.Grid.ChunkShapes(); !slices.Equal(got, c.want) {
			t.Errorf("%v of %s: chunks %v, want %v", c.shape, c.dtype, got, c.want)
		}
	}
}

func TestAttributesAreSetUpdatedAndDeleted(t *testing.T) {
	ctx := t.Context()
	for _, format := range []int{2, 3} {
		st, h := writable(t)
		a := must.Get(h.Create(ctx, "a", zarr.ArraySpec{Format: format, Shape: []int64{2}, DType: "int8", Codecs: quick, Attributes: map[string]any{"one": 1, "two": "zwei"}}))(t)
		must.Do(t, a.Set(ctx, nil, 7, zarr.WriteOptions{}))
		old := a
		a = must.Get(zarr.UpdateAttributes(ctx, a, map[string]any{"two": 2, "three": []int{3}}))(t)
		a = must.Get(zarr.DeleteAttributes(ctx, a, "one", "none"))(t)
		if got := string(a.Metadata().Attributes.Raw()); compact(got) != `{"two":2,"three":[3]}` {
			t.Errorf("version %d: %s", format, got)
		}
		if _, err := old.Read(ctx, nil, zarr.ReadOptions{}); !errors.As(err, new(*zarr.MetadataChangedError)) {
			t.Errorf("version %d: the array as it was reads %v", format, err)
		}
		if res := must.Get(a.Read(ctx, nil, zarr.ReadOptions{}))(t); !bytes.Equal(res.Data, []byte{7, 7}) {
			t.Errorf("version %d: %v", format, res.Data)
		}
		var g *zarr.Group = must.Get(h.OpenGroup(ctx, ""))(t)
		g = must.Get(zarr.SetAttributes(ctx, g, map[string]any{"a": map[string]any{"b": nil}}))(t)
		fresh := zarr.New(st, writing.Codecs(), zarr.Options{})
		if got := string(must.Get(fresh.OpenGroup(ctx, ""))(t).Metadata().Attributes.Raw()); compact(got) != `{"a":{"b":null}}` || g.Metadata().Format != format {
			t.Errorf("version %d: %s", format, got)
		}
	}
}

func compact(s string) string {
	return strings.NewReplacer(" ", "", "\n", "").Replace(s)
}

func TestDeleteAndMove(t *testing.T) {
	ctx := t.Context()
	for _, format := range []int{2, 3} {
		st, h := writable(t)
		spec := zarr.ArraySpec{Format: format, Shape: []int64{4}, Chunks: []int64{2}, DType: "int8", Codecs: quick}
		a := must.Get(h.Create(ctx, "g/a", spec))(t)
		must.Do(t, a.Set(ctx, nil, []int8{1, 2, 3, 4}, zarr.WriteOptions{}))
		must.Get(a.Read(ctx, nil, zarr.ReadOptions{}))(t)
		must.Do(t, h.Move(ctx, "g", "x/y"))
		moved := must.Get(h.OpenArray(ctx, "x/y/a"))(t)
		if res := must.Get(moved.Read(ctx, nil, zarr.ReadOptions{}))(t); !bytes.Equal(res.Data, []byte{1, 2, 3, 4}) {
			t.Errorf("version %d: %v", format, res.Data)
		}
		if _, err := h.Open(ctx, "g/a", zarr.OpenOptions{}); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("version %d: what was moved is %v", format, err)
		}
		if _, err := a.Read(ctx, nil, zarr.ReadOptions{}); !errors.As(err, new(*zarr.MetadataChangedError)) {
			t.Errorf("version %d: what was moved reads %v", format, err)
		}
		for _, c := range [][2]string{{"x", "x/z"}, {"x", "x"}, {"", "z"}, {"x/y", "x"}} {
			if err := h.Move(ctx, c[0], c[1]); !errors.As(err, new(*zarr.UnsupportedError)) {
				t.Errorf("move %v: %v", c, err)
			}
		}
		must.Get(h.CreateGroup(ctx, "there", zarr.GroupSpec{}))(t)
		if err := h.Rename(ctx, "x", "there"); !errors.Is(err, fs.ErrExist) {
			t.Errorf("a move over a group: %v", err)
		}
		if err := h.Rename(ctx, "absent", "new"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("a move of nothing: %v", err)
		}
		must.Do(t, h.Delete(ctx, "x"))
		if err := h.Delete(ctx, "x"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("what is not there is deleted: %v", err)
		}
		for _, key := range keys(t, st, "") {
			if strings.HasPrefix(key, "x") || strings.HasPrefix(key, "g") {
				t.Errorf("version %d: there is still %s", format, key)
			}
		}
		// A new array in the old place has no old data.
		a = must.Get(h.Create(ctx, "x/y/a", spec))(t)
		if res := must.Get(a.Read(ctx, nil, zarr.ReadOptions{}))(t); !bytes.Equal(res.Data, make([]byte, 4)) {
			t.Errorf("version %d: %v", format, res.Data)
		}
	}
}

// failingWrites fails at its n-th write and at all later ones.
type failingWrites struct {
	*memstore.Store
	mu     sync.Mutex
	left   int
	failed bool
}

var errFull = errors.New("the disk is full")

func (f *failingWrites) fails() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.left--; f.left < 0 {
		f.failed = true
		return errFull
	}
	return nil
}

func (f *failingWrites) Set(ctx context.Context, key string, data []byte) error {
	if err := f.fails(); err != nil {
		return err
	}
	return f.Store.Set(ctx, key, data)
}

func (f *failingWrites) Delete(ctx context.Context, key string) error {
	if err := f.fails(); err != nil {
		return err
	}
	return f.Store.Delete(ctx, key)
}

func (f *failingWrites) DeleteAll(ctx context.Context, prefix string) error {
	if err := f.fails(); err != nil {
		return err
	}
	return f.Store.DeleteAll(ctx, prefix)
}

// TestStoreThatFailsAtAnyWrite runs a small program of writes on a store that fails at its n-th
// write, for every n. The result is readable, each chunk is one of those that the program writes,
// and the error lists the written ones.
func TestStoreThatFailsAtAnyWrite(t *testing.T) {
	for _, format := range []int{2, 3} {
		for n := 0; ; n++ {
			st := &failingWrites{Store: memstore.New(nil), left: n}
			h := zarr.New(st, writing.Codecs(), zarr.Options{})
			err := program(t.Context(), h, format)
			if !st.failed {
				if err != nil {
					t.Fatalf("version %d: %v", format, err)
				}
				if n < 15 {
					t.Fatalf("version %d: the program has only %d writes", format, n)
				}
				break
			}
			if !errors.Is(err, errFull) {
				t.Fatalf("version %d, write %d: the error is %v", format, n, err)
			}
			for _, h := range []*zarr.Hierarchy{h, zarr.New(st, writing.Codecs(), zarr.Options{})} {
				if err := readable(t.Context(), h, err); err != nil {
					t.Fatalf("version %d, write %d: %v", format, n, err)
				}
			}
			// When writes succeed again, the program continues.
			st.mu.Lock()
			st.left = 1000
			st.mu.Unlock()
			if err := program(t.Context(), h, format); err != nil {
				t.Fatalf("version %d, after write %d has failed: %v", format, n, err)
			}
		}
	}
}

// program writes an array of uniform chunks three times.
func program(ctx context.Context, h *zarr.Hierarchy, format int) error {
	a, err := h.Create(ctx, "g/a", zarr.ArraySpec{Format: format, Shape: []int64{6, 4}, Chunks: []int64{2, 4}, DType: "uint8", Codecs: quick, Overwrite: true, Attributes: map[string]any{"a": 1}})
	if err != nil {
		return err
	}
	for n := uint8(1); n < 4; n++ {
		if err := a.Set(ctx, nil, n, zarr.WriteOptions{}); err != nil {
			return err
		}
	}
	if a, err = a.Append(ctx, slices.Repeat([]uint8{4}, 8), 0, zarr.WriteOptions{}); err != nil {
		return err
	}
	if a, err = zarr.UpdateAttributes(ctx, a, map[string]any{"b": 2}); err != nil {
		return err
	}
	if a, err = a.Resize(ctx, 2, 4); err != nil {
		return err
	}
	return a.Set(ctx, nil, 0, zarr.WriteOptions{SkipEmpty: true})
}

// readable reads the results of the program.
func readable(ctx context.Context, h *zarr.Hierarchy, failure error) error {
	a, err := h.OpenArray(ctx, "g/a")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	res, err := a.Read(ctx, nil, zarr.ReadOptions{})
	if err != nil {
		return err
	}
	now := map[byte]int{}
	for at := 0; at < len(res.Data); at += 8 {
		chunk := res.Data[at : at+8]
		if !bytes.Equal(chunk, bytes.Repeat(chunk[:1], 8)) {
			return fmt.Errorf("a chunk is half written: %v", chunk)
		}
		now[chunk[0]]++
	}
	var w *zarr.WriteError
	if errors.As(failure, &w) && len(res.Data) == 24 {
		// The chunks listed by the error have the newest number.
		newest := slices.Max(res.Data)
		if len(w.Written) > 0 && now[newest] != len(w.Written) {
			return fmt.Errorf("%v are written, and the chunks are %v", w.Written, now)
		}
	}
	return nil
}

// TestWritersOfOneChunk runs two hierarchies, as in two processes, that change elements of one
// chunk concurrently. The locks of the store prevent lost changes.
func TestWritersOfOneChunk(t *testing.T) {
	const changes = 1000
	for name, st := range map[string]store.Source{
		"memory":    memstore.New(nil),
		"directory": must.Get(filestore.MakeDir(t.TempDir(), filestore.DirOptions{}))(t),
	} {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			n := changes
			if name != "memory" {
				if runtime.GOOS == "js" {
					t.Skip("there are no locks of files")
				}
				n /= 10
			}
			first := zarr.New(st, writing.Codecs(), zarr.Options{})
			must.Get(first.Create(ctx, "a", zarr.ArraySpec{Shape: []int64{int64(2 * n)}, Chunks: []int64{int64(2 * n)}, DType: "uint8", Codecs: []zarr.Codec{}}))(t)
			var wg sync.WaitGroup
			for w := range 2 {
				wg.Go(func() {
					h := zarr.New(st, writing.Codecs(), zarr.Options{})
					a, err := h.OpenArray(ctx, "a")
					if err != nil {
						t.Error(err)
						return
					}
					order := rand.New(rand.NewPCG(1, uint64(w))).Perm(n)
					for _, i := range order {
						if err := a.Set(ctx, []grid.Item{grid.At(int64(2*i + w))}, 1, zarr.WriteOptions{}); err != nil {
							t.Error(err)
							return
						}
					}
				})
			}
			wg.Wait()
			a := must.Get(zarr.New(st, writing.Codecs(), zarr.Options{}).OpenArray(ctx, "a"))(t)
			res := must.Get(a.Read(ctx, nil, zarr.ReadOptions{}))(t)
			if lost := bytes.Count(res.Data, []byte{0}); lost != 0 {
				t.Errorf("%d changes of %d are lost", lost, 2*n)
			}
		})
	}
}

// TestResizeOfASparseArray shrinks an array of too many chunks for single requests.
func TestResizeOfASparseArray(t *testing.T) {
	ctx := t.Context()
	for _, format := range []int{2, 3} {
		st, h := writable(t)
		a := must.Get(h.Create(ctx, "a", zarr.ArraySpec{Format: format, Shape: []int64{1 << 40, 1 << 40}, Chunks: []int64{2, 2}, DType: "uint8", Codecs: quick}))(t)
		for _, at := range []int64{0, 2, 3, 1 << 30, 1<<40 - 1} {
			must.Do(t, a.Set(ctx, []grid.Item{grid.At(at), grid.At(at)}, 1, zarr.WriteOptions{}))
		}
		a = must.Get(a.Resize(ctx, 3, 5))(t)
		a = must.Get(a.Resize(ctx, 4, 4))(t)
		res := must.Get(a.Read(ctx, nil, zarr.ReadOptions{}))(t)
		if want := []byte{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0}; !bytes.Equal(res.Data, want) {
			t.Errorf("version %d: %v", format, res.Data)
		}
		chunks := 0
		for _, key := range keys(t, st, "a") {
			if !strings.Contains(key, ".z") && !strings.HasSuffix(key, ".json") {
				chunks++
			}
		}
		if chunks != 2 {
			t.Errorf("version %d: there is still %v", format, keys(t, st, ""))
		}
	}
}
