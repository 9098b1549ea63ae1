package bucket_test

import (
	"bytes"
	"errors"
	"io/fs"
	"testing"

	"gocloud.dev/blob"
	"gocloud.dev/blob/memblob"

	"github.com/zarr-wasm/zarr-wasm/cmd/zarr/blobstore/bucket"
	"github.com/zarr-wasm/zarr-wasm/internal/limits"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/storetest"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
)

// fill returns a store of a bucket below a prefix, with these objects and others beside it.
func fill(t testing.TB, b *blob.Bucket, prefix string, objects map[string][]byte) *bucket.Store {
	t.Helper()
	t.Cleanup(func() { b.Close() })
	for key, data := range objects {
		must.Do(t, b.WriteAll(t.Context(), store.Join(prefix, key), data, nil))
	}
	if prefix != "" {
		for _, beside := range []string{prefix + "x/zarr.json", prefix + "-", "zarr.json"} {
			must.Do(t, b.WriteAll(t.Context(), beside, []byte("beside"), nil))
		}
	}
	return bucket.New(b, bucket.Options{Prefix: prefix, Address: "mem://bucket"})
}

func TestConformance(t *testing.T) {
	for _, prefix := range []string{"", "a/b"} {
		mem := storetest.Harness{Lists: true, New: func(t testing.TB, objects map[string][]byte) store.Locator {
			return store.Plain(fill(t, memblob.OpenBucket(nil), prefix, objects))
		}}
		t.Run("Memory/"+prefix, func(t *testing.T) { storetest.Run(t, mem) })
		t.Run("MemoryWriting/"+prefix, func(t *testing.T) { storetest.RunWriting(t, mem) })
	}
}

func TestAnObjectLargerThanTheLimitIsRefused(t *testing.T) {
	s := fill(t, memblob.OpenBucket(nil), "", map[string][]byte{"a": bytes.Repeat([]byte{1}, 100)})
	for most := range int64(200) {
		_, err := s.Read(t.Context(), "a", store.Ask{MaxBytes: most})
		var limit *limits.Error
		if refused := errors.As(err, &limit); refused != (most > 0 && most < 100) {
			t.Errorf("with a limit of %d bytes: %v", most, err)
		}
	}
}

// A store at the address of an object has that object under every key.
func TestAnAddressOfAnObjectIsTheObject(t *testing.T) {
	b := memblob.OpenBucket(nil)
	t.Cleanup(func() { b.Close() })
	must.Do(t, b.WriteAll(t.Context(), "d/a.zip", []byte("archive"), nil))
	folder := bucket.New(b, bucket.Options{Prefix: "d/a.zip", Address: "mem://b"})
	itself, name := folder.Itself()
	object := bucket.New(b, bucket.Options{Prefix: "d/a.zip", Object: true, Address: "mem://b"})
	for _, s := range []store.Source{itself, object} {
		for _, key := range []string{name, "x", "y/z"} {
			if got, err := store.Get(t.Context(), s, key); err != nil || string(got) != "archive" {
				t.Errorf("%s: %q, %v", key, got, err)
			}
		}
	}
	if _, err := store.Get(t.Context(), folder, "x"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("below the object: %v", err)
	}
	if got, want := object.Address("x")+" "+folder.Address("x"), "mem://b/d/a.zip mem://b/d/a.zip/x"; got != want {
		t.Errorf("the addresses are %s, want %s", got, want)
	}
}
