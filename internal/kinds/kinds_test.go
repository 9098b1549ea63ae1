package kinds_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/internal/kinds"
	"github.com/zarr-wasm/zarr-wasm/internal/object"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/store/storetest"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
)

// counted is a source that counts its reads.
type counted struct {
	*memstore.Store
	reads atomic.Int32
}

func (c *counted) Read(ctx context.Context, name string, ask store.Ask) (store.Extent, error) {
	c.reads.Add(1)
	return c.Store.Read(ctx, name, ask)
}

// A new kind is an entry of the registry.
func registry(objects map[string][]byte, made *[]*counted) kinds.Registry {
	all := kinds.Composites()
	all["memory"] = func(m *kinds.Making, settings json.Value) (store.Locator, error) {
		if settings.Get("broken").Exists() {
			return nil, m.Invalid("it is broken")
		}
		c := &counted{Store: memstore.New(objects)}
		*made = append(*made, c)
		return store.Plain(c), nil
	}
	return all
}

func TestConformance(t *testing.T) {
	storetest.Run(t, storetest.Harness{New: func(t testing.TB, objects map[string][]byte) store.Locator {
		var made []*counted
		below := map[string][]byte{}
		for key, data := range objects {
			below["x/y/"+key] = data
		}
		s := must.Get(kinds.New(registry(below, &made), object.NewLayer(1<<20)).Open([]byte(
			`{"overlay":[{"prefix":{"path":"none/","of":{"memory":{}}}},{"prefix":{"path":"/x/y/","of":{"memory":{}}}}]}`)))(t)
		t.Cleanup(s.Close)
		return s
	}})
}

func TestStoresOfOneDescriptionAreShared(t *testing.T) {
	var made []*counted
	layer := object.NewLayer(1 << 20)
	all := kinds.New(registry(map[string][]byte{"a/b": {1}, "b": {2}}, &made), layer)
	open := func(text string) *kinds.Store {
		t.Helper()
		return must.Get(all.Open([]byte(text)))(t)
	}
	read := func(s *kinds.Store, key string) {
		t.Helper()
		at, err := s.Locate(t.Context(), key)
		if err == nil {
			_, err = at.Read(t.Context(), key, store.Ask{}, layer.Extent)
		}
		if err != nil {
			t.Error(err)
		}
	}
	one, two := open(`{"memory":{}}`), open(`{"memory":{}}`)
	above, again := open(`{"prefix":{"path":"a","of":{"memory":{}}}}`), open(`{"prefix":{"path":"a","of":{"memory":{}}}}`)
	if len(made) != 1 {
		t.Fatalf("%d stores of one description", len(made))
	}
	read(one, "a/b")
	read(two, "a/b")
	read(above, "b")
	if made[0].reads.Load() != 1 {
		t.Errorf("%d reads of one object", made[0].reads.Load())
	}
	one.Close()
	one.Close()
	two.Close()
	above.Close()
	read(again, "b") // the underlying store is still in use
	if made[0].reads.Load() != 1 {
		t.Errorf("%d reads of one object, after others let go of it", made[0].reads.Load())
	}
	again.Close()
	open(`{"memory":{}}`)
	open(`{"memory":{"other":1}}`)
	if len(made) != 3 {
		t.Errorf("%d stores, want 3", len(made))
	}
}

func TestInvalidDescriptions(t *testing.T) {
	var made []*counted
	all := kinds.New(registry(nil, &made), object.NewLayer(0))
	for _, text := range []string{
		``, `{}`, `[]`, `7`, `{"memory":{},"overlay":[]}`, `{"nothing":{}}`, `{"overlay":{}}`, `{"overlay":[]}`, `{"overlay":[7]}`,
		`{"prefix":{}}`, `{"prefix":{"path":"a"}}`, `{"prefix":{"path":7,"of":{"memory":{}}}}`, `{"overlay":[{"memory":{}},{"memory":{"broken":1}}]}`,
		strings.Repeat(`{"overlay":[`, 17) + `{"memory":{}}` + strings.Repeat(`]}`, 17),
	} {
		var e *kinds.Error
		if _, err := all.Open([]byte(text)); !errors.As(err, &e) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := all.Open([]byte(`{"prefix":{"path":"a/../b","of":{"memory":{}}}}`)); err == nil {
		t.Error("a path that leaves the store")
	}
	n := len(made)
	if _, err := all.Open([]byte(`{"memory":{}}`)); err != nil || len(made) != n+1 {
		t.Error("what a failed description made is still held", err)
	}
}
