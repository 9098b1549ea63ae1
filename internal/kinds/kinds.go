// Package kinds makes stores of their descriptions. A description is JSON, a tree: an object
// with one member, whose name is the kind of store and whose value has its settings and, where
// it stands on others, their descriptions.
//
//	{"http": {"url": "https://example.org/data.zarr", "options": {}}}
//	{"overlay": [{"http": ...}, {"prefix": {"path": "v2", "of": {"http": ...}}}]}
//	{"zip": {"of": {"http": ...}, "key": "a.zip"}}
//	{"reference": {"of": {"http": ...}, "key": "refs.json"}}
//	{"file": {"path": "/data/a.zarr"}}
//
// The kinds are a registry, which is a value: a new one is a package and a line where the
// registry is made. Equal descriptions give one store, so that all
// that is known of its objects is shared.
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

// Maker makes a store of its settings. For the stores that it stands on it calls [Making.Of].
type Maker func(m *Making, settings json.Value) (store.Locator, error)

// Registry has the kinds of stores by their names. A kind without a Maker is one that only another
// build of the program has.
type Registry map[string]Maker

// Composites returns the kinds that stand on others and need nothing else but, for references, [Stores.Targets].
func Composites() Registry {
	return Registry{
		"reference": reference,
		"overlay": func(m *Making, settings json.Value) (store.Locator, error) {
			if settings.Kind() != json.Array || settings.Len() == 0 {
				return nil, m.Invalid("a list of stores is expected")
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
				return nil, m.Invalid("a path is expected")
			}
			of, err := m.Of(settings.Get("of"))
			if err != nil {
				return nil, err
			}
			return prefix.New(of, strings.Trim(path, "/"))
		},
	}
}

// Zip returns the kind of zip archives, with what decompresses their members. Its settings are the archive's key, and may be the
// path in it that is the root of the store.
func Zip(decode zipstore.Decoder) Maker {
	return func(m *Making, settings json.Value) (store.Locator, error) {
		key, ok := settings.Get("key").Text()
		if !ok {
			return nil, m.Invalid("the archive's key is expected")
		}
		path, _ := settings.Get("path").Text()
		of, err := m.Of(settings.Get("of"))
		if err != nil {
			return nil, err
		}
		return zipstore.New(of, key, m.Objects(), zipstore.Options{Path: path, Decode: decode})
	}
}

// Error says what is wrong with a description.
type Error struct {
	Kind string // of the store; "" where that is what is wrong
	Msg  string
	// Rare is true for a kind that another build of the program has.
	Rare bool
}

func (e *Error) Error() string {
	if e.Kind == "" {
		return "description of a store: " + e.Msg
	}
	return "store of kind " + strconv.Quote(e.Kind) + ": " + e.Msg
}

// Stores makes stores, and shares those of one description. It is safe for concurrent use.
type Stores struct {
	// Targets has the sources of what stores refer to by URL. It is set before the first Open.
	Targets *target.Sources
	// Confirm, if set, tells whether what a store refers to may be read from an origin, for the store of that number.
	Confirm func(ctx context.Context, host int, origin string) (bool, error)

	kinds Registry
	layer *object.Layer

	mu     sync.Mutex
	shared map[string]*entry
}

type entry struct {
	store store.Locator
	refs  int
	of    []string // the descriptions of those that it stands on
}

// New returns an empty set of stores, which are read through the layer.
func New(kinds Registry, layer *object.Layer) *Stores {
	return &Stores{kinds: kinds, layer: layer, shared: map[string]*entry{}}
}

// Store is a store in use. Close lets go of it.
type Store struct {
	store.Locator
	from *Stores
	held []string
}

// maxDepth is how deep descriptions may be nested.
const maxDepth = 16

// Open returns the store of a description. Errors are *[Error], and those of the kinds.
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

// Close lets go of the store: what no other one has any more is dropped, with all that the
// layer keeps of it. It may be called again.
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
		if source, ok := store.SourceOf(e.store); ok {
			s.layer.Drop(source)
		}
	}
}

// Making is one store being made.
type Making struct {
	stores *Stores
	kind   string
	depth  int
	of     []string
}

// Targets has the sources of what stores refer to by URL.
func (m *Making) Targets() *target.Sources { return m.stores.Targets }

// Objects reads objects for stores that need some to locate keys.
func (m *Making) Objects() store.Objects { return m.stores.layer }

// Invalid is the error for settings that are not those of the kind being made.
func (m *Making) Invalid(msg string) error { return &Error{Kind: m.kind, Msg: msg} }

// Object returns where the settings of a kind that lies in one object of another store say that it is: the store that
// is their member "of", and the key that is their member "key".
func (m *Making) Object(settings json.Value) (of store.Locator, key string, err error) {
	key, ok := settings.Get("key").Text()
	if !ok || store.CheckKey(key) != nil {
		return nil, "", m.Invalid("the key of an object is expected")
	}
	of, err = m.Of(settings.Get("of"))
	return of, key, err
}

// Of returns the store of a description inside of another.
func (m *Making) Of(v json.Value) (store.Locator, error) {
	members := v.Members()
	if len(members) != 1 {
		return nil, &Error{Msg: "an object with one member is expected, the kind of the store"}
	}
	text := string(v.Raw())
	if e := m.stores.shared[text]; e != nil {
		e.refs++
		m.of = append(m.of, text)
		return e.store, nil
	}
	inner := &Making{stores: m.stores, kind: members[0].Name, depth: m.depth + 1}
	if inner.depth > maxDepth {
		return nil, &Error{Msg: "more than " + strconv.Itoa(maxDepth) + " stores stand on each other"}
	}
	maker, known := m.stores.kinds[inner.kind]
	if maker == nil {
		return nil, &Error{Kind: inner.kind, Msg: "there is no such kind", Rare: known}
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
