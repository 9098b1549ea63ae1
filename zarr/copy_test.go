package zarr_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"runtime"
	"slices"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs/writing"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

// family is a hierarchy of two groups and three arrays.
func family(t *testing.T, format int) *zarr.Hierarchy {
	t.Helper()
	ctx := t.Context()
	_, h := writable(t)
	must.Get(h.CreateGroup(ctx, "", zarr.GroupSpec{Format: format, Attributes: map[string]any{"root": true}}))(t)
	must.Get(h.CreateGroup(ctx, "g/h", zarr.GroupSpec{Attributes: map[string]any{"deep": 1}}))(t)
	for i, path := range []string{"a", "g/b", "g/h/c"} {
		a := must.Get(h.Create(ctx, path, zarr.ArraySpec{
			Shape: []int64{7, 5}, Chunks: []int64{3, 2}, DType: []string{"int16", ">f8", "string"}[i], Order: []string{"F", "C", ""}[i], Codecs: quick, Attributes: map[string]any{"n": i}, DimensionNames: []string{"y", "x"},
		}))(t)
		value := any(i + 1)
		if i == 2 {
			value = "text"
		}
		must.Do(t, a.Set(ctx, along(1, 4), value, zarr.WriteOptions{}))
	}
	return h
}

// same compares the arrays of a family at a path with those of another.
func same(t *testing.T, h *zarr.Hierarchy, at string, from *zarr.Hierarchy, format int) {
	t.Helper()
	ctx := t.Context()
	for _, path := range []string{"a", "g/b", "g/h/c"} {
		want, got := must.Get(from.OpenArray(ctx, path))(t), must.Get(h.OpenArray(ctx, store.Join(at, path)))(t)
		a, b := must.Get(want.Read(ctx, nil, zarr.ReadOptions{}))(t), must.Get(got.Read(ctx, nil, zarr.ReadOptions{}))(t)
		if got.Metadata().Format != format || !slices.Equal(a.Shape, b.Shape) || !bytes.Equal(a.Data, b.Data) || !slices.EqualFunc(a.Items, b.Items, bytes.Equal) {
			t.Errorf("%s: version %d, %v %v, want %v %v", path, got.Metadata().Format, b.Shape, b.Data, a.Shape, a.Data)
		}
		if !slices.Equal(got.DimensionNames, want.DimensionNames) || string(got.Metadata().Attributes.Get("n").Raw()) != string(want.Metadata().Attributes.Get("n").Raw()) {
			t.Errorf("%s: names %v, attributes %s", path, got.DimensionNames, got.Metadata().Attributes.Raw())
		}
	}
	if g := must.Get(h.OpenGroup(ctx, store.Join(at, "g/h")))(t); string(g.Metadata().Attributes.Get("deep").Raw()) != "1" {
		t.Errorf("the group has %s", g.Metadata().Attributes.Raw())
	}
}

func TestCopyBetweenVersions(t *testing.T) {
	ctx := t.Context()
	for _, from := range []int{2, 3} {
		for _, to := range []int{0, 2, 3} {
			src := family(t, from)
			_, dst := writable(t)
			stats, err := zarr.Copy(ctx, must.Get(src.OpenGroup(ctx, ""))(t), dst, "copy/of", zarr.CopyOptions{Format: to})
			if err != nil || stats.Copied != 6 || stats.Skipped != 0 {
				t.Fatalf("from %d to %d: %+v, %v", from, to, stats, err)
			}
			if to == 0 {
				to = from
			}
			same(t, dst, "copy/of", src, to)
			if a := must.Get(dst.OpenArray(ctx, "copy/of/a"))(t); !slices.Equal(a.Grid.ChunkShapes(), []int64{3, 2}) {
				t.Errorf("chunks %v", a.Grid.ChunkShapes())
			}
		}
	}
}

