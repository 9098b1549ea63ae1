//go:build !js

package zarr_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"github.com/zarr-wasm/zarr-wasm/internal/static"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/httpstore"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/store/overlay"
	"github.com/zarr-wasm/zarr-wasm/store/prefix"
	"github.com/zarr-wasm/zarr-wasm/tests/buckets"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
)

// mixed has nodes of both versions, and objects that are not nodes.
var mixed = map[string][]byte{
	"zarr.json":               []byte(`{"zarr_format":3,"node_type":"group"}`),
	"b/zarr.json":             []byte(`{"zarr_format":3,"node_type":"group"}`),
	"b/deep/zarr.json":        []byte(`{"zarr_format":3,"node_type":"group"}`),
	"a/.zgroup":               []byte(`{"zarr_format":2}`),
	"a b/.zarray":             []byte(`{"zarr_format":2,"shape":[2],"chunks":[2],"dtype":"|u1","compressor":null,"fill_value":0,"order":"C","filters":null}`),
	"a b/0":                   {1, 2},
	"pictures/one.png":        {1},
	"broken/.zarray":          []byte(`{"zarr_format":2,`),
	"unknown codec/zarr.json": []byte(`{"zarr_format":3,"node_type":"array","shape":[1],"data_type":"uint8","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[1]}},"chunk_key_encoding":{"name":"default"},"fill_value":0,"codecs":[{"name":"bytes"},{"name":"nonsense"}]}`),
}

func bucketOf(prefix string, objects map[string][]byte) *buckets.Server {
	s := &buckets.Server{Bucket: "b", PageSize: 2, Objects: map[string][]byte{}}
	for key, data := range objects {
		s.Objects[prefix+key] = data
	}
	return s
}

func httpAt(t *testing.T, h http.Handler, path string) *httpstore.Store {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return must.Get(httpstore.New(server.URL+path, httpstore.Options{Retries: -1}))(t)
}

func folderOf(objects map[string][]byte, opt static.Options) http.Handler {
	m := fstest.MapFS{}
	for key, data := range objects {
		m[key] = &fstest.MapFile{Data: data, Mode: 0o644}
	}
	return static.New(m, opt)
}

// membersOf opens a group and returns its members as texts.
func membersOf(t *testing.T, h *zarr.Hierarchy, path string) (string, error) {
	t.Helper()
	g := must.Get(h.OpenGroup(t.Context(), path))(t)
	members, err := g.Members(t.Context())
	if err != nil {
		return "", err
	}
	var all []string
	for _, m := range members {
		text := m.Name + ":" + m.Kind + ":" + m.How
		if m.Err != nil {
			text += "!"
		}
		if (m.Node == nil) != (m.Err != nil || m.Kind == "implicit") {
			text += "?"
		}
		all = append(all, text)
	}
	return strings.Join(all, " "), nil
}

// TestMembersListed lists a group of nodes of both versions in each store that can list, twice.
func TestMembersListed(t *testing.T) {
	const want = "a b:array:listed a:group:listed b:group:listed broken:array:listed! unknown codec:array:listed!"
	for name, s := range map[string]store.Locator{
		"bucket":  store.Plain(httpAt(t, bucketOf("some dir/x.zarr/", mixed), "/b/some%20dir/x.zarr")),
		"folders": store.Plain(httpAt(t, folderOf(mixed, static.Options{List: true}), "")),
		"overlay": overlay.New(store.Plain(httpAt(t, bucketOf("x/", mixed), "/b/x")), store.Plain(memstore.New(map[string][]byte{"a/.zattrs": []byte("{}")}))),
		"prefix": func() store.Locator {
			return must.Get(prefix.New(store.Plain(httpAt(t, bucketOf("x/y/", mixed), "/b/x")), "y"))(t)
		}(),
	} {
		h := zarr.Over(s, codecs.Default(), zarr.Options{})
		for range 2 {
			if got, err := membersOf(t, h, ""); err != nil || got != want {
				t.Errorf("%s: %s, %v; want %s", name, got, err, want)
			}
			if got, err := membersOf(t, h, "b"); err != nil || got != "deep:group:listed" {
				t.Errorf("%s, b: %s, %v", name, got, err)
			}
			// If the list shows the group itself, a group without members is empty.
			if got, err := membersOf(t, h, "b/deep"); err != nil || got != "" {
				t.Errorf("%s, b/deep: %s, %v", name, got, err)
			}
		}
	}
}

