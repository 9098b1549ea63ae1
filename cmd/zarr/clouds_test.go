package main

import (
	"bytes"
	"context"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/cmd/zarr/blobstore"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/filestore"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/tests/servers/cloudtest"
	"github.com/zarr-wasm/zarr-wasm/tests/servers/s3test"
)

// cloud returns an array in a directory, with chunks of random bytes, in a group.
func cloud(t *testing.T, chunks int) string {
	t.Helper()
	dir := t.TempDir()
	r := rand.New(rand.NewPCG(32, 1))
	objects := map[string][]byte{"x/zarr.json": []byte(`{"zarr_format":3,"node_type":"array","shape":[` + strconv.Itoa(chunks*1000) + `],"data_type":"uint8","fill_value":0,
		"chunk_grid":{"name":"regular","configuration":{"chunk_shape":[1000]}},
		"chunk_key_encoding":{"name":"default"},"codecs":[{"name":"bytes"}]}`), "zarr.json": []byte(`{"zarr_format":3,"node_type":"group","attributes":{"a":1}}`)}
	for i := range chunks {
		data := make([]byte, 1000)
		for j := range data {
			data[j] = byte(r.Uint32())
		}
		objects["x/c/"+strconv.Itoa(i)] = data
	}
	for key, data := range objects {
		file := filepath.Join(dir, filepath.FromSlash(key))
		must.Do(t, os.MkdirAll(filepath.Dir(file), 0o755))
		must.Do(t, os.WriteFile(file, data, 0o644))
	}
	return dir
}

// all returns the objects of a store.
func all(t *testing.T, s interface {
	store.Source
	store.Lister
}) map[string][]byte {
	t.Helper()
	objects := map[string][]byte{}
	var walk func(prefix string)
	walk = func(prefix string) {
		names, err := s.List(t.Context(), prefix)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			key := store.Join(prefix, name)
			if strings.Contains(name, ".sgwtmp.") {
				continue // the S3 server's own file, until it gets its name
			}
			if folder, is := strings.CutSuffix(key, "/"); is {
				walk(folder)
			} else if objects[key], err = store.Get(t.Context(), s, key); err != nil {
				t.Fatal(err)
			}
		}
	}
	walk("")
	return objects
}

// Each command that takes an address takes one of each cloud, for reading and for writing.
func TestCommandsReadAndWriteABucket(t *testing.T) { cloudtest.Each(t, readAndWrite) }

func readAndWrite(t *testing.T, c cloudtest.Cloud) {
	from := cloud(t, 20)
	at, to := c.Bucket+"/a b/data.zarr", c.Bucket+"/levels.zarr"
	endpoint, target := "--endpoint="+c.Endpoint, "--to-endpoint="+c.Endpoint
	says := func(status int, want string, args ...string) {
		t.Helper()
		got := zarrs(t, args...)
		if got.status != status || !strings.Contains(got.out+got.errs, want) || strings.Contains(got.out+got.errs, c.Secret) {
			t.Fatalf("%q: status %d, not %d with %q: %s%s", args, got.status, status, want, got.out, got.errs)
		}
	}
	says(absent, "", "info", at, endpoint)
	says(done, "2 nodes copied", "copy", from, at, target)
	says(failed, "", "copy", from, at, target) // it exists
	says(done, "1 skipped", "copy", from, at, target, "--if-exists=skip")
	says(done, "uint8", "info", at, "x", endpoint, "--stored")
	says(done, "x", "tree", at, endpoint)
	says(done, "", "validate", at, endpoint, "--data")
	says(done, "", "consolidate", at, endpoint)
	says(done, "", "doctor", at, endpoint)
	local := zarrs(t, "cat", from, "x")
	if remote := zarrs(t, "cat", at, "x", endpoint); remote.out != local.out || local.status != done {
		t.Errorf("cat of the bucket: %s", remote.errs)
	}
	says(done, "units done", "rechunk", at, to, "--node=x", "--as=r", "--chunks=3000", endpoint, target)
	says(done, "units done", "pyramid", at, to, "--node=x", "--as=p", "--levels=2", "--axis=0", endpoint, target)
	says(done, "2 nodes copied", "copy", at, filepath.Join(t.TempDir(), "back.zip"), endpoint)
	says(done, "2 nodes copied", "copy", at, to, "--as=c", endpoint, target)
	if r := zarrs(t, "info", strings.Replace(c.Bucket, "bucket", "nobucket", 1)+"/a", endpoint); r.status == done || !strings.Contains(r.errs, c.Missing) {
		t.Errorf("an absent bucket: status %d, %s", r.status, r.errs)
	}
	says(misused, "--endpoint", "copy", from, at, endpoint)
	says(misused, "begins with", "info", at, "--endpoint=host")

	// Archives and documents are single objects.
	archive := filepath.Join(t.TempDir(), "a.zip")
	says(done, "", "copy", from, archive)
	data := must.Get(os.ReadFile(archive))(t)
	s, err := blobstore.Open(t.Context(), c.Bucket+"/z", blobstore.Options{Endpoint: c.Endpoint})
	if err == nil {
		err = s.Set(t.Context(), "a.zip", data)
	}
	if err != nil {
		t.Fatal(err)
	}
	if remote := zarrs(t, "cat", c.Bucket+"/z/a.zip", "x", endpoint); remote.out != local.out {
		t.Errorf("cat of an archive in the bucket: %s", remote.errs)
	}

	if c.Closed { // without credentials the bucket answers as to anybody
		says(failed, "403", "info", at, endpoint, "--anonymous")
	}
}

// A copy to a bucket is killed at random moments. The bucket then has whole objects only, and
// metadata only after the chunks that they describe. The same command continues.
func TestACopyToABucketIsKilledAndContinues(t *testing.T) {
	server := s3test.Start(t)
	const chunks = 60
	from := cloud(t, chunks)
	local := filepath.Join(t.TempDir(), "local.zarr")
	output(t, "copy", from, local)
	want := all(t, filestore.New(os.DirFS(local)))
	s, err := blobstore.Open(t.Context(), "s3://bucket/data.zarr", blobstore.Options{Endpoint: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(32, 2))
	killed := 0
	for range 6 {
		ctx, kill := context.WithCancel(t.Context())
		left := r.IntN(chunks / 2)
		writes := make(chan struct{}, 1000)
		fault := func(_ http.ResponseWriter, r *http.Request) bool {
			if r.Method == http.MethodPut {
				writes <- struct{}{}
			}
			return false
		}
		server.Fault.Store(&fault)
		go func() {
			for range left {
				select {
				case <-writes:
				case <-ctx.Done():
					return
				}
			}
			kill()
		}()
		if err := killable(ctx, "copy", from, "s3://bucket/data.zarr", "--to-endpoint="+server.URL, "--if-exists=skip").Run(); err != nil {
			killed++
		}
		kill()
		got := all(t, s)
		for key, data := range got {
			if !bytes.Equal(data, want[key]) {
				t.Errorf("%s has %d bytes, not the %d copied", key, len(data), len(want[key]))
			}
		}
		if _, there := got["x/zarr.json"]; there && len(got) < chunks {
			t.Errorf("metadata beside %d objects", len(got))
		}
	}
	if killed == 0 {
		t.Error("no copy was killed")
	}
	server.Fault.Store(nil)
	if out, err := killable(t.Context(), "copy", from, "s3://bucket/data.zarr", "--to-endpoint="+server.URL, "--if-exists=skip").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	got := all(t, s)
	for key, data := range want {
		if !bytes.Equal(got[key], data) {
			t.Errorf("after all: %s has %d bytes, want %d", key, len(got[key]), len(data))
		}
	}
}
