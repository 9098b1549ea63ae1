// Package httpstore is a source of objects below a URL, over HTTP. It reads them whole or by byte
// ranges.
//
// The same rules hold in the browser (fetch_js.go, over fetch) and elsewhere (fetch_native.go, over
// net/http). They define absence, retries, and the checks of an answer.
package httpstore

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/zarr-wasm/zarr-wasm/internal/ascii"
	"github.com/zarr-wasm/zarr-wasm/internal/errtype"
	"github.com/zarr-wasm/zarr-wasm/internal/weburl"
	"github.com/zarr-wasm/zarr-wasm/store"
)

// Options are a store's options. The zero value is ready to use.
type Options struct {
	// Object says that the URL names a single object. Every key then names that object.
	Object bool
	// Headers are sent with every request to the origin of the base URL, and to no other origin:
	// see Redirect.
	Headers map[string]string
	// HeaderFunc returns further headers for a request, such as an expiring token; nil for none.
	// They override headers of the same name. Its error fails the request.
	HeaderFunc func(context.Context) (map[string]string, error)
	// Credentials is fetch's option of that name: "omit", "same-origin" or "include". "" is the
	// browser's default. It has no effect outside of the browser.
	Credentials string
	// MissingStatus lists HTTP statuses that mean an absent object, in addition to 404 and 410.
	// Stores that forbid public listing answer 403. Status 0 counts an object as absent when a
	// browser blocks its answer twice.
	MissingStatus []int
	// Concurrency limits the simultaneous requests to the origin, together with other stores that
	// share Origins. The default is 16, or 64 while answers are small.
	Concurrency int
	// Origins is shared by stores whose requests count together per origin; nil for this store
	// alone.
	Origins *Origins
	// Retries is the number of retries after a transient failure. The default is 3; negative means
	// none.
	Retries int
	// RetryDelay is the approximate delay before the first retry. It doubles for each further one.
	// The default is 100 ms, the maximum 10 s.
	RetryDelay time.Duration
	// Timeout limits the wait for an answer to begin, and for each further 256 KiB of it. After
	// that the request fails and is retried. The default is 60 s; negative means no limit.
	Timeout time.Duration
	// MaxBytes is the size of the largest accepted body in bytes. The default is 1 GiB.
	MaxBytes int64
	// Cache is fetch's option of that name: "default", "no-store", "reload", "no-cache" or
	// "force-cache". Empty is "default", except for concurrent ranges of one object. These bypass
	// the browser's cache, because Chromium would serialize them. It has no effect outside of the
	// browser.
	Cache string
	// UseSuffixRequest reads the end of an object by one request (bytes=-n), without asking for its
	// size first. Across origins the browser then asks the server for permission, and some servers
	// do not support such ranges.
	UseSuffixRequest bool
	// Fetch sends the requests in place of the platform; nil uses the platform. It returns after
	// the body is read, and ends with its context.
	Fetch func(context.Context, FetchRequest) (FetchResponse, error)
	// Redirect, if set, approves or rejects each redirect. The argument from is the requested URL
	// without its query. The argument to is the target origin, as scheme, host and port. An error
	// fails the request with that error. Browsers hide the target of a redirect: there, to is
	// empty, and no redirect is followed.
	//
	// Without Redirect, redirects are followed, to other origins without Headers, Credentials and
	// Fetch. If the browser would send these along, the request fails.
	Redirect func(ctx context.Context, from, to string) error
	// Platform holds the parts that differ between the browser and other platforms.
	Platform Platform
}

// Store reads objects below a URL. It implements [store.Source] and [store.Remote], and
// [store.Lister] if its server lists.
type Store struct {
	base    base
	opt     Options
	missing map[int]bool
	fetch   fetcher
	limiter *limiter
	suffix  atomic.Bool // ranges bytes=-n need no permission, and the server supports them
	// the server rejected a tag, which may have been that of an encoded answer
	encodes   atomic.Bool
	retries   int
	randomise jitter
	watches   watches
	failures  store.Failures
	lists     *lists
}

var (
	_ store.Source = (*Store)(nil)
	_ store.Lister = (*Store)(nil)
	_ store.Remote = (*Store)(nil)
)

