//go:build !js

package target_test

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zarr-wasm/zarr-wasm/internal/object"
	"github.com/zarr-wasm/zarr-wasm/internal/target"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/httpstore"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/store/prefix"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
)

// server echoes the path unless it contains "none", and records the requests.
type server struct {
	*httptest.Server
	mu       sync.Mutex
	requests []*http.Request
}

func newServer(t *testing.T) *server {
	s := &server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.requests = append(s.requests, r)
		s.mu.Unlock()
		if strings.Contains(r.URL.Path, "none") {
			http.NotFound(w, r)
			return
		}
		http.ServeContent(w, r, "x.bin", time.Time{}, strings.NewReader(r.RequestURI))
	}))
	t.Cleanup(s.Close)
	return s
}

// uris returns the paths and queries requested since the last call, and their X-Key headers.
func (s *server) uris() (uris, keys []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.requests {
		uris, keys = append(uris, r.RequestURI), append(keys, r.Header.Get("X-Key"))
	}
	s.requests = nil
	return uris, keys
}

func newSources(layer *object.Layer) *target.Sources {
	return target.NewSources(func(origin string) (store.Source, error) {
		return httpstore.New(origin, httpstore.Options{Retries: -1})
	}, layer.Drop)
}

// set resolves the targets of a document in a store at a URL.
func set(t *testing.T, sources *target.Sources, url, key string, opt target.Options, http httpstore.Options) *target.Set {
	t.Helper()
	http.Retries = -1
	s := must.Get(httpstore.New(url, http))(t)
	return must.Get(target.New(sources, store.Plain(s), key, store.At(s, key), opt))(t)
}

func read(ctx context.Context, layer *object.Layer, all *target.Set, target string) (string, error) {
	at, err := all.Locate(ctx, target)
	if err != nil {
		return "", err
	}
	e, err := at.Read(ctx, "key", store.Ask{}, layer.Extent)
	return string(e.Bytes), err
}

func TestTargetsAreFoundByURL(t *testing.T) {
	own, other := newServer(t), newServer(t)
	layer := object.NewLayer(1 << 20)
	all := set(t, newSources(layer), own.URL+"/a/store?sig=1%2F2", "sub/refs.json", target.Options{
		Endpoints: map[string]string{"s3://mine/": other.URL + "/mine/", "s3://mine/deep/": other.URL + "/x/", "file:///data/": own.URL + "/files/", "gs://": other.URL + "/"},
	}, httpstore.Options{Headers: map[string]string{"X-Key": "secret"}})
	for _, c := range []struct {
		target, want string
		other        bool
	}{
		{"x.nc", "/a/store/sub/x.nc?sig=1%2F2", false},
		{"./x.nc", "/a/store/sub/x.nc?sig=1%2F2", false},
		{"../../x y%20z+ä.nc", "/a/x%20y%20z+%C3%A4.nc?sig=1%2F2", false},
		{"/x.nc?own=1", "/x.nc?own=1", false},
		{own.URL + "/a/store/y.nc", "/a/store/y.nc?sig=1%2F2", false},
		{own.URL + "/a/storey.nc", "/a/storey.nc", false},
		{own.URL + "/a/store/y.nc?b=c/d#frag", "/a/store/y.nc?b=c/d", false},
		{strings.ToUpper(own.URL[:4]) + own.URL[4:] + "/b/%7e/./c/../d%2Fe", "/b/~/d%2Fe", false},
		{other.URL + "/o/x%2by.nc?X-Amz-Signature=ab%2Bc", "/o/x%2By.nc?X-Amz-Signature=ab%2Bc", true},
		{other.URL[len("http:"):] + "/o", "/o", true},
		{"s3://mine/a b%20c+d#e?versionId=7", "/mine/a%20b%2520c%2Bd%23e?versionId=7", true},
		{"s3://mine/deep/a", "/x/a", true},
		{"gs://bucket/a", "/bucket/a", true},
		{other.URL + "?id=1", "/?id=1", true},
		{other.URL + "/", "/", true},
		{other.URL + "/a//b", "/a//b", true},
		{other.URL + "/a/../b//?id=2", "/b//?id=2", true},
		{"file:///data/a", "/files/a", false},
	} {
		own.uris()
		other.uris()
		at := own
		if c.other {
			at = other
		}
		got, err := read(t.Context(), layer, all, c.target)
		if err != nil || got != c.want {
			t.Errorf("%s: %q, %v; want %q", c.target, got, err, c.want)
		}
		if _, keys := at.uris(); len(keys) > 0 && c.other != (slices.Max(append(keys, "")) == "") {
			t.Errorf("%s: headers %q", c.target, keys)
		}
	}
}

