package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
)

// TestNoOutputHoldsTheSecretsOfAnAddress runs every command over random addresses with user names,
// passwords and signatures: of servers that answer, refuse, redirect and break off, and of none.
func TestNoOutputHoldsTheSecretsOfAnAddress(t *testing.T) {
	const hidden = "S3CRET"
	objects := memstore.New(map[string][]byte{
		"a/a.zarr/zarr.json": []byte(`{"zarr_format":3,"node_type":"group","attributes":{}}`),
		"a/a.zarr/x/zarr.json": []byte(`{"zarr_format":3,"node_type":"array","shape":[4],"data_type":"uint8","fill_value":1,
			"chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2]}},
			"chunk_key_encoding":{"name":"default"},"codecs":[{"name":"bytes"}]}`),
		"a/a.zarr/x/c/0": []byte("no"),
		"a/a.zarr/x/c/1": []byte("too long"),
	})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		status := 0
		_, _ = fmt.Sscanf(r.URL.Path, "/status-%d", &status)
		switch e, err := objects.Read(r.Context(), strings.TrimPrefix(r.URL.Path, "/"), store.Ask{}); {
		case status == http.StatusFound:
			w.Header().Set("Location", "http://127.0.0.1:1/x?sig="+hidden)
			w.WriteHeader(status)
		case status != 0:
			w.WriteHeader(status)
		case strings.HasPrefix(r.URL.Path, "/json"):
			_, _ = w.Write([]byte(`{"zarr_format": 3`))
		case strings.HasPrefix(r.URL.Path, "/ends"):
			panic(http.ErrAbortHandler)
		case r.Method == http.MethodPut:
			w.WriteHeader(http.StatusForbidden)
		case err != nil:
			w.WriteHeader(http.StatusNotFound)
		default:
			_, _ = w.Write(e.Bytes)
		}
	}))
	t.Cleanup(server.Close)
	server.Config.ErrorLog = nil
	listens := strings.TrimPrefix(server.URL, "http://")

	r := rand.New(rand.NewPCG(1, 12))
	one := func(list ...string) string { return list[r.IntN(len(list))] }
	address := func() string {
		if r.IntN(5) == 0 {
			return server.URL + one("/a/a.zarr", "/a/a.zarr/x") + one("?sig="+hidden, "?X-Amz-Signature="+hidden+"&a=b")
		}
		user := one("", "", "", "", "", "", "", "", "", hidden+":"+hidden+"@", "u:"+hidden+"@", "u:"+hidden+"/x@", hidden+"@", "u:"+hidden+"@"+hidden+"@")
		host := one(listens, listens, listens, listens, listens, listens, listens, listens, "127.0.0.1:1", "[::1", "127.0.0.1:99999", "")
		path := one("a", "a", "a", "a", "a", "a", "status-404", "status-404", "status-403", "status-302", "json", "ends", "a%2fb", "a b")
		query := one("?sig="+hidden, "?X-Amz-Signature="+hidden+"&a=b", "?a=b c"+hidden, "?a=\""+hidden, "", "#"+hidden)
		tail := one("", "", "", "|zip:a/b", "|zarr3:", "|unknown:x", "|icechunk:@branch.main")
		scheme := one("http://", "http://", "http://", "http://", "http://", "http://", "http://", "http://", "HTTP://", "ftp://", "http:", "zip::http://", "//", "")
		if !strings.Contains(scheme, "//") {
			user = strings.Replace(user, "/x", "", 1) // where no "//" is, a password ends at a slash
		}
		if scheme == "" && !strings.Contains(user, ":") {
			scheme = "http://" // without a password it is the name of a file, which may have "?" and "@"
		}
		return scheme + user + host + "/" + path + "/a.zarr" + one("", "", "", "/x", "/x", ".zip", ".json") + query + tail
	}
	flags := map[string][]string{
		"info": {"--json", "--stored", "-a"}, "tree": {"--json", "--level=1"}, "cat": {"--at=0"}, "validate": {"--json", "--data"},
		"serve": {"--no-cors", "--verbose"}, "view": {"--no-open"}, "copy": {"--json", "--if-exists=skip"}, "consolidate": nil,
		"migrate": {"--to=2"}, "sweep": {"--age=1h"}, "version": nil, "": nil, "nocommand": nil,
	}
	ends := map[string]map[int]int{}
	for range 45 {
		// In order, so that each run tests the same addresses.
		for _, command := range slices.Sorted(maps.Keys(flags)) {
			var args []string
			for _, flag := range flags[command] {
				if r.IntN(2) == 0 {
					args = append(args, flag)
				}
			}
			at := address()
			switch one("", "", "", "", "node", "flag", "more", "header") {
			case "node":
				args = append(args, at, one("x", "x/y", "http://u:"+hidden+"@h/a", "s3://b/a?sig="+hidden))
			case "flag":
				args = append(args, one("--level=", "--at=", "--viewer=", "--schema=", "--unknown=", "--to=", "--age=", "--codecs=", "--addr=")+at)
			case "more":
				args = append(args, at, address(), address(), address())
			case "header":
				args = append(args, "--header", one("A: "+hidden, "Bearer "+hidden, at), at)
			default:
				args = append(args, at)
			}
			if command == "copy" {
				args = append(args, one(filepath.Join(t.TempDir(), "b"), filepath.Join(t.TempDir(), "b.zip"), address()))
			}
			if command != "" {
				args = append([]string{command}, args...)
			}
			got := zarrs(t, args...)
			if said := got.out + got.errs; strings.Contains(said, hidden) {
				t.Errorf("%q: %s", args, said)
			}
			if ends[command] == nil {
				ends[command] = map[int]int{}
			}
			ends[command][got.status]++
		}
	}
	for _, command := range []string{"info", "tree", "cat", "validate", "copy"} {
		for _, status := range []int{failed, misused, absent} {
			if ends[command][status] == 0 {
				t.Errorf("%s does not end with %d", command, status)
			}
		}
	}
	if ends["info"][done]+ends["tree"][done]+ends["copy"][done] == 0 {
		t.Error("nothing was opened")
	}
}
