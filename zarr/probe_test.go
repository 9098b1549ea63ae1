package zarr_test

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zarr-wasm/zarr-wasm/internal/guard"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
)

const (
	group2 = `{"zarr_format":2}`
	group3 = `{"zarr_format":3,"node_type":"group","attributes":{}}`
	array2 = `{"zarr_format":2,"shape":[2,2],"chunks":[1,1],"dtype":"|u1","compressor":null,"fill_value":9,"order":"C","filters":null,"dimension_separator":"/"}`
	array3 = `{"zarr_format":3,"node_type":"array","shape":[2],"data_type":"uint8","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[1]}},` +
		`"chunk_key_encoding":{"name":"default"},"fill_value":9,"codecs":["bytes"]}`
)

func objects(pairs ...string) map[string][]byte {
	m := map[string][]byte{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]] = []byte(pairs[i+1])
	}
	return m
}

// levels returns a group like OME's: three arrays, and no consolidated metadata.
func levels(version int) map[string][]byte {
	m := objects("zarr.json", group3)
	if version == 2 {
		m = objects(".zgroup", group2, ".zattrs", `{"multiscales":[]}`)
	}
	for _, name := range []string{"0", "1", "2"} {
		if version == 2 {
			m[name+"/.zarray"] = []byte(array2)
		} else {
			m[name+"/zarr.json"] = []byte(array3)
		}
	}
	return m
}

// distant is a store for which each question is a request.
type distant struct{ *watched }

func (d distant) Capabilities() store.Capabilities {
	return store.Capabilities{Remote: d, WholeOnly: true}
}
func (d distant) Address(key string) string      { return "https://host/data/" + key }
func (d distant) Itself() (store.Source, string) { return nil, "" }

// open asks a hierarchy for a node.
func open(t *testing.T, h *zarr.Hierarchy, path string, opt zarr.OpenOptions) zarr.Node {
	t.Helper()
	return must.Get(h.Open(t.Context(), path, opt))(t)
}

func TestWhatIsKnownIsNotAskedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		array, group := zarr.OpenOptions{Kind: "array"}, zarr.OpenOptions{Kind: "group"}
		for name, c := range map[string]struct {
			objects map[string][]byte
			root    zarr.OpenOptions
			child   zarr.OpenOptions
			want    int
		}{
			"v2":                           {levels(2), group, array, 4 + 3*2},
			"v2, told":                     {levels(2), zarr.OpenOptions{Kind: "group", Format: 2}, array, 3 + 3*2},
			"v2, told all":                 {levels(2), zarr.OpenOptions{Kind: "group", Format: 2, Fresh: true}, array, 2 + 3*2},
			"v2, told the children's, too": {levels(2), zarr.OpenOptions{Kind: "group", Format: 2}, zarr.OpenOptions{Kind: "array", Format: 2}, 3 + 3*2},
			"v2, kinds are not told":       {levels(2), zarr.OpenOptions{}, zarr.OpenOptions{}, 5 + 3*3},
			"v3":                           {levels(3), group, array, 4 + 3},
			"v3, told":                     {levels(3), zarr.OpenOptions{Kind: "group", Format: 3}, array, 1 + 3},
			"v3, kinds are not told":       {levels(3), zarr.OpenOptions{}, zarr.OpenOptions{}, 5 + 3},
			"v2, sparing":                  {levels(2), zarr.OpenOptions{Sparing: true}, zarr.OpenOptions{Kind: "array", Bare: true}, 4 + 3},
			"v3, sparing":                  {levels(3), zarr.OpenOptions{Sparing: true}, zarr.OpenOptions{Kind: "array", Bare: true}, 3 + 3},
		} {
			w := &watched{Source: memstore.New(c.objects), delay: 5 * time.Millisecond}
			h := hierarchy(w, zarr.Options{})
			open(t, h, "", c.root)
			for _, child := range []string{"0", "1", "2", "0"} {
				if n := open(t, h, child, c.child); n.Metadata().Array == nil {
					t.Errorf("%s: %q is not an array", name, child)
				}
			}
			if asked := w.asked(); len(asked) != c.want {
				t.Errorf("%s: %d requests, want %d: %v", name, len(asked), c.want, asked)
			}
		}
		// One array: only the given version is requested.
		for format, want := range map[int]int{2: 2, 3: 1, 0: 3} {
			w := &watched{Source: memstore.New(levels(max(format, 2))), delay: 5 * time.Millisecond}
			open(t, hierarchy(w, zarr.Options{}), "0", zarr.OpenOptions{Kind: "array", Format: format})
			if asked := w.asked(); len(asked) != want {
				t.Errorf("version %d: asked for %v", format, asked)
			}
		}
	})
}