// fetcher sends one request and reads its answer. It applies the limits of the request, and no
// other rule.
type fetcher interface {
	Fetch(ctx context.Context, req request) (response, error)
}

// request is one GET or HEAD, or a write.
type request struct {
	url  string // "" for the object's URL
	head bool
	// write, if set, makes the request a write.
	write *writeRequest
	// headers are the user's headers.
	headers map[string]string
	watch   *watch
	route   *route
	manual  bool             // A fetcher that follows redirects itself must not.
	ask     string           // The Range header, or "".
	asked   *store.ByteRange // The range in the Range header.
	limit   int64            // The largest body of status 200, in bytes.
	part    int64            // The largest body of status 206, in bytes.
	fresh   bool             // The request bypasses the browser's cache.
	once    bool             // A blocked request is not retried.
	probe   bool             // A larger body is not an error: its size is wanted.
	// sized, if set, receives the head of a larger part. The body is read on if it has at most
	// `most` bytes.
	sized func(response)
	most  int64
}

// patient returns the body limit in bytes for an answer: that of its status, or more if sized
// allows it.
func (r request) patient(res response) int64 {
	limit := r.bound(res.status)
	if r.sized != nil && res.status == 206 && res.length > limit && res.length <= r.most && res.encoding == "" {
		r.sized(res)
		return r.most
	}
	return limit
}

// bound returns the body limit in bytes for a status, or -1 if the body is not wanted.
func (r request) bound(status int) int64 {
	switch {
	case r.head || r.write != nil:
		return -1
	case status == 200:
		return r.limit
	case status == 206:
		return r.part
	}
	return -1
}

// writeRequest holds the fields of a write.
type writeRequest struct {
	method string // PUT, DELETE or MKCOL
	body   []byte
	// condition is a header name with its value, or "" and "".
	condition, value string
}

// response is the visible part of an answer: across origins, a browser exposes few headers.
type response struct {
	status       int
	length       int64  // Content-Length; -1 when absent
	encoded      bool   // the body may have been decoded, and Content-Length may not be its length
	encoding     string // a visible Content-Encoding other than identity
	contentType  string
	contentRange string
	retryAfter   string
	etag         string
	modified     string // Last-Modified
	location     string // the target of a redirect that was not followed
	followed     string // the URL of the answer, if a redirect was followed against the request
	body         []byte
	large        bool // a probe found a larger body, which was not read
}

// version returns the version of an object of that size, -1 when unknown.
func (r response) version(size int64) store.Version {
	return store.Version{Size: size, ETag: ascii.TrimSpace(r.etag), Modified: ascii.TrimSpace(r.modified)}
}

// tooLargeError reports a body above the request's limit. Size is in bytes, -1 when unknown.
type tooLargeError struct{ size int64 }

func (e *tooLargeError) Error() string { return "body too large" }

// New returns a store of the objects below a URL. The URL is absolute, http or https, with or
// without a trailing slash. Its query is added to every request. An error is an *[Error] or an
// *[OptionError].
func New(baseURL string, opt Options) (*Store, error) {
	b, err := parseBase(baseURL)
	if err != nil {
		return nil, &Error{URL: weburl.Redact(baseURL), Err: err}
	}
	b.object = opt.Object
	if err := opt.check(); err != nil {
		return nil, &OptionError{err.Error()}
	}
	missing := map[int]bool{404: true, 410: true}
	for _, status := range opt.MissingStatus {
		missing[status] = true
	}
	opt.Concurrency = max(opt.Concurrency, 0)
	if opt.RetryDelay <= 0 {
		opt.RetryDelay = 100 * time.Millisecond
	}
	if opt.MaxBytes <= 0 {
		opt.MaxBytes = 1 << 30
	}
	if opt.Timeout == 0 {
		opt.Timeout = time.Minute
	}
	if opt.Origins == nil {
		opt.Origins = &Origins{}
	}
	retries := opt.Retries
	if retries == 0 {
		retries = 3
	}
	s := &Store{base: b, missing: missing, retries: max(retries, 0), limiter: opt.Origins.limiter(b.origin), lists: &lists{turn: make(chan struct{}, 1)}}
	opt.Headers = cloneHeaders(opt.Headers)
	s.opt = opt
	if opt.Fetch != nil {
		hint, blocks := networkHint(b)
		s.fetch = &customFetcher{opt.Fetch, opt.Cache, hint, blocks}
	} else {
		s.fetch = newFetcher(b, opt)
	}
	s.suffix.Store(!preflight(b, opt))
	return s, nil
}

