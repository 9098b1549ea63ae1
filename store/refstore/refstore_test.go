package refstore_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"github.com/zarr-wasm/zarr-wasm/internal/limits"
	"github.com/zarr-wasm/zarr-wasm/internal/object"
	"github.com/zarr-wasm/zarr-wasm/internal/target"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/filestore"
	"github.com/zarr-wasm/zarr-wasm/store/httpstore"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/store/overlay"
	"github.com/zarr-wasm/zarr-wasm/store/refstore"
	"github.com/zarr-wasm/zarr-wasm/store/storetest"
	"github.com/zarr-wasm/zarr-wasm/tests/chaos/spent"
	"github.com/zarr-wasm/zarr-wasm/tests/fixtures"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
)

func sources(layer *object.Layer) *target.Sources {
	return target.NewSources(func(origin string) (store.Source, error) {
		return httpstore.New(origin, httpstore.Options{Retries: -1})
	}, layer.Drop)
}

// over returns the store of a document in memory, with other objects.
func over(document string, objects map[string][]byte, opt refstore.Options) *refstore.Store {
	all := map[string][]byte{"d/refs.json": []byte(document)}
	for name, b := range objects {
		all[name] = b
	}
	layer := object.NewLayer(1 << 20)
	if opt.Language == nil {
		opt.Language = refstore.Expressions()
	}
	return refstore.New(store.Plain(memstore.New(all)), "d/refs.json", layer, sources(layer), opt)
}

func get(ctx context.Context, l store.Locator, key string) ([]byte, error) {
	e, err := store.ReadKey(ctx, l, key, store.Ask{}, func(ctx context.Context, s store.Source, name string, ask store.Ask) (store.Extent, error) {
		return s.Read(ctx, name, ask)
	})
	return e.Bytes, err
}

// The objects of the suite are inline texts, inline base64, files, and ranges of one large file.
func TestConformance(t *testing.T) {
	storetest.Run(t, storetest.Harness{Lists: true, New: func(_ testing.TB, objects map[string][]byte) store.Locator {
		refs := map[string]any{}
		files := map[string][]byte{}
		large := []byte("at the beginning")
		i := 0
		for key, b := range objects {
			switch i++; {
			case i%4 == 0 && utf8.Valid(b) && !strings.HasPrefix(string(b), "base64:"):
				refs[key] = string(b)
			case i%4 <= 1:
				refs[key] = "base64:" + base64.StdEncoding.EncodeToString(b)
			case i%4 == 2:
				name := strconv.Itoa(i) + ".bin"
				files["files/"+name] = b
				refs[key] = []any{"../files/" + name}
			default:
				refs[key] = []any{"../files/large", len(large), len(b)}
				large = append(large, b...)
				large = append(large, "between"...)
			}
		}
		files["files/large"] = large
		text, err := json.Marshal(refs)
		if err != nil {
			panic(err)
		}
		return over(string(text), files, refstore.Options{})
	}})
}

type document struct {
	ID               string
	Document         json.RawMessage
	Resolved         map[string]any
	ExpectError      any      `json:"expect_error"`
	AcceptedAtOpen   []string `json:"accepted_at_open"`
	RejectedOnAccess []string `json:"rejected_on_access_to_foo"`
}

