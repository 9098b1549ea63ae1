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
)

// Platform has what differs between the browser and elsewhere.
type Platform struct {
	// Client sends the requests; nil for one of the store's own. It is
	// copied, and follows redirects by the store's rules on top of its own.
	Client *http.Client
}

// client is the fetcher over net/http.
type client struct{ http http.Client }

func newFetcher(b base, opt Options) fetcher {
	c := &client{}
	if opt.Platform.Client != nil {
		c.http = *opt.Platform.Client
	} else if t, ok := http.DefaultTransport.(*http.Transport); ok {
		// The default keeps two connections to a host and opens the others anew.
		t = t.Clone()
		t.MaxIdleConnsPerHost = max(opt.Concurrency, manyRequests)
		t.IdleConnTimeout = 30 * time.Second
		c.http.Transport = t
	}
	ask := c.http.CheckRedirect
	c.http.CheckRedirect = func(req *http.Request, via []*http.Request) error {
		if via[0].Method != http.MethodGet && via[0].Method != http.MethodHead {
			return http.ErrUseLastResponse // a write that is sent elsewhere may become a GET, which succeeds
		}
		stay := origin(req.URL) == b.origin
		for _, before := range via {
			// After another origin they stay away: that origin chose where the redirect leads.
			stay = stay && origin(before.URL) == b.origin
		}
		if !stay {
			for name := range req.Header {
				// The user's may be secrets, and Referer has the query.
				if name != "Range" && name != "User-Agent" && name != "Accept" && name != "Accept-Encoding" {
					delete(req.Header, name)
				}
			}
		}
		if ask != nil {
			return ask(req, via)
		}
		if len(via) >= 10 {
			return errors.New("too many redirects")
		}
		return nil
	}
	return c
}

// optMissingStatus is how the option is written.
const optMissingStatus = "MissingStatus"

// networkHint says what a request may fail of that gets no answer, and whether a browser may have kept it back.
func networkHint(base) (hint string, blocks bool) { return "", false }

// keepsAnswers tells whether there is a cache between the store and the server: only browsers have one.
func keepsAnswers() bool { return false }

// preflight says whether a request needs the server's permission for bytes=-n alone: only
// browsers ask for it.
func preflight(base, Options) bool { return false }

// origin returns a URL's origin as base has it.
func origin(u *url.URL) string {
	b, err := parseBase(u.Scheme + "://" + u.Host)
	if err != nil {
		return ""
	}
	return b.origin
}

func (c *client) Fetch(ctx context.Context, ask request) (response, error) {
	req, err := ask.http(ctx)
	if err != nil {
		return response{}, &failure{err: cause(err), final: true}
	}
	for name, value := range ask.headers {
		req.Header.Set(name, value)
	}
	if ask.ask != "" {
		req.Header.Set("Range", ask.ask)
	}
	answer, err := c.http.Do(req)
	if err != nil {
		return response{}, &failure{err: cause(err)}
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
		// Read to its end, the connection can be used again.
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
		res.encoding = encoding // a part of compressed bytes, which cannot be decompressed
	case encoding == "gzip" || encoding == "x-gzip":
		// As a browser does, also to what was not asked to be compressed.
		z, err := gzip.NewReader(answer.Body)
		if err != nil {
			return res, &failure{err: cause(err)}
		}
		body, hint = z, -1
	default:
		return res, &failure{err: errors.New("the body has an encoding that was not asked for: " + clip(encoding)), final: true}
	}
	res.body, err = readAll(body, hint, limit, ask.watch)
	if err != nil {
		var large *tooLargeError
		if errors.As(err, &large) {
			return res, err
		}
		return res, &failure{err: cause(err)}
	}
	return res, nil
}

// cause strips an error of net/http of the URL, whose query may be secret.
func cause(err error) error {
	var e *url.Error
	if errors.As(err, &e) {
		return e.Err
	}
	return err
}

// readAll reads at most limit bytes. The hint is how many there should be, or -1; a
// server that promises much gets memory only as its bytes arrive.
func readAll(r io.Reader, hint, limit int64, w *watch) ([]byte, error) {
	size := int64(64 << 10)
	if hint >= 0 {
		size = min(hint+1, 4<<20) // one more, to see the end
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

// uploaded tells a watch of a body's bytes as they are sent.
type uploaded struct {
	*bytes.Reader
	watch *watch
}

func (u *uploaded) Read(b []byte) (int, error) {
	n, err := u.Reader.Read(b[:min(len(b), perTimeout)])
	u.watch.alive(0)
	return n, err
}

// http makes the request of net/http.
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
