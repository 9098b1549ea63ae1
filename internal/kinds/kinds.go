// Package kinds creates stores from descriptions. A description is a JSON object with one member.
// Its name is the kind of store. Its value holds the settings and the descriptions of underlying
// stores.
//
//	{"http": {"url": "https://example.org/data.zarr", "options": {}}}
//	{"overlay": [{"http": ...}, {"prefix": {"path": "v2", "of": {"http": ...}}}]}
//	{"zip": {"of": {"http": ...}, "key": "a.zip"}}
//	{"reference": {"of": {"http": ...}, "key": "refs.json"}}
//	{"file": {"path": "/data/a.zarr"}}
//
// The registry of kinds is a value: a new kind is a package and an entry of the registry. Equal
// descriptions return the same store and share everything known about its objects.
package kinds

import (
	"context"
	"strconv"
	"strings"
	"sync"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/internal/object"
	"github.com/zarr-wasm/zarr-wasm/internal/target"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/overlay"
	"github.com/zarr-wasm/zarr-wasm/store/prefix"
	"github.com/zarr-wasm/zarr-wasm/store/zipstore"
)

// Maker creates a store from its settings. It calls [Making.Of] for the underlying stores.
type Maker func(m *Making, settings json.Value) (store.Locator, error)

// Registry maps names to kinds of stores. A nil Maker marks a kind that only another build of the
// program supports.
type Registry map[string]Maker

// Composites returns the kinds that build on other stores. References also need [Stores.Targets].
func Composites() Registry {
	return Registry{
		"reference": reference,
		"overlay": func(m *Making, settings json.Value) (store.Locator, error) {
			if settings.Kind() != json.Array || settings.Len() == 0 {
				return nil, m.Invalid("expected a list of stores")
			}
			layers := make([]store.Locator, settings.Len())
			for i, v := range settings.Items() {
				var err error
				if layers[i], err = m.Of(v); err != nil {
					return nil, err
				}
			}
			return overlay.New(layers...), nil
		},
		"prefix": func(m *Making, settings json.Value) (store.Locator, error) {
			path, ok := settings.Get("path").Text()
			if !ok {
				return nil, m.Invalid("expected a path")
			}
			of, err := m.Of(settings.Get("of"))
			if err != nil {
				return nil, err
			}
			return prefix.New(of, strings.Trim(path, "/"))
		},
	}
}

// Zip returns the kind of zip archives. decode decompresses their members. The settings are the
// archive's key, and optionally a path in it as the store's root.
func Zip(decode zipstore.Decoder) Maker {
	return func(m *Making, settings json.Value) (store.Locator, error) {
		key, ok := settings.Get("key").Text()
		if !ok {
			return nil, m.Invalid("expected the archive's key")
		}
		path, _ := settings.Get("path").Text()
		of, err := m.Of(settings.Get("of"))
		if err != nil {
			return nil, err
		}
		return zipstore.New(of, key, m.Objects(), zipstore.Options{Path: path, Decode: decode})
	}
}

// Error reports an invalid description.
type Error struct {
	Kind string // of the store, or "" if the kind itself is invalid
	Msg  string
	// Rare is true for a kind that another build of the program supports.
	Rare bool
}

func (e *Error) Error() string {
	if e.Kind == "" {
		return "description of a store: " + e.Msg
	}
	return "store of kind " + strconv.Quote(e.Kind) + ": " + e.Msg
}

// Stores creates stores, and shares those of equal descriptions. It is safe for concurrent use.
type Stores struct {
	// Targets holds the sources of URLs in stores' documents. Set it before the first Open.
	Targets *target.Sources
	// Confirm, if set, decides whether references may be read from an origin, for the store of that
	// number.
	Confirm func(ctx context.Context, host int, origin string) (bool, error)

	kinds Registry
	layer *object.Layer

	mu     sync.Mutex
	shared map[string]*entry
}

type entry struct {
	store store.Locator
	refs  int
	of    []string // the descriptions of its underlying stores
}

// New returns an empty set of stores. They read through the layer.
func New(kinds Registry, layer *object.Layer) *Stores {
	return &Stores{kinds: kinds, layer: layer, shared: map[string]*entry{}}
}

// Store is a store in use. Close releases it.
type Store struct {
	store.Locator
	from *Stores
	held []string
}

// maxDepth bounds the nesting of descriptions.
const maxDepth = 16

// Open returns the store of a description. Errors are *[Error] and those of the kinds.
func (s *Stores) Open(description []byte) (*Store, error) {
	v, err := json.Parse(description, json.Limits{Depth: 4 * maxDepth})
	if err != nil {
		return nil, &Error{Msg: err.Error()}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	m := &Making{stores: s}
	l, err := m.Of(v)
	if err != nil {
		return nil, err
	}
	return &Store{l, s, m.of}, nil
}

// Close releases the store. Stores without users are dropped, with everything that the layer caches
// for them. Repeated calls have no effect.
func (s *Store) Close() {
	s.from.mu.Lock()
	defer s.from.mu.Unlock()
	s.from.release(s.held)
	s.held = nil
}

func (s *Stores) release(held []string) {
	for _, text := range held {
		e := s.shared[text]
		if e.refs--; e.refs > 0 {
			continue
		}
		delete(s.shared, text)
		s.release(e.of)
		if source := store.CapabilitiesOf(e.store).Source; source != nil {
			s.layer.Drop(source)
		}
	}
}

// Making is a store under construction.
type Making struct {
	stores *Stores
	kind   string
	depth  int
	of     []string
}

// Targets returns the sources of URLs in stores' documents.
func (m *Making) Targets() *target.Sources { return m.stores.Targets }

// Objects returns the reader of objects for stores that read some to locate keys.
func (m *Making) Objects() store.Objects { return m.stores.layer }

// Invalid returns the error for invalid settings of the kind under construction.
func (m *Making) Invalid(msg string) error { return &Error{Kind: m.kind, Msg: msg} }

// Object returns the object that contains a store, from the settings "of", an underlying store, and
// "key".
func (m *Making) Object(settings json.Value) (of store.Locator, key string, err error) {
	key, ok := settings.Get("key").Text()
	if !ok || store.CheckKey(key) != nil {
		return nil, "", m.Invalid("expected an object's key")
	}
	of, err = m.Of(settings.Get("of"))
	return of, key, err
}

// Of returns the store of a nested description.
func (m *Making) Of(v json.Value) (store.Locator, error) {
	members := v.Members()
	if len(members) != 1 {
		return nil, &Error{Msg: "expected an object with one member, the kind of the store"}
	}
	text := string(v.Raw())
	if e := m.stores.shared[text]; e != nil {
		e.refs++
		m.of = append(m.of, text)
		return e.store, nil
	}
	inner := &Making{stores: m.stores, kind: members[0].Name, depth: m.depth + 1}
	if inner.depth > maxDepth {
		return nil, &Error{Msg: "more than " + strconv.Itoa(maxDepth) + " nested stores"}
	}
	maker, known := m.stores.kinds[inner.kind]
	if maker == nil {
		return nil, &Error{Kind: inner.kind, Msg: "unknown kind", Rare: known}
	}
	l, err := maker(inner, members[0].Value)
	if err != nil {
		m.stores.release(inner.of)
		return nil, err
	}
	m.stores.shared[text] = &entry{l, 1, inner.of}
	m.of = append(m.of, text)
	return l, nil
}