// check validates the options.
func (o *Options) check() error {
	switch o.Credentials {
	case "", "omit", "same-origin", "include":
	default:
		return errors.New("credentials " + strconv.Quote(o.Credentials) + `: "omit", "same-origin" or "include" expected`)
	}
	switch o.Cache {
	case "", "default", "no-store", "reload", "no-cache", "force-cache":
	default:
		return errors.New("cache " + strconv.Quote(o.Cache) + `: "default", "no-store", "reload", "no-cache" or "force-cache" expected`)
	}
	for _, status := range o.MissingStatus {
		if status != 0 && (status < 400 || status > 599) {
			return errors.New("HTTP status " + strconv.Itoa(status) + " cannot mean that an object is absent")
		}
	}
	return checkHeaders(o.Headers)
}

// Locate implements [store.Locator].
func (s *Store) Locate(_ context.Context, key string) (store.Location, error) {
	return store.At(s, key), nil
}

// Address implements [store.Remote].
func (s *Store) Address(key string) string { return weburl.Redact(s.base.join(key)) }

// URL returns the URL of a key's object, with its query. Messages use [Store.Address].
func (s *Store) URL(key string) string { return s.base.join(key) }

// Sibling returns a store at the same origin with the same options. Without a path, its names are
// percent-encoded URL paths, without the leading slash. With a path, which begins with a slash, it
// holds only the object there, under any name. The query is "" or begins with a question mark, and
// is added to every URL.
//
// redirect is the option of that name.
func (s *Store) Sibling(path, query string, redirect func(ctx context.Context, from, to string) error) (store.Source, error) {
	opt := s.opt
	opt.Object, opt.Redirect = path != "", redirect
	made, err := New(s.base.origin+path+query, opt)
	if err != nil {
		return nil, err
	}
	made.base.encoded, made.fetch = true, s.fetch
	return made, nil
}

// Itself returns a source and a name for the object at the store's own URL; nil when the URL has no
// path.
func (s *Store) Itself() (store.Source, string) {
	if s.base.path != "" {
		if made, err := s.Sibling(s.base.path, s.base.query, s.opt.Redirect); err == nil {
			return made, "object"
		}
	}
	return nil, ""
}

// Alike reports whether another store sends its requests with the same options, except for
// Redirect.
func (s *Store) Alike(other store.Source) bool {
	o, ok := other.(*Store)
	if !ok || s.fetch == o.fetch {
		return ok
	}
	a, b := &s.opt, &o.opt
	return a.HeaderFunc == nil && b.HeaderFunc == nil && a.Fetch == nil && b.Fetch == nil && maps.Equal(a.Headers, b.Headers) &&
		maps.Equal(s.missing, o.missing) && a.Credentials == b.Credentials && a.Cache == b.Cache && a.Concurrency == b.Concurrency &&
		s.retries == o.retries && a.RetryDelay == b.RetryDelay && a.Timeout == b.Timeout && a.MaxBytes == b.MaxBytes &&
		a.UseSuffixRequest == b.UseSuffixRequest
}

// Read implements [store.Source]. The end of an object takes one request if the browser needs no
// permission from the server. Otherwise it takes two, unless the hint helps: see probe.go. An empty
// range takes one request for the object's size, because the range must lie in an existing object.
//
// After a rejected or abandoned answer, requests for the object bypass the browser's cache. Cached
// ranges may carry the headers of another range.
func (s *Store) Read(ctx context.Context, key string, ask store.Ask) (store.Extent, error) {
	if err := ctx.Err(); err != nil {
		return store.Extent{}, err
	}
	if err := store.CheckKey(key); err != nil {
		return store.Extent{}, err
	}
	e, err := s.read(ctx, key, ask)
	if err != nil && err != ctx.Err() && !errors.Is(err, fs.ErrNotExist) {
		s.failures.Note(s.base.join(key))
	}
	return e, err
}