func TestTargetsOfManyDocumentsAreOneSource(t *testing.T) {
	own, other := newServer(t), newServer(t)
	layer := object.NewLayer(1 << 20)
	sources := newSources(layer)
	keyed := httpstore.Options{Headers: map[string]string{"X-Key": "secret"}}
	locate := func(url, target string, opt targetOptions, http httpstore.Options) store.Location {
		return must.Get(set(t, sources, url, "refs.json", opt, http).Locate(t.Context(), target))(t)
	}
	none := targetOptions{}
	one := locate(own.URL+"/a", "../x.nc", none, httpstore.Options{})
	for name, c := range map[string]struct {
		at   store.Location
		same bool
	}{
		"of another document":        {locate(own.URL+"/b", own.URL+"/x.nc", none, httpstore.Options{}), true},
		"of another origin":          {locate(other.URL+"/b", own.URL+"/%78.nc#a", none, keyed), true},
		"of other headers":           {locate(own.URL+"/b", "/x.nc", none, keyed), false},
		"with a query":               {locate(own.URL+"/b", "/x.nc?a", none, httpstore.Options{}), false},
		"that is the document's own": {locate(own.URL+"/a?q", "/x.nc", none, httpstore.Options{}), false},
	} {
		if same := c.at.Source == one.Source && c.at.Name == one.Name; same != c.same {
			t.Errorf("a target %s: the same %v, want %v", name, same, c.same)
		}
	}
	if a, b := locate(own.URL+"/a", "/x", none, keyed), locate(own.URL+"/b", "/x", none, keyed); a.Source != b.Source {
		t.Error("stores of the same headers have two sources")
	}
	if at := locate(own.URL+"/a", other.URL+"/x", none, keyed); at.Source == nil {
		t.Error("no source")
	} else if _, err := at.Read(t.Context(), "", store.Ask{}, layer.Extent); err != nil {
		t.Error(err)
	}
	if _, keys := other.uris(); !slices.Equal(keys, []string{""}) {
		t.Errorf("another origin was sent %q", keys)
	}
}

type targetOptions = target.Options

func TestWhatIsNoTarget(t *testing.T) {
	own := newServer(t)
	layer := object.NewLayer(1 << 20)
	all := set(t, newSources(layer), own.URL+"/a", "refs.json", target.Options{}, httpstore.Options{})
	inMemory := store.Plain(memstore.New(map[string][]byte{"d/refs.json": {}, "d/x": []byte("d/x"), "y": []byte("y")}))
	below := must.Get(target.New(newSources(layer), inMemory, "d/refs.json", store.At(mustSource(inMemory), "d/refs.json"), target.Options{}))(t)
	for _, c := range []struct {
		set          *target.Set
		target, says string
	}{
		{all, "", "no default target is set"},
		{all, "file:///etc/passwd", `"file"`},
		{all, "FILE:/etc/passwd", `"file"`},
		{all, "data:text/plain,abc", `"data"`},
		{all, "javascript:alert(1)", `"javascript"`},
		{all, "blob:" + own.URL + "/1", `"blob"`},
		{all, `C:\data`, `"c"`},
		{all, "hdfs://a/b", `"hdfs"`},
		{all, "az://container/key", "account"},
		{all, "http:///x", "host"},
		{all, "http:x", "absolute http"},
		{all, "http://user:pw@host/x", "user name"},
		{all, `https://h\@evil/x`, "user name"},
		{all, "../../../x", "leaves its origin"},
		{all, "%2e%2e/%2e%2e/x", "leaves its origin"},
		{all, own.URL + "/none", "does not exist"},
		{all, "none", "does not exist"},
		{below, "../../y", "not a key"},
		{below, "z", "does not exist"},
		{below, "a//b", "not a key"},
		{below, "//host/x", "not a key"},
	} {
		_, err := read(t.Context(), layer, c.set, c.target)
		var e *target.Error
		if !errors.As(err, &e) || !strings.Contains(err.Error(), c.says) || errors.Is(err, fs.ErrNotExist) || strings.Contains(err.Error(), "pw") && c.says == "user name" {
			t.Errorf("%q: %v", c.target, err)
		}
	}
	for target, want := range map[string]string{"x": "d/x", "../y": "y", "/y": "y", "./.././d/x": "d/x"} {
		if got, err := read(t.Context(), layer, below, target); err != nil || got != want {
			t.Errorf("%q in memory: %q, %v", target, got, err)
		}
	}
}

func mustSource(l store.Locator) store.Source {
	return store.CapabilitiesOf(l).Source
}

