package blobstore_test

import (
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zarr-wasm/zarr-wasm/cmd/zarr/blobstore"
	"github.com/zarr-wasm/zarr-wasm/cmd/zarr/blobstore/bucket"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/storetest"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/tests/servers/cloudtest"
	"github.com/zarr-wasm/zarr-wasm/tests/servers/s3test"
)

func open(t testing.TB, address, endpoint string) *bucket.Store {
	t.Helper()
	return must.Get(blobstore.Open(t.Context(), address, blobstore.Options{Endpoint: endpoint, Timeout: 20 * time.Second}))(t)
}

// TestBuckets runs the suite of stores on a server of each cloud.
func TestBuckets(t *testing.T) {
	cloudtest.Each(t, func(t *testing.T, cloud cloudtest.Cloud) {
		var stores atomic.Int64
		h := storetest.Harness{Lists: true, New: func(t testing.TB, objects map[string][]byte) store.Locator {
			s := open(t, cloud.Bucket+"/store "+strconv.FormatInt(stores.Add(1), 10), cloud.Endpoint)
			for key, data := range objects {
				must.Do(t, s.Set(t.Context(), key, data))
			}
			return store.Plain(s)
		}}
		t.Run("Reading", func(t *testing.T) { storetest.Run(t, h) })
		t.Run("Writing", func(t *testing.T) { storetest.RunWriting(t, h) })
	})
}

// faulty starts a server that gives these answers in turn, and the last one from then on.
func faulty(t *testing.T, answers ...func(http.ResponseWriter, *http.Request) bool) (url string, requests *atomic.Int64) {
	requests = &atomic.Int64{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := requests.Add(1)
		answers[min(int(n), len(answers))-1](w, r)
	}))
	server.Config.ErrorLog = nil
	t.Cleanup(server.Close)
	s3test.Credentials(t)
	return server.URL, requests
}

// Every operation on a bucket that refuses it returns an error with its status and the server's
// reason. Only the absence of an object is absence, and no message holds a secret.
func TestRefusalsAreErrorsByName(t *testing.T) {
	for _, c := range []struct {
		status       int
		code         string
		absent, list bool // get reports an absent object, and list an unknown list
	}{
		{403, "AccessDenied", false, true},
		{403, "SignatureDoesNotMatch", false, true},
		{404, "NoSuchKey", true, false},
		{404, "NoSuchBucket", false, false},
		{301, "PermanentRedirect", false, false},
		{400, "InvalidRequest", false, false},
		{501, "NotImplemented", false, true},
	} {
		url, _ := faulty(t, s3test.Answer(c.status, c.code))
		s := open(t, "s3://bucket/data.zarr", url)
		ctx := t.Context()
		_, get := store.Get(ctx, s, "a/0")
		_, part := store.GetRange(ctx, s, "a/0", store.ByteRange{Length: 5, Suffix: true})
		_, list := s.List(ctx, "a")
		for name, err := range map[string]error{
			"get": get, "part": part, "list": list, "set": s.Set(ctx, "a/0", []byte("x")), "create": s.Create(ctx, "a/0", []byte("x")), "clear": s.DeleteAll(ctx, "a"),
		} {
			reads := name == "get" || name == "part"
			var e *bucket.Error
			switch {
			case reads && c.absent != errors.Is(err, fs.ErrNotExist):
				t.Errorf("%d %s: %s: %v, which matches fs.ErrNotExist: %v", c.status, c.code, name, err, !c.absent)
			case name == "list" && c.list != errors.Is(err, errors.ErrUnsupported):
				t.Errorf("%d %s: list: %v", c.status, c.code, err)
			case err == nil, strings.Contains(err.Error(), s3test.Secret), strings.Contains(err.Error(), "Credential="):
				t.Errorf("%d %s: %s: %v", c.status, c.code, name, err)
			case c.absent, name == "create" && c.status == 501: // a condition that is not known
			case !errors.As(err, &e) || e.Status != c.status || !strings.Contains(err.Error(), c.code) || !strings.Contains(err.Error(), "s3://bucket/data.zarr/a"):
				t.Errorf("%d %s: %s: %v", c.status, c.code, name, err)
			}
			if reads && c.status == 403 && !store.MaybeMissing(err) {
				t.Errorf("%d %s: %s: %v is not one of an object that may be absent", c.status, c.code, name, err)
			}
		}
	}
}