func (s *Store) read(ctx context.Context, key string, ask store.Ask) (store.Extent, error) {
	r := ask.Range
	if r == nil {
		if Writes && ask.Fresh && s.encodes.Load() {
			// Servers that encode answers may give those their own tags, as Apache does ("…-gzip").
			// For writes they accept only the object's tag. A part is never encoded, so ask for the
			// whole object as one part.
			e, err := s.readRange(ctx, key, of(ask, store.ByteRange{Length: s.sizeLimit(ask), Short: true}), -1)
			if err == nil && e.Offset == 0 && e.Size == int64(len(e.Bytes)) {
				return e, nil
			}
		}
		res, err := s.send(ctx, key, request{limit: s.sizeLimit(ask), fresh: ask.Fresh, once: ask.Probe})
		if err != nil {
			return store.Extent{}, err
		}
		return s.whole(key, res)
	}
	if !r.Suffix || s.opt.UseSuffixRequest || r.Length <= 0 || !s.suffix.Load() {
		return s.ranged(ctx, key, ask, s.opt.UseSuffixRequest)
	}
	e, err := s.readRange(ctx, key, ask, -1)
	var failed *Error
	if errtype.As(err, &failed) {
		switch failed.Status {
		case 200, 206, 400, 405, 416, 501:
			if e, err = s.ranged(ctx, key, ask, false); err == nil {
				s.suffix.Store(false) // the server does not support such ranges
			}
		}
	}
	return e, err
}

// Concurrency returns the option of that name: the limit of simultaneous requests, 0 when the store
// decides.
func (s *Store) Concurrency() int { return s.opt.Concurrency }

// sizeLimit returns the size limit of a whole object in bytes.
func (s *Store) sizeLimit(ask store.Ask) int64 {
	if ask.MaxBytes > 0 {
		return min(ask.MaxBytes, s.opt.MaxBytes)
	}
	return s.opt.MaxBytes
}

// of returns ask with another range.
func of(ask store.Ask, r store.ByteRange) store.Ask {
	ask.Range = &r
	return ask
}

// whole checks an answer with a whole object.
func (s *Store) whole(key string, res response) (store.Extent, error) {
	if err := s.checkLength(key, res); err != nil {
		return store.Extent{}, err
	}
	if err := s.checkHTML(key, res, 0); err != nil {
		return store.Extent{}, err
	}
	return store.Extent{Bytes: res.body, Version: res.version(int64(len(res.body)))}, nil
}

// ranged reads a range. It uses a suffix request only if suffix is true.
func (s *Store) ranged(ctx context.Context, key string, ask store.Ask, suffix bool) (store.Extent, error) {
	if r := ask.Range; r.Length > 0 && (!r.Suffix || suffix) {
		return s.readRange(ctx, key, ask, -1)
	}
	for attempt := 0; ; attempt++ {
		e, err := s.measured(ctx, key, ask)
		if errors.Is(err, store.ErrChanged) && attempt == 0 {
			continue // once: the object was replaced between the two requests
		}
		return e, err
	}
}

// Size returns the size in bytes of the object under the key.
func (s *Store) Size(ctx context.Context, key string) (int64, error) {
	if err := ready(ctx, key); err != nil {
		return 0, err
	}
	v, err := s.size(ctx, key)
	if err == nil && v.Size < 0 {
		err = s.fail(key, 0, "", errors.New("the server does not report the object's size"))
	}
	return v.Size, err
}

func ready(ctx context.Context, key string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return store.CheckKey(key)
}

// measured asks for the object's size, then reads the range.
func (s *Store) measured(ctx context.Context, key string, ask store.Ask) (store.Extent, error) {
	r := *ask.Range
	if r.Suffix && r.Length > 0 && (ask.From > 0 || ask.Enough >= r.Length) {
		return s.end(ctx, key, ask)
	}
	v, err := s.size(ctx, key)
	if err != nil {
		return store.Extent{}, err
	}
	if v.Size < 0 {
		if !r.Suffix || r.Length <= 0 {
			// Only the object itself shows its size.
			ask.Range = nil
			e, err := s.read(ctx, key, ask)
			if err == nil {
				_, err = e.Cut(key, r)
			}
			return e, err
		}
		return s.readRange(ctx, key, ask, -1)
	}
	return s.readKnown(ctx, key, ask, v)
}