func TestForeignOrigins(t *testing.T) {
	own, other := newServer(t), newServer(t)
	layer := object.NewLayer(1 << 20)
	asked, answer, failure := 0, true, error(nil)
	confirm := func(_ context.Context, origin string) (bool, error) {
		if asked++; origin != other.URL {
			t.Errorf("asked for %q", origin)
		}
		return answer, failure
	}
	for _, c := range []struct {
		name   string
		opt    target.Options
		yes    bool
		asked  int
		answer bool
	}{
		{"all", target.Options{}, true, 0, false},
		{"none", target.Options{Origins: []string{}}, false, 0, true},
		{"listed", target.Options{Origins: []string{"http://a.example", strings.ToUpper(other.URL) + "/"}}, true, 0, false},
		{"another is listed", target.Options{Origins: []string{"http://a.example"}}, false, 0, true},
		{"confirmed", target.Options{Confirm: confirm}, true, 1, true},
		{"not confirmed", target.Options{Confirm: confirm}, false, 1, false},
		{"not listed, confirmed", target.Options{Origins: []string{"http://a.example"}, Confirm: confirm}, true, 1, true},
		{"of the default target", target.Options{Origins: []string{}, Target: other.URL + "/t.nc"}, true, 0, false},
	} {
		asked, answer = 0, c.answer
		all := set(t, newSources(layer), own.URL+"/a", "refs.json", c.opt, httpstore.Options{})
		for range 2 {
			_, err := read(t.Context(), layer, all, other.URL+"/x")
			var e *target.Error
			if (err == nil) != c.yes || err != nil && (!errors.As(err, &e) || !strings.Contains(err.Error(), other.URL)) {
				t.Errorf("%s: %v", c.name, err)
			}
			if _, err := read(t.Context(), layer, all, own.URL+"/x"); err != nil {
				t.Errorf("%s, its own: %v", c.name, err)
			}
		}
		if asked != c.asked {
			t.Errorf("%s: asked %d times", c.name, asked)
		}
	}
	all := set(t, newSources(layer), own.URL+"/a", "refs.json", target.Options{Confirm: confirm}, httpstore.Options{})
	failure = errors.New("closed")
	if _, err := read(t.Context(), layer, all, other.URL+"/x"); !errors.Is(err, failure) {
		t.Error(err)
	}
	if failure, answer = nil, true; true {
		if _, err := read(t.Context(), layer, all, other.URL+"/x"); err != nil {
			t.Error("a failure was kept", err)
		}
	}
}

func TestDefaultTarget(t *testing.T) {
	own, other := newServer(t), newServer(t)
	layer := object.NewLayer(1 << 20)
	all := set(t, newSources(layer), own.URL+"/a", "refs.json", target.Options{Target: other.URL + "/d/t.nc?q"}, httpstore.Options{})
	for target, want := range map[string]string{"": "/d/t.nc?q", "u.nc": "/d/u.nc?q", "/v": "/v?q", own.URL + "/w": "/w"} {
		if got, err := read(t.Context(), layer, all, target); err != nil || got != want {
			t.Errorf("%q: %q, %v; want %q", target, got, err, want)
		}
	}
}

func TestBuiltInEndpoints(t *testing.T) {
	layer := object.NewLayer(1 << 20)
	all := set(t, newSources(layer), "https://host/a", "refs.json", target.Options{}, httpstore.Options{})
	for target, want := range map[string]string{
		"s3://noaa-goes16/a/b c.nc":                        "https://noaa-goes16.s3.amazonaws.com/a/b%20c.nc",
		"S3://with.dots/a/b.nc":                            "https://s3.amazonaws.com/with.dots/a/b.nc",
		"gs://bucket/a%2Fb":                                "https://storage.googleapis.com/bucket/a%252Fb",
		"gcs://bucket/a":                                   "https://storage.googleapis.com/bucket/a",
		"abfs://c@acc.dfs.core.windows.net/a":              "https://acc.blob.core.windows.net/c/a",
		"az://c@acc/a":                                     "https://acc.blob.core.windows.net/c/a",
		"https://HOST:443/x(1).nc":                         "https://host/x(1).nc",
		"https://acc.blob.core.windows.net/c/a?sv=1&sig=2": "https://acc.blob.core.windows.net/c/a",
	} {
		at, err := all.Locate(t.Context(), target)
		if err != nil {
			t.Errorf("%s: %v", target, err)
		} else if got := at.Source.(store.Remote).Address(at.Name); got != want {
			t.Errorf("%s: %s, want %s", target, got, want)
		}
	}
}

func TestSourcesAreBounded(t *testing.T) {
	dropped := 0
	sources := target.NewSources(func(origin string) (store.Source, error) { return httpstore.New(origin, httpstore.Options{}) }, func(store.Source) { dropped++ })
	all := set(t, sources, "https://host/a", "refs.json", target.Options{}, httpstore.Options{})
	for i := range 10_000 {
		must.Get(all.Locate(t.Context(), "https://h/x?sig="+strings.Repeat("a", i%100)+strings.Repeat("b", i/100)))(t)
	}
	if dropped < 5000 {
		t.Errorf("%d sources were dropped", dropped)
	}
}

