//go:build !js

package httpstore

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/zarr-wasm/zarr-wasm/internal/errtype"
	"github.com/zarr-wasm/zarr-wasm/internal/weburl"
)

// Platform holds the parts that differ between the browser and other platforms.
type Platform struct {
	// Client sends the requests; nil selects the store's own client. The store copies it, and
	// applies its redirect rules in addition to the client's.
	Client *http.Client
}

// client is the fetcher over net/http.
type client struct{ http http.Client }

func newFetcher(_ base, opt Options) fetcher {
	c := &client{}
	if opt.Platform.Client != nil {
		c.http = *opt.Platform.Client
	} else if t, ok := http.DefaultTransport.(*http.Transport); ok {
		// The default transport keeps two idle connections per host and reopens the others.
		t = t.Clone()
		t.MaxIdleConnsPerHost = max(opt.Concurrency, manyRequests)
		t.IdleConnTimeout = 30 * time.Second
		c.http.Transport = t
	}
	return c
}

// optMissingStatus is the option's name in Go.
const optMissingStatus = "MissingStatus"

// networkHint returns likely causes of a request without an answer, and whether a browser may have
// hidden one.
func networkHint(base) (hint string, blocks bool) { return "", false }

// inBrowser reports whether the platform is a browser.
func inBrowser() bool { return false }

// dropsAuthorization reports whether the platform follows redirects and drops the header
// Authorization for other origins.
func dropsAuthorization() bool { return false }

// preflight reports whether bytes=-n alone would make a request need the server's permission. Only
// browsers ask for it.
func preflight(base, Options) bool { return false }

// redirect is the CheckRedirect of one request. It applies the store's rule, then the client's own.
func (c *client) redirect(ctx context.Context, ask request, next *http.Request, via []*http.Request) error {
	if ask.write != nil {
		return http.ErrUseLastResponse // a redirected write may become a GET, which would succeed
	}
	if _, err := ask.route.follow(ctx, next.URL.String()); err != nil {
		return err
	}
	if ask.route.away {
		// net/http copies the first request's headers to each redirect. Referer holds the query.
		for name := range next.Header {
			if name != "Range" {
				delete(next.Header, name)
			}
		}
	}
	if c.http.CheckRedirect != nil {
		return c.http.CheckRedirect(next, via)
	}
	return nil
}

func (c *client) Fetch(ctx context.Context, ask request) (response, error) {
	req, err := ask.http(ctx)
	if err != nil {
		return response{}, errInvalid
	}
	for name, value := range ask.headers {
		req.Header.Set(name, value)
	}
	if ask.ask != "" {
		req.Header.Set("Range", ask.ask)
	}
	sender := c.http
	sender.CheckRedirect = func(next *http.Request, via []*http.Request) error { return c.redirect(ctx, ask, next, via) }
	answer, err := sender.Do(req)
	if err != nil {
		return response{}, cause(err)
	}
	defer answer.Body.Close()
	ask.watch.alive(0)
	encoding := strings.ToLower(strings.TrimSpace(answer.Header.Get("Content-Encoding")))
	if encoding == "identity" {
		encoding = ""
	}
	res := response{
		status:       answer.StatusCode,
		length:       answer.ContentLength,
		encoded:      answer.Uncompressed || encoding != "",
		contentType:  answer.Header.Get("Content-Type"),
		contentRange: answer.Header.Get("Content-Range"),
		retryAfter:   answer.Header.Get("Retry-After"),
		etag:         answer.Header.Get("Etag"),
		modified:     answer.Header.Get("Last-Modified"),
	}
	limit := ask.bound(res.status)
	if limit < 0 {
		if ask.head {
			res.encoding = encoding
		}
		// Reading to the end frees the connection.
		_, _ = io.CopyN(io.Discard, answer.Body, 64<<10)
		return res, nil
	}
	limit = ask.patient(res)
	if res.length > limit && !res.encoded {
		return res, &tooLargeError{res.length}
	}
	body, hint := io.Reader(answer.Body), res.length
	switch {
	case encoding == "":
	case res.status == http.StatusPartialContent:
		res.encoding = encoding // a part of compressed bytes cannot be decompressed
	case encoding == "gzip" || encoding == "x-gzip":
		// Like a browser, decompress even if no compression was requested.
		z, err := gzip.NewReader(answer.Body)
		if err != nil {
			return res, cause(err)
		}
		body, hint = z, -1
	default:
		return res, &failure{err: errors.New("the body has an encoding that was not requested: " + clip(encoding)), final: true}
	}
	res.body, err = readAll(body, hint, limit, ask.watch)
	if err != nil {
		var large *tooLargeError
		if errtype.As(err, &large) {
			return res, err
		}
		return res, cause(err)
	}
	return res, nil
}

