package catalog

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/zarr-wasm/zarr-wasm/internal/limits"
	"github.com/zarr-wasm/zarr-wasm/internal/object"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/tests/rounds"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/internal/reader"
	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
)

// shaky is a source that records requests and fails some of them.
type shaky struct {
	store.Source
	mu    sync.Mutex
	asked []string // "fresh KEY" past all caches
	fail  func(key string) (e store.Extent, err error, fails bool)
}

func (s *shaky) Read(ctx context.Context, key string, ask store.Ask) (store.Extent, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ask.Fresh {
		s.asked = append(s.asked, "fresh "+key)
	} else {
		s.asked = append(s.asked, key)
	}
	if s.fail != nil {
		if e, err, fails := s.fail(key); fails {
			return e, err
		}
	}
	return s.Source.Read(ctx, key, ask)
}

// take returns the requests since the last call, including those of abandoned work. It works in a
// synctest bubble.
func (s *shaky) take() []string {
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	asked := s.asked
	s.asked = nil
	return asked
}

func newCatalog(s store.Source) *Catalog {
	lim := limits.Limits{}.WithDefaults()
	caches := reader.NewCaches(1<<20, 1<<20, 1<<20)
	e := reader.NewEngine(reader.Config{
		Store: store.Plain(s), Limits: lim, Executor: codec.InPlace(), Caches: caches, Objects: object.Options{}.WithDefaults(),
	})
	return New(Config{Engine: e, Limits: lim, Nodes: NewNodes(1 << 20), Make: func(_ string, m *meta.Node) (Node, error) { return &node{m, m.Hash()}, nil }})
}

const array2 = `{"zarr_format":2,"shape":[2],"chunks":[1],"dtype":"|u1","compressor":null,"fill_value":9,"order":"C","filters":null}`

// tree returns a random hierarchy: its documents, and the nodes that they describe, by path. No
// path has documents of two versions.
func tree(rng *rand.Rand) (docs map[string][]byte, kinds map[string]string, formats map[string]int) {
	docs, kinds, formats = map[string][]byte{}, map[string]string{}, map[string]int{}
	var inline, zmetadata []string
	root := 2 + rng.IntN(2)
	consolidates := rng.IntN(2) == 0
	for _, path := range []string{"g", "g/a", "g/h", "g/h/b", "c", "i/j"} {
		kind := "array"
		if path == "g" || path == "g/h" {
			kind = "group"
		}
		format := root
		if kind == "array" && rng.IntN(4) == 0 {
			format = 5 - root
		}
		of := map[string]string{}
		switch {
		case format == 3 && kind == "array":
			of["zarr.json"] = array3
		case format == 3:
			of["zarr.json"] = `{"zarr_format":3,"node_type":"group"}`
		case kind == "array":
			of[".zarray"] = array2
		default:
			of[".zgroup"] = `{"zarr_format":2}`
		}
		if format == 2 && rng.IntN(2) == 0 {
			of[".zattrs"] = `{"k":1}`
		}
		where := rng.IntN(3) // in its own documents, in the root's, or both
		if !consolidates || format != root {
			where = 0
		}
		if where != 1 {
			for name, text := range of {
				docs[path+"/"+name] = []byte(text)
			}
		}
		if where != 0 {
			for name, text := range of {
				inline = append(inline, fmt.Sprintf("%q:%s", path, text))
				zmetadata = append(zmetadata, fmt.Sprintf("%q:%s", path+"/"+name, text))
			}
			for at := parent(path); at != ""; at = parent(at) {
				if kinds[at] == "" {
					kinds[at], formats[at] = "group", root
				}
			}
		}
		kinds[path], formats[path] = kind, format
	}
	kinds[""], formats[""] = "group", root
	switch {
	case root == 3 && consolidates:
		docs["zarr.json"] = []byte(`{"zarr_format":3,"node_type":"group","consolidated_metadata":{"kind":"inline","metadata":{` + strings.Join(inline, ",") + `}}}`)
	case root == 3:
		docs["zarr.json"] = []byte(`{"zarr_format":3,"node_type":"group"}`)
	default:
		docs[".zgroup"] = []byte(`{"zarr_format":2}`)
		if consolidates {
			docs[".zmetadata"] = []byte(`{"metadata":{` + strings.Join(append(zmetadata, `".zgroup":{"zarr_format":2}`), ",") + `}}`)
		}
	}
	return docs, kinds, formats
}