func FuzzLocate(f *testing.F) {
	for _, s := range []string{"", "a", "../a", "//h/a", "s3://b/c%2", "https://h:443/%2e%2E/a?b#c", "az://c@a/b", "x:", "?", "#", "http:/", "http://"} {
		f.Add(s, s)
	}
	sources := target.NewSources(func(origin string) (store.Source, error) { return httpstore.New(origin, httpstore.Options{}) }, func(store.Source) {})
	f.Fuzz(func(t *testing.T, text, base string) {
		s := must.Get(httpstore.New("https://host/a?q", httpstore.Options{}))(t)
		all, err := target.New(sources, store.Plain(s), "b/refs.json", store.At(s, "b/refs.json"), target.Options{Target: base, Endpoints: map[string]string{base: "https://e/"}})
		if err != nil {
			return
		}
		at, err := all.Locate(t.Context(), text)
		if err != nil {
			var e *target.Error
			if !errors.As(err, &e) {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		address := at.Source.(store.Remote).Address(at.Name)
		if store.CheckKey(at.Name) != nil || strings.Contains(address, "/../") || !strings.HasPrefix(address, "http") {
			t.Errorf("%q: %q, %q", text, at.Name, address)
		}
	})
}

func TestTranslate(t *testing.T) {
	for in, want := range map[string]string{
		"https://host/a%20b?x=1":                       "https://host/a%20b?x=1",
		"s3://bucket":                                  "https://bucket.s3.amazonaws.com",
		"s3://bucket/a%20b/c d.zarr?sig=a%2Fb":         "https://bucket.s3.amazonaws.com/a%20b/c%20d.zarr?sig=a%2Fb",
		"S3://my.bucket/x":                             "https://s3.amazonaws.com/my.bucket/x",
		"gs://bucket/x":                                "https://storage.googleapis.com/bucket/x",
		"az://container@account/x?sv=1":                "https://account.blob.core.windows.net/container/x?sv=1",
		"abfs://c@account.dfs.core.windows.net/x":      "https://account.blob.core.windows.net/c/x",
		"hf://datasets/owner/name/a/b.zarr":            "https://huggingface.co/datasets/owner/name/resolve/main/a/b.zarr",
		"hf://datasets/owner/name@v1/b.zarr":           "https://huggingface.co/datasets/owner/name/resolve/v1/b.zarr",
		"hf://spaces/owner/name/b.zarr":                "https://huggingface.co/spaces/owner/name/resolve/main/b.zarr",
		"hf://owner/name/b.zarr":                       "https://huggingface.co/owner/name/resolve/main/b.zarr",
		"s3+https://minio.example.org/bucket/a%20b":    "https://minio.example.org/bucket/a%20b",
		"s3+http://127.0.0.1:9000/bucket/x?token=a%2F": "http://127.0.0.1:9000/bucket/x?token=a%2F",
		"gs://mine/x":                                  "https://other.example/y/x",
	} {
		got, why := target.Translate(in, map[string]string{"gs://m": "x", "gs://mine/": "https://other.example/y/"}, true)
		if got != want || why != "" {
			t.Errorf("%s: %s, %s; want %s", in, got, why, want)
		}
	}
	if got, why := target.Translate("az://container/x", nil, true); got != "" || why == "" {
		t.Errorf("%q, %q", got, why)
	}
	for _, in := range []string{"", "hf:", "hf://", "hf://datasets", "hf://datasets/a", "s3:", "az://", "gs:x"} {
		target.Translate(in, nil, true)
	}
}

func TestTargetsOfAPartOfAStoreAreInTheWholeStore(t *testing.T) {
	objects := map[string][]byte{"a.nc": []byte("a"), "x/b.nc": []byte("b"), "x/refs/v/c.nc": []byte("c")}
	mem := memstore.New(objects)
	var of store.Locator = store.Plain(mem)
	for _, path := range []string{"x", "refs"} {
		var err error
		if of, err = prefix.New(of, path); err != nil {
			t.Fatal(err)
		}
	}
	layer := object.NewLayer(1 << 20)
	key := "v/refs.0.parq"
	all := must.Get(target.New(newSources(layer), of, key, store.At(mem, "x/refs/"+key), target.Options{}))(t)
	for name, want := range map[string]string{"../../../a.nc": "a", "../../b.nc": "b", "c.nc": "c", "/a.nc": "a"} {
		if got, err := read(t.Context(), layer, all, name); err != nil || got != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	var broken *target.Error
	if _, err := all.Locate(t.Context(), "../../../../a.nc"); !errors.As(err, &broken) {
		t.Errorf("a target above the whole store: %v", err)
	}
}