// TestHierarchiesThatMix opens nodes that differ from the hierarchy's others.
func TestHierarchiesThatMix(t *testing.T) {
	m := levels(2)
	m["new/zarr.json"], m["new/a/zarr.json"] = []byte(group3), []byte(array3)
	m["old/.zgroup"], m["old/.zattrs"] = []byte(group2), []byte(`{"a":1}`)
	m["first/meta"] = []byte(`{"zarr_format":1,"shape":[2],"chunks":[2],"dtype":"|u1","compression":"none","compression_opts":null,"fill_value":0,"order":"C"}`)
	m["first/attrs"] = []byte(`{"b":1}`)
	m["copy/.zmetadata"] = []byte(`{"metadata":{".zgroup":{"zarr_format":2},"a/.zarray":` + array2 + `}}`)
	for _, paths := range [][]string{{"", "new/a", "0", "old", "first", "copy", "copy/a", "new"}, {"new", "copy", "first", "old", "1", "new/a", ""}, {"first", "", "new/a", "copy/a"}} {
		for _, kinds := range []bool{false, true} {
			h := hierarchy(plainly{memstore.New(m)}, zarr.Options{})
			for _, path := range paths {
				kind := map[string]string{"new/a": "array", "0": "array", "1": "array", "first": "array", "copy/a": "array"}[path]
				var opt zarr.OpenOptions
				if opt.Kind = "group"; kind != "" {
					opt.Kind = kind
				}
				wrong := map[string]string{"array": "group", "group": "array"}[opt.Kind]
				if path == "copy/a" {
					open(t, h, "copy", zarr.OpenOptions{}) // it has the metadata, and is not the root
				}
				if kinds {
					_, err := h.Open(t.Context(), path, zarr.OpenOptions{Kind: wrong})
					var nf *zarr.NotFoundError
					if !errors.As(err, &nf) || nf.Found != opt.Kind {
						t.Errorf("%v: %q as %s: %v", paths, path, wrong, err)
					}
				} else {
					opt.Kind = ""
				}
				n := open(t, h, path, opt)
				attrs := string(n.Metadata().Attributes.Raw())
				if (n.Metadata().Array != nil) != (kind == "array") || path == "old" && attrs != `{"a":1}` || path == "first" && attrs != `{"b":1}` {
					t.Errorf("%v: %q is %+v", paths, path, n.Metadata())
				}
			}
			var nf *zarr.NotFoundError
			if _, err := h.Open(t.Context(), "none", zarr.OpenOptions{}); !errors.As(err, &nf) || len(nf.Tried) != 7 {
				t.Errorf("%v: %v", paths, err)
			}
		}
	}
}

// plainly is a store that cannot list.
type plainly struct{ store.Source }

// TestMembersOfAGroupBelow opens a group below one without consolidated metadata. It may have its
// own, which its members need.
func TestMembersOfAGroupBelow(t *testing.T) {
	m := objects(".zgroup", group2, "a/.zgroup", group2, "a/.zmetadata", `{"metadata":{".zgroup":{"zarr_format":2},"x/.zarray":`+array2+`}}`, "a/x/.zarray", array2)
	for _, fresh := range []bool{false, true} {
		h := hierarchy(plainly{memstore.New(m)}, zarr.Options{})
		open(t, h, "", zarr.OpenOptions{})
		g := open(t, h, "a", zarr.OpenOptions{Kind: "group", Fresh: fresh}).(*zarr.Group)
		for range 2 {
			if members, err := g.Members(t.Context()); err != nil || len(members) != 1 || members[0].Name != "x" {
				t.Errorf("fresh %v: %v, %v", fresh, members, err)
			}
		}
		var unsupported *zarr.UnsupportedError
		if _, err := open(t, h, "", zarr.OpenOptions{}).(*zarr.Group).Members(t.Context()); !errors.As(err, &unsupported) {
			t.Errorf("fresh %v: %v", fresh, err)
		}
	}
}

func TestAbsentChunksAreAskedForOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		silent := strings.Replace(array2, `,"dimension_separator":"/"`, "", 1)
		for name, c := range map[string]struct {
			document string
			far      bool
			want     int
		}{
			"separator named, far":      {array2, true, 4},
			"separator named, near":     {array2, false, 4},
			"separator not named, far":  {silent, true, 8},
			"separator not named, near": {silent, false, 8},
		} {
			w := &watched{Source: memstore.New(objects(".zarray", c.document))}
			var st store.Source = w
			if c.far {
				st = distant{w}
			}
			a := must.Get(hierarchy(st, zarr.Options{}).OpenArray(t.Context(), ""))(t)
			opened := len(w.asked())
			for range 2 {
				res, err := a.Read(t.Context(), nil, zarr.ReadOptions{})
				if err != nil || !slices.Equal(res.Data, []byte{9, 9, 9, 9}) {
					t.Errorf("%s: %v, %v", name, res, err)
				}
			}
			if asked := w.asked()[opened:]; len(asked) != c.want {
				t.Errorf("%s: asked for %v", name, asked)
			}
		}
	})
}

// barred is a store in a browser. The browser hides the server's answers for absent objects from
// the page.
type barred struct {
	store.Source
	mu      sync.Mutex
	keys    []string
	patient int            // requests that would have been repeated
	fails   map[string]int // how often existing objects are hidden, too
}

// blockedError is the error of httpstore in that case.
type blockedError struct{ key string }

func (e *blockedError) Error() string    { return "https://host/" + e.key + ": blocked" }
func (*blockedError) Blocked() bool      { return true }
func (*blockedError) MaybeMissing() bool { return true }

// asked returns the requests so far, including those of abandoned work.
func (b *barred) asked() (keys []string, patient int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.keys), b.patient
}

func (b *barred) Address(key string) string      { return "https://host/" + key }
func (b *barred) Itself() (store.Source, string) { return nil, "" }

func (b *barred) Read(ctx context.Context, key string, ask store.Ask) (store.Extent, error) {
	b.mu.Lock()
	b.keys = append(b.keys, key)
	if !ask.Probe {
		b.patient++
	}
	b.fails[key]--
	fail := b.fails[key] >= 0
	b.mu.Unlock()
	e, err := b.Source.Read(ctx, key, ask)
	if fail || errors.Is(err, fs.ErrNotExist) {
		return store.Extent{}, &store.KeyError{Op: "get", Key: key, Err: &blockedError{key}}
	}
	return e, err
}

