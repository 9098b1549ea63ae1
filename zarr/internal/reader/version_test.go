package reader

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/internal/object"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
)

// sourceOf returns an engine's reader for a source of these objects.
func sourceOf(e *Engine, names ...string) *object.Reader {
	objects := map[string][]byte{}
	for _, name := range names {
		objects[name] = []byte(name)
	}
	return e.source(memstore.New(objects))
}

// TestPinsFollowVersions pins random versions of objects; each answer shows a part of a version. If
// a version contradicts the one pinned since the last restart, the error names the object.
// Otherwise there is no error.
func TestPinsFollowVersions(t *testing.T) {
	e := newEngine(store.Plain(memstore.New(nil)))
	rng := rand.New(rand.NewPCG(27, 9))
	sources := []*object.Reader{sourceOf(e), sourceOf(e)}
	contradictions := 0
	for range 300 {
		r := &read{a: &Array{engine: e}}
		type id struct {
			source int
			name   string
		}
		noted := map[id]map[string]string{}
		for range 30 {
			of := id{rng.IntN(2), string(rune('a' + rng.IntN(2)))}
			if noted[of] == nil {
				noted[of] = map[string]string{}
			}
			v, parts := store.Unknown, map[string]string{}
			number := 0
			if rng.IntN(8) == 0 {
				number = 1
			}
			if rng.IntN(2) == 0 {
				v.ETag = fmt.Sprintf(`"%d"`, number)
				parts["tag"] = v.ETag
			}
			if rng.IntN(2) == 0 {
				v.Size = int64(100 + number)
				parts["size"] = fmt.Sprint(v.Size)
			}
			contradicts := false
			for kind, value := range parts {
				old := noted[of][kind]
				contradicts = contradicts || old != "" && old != value
			}
			err := r.pin(sources[of.source], of.name, v)
			var changed *changedError
			if errors.As(err, &changed) != contradicts || contradicts && (changed.in != sources[of.source] || changed.name != of.name || !errors.Is(err, store.ErrChanged)) {
				t.Fatalf("noted %v, then %+v: %v", noted[of], v, err)
			}
			if contradicts {
				contradictions++
				r.restart(changed)
				noted = map[id]map[string]string{}
				for s, in := range sources {
					for _, name := range []string{"a", "b"} {
						if r.isFresh(in, name) && (id{s, name}) != of {
							continue // before a restart
						}
						if !r.isFresh(in, name) && (id{s, name}) == of {
							t.Fatalf("%s is not asked for anew", name)
						}
					}
				}
				continue
			}
			for kind, value := range parts {
				noted[of][kind] = value
			}
		}
	}
	if contradictions < 100 {
		t.Errorf("only %d contradictions", contradictions)
	}
}

// TestSuspectObjectsAreAskedForOnce requests an object with inconsistent bytes once more. If the
// bytes stay inconsistent, that is the error, and the caches drop the object.
func TestSuspectObjectsAreAskedForOnce(t *testing.T) {
	e := newEngine(store.Plain(memstore.New(nil)))
	in := sourceOf(e, "a", "b")
	r := &read{a: &Array{engine: e}}
	damaged := errors.New("damaged")
	for _, name := range []string{"a", "b"} {
		if _, err := in.Read(t.Context(), name, store.Ask{}); err != nil {
			t.Fatal(err)
		}
	}
	c := &chunk{location: location{in: in, name: "a"}}
	var changed *changedError
	if err := r.suspect(c, damaged); !errors.As(err, &changed) || !errors.Is(err, damaged) {
		t.Fatalf("the first time: %v", err)
	}
	if !in.Known("a") {
		t.Error("it is forgotten before the read starts again")
	}
	if r.restart(changed); in.Known("a") || !in.Known("b") {
		t.Error("the read starts again, and the object is kept, or another is not")
	}
	if !r.isFresh(in, "a") || r.isFresh(in, "b") {
		t.Error("not the object alone is asked for anew")
	}
	if _, err := in.Read(t.Context(), "a", store.Ask{}); err != nil {
		t.Fatal(err)
	}
	if err := r.suspect(c, damaged); errors.As(err, &changed) || err != damaged {
		t.Errorf("the second time: %v", err)
	}
	if in.Known("a") {
		t.Error("it is kept")
	}
}
