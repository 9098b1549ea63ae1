package overlay_test

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/store/overlay"
	"github.com/zarr-wasm/zarr-wasm/store/prefix"
	"github.com/zarr-wasm/zarr-wasm/store/storetest"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
)

// Each object of the suite lies in one or several of three layers. The lower ones have other bytes.
func TestConformance(t *testing.T) {
	storetest.Run(t, storetest.Harness{Lists: true, New: func(_ testing.TB, objects map[string][]byte) store.Locator {
		layers := [3]map[string][]byte{{}, {}, {}}
		i := 0
		for key, data := range objects {
			layers[i%3][key] = data
			for below := i%3 + 1; below < 3; below++ {
				layers[below][key] = []byte("covered")
			}
			i++
		}
		return overlay.New(store.Plain(memstore.New(layers[0])), overlay.New(store.Plain(memstore.New(layers[1])), store.Plain(memstore.New(layers[2]))))
	}})
	storetest.Run(t, storetest.Harness{Lists: true, New: func(t testing.TB, objects map[string][]byte) store.Locator {
		below := map[string][]byte{"in/other": {1}, "zarr.json": {2}}
		for key, data := range objects {
			below["in/side/"+key] = data
		}
		in, err := prefix.New(store.Plain(memstore.New(below)), "in")
		if err == nil {
			in, err = prefix.New(overlay.New(in), "side")
		}
		if err != nil {
			t.Fatal(err)
		}
		return in
	}})
}

type failing struct{ err error }

func (f failing) Locate(context.Context, string) (store.Location, error) {
	return store.Location{}, f.err
}

// A failing layer hides the layers below it, because its object could be the right one.
func TestErrorsAreNotAbsence(t *testing.T) {
	down := errors.New("down")
	has := store.Plain(memstore.New(map[string][]byte{"a": {1}}))
	if _, err := overlay.New(failing{down}, has).Locate(t.Context(), "a"); err != down {
		t.Error(err)
	}
	at, err := overlay.New(failing{store.NotFound("a")}, has).Locate(t.Context(), "a")
	if err != nil || at.Source == nil {
		t.Error(at, err)
	}
	if _, err := overlay.New().Locate(t.Context(), "a"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if overlay.New(failing{down}, has).Capabilities().Lister != nil {
		t.Error("it lists though a layer cannot")
	}
}

type inline struct{}

func (inline) Locate(context.Context, string) (store.Location, error) {
	return store.Location{Inline: []byte("here")}, nil
}

func TestInlineBytesEndTheSearch(t *testing.T) {
	has := store.Plain(memstore.New(map[string][]byte{"a": {1}}))
	at, err := overlay.New(has, inline{}, has).Locate(t.Context(), "a")
	if err != nil || at.Else == nil || string(at.Else.Inline) != "here" || at.Else.Else != nil {
		t.Errorf("%+v, %v", at, err)
	}
}

func TestPrefixPaths(t *testing.T) {
	has := store.Plain(memstore.New(map[string][]byte{"a/b/c": {1}, "ab/c": {2}}))
	for _, path := range []string{"/a", "a/", "a//b", ".", "../a"} {
		if _, err := prefix.New(has, path); !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("%q: %v", path, err)
		}
	}
	s := must.Get(prefix.New(has, "a/b"))(t)
	if names, err := store.CapabilitiesOf(s).List(t.Context(), ""); err != nil || !slices.Equal(names, []string{"c"}) {
		t.Error(names, err)
	}
	if _, err := s.Locate(t.Context(), "../../ab/c"); !errors.Is(err, fs.ErrInvalid) {
		t.Error(err)
	}
}

// TestWritesLieOnTop writes over a layer. The layers below stay unchanged.
func TestWritesLieOnTop(t *testing.T) {
	top, below := memstore.New(nil), memstore.New(map[string][]byte{"a": {1}})
	s := overlay.New(store.Plain(top), store.Plain(below))
	must.Do(t, store.CapabilitiesOf(s).Set(t.Context(), "a", []byte{2}))
	for of, want := range map[store.Source]byte{top: 2, below: 1} {
		if b, err := store.Get(t.Context(), of, "a"); err != nil || b[0] != want {
			t.Errorf("a layer has % x, %v; want %d", b, err, want)
		}
	}
	if err := store.CapabilitiesOf(s).Delete(t.Context(), "a"); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("Delete: %v", err)
	}
	if err := store.CapabilitiesOf(overlay.New()).Set(t.Context(), "a", nil); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("Set of no layers: %v", err)
	}
}

// TestPassesOnWritesToTheTopLayer wraps a store as the only, the first, and the last layer. Lists
// need all layers, and writes only the first.
func TestPassesOnWritesToTheTopLayer(t *testing.T) {
	lists, silent := memstore.New(nil), failing{}
	refuses := []string{"Delete", "DeleteAll"}
	storetest.RunWrapping(t, storetest.Wrapping{
		New:    func(of storetest.Below) store.Locator { return overlay.New(of) },
		Passes: []string{"Lister", "Writer", "Locker", "Refresher"}, Refuses: refuses,
	})
	storetest.RunWrapping(t, storetest.Wrapping{
		New:    func(of storetest.Below) store.Locator { return overlay.New(of, lists) },
		Passes: []string{"Lister", "Writer", "Locker", "Refresher"}, Refuses: refuses,
	})
	storetest.RunWrapping(t, storetest.Wrapping{
		New:    func(of storetest.Below) store.Locator { return overlay.New(of, silent) },
		Passes: []string{"Writer", "Locker", "Refresher"}, Refuses: refuses,
	})
	storetest.RunWrapping(t, storetest.Wrapping{
		New:    func(of storetest.Below) store.Locator { return overlay.New(silent, of) },
		Passes: []string{"Refresher"},
	})
}
