package edgecases

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/filestore"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/tests/fixtures"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

// files maps keys to objects of a store.
type files map[string]string

func (f files) store() store.Source {
	objects := make(map[string][]byte, len(f))
	for key, data := range f {
		objects[key] = []byte(data)
	}
	return memstore.New(objects)
}

// doc is a JSON object.
type doc map[string]any

// list is a JSON array.
type list []any

func (d doc) with(more doc) doc {
	merged := doc{}
	maps.Copy(merged, d)
	maps.Copy(merged, more)
	return merged
}

func (d doc) without(names ...string) doc {
	d = maps.Clone(d)
	for _, name := range names {
		delete(d, name)
	}
	return d
}

func (d doc) String() string {
	b, err := json.Marshal(d)
	if err != nil {
		panic(err) // the test is wrong
	}
	return string(b)
}

// v2 returns a .zarray of int32 without compressor and filters, changed by more.
func v2(shape, chunks []int, more doc) doc {
	return doc{
		"zarr_format": 2, "shape": ints(shape), "chunks": ints(chunks), "dtype": "<i4",
		"compressor": nil, "filters": nil, "fill_value": 0, "order": "C",
	}.with(more)
}

// v3 returns a zarr.json of a little-endian int32 array, changed by more.
func v3(shape, chunks []int, more doc) doc {
	return doc{
		"zarr_format": 3, "node_type": "array", "shape": ints(shape), "data_type": "int32", "fill_value": 0,
		"chunk_grid":         named("regular", doc{"chunk_shape": ints(chunks)}),
		"chunk_key_encoding": named("default", doc{"separator": "/"}),
		"codecs":             list{littleEndian},
	}.with(more)
}

// ints keeps nil from being null.
func ints(v []int) []int { return append([]int{}, v...) }

func named(name string, configuration doc) doc {
	return doc{"name": name, "configuration": configuration}
}

var (
	littleEndian = named("bytes", doc{"endian": "little"})
	bigEndian    = named("bytes", doc{"endian": "big"})
)

// pack returns the concatenated bytes of numbers.
func pack[T any](order binary.ByteOrder, numbers ...T) string {
	var b bytes.Buffer
	if err := binary.Write(&b, order, numbers); err != nil {
		panic(err) // the test is wrong
	}
	return b.String()
}

func le[T any](numbers ...T) string { return pack(binary.LittleEndian, numbers...) }
func be[T any](numbers ...T) string { return pack(binary.BigEndian, numbers...) }

// i32 encodes int32 numbers in little-endian order.
func i32(numbers ...int32) string { return le(numbers...) }

// hierarchy caches nothing, so that every read asks the store.
func hierarchy(st store.Source) *zarr.Hierarchy {
	return zarr.New(st, codecs.Full(), zarr.Options{Cache: zarr.CacheOptions{Encoded: -1, Indexes: -1, Decoded: -1}, Requests: zarr.RequestOptions{Absent: -1}})
}

// open opens the array at a path.
func open(t *testing.T, st store.Source, path string) *zarr.Array {
	t.Helper()
	a, err := hierarchy(st).OpenArray(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// read reads a selection of an array.
func read(t *testing.T, a *zarr.Array, sel ...grid.Item) *zarr.Result {
	t.Helper()
	res, err := a.Read(t.Context(), sel, zarr.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// wantBytes reads the array at the root of a store and compares its bytes.
func wantBytes(t *testing.T, f files, want string) {
	t.Helper()
	if got := string(read(t, open(t, f.store(), "")).Data); got != want {
		t.Errorf("read % x, want % x", got, want)
	}
}

// want compares a result's numbers.
func want[T any](t *testing.T, res *zarr.Result, numbers ...T) {
	t.Helper()
	if want := le(numbers...); string(res.Data) != want {
		got := make([]T, len(res.Data)/max(1, binary.Size(numbers)/max(1, len(numbers))))
		_ = binary.Read(bytes.NewReader(res.Data), binary.LittleEndian, got)
		t.Errorf("read %v, want %v", got, numbers)
	}
}

// wantItems compares a result's elements of variable length.
func wantItems(t *testing.T, res *zarr.Result, items ...string) {
	t.Helper()
	got := make([]string, len(res.Items))
	for i, item := range res.Items {
		got[i] = string(item)
	}
	if !slices.Equal(got, items) {
		t.Errorf("read %q, want %q", got, items)
	}
}

// failure opens and reads the array at the root of a store, which must fail, and returns the error.
func failure(t *testing.T, f files) error {
	t.Helper()
	a, err := hierarchy(f.store()).OpenArray(t.Context(), "")
	if err == nil {
		var res *zarr.Result
		if res, err = a.Read(t.Context(), nil, zarr.ReadOptions{}); err == nil {
			t.Fatalf("read % x without an error", res.Data)
		}
	}
	return err
}

// refused expects an error of type T that contains all the words.
func refused[T error](t *testing.T, f files, words ...string) T {
	t.Helper()
	err := failure(t, f)
	var as T
	if !errors.As(err, &as) {
		t.Fatalf("%T: %v; want %T", err, err, as)
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%q does not tell of %q", err, word)
		}
	}
	return as
}

// damaged expects chunks that cannot be decoded, for one of the reasons of package codec.
func damaged(t *testing.T, f files, reason error) {
	t.Helper()
	if err := refused[*zarr.CodecPipelineError](t, f); !errors.Is(err, reason) {
		t.Errorf("%v; want %v", err, reason)
	}
}

// wantFixture reads an array of the golden fixtures by its id, and compares it with the reference
// implementation's values.
func wantFixture(t *testing.T, id string) {
	t.Helper()
	dir := fixtures.Dir(t)
	text, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	var manifest struct {
		Cases []struct {
			ID, Store, Array string
			Expected         *struct{ SHA256 string }
		}
	}
	if err := json.Unmarshal(text, &manifest); err != nil {
		t.Fatal(err)
	}
	for _, c := range manifest.Cases {
		if c.ID != id {
			continue
		}
		st := filestore.New(os.DirFS(filepath.Join(dir, filepath.FromSlash(c.Store))))
		sum := sha256.Sum256(read(t, open(t, st, c.Array)).Data)
		if got := hex.EncodeToString(sum[:]); got != c.Expected.SHA256 {
			t.Errorf("%s: other bytes than expected", id)
		}
		return
	}
	t.Errorf("no fixture %s", id)
}

// counting is a store that records the requested keys.
type counting struct {
	store.Source
	asked chan string
}

func newCounting(st store.Source) *counting { return &counting{st, make(chan string, 1000)} }

func (c *counting) Read(ctx context.Context, key string, ask store.Ask) (store.Extent, error) {
	c.asked <- key
	return c.Source.Read(ctx, key, ask)
}

// take returns the keys since the last call, sorted.
func (c *counting) take() []string {
	keys := []string{}
	for {
		select {
		case key := <-c.asked:
			keys = append(keys, key)
		default:
			slices.Sort(keys)
			return keys
		}
	}
}

// chunks is take without metadata keys. An array of v3 is open while requests for documents of v2
// are still pending.
func (c *counting) chunks() []string {
	return slices.DeleteFunc(c.take(), func(key string) bool {
		name := key[strings.LastIndexByte(key, '/')+1:]
		return name == "zarr.json" || strings.HasPrefix(name, ".z")
	})
}

var errCorrupt, errTruncated, errChecksum = codec.ErrCorrupt, codec.ErrTruncated, codec.ErrChecksum

func cut(from, to int64) grid.Item { return grid.Range(&from, &to, nil) }
