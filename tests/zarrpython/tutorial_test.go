package zarrpython_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/filestore"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/store/zipstore"
	"github.com/zarr-wasm/zarr-wasm/tests/fixtures"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs/writing"
	"github.com/zarr-wasm/zarr-wasm/zarr/convention/print"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

// The recipes of docs/guides/go.md are the bodies of these examples.

var ctx = context.Background()

// memory is a hierarchy in memory.
func memory() *zarr.Hierarchy {
	return zarr.New(memstore.New(nil), writing.Codecs(), zarr.Options{})
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func Example_creating() {
	h := zarr.New(memstore.New(nil), writing.Codecs(), zarr.Options{})
	z, err := h.Zeros(ctx, "z", zarr.ArraySpec{Shape: []int64{10000, 10000}, Chunks: []int64{1000, 1000}, DType: "int32"})
	check(err)
	fmt.Println(z.Shape, z.DType().Name, z.ChunkGrid().Counts())
	// Output: [10000 10000] int32 [10 10]
}

func Example_readingAndWriting() {
	h := memory()
	z, err := h.Zeros(ctx, "z", zarr.ArraySpec{Shape: []int64{1000, 1000}, Chunks: []int64{100, 100}, DType: "uint8"})
	check(err)
	check(z.Set(ctx, nil, 42, zarr.WriteOptions{}))                        // z[:] = 42
	check(z.Set(ctx, []grid.Item{grid.At(0)}, 1, zarr.WriteOptions{}))     // z[0, :] = 1
	column := []grid.Item{grid.Range(nil, new(int64(3)), nil), grid.At(0)} // z[:3, 0]
	res, err := z.Read(ctx, column, zarr.ReadOptions{})
	check(err)
	fmt.Println(res.Shape, res.Data)
	// Output: [3] [1 42 42]
}

func Example_persistent() {
	folder, err := os.MkdirTemp("", "tutorial")
	check(err)
	defer os.RemoveAll(folder)

	dir, err := filestore.MakeDir(filepath.Join(folder, "example.zarr"), filestore.DirOptions{})
	check(err)
	z, err := zarr.New(dir, writing.Codecs(), zarr.Options{}).Create(ctx, "", zarr.ArraySpec{Shape: []int64{4}, DType: "uint8"})
	check(err)
	check(z.Set(ctx, nil, []uint8{1, 2, 3, 4}, zarr.WriteOptions{}))

	again, err := filestore.OpenDir(filepath.Join(folder, "example.zarr"), filestore.DirOptions{})
	check(err)
	z, err = zarr.New(again, writing.Codecs(), zarr.Options{}).OpenArray(ctx, "")
	check(err)
	res, err := z.Read(ctx, nil, zarr.ReadOptions{})
	check(err)
	fmt.Println(res.Data)
	// Output: [1 2 3 4]
}

func Example_resizingAndAppending() {
	h := memory()
	z, err := h.Zeros(ctx, "z", zarr.ArraySpec{Shape: []int64{2, 3}, Chunks: []int64{2, 2}, DType: "uint8"})
	check(err)
	z, err = z.Resize(ctx, 2, 4)
	check(err)
	row, err := h.Full(ctx, "row", 7, zarr.ArraySpec{Shape: []int64{1, 4}, DType: "uint8"})
	check(err)
	values, err := row.Read(ctx, nil, zarr.ReadOptions{})
	check(err)
	z, err = z.Append(ctx, values, 0, zarr.WriteOptions{})
	check(err)
	res, err := z.Read(ctx, nil, zarr.ReadOptions{})
	check(err)
	fmt.Println(z.Shape, res.Data)
	// Output: [3 4] [0 0 0 0 0 0 0 0 7 7 7 7]
}

func Example_compressors() {
	h := memory()
	z, err := h.Create(ctx, "z", zarr.ArraySpec{
		Format: 2, Shape: []int64{1000}, DType: "<i4",
		Codecs: []zarr.Codec{{Name: "blosc", Config: map[string]any{"cname": "zstd", "clevel": 3, "shuffle": 2}}},
	})
	check(err)
	plain, err := h.Create(ctx, "plain", zarr.ArraySpec{Shape: []int64{1000}, DType: "int32", Codecs: []zarr.Codec{}})
	check(err)
	fmt.Println(z.Codecs[len(z.Codecs)-1].Name, len(plain.Codecs))
	// Output: blosc 1
}

func Example_filters() {
	h := memory()
	z, err := h.Create(ctx, "z", zarr.ArraySpec{
		Format: 2, Shape: []int64{6}, DType: "<i4",
		Codecs: []zarr.Codec{{Name: "delta", Config: map[string]any{"dtype": "<i4"}}, {Name: "zlib", Config: map[string]any{"level": 1}}},
	})
	check(err)
	check(z.Set(ctx, nil, []int32{100, 101, 103, 106, 110, 115}, zarr.WriteOptions{}))
	res, err := z.Read(ctx, []grid.Item{grid.At(-1)}, zarr.ReadOptions{})
	check(err)
	fmt.Println(res.Data)
	// Output: [115 0 0 0]
}

func Example_groups() {
	h := memory()
	_, err := h.CreateGroup(ctx, "", zarr.GroupSpec{})
	check(err)
	// the groups above are made
	_, err = h.Zeros(ctx, "foo/bar/baz", zarr.ArraySpec{Shape: []int64{10}, DType: "int32"})
	check(err)
	foo, err := h.OpenGroup(ctx, "foo")
	check(err)
	members, err := foo.Members(ctx)
	check(err)
	for _, m := range members {
		fmt.Println(m.Kind, m.Name)
	}
	// Output: group bar
}

func Example_diagnostics() {
	h := memory()
	z, err := h.Zeros(ctx, "foo/bar", zarr.ArraySpec{Shape: []int64{4, 4}, Chunks: []int64{2, 4}, DType: "int8"})
	check(err)
	check(z.Set(ctx, []grid.Item{grid.At(0)}, 1, zarr.WriteOptions{}))
	stored, err := z.StoredChunks(ctx)
	check(err)
	fmt.Println(strings.Split(print.Text(z), "\n")[0])
	fmt.Println(stored, "of", z.ChunkGrid().Counts(), "chunks are stored")
	// Output:
	// Name        : /foo/bar
	// 1 of [2 1] chunks are stored
}

func Example_attributes() {
	h := memory()
	g, err := h.CreateGroup(ctx, "g", zarr.GroupSpec{Attributes: map[string]any{"foo": "bar"}})
	check(err)
	g, err = zarr.UpdateAttributes(ctx, g, map[string]any{"answer": 42, "list": []any{1, "two"}})
	check(err)
	g, err = zarr.DeleteAttributes(ctx, g, "foo")
	check(err)
	answer, _ := g.Metadata().Attributes.Get("answer").Int64()
	fmt.Println(answer, g.Metadata().Attributes.Get("foo").Exists())
	// Output: 42 false
}

func Example_coordinates() {
	h := memory()
	z, err := h.Create(ctx, "z", zarr.ArraySpec{Shape: []int64{10}, DType: "uint8"})
	check(err)
	check(z.Set(ctx, nil, []uint8{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, zarr.WriteOptions{}))
	// z.vindex[[1, 4]] = …
	check(z.SetPoints(ctx, [][]int64{{1, 4}}, []uint8{99, 98}, zarr.WriteOptions{}))
	res, err := z.ReadPoints(ctx, [][]int64{{4, 1, 0}}, zarr.ReadOptions{})
	check(err)
	fmt.Println(res.Data)
	// Output: [98 99 0]
}

func Example_mask() {
	h := memory()
	z, err := h.Zeros(ctx, "z", zarr.ArraySpec{Shape: []int64{2, 3}, DType: "uint8"})
	check(err)
	check(z.SetMask(ctx, []bool{true, false, false, false, false, true}, 5, zarr.WriteOptions{}))
	res, err := z.Read(ctx, nil, zarr.ReadOptions{})
	check(err)
	fmt.Println(res.Data)
	// Output: [5 0 0 0 0 5]
}

func Example_orthogonal() {
	h := memory()
	z, err := h.Zeros(ctx, "z", zarr.ArraySpec{Shape: []int64{3, 4}, DType: "uint8"})
	check(err)
	rows, columns := grid.ListOf([]int64{0, 2}), grid.ListOf([]int64{1, 3})
	// z.oindex[[0, 2], [1, 3]] = 1
	check(z.Set(ctx, []grid.Item{rows, columns}, 1, zarr.WriteOptions{}))
	res, err := z.Read(ctx, nil, zarr.ReadOptions{})
	check(err)
	fmt.Println(res.Data)
	// Output: [0 1 0 1 0 0 0 0 0 1 0 1]
}

func Example_fields() {
	h := memory()
	z, err := h.Create(ctx, "z", zarr.ArraySpec{Format: 2, Shape: []int64{2}, DType: `[["id","|u1"],["count","|u1"]]`})
	check(err)
	check(z.Set(ctx, []grid.Item{grid.At(0)}, map[string]any{"id": 1, "count": 10}, zarr.WriteOptions{}))
	check(z.Set(ctx, nil, []uint8{20, 30}, zarr.WriteOptions{Field: "count"}))
	res, err := z.Read(ctx, nil, zarr.ReadOptions{})
	check(err)
	fmt.Println(res.Data)
	// Output: [1 20 0 30]
}

func Example_zip() {
	var file bytes.Buffer // or a file
	w := zipstore.NewWriter(&file)
	h := memory()
	z, err := h.Full(ctx, "z", 3, zarr.ArraySpec{Shape: []int64{2}, DType: "uint8"})
	check(err)
	for _, d := range z.Metadata().Documents {
		check(w.Set(ctx, store.Join("z", d.Name), d.Bytes))
	}
	check(w.Close())

	caches := zarr.NewCaches(zarr.CacheOptions{})
	files := store.Plain(memstore.New(map[string][]byte{"data.zip": file.Bytes()}))
	archive, err := zipstore.New(files, "data.zip", caches.Layer(), zipstore.Options{})
	check(err)
	z, err = zarr.Over(archive, writing.Codecs(), zarr.Options{Caches: caches}).OpenArray(ctx, "z")
	check(err)
	res, err := z.Read(ctx, nil, zarr.ReadOptions{})
	check(err)
	fmt.Println(res.Data)
	// Output: [3 3]
}

func Example_copying() {
	from, to := memory(), memory()
	z, err := from.Full(ctx, "z", 1, zarr.ArraySpec{Format: 2, Shape: []int64{6}, DType: "|u1"})
	check(err)
	stats, err := zarr.Copy(ctx, z, to, "elsewhere/z", zarr.CopyOptions{Format: 3, IfExists: zarr.IfExistsSkip})
	check(err)
	fmt.Println(stats.Copied, "copied")
	stats, err = zarr.Copy(ctx, z, to, "elsewhere/z", zarr.CopyOptions{Format: 3, IfExists: zarr.IfExistsSkip})
	check(err)
	fmt.Println(stats.Skipped, "skipped")
	// Output:
	// 1 copied
	// 1 skipped
}

func Example_strings() {
	h := memory()
	z, err := h.Create(ctx, "z", zarr.ArraySpec{Shape: []int64{3}, DType: "string"})
	check(err)
	check(z.Set(ctx, nil, []string{"Hej Världen!", "", "Γειά σου Κόσμε!"}, zarr.WriteOptions{}))
	res, err := z.Read(ctx, []grid.Item{grid.At(2)}, zarr.ReadOptions{})
	check(err)
	fmt.Println(string(res.Items[0]))
	// Output: Γειά σου Κόσμε!
}

func Example_chunkShapes() {
	h := memory()
	guessed, err := h.Create(ctx, "guessed", zarr.ArraySpec{Shape: []int64{10000, 10000}, DType: "int32"})
	check(err)
	// 100 whole rows
	rows, err := h.Create(ctx, "rows", zarr.ArraySpec{Shape: []int64{10000, 10000}, Chunks: []int64{100}, DType: "int32"})
	check(err)
	fmt.Println(guessed.Grid.ChunkShapes(), rows.Grid.ChunkShapes())
	// Output: [625 625] [100 10000]
}

func Example_rechunking() {
	h, to := memory(), memory()
	z, err := h.Zeros(ctx, "z", zarr.ArraySpec{Shape: []int64{100, 100}, Chunks: []int64{1, 100}, DType: "uint8"})
	check(err)
	_, err = zarr.Copy(ctx, z, to, "z", zarr.CopyOptions{Array: func(_ string, spec *zarr.ArraySpec) { spec.Chunks = []int64{100, 1} }})
	check(err)
	columns, err := to.OpenArray(ctx, "z")
	check(err)
	fmt.Println(columns.Grid.ChunkShapes())
	// Output: [100 1]
}

func Example_parallel() {
	h := memory()
	z, err := h.Zeros(ctx, "z", zarr.ArraySpec{Shape: []int64{8}, Chunks: []int64{4}, DType: "uint8"})
	check(err)
	var all sync.WaitGroup
	for i := range int64(8) {
		all.Go(func() { check(z.Set(ctx, []grid.Item{grid.At(i)}, i, zarr.WriteOptions{})) })
	}
	all.Wait()
	res, err := z.Read(ctx, nil, zarr.ReadOptions{})
	check(err)
	fmt.Println(res.Data)
	// Output: [0 1 2 3 4 5 6 7]
}

func Example_datetimes() {
	h := memory()
	z, err := h.Create(ctx, "z", zarr.ArraySpec{Format: 2, Shape: []int64{3}, DType: "<M8[D]"})
	check(err)
	check(z.Set(ctx, nil, 13699, zarr.WriteOptions{})) // days since 1970
	fmt.Println(z.DType().Unit)
	// Output: D
}

var (
	recipe = regexp.MustCompile("(?s)```go\n(.*?)```")
	body   = regexp.MustCompile(`(?ms)^func (Example_\w+)\(\) \{\n(.*?)^\}`)
)

// The recipes of docs/guides/go.md are what runs here, all of it.
func TestTutorial(t *testing.T) {
	root, err := fixtures.Root()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "docs", "guides", "go.md"))
	if err != nil {
		t.Fatal(err)
	}
	code, err := os.ReadFile("tutorial_test.go")
	if err != nil {
		t.Fatal(err)
	}
	told := map[string]bool{}
	for _, m := range recipe.FindAllStringSubmatch(string(text), -1) {
		told[m[1]] = true
	}
	run := body.FindAllStringSubmatch(string(code), -1)
	for _, m := range run {
		plain := strings.TrimPrefix(strings.ReplaceAll("\n"+m[2], "\n\t", "\n"), "\n")
		if !told[plain] {
			t.Errorf("docs/guides/go.md has no recipe\n```go\n%s```\nwhich %s runs", plain, m[1])
		}
	}
	if len(run) != len(told) || len(run) < 15 {
		t.Errorf("%d recipes are told, %d are run", len(told), len(run))
	}
}