func TestDocumentsOfOthers(t *testing.T) {
	text := must.Get(os.ReadFile(filepath.Join(fixtures.Dir(t), "public", "containers.json")))(t)
	var all struct {
		Documents []document
		Cases     []struct {
			ID           string
			Store        string
			Counts       struct{ Keys int }
			ResolvedRefs [][]any `json:"resolved_refs"`
		}
	}
	must.Do(t, json.Unmarshal(text, &all))
	seen := 0
	for _, c := range all.Documents {
		seen++
		for _, text := range c.AcceptedAtOpen {
			if b, err := get(t.Context(), over(text, nil, refstore.Options{}), ".zgroup"); err != nil {
				t.Errorf("%s: %s: %q, %v", c.ID, text, b, err)
			}
		}
		for _, text := range c.RejectedOnAccess {
			if b, err := get(t.Context(), over(text, nil, refstore.Options{}), "foo"); err == nil || errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: %s: %q, %v", c.ID, text, b, err)
			}
		}
		if c.Document == nil {
			continue
		}
		s := over(string(c.Document), nil, refstore.Options{})
		if c.ExpectError != nil {
			var e *refstore.Error
			if _, err := s.Locate(t.Context(), ".zgroup"); !errors.As(err, &e) {
				t.Errorf("%s: %v", c.ID, err)
			}
			continue
		}
		for key, want := range c.Resolved {
			at, err := s.Locate(t.Context(), key)
			if err != nil {
				t.Errorf("%s: %s: %v", c.ID, key, err)
				continue
			}
			switch want := want.(type) {
			case string:
				if string(at.Inline) != want {
					t.Errorf("%s: %s: %q", c.ID, key, at.Inline)
				}
			case map[string]any:
				a, _ := json.Marshal(want["json"])
				var v any
				_ = json.Unmarshal(at.Inline, &v)
				if b, _ := json.Marshal(v); string(a) != string(b) {
					t.Errorf("%s: %s: %q", c.ID, key, at.Inline)
				}
			case []any:
				checkTarget(t, c.ID+": "+key, at, want)
			}
		}
		if c.Resolved == nil {
			t.Errorf("%s: nothing is expected of it", c.ID)
		}
	}
	if seen != 7 {
		t.Errorf("%d documents", seen)
	}
	seen = 0
	for _, c := range all.Cases {
		for _, want := range c.ResolvedRefs {
			text := must.Get(os.ReadFile(filepath.Join(fixtures.Dir(t), "public", filepath.FromSlash(c.Store))))(t)
			seen++
			at, err := over(string(text), nil, refstore.Options{}).Locate(t.Context(), want[0].(string))
			if err != nil {
				t.Error(err)
				continue
			}
			checkTarget(t, c.ID, at, want[1:])
		}
	}
	if seen == 0 {
		t.Error("no references of cases were looked at")
	}
}

func checkTarget(t *testing.T, what string, at store.Location, want []any) {
	t.Helper()
	url := want[0].(string)
	if bucket, ok := strings.CutPrefix(url, "s3://"); ok {
		bucket, key, _ := strings.Cut(bucket, "/")
		url = "https://" + bucket + ".s3.amazonaws.com/" + key
	}
	r, ok := at.Source.(store.Remote)
	if !strings.Contains(strings.TrimPrefix(url, "http://"), "/") {
		url += "/"
	}
	if !ok || r.Address(at.Name) != url {
		t.Errorf("%s: %+v, want %v", what, at, want)
		return
	}
	if len(want) == 1 && at.Length != store.ToEnd || len(want) == 3 && (float64(at.Offset) != want[1] || float64(at.Length) != want[2]) {
		t.Errorf("%s: %d+%d, want %v", what, at.Offset, at.Length, want)
	}
}