func TestBlockedProbesAreAbsentBesideWhatAnswered(t *testing.T) {
	consolidated := `{"metadata":{".zgroup":{"zarr_format":2},"a/.zarray":` + array2 + `,"a/.zattrs":{"k":1}}}`
	for name, c := range map[string]struct {
		objects map[string][]byte
		path    string
		opt     zarr.OpenOptions
		most    int
	}{
		"v2 array":               {objects(".zarray", array2), "", zarr.OpenOptions{}, 6},
		"v2 array, told":         {objects(".zarray", array2), "", zarr.OpenOptions{Format: 2, Kind: "array"}, 3},
		"v2 array, attributes":   {objects(".zarray", array2, ".zattrs", "{}"), "", zarr.OpenOptions{}, 5},
		"v2 group":               {objects(".zgroup", group2), "", zarr.OpenOptions{}, 7},
		"v2 group, consolidated": {objects(".zgroup", group2, ".zmetadata", consolidated, ".zattrs", "{}"), "", zarr.OpenOptions{}, 5},
		"only consolidated":      {objects(".zmetadata", consolidated), "", zarr.OpenOptions{}, 6},
		"v3 group":               {objects("zarr.json", group3), "", zarr.OpenOptions{}, 5},
		"v1":                     {objects("meta", `{"zarr_format":1,"shape":[2],"chunks":[2],"dtype":"|u1","compression":"none","compression_opts":null,"fill_value":0,"order":"C"}`), "", zarr.OpenOptions{}, 8},
	} {
		b := &barred{Source: memstore.New(c.objects), fails: map[string]int{}}
		if _, err := hierarchy(b, zarr.Options{}).Open(t.Context(), c.path, c.opt); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if keys, patient := b.asked(); len(keys) > c.most || patient > 0 {
			t.Errorf("%s: asked for %v, %d patiently", name, keys, patient)
		}
	}

	// Nodes listed in consolidated metadata, and groups that only their members imply.
	b := &barred{Source: memstore.New(objects(".zmetadata", `{"metadata":{"g/a/.zarray":`+array2+`}}`)), fails: map[string]int{}}
	h := hierarchy(b, zarr.Options{})
	for _, path := range []string{"g/a", "g", ""} {
		if _, err := h.Open(t.Context(), path, zarr.OpenOptions{}); err != nil {
			t.Errorf("%q: %v", path, err)
		}
	}

	// One temporary failure loses nothing.
	for i, key := range []string{".zattrs", ".zmetadata", ".zgroup", ".zattrs", ".zmetadata", ".zgroup"} {
		b := &barred{Source: memstore.New(objects(".zgroup", group2, ".zattrs", `{"k":1}`, ".zmetadata", consolidated)), fails: map[string]int{key: 1}}
		n, err := hierarchy(b, zarr.Options{}).Open(t.Context(), "", zarr.OpenOptions{Kind: "group", Sparing: i > 2})
		if err != nil || string(n.Metadata().Attributes.Raw()) != `{"k":1}` || n.Metadata().Consolidated == nil {
			t.Errorf("%s fails once: %v, %v", key, n, err)
		}
	}

	// If nothing answers, the error names all blocked documents, after a patient request for them.
	b = &barred{Source: memstore.New(nil), fails: map[string]int{}}
	_, err := hierarchy(b, zarr.Options{}).Open(t.Context(), "a", zarr.OpenOptions{})
	if _, patient := b.asked(); !store.Blocked(err) || errors.Is(err, fs.ErrNotExist) || patient == 0 {
		t.Errorf("%v, %d", err, patient)
	}
	for _, name := range []string{"zarr.json", ".zarray", ".zgroup", ".zattrs", ".zmetadata", "meta", "attrs"} {
		if err == nil || !strings.Contains(err.Error(), "https://host/a/"+name) {
			t.Errorf("%s is not named: %v", name, err)
		}
	}
	// A late answer is used.
	b = &barred{Source: memstore.New(objects(".zarray", array2, ".zattrs", `{"k":1}`)), fails: map[string]int{".zarray": 1, ".zattrs": 1}}
	if n, err := hierarchy(b, zarr.Options{}).Open(t.Context(), "", zarr.OpenOptions{}); err != nil || string(n.Metadata().Attributes.Raw()) != `{"k":1}` {
		t.Errorf("%v, %v", n, err)
	}

	// A blocked chunk is not a missing one.
	a := must.Get(hierarchy(&barred{Source: memstore.New(objects(".zarray", array2)), fails: map[string]int{}}, zarr.Options{}).OpenArray(t.Context(), ""))(t)
	if _, err := a.Read(t.Context(), nil, zarr.ReadOptions{}); !store.Blocked(err) {
		t.Errorf("%v", err)
	}
}

