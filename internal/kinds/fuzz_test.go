package kinds_test

import (
	"errors"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/internal/kinds"
	"github.com/zarr-wasm/zarr-wasm/internal/object"
	"github.com/zarr-wasm/zarr-wasm/store"
)

// FuzzDescriptions opens arbitrary descriptions. The result is a documented error, or a usable
// store.
func FuzzDescriptions(f *testing.F) {
	for _, text := range []string{
		`{"memory":{}}`, `{"prefix":{"path":"a","of":{"memory":{}}}}`, `{"overlay":[{"memory":{}},{"prefix":{"path":"/x/../y","of":{"memory":{}}}}]}`, `{"memory":{"broken":1}}`,
		`{"overlay":[]}`, `{"zip":{"memory":{}}}`, `[]`, `{"prefix":{"path":"a","path":"b","of":{"__proto__":{}}}}`,
	} {
		f.Add(text, "a/zarr.json")
	}
	f.Fuzz(func(t *testing.T, text, key string) {
		var made []*counted
		s, err := kinds.New(registry(map[string][]byte{"a/zarr.json": []byte("{}"), "zarr.json": []byte("{}")}, &made), object.NewLayer(1<<16)).Open([]byte(text))
		if err != nil {
			var wrong *kinds.Error
			var key *store.KeyError
			if !errors.As(err, &wrong) && !errors.As(err, &key) {
				t.Errorf("%s: %T %v", text, err, err)
			}
			return
		}
		defer s.Close()
		if len(made) == 0 {
			t.Errorf("%s: a store of nothing", text)
		}
		if at, err := s.Locate(t.Context(), key); err == nil {
			_, _ = at.Read(t.Context(), key, store.Ask{}, object.NewLayer(1<<16).Extent)
		}
	})
}
