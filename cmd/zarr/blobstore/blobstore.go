// Package blobstore opens stores at addresses of clouds, with the credentials of the environment.
//
//	s3://BUCKET/KEY                                Amazon S3, and servers that speak its protocol
//	gs://BUCKET/KEY, gcs://                        Google Cloud Storage
//	az://CONTAINER@ACCOUNT/KEY, azure://, abfs://  Azure Blob Storage
//
// Credentials are those of the clouds' own tools: the AWS SDK's environment variables, files and
// instance roles; Google's application default credentials; the AZURE_STORAGE variables, or the
// identity of the Azure SDK. Open returns [ErrNoCredentials] if the environment has none.
package blobstore

import (
	"context"
	"errors"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/zarr-wasm/zarr-wasm/cmd/zarr/blobstore/bucket"
	"github.com/zarr-wasm/zarr-wasm/internal/percent"
)

// ErrNoCredentials reports that the environment has no credentials for a cloud.
var ErrNoCredentials = errors.New("the environment has no credentials")

// AddressError says why a text is not the address of an object in a cloud.
type AddressError struct{ Msg string }

func (e *AddressError) Error() string { return e.Msg }

// Options configure a store.
type Options struct {
	// Endpoint is the URL of a server that speaks the cloud's protocol; "" selects the cloud's own,
	// or that of the environment (AWS_ENDPOINT_URL_S3, STORAGE_EMULATOR_HOST).
	Endpoint string
	// Subdomains puts the bucket in the host name of an endpoint of S3: BUCKET.HOST. By default it
	// is the first part of the path. Amazon's own endpoint always has subdomains.
	Subdomains bool
	// Object says that the address is one of a single object. Every key then names that object.
	Object bool
	// Timeout limits the wait for an answer to begin, and for each further 256 KiB of it; 0 selects
	// one minute. Transient failures are retried.
	Timeout time.Duration
	// Concurrency limits the simultaneous requests; 0 selects 64.
	Concurrency int
}

// place is a parsed address.
type place struct {
	scheme, bucket, account, prefix string
}

// kinds are the schemes of addresses, each with its cloud.
var kinds = map[string]func(context.Context, place, Options) (*bucket.Store, error){
	"s3": openS3, "gs": openGS, "gcs": openGS, "az": openAzure, "azure": openAzure, "abfs": openAzure, "abfss": openAzure,
}

// Has reports whether a text is an address of a cloud.
func Has(address string) bool {
	scheme, _, found := strings.Cut(address, "://")
	return found && kinds[strings.ToLower(scheme)] != nil
}

// Open returns the store at an address, whose key is percent-encoded. It may ask the machine's
// metadata service for credentials, and sends no other request. The errors are an [AddressError],
// [ErrNoCredentials], or those of unusable credentials.
func Open(ctx context.Context, address string, opt Options) (*bucket.Store, error) {
	p, err := parse(address)
	if err != nil {
		return nil, err
	}
	if opt.Timeout <= 0 {
		opt.Timeout = time.Minute
	}
	return kinds[p.scheme](ctx, p, opt)
}

func parse(address string) (place, error) {
	scheme, rest, _ := strings.Cut(address, "://")
	p := place{scheme: strings.ToLower(scheme)}
	if kinds[p.scheme] == nil {
		return p, &AddressError{"not an address of S3, Google Cloud Storage or Azure"}
	}
	host, key, _ := strings.Cut(rest, "/")
	p.bucket, p.account, _ = strings.Cut(host, "@")
	p.account, _, _ = strings.Cut(p.account, ".")
	if p.bucket == "" || strings.ContainsAny(host, "?#:%") || strings.ContainsAny(key, "?#") {
		return p, &AddressError{p.scheme + "://BUCKET/KEY expected, without a port and a query"}
	}
	p.prefix = strings.Trim(percent.Decode(key, false), "/")
	return p, nil
}

// options returns the options of the store of a place.
func (p place) options(opt Options, provider bucket.Provider) bucket.Options {
	return bucket.Options{
		Prefix: p.prefix, Object: opt.Object, Address: p.scheme + "://" + p.bucket, Provider: provider,
		Concurrency: opt.Concurrency, Timeout: opt.Timeout,
	}
}

// transport returns the connections of a store.
func transport(opt Options) *http.Transport {
	t, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		t = &http.Transport{Proxy: http.ProxyFromEnvironment}
	}
	t = t.Clone()
	tune(t, opt)
	return t
}

// tune keeps connections for many requests, and limits the wait for an answer. The default
// transport keeps two connections of each host.
func tune(t *http.Transport, opt Options) {
	t.MaxIdleConnsPerHost = max(opt.Concurrency, 64)
	t.IdleConnTimeout = 30 * time.Second
	t.ResponseHeaderTimeout = opt.Timeout
}

// environment returns the first of these variables that is set.
func environment(names ...string) string {
	for _, name := range names {
		if v := os.Getenv(name); v != "" {
			return v
		}
	}
	return ""
}

// offsetOf returns the first byte that a Content-Range reports, 0 without one.
func offsetOf(contentRange string) int64 {
	rest, found := strings.CutPrefix(contentRange, "bytes ")
	if !found {
		return 0
	}
	var n int64
	for _, c := range []byte(rest) {
		if c < '0' || c > '9' {
			break
		}
		n = n*10 + int64(c-'0')
	}
	return n
}