// A busy server is asked again. A write with a condition is not, because its first attempt may have
// been carried out.
func TestABusyBucketIsAskedAgain(t *testing.T) {
	busy := s3test.Answer(http.StatusServiceUnavailable, "SlowDown")
	fine := func(w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("ETag", `"1"`)
		w.Header().Set("Last-Modified", "Tue, 24 Nov 2026 10:00:00 GMT")
		w.Header().Set("Content-Length", "3")
		_, _ = w.Write([]byte("yes"))
		return true
	}
	short := func(w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("Content-Length", "3")
		_, _ = w.Write([]byte("y"))
		panic(http.ErrAbortHandler)
	}
	url, requests := faulty(t, busy, short, fine)
	s := open(t, "s3://bucket/a", url)
	if got, err := store.Get(t.Context(), s, "0"); err != nil || string(got) != "yes" || requests.Load() != 3 {
		t.Errorf("after %d requests: %q, %v", requests.Load(), got, err)
	}
	url, requests = faulty(t, busy)
	s = open(t, "s3://bucket/a", url)
	var e *bucket.Error
	if _, err := store.Get(t.Context(), s, "0"); !errors.As(err, &e) || e.Status != 503 || requests.Load() < 2 || requests.Load() > 10 {
		t.Errorf("after %d requests: %v", requests.Load(), err)
	}
	for name, write := range map[string]func() error{
		"create":  func() error { return s.Create(t.Context(), "0", nil) },
		"replace": func() error { return s.Replace(t.Context(), "0", nil, store.Version{ETag: `"1"`}) },
	} {
		requests.Store(0)
		if err := write(); !errors.Is(err, store.ErrUnsettled) || requests.Load() != 1 {
			t.Errorf("%s: after %d requests: %v", name, requests.Load(), err)
		}
	}
}

// A server that ignores a range, or answers with another one, is an error.
func TestAnAnswerOfAnotherRangeIsAnError(t *testing.T) {
	for _, contentRange := range []string{"", "bytes 0-2/10", "bytes 6-8/10"} {
		url, _ := faulty(t, func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("ETag", `"1"`)
			if contentRange == "" {
				_, _ = w.Write([]byte("0123456789"))
				return true
			}
			w.Header().Set("Content-Range", contentRange)
			w.WriteHeader(http.StatusPartialContent)
			_, _ = w.Write([]byte("xyz"))
			return true
		})
		s := open(t, "s3://bucket/a", url)
		if got, err := store.GetRange(t.Context(), s, "0", store.ByteRange{Offset: 5, Length: 3}); err == nil {
			t.Errorf("with Content-Range %q: %q", contentRange, got)
		}
	}
}

// A silent server ends a read after the timeout, with an error.
func TestASilentBucketIsAnError(t *testing.T) {
	release := make(chan struct{})
	url, _ := faulty(t, func(w http.ResponseWriter, _ *http.Request) bool {
		w.Header().Set("Content-Length", "3")
		_, _ = w.Write([]byte("y"))
		_ = http.NewResponseController(w).Flush()
		<-release
		return true
	})
	defer close(release)
	s := must.Get(blobstore.Open(t.Context(), "s3://bucket/a", blobstore.Options{Endpoint: url, Timeout: 50 * time.Millisecond}))(t)
	var e *bucket.Error
	if _, err := store.Get(t.Context(), s, "0"); !errors.As(err, &e) || !strings.Contains(err.Error(), "silent") {
		t.Errorf("of a silent server: %v", err)
	}
}

func TestAddresses(t *testing.T) {
	s3test.Credentials(t)
	for _, c := range []struct{ address, want string }{
		{"s3://bucket", "s3://bucket/x"},
		{"s3://bucket/a%20b/", "s3://bucket/a b/x"},
		{"S3://bucket/a", "s3://bucket/a/x"},
	} {
		if got := open(t, c.address, "").Address("x"); got != c.want {
			t.Errorf("%s: %s, want %s", c.address, got, c.want)
		}
	}
	for _, address := range []string{"s3://", "s3:///a", "s3://b/a?sig=x", "s3://b/a#x", "s3://b:80/a", "https://host/a", "az://container/a"} {
		t.Setenv("AZURE_STORAGE_ACCOUNT", "")
		var e *blobstore.AddressError
		if _, err := blobstore.Open(t.Context(), address, blobstore.Options{}); !errors.As(err, &e) {
			t.Errorf("%s: %v", address, err)
		}
	}
}

func TestWithoutCredentialsThereIsNoStore(t *testing.T) {
	s3test.Credentials(t)
	for _, name := range []string{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AZURE_STORAGE_KEY", "AZURE_STORAGE_SAS_TOKEN", "AZURE_STORAGE_CONNECTION_STRING", "AZURE_CLIENT_ID", "AZURE_TENANT_ID"} {
		t.Setenv(name, "")
	}
	for _, address := range []string{"s3://bucket/a", "az://container@account/a"} {
		if _, err := blobstore.Open(t.Context(), address, blobstore.Options{}); !errors.Is(err, blobstore.ErrNoCredentials) {
			t.Errorf("%s: %v", address, err)
		}
	}
}