func TestReferences(t *testing.T) {
	files := map[string][]byte{"d/a b.bin": []byte("0123456789"), "d/sub/f": []byte("f"), "d/0007": []byte("seven")}
	for _, c := range []struct{ document, key, want string }{
		{`{"k":"text"}`, "k", "text"},
		{"\ufeff" + `{"k":"\u0000ü\n"}`, "k", "\x00ü\n"},
		{`{"k":""}`, "k", ""},
		{`{"k":"base64:"}`, "k", ""},
		{`{"k":"base64:AP8="}`, "k", "\x00\xff"},
		{`{"k":"base64:AP8"}`, "k", "\x00\xff"},
		{`{"k":"base64:AP\n8=\n"}`, "k", "\x00\xff"},
		{`{"k":"{{u}}"}`, "k", "{{u}}"},
		{`{"k":{"a": [1.0, NaN]}}`, "k", `{"a": [1.0, NaN]}`},
		{`{"a b/c d":["a b.bin",2,3]}`, "a b/c d", "234"},
		{`{"k":["a b.bin"]}`, "k", "0123456789"},
		{`{"k":["a b.bin",10,0]}`, "k", ""},
		{`{"k":["./sub/../sub/f"]}`, "k", "f"},
		{`{"k":["/d/sub/f"]}`, "k", "f"},
		{`{"k":"1","k":"2","\u006b":"3"}`, "k", "3"},
		{`{"a\\b":"1","a\"b":"2"}`, `a\b`, "1"},
		{`{"a\\b":"1","a\"b":"2"}`, `a"b`, "2"},
		{`{"version":1}`, "k", "absent"},
		{`{"version":1,"refs":{}}`, "version", "absent"},
		{`{"version":1,"refs":null}`, "k", "error"},
		{`{"refs":{"k":"1"}}`, "k", "absent"},
		{`{"version":2,"refs":{"k":"1"}}`, "k", "error"},
		{`{"version":"1","refs":{"k":"1"}}`, "k", "error"},
		{`[]`, "k", "error"},
		{`7`, "k", "error"},
		{`{"version":1,"templates":{"u":"a b"},"refs":{"k":["{{u}}.bin",0,1]}}`, "k", "0"},
		{`{"version":1,"templates":{"u":"a b"},"refs":{"k":["{{ u }}.{{f('x')}}",0,1]}}`, "k", "error"},
		{`{"version":1,"templates":{"u":"{{a}} {{b}}.bin"},"refs":{"k":["{{u(a='a', b = \"b\")}}",9,1]}}`, "k", "9"},
		{`{"version":1,"templates":{"u":"{{v}}","v":"{{u}}"},"refs":{"k":["{{u}}"]}}`, "k", "error"},
		{`{"version":1,"templates":{"u":"{{u}}"},"refs":{"k":["{{u(u=u)}}"]}}`, "k", "error"},
		{`{"version":1,"templates":{"u":7},"refs":{"k":["{{u}}"]}}`, "k", "error"},
		{`{"version":1,"templates":{"u":"x"},"refs":{"k":["{% for i in range(9) %}"]}}`, "k", "error"},
		{`{"version":1,"templates":{"u":"x"},"refs":{"k":["{{u.__class__}}"]}}`, "k", "error"},
		{`{"version":1,"templates":{"u":"x"},"refs":{"k":["{{u|upper}}"]}}`, "k", "error"},
		{`{"version":1,"templates":{"u":"x"},"refs":{"k":["{{u"]}}`, "k", "error"},
		{`{"version":1,"gen":[{"key":"k/{{i}}","url":"{{ '%04d' % (i * 7) }}","dimensions":{"i":[0,1]}}]}`, "k/1", "seven"},
		{`{"version":1,"gen":[{"key":"{{i}}.{{j}}","url":"a b.bin","offset":"{{i*4+j}}","length":1,"dimensions":{"i":{"stop":2},"j":{"start":3,"stop":-1,"step":-1}}}]}`, "1.2", "6"},
		{`{"version":1,"gen":[{"key":"{{i}}","url":"a b.bin","offset":"{{7 // -2 + 5 - -(i % 3)}}","length":"1","dimensions":{"i":[-1]}}]}`, "-1", "3"},
		{`{"version":1,"gen":[{"key":"{{a ~ '-' ~ b}}","url":"sub/{{a}}","dimensions":{"a":["f"],"b":[1.5]}}]}`, "f-1.5", "f"},
		{`{"version":1,"templates":{"n":"d"},"refs":{"k":"1"},"gen":[{"key":"k","url":"sub/f"}]}`, "k", "f"},
		{`{"version":1,"gen":[{"key":"k","url":"sub/f","dimensions":{"i":{"stop":0}}}]}`, "k", "absent"},
		{`{"version":1,"gen":[{"key":"k","url":"sub/f","offset":"{{1-2}}","length":"1"}]}`, "k", "error"},
		{`{"version":1,"gen":[{"key":"k","url":"sub/f","offset":"{{1//0}}","length":"1"}]}`, "k", "error"},
		{`{"version":1,"gen":[{"key":"k","url":"sub/f","offset":"{{4611686018427387904*2}}","length":"1"}]}`, "k", "error"},
		{`{"version":1,"gen":[{"key":"k","url":"sub/f","offset":"{{1/1}}","length":"1"}]}`, "k", "error"},
		{`{"version":1,"gen":[{"key":"k","url":"sub/f","offset":"{{2**70}}","length":"1"}]}`, "k", "error"},
		{`{"version":1,"gen":[{"key":"k"}]}`, "k", "error"},
		{`{"version":1,"gen":[{"url":"k"}]}`, "k", "error"},
		{`{"version":1,"gen":[{"key":"k","url":"x","dimensions":{"i":{"start":1}}}]}`, "k", "error"},
		{`{"version":1,"gen":[{"key":"k","url":"x","dimensions":{"i":{"stop":1,"step":0}}}]}`, "k", "error"},
		{`{"version":1,"gen":[{"key":"k","url":"x","dimensions":{"i":{"stop":0.5}}}]}`, "k", "error"},
		{`{"version":1,"gen":[{"key":"{{}}","url":"sub/f","dimensions":{"":{"stop":1}}}]}`, "0", "error"},
		// Jinja returns 1, and drops the blanks before it
		{`{"version":1,"gen":[{"key":"{{-i}}","url":"sub/f","dimensions":{"i":[1]}}]}`, "-1", "error"},
		{`{"version":1,"gen":[{"key":"{{ -i}}","url":"sub/f","dimensions":{"i":[1]}}]}`, "-1", "f"},
		{`{"version":1,"gen":[{"key":"{{i}}","url":"sub/f","dimensions":{"i":[2.0]}}]}`, "2.0", "f"},
		{`{"version":1,"gen":[{"key":"{{i}}","url":"sub/f","dimensions":{"i":[36893488147419103232]}}]}`, "36893488147419103232", "f"},
		{`{"version":1,"gen":[{"key":"{{i+i}}","url":"sub/f","dimensions":{"i":[1.5]}}]}`, "1.51.5", "error"},
		{`{"version":1,"gen":[{"key":"{{i}}","url":"sub/f","dimensions":{"i":[1e3]}}]}`, "1e3", "error"},
		{`{"version":1,"gen":[{"key":"{{i}}","url":"sub/f","dimensions":{"i":[null]}}]}`, "null", "error"},
		{`{"version":1,"gen":[{"key":"{{i}}","url":"sub/f","dimensions":{"i":[true]}}]}`, "true", "error"},
		{`{"version":1,"gen":[{"key":"{{i}}","url":"sub/f","dimensions":{"i":[[1]]}}]}`, "[1]", "error"},
		{`{"version":1,"gen":{}}`, "k", "error"},
		{`{"k":["a b.bin",11,1]}`, "k", "error"},
		{`{"k":["a b.bin",9,2]}`, "k", "error"},
		{`{"k":["a b.bin",9223372036854775807,1]}`, "k", "error"},
		{`{"k":["none"]}`, "k", "error"},
		{`{"k":["none",0,1]}`, "k", "error"},
		{`{"k":["../../x"]}`, "k", "error"},
		{`{"k":["file:///etc/passwd"]}`, "k", "error"},
		{`{"k":[null]}`, "k", "error"},
		{`{"k":[""]}`, "k", "error"},
		{`{"k":[["a b.bin",0,1],["a b.bin",1,1]]}`, "k", "error"},
		{`{"k":"base64:AP8*"}`, "k", "error"},
		{`{"k":"base64:A"}`, "k", "error"},
		{`{"k":"1"`, "k", "error"},
		{`{"k":"1"}x`, "k", "error"},
		{`{"k":"` + "\xff" + `"}`, "k", "error"},
	} {
		s := over(c.document, files, refstore.Options{})
		for range 2 {
			b, err := get(t.Context(), s, c.key)
			got := string(b)
			switch {
			case errors.Is(err, fs.ErrNotExist):
				got = "absent"
			case err != nil:
				var k *store.KeyError
				if got = "error"; !errors.As(err, &k) {
					t.Errorf("%s: %v", c.document, err)
				}
			}
			if got != c.want {
				t.Errorf("%s: %q, %v; want %q", c.document, got, err, c.want)
			}
		}
	}
}

