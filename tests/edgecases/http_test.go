package edgecases

import (
	"errors"
	"io/fs"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/zarr-wasm/zarr-wasm/internal/static"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/httpstore"
	"github.com/zarr-wasm/zarr-wasm/tests/chaos/faulty"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

// server is a server of files with faults.
type server struct {
	url    string
	faults *faulty.Faults
}

func serve(t *testing.T, f files) server {
	t.Helper()
	fsys := fstest.MapFS{}
	for key, data := range f {
		fsys[key] = &fstest.MapFile{Data: []byte(data)}
	}
	s := server{faults: &faulty.Faults{}}
	srv := httptest.NewServer(faulty.New(fsys, static.Options{}, s.faults))
	t.Cleanup(srv.Close)
	s.url = srv.URL
	return s
}

// store opens a store below a path of the server, with short timeouts.
func (s server) store(t *testing.T, path string, opt httpstore.Options) *httpstore.Store {
	t.Helper()
	opt.RetryDelay = time.Millisecond
	st, err := httpstore.New(s.url+path, opt)
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// readError returns the error of reading the array at the root of a store.
func readError(t *testing.T, st store.Source, sel ...grid.Item) error {
	t.Helper()
	_, err := open(t, st, "").Read(t.Context(), sel, zarr.ReadOptions{})
	return err
}

// flat returns a v2 array of two chunks.
func flat() files {
	return files{".zarray": v2([]int{4}, []int{2}, nil).String(), "0": i32(1, 2), "1": i32(3, 4)}
}

var httpCases = []edgeCase{
	{29, "ranges on servers that send all, or no Content-Range", func(t *testing.T) {
		object := strings.Repeat("0123456789", 10)
		srv := serve(t, files{"x": object})
		get := func(r store.ByteRange, suffixRequest bool) (string, error) {
			st := srv.store(t, "", httpstore.Options{UseSuffixRequest: suffixRequest, Retries: -1})
			data, err := store.GetRange(t.Context(), st, "x", r)
			return string(data), err
		}
		middle, end := store.ByteRange{Offset: 15, Length: 10}, store.ByteRange{Length: 7, Suffix: true}
		for name, fault := range map[string]faulty.Fault{
			"right":                             {},
			"all of it":                         {IgnoreRange: true},
			"no Content-Range":                  {Header: map[string]string{"Content-Range": ""}},
			"no HEAD, all of it":                {Method: "HEAD", Status: 405},
			"no HEAD, no length, all of it":     {IgnoreRange: true, Chunked: true},
			"no Content-Range and other length": {Header: map[string]string{"Content-Range": ""}, Chunked: true},
		} {
			srv.faults.Set("x", fault)
			for _, suffixRequest := range []bool{false, true} {
				if got, err := get(middle, suffixRequest); got != object[15:25] || err != nil {
					t.Errorf("%s: %q, %v", name, got, err)
				}
				if got, err := get(end, suffixRequest); got != object[93:] || err != nil {
					t.Errorf("%s: the end: %q, %v", name, got, err)
				}
			}
		}
		// A body of the wrong length is refused.
		for name, fault := range map[string]faulty.Fault{
			"longer part":  {Resize: 1, Method: "GET"},
			"shorter part": {Resize: -1, Method: "GET"},
			"other part":   {Header: map[string]string{"Content-Range": "bytes 16-25/100"}, Method: "GET"},
			"page":         {HTML: true},
		} {
			srv.faults.Set("x", fault)
			if got, err := get(middle, false); err == nil {
				t.Errorf("%s: %q", name, got)
			}
			if got, err := get(end, true); err == nil {
				t.Errorf("%s: the end: %q", name, got)
			}
		}
		// A suffix of a smaller object, such as a shard cut to less than its index.
		srv.faults.Reset()
		for _, suffixRequest := range []bool{false, true} {
			if got, err := get(store.ByteRange{Length: 101, Suffix: true}, suffixRequest); !errors.Is(err, store.ErrRange) {
				t.Errorf("%q, %v", got, err)
			}
		}
		// A shard on such a server.
		srv = serve(t, sharded([]int{6}, []int{2}, nil, shard(i32(1, 2), "", i32(5, 6))))
		for _, fault := range []faulty.Fault{{IgnoreRange: true}, {Header: map[string]string{"Content-Range": ""}}, {Method: "HEAD", Status: 403}} {
			srv.faults.Set("c/0", fault)
			a := open(t, srv.store(t, "", httpstore.Options{}), "")
			want[int32](t, read(t, a), 1, 2, 9, 9, 5, 6)
			want[int32](t, read(t, a, grid.At(5)), 6)
		}
	}},
	{57, "403 for absent chunks, servers that fail now and then", func(t *testing.T) {
		f := flat()
		delete(f, "1")
		srv := serve(t, f)
		srv.faults.Set("1", faulty.Fault{Status: 403})
		var failed *httpstore.Error
		if err := readError(t, srv.store(t, "", httpstore.Options{})); !errors.As(err, &failed) || failed.Status != 403 || failed.Hint == "" || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%v", err)
		}
		missing := httpstore.Options{MissingStatus: []int{403}}
		want[int32](t, read(t, open(t, srv.store(t, "", missing), "")), 1, 2, 0, 0)

		for _, fault := range []faulty.Fault{{Status: 503, Times: 2}, {Status: 500, Times: 1}, {Status: 429, Times: 1}, {Drop: true, Times: 1}} {
			srv.faults.Set("0", fault)
			want[int32](t, read(t, open(t, srv.store(t, "", missing), "")), 1, 2, 0, 0)
		}
		for _, fault := range []faulty.Fault{{Status: 500}, {Status: 503}, {Drop: true}, {Cut: 3}, {Status: 401}, {HTML: true}} {
			srv.faults.Set("0", fault)
			if err := readError(t, srv.store(t, "", missing)); !errors.As(err, &failed) || errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%+v: %v", fault, err)
			}
		}
	}},
	{58, "chunks that the server declares as gzip, which they are", func(t *testing.T) {
		f := compressed(doc{"id": "gzip", "level": 1}, gzipped(i32(1, 2, 3, 4)))
		srv := serve(t, f)
		srv.faults.Set("0", faulty.Fault{Header: map[string]string{"Content-Encoding": "gzip"}})
		want[int32](t, read(t, open(t, srv.store(t, "", httpstore.Options{}), "")), 1, 2, 3, 4)
		// The same after a browser has decoded it without a sign.
		f["0"] = i32(1, 2, 3, 4)
		wantBytes(t, f, i32(1, 2, 3, 4))
		f["0"] = i32(1, 2, 3)
		damaged(t, f, errCorrupt)
	}},
	{59, "server without CORS for Range or HEAD", func(t *testing.T) {
		// The hint about CORS needs a browser's fetch (store/httpstore, tests/browser). This test
		// shows that neither HEAD nor Range is necessary. To the page, a forbidden answer looks
		// like a broken connection.
		srv := serve(t, sharded([]int{4}, []int{2}, nil, shard(i32(1, 2), i32(3, 4))))
		for _, fault := range []faulty.Fault{{Method: "HEAD", Drop: true}, {Method: "HEAD", Status: 405}} {
			srv.faults.Set("*", fault)
			a := open(t, srv.store(t, "", httpstore.Options{Retries: -1}), "")
			want[int32](t, read(t, a), 1, 2, 3, 4)
			want[int32](t, read(t, a, grid.At(3)), 4)
		}
		srv.faults.Set("*", faulty.Fault{IgnoreRange: true})
		want[int32](t, read(t, open(t, srv.store(t, "", httpstore.Options{}), ""), grid.At(2)), 3)
	}},
	{60, "compressed JSON of another Content-Length", func(t *testing.T) {
		srv := serve(t, flat())
		for _, fault := range []faulty.Fault{{Gzip: true}, {Gzip: true, Chunked: true}} {
			srv.faults.Set("*", fault)
			want[int32](t, read(t, open(t, srv.store(t, "", httpstore.Options{}), "")), 1, 2, 3, 4)
		}
	}},
	{61, "names with spaces, percent signs and the like", func(t *testing.T) {
		paths := map[string]string{
			"my group with spaces": "/my%20group%20with%20spaces/",
			"a+b":                  "/a%2Bb/",
			"100%2B":               "/100%252B/",
			"q?a#b&c":              "/q%3Fa%23b%26c/",
			"数据":                   "/%E6%95%B0%E6%8D%AE/",
		}
		for name, sent := range paths {
			f := files{}
			for key, data := range flat() {
				f[name+"/"+key] = data
			}
			srv := serve(t, f)
			want[int32](t, read(t, open(t, srv.store(t, "", httpstore.Options{}), name)), 1, 2, 3, 4)
			for _, r := range srv.faults.Requests() {
				if !strings.HasPrefix(r.Path, sent) {
					t.Errorf("%q: asked for %s", name, r.Path)
				}
			}
		}
		st := serve(t, flat()).store(t, "/a", httpstore.Options{})
		for _, key := range []string{"../0", "./0", "a//0", "/0"} {
			if data, err := store.Get(t.Context(), st, key); err == nil || errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%q: %q, %v", key, data, err)
			}
		}
	}},
	{88, "root with and without slash, with a query", func(t *testing.T) {
		f := files{}
		for key, data := range flat() {
			f["data/x.zarr/"+key] = data
		}
		srv := serve(t, f)
		for root, query := range map[string]string{
			"/data/x.zarr": "", "/data/x.zarr/": "", "/data/x.zarr?sig=a%2Fb&n=1": "sig=a%2Fb&n=1", "/data/x.zarr/?sig=/x": "sig=/x", "/data/x.zarr/#part": "",
		} {
			srv.faults.Reset()
			want[int32](t, read(t, open(t, srv.store(t, root, httpstore.Options{}), "")), 1, 2, 3, 4)
			requests := srv.faults.Requests()
			if len(requests) < 3 {
				t.Fatalf("%s: %d requests", root, len(requests))
			}
			for _, r := range requests {
				if r.Query != query || !strings.HasPrefix(r.Path, "/data/x.zarr/") || strings.Contains(r.Path, "//") {
					t.Errorf("%s: asked for %s?%s", root, r.Path, r.Query)
				}
			}
		}
	}},
}