func TestNotFoundNamesAddresses(t *testing.T) {
	_, err := hierarchy(distant{&watched{Source: memstore.New(nil)}}, zarr.Options{}).Open(t.Context(), "a", zarr.OpenOptions{})
	if want := "no Zarr node at a (tried zarr.json, .zarray, .zgroup, .zattrs, .zmetadata, meta, attrs at https://host/data/a/)"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// always answers every question with the same.
type always string

func (a always) Read(_ context.Context, name string, ask store.Ask) (store.Extent, error) {
	return store.Select(name, []byte(a), ask)
}

// at is a store with an address.
type at struct {
	store.Source
	url string
}

func (a at) Address(key string) string      { return a.url + "/" + key }
func (a at) Itself() (store.Source, string) { return nil, "" }

func TestOtherContainersAreNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, c := range map[string]struct {
			st   store.Source
			word string
		}{
			"zip by its name":         {at{memstore.New(nil), "https://host/a.ZIP"}, "zip"},
			"zip by its other name":   {at{memstore.New(nil), "https://host/a.ozx"}, "zip"},
			"zip by its bytes":        {always("PK\x03\x04..."), "zip"},
			"references by name":      {at{memstore.New(nil), "https://host/a.json"}, "reference"},
			"references":              {always(`{"version":1,"refs":{".zgroup":"{}"}}`), "reference"},
			"references of version 0": {always(`{".zgroup":"{\"zarr_format\":2}"}`), "reference"},
			"references in Parquet":   {memstore.New(objects(".zmetadata", `{"metadata":{".zgroup":{"zarr_format":2}},"record_size":10000}`)), "parquet"},
			"Parquet by name":         {at{memstore.New(nil), "https://host/a.parq"}, "reference"},
			"Icechunk":                {memstore.New(objects("refs/branch.main/ref.json", `{"snapshot":"VY76P925PRY57WFEK410"}`)), "icechunk"},
			"N5":                      {memstore.New(objects("attributes.json", `{"n5":"2.5.1"}`)), "n5"},
			"a host's name":           {at{memstore.New(objects("attributes.json", "{}")), "https://host.zip/a"}, "n5"},
			"Icechunk 2":              {memstore.New(objects("repo", "ICE\xf0\x9f\xa7\x8aCHUNK...")), "icechunk"},
		} {
			for _, opt := range []zarr.OpenOptions{{}, {Kind: "array"}, {Kind: "group", Format: 2}, {Format: 3}} {
				if name == "references in Parquet" && opt.Format == 3 {
					continue
				}
				_, err := hierarchy(c.st, zarr.Options{}).Open(t.Context(), "", opt)
				var unsupported *zarr.UnsupportedError
				if !errors.As(err, &unsupported) || unsupported.Container != c.word || !strings.Contains(err.Error(), c.word) {
					t.Errorf("%s, %+v: %v", name, opt, err)
				}
			}
		}
		// An existing node is opened, whatever its name is, without another request.
		w := &watched{Source: memstore.New(levels(3))}
		open(t, hierarchy(at{w, "https://host/a.zip"}, zarr.Options{}), "", zarr.OpenOptions{Format: 3})
		if asked := w.asked(); len(asked) != 1 {
			t.Errorf("asked for %v", asked)
		}
		// A missing node in a hierarchy is absent, and only its documents are requested.
		w = &watched{Source: memstore.New(levels(2))}
		h := hierarchy(w, zarr.Options{})
		open(t, h, "", zarr.OpenOptions{})
		before := len(w.asked())
		if _, err := h.Open(t.Context(), "labels", zarr.OpenOptions{}); !errors.Is(err, fs.ErrNotExist) || len(w.asked())-before != 7 {
			t.Errorf("%v, asked for %v", err, w.asked()[before:])
		}
	})
}

// TestContainersAboveAPath opens paths below a container. A store's address shows a container below
// its root as well. The error for an absent node also names a container that only the root's
// documents show. Finding it takes no more requests than looking for consolidated metadata. In a
// store that has a node, there is no container at its root.
func TestContainersAboveAPath(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n5 := objects("attributes.json", "{}")
		for _, c := range []struct {
			url, path, shown, found string
			objects                 map[string][]byte
		}{
			{url: "https://host/a.zip", path: "b/c", shown: "zip"},
			{url: "https://host/refs.json", path: "b", shown: "reference"},
			{url: "https://host/r.parquet", path: "b", shown: "reference"},
			{url: "https://host/a%7Czip:b", path: "c", shown: "zip"},
			{url: "https://host/r%7Cicechunk:", path: "c", shown: "icechunk"},
			{url: "https://host/data", path: "b.zip/c", shown: "zip"},
			{url: "https://host/data", path: "b"},
			{url: "https://host/data", path: "b", objects: n5, found: "n5"},
			{url: "https://host.zip", path: "b", objects: n5, found: "n5"},
			{url: "https://host/x%7Czarr3:", path: "b"},
		} {
			w := &watched{Source: memstore.New(c.objects)}
			_, err := hierarchy(at{w, c.url}, zarr.Options{}).Open(t.Context(), c.path, zarr.OpenOptions{})
			var container *zarr.UnsupportedError
			var absent *zarr.NotFoundError
			switch {
			case c.shown != "":
				if !errors.As(err, &container) || container.Container != c.shown {
					t.Errorf("%s, %s: %v", c.url, c.path, err)
				}
			case !errors.As(err, &absent) || absent.Container != c.found || !strings.Contains(err.Error(), c.found) || len(w.asked()) != 17:
				t.Errorf("%s, %s: %v, asked for %v", c.url, c.path, err, w.asked())
			}
			h := hierarchy(at{memstore.New(levels(2)), c.url}, zarr.Options{})
			open(t, h, "", zarr.OpenOptions{})
			if _, err := h.Open(t.Context(), "absent", zarr.OpenOptions{}); !errors.As(err, &absent) || absent.Container != "" {
				t.Errorf("%s, a hierarchy: %v", c.url, err)
			}
		}
	})
}