var probed = []string{"", "g", "g/a", "g/h", "g/h/b", "c", "i/j", "i", "none", "g/none"}

// randomOptions returns the options of an open. A sparing open requests only documents of the
// version found last.
func randomOptions(rng *rand.Rand, formats map[string]int) Options {
	opt := Options{Kind: []string{"", "array", "group"}[rng.IntN(3)], Format: []int{0, 0, 2, 3}[rng.IntN(4)]}
	mixed := false
	for _, format := range formats {
		mixed = mixed || format != formats[""]
	}
	opt.Sparing, opt.Bare = rng.IntN(4) == 0 && !mixed, opt.Kind == "array" && rng.IntN(4) == 0
	return opt
}

// TestOpensOfRandomHierarchies opens nodes in random order with random options. Each open returns
// the node that is there, wherever it is described, or the error of absence. Reopening a node needs
// no request.
func TestOpensOfRandomHierarchies(t *testing.T) { synctest.Test(t, opensOfRandomHierarchies) }

func opensOfRandomHierarchies(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 2))
	for round := range rounds.Of(400) {
		docs, kinds, formats := tree(rng)
		s := &shaky{Source: memstore.New(docs)}
		c := newCatalog(s)
		for range 30 {
			path := probed[rng.IntN(len(probed))]
			opt := randomOptions(rng, formats)
			n, err := c.Open(t.Context(), path, opt)
			asked := s.take()
			fail := func(msg string) {
				t.Helper()
				t.Fatalf("round %d, %q, %+v: %s: %v, %v; asked for %v of %v", round, path, opt, msg, n, err, asked, slices.Sorted(mapKeys(docs)))
			}
			kind := kinds[path]
			if opt.Format != 0 && opt.Format != formats[path] {
				kind = ""
			}
			var missing *NotFoundError
			switch {
			case kind != "" && (opt.Kind == "" || opt.Kind == kind):
				if err != nil || KindOf(n) != kind || n.Metadata().Format != formats[path] {
					fail("want a " + kind)
				}
				if again, err := c.Open(t.Context(), path, opt); err != nil || KindOf(again) != kind || len(s.take()) > 0 {
					fail("it is not kept")
				}
			case !errors.As(err, &missing):
				fail("want no node")
			case missing.Found != kind && (missing.Found != "" || !opt.Sparing && ownDocuments(docs, path)):
				fail("want the kind that is there, " + kind)
			}
			// At most all documents of the path, those of the root, and those of other containers.
			if len(asked) > 18 {
				fail("too many requests")
			}
		}
	}
}

// TestKnownNodesAreThoseOfOpensWithoutRequests opens nodes in random order, and some fail. Known
// sends no request. It returns a node exactly if Open returns one without a request: the same.
func TestKnownNodesAreThoseOfOpensWithoutRequests(t *testing.T) {
	synctest.Test(t, knownNodesAreThoseOfOpensWithoutRequests)
}

func knownNodesAreThoseOfOpensWithoutRequests(t *testing.T) {
	rng := rand.New(rand.NewPCG(30, 1))
	for round := range rounds.Of(400) {
		docs, _, _ := tree(rng)
		failing := false
		s := &shaky{Source: memstore.New(docs), fail: func(string) (store.Extent, error, bool) {
			return store.Extent{}, errors.New("broken"), failing
		}}
		c := newCatalog(s)
		for range 30 {
			path := probed[rng.IntN(len(probed))]
			failing = rng.IntN(8) == 0
			known, ok := c.Known(path)
			if asked := s.take(); len(asked) > 0 {
				t.Fatalf("round %d, %q: Known asked for %v", round, path, asked)
			}
			n, err := c.Open(t.Context(), path, Options{})
			asked := s.take()
			if want := err == nil && len(asked) == 0; ok != want || ok && (known.Hash() != n.Hash() || KindOf(known) != KindOf(n)) {
				t.Fatalf("round %d, %q: known %t, want %t; opened %v, %v, asked for %v", round, path, ok, want, n, err, asked)
			}
		}
	}
}

