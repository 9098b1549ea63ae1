// Package httpstore is a source over HTTP: objects below a URL, read whole or by
// byte ranges.
//
// The rules are the same in the browser (fetch_js.go, over fetch) and elsewhere
// (fetch_native.go, over net/http): what absence is, what is retried, what
// an answer must be like before its bytes are believed.
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
	"github.com/zarr-wasm/zarr-wasm/internal/weburl"
	"github.com/zarr-wasm/zarr-wasm/store"
)

// Options are a store's options. The zero value is ready to use.
type Options struct {
	// Object says that the URL is that of one object. It is read whatever its name.
	Object bool
	// Headers go with every request to the origin of the base URL, and to no other origin: see Redirect.
	Headers map[string]string
	// HeaderFunc gives further headers for a request, such as a token that expires; nil for none. They
	// win over those of the same name in Headers. Its error fails the request.
	HeaderFunc func(context.Context) (map[string]string, error)
	// Credentials is fetch's option of that name: "omit", "same-origin" or
	// "include"; "" is the browser's default. Without effect outside of the browser.
	Credentials string
	// MissingStatus are HTTP statuses that mean that an object is absent,
	// besides 404 and 410. Stores that do not let the public list answer 403. 0 is for those whose
	// answers for absent objects a browser blocks: what it blocks twice is then absent.
	MissingStatus []int
	// Concurrency is how many requests are under way at once to the origin, those of other stores
	// that share Origins counted too; by default 16, and 64 as long as answers are small.
	Concurrency int
	// Origins is shared by stores whose requests to one origin are counted together; nil for
	// those of this store alone.
	Origins *Origins
	// Retries is how often a request that failed for what may pass is sent
	// again; default 3, none when negative.
	Retries int
	// RetryDelay is about how long the first retry waits, and every further
	// one twice as long as the one before; default 100 ms, never more than 10 s.
	RetryDelay time.Duration
	// Timeout is how long to wait for an answer to begin, and for every further 256 KiB of it, before
	// the request counts as failed and is sent again; default 60 s, without end when negative.
	Timeout time.Duration
	// MaxBytes is the size of the largest body that is accepted; default 1 GiB.
	MaxBytes int64
	// Cache is fetch's option of that name: "default", "no-store", "reload", "no-cache" or
	// "force-cache". Empty is "default", save for a range of an object of which another is under way: that
	// one is read past the browser's cache, because in Chromium it would wait there for the
	// other. Without effect outside of the browser.
	Cache string
	// UseSuffixRequest reads the end of an object by one request
	// (bytes=-n) instead of asking for its size first. Across origins that makes the
	// browser ask the server for permission, and not every server knows such ranges.
	UseSuffixRequest bool
	// Fetch sends the requests in place of the platform; nil for the platform's. It does not
	// return before the body is read, and ends with its context.
	Fetch func(context.Context, FetchRequest) (FetchResponse, error)
	// Redirect, if set, judges each redirect before it is followed: from is the URL that was asked for, without its query,
	// and to the origin that the redirect leads to, as scheme, host and port. Its error is that of the request. Browsers do not
	// say where a redirect leads: there, to is empty, and no redirect is followed whatever the answer.
	//
	// Without it redirects are followed, to other origins without Headers, Credentials and Fetch. A browser that would send these
	// along fails the request.
	Redirect func(ctx context.Context, from, to string) error
	// Platform has what differs between the browser and elsewhere.
	Platform Platform
}