// Without the language only the names of templates are known. Everything else is an error with Rare
// set.
func TestDocumentsWithoutExpressions(t *testing.T) {
	layer := object.NewLayer(1 << 20)
	files := map[string][]byte{"ab": []byte("ab"), "x": []byte("x")}
	for text, want := range map[string]string{
		`{"version":1,"templates":{"u":"a","v":"b"},"refs":{"k":["{{u}}{{ v }}"]}}`:                        "ab",
		`{"version":1,"templates":{"u":"a"},"refs":{"k":["x"]}}`:                                           "x",
		`{"version":1,"templates":{},"refs":{"k":["x"]}}`:                                                  "x",
		`{"version":1,"templates":{"u":"{{c}}"},"refs":{"k":["{{u}}"]}}`:                                   "rare",
		`{"version":1,"templates":{"u":"{{c}}"},"refs":{"k":["{{u(c='x')}}"]}}`:                            "rare",
		`{"version":1,"templates":{"u":"a"},"refs":{"k":["{{u ~ 'b'}}"]}}`:                                 "rare",
		`{"version":1,"templates":{"u":"a"},"refs":{"k":["{{u"]}}`:                                         "rare",
		`{"version":1,"gen":[],"refs":{"k":["x"]}}`:                                                        "rare",
		`{"version":1,"templates":{"u":1},"refs":{"k":["x"]}}`:                                             "error",
		`{"version":1,"templates":[],"refs":{"k":["x"]}}`:                                                  "error",
		`{"version":1,"templates":{"u":"` + strings.Repeat("a", 10000) + `"},"refs":{"k":["{{u}}{{u}}"]}}`: "error",
	} {
		files["refs.json"] = []byte(text)
		s := refstore.New(store.Plain(memstore.New(files)), "refs.json", layer, sources(layer), refstore.Options{})
		b, err := get(t.Context(), s, "k")
		got := string(b)
		var e *refstore.Error
		if err != nil {
			if got = "error"; errors.As(err, &e) && e.Rare {
				got = "rare"
			}
		}
		if got != want {
			t.Errorf("%s: %q, %v; want %q", text, got, err, want)
		}
	}
}