func TestCopyWhereSomethingIs(t *testing.T) {
	ctx := t.Context()
	src := family(t, 3)
	_, dst := writable(t)
	g := must.Get(src.OpenGroup(ctx, ""))(t)
	must.Get(dst.Create(ctx, "x/a", zarr.ArraySpec{Shape: []int64{1}, Codecs: quick}))(t)
	_, err := zarr.CopyAll(ctx, g, dst, "x", zarr.CopyOptions{})
	if !errors.Is(err, fs.ErrExist) {
		t.Errorf("a copy over an array: %v", err)
	}
	stats, err := zarr.CopyAll(ctx, g, dst, "x", zarr.CopyOptions{IfExists: zarr.IfExistsSkip})
	if err != nil || stats.Skipped != 1 || stats.Copied != 4 {
		t.Errorf("skipping: %+v, %v", stats, err)
	}
	if a := must.Get(dst.OpenArray(ctx, "x/a"))(t); len(a.Shape) != 1 {
		t.Error("what was there was not skipped")
	}
	stats, err = zarr.CopyAll(ctx, g, dst, "x", zarr.CopyOptions{IfExists: zarr.IfExistsReplace})
	if err != nil || stats.Skipped != 0 {
		t.Errorf("replacing: %+v, %v", stats, err)
	}
	same(t, dst, "x", src, 3)
	_, shallow := writable(t)
	must.Get(zarr.CopyAll(ctx, g, shallow, "", zarr.CopyOptions{Shallow: true, WithoutAttributes: true}))(t)
	if a := must.Get(shallow.OpenArray(ctx, "a"))(t); a.Metadata().Attributes.Get("n").Exists() {
		t.Error("attributes were copied")
	}
	if _, err := shallow.OpenArray(ctx, "g/b"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what is deeper was copied: %v", err)
	}
	for _, to := range []string{"", "g", "g/h/x"} {
		if _, err := zarr.Copy(ctx, must.Get(src.OpenGroup(ctx, "g"))(t), src, to, zarr.CopyOptions{}); !errors.As(err, new(*zarr.UnsupportedError)) {
			t.Errorf("a copy of a group to %q in itself: %v", to, err)
		}
	}
	// Within one hierarchy.
	must.Get(zarr.Copy(ctx, must.Get(src.OpenArray(ctx, "a"))(t), src, "g/copy", zarr.CopyOptions{}))(t)
}

func TestCopyInOtherChunksWithProgress(t *testing.T) {
	ctx := t.Context()
	_, src := writable(t)
	a := must.Get(src.Create(ctx, "", zarr.ArraySpec{Shape: []int64{5000, 3000}, Chunks: []int64{500, 700}, DType: "uint16", Codecs: quick}))(t)
	want := make([]uint16, 5000*3000)
	for i := range want {
		want[i] = uint16(i * i)
	}
	must.Do(t, a.Set(ctx, nil, want, zarr.WriteOptions{}))
	_, dst := writable(t)
	last, calls := int64(0), 0
	stats, err := zarr.Copy(ctx, a, dst, "copy", zarr.CopyOptions{
		Array: func(path string, spec *zarr.ArraySpec) {
			spec.Chunks, spec.Shards, spec.Codecs = []int64{100, 128}, []int64{1000, 1024}, quick
		},
		Progress: func(path string, done, total int64) {
			if calls++; done <= last || done > total || total != 15e6 || path != "" {
				t.Errorf("%q: %d of %d after %d", path, done, total, last)
			}
			last = done
		},
	})
	if err != nil || last != 15e6 || calls < 2 || stats.Bytes != 30e6 {
		t.Fatalf("%+v, %v, %d in %d calls", stats, err, last, calls)
	}
	b := must.Get(dst.OpenArray(ctx, "copy"))(t)
	x, y := must.Get(a.Read(ctx, nil, zarr.ReadOptions{}))(t), must.Get(b.Read(ctx, nil, zarr.ReadOptions{}))(t)
	if !slices.Equal(b.Grid.ChunkShapes(), []int64{1000, 1024}) || !slices.Equal(b.InnerChunks(), []int64{100, 128}) || !bytes.Equal(x.Data, y.Data) {
		t.Errorf("chunks %v of %v; the elements are the same: %v", b.InnerChunks(), b.Grid.ChunkShapes(), bytes.Equal(x.Data, y.Data))
	}

	// After a cancellation it ends soon.
	inner, cancel := context.WithCancel(ctx)
	_, dst = writable(t)
	_, err = zarr.Copy(inner, a, dst, "copy", zarr.CopyOptions{Progress: func(string, int64, int64) { cancel() }})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a copy that was cancelled: %v", err)
	}
}

