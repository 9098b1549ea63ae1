package blobstore

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"cloud.google.com/go/storage"
	"gocloud.dev/blob"
	"gocloud.dev/blob/gcsblob"
	"gocloud.dev/gcp"
	"google.golang.org/api/googleapi"
	"google.golang.org/api/option"

	"github.com/zarr-wasm/zarr-wasm/cmd/zarr/blobstore/bucket"
)

func openGS(ctx context.Context, p place, opt Options) (*bucket.Store, error) {
	client := gcp.NewAnonymousHTTPClient(transport(opt))
	if environment("STORAGE_EMULATOR_HOST") == "" {
		credentials, err := gcp.DefaultCredentials(ctx)
		switch {
		case err != nil && ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil && environment("GOOGLE_APPLICATION_CREDENTIALS") != "":
			return nil, errors.New("the credentials of GOOGLE_APPLICATION_CREDENTIALS cannot be used")
		case err != nil:
			return nil, ErrNoCredentials
		}
		if client, err = gcp.NewHTTPClient(transport(opt), gcp.CredentialsTokenSource(credentials)); err != nil {
			return nil, err
		}
	}
	open := func(retry ...storage.RetryOption) (*blob.Bucket, error) {
		// Each bucket has its own client.
		options := &gcsblob.Options{}
		if opt.Endpoint != "" {
			options.ClientOptions = []option.ClientOption{option.WithEndpoint(service(opt.Endpoint))}
		}
		b, err := gcsblob.OpenBucket(ctx, client, p.bucket, options)
		if err != nil {
			return nil, err
		}
		var c *storage.Client
		if !b.As(&c) {
			return nil, errors.ErrUnsupported
		}
		c.SetRetry(retry...)
		return b, nil
	}
	// Writing the same bytes twice is harmless. By default the library retries for ever.
	b, err := open(storage.WithMaxAttempts(4), storage.WithPolicy(storage.RetryAlways))
	if err != nil {
		return nil, err
	}
	p.scheme = "gs"
	o := p.options(opt, gsProvider{})
	if o.Once, err = open(storage.WithPolicy(storage.RetryNever)); err != nil {
		return nil, err
	}
	return bucket.New(b, o), nil
}

// service returns the URL of the service on a server, which may name its path.
func service(endpoint string) string {
	u, err := url.Parse(endpoint)
	if err != nil || strings.Trim(u.Path, "/") != "" {
		return endpoint
	}
	return u.JoinPath("storage", "v1").String() + "/"
}

// gsProvider is a bucket of Google Cloud Storage. Its entity tags are generations.
type gsProvider struct{}

func quoted(generation int64) string { return `"` + strconv.FormatInt(generation, 10) + `"` }

// condition returns the condition that an object is of the generation in a tag.
func condition(tag string) (storage.Conditions, error) {
	text, err := strconv.Unquote(tag)
	if err != nil {
		return storage.Conditions{}, errors.ErrUnsupported
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n == 0 {
		return storage.Conditions{}, errors.ErrUnsupported
	}
	return storage.Conditions{GenerationMatch: n}, nil
}

func (gsProvider) Answer(as bucket.As) bucket.Answer {
	var r *storage.Reader
	if !as(&r) {
		return bucket.Answer{Offset: -1}
	}
	return bucket.Answer{Tag: quoted(r.Attrs.Generation), Offset: r.Attrs.StartOffset}
}

func (gsProvider) Tag(a *blob.Attributes) string {
	var attrs storage.ObjectAttrs
	if !a.As(&attrs) {
		return ""
	}
	return quoted(attrs.Generation)
}

func (gsProvider) Write(as bucket.As, n int, tag string) error {
	if tag != "" {
		var object **storage.ObjectHandle
		c, err := condition(tag)
		if err != nil || !as(&object) {
			return errors.ErrUnsupported
		}
		*object = (*object).If(c)
	}
	var w *storage.Writer
	if !as(&w) {
		return errors.ErrUnsupported
	}
	// The buffer of a write is 16 MiB by default, however small the object is.
	const quantum = 256 << 10
	w.ChunkSize = min(16<<20, (n/quantum+1)*quantum)
	return nil
}

func (gsProvider) Delete(as bucket.As, tag string) error {
	var object **storage.ObjectHandle
	c, err := condition(tag)
	if err != nil || !as(&object) {
		return errors.ErrUnsupported
	}
	*object = (*object).If(c)
	return nil
}

func (gsProvider) Failure(err error) (f bucket.Failure) {
	var answer *googleapi.Error
	switch {
	case errors.Is(err, storage.ErrBucketNotExist):
		f.Status, f.Bucket = http.StatusNotFound, true
	case errors.Is(err, storage.ErrObjectNotExist):
		f.Status = http.StatusNotFound
	case errors.As(err, &answer):
		if f.Status, f.Why = answer.Code, answer.Message; f.Why == "" {
			f.Why = http.StatusText(answer.Code)
		}
	}
	return f
}