// failing is a source with one unreadable object.
type failing struct {
	store.Source
	key string
	err func() error
}

func (f *failing) Read(ctx context.Context, key string, ask store.Ask) (store.Extent, error) {
	if key == f.key {
		return store.Extent{}, f.err()
	}
	return f.Source.Read(ctx, key, ask)
}

// TestWhatElseIsAskedForFailsByItsError opens paths without documents. The open requests the root's
// consolidated metadata and the documents of other containers. A failure there does not count as
// absence.
func TestWhatElseIsAskedForFailsByItsError(t *testing.T) {
	broken := errors.New("the store is broken")
	var (
		panicked *guard.Error
		limit    *codec.LimitError
		missing  *zarr.NotFoundError
		invalid  *zarr.InvalidMetadataError
	)
	for name, c := range map[string]struct {
		err  func() error
		want func(error) bool
	}{
		"a panic": {func() error { panic("a bomb") }, func(err error) bool { return errors.As(err, &panicked) }},
		"a limit": {func() error { return &codec.LimitError{Limit: "MetadataBytes", Max: 1, Asked: 2, What: "a document"} },
			func(err error) bool { return errors.As(err, &limit) }},
		"the store's own": {func() error { return broken }, func(err error) bool { return errors.Is(err, broken) }},
		"absence":         {func() error { return fs.ErrNotExist }, func(err error) bool { return errors.As(err, &missing) }},
		"what may be absence": {func() error { return forbidden{} },
			func(err error) bool { return errors.As(err, &missing) || errors.As(err, &forbidden{}) }},
	} {
		for _, at := range []struct{ path, key string }{
			{"", "repo"}, {"", "refs/branch.main/ref.json"},
			{"a", "zarr.json"}, {"a/b", ".zmetadata"},
		} {
			h := zarr.New(&failing{memstore.New(nil), at.key, c.err}, nil, zarr.Options{})
			for range 2 {
				if _, err := h.Open(t.Context(), at.path, zarr.OpenOptions{}); !c.want(err) {
					t.Errorf("%s of %s, opening %q: %v", name, at.key, at.path, err)
				}
			}
		}
	}
	// A root that cannot be parsed may describe the node.
	h := zarr.New(memstore.New(objects("zarr.json", `{"zarr_format":3,"node_type":"gro`)), nil, zarr.Options{})
	if _, err := h.Open(t.Context(), "a", zarr.OpenOptions{}); !errors.As(err, &invalid) || invalid.Path != "" {
		t.Errorf("below a damaged root: %v", err)
	}
	// One that can be parsed, and describes nothing, does not.
	unknown := strings.Replace(array3, `"codecs":["bytes"]`, `"codecs":["bytes","nothing"]`, 1)
	h = zarr.New(memstore.New(objects("zarr.json", unknown)), codecs.Full(), zarr.Options{})
	if _, err := h.Open(t.Context(), "a", zarr.OpenOptions{}); !errors.As(err, &missing) {
		t.Errorf("below an array of an unknown codec: %v", err)
	}
}

// forbidden is some servers' answer for absent objects.
type forbidden struct{}

func (forbidden) Error() string      { return "forbidden" }
func (forbidden) MaybeMissing() bool { return true }