// TestCopyMovesNamesOfDimensions copies names of dimensions to the place that the version has for
// them, and only there.
func TestCopyMovesNamesOfDimensions(t *testing.T) {
	ctx := t.Context()
	for _, from := range []int{2, 3} {
		src := family(t, from)
		for _, to := range []int{2, 3} {
			_, dst := writable(t)
			must.Get(zarr.Copy(ctx, must.Get(src.OpenGroup(ctx, ""))(t), dst, "", zarr.CopyOptions{Format: to}))(t)
			_, again := writable(t)
			must.Get(zarr.Copy(ctx, must.Get(dst.OpenGroup(ctx, ""))(t), again, "", zarr.CopyOptions{Format: 3}))(t)
			for h, format := range map[*zarr.Hierarchy]int{dst: to, again: 3} {
				same(t, h, "", src, format)
				attrs := must.Get(h.OpenArray(ctx, "g/b"))(t).Metadata().Attributes
				if attrs.Get("_ARRAY_DIMENSIONS").Exists() != (format == 2) || attrs.Len() != 4-format {
					t.Errorf("from %d by %d to %d: the attributes are %s", from, to, format, attrs.Raw())
				}
			}
		}
	}
}

// TestCopyEndsWithTheDocuments fails copies at every write. An existing array is complete, and a
// copy that skips existing nodes does the rest.
func TestCopyEndsWithTheDocuments(t *testing.T) {
	ctx := t.Context()
	for _, format := range []int{2, 3} {
		src := family(t, format)
		for n := 0; ; n++ {
			st := &failingWrites{Store: memstore.New(nil), left: n}
			g := must.Get(src.OpenGroup(ctx, ""))(t)
			_, err := zarr.Copy(ctx, g, zarr.New(st, writing.Codecs(), zarr.Options{}), "", zarr.CopyOptions{})
			if !st.failed {
				break
			}
			if !errors.Is(err, errFull) {
				t.Fatalf("write %d: %v", n, err)
			}
			h := zarr.New(st, writing.Codecs(), zarr.Options{})
			for _, path := range []string{"a", "g/b", "g/h/c"} {
				a, err := h.OpenArray(ctx, path)
				if errors.Is(err, fs.ErrNotExist) {
					continue
				}
				want := must.Get(must.Get(src.OpenArray(ctx, path))(t).Read(ctx, nil, zarr.ReadOptions{}))(t)
				if got := must.Get(a.Read(ctx, nil, zarr.ReadOptions{}))(t); err != nil || !bytes.Equal(got.Data, want.Data) || !slices.EqualFunc(got.Items, want.Items, bytes.Equal) {
					t.Fatalf("write %d: %s is there, and not whole: %v", n, path, err)
				}
			}
			st.mu.Lock()
			st.left = 1000
			st.mu.Unlock()
			if _, err := zarr.Copy(ctx, g, h, "", zarr.CopyOptions{IfExists: zarr.IfExistsSkip}); err != nil {
				t.Fatalf("going on after write %d: %v", n, err)
			}
			same(t, h, "", src, format)
		}
	}
}

// TestCopyReadsChunksFewTimes copies slices to columns. Boxes of whole chunks in C order would
// decode every chunk for each of its rows.
func TestCopyReadsChunksFewTimes(t *testing.T) {
	if runtime.GOOS == "js" {
		t.Skip("boxes are planned the same way there, and it takes long")
	}
	ctx := t.Context()
	for _, c := range []struct{ from, to []int64 }{
		{[]int64{8, 512, 512}, []int64{1, 512, 512}},
		{[]int64{1, 2048, 2048}, []int64{8, 128, 128}},
	} {
		h := zarr.New(memstore.New(nil), writing.Codecs(), zarr.Options{Cache: zarr.CacheOptions{Decoded: -1, Encoded: -1}})
		a := must.Get(h.Create(ctx, "", zarr.ArraySpec{Shape: []int64{8, 4096, 4096}, Chunks: c.from, DType: "uint8", Codecs: []zarr.Codec{}}))(t)
		for i := range int64(8) {
			must.Do(t, a.Set(ctx, []grid.Item{grid.At(i), grid.Range(nil, nil, new(int64(512)))}, int(i)+1, zarr.WriteOptions{}))
		}
		_, dst := writable(t)
		before := h.Stats().Store.Requests
		must.Get(zarr.Copy(ctx, a, dst, "", zarr.CopyOptions{Array: func(_ string, s *zarr.ArraySpec) { s.Chunks = c.to }}))(t)
		chunks := product(a.ChunkGrid().Counts())
		if read := h.Stats().Store.Requests - before; read > 3*chunks {
			t.Errorf("%v to %v: %d chunks were read %d times", c.from, c.to, chunks, read)
		}
		x, y := must.Get(a.Read(ctx, nil, zarr.ReadOptions{}))(t), must.Get(must.Get(dst.OpenArray(ctx, ""))(t).Read(ctx, nil, zarr.ReadOptions{}))(t)
		if !bytes.Equal(x.Data, y.Data) {
			t.Error("other elements")
		}
	}
}