// Store reads objects below a URL. It implements [store.Source] and [store.Remote], and [store.Lister] as far as its server
// lists.
type Store struct {
	base      base
	opt       Options
	missing   map[int]bool
	fetch     fetcher
	limiter   *limiter
	suffix    atomic.Bool // ranges bytes=-n need no permission, and the server knows them
	encodes   atomic.Bool // the server did not know a tag again: it may have been that of an encoded answer
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

// fetcher sends one request and reads its answer. It applies the limits of the
// request, and no other rule.
type fetcher interface {
	Fetch(ctx context.Context, req request) (response, error)
}

// request is one GET or HEAD, or one that writes.
type request struct {
	url  string // "" for the object's
	head bool
	// write, if set, is the request that writes.
	write *writeRequest
	// headers are the user's
	headers map[string]string
	watch   *watch
	route   *route
	manual  bool             // a fetcher that would follow redirects by itself does not
	ask     string           // the Range header, or ""
	asked   *store.ByteRange // what the Range header says
	limit   int64            // a body of status 200 may have this many bytes
	part    int64            // a body of status 206 may have this many
	fresh   bool             // past the browser's cache
	once    bool             // when it is blocked, it is not sent again
	probe   bool             // a body that is larger is no error: its size is wanted
	// sized, if set, is told of the size of a part that is larger, and the part is read on if it has no
	// more than most bytes.
	sized func(response)
	most  int64
}

// patient returns the limit for the body of an answer: that of its status, or more if it is
// to be read on.
func (r request) patient(res response) int64 {
	limit := r.bound(res.status)
	if r.sized != nil && res.status == 206 && res.length > limit && res.length <= r.most && res.encoding == "" {
		r.sized(res)
		return r.most
	}
	return limit
}

// bound returns how large a body of that status may be, or -1 when no reader
// wants it.
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

// writeRequest is what a request has that writes.
type writeRequest struct {
	method string // PUT, DELETE or MKCOL
	body   []byte
	// condition is a header and its value, or "" and "".
	condition, value string
}

// response is the answer to a request, as far as it can be seen: across
// origins, a browser shows few headers.
type response struct {
	status       int
	length       int64  // Content-Length; -1 when absent
	encoded      bool   // the body need not be as long as Content-Length says: it was, or may have been, decoded on the way
	encoding     string // Content-Encoding that is known and not identity
	contentType  string
	contentRange string
	retryAfter   string
	etag         string
	modified     string // Last-Modified
	location     string // of a redirect that was not followed
	followed     string // the URL that the answer came from, where a redirect was followed against the request
	body         []byte
	large        bool // the body is larger than asked for by a probe, and was not read
}

// version is what the answer says of the version of an object of that size, -1 when it is not known.
func (r response) version(size int64) store.Version {
	return store.Version{Size: size, ETag: ascii.TrimSpace(r.etag), Modified: ascii.TrimSpace(r.modified)}
}

// tooLargeError says that a body is larger than the request allows. Size is -1
// when it is not known.
type tooLargeError struct{ size int64 }

func (e *tooLargeError) Error() string { return "body too large" }

// New returns a store of the objects below a URL. The URL is absolute, http or https;
// with or without a slash at its end; its query goes on every request. An error is an *[Error] or an *[OptionError].
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

// check tells what is wrong with options.
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

// URL returns the URL of the object under a key, with its query: [Store.Address] is for messages.
func (s *Store) URL(key string) string { return s.base.join(key) }

// Sibling returns a store at the same origin with the same options. The names of its objects are the paths of
// their URLs, percent-encoded, without the leading slash; or with a path, which begins with a slash, it has the one object that
// is there, under any name. All have the query, which is "" or begins with a question mark.
//
// Redirect is the option of that name.
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

// Itself returns a source and the name in it of what is at the store's own URL, which may be an object; nil where there can be
// none.
func (s *Store) Itself() (store.Source, string) {
	if s.base.path != "" {
		if made, err := s.Sibling(s.base.path, s.base.query, s.opt.Redirect); err == nil {
			return made, "object"
		}
	}
	return nil, ""
}

// Alike tells whether another store sends its requests with the same options, apart from Redirect.
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

// Read implements [store.Source]. The end of an object takes one request where the
// browser need not ask the server for permission to send it. Elsewhere it takes two unless the
// hint helps: see probe.go. A range of no bytes takes one for the object's size, because it still has to lie
// in an object that exists.
//
// After an answer that is not what was asked for, or that nobody waited for, the object is asked for past the browser's cache: what is
// kept there of one range has the headers of another.
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
			// A server that encodes answers may give those tags of their own, as Apache does ("…-gzip"), and knows only the object's when it is
			// written over. A part is never encoded, and all of the object is one.
			e, err := s.part(ctx, key, of(ask, store.ByteRange{Length: s.most(ask), Short: true}), -1)
			if err == nil && e.Offset == 0 && e.Size == int64(len(e.Bytes)) {
				return e, nil
			}
		}
		res, err := s.send(ctx, key, request{limit: s.most(ask), fresh: ask.Fresh, once: ask.Probe})
		if err != nil {
			return store.Extent{}, err
		}
		return s.whole(key, res)
	}
	if !r.Suffix || s.opt.UseSuffixRequest || r.Length <= 0 || !s.suffix.Load() {
		return s.ranged(ctx, key, ask, s.opt.UseSuffixRequest)
	}
	e, err := s.part(ctx, key, ask, -1)
	var failed *Error
	if errors.As(err, &failed) {
		switch failed.Status {
		case 200, 206, 400, 405, 416, 501:
			if e, err = s.ranged(ctx, key, ask, false); err == nil {
				s.suffix.Store(false) // it does not know such ranges
			}
		}
	}
	return e, err
}

// Concurrency is the option of that name: how many requests are under way at once, 0 where the store decides.
func (s *Store) Concurrency() int { return s.opt.Concurrency }