// telling is a store of a server that reports absence. The browser hides some of its answers.
type telling struct {
	*barred
	absent bool // absent objects are reported as such
}

func (o telling) Read(ctx context.Context, key string, ask store.Ask) (store.Extent, error) {
	if _, err := o.Source.Read(ctx, key, ask); o.absent && errors.Is(err, fs.ErrNotExist) {
		return store.Extent{}, err
	}
	return o.barred.Read(ctx, key, ask)
}

// TestBlockedAttributesAreNotAbsentWhereTheServerTellsWhatIs blocks one document of a server that
// reports others as absent. The open fails, because a node without its attributes would silently
// differ.
func TestBlockedAttributesAreNotAbsentWhereTheServerTellsWhatIs(t *testing.T) {
	for _, absent := range []bool{true, false} {
		for _, document := range []string{".zattrs", ".zmetadata"} {
			o := telling{&barred{Source: memstore.New(objects(".zgroup", group2, ".zattrs", `{"k":1}`, ".zmetadata", `{"metadata":{".zgroup":`+group2+`}}`)), fails: map[string]int{document: 2}}, absent}
			h := hierarchy(o, zarr.Options{})
			_, err := h.Open(t.Context(), "", zarr.OpenOptions{})
			if store.Blocked(err) != absent || !absent && err != nil {
				t.Errorf("%s, absence told %v: %v", document, absent, err)
			}
			if !absent {
				continue
			}
			if n, err := h.Open(t.Context(), "", zarr.OpenOptions{}); err != nil || string(n.Metadata().Attributes.Raw()) != `{"k":1}` {
				t.Errorf("%s, again: %v, %v", document, n, err)
			}
		}
	}
}

// held is a source that answers for the objects of a folder on release.
type held struct {
	store.Source
	folder string
	let    chan struct{}
}

func (s *held) Read(ctx context.Context, key string, ask store.Ask) (store.Extent, error) {
	if strings.HasPrefix(key, s.folder) {
		<-s.let
	}
	return s.Source.Read(ctx, key, ask)
}

// TestNodesOfARootThatOthersOpen opens several nodes concurrently in an unknown hierarchy. Only the
// root's consolidated metadata describes them. An open that misses their documents after another
// one has opened the root also finds them.
func TestNodesOfARootThatOthersOpen(t *testing.T) {
	root := `{"zarr_format":3,"node_type":"group","consolidated_metadata":{"kind":"inline","must_understand":false,"metadata":{"a":` + array3 + `,"b":` + array3 + `}}}`
	s := &held{memstore.New(objects("zarr.json", root)), "b/", make(chan struct{})}
	h := zarr.New(s, codecs.Default(), zarr.Options{})
	done := make(chan error)
	go func() {
		_, err := h.Open(t.Context(), "b", zarr.OpenOptions{})
		done <- err
	}()
	open(t, h, "a", zarr.OpenOptions{})
	close(s.let)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestDescribedNodesAreFoundAfterAnOpenThatFailed opens a node that only consolidated metadata
// describes. Earlier opens of its path failed: one for another version, and one while the store
// failed.
func TestDescribedNodesAreFoundAfterAnOpenThatFailed(t *testing.T) {
	s := &failing{memstore.New(objects(".zgroup", group2, ".zmetadata", `{"metadata":{".zgroup":`+group2+`,"a/.zarray":`+array2+`,"b/c/.zarray":`+array2+`}}`)), "", nil}
	h := hierarchy(plainly{s}, zarr.Options{})
	open(t, h, "", zarr.OpenOptions{})
	for _, path := range []string{"a", "b"} {
		if _, err := h.Open(t.Context(), path, zarr.OpenOptions{Format: 3}); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s in version 3: %v", path, err)
		}
		open(t, h, path, zarr.OpenOptions{})
	}
	broken := errors.New("the store is broken")
	s.key, s.err = "b/c/.zarray", func() error { return broken }
	if _, err := h.Open(t.Context(), "b/c", zarr.OpenOptions{Fresh: true}); !errors.Is(err, broken) {
		t.Error(err)
	}
	open(t, h, "b", zarr.OpenOptions{})
	s.key = ""
	open(t, h, "b/c", zarr.OpenOptions{})
}
