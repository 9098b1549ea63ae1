package codec

import (
	"slices"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/order"
	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
)

// Registry maps the names of codecs to their constructors. It is a value that programs build and
// pass on, never a global, so a program links only the codecs that it names. A Registry is safe for
// concurrent use once it is filled.
type Registry struct {
	names map[string]Entry // v3 names
	ids   map[string]Entry // numcodecs ids of v2
	first func(name string, format int) (Entry, bool)
	// sharding is the v3 name of the sharding codec.
	sharding string
}

// Kind returns the kind of the codec with a v3 name, or 0 if it is not registered.
func (r *Registry) Kind(name string) Kind { return r.names[name].Kind }

// Sharding returns the v3 name of the sharding codec, or "" if none is registered.
func (r *Registry) Sharding() string { return r.sharding }

// With returns a registry that calls lookup for each codec of a chain, by its name (format 3) or id
// (format 2). It falls back to r for codecs that lookup does not know.
func (r *Registry) With(lookup func(name string, format int) (Entry, bool)) *Registry {
	return &Registry{names: r.names, ids: r.ids, sharding: r.sharding, first: lookup}
}

// NewRegistry returns a registry of the entries.
func NewRegistry(entries ...Entry) *Registry {
	r := &Registry{}
	r.Add(entries...)
	return r
}

// Add adds entries; a later one replaces an earlier one of the same name.
func (r *Registry) Add(entries ...Entry) {
	if r.names == nil {
		r.names, r.ids = map[string]Entry{}, map[string]Entry{}
	}
	for _, e := range entries {
		for _, n := range e.Names {
			r.names[n] = e
		}
		for _, id := range e.IDs {
			r.ids[id] = e
		}
		if e.Sharding {
			r.sharding = e.Names[0]
		}
	}
}

// Names returns the registered v3 names, sorted.
func (r *Registry) Names() []string { return keys(r.names) }

// IDs returns the registered v2 ids, sorted.
func (r *Registry) IDs() []string { return keys(r.ids) }

// Entries returns the registered entries, sorted by first name. An entry counts while one of its
// names or ids has not been replaced.
func (r *Registry) Entries() []Entry {
	var all []Entry
	seen := map[string]bool{}
	add := func(e Entry) {
		key := strings.Join(e.Names, " ") + "\n" + strings.Join(e.IDs, " ")
		if !seen[key] {
			seen[key] = true
			all = append(all, e)
		}
	}
	for _, n := range r.Names() {
		add(r.names[n])
	}
	for _, id := range r.IDs() {
		add(r.ids[id])
	}
	slices.SortStableFunc(all, func(a, b Entry) int { return strings.Compare(a.first(), b.first()) })
	return all
}

func (e Entry) first() string {
	for _, names := range [][]string{e.Names, e.IDs} {
		if len(names) > 0 {
			return names[0]
		}
	}
	return ""
}

func keys(m map[string]Entry) []string {
	s := make([]string, 0, len(m))
	for k := range m {
		s = append(s, k)
	}
	order.Strings(s)
	return s
}

func (r *Registry) find(name string, format int) (Entry, bool) {
	if r.first != nil {
		if e, ok := r.first(name, format); ok {
			return e, true
		}
	}
	if format < 3 {
		if e, ok := r.ids[name]; ok {
			return e, true
		}
		// The codecs that the v2 reader itself adds to a chain, bytes and transpose, have v3 names
		// only.
	}
	e, ok := r.names[name]
	return e, ok
}

// Pipeline builds the chain of an array with chunks like b.Array. Errors are [*UnknownError],
// [*ConfigError], [*UnsupportedError] and [*LimitError].
func (r *Registry) Pipeline(chain []meta.CodecSpec, b Build) (*Pipeline, error) {
	if len(chain) > b.Limits.Codecs {
		return nil, &LimitError{Limit: "Codecs", Max: int64(b.Limits.Codecs), Asked: int64(len(chain)), What: "chain of codecs"}
	}
	if b.Depth >= b.Limits.CodecDepth {
		return nil, &LimitError{Limit: "CodecDepth", Max: int64(b.Limits.CodecDepth), Asked: int64(b.Depth) + 1, What: "nested codecs"}
	}
	p := &Pipeline{chain: chain, build: b, limits: b.Limits}
	b.Registry = r
	b.Depth++
	for _, spec := range chain {
		e, ok := r.find(spec.Name, b.Format)
		if !ok {
			if spec.Optional {
				continue // must_understand: false: the data can be read without it
			}
			known := r.Names()
			if b.Format < 3 {
				known = r.IDs()
			}
			// Aliases would only make the list longer.
			known = slices.DeleteFunc(known, func(n string) bool { return strings.Contains(n, ".") })
			return nil, &UnknownError{Name: spec.Name, Known: known}
		}
		c, err := e.New(spec.Config, b)
		if err != nil {
			return nil, err
		}
		cost := e.cost(spec.Config)
		p.cost.Decode += cost.Decode
		p.cost.Encode += cost.Encode
		switch c := c.(type) {
		case ArrayToArray:
			if p.serializer.codec != nil {
				return nil, &ConfigError{spec.Name, "an array-to-array codec may not follow an array-to-bytes codec"}
			}
			if b.Array, err = c.Encoded(b.Array); err != nil {
				return nil, err
			}
			p.arrays = append(p.arrays, stage[ArrayToArray]{spec.Name, c})
		case ArrayToBytes:
			if p.serializer.codec != nil {
				return nil, &ConfigError{spec.Name, "a second array-to-bytes codec"}
			}
			if err := c.Check(b.Array); err != nil {
				return nil, err
			}
			p.serializer = stage[ArrayToBytes]{spec.Name, c}
			if c, ok := c.(ShardCodec); ok && len(p.arrays) == 0 {
				shard, err := c.Shard(b.Array)
				if err != nil {
					return nil, err
				}
				p.inner = shard.Inner.arrays[0].Shape
			}
		case BytesToBytes:
			if p.serializer.codec == nil {
				return nil, &ConfigError{spec.Name, "a bytes-to-bytes codec before the array-to-bytes codec"}
			}
			p.bytes = append(p.bytes, stage[BytesToBytes]{spec.Name, c})
		default:
			return nil, &ConfigError{spec.Name, "has an unknown kind"}
		}
	}
	if p.serializer.codec == nil {
		return nil, &ConfigError{"(none)", "the chain has no array-to-bytes codec"}
	}
	return p, nil
}