// most is the size of the largest whole object that is taken.
func (s *Store) most(ask store.Ask) int64 {
	if ask.Most > 0 {
		return min(ask.Most, s.opt.MaxBytes)
	}
	return s.opt.MaxBytes
}

// of returns the ask for a range of the same object.
func of(ask store.Ask, r store.ByteRange) store.Ask {
	ask.Range = &r
	return ask
}

// whole checks the answer that has all of an object.
func (s *Store) whole(key string, res response) (store.Extent, error) {
	if err := s.checkLength(key, res); err != nil {
		return store.Extent{}, err
	}
	if err := s.checkHTML(key, res, 0); err != nil {
		return store.Extent{}, err
	}
	return store.Extent{Bytes: res.body, Version: res.version(int64(len(res.body)))}, nil
}

// ranged reads a range, by a suffix request only if that is wanted.
func (s *Store) ranged(ctx context.Context, key string, ask store.Ask, suffix bool) (store.Extent, error) {
	if r := ask.Range; r.Length > 0 && (!r.Suffix || suffix) {
		return s.part(ctx, key, ask, -1)
	}
	for attempt := 0; ; attempt++ {
		e, err := s.measured(ctx, key, ask)
		if errors.Is(err, store.ErrChanged) && attempt == 0 {
			continue // once: it was replaced between the two requests
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
		err = s.fail(key, 0, "", errors.New("the server does not say how large the object is"))
	}
	return v.Size, err
}

func ready(ctx context.Context, key string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return store.CheckKey(key)
}

// measured reads a range after it has learned the size of the object.
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
			// Nothing but the object itself can tell.
			ask.Range = nil
			e, err := s.read(ctx, key, ask)
			if err == nil {
				_, err = e.Cut(key, r)
			}
			return e, err
		}
		return s.part(ctx, key, ask, -1)
	}
	return s.known(ctx, key, ask, v)
}

// known reads a range of an object of which a version with its size is known.
func (s *Store) known(ctx context.Context, key string, ask store.Ask, v store.Version) (store.Extent, error) {
	from, to, err := ask.Range.Resolve(v.Size)
	if err != nil {
		return store.Extent{}, &store.KeyError{Op: "get", Key: key, Err: err}
	}
	if from == to {
		return store.Extent{Bytes: []byte{}, Offset: from, Version: v}, nil
	}
	e, err := s.part(ctx, key, of(ask, store.ByteRange{Offset: from, Length: to - from}), v.Size)
	if err == nil && v.Contradicts(e.Version) {
		err = s.fail(key, 0, "", store.ErrChanged)
	}
	return e, err
}

// size asks for an object's size and version. The size is -1 when the server does
// not answer such questions.
func (s *Store) size(ctx context.Context, key string) (store.Version, error) {
	// A browser that asks for a range asks for no compression. Without, Content-Length
	// may be that of a compressed body, and nothing would show it.
	res, err := s.send(ctx, key, request{head: true, ask: "bytes=0-"})
	if err != nil {
		var e *Error
		if !errors.As(err, &e) {
			return store.Unknown, err
		}
		switch {
		case e.Status == 416: // no bytes at all
			return store.Version{}, nil
		case e.Status >= 400 && e.Status <= 405, e.Status == 501, e.Status == 0, s.missing[e.Status]:
			// HEAD may be what is not allowed, or not covered by the URL's signature: a GET will tell.
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
		return store.Unknown, nil // reading will say what there is to say
	}
	return res.version(res.length), nil
}

// part reads a range of at least one byte. Size is that of the object, or -1.
func (s *Store) part(ctx context.Context, key string, ask store.Ask, size int64) (store.Extent, error) {
	r := *ask.Range
	if r.Offset < 0 || r.Length <= 0 || r.Offset > maxOffset || r.Length > maxOffset {
		return store.Extent{}, &store.KeyError{Op: "get", Key: key, Err: store.ErrRange}
	}
	if r.Length > s.opt.MaxBytes {
		return store.Extent{}, s.tooLarge(key, r.Length, s.opt.MaxBytes, "the range")
	}
	res, err := s.send(ctx, key, request{ask: r.String(), asked: &r, limit: max(r.Length, s.most(ask)), part: r.Length, fresh: ask.Fresh})
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
		e.Size = n + r.Offset // a short range ends where the object does
	}
	if r.Suffix {
		e.Offset = -1
		if e.Size >= 0 {
			e.Offset = e.Size - n
		}
	}
	return e, nil
}

// maxOffset keeps the sum of an offset and a length within what JavaScript and servers can count.
const maxOffset = 1 << 53