// An absent document is no absent key: an overlay must not use a lower layer.
func TestAbsentDocument(t *testing.T) {
	layer := object.NewLayer(1 << 20)
	of := store.Plain(memstore.New(nil))
	s := refstore.New(of, "refs.json", layer, sources(layer), refstore.Options{})
	if _, err := get(t.Context(), overlay.New(s, of), "zarr.json"); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

func TestReferencesThroughOthers(t *testing.T) {
	layer := object.NewLayer(1 << 20)
	all := sources(layer)
	data := store.Plain(memstore.New(map[string][]byte{"data": []byte("0123456789"), "alone": []byte("below")}))
	inline := over(`{"refs.json":{"k":["data",2,6],"k2":["refs.json",2,2],"k3":["alone"]},"data":["x"],"x":"?"}`, nil, refstore.Options{})
	// The upper store's document is inline in the lower one. Its targets are in either.
	of := overlay.New(data, inline)
	upper := refstore.New(of, "refs.json", layer, all, refstore.Options{})
	again := refstore.New(overlay.New(store.Plain(memstore.New(map[string][]byte{"r": []byte(`{"k":["k",1,2]}`)})), upper), "r", layer, all, refstore.Options{})
	for _, c := range []struct {
		l         store.Locator
		key, want string
	}{{upper, "k", "234567"}, {upper, "k2", `k"`}, {upper, "k3", "below"}, {again, "k", "34"}} {
		if b, err := get(t.Context(), c.l, c.key); err != nil || string(b) != c.want {
			t.Errorf("%s: %q, %v", c.key, b, err)
		}
	}
}

func TestRefresh(t *testing.T) {
	layer := object.NewLayer(1 << 20)
	files := fstest.MapFS{}
	write := func(text string) { files["refs.json"] = &fstest.MapFile{Data: []byte(text)} }
	write(`{"k":"1"}`)
	s := refstore.New(store.Plain(filestore.New(files)), "refs.json", layer, sources(layer), refstore.Options{})
	want := func(key, want string) {
		t.Helper()
		b, err := get(t.Context(), s, key)
		if string(b) != want || err != nil {
			t.Errorf("%q, %v", b, err)
		}
	}
	want("k", "1")
	write(`{"k":"2"}`)
	want("k", "1")
	s.Refresh()
	want("k", "2")
	write(`{"k"`)
	s.Refresh()
	if _, err := get(t.Context(), s, "k"); err == nil {
		t.Error("a damaged document was read")
	}
	write(`{"k":"3"}`)
	want("k", "3")
}

// counting is a source with changing objects, which counts reads.
type counting struct {
	answers []string // one per read, and the last one for all further reads; "" is absence
	reads   int
}

func (c *counting) Read(_ context.Context, name string, ask store.Ask) (store.Extent, error) {
	answer := c.answers[min(c.reads, len(c.answers)-1)]
	if c.reads++; answer == "" {
		return store.Extent{}, store.NotFound(name)
	}
	return store.Select(name, []byte(answer), ask)
}

// A document that is damaged, or absent for a moment, is read again, past the caches.
func TestDamagedDocumentIsNotKept(t *testing.T) {
	for _, c := range []struct {
		answers []string
		fails   bool // the first read
		reads   int
	}{
		{[]string{`{"k":`, `{"k":"1"}`}, false, 2},
		{[]string{"", `{"k":"1"}`}, true, 2},
		{[]string{`{"k":`, "[]", `{"k":"1"}`}, true, 3},
	} {
		src := &counting{answers: c.answers}
		layer := object.NewLayer(1 << 20)
		s := refstore.New(store.Plain(src), "refs.json", layer, sources(layer), refstore.Options{})
		if _, err := get(t.Context(), s, "k"); (err != nil) != c.fails {
			t.Errorf("%q: %v", c.answers, err)
		}
		for range 2 {
			if b, err := get(t.Context(), s, "k"); string(b) != "1" || err != nil {
				t.Errorf("%q: %q, %v", c.answers, b, err)
			}
		}
		if src.reads != c.reads {
			t.Errorf("%q: %d reads", c.answers, src.reads)
		}
	}
}

// TestAnErrorAsADocumentIsNotBelieved reads a document anew, and gets an object that looks like
// references but has no key of metadata.
func TestAnErrorAsADocumentIsNotBelieved(t *testing.T) {
	right := `{".zarray":"{}","k":"1"}`
	src := &counting{answers: []string{right, `{"error":"no"}`, right}}
	layer := object.NewLayer(1 << 20)
	s := refstore.New(store.Plain(src), "refs.json", layer, sources(layer), refstore.Options{})
	for i, fails := range []bool{false, true, false} {
		if b, err := get(t.Context(), s, "k"); (err != nil) != fails || !fails && string(b) != "1" {
			t.Errorf("%d: %q, %v", i, b, err)
		}
		if i == 0 {
			s.Refresh()
		}
	}
}

// A document that would take too much time or memory is an error with that reason, soon and within
// a small memory.
func TestHostileDocuments(t *testing.T) {
	many := func(n int, one string) string {
		var b strings.Builder
		b.WriteByte('{')
		for i := range n {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(strings.ReplaceAll(one, "#", strconv.Itoa(i)))
		}
		b.WriteByte('}')
		return b.String()
	}
	dims := func(n int) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(`"a` + strconv.Itoa(i) + `":{"stop":1000000},`)
		}
		return strings.TrimSuffix(b.String(), ",")
	}
	limit := func(err error) bool { var e *limits.Error; return errors.As(err, &e) }
	failed := func(err error) bool { return err != nil && !errors.Is(err, fs.ErrNotExist) }
	for name, c := range map[string]struct {
		document string
		ok       func(error) bool
	}{
		"10^7 entries":          {many(10_000_000, `"#":""`), limit},
		"10^12 of gen":          {`{"version":1,"gen":[{"key":"{{i}}","url":"x","dimensions":{"i":{"stop":1000000000000}}}]}`, limit},
		"10^7 of gen":           {`{"version":1,"gen":[{"key":"{{i}}","url":"x","dimensions":{"i":{"stop":10000000}}}]}`, limit},
		"2^63 of gen":           {`{"version":1,"gen":[{"key":"{{i}}","url":"x","dimensions":{` + dims(12) + `}}]}`, limit},
		"many gens":             {`{"version":1,"gen":[` + strings.TrimSuffix(strings.Repeat(`{"key":"{{i}}","url":"x","dimensions":{"i":{"stop":1000000}}},`, 1000), ",") + `]}`, limit},
		"one key 10^6 times":    {many(1_000_000, `"a":""`), func(err error) bool { return errors.Is(err, fs.ErrNotExist) }},
		"gen of one key":        {`{"version":1,"gen":[{"key":"a","url":"x","dimensions":{"i":{"stop":1000000}}}]}`, func(err error) bool { return errors.Is(err, fs.ErrNotExist) }},
		"deep parentheses":      {`{"version":1,"gen":[{"key":"{{` + strings.Repeat("(", 1_000_000) + `}}","url":"x"}]}`, failed},
		"deep signs":            {`{"version":1,"gen":[{"key":"{{` + strings.Repeat("-", 1_000_000) + `1}}","url":"x"}]}`, failed},
		"long texts":            {`{"version":1,"templates":{"u":"` + strings.Repeat("a", 10_000) + `"},"gen":[{"key":"` + strings.Repeat("{{u}}", 100_000) + `","url":"x"}]}`, limit},
		"long texts, joined":    {`{"version":1,"templates":{"u":"` + strings.Repeat("a", 10_000) + `"},"gen":[{"key":"{{u` + strings.Repeat("~u", 100_000) + `}}","url":"x"}]}`, limit},
		"wide formats":          {`{"version":1,"gen":[{"key":"{{ '%999999999d' % 1 }}","url":"x"}]}`, failed},
		"deep values":           {`{"a":` + strings.Repeat("[", 1_000_000), failed},
		"templates in a circle": {`{"version":1,"templates":{"a":"{{b()}}","b":"{{a()}}"},"gen":[{"key":"{{a()}}","url":"x"}]}`, failed},
		"a large document":      {strings.Repeat(" ", 161<<20), failed},
	} {
		t.Run(name, func(t *testing.T) {
			s := over(c.document, nil, refstore.Options{})
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			start := spent.Start()
			_, err := s.Locate(t.Context(), "zarr.json")
			took := start.Took()
			runtime.ReadMemStats(&after)
			if !c.ok(err) {
				t.Error(err)
			}
			if took > spent.Most {
				t.Errorf("it took %v", took)
			}
			if grown := after.Sys - before.Sys; grown > 256<<20 {
				t.Errorf("it took %d MiB", grown>>20)
			}
		})
	}
}