func product(list []int64) int64 {
	n := int64(1)
	for _, one := range list {
		n *= one
	}
	return n
}

func TestCopyStore(t *testing.T) {
	ctx := t.Context()
	src := family(t, 2)
	st, dst := writable(t)
	dry := must.Get(zarr.CopyStore(ctx, src, "", dst, "x", zarr.CopyStoreOptions{DryRun: true}))(t)
	if len(keys(t, st, "")) != 0 {
		t.Error("a dry run has written")
	}
	stats := must.Get(zarr.CopyStore(ctx, src, "", dst, "x", zarr.CopyStoreOptions{}))(t)
	if stats != dry || stats.Copied != len(keys(t, st, "")) || stats.Copied < 20 {
		t.Errorf("%+v, %+v", stats, dry)
	}
	same(t, dst, "x", src, 2)
	if _, err := zarr.CopyStore(ctx, src, "", dst, "x", zarr.CopyStoreOptions{}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a copy over objects: %v", err)
	}
	again := must.Get(zarr.CopyStore(ctx, src, "", dst, "x", zarr.CopyStoreOptions{IfExists: zarr.IfExistsSkip}))(t)
	if again.Skipped != stats.Copied || again.Copied != 0 {
		t.Errorf("%+v", again)
	}
	over := must.Get(zarr.CopyStore(ctx, src, "g", dst, "x/g", zarr.CopyStoreOptions{IfExists: zarr.IfExistsReplace}))(t)
	if over.Copied == 0 {
		t.Errorf("%+v", over)
	}
}

func TestMigrate(t *testing.T) {
	ctx := t.Context()
	h := family(t, 2)
	old := must.Get(h.OpenArray(ctx, "a"))(t)
	if n, err := h.Migrate(ctx, "", 3); err != nil || n != 6 {
		t.Fatal(n, err)
	}
	same(t, h, "", family(t, 2), 3)
	if _, err := old.Read(ctx, nil, zarr.ReadOptions{}); !errors.As(err, new(*zarr.MetadataChangedError)) {
		t.Errorf("an array of the old version reads %v", err)
	}
	if _, err := h.Open(ctx, "a", zarr.OpenOptions{Format: 2, Fresh: true}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the old documents are %v", err)
	}
	// It can be written.
	a := must.Get(h.OpenArray(ctx, "g/b"))(t)
	must.Do(t, a.Set(ctx, nil, 1.5, zarr.WriteOptions{}))
	if n, err := h.Migrate(ctx, "", 3); err != nil || n != 0 {
		t.Errorf("a migration of version 3: %d, %v", n, err)
	}

	v1 := memstore.New(map[string][]byte{
		"a/meta":  []byte(`{"zarr_format": 1, "shape": [4], "chunks": [2], "dtype": "<i2", "compression": "zlib", "compression_opts": 1, "fill_value": 7, "order": "C"}`),
		"a/attrs": []byte(`{"x": 1}`),
	})
	h = zarr.New(v1, writing.Codecs(), zarr.Options{})
	if n, err := h.Migrate(ctx, "a", 2); err != nil || n != 1 {
		t.Fatal(n, err)
	}
	a = must.Get(h.OpenArray(ctx, "a"))(t)
	must.Do(t, a.Set(ctx, along(0, 1), 9, zarr.WriteOptions{}))
	res := must.Get(a.Read(ctx, nil, zarr.ReadOptions{}))(t)
	if a.Metadata().Format != 2 || !bytes.Equal(res.Data, []byte{9, 0, 7, 0, 7, 0, 7, 0}) || len(keys(t, v1, "")) != 3 {
		t.Errorf("version %d, %v, %v", a.Metadata().Format, res.Data, keys(t, v1, ""))
	}
}