// TestEachMember lists levels of consolidated metadata: each member is followed by its own.
func TestEachMember(t *testing.T) {
	const group = `{"zarr_format":3,"node_type":"group"}`
	root := `{"zarr_format":3,"node_type":"group","consolidated_metadata":{"kind":"inline","must_understand":false,"metadata":{"a/b/c":` + group +
		`,"d":` + group + `,"a/../x":` + group + `,"a/b":` + group + `,"a/e/f/g":` + group + `}}}`
	h := zarr.Over(store.Plain(memstore.New(map[string][]byte{"zarr.json": []byte(root)})), codecs.Default(), zarr.Options{})
	g := must.Get(h.OpenGroup(t.Context(), ""))(t)
	for levels, want := range []string{
		1: "0 a implicit 0 d group 0 a/../x group!",
		2: "0 a implicit 1 b group 1 e implicit 0 d group 0 a/../x group!",
		4: "0 a implicit 1 b group 2 c group 1 e implicit 2 f implicit 3 g group 0 d group 0 a/../x group!",
	} {
		if want == "" {
			continue
		}
		var all []string
		err := g.EachMember(t.Context(), levels, func(depth int, m zarr.Member) {
			text := strconv.Itoa(depth) + " " + m.Name + " " + m.Kind
			if m.Err != nil {
				text += "!"
			}
			all = append(all, text)
		})
		if got := strings.Join(all, " "); err != nil || got != want {
			t.Errorf("%d levels: %s, %v; want %s", levels, got, err, want)
		}
	}
}