// readKnown reads a range of an object with a known version and size.
func (s *Store) readKnown(ctx context.Context, key string, ask store.Ask, v store.Version) (store.Extent, error) {
	from, to, err := ask.Range.Resolve(v.Size)
	if err != nil {
		return store.Extent{}, &store.KeyError{Op: "get", Key: key, Err: err}
	}
	if from == to {
		return store.Extent{Bytes: []byte{}, Offset: from, Version: v}, nil
	}
	e, err := s.readRange(ctx, key, of(ask, store.ByteRange{Offset: from, Length: to - from}), v.Size)
	if err == nil && v.Contradicts(e.Version) {
		err = s.fail(key, 0, "", store.ErrChanged)
	}
	return e, err
}

// size asks for an object's size and version. The size is -1 when the server does not answer such
// requests.
func (s *Store) size(ctx context.Context, key string) (store.Version, error) {
	// Browsers request no compression together with a range. Otherwise Content-Length could be that
	// of a compressed body, undetected.
	res, err := s.send(ctx, key, request{head: true, ask: "bytes=0-"})
	if err != nil {
		var e *Error
		if !errtype.As(err, &e) {
			return store.Unknown, err
		}
		switch {
		case e.Status == 416: // empty object
			return store.Version{}, nil
		case e.Status >= 400 && e.Status <= 405, e.Status == 501, e.Status == 0, s.missing[e.Status]:
			// The server may forbid HEAD, or the URL's signature may not cover it: a GET will tell.
			return store.Unknown, nil
		}
		return store.Unknown, err
	}
	if res.status == 206 && res.contentRange != "" {
		if _, _, total, ok := parseContentRange(res.contentRange); ok {
			return res.version(total), nil // -1 for "*"
		}
	}
	if res.encoding != "" || res.html() && !isPage(key) {
		return store.Unknown, nil // reading will report the cause
	}
	return res.version(res.length), nil
}

// readRange reads a range of at least one byte. Size is the object's size in bytes, or -1.
func (s *Store) readRange(ctx context.Context, key string, ask store.Ask, size int64) (store.Extent, error) {
	r := *ask.Range
	if r.Offset < 0 || r.Length <= 0 || r.Offset > maxOffset || r.Length > maxOffset {
		return store.Extent{}, &store.KeyError{Op: "get", Key: key, Err: store.ErrRange}
	}
	if r.Length > s.opt.MaxBytes {
		return store.Extent{}, s.tooLarge(key, r.Length, s.opt.MaxBytes, "the range")
	}
	res, err := s.send(ctx, key, request{ask: r.String(), asked: &r, limit: max(r.Length, s.sizeLimit(ask)), part: r.Length, fresh: ask.Fresh})
	if err != nil {
		return store.Extent{}, err
	}
	if res.status == 200 {
		e, err := s.whole(key, res)
		if err != nil {
			return store.Extent{}, err
		}
		if size >= 0 && size != e.Size {
			return store.Extent{}, s.fail(key, 200, "", store.ErrChanged)
		}
		_, err = e.Cut(key, r)
		return e, err
	}
	if err := s.checkPart(key, res, r, size); err != nil {
		return store.Extent{}, err
	}
	e := store.Extent{Bytes: res.body, Offset: r.Offset, Version: res.version(size)}
	if _, _, total, ok := parseContentRange(res.contentRange); ok && total >= 0 {
		e.Size = total
	}
	n := int64(len(res.body))
	if n < r.Length && e.Size < 0 {
		e.Size = n + r.Offset // a short range ends at the object's end
	}
	if r.Suffix {
		e.Offset = -1
		if e.Size >= 0 {
			e.Offset = e.Size - n
		}
	}
	return e, nil
}

// maxOffset bounds offsets and lengths, so that JavaScript and servers represent their sum exactly.
const maxOffset = 1 << 53
