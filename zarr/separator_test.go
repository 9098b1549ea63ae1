package zarr_test

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/filestore"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs/writing"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

// TestChunksLieWhereTheMetadataSay changes arrays of version 2 whose metadata names a separator.
// Objects with chunk names under the other separator are neither read nor written, in any store.
func TestChunksLieWhereTheMetadataSay(t *testing.T) {
	type writable interface {
		store.Source
		store.Lister
		Set(ctx context.Context, key string, data []byte) error
	}
	ctx := t.Context()
	for _, separator := range []string{".", "/"} {
		dir := must.Get(filestore.MakeDir(t.TempDir(), filestore.DirOptions{}))(t)
		defer dir.Close()
		for _, st := range []writable{memstore.New(nil), dir} {
			other := map[string]string{".": "/", "/": "."}[separator]
			objects := map[string][]byte{"a/.zarray": []byte(`{"zarr_format":2,"shape":[4,4],"chunks":[2,2],"dtype":"|u1","compressor":null,` +
				`"fill_value":9,"order":"C","filters":null,"dimension_separator":"` + separator + `"}`)}
			beside := []string{"a/0" + other + "0", "a/1" + other + "1", "a/2" + other + "0"}
			for _, key := range beside {
				objects[key] = []byte{7, 7, 7, 7}
			}
			for key, data := range objects {
				must.Do(t, st.Set(ctx, key, data))
			}
			h := zarr.New(st, writing.Codecs(), zarr.Options{})
			a := must.Get(h.OpenArray(ctx, "a"))(t)
			elements := func(a *zarr.Array, want string) {
				t.Helper()
				if got := must.Get(a.Read(ctx, nil, zarr.ReadOptions{}))(t); string(got.Data) != want {
					t.Errorf("%T, %q: %v, want %v", st, separator, got.Data, []byte(want))
				}
			}
			elements(a, strings.Repeat("\x09", 16))
			must.Do(t, a.Set(ctx, []grid.Item{grid.At(0), grid.At(0)}, 1, zarr.WriteOptions{}))
			elements(a, "\x01"+strings.Repeat("\x09", 15))
			a = must.Get(a.Append(ctx, []uint8{1, 2, 3, 4}, 0, zarr.WriteOptions{}))(t)
			a = must.Get(a.Resize(ctx, 5, 1))(t)
			elements(a, "\x01\x09\x09\x09\x01")
			if n := must.Get(a.StoredChunks(ctx))(t); n != 2 {
				t.Errorf("%T, %q: %d chunks are counted", st, separator, n)
			}
			want := slices.Sorted(slices.Values(append(beside, "a/.zarray", "a/0"+separator+"0", "a/2"+separator+"0")))
			if got := keys(t, st, ""); !slices.Equal(got, want) {
				t.Errorf("%T, %q: there are %q, want %q", st, separator, got, want)
			}
			for _, key := range beside {
				if e := must.Get(st.Read(ctx, key, store.Ask{}))(t); !bytes.Equal(e.Bytes, objects[key]) {
					t.Errorf("%T, %q: %s was written", st, separator, key)
				}
			}
		}
	}
}

// TestChunksLieWhereChunksAre changes an array of version 2 whose metadata names no separator. New
// chunks use the separator of the stored ones, or else the default.
func TestChunksLieWhereChunksAre(t *testing.T) {
	ctx := t.Context()
	const document = `{"zarr_format":2,"shape":[4,4],"chunks":[2,2],"dtype":"|u1","compressor":null,"fill_value":9,"order":"C","filters":null}`
	for there, want := range map[string]string{"0/1": "1/0", "0.1": "1.0", "": "1.0"} {
		objects := map[string][]byte{".zarray": []byte(document)}
		if there != "" {
			objects[there] = []byte{7, 7, 7, 7}
		}
		st := memstore.New(objects)
		a := must.Get(zarr.New(st, writing.Codecs(), zarr.Options{}).OpenArray(ctx, ""))(t)
		must.Do(t, a.Set(ctx, []grid.Item{grid.At(2), grid.At(0)}, 1, zarr.WriteOptions{}))
		if got := keys(t, st, ""); !slices.Contains(got, want) || len(got) != len(objects)+1 {
			t.Errorf("beside %q: %q, want %q", there, got, want)
		}
	}
}