// 1 million references are read soon and within 256 MiB.
func TestAMillionReferences(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"version":1,"templates":{"u":"s3://bucket/some/where/file.nc"},"refs":{".zgroup":"{}"`)
	for i := range 1_000_000 {
		b.WriteString(`,"temperature/` + strconv.Itoa(i/1000) + "." + strconv.Itoa(i%1000) + `":["{{u}}",` + strconv.Itoa(i*12345) + `,12345]`)
	}
	b.WriteString("}}")
	text := b.String()
	s := over(text, nil, refstore.Options{})
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	start := spent.Start()
	at, err := s.Locate(t.Context(), "temperature/999.998")
	took := start.Took()
	runtime.GC()
	runtime.ReadMemStats(&after)
	if err != nil || at.Offset != 999998*12345 || at.Length != 12345 {
		t.Fatal(at, err)
	}
	t.Logf("%d MiB in %v, kept %d MiB", len(text)>>20, took, int64(after.HeapAlloc-before.HeapAlloc)>>20)
	if took > spent.Most || int64(after.HeapAlloc)-int64(before.HeapAlloc)+int64(len(text)) > 256<<20 {
		t.Errorf("%v, %d MiB", took, int64(after.HeapAlloc-before.HeapAlloc)>>20)
	}
	for i := range 100_000 {
		must.Get(s.Locate(t.Context(), "temperature/"+strconv.Itoa(i%1000)+"."+strconv.Itoa(i%997)))(t)
	}
}

func TestHammer(t *testing.T) {
	layer := object.NewLayer(1 << 20)
	objects := map[string][]byte{"refs.json": []byte(`{"version":1,"refs":{"a":"1","b":["x",1,1]},"gen":[{"key":"g{{i}}","url":"x","dimensions":{"i":{"stop":9}}}]}`), "x": []byte("012")}
	s := refstore.New(store.Plain(memstore.New(objects)), "refs.json", layer, sources(layer), refstore.Options{Language: refstore.Expressions()})
	var all sync.WaitGroup
	for i := range 64 {
		all.Add(1)
		go func() {
			defer all.Done()
			for k := range 50 {
				ctx, cancel := context.WithCancel(t.Context())
				if (i+k)%7 == 0 {
					cancel()
				}
				for key, want := range map[string]string{"a": "1", "b": "1", "g8": "012"} {
					if b, err := get(ctx, s, key); string(b) != want && ctx.Err() == nil {
						t.Errorf("%s: %q, %v", key, b, err)
					}
				}
				if (i+k)%11 == 0 {
					s.Refresh()
				}
				if names, err := s.List(ctx, ""); len(names) != 11 && ctx.Err() == nil {
					t.Error(names, err)
				}
				cancel()
			}
		}()
	}
	all.Wait()
}

func FuzzDocument(f *testing.F) {
	for _, s := range []string{`{}`, `{"k":"base64:AA=="}`, `{"k":["u",0,1]}`, `{"version":1,"templates":{"u":"{{c}}"},"refs":{"k":["{{u(c='x')}}"]},"gen":[{"key":"k{{i}}","url":"x","offset":"{{(i+1)*10}}","length":"5","dimensions":{"i":{"stop":5}}}]}`} {
		f.Add(s, "k")
	}
	f.Fuzz(func(t *testing.T, text, key string) {
		s := over(text, map[string][]byte{"x": []byte("0123456789")}, refstore.Options{Keys: 1000})
		names, err := s.List(t.Context(), "")
		if err != nil {
			return
		}
		for _, name := range append(names, key) {
			if strings.HasSuffix(name, "/") || store.CheckKey(name) != nil {
				continue
			}
			if _, err := s.Locate(t.Context(), name); err != nil && errors.Is(err, fs.ErrNotExist) && name != key {
				t.Errorf("%q is listed, and absent", name)
			}
		}
	})
}

func FuzzGen(f *testing.F) {
	for _, s := range []string{"{{i}}", "{{(i + 1) * 1000}}", "{{u}}_{{ '%03d' % i }}", "{{f(c='text')}}", "{{ i // 2 ~ '.' ~ i % 2 }}", "{{-(-i)}}"} {
		f.Add(s, s, "x")
	}
	f.Fuzz(func(t *testing.T, key, offset, template string) {
		text, err := json.Marshal(map[string]any{"version": 1, "templates": map[string]string{"u": template, "f": "{{c}}"}, "gen": []any{
			map[string]any{"key": key, "url": "x", "offset": offset, "length": "1", "dimensions": map[string]any{"i": map[string]int{"start": -2, "stop": 3}}},
		}})
		if err != nil {
			return
		}
		s := over(string(text), map[string][]byte{"d/x": []byte("0123456789")}, refstore.Options{Keys: 1000})
		names, _ := s.List(t.Context(), "")
		for _, name := range names {
			_, _ = get(t.Context(), s, strings.TrimSuffix(name, "/"))
		}
	})
}

// An undefined name is an error of the document in both builds, at once and without a request. The
// test compares random documents with a model.
func TestUndefinedTemplatesAreErrors(t *testing.T) {
	random := rand.New(rand.NewPCG(26, 10))
	names := []string{"u", "v", "the_data", "x9"}
	read, rejected := 0, 0
	for range 2000 {
		version, templates := random.IntN(2), map[string]string{}
		for _, name := range names {
			if random.IntN(2) == 0 {
				templates[name] = strings.ToUpper(name)
			}
		}
		url, want, defined := "", "", true
		for range 1 + random.IntN(4) {
			name := names[random.IntN(len(names))]
			switch random.IntN(4) {
			case 0, 1:
				url, want = url+name, want+name
			case 2:
				url += "{{" + name + "}}"
			default:
				url += "{{ " + name + "\t}}"
			}
			if strings.HasSuffix(url, "}}") {
				value, ok := templates[name]
				defined = defined && ok && version == 1
				want += value
			}
		}
		reference := []any{url}
		if random.IntN(2) == 0 {
			reference = append(reference, 0, 1)
		}
		document := map[string]any{"k": reference, ".zgroup": "{}"}
		if version == 1 {
			document = map[string]any{"version": 1, "refs": document}
			if len(templates) > 0 || random.IntN(2) == 0 {
				document["templates"] = templates
			}
		}
		text := must.Get(json.Marshal(document))(t)
		for _, language := range []*refstore.Language{nil, refstore.Expressions()} {
			layer := object.NewLayer(1 << 20)
			files := map[string][]byte{"refs.json": text, want: []byte("!")}
			s := refstore.New(store.Plain(memstore.New(files)), "refs.json", layer, sources(layer), refstore.Options{Language: language})
			b, err := get(t.Context(), s, "k")
			var e *refstore.Error
			var missing *target.Error
			switch {
			case defined && (err != nil || string(b) != "!"):
				t.Errorf("%s: %q, %v", text, b, err)
			case !defined && (!errors.As(err, &e) || e.Rare || errors.As(err, &missing) || !strings.Contains(err.Error(), "there is no template")):
				t.Errorf("%s: %q, %v", text, b, err)
			}
		}
		if defined {
			read++
		} else {
			rejected++
		}
	}
	t.Logf("%d were read, %d rejected", read, rejected)
	if read < 200 || rejected < 200 {
		t.Error("the documents are too few of a kind")
	}
}

// Texts in a document may be addresses with signatures.
func TestErrorsOfDocumentsHoldNoSecrets(t *testing.T) {
	const secret = "SECRET"
	for _, url := range []string{"https://u:SECRET@h/x", "https://h/{{u}}/x?SECRET", "https://h/x?SECRET{{", "{{'https://h?SECRET'", "{{'https://h?SECRET' % 1}}", "https://[::1/?SECRET", "s3://a:SECRET@b/c", "az://c/x?SECRET", "file:///x?SECRET", "../../../x?SECRET", "https://h?SECRET{% if %}{{", "ftp://u:SECRET@h/"} {
		quoted := must.Get(json.Marshal(url))(t)
		for _, reference := range []string{`[%s]`, `[%s,0]`, `[%s,-1,2]`, `[[%s]]`, `[%s,0,1,2]`, `[%s,"a",1]`} {
			for _, document := range []string{`{"k":%s}`, `{"version":1,"refs":{"k":%s}}`, `{"version":1,"templates":{"v":%[2]s},"refs":{"k":%[1]s}}`, `{"version":1,"gen":[{"key":"k","url":%[2]s,"offset":%[2]s,"length":%[2]s}]}`} {
				text := strings.ReplaceAll(strings.ReplaceAll(document, "%[1]s", "%s"), "%[2]s", string(quoted))
				text = strings.ReplaceAll(text, "%s", strings.ReplaceAll(reference, "%s", string(quoted)))
				if _, err := get(t.Context(), over(text, nil, refstore.Options{}), "k"); err == nil || strings.Contains(err.Error(), secret) {
					t.Errorf("%s: %v", text, err)
				}
			}
		}
	}
}