// cause converts an error of net/http into a failure.
func cause(err error) error {
	var failed *failure
	if errtype.As(err, &failed) {
		return failed
	}
	var e *url.Error
	if errtype.As(err, &e) {
		err = e.Err // the URL is secret
	}
	if strings.HasPrefix(err.Error(), "failed to parse Location header") {
		// the error of net/http quotes the header
		return &failure{err: errors.New("the server redirects to an invalid address"), final: true}
	}
	// Quoted texts come from the server, which may repeat the address.
	parts := strings.Split(err.Error(), `"`)
	for i := 1; i < len(parts); i += 2 {
		parts[i] = "..."
	}
	if len(parts) > 1 {
		err = scrubbed{err, strings.Join(parts, `"`)}
	}
	return &failure{err: scrub(err)}
}

// scrub removes secret parts of addresses from the message of a foreign error.
func scrub(err error) error {
	if shown := weburl.Scrub(err.Error()); shown != err.Error() {
		return scrubbed{err, shown}
	}
	return err
}

type scrubbed struct {
	error
	shown string
}

func (s scrubbed) Error() string { return s.shown }
func (s scrubbed) Unwrap() error { return s.error }

// resolve resolves the header Location of an answer against its URL.
func resolve(from, location string) string {
	base, err := url.Parse(from)
	if err != nil {
		return ""
	}
	to, err := base.Parse(location)
	if err != nil {
		return ""
	}
	return to.String()
}

// readAll reads at most limit bytes. The hint is the expected number, or -1. Memory grows with the
// received bytes, whatever a server announces.
func readAll(r io.Reader, hint, limit int64, w *watch) ([]byte, error) {
	size := int64(64 << 10)
	if hint >= 0 {
		size = min(hint+1, 4<<20) // one more byte, to detect the end
	}
	buf := make([]byte, 0, min(size, limit+1))
	for came := 0; ; {
		n, err := r.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if came += n; came >= perTimeout {
			came = 0
			w.alive(0)
		}
		switch {
		case int64(len(buf)) > limit:
			return nil, &tooLargeError{-1}
		case err == io.EOF:
			return buf, nil
		case err != nil:
			return nil, err
		case len(buf) == cap(buf):
			size = min(2*int64(cap(buf)), limit+1)
			if int64(cap(buf)) <= hint {
				size = min(size, hint+1)
			}
			grown := make([]byte, len(buf), size)
			copy(grown, buf)
			buf = grown
		}
	}
}

// uploaded reports progress to a watch while a body is sent.
type uploaded struct {
	*bytes.Reader
	watch *watch
}

func (u *uploaded) Read(b []byte) (int, error) {
	n, err := u.Reader.Read(b[:min(len(b), perTimeout)])
	u.watch.alive(0)
	return n, err
}

// http converts the request for net/http.
func (r request) http(ctx context.Context) (*http.Request, error) {
	w := r.write
	switch {
	case w == nil && r.head:
		return http.NewRequestWithContext(ctx, http.MethodHead, r.url, nil)
	case w == nil:
		return http.NewRequestWithContext(ctx, http.MethodGet, r.url, nil)
	}
	var body io.Reader
	if w.method == methodPut {
		body = http.NoBody
		if len(w.body) > 0 {
			body = &uploaded{bytes.NewReader(w.body), r.watch}
		}
	}
	req, err := http.NewRequestWithContext(ctx, w.method, r.url, body)
	if err != nil {
		return nil, err
	}
	if len(w.body) > 0 {
		req.ContentLength = int64(len(w.body))
		req.GetBody = func() (io.ReadCloser, error) {
			return io.NopCloser(&uploaded{bytes.NewReader(w.body), r.watch}), nil
		}
	}
	if w.condition != "" {
		req.Header.Set(w.condition, w.value)
	}
	return req, nil
}
