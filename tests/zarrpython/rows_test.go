package zarrpython_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/filestore"
	"github.com/zarr-wasm/zarr-wasm/store/httpstore"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/store/zipstore"
	"github.com/zarr-wasm/zarr-wasm/tests/fixtures"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs/writing"
	"github.com/zarr-wasm/zarr-wasm/zarr/convention/print"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// bench holds the tools of a row: a hierarchy in memory.
type bench struct {
	*testing.T
	ctx context.Context
	mem *memstore.Store
	h   *zarr.Hierarchy
}

func newBench(t *testing.T) *bench {
	mem := memstore.New(nil)
	return &bench{t, t.Context(), mem, zarr.New(mem, writing.Codecs(), zarr.Options{})}
}

// no fails on an error.
func (b *bench) no(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// same compares two values.
func (b *bench) same(got, want any) {
	b.Helper()
	if !reflect.DeepEqual(got, want) {
		b.Fatalf("%v, %v is expected", got, want)
	}
}

// numbers creates an array of version 2 with the bytes 0 to 11, 3 rows of 4 in chunks of 2 x 2.
func (b *bench) numbers(path string) *zarr.Array {
	b.Helper()
	a, err := b.h.Create(b.ctx, path, zarr.ArraySpec{Format: 2, Shape: []int64{3, 4}, Chunks: []int64{2, 2}, DType: "uint8"})
	b.no(err)
	b.no(a.Set(b.ctx, nil, &zarr.Result{Type: a.DType(), Block: b.block([]int{3, 4}, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)}, zarr.WriteOptions{}))
	return a
}

// data returns the elements of an array of bytes.
func (b *bench) data(a *zarr.Array, sel ...grid.Item) []byte {
	b.Helper()
	res, err := a.Read(b.ctx, sel, zarr.ReadOptions{})
	b.no(err)
	return res.Data
}

// block returns a block of bytes.
func (b *bench) block(shape []int, elements ...byte) ndarray.Block {
	return ndarray.Block{Shape: shape, Size: 1, Data: elements}
}

func (b *bench) group(path string) *zarr.Group {
	b.Helper()
	g, err := b.h.CreateGroup(b.ctx, path, zarr.GroupSpec{})
	b.no(err)
	return g
}

// names returns the names of a group's members of a kind.
func (b *bench) names(g *zarr.Group, kind string) []string {
	b.Helper()
	members, err := g.Members(b.ctx)
	b.no(err)
	var names []string
	for _, m := range members {
		if kind == "" || m.Kind == kind {
			names = append(names, m.Name)
		}
	}
	slices.Sort(names)
	return names
}

// visit calls f for every node below a group.
func (b *bench) visit(g *zarr.Group, f func(zarr.Node)) {
	b.Helper()
	members, err := g.Members(b.ctx)
	b.no(err)
	for _, m := range members {
		f(m.Node)
		if below, ok := m.Node.(*zarr.Group); ok {
			b.visit(below, f)
		}
	}
}

var small = zarr.ArraySpec{Shape: []int64{4}, DType: "uint8"}

// rows maps the functions of zarr-python to their equivalents.
var rows = map[string]func(b *bench){
	"create": func(b *bench) {
		a, err := b.h.Create(b.ctx, "a", zarr.ArraySpec{Shape: []int64{10, 10}, Chunks: []int64{5, 5}, DType: "<i4", Fill: 7})
		b.no(err)
		b.same(a.Fill, []byte{7, 0, 0, 0})
	},
	"empty": func(b *bench) { _, err := b.h.Empty(b.ctx, "a", small); b.no(err) },
	"zeros": func(b *bench) {
		a, err := b.h.Zeros(b.ctx, "a", small)
		b.no(err)
		b.same(b.data(a), []byte{0, 0, 0, 0})
	},
	"ones": func(b *bench) {
		a, err := b.h.Ones(b.ctx, "a", small)
		b.no(err)
		b.same(b.data(a), []byte{1, 1, 1, 1})
	},
	"full": func(b *bench) {
		a, err := b.h.Full(b.ctx, "a", 9, small)
		b.no(err)
		b.same(b.data(a), []byte{9, 9, 9, 9})
	},
	"array": func(b *bench) {
		a, err := b.h.Create(b.ctx, "a", small)
		b.no(err)
		b.no(a.Set(b.ctx, nil, []uint8{1, 2, 3, 4}, zarr.WriteOptions{}))
		b.same(b.data(a), []byte{1, 2, 3, 4})
	},
	"open_array": func(b *bench) {
		b.numbers("a")
		a, err := b.h.OpenArray(b.ctx, "a")
		b.no(err)
		b.same(a.Shape, []int64{3, 4})
		_, err = b.h.RequireArray(b.ctx, "b", small) // mode "a"
		b.no(err)
	},
	"empty_like": func(b *bench) { _, err := b.h.EmptyLike(b.ctx, "b", b.numbers("a")); b.no(err) },
	"zeros_like": func(b *bench) {
		a, err := b.h.ZerosLike(b.ctx, "b", b.numbers("a"))
		b.no(err)
		b.same(b.data(a), make([]byte, 12))
	},
	"ones_like": func(b *bench) {
		a, err := b.h.OnesLike(b.ctx, "b", b.numbers("a"))
		b.no(err)
		b.same(b.data(a), bytes.Repeat([]byte{1}, 12))
	},
	"full_like": func(b *bench) {
		a, err := b.h.FullLike(b.ctx, "b", b.numbers("a"), 5)
		b.no(err)
		b.same(b.data(a), bytes.Repeat([]byte{5}, 12))
	},
	"open_like": func(b *bench) {
		a, err := b.h.RequireArray(b.ctx, "b", b.numbers("a").Spec(0))
		b.no(err)
		b.same(a.Grid.ChunkShapes(), []int64{2, 2})
	},

	"Array.path": func(b *bench) { b.same(b.numbers("x/a").Path(), "x/a") },
	"Array.store": func(b *bench) {
		if a := b.numbers("a"); a.Hierarchy() != b.h {
			b.Error("another hierarchy")
		}
	},
	"Array.shape":  func(b *bench) { b.same(b.numbers("a").Shape, []int64{3, 4}) },
	"Array.chunks": func(b *bench) { b.same(b.numbers("a").Grid.ChunkShapes(), []int64{2, 2}) },
	"Array.dtype":  func(b *bench) { b.same(b.numbers("a").DType().V2String(), "|u1") },
	"Array.compressor": func(b *bench) {
		chain := b.numbers("a").Codecs
		b.same(chain[len(chain)-1].Name, "blosc")
	},
	"Array.filters": func(b *bench) {
		a, err := b.h.Create(b.ctx, "a", zarr.ArraySpec{Format: 2, Shape: []int64{4}, DType: "<i4", Codecs: []zarr.Codec{{Name: "delta", Config: map[string]any{"dtype": "<i4"}}}})
		b.no(err)
		b.same(a.Codecs[len(a.Codecs)-1].Name, "delta")
	},
	"Array.fill_value": func(b *bench) { b.same(b.numbers("a").Fill, []byte{0}) },
	"Array.order":      func(b *bench) { b.same(b.numbers("a").Order, "C") },
	"Array.attrs": func(b *bench) {
		a, err := zarr.UpdateAttributes(b.ctx, b.numbers("a"), map[string]any{"units": "m"})
		b.no(err)
		units, _ := a.Metadata().Attributes.Get("units").Text()
		b.same(units, "m")
	},
	"Array.cdata_shape": func(b *bench) { b.same(b.numbers("a").ChunkGrid().Counts(), []int64{2, 2}) },
	"Array.nchunks": func(b *bench) {
		n, ok := b.numbers("a").ChunkGrid().Total()
		b.same([]any{n, ok}, []any{int64(4), true})
	},
	"Array.nchunks_initialized": func(b *bench) {
		n, err := b.numbers("a").StoredChunks(b.ctx)
		b.no(err)
		b.same(n, int64(4))
	},
	"Array.info": func(b *bench) {
		if text := print.Text(b.numbers("a")); !strings.Contains(text, "(3, 4)") {
			b.Error(text)
		}
	},
	"Array.__getitem__": func(b *bench) {
		b.same(b.data(b.numbers("a"), grid.At(-1), grid.Range(new(int64(1)), new(int64(3)), nil)), []byte{9, 10})
	},
	"Array.__setitem__": func(b *bench) {
		a := b.numbers("a")
		b.no(a.Set(b.ctx, []grid.Item{grid.At(1)}, 0, zarr.WriteOptions{}))
		b.same(b.data(a, grid.At(1)), []byte{0, 0, 0, 0})
	},
	"Array.get_basic_selection": func(b *bench) {
		b.same(b.data(b.numbers("a"), grid.EllipsisItem(), grid.At(0)), []byte{0, 4, 8})
	},
	"Array.set_basic_selection": func(b *bench) {
		a := b.numbers("a")
		b.no(a.Set(b.ctx, []grid.Item{grid.EllipsisItem(), grid.At(0)}, []uint8{7, 8, 9}, zarr.WriteOptions{}))
		b.same(b.data(a, grid.All(), grid.At(0)), []byte{7, 8, 9})
	},
	"Array.get_mask_selection": func(b *bench) {
		mask := make([]bool, 12)
		mask[3], mask[8] = true, true
		points, err := zarr.PointsOf(mask, []int64{3, 4})
		b.no(err)
		res, err := b.numbers("a").ReadPoints(b.ctx, points, zarr.ReadOptions{})
		b.no(err)
		b.same(res.Data, []byte{3, 8})
	},
	"Array.set_mask_selection": func(b *bench) {
		a, mask := b.numbers("a"), make([]bool, 12)
		mask[3], mask[8] = true, true
		b.no(a.SetMask(b.ctx, mask, []uint8{33, 88}, zarr.WriteOptions{}))
		b.same(b.data(a), []byte{0, 1, 2, 33, 4, 5, 6, 7, 88, 9, 10, 11})
	},
	"Array.get_orthogonal_selection": func(b *bench) {
		b.same(b.data(b.numbers("a"), grid.ListOf([]int64{2, 0}), grid.MaskOf([]bool{true, false, false, true})), []byte{8, 11, 0, 3})
	},
	"Array.set_orthogonal_selection": func(b *bench) {
		a := b.numbers("a")
		b.no(a.Set(b.ctx, []grid.Item{grid.ListOf([]int64{2, 0}), grid.ListOf([]int64{0, 3})}, []uint8{1, 2}, zarr.WriteOptions{}))
		b.same(b.data(a), []byte{1, 1, 2, 2, 4, 5, 6, 7, 1, 9, 10, 2})
	},
	"Array.get_coordinate_selection": func(b *bench) {
		res, err := b.numbers("a").ReadPoints(b.ctx, [][]int64{{0, 2}, {3, 1}}, zarr.ReadOptions{})
		b.no(err)
		b.same(res.Data, []byte{3, 9})
	},
	"Array.set_coordinate_selection": func(b *bench) {
		a := b.numbers("a")
		b.no(a.SetPoints(b.ctx, [][]int64{{0, 2}, {3, 1}}, []uint8{30, 90}, zarr.WriteOptions{}))
		b.same(b.data(a), []byte{0, 1, 2, 30, 4, 5, 6, 7, 8, 90, 10, 11})
	},
	"Array.get_block_selection": func(b *bench) {
		a := b.numbers("a")
		sel, err := a.Blocks([]grid.Item{grid.At(1), grid.At(0)})
		b.no(err)
		b.same(b.data(a, sel...), []byte{8, 9})
	},
	"Array.set_block_selection": func(b *bench) {
		a := b.numbers("a")
		sel, err := a.Blocks([]grid.Item{grid.At(0), grid.At(-1)})
		b.no(err)
		b.no(a.Set(b.ctx, sel, 0, zarr.WriteOptions{}))
		b.same(b.data(a), []byte{0, 1, 0, 0, 4, 5, 0, 0, 8, 9, 10, 11})
	},
	"Array fields": func(b *bench) {
		a, err := b.h.Create(b.ctx, "a", zarr.ArraySpec{Format: 2, Shape: []int64{2}, DType: `[["x","|u1"],["y","|u1"]]`})
		b.no(err)
		b.no(a.Set(b.ctx, nil, map[string]any{"x": 1, "y": 2}, zarr.WriteOptions{}))
		b.no(a.Set(b.ctx, nil, []uint8{8, 9}, zarr.WriteOptions{Field: "y"}))
		b.same(b.data(a), []byte{1, 8, 1, 9})
	},
	"Array.resize": func(b *bench) {
		a, err := b.numbers("a").Resize(b.ctx, 2, 5)
		b.no(err)
		b.same(b.data(a), []byte{0, 1, 2, 3, 0, 4, 5, 6, 7, 0})
	},
	"Array.append": func(b *bench) {
		a := b.numbers("a")
		a, err := a.Append(b.ctx, &zarr.Result{Type: a.DType(), Block: b.block([]int{3, 1}, 20, 21, 22)}, 1, zarr.WriteOptions{})
		b.no(err)
		b.same(b.data(a), []byte{0, 1, 2, 3, 20, 4, 5, 6, 7, 21, 8, 9, 10, 11, 22})
	},

	"group": func(b *bench) { b.same(b.group("").Path(), "") },
	"open_group": func(b *bench) {
		b.group("g")
		_, err := b.h.OpenGroup(b.ctx, "g")
		b.no(err)
	},
	"Group.__len__": func(b *bench) {
		b.numbers("g/a")
		g, err := b.h.OpenGroup(b.ctx, "g")
		b.no(err)
		b.same(len(b.names(g, "")), 1)
	},
	"Group.__contains__": func(b *bench) {
		b.group("")
		_, err := b.h.Open(b.ctx, "nothing", zarr.OpenOptions{})
		b.same(errors.Is(err, fs.ErrNotExist), true)
	},
	"Group.__getitem__": func(b *bench) {
		b.numbers("g/a")
		n, err := b.h.Open(b.ctx, "g/a", zarr.OpenOptions{})
		b.no(err)
		b.same(n.Path(), "g/a")
	},
	"Group.group_keys": func(b *bench) {
		g := b.group("")
		b.group("x")
		b.group("y")
		b.same(b.names(g, "group"), []string{"x", "y"})
	},
	"Group.array_keys": func(b *bench) {
		b.numbers("g/a")
		b.numbers("g/b")
		g, err := b.h.OpenGroup(b.ctx, "g")
		b.no(err)
		b.same(b.names(g, "array"), []string{"a", "b"})
	},
	"Group.visit": func(b *bench) {
		b.numbers("g/x/a")
		g, err := b.h.OpenGroup(b.ctx, "g")
		b.no(err)
		var paths []string
		b.visit(g, func(n zarr.Node) { paths = append(paths, n.Path()) })
		b.same(paths, []string{"g/x", "g/x/a"})
	},
	"Group.create_group": func(b *bench) { b.same(b.group("g/h").Path(), "g/h") },
	"Group.require_group": func(b *bench) {
		for range 2 {
			_, err := b.h.RequireGroup(b.ctx, "g", zarr.GroupSpec{})
			b.no(err)
		}
	},
	"Group.create_dataset": func(b *bench) { _, err := b.h.Create(b.ctx, "g/a", small); b.no(err) },
	"Group.require_dataset": func(b *bench) {
		for range 2 {
			_, err := b.h.RequireArray(b.ctx, "g/a", small)
			b.no(err)
		}
	},
	"Group.move": func(b *bench) {
		b.numbers("g/a")
		b.no(b.h.Move(b.ctx, "g/a", "g/b"))
		a, err := b.h.OpenArray(b.ctx, "g/b")
		b.no(err)
		b.same(b.data(a, grid.At(0)), []byte{0, 1, 2, 3})
	},
	"Group.__delitem__": func(b *bench) {
		b.numbers("g/a")
		b.no(b.h.Delete(b.ctx, "g/a"))
		_, err := b.h.OpenArray(b.ctx, "g/a")
		b.same(errors.Is(err, fs.ErrNotExist), true)
	},

	"DictStore": func(b *bench) { b.same(store.SourceCapabilities(b.mem).Writer != nil, true) },
	"DirectoryStore": func(b *bench) {
		dir, err := filestore.MakeDir(filepath.Join(b.TempDir(), "a.zarr"), filestore.DirOptions{})
		b.no(err)
		h := zarr.New(dir, writing.Codecs(), zarr.Options{})
		_, err = h.Create(b.ctx, "a", small)
		b.no(err)
	},
	"NestedDirectoryStore": func(b *bench) {
		a, err := b.h.Create(b.ctx, "a", zarr.ArraySpec{Format: 2, Shape: []int64{2, 2}, DType: "|u1", Separator: "/"})
		b.no(err)
		b.no(a.Set(b.ctx, nil, 1, zarr.WriteOptions{}))
		_, err = b.mem.Read(b.ctx, "a/0/0", store.Ask{})
		b.no(err)
	},
	"ZipStore": func(b *bench) {
		b.numbers("a")
		names, err := b.mem.List(b.ctx, "a")
		b.no(err)
		var file bytes.Buffer
		w := zipstore.NewWriter(&file)
		for _, name := range names {
			e, err := b.mem.Read(b.ctx, "a/"+name, store.Ask{})
			b.no(err)
			b.no(w.Set(b.ctx, "a/"+name, e.Bytes))
		}
		b.no(w.Close())
		caches := zarr.NewCaches(zarr.CacheOptions{})
		zip, err := zipstore.New(store.Plain(memstore.New(map[string][]byte{"a.zip": file.Bytes()})), "a.zip", caches.Layer(), zipstore.Options{Decode: codecs.Unzip(codecs.Default())})
		b.no(err)
		a, err := zarr.Over(zip, codecs.Default(), zarr.Options{Caches: caches}).OpenArray(b.ctx, "a")
		b.no(err)
		b.same(b.data(a, grid.At(2)), []byte{8, 9, 10, 11})
	},
	"FSStore": func(b *bench) {
		a := b.numbers("a")
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			e, err := b.mem.Read(r.Context(), strings.TrimPrefix(r.URL.Path, "/"), store.Ask{})
			if err != nil {
				http.NotFound(w, r)
				return
			}
			_, _ = w.Write(e.Bytes)
		}))
		defer server.Close()
		s, err := httpstore.New(server.URL, httpstore.Options{})
		b.no(err)
		far, err := zarr.New(s, codecs.Default(), zarr.Options{}).OpenArray(b.ctx, "a")
		b.no(err)
		b.same(b.data(far), b.data(a))
	},
	"LRUStoreCache": func(b *bench) {
		h := zarr.New(b.mem, codecs.Default(), zarr.Options{Cache: zarr.CacheOptions{Encoded: 1 << 20}})
		b.numbers("a")
		a, err := h.OpenArray(b.ctx, "a")
		b.no(err)
		b.same(b.data(a, grid.At(0)), []byte{0, 1, 2, 3})
	},
	"contains_array": func(b *bench) {
		b.group("g")
		_, err := b.h.OpenArray(b.ctx, "g")
		var other *zarr.NotFoundError
		b.same(errors.As(err, &other) && other.Found == "group", true)
	},
	"listdir": func(b *bench) {
		b.numbers("a")
		names, err := b.mem.List(b.ctx, "a")
		b.no(err)
		b.same(slices.Contains(names, "0.0"), true)
	},
	"rmdir": func(b *bench) {
		b.numbers("a")
		b.no(b.mem.DeleteAll(b.ctx, "a"))
		names, err := b.mem.List(b.ctx, "a")
		b.no(err)
		b.same(len(names), 0)
	},
	"rename": func(b *bench) { b.numbers("a"); b.no(b.h.Rename(b.ctx, "a", "b")) },
	"migrate_1to2": func(b *bench) {
		dir := filepath.Join(b.TempDir(), "a.zarr")
		b.no(os.CopyFS(dir, os.DirFS(filepath.Join(fixtures.Dir(b.T), "v1", "blosc_lz4.zarr"))))
		a, err := open(b, dir).OpenArray(b.ctx, "")
		b.no(err)
		want := b.data(a)
		_, err = open(b, dir).Migrate(b.ctx, "", 2)
		b.no(err)
		a, err = open(b, dir).OpenArray(b.ctx, "")
		b.no(err)
		b.same(a.Metadata().Format, 2)
		b.same(b.data(a), want)
	},

	"save": func(b *bench) {
		a, err := b.h.Create(b.ctx, "a", zarr.ArraySpec{Shape: []int64{2}, DType: "uint8", Overwrite: true})
		b.no(err)
		b.no(a.Set(b.ctx, nil, []uint8{1, 2}, zarr.WriteOptions{}))
	},
	"load": func(b *bench) { b.same(b.data(b.numbers("a"))[11], byte(11)) },
	"copy": func(b *bench) {
		to := zarr.New(memstore.New(nil), writing.Codecs(), zarr.Options{})
		_, err := zarr.Copy(b.ctx, b.numbers("a"), to, "b", zarr.CopyOptions{Format: 3})
		b.no(err)
		a, err := to.OpenArray(b.ctx, "b")
		b.no(err)
		b.same(b.data(a, grid.At(1)), []byte{4, 5, 6, 7})
	},
	"copy_all": func(b *bench) {
		b.numbers("g/a")
		g, err := b.h.OpenGroup(b.ctx, "g")
		b.no(err)
		stats, err := zarr.CopyAll(b.ctx, g, zarr.New(memstore.New(nil), writing.Codecs(), zarr.Options{}), "h", zarr.CopyOptions{})
		b.no(err)
		b.same(stats.Copied, 1)
	},
	"copy_store": func(b *bench) {
		b.numbers("a")
		stats, err := zarr.CopyStore(b.ctx, b.h, "", zarr.New(memstore.New(nil), writing.Codecs(), zarr.Options{}), "", zarr.CopyStoreOptions{})
		b.no(err)
		b.same(stats.Copied > 4, true)
	},
	"consolidate_metadata": func(b *bench) {
		b.numbers("g/a")
		g, err := b.h.ConsolidateMetadata(b.ctx, "g")
		b.no(err)
		b.same(g.Metadata().Consolidated != nil, true)
	},
	"open_consolidated": func(b *bench) {
		b.numbers("g/a")
		_, err := b.h.ConsolidateMetadata(b.ctx, "g")
		b.no(err)
		g, err := zarr.New(b.mem, codecs.Default(), zarr.Options{}).OpenGroup(b.ctx, "g")
		b.no(err)
		members, err := g.Members(b.ctx)
		b.no(err)
		b.same(members[0].How, zarr.Consolidated)
	},

	"codec_registry": func(b *bench) {
		_, err := b.h.Create(b.ctx, "a", zarr.ArraySpec{Shape: []int64{4}, DType: "uint8", Codecs: []zarr.Codec{{Name: "gzip", Config: map[string]any{"level": 5}}}})
		b.no(err)
	},
	"Blosc": func(b *bench) {
		_, err := b.h.Create(b.ctx, "a", zarr.ArraySpec{Format: 2, Shape: []int64{4}, DType: "<i4", Codecs: []zarr.Codec{{Name: "blosc", Config: map[string]any{"cname": "zstd", "clevel": 3, "shuffle": 2}}}})
		b.no(err)
	},
	"Attributes.__getitem__": func(b *bench) {
		g, err := b.h.CreateGroup(b.ctx, "g", zarr.GroupSpec{Attributes: map[string]any{"x": 1}})
		b.no(err)
		n, _ := g.Metadata().Attributes.Get("x").Int64()
		b.same(n, int64(1))
	},
	"Attributes.__setitem__": func(b *bench) {
		_, err := zarr.UpdateAttributes(b.ctx, b.group("g"), map[string]any{"x": 1})
		b.no(err)
	},
	"Attributes.__delitem__": func(b *bench) {
		g, err := zarr.UpdateAttributes(b.ctx, b.group("g"), map[string]any{"x": 1, "y": 2})
		b.no(err)
		g, err = zarr.DeleteAttributes(b.ctx, g, "x")
		b.no(err)
		b.same(len(g.Metadata().Attributes.Members()), 1)
	},
	"Attributes.put": func(b *bench) {
		g, err := zarr.UpdateAttributes(b.ctx, b.group("g"), map[string]any{"x": 1})
		b.no(err)
		g, err = zarr.SetAttributes(b.ctx, g, map[string]any{"y": 2})
		b.no(err)
		b.same(len(g.Metadata().Attributes.Members()), 1)
	},
	"Attributes.refresh": func(b *bench) {
		b.group("g")
		_, err := b.h.Open(b.ctx, "g", zarr.OpenOptions{Fresh: true})
		b.no(err)
	},
	"ThreadSynchronizer": func(b *bench) {
		a := b.numbers("a")
		var all sync.WaitGroup
		for i := range 12 {
			all.Go(func() {
				if err := a.SetPoints(b.ctx, [][]int64{{int64(i / 4)}, {int64(i % 4)}}, 100+i, zarr.WriteOptions{}); err != nil {
					b.Error(err)
				}
			})
		}
		all.Wait()
		b.same(b.data(a), []byte{100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111})
	},
	"ProcessSynchronizer": func(b *bench) {
		dir, err := filestore.MakeDir(b.TempDir(), filestore.DirOptions{Locks: filestore.NewLocks(b.TempDir())})
		b.no(err)
		unlock, err := dir.Lock(b.ctx, "a/0.0")
		b.no(err)
		b.no(unlock())
	},
}

func open(b *bench, dir string) *zarr.Hierarchy {
	b.Helper()
	d, err := filestore.OpenDir(dir, filestore.DirOptions{})
	b.no(err)
	return zarr.New(d, writing.Codecs(), zarr.Options{})
}

// row matches a row of a table whose first cell is a name of zarr-python.
var row = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| (.+?) \\|")

// Every row with an equivalent in the document is run, and no other function is.
func TestRows(t *testing.T) {
	root, err := fixtures.Root()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "docs", "start", "migrating.md"))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, m := range row.FindAllStringSubmatch(string(text), -1) {
		name, here := m[1], m[2]
		if seen[name] {
			t.Errorf("%s stands twice in docs/start/migrating.md", name)
		}
		seen[name] = true
		run := rows[name]
		switch {
		case strings.HasPrefix(here, "– "):
			if run != nil {
				t.Errorf("%s is run, and docs/start/migrating.md says that there is no such thing", name)
			}
		case run == nil:
			t.Errorf("%s of docs/start/migrating.md is not run", name)
		default:
			t.Run(name, func(t *testing.T) { run(newBench(t)) })
		}
	}
	for name := range rows {
		if !seen[name] {
			t.Errorf("%s is not in docs/start/migrating.md", name)
		}
	}
}
