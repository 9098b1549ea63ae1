package zipstore_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/filestore"
	"github.com/zarr-wasm/zarr-wasm/store/zipstore"
	"github.com/zarr-wasm/zarr-wasm/tests/fixtures"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
)

// fixture is a case of the fixtures' manifest, or of those of other projects' containers.
type fixture struct {
	ID, Store, Array string
	StoreKind        string `json:"store_kind"`
	Expected         *struct {
		Encoding, SHA256 string
		Values           []any
	}
	Values      []any
	ExpectError *struct{ At string } `json:"expect_error"`
	Attributes  map[string]any
	Entries     map[string]struct {
		Size   int64
		SHA256 string
	}
}

// archiveOf returns the store in an archive of the file system, with all decoders.
func archiveOf(t testing.TB, name string, caches *zarr.Caches) *zipstore.Store {
	t.Helper()
	of := store.Plain(filestore.New(os.DirFS(filepath.Dir(name))))
	return must.Get(zipstore.New(of, filepath.Base(name), caches.Layer(), zipstore.Options{Decode: codecs.Unzip(codecs.Full())}))(t)
}

// TestFixtures reads every archive of the fixtures, from zarr-python and from other projects. The
// conformance tests compare the other parts of a case.
func TestFixtures(t *testing.T) {
	dir := fixtures.Dir(t)
	read := 0
	for list, below := range map[string]string{"manifest.json": "", "public/containers.json": "public"} {
		b := must.Get(os.ReadFile(filepath.Join(dir, list)))(t)
		var all struct{ Cases []fixture }
		must.Do(t, json.Unmarshal(b, &all))
		for _, c := range all.Cases {
			if c.StoreKind != "zip" {
				continue
			}
			read++
			t.Run(c.ID, func(t *testing.T) {
				caches := zarr.NewCaches(zarr.CacheOptions{})
				s := archiveOf(t, filepath.Join(dir, below, filepath.FromSlash(c.Store)), caches)
				if c.Entries != nil {
					checkEntries(t, s, caches, c)
					return
				}
				checkArray(t, zarr.Over(s, codecs.Full(), zarr.Options{Caches: caches}), c)
			})
		}
	}
	if read != 45 {
		t.Errorf("%d cases", read)
	}
}

func checkEntries(t *testing.T, s *zipstore.Store, caches *zarr.Caches, c fixture) {
	for name, want := range c.Entries {
		e, err := store.ReadKey(t.Context(), s, name, store.Ask{}, caches.Layer().Extent)
		sum := sha256.Sum256(e.Bytes)
		if err != nil || e.Size != want.Size || hex.EncodeToString(sum[:]) != want.SHA256 {
			t.Errorf("%s: %d bytes, %v; want %d", name, len(e.Bytes), err, want.Size)
		}
		if names, err := s.List(t.Context(), path.Dir(name)[:0]); err != nil || !slices.Contains(names, name) {
			t.Errorf("%q, %v", names, err)
		}
	}
}

func checkArray(t *testing.T, h *zarr.Hierarchy, c fixture) {
	a, err := h.OpenArray(t.Context(), c.Array)
	at := "open"
	var res *zarr.Result
	if err == nil {
		at = "read"
		res, err = a.Read(t.Context(), nil, zarr.ReadOptions{})
	}
	if c.ExpectError != nil {
		var wrong *zipstore.Error
		if !errors.As(err, &wrong) || at != c.ExpectError.At {
			t.Errorf("%s: %v", at, err)
		}
		t.Log(err)
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	switch {
	case c.Expected.Encoding == "raw-le":
		if sum := sha256.Sum256(res.Data); hex.EncodeToString(sum[:]) != c.Expected.SHA256 {
			t.Errorf("other bytes: %d of them", len(res.Data))
		}
	default:
		if len(res.Items) != len(c.Expected.Values) {
			t.Fatalf("%d elements", len(res.Items))
		}
		for i, item := range res.Items {
			if string(item) != c.Expected.Values[i] {
				t.Errorf("%d: %q", i, item)
			}
		}
	}
	if c.Attributes["encoding-version"] != nil {
		got := a.Metadata().Attributes.Get("encoding-version")
		if text, _ := got.Text(); text != c.Attributes["encoding-version"] {
			t.Errorf("attributes %s", a.Metadata().Attributes.Raw())
		}
	}
}