// ownDocuments reports whether a path has its own documents.
func ownDocuments(docs map[string][]byte, path string) bool {
	return slices.ContainsFunc(meta.Documents(0), func(name string) bool { return docs[store.Join(path, name)] != nil })
}

func mapKeys[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

func hashOf(key string) uint64 {
	h := fnv.New64a()
	io.WriteString(h, key)
	return h.Sum64()
}

// TestOpensAfterFailures makes documents fail, vanish or break for a while. An open bypasses all
// caches exactly if the last one failed. The first open after recovery returns the right node.
func TestOpensAfterFailures(t *testing.T) { synctest.Test(t, opensAfterFailures) }

func opensAfterFailures(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 3))
	failures := 0
	for round := range rounds.Of(400) {
		docs, kinds, formats := tree(rng)
		s := &shaky{Source: memstore.New(docs)}
		c := newCatalog(s)
		paths := slices.Sorted(mapKeys(kinds))
		for range 20 {
			path := paths[rng.IntN(len(paths))]
			opt := randomOptions(rng, formats)
			opt.Sparing = false // a sparing open accepts a cached absence
			if opt.Kind != "" {
				opt.Kind = kinds[path]
			}
			if opt.Format != 0 {
				opt.Format = formats[path]
			}
			odds, seed, times := rng.IntN(3)*2, rng.Uint64(), map[string]uint64{}
			s.fail = func(key string) (e store.Extent, err error, fails bool) {
				times[key]++ // documents are requested concurrently: outcomes must not depend on their order
				rng := rand.New(rand.NewPCG(seed+times[key], hashOf(key)))
				// Missing consolidated metadata of an existing group stays unnoticed, because it
				// contradicts nothing.
				if odds == 0 || rng.IntN(odds) > 0 || key == ".zmetadata" {
					return e, nil, false
				}
				switch rng.IntN(3) {
				case 0:
					return e, errors.New("the server fails"), true
				case 1:
					return e, store.NotFound(key), true
				}
				return store.AllOf([]byte(`{"zarr_form`)), nil, true
			}
			before := c.known.look(path).state
			_, err := c.Open(t.Context(), path, opt)
			asked := s.take()
			after := c.known.look(path).state
			switch {
			case err == nil && len(asked) > 0 && !after.trusted(), err != nil && after.trusted() && !IsPermanent(err):
				t.Fatalf("round %d, %q, %+v: state %d after %v", round, path, opt, after, err)
			case err != nil:
				failures++
			}
			own := slices.DeleteFunc(asked, func(key string) bool { return parent(strings.TrimPrefix(key, "fresh ")) != path })
			fresh := 0
			for _, key := range own {
				if strings.HasPrefix(key, "fresh ") {
					fresh++
				}
			}
			if len(own) > 0 && (before.trusted() && fresh == len(own) || !before.trusted() && fresh < len(own)) {
				t.Fatalf("round %d, %q, %+v: state %d: asked for %v", round, path, opt, before, own)
			}
			if rng.IntN(3) > 0 {
				continue
			}
			s.fail = nil
			if n, err := c.Open(t.Context(), path, opt); err != nil || KindOf(n) != kinds[path] {
				t.Fatalf("round %d, %q, %+v: when all is well: %v", round, path, opt, err)
			}
			s.take()
		}
	}
	if failures < rounds.Of(500) {
		t.Errorf("only %d opens failed", failures)
	}
}