// TestEachMemberWrong has an invalid member in each of very many groups. A few are requested in
// all, and not a few of each group.
func TestEachMemberWrong(t *testing.T) {
	const groups = 300
	var metadata []string
	for i := range groups {
		metadata = append(metadata, `"g`+strconv.Itoa(i)+`/x":{}`)
	}
	c := &counted{Source: memstore.New(map[string][]byte{"zarr.json": []byte(`{"zarr_format":3,"node_type":"group",
		"consolidated_metadata":{"kind":"inline","must_understand":false,"metadata":{` + strings.Join(metadata, ",") + `}}}`)})}
	g, err := zarr.Over(store.Plain(c), codecs.Default(), zarr.Options{}).OpenGroup(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	wrong := 0
	err = g.EachMember(t.Context(), 2, func(_ int, m zarr.Member) {
		if m.Err != nil {
			wrong++
		}
	})
	c.mu.Lock()
	defer c.mu.Unlock()
	if asked := len(c.asked); err != nil || wrong != groups || asked < 20 || asked > 200 {
		t.Errorf("%d wrong members, %d requests, %v", wrong, asked, err)
	}
}

// TestMembersUnknown uses servers that do not list, with groups whose attributes name no members.
// Such a group does not count as empty.
func TestMembersUnknown(t *testing.T) {
	refusing := bucketOf("x/", mixed)
	refusing.Refuse = 403
	page := `<html><a href="about/">About</a></html>`
	withPage := map[string][]byte{"index.html": []byte(page), "zarr.json": mixed["zarr.json"], "about/index.html": []byte(page)}
	for name, s := range map[string]*httpstore.Store{
		"no list":      httpAt(t, folderOf(mixed, static.Options{}), ""),
		"refused":      httpAt(t, refusing, "/b/x"),
		"another page": httpAt(t, folderOf(withPage, static.Options{}), ""),
	} {
		h := hierarchy(s, zarr.Options{})
		for range 2 {
			got, err := membersOf(t, h, "")
			var unsupported *zarr.UnsupportedError
			if !errors.As(err, &unsupported) || got != "" {
				t.Errorf("%s: %q, %v; want an *UnsupportedError", name, got, err)
			}
		}
		if _, err := h.OpenGroup(t.Context(), ""); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestMembersFail uses a server that fails during a listing, and recovers afterwards.
func TestMembersFail(t *testing.T) {
	bucket := bucketOf("x/", mixed)
	var down atomic.Bool
	h := hierarchy(httpAt(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if down.Load() {
			w.WriteHeader(503)
			return
		}
		bucket.ServeHTTP(w, r)
	}), "/b/x"), zarr.Options{})
	g := must.Get(h.OpenGroup(t.Context(), "b"))(t)
	down.Store(true)
	var failed *httpstore.Error
	if members, err := g.Members(t.Context()); !errors.As(err, &failed) || failed.Status != 503 || members != nil {
		t.Errorf("%v, %v", members, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := g.Members(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	down.Store(false)
	if members, err := g.Members(t.Context()); err != nil || len(members) != 1 {
		t.Errorf("%v, %v", members, err)
	}
}

// TestMembersNamed uses groups whose attributes name members, on a server that does not list: the
// existing ones are members.
func TestMembersNamed(t *testing.T) {
	group := func(attributes string) []byte {
		return []byte(`{"zarr_format":3,"node_type":"group","attributes":` + attributes + `}`)
	}
	plain := group("{}")
	objects := map[string][]byte{
		"zarr.json":                group(`{"ome":{"bioformats2raw.layout":3}}`),
		"OME/zarr.json":            group(`{"ome":{"series":["0","2","../up","missing"]}}`),
		"0/zarr.json":              group(`{"ome":{"multiscales":[{"datasets":[{"path":"s0"},{"path":"gone"},{"path":"s0"},{"path":".."},{},7]}]}}`),
		"0/s0/zarr.json":           plain,
		"0/labels/zarr.json":       group(`{"ome":{"labels":["cells"]}}`),
		"0/labels/cells/zarr.json": plain,
		"2/zarr.json":              group(`{"ome":{"well":{"images":[{"path":"0"}]}}}`),
		"2/0/zarr.json":            plain,
		"old/.zgroup":              []byte(`{"zarr_format":2}`),
		"old/.zattrs":              []byte(`{"bioformats2raw.layout":3}`),
		"plate/zarr.json":          group(`{"ome":{"plate":{"wells":[{"path":"A/1"},{"path":"A/2"},{"path":"B/1"}]}}}`),
		"plate/A/zarr.json":        plain,
		"plate/B/zarr.json":        plain,
		"frame/zarr.json":          group(`{"encoding-type":"dataframe","column-order":["n","gone"],"_index":"_index"}`),
		"frame/n/zarr.json":        plain,
		"frame/_index/zarr.json":   plain,
		"ann/zarr.json":            group(`{"encoding-type":"anndata"}`),
		"ann/obs/zarr.json":        plain,
		"ann/X/zarr.json":          plain,
		"strange/zarr.json":        group(`{"ome":[],"multiscales":{"datasets":1},"plate":7,"coordinates":["a"],"labels":"x"}`),
	}
	for i := range 10 {
		objects["old/"+string(rune('0'+i))+"/.zgroup"] = []byte(`{"zarr_format":2}`)
	}
	h := hierarchy(httpAt(t, folderOf(objects, static.Options{}), ""), zarr.Options{})
	for path, want := range map[string]string{
		"":         "OME:group:probed 0:group:named 2:group:named",
		"0":        "s0:group:named labels:group:probed",
		"0/labels": "cells:group:named",
		"2":        "0:group:named",
		"old":      "0 1 2 3 4 5 6 7 8 9",
		"plate":    "A:group:named B:group:named",
		"frame":    "n:group:named _index:group:named",
		"ann":      "X:group:probed obs:group:probed",
		"strange":  "",
	} {
		if path == "old" {
			want = strings.ReplaceAll(want+" ", " ", ":group:probed ")
			want = want[:len(want)-1]
		}
		got, err := membersOf(t, h, path)
		if unsupported := (*zarr.UnsupportedError)(nil); want == "" && errors.As(err, &unsupported) {
			err = nil
		}
		if err != nil || got != want {
			t.Errorf("%s: %s, %v; want %s", path, got, err, want)
		}
	}
}

// TestOpenAsksForNoList counts requests: only a call for members lists.
func TestOpenAsksForNoList(t *testing.T) {
	bucket := bucketOf("x/", mixed)
	h := hierarchy(httpAt(t, bucket, "/b/x"), zarr.Options{})
	a := must.Get(h.OpenArray(t.Context(), "a b"))(t)
	if n, err := a.StoredChunks(t.Context()); err != nil || n != 1 {
		t.Errorf("%d stored chunks, %v", n, err)
	}
	if i := slices.IndexFunc(bucket.Asked(), func(r string) bool { return strings.Contains(r, "list-type") || strings.HasSuffix(r, "/") }); i >= 0 {
		t.Errorf("asked: %q", bucket.Asked())
	}
}
