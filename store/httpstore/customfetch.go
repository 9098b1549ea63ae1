package httpstore

import (
	"context"
	"errors"
	"strconv"

	"github.com/zarr-wasm/zarr-wasm/internal/ascii"
)

// FetchRequest is a request for [Options.Fetch].
type FetchRequest struct {
	Method  string // GET or HEAD; for writes PUT, DELETE or MKCOL
	URL     string
	Headers map[string]string
	Body    []byte // the body of a PUT
	// Redirect is "manual" when the store follows or rejects redirects itself; else "follow".
	Redirect string
	// Cache is fetch's option of that name, or "".
	Cache string
	// Limits are the largest bodies, in bytes, for status 200 and for status 206. Fetch need not
	// read a larger body. The store ignores bodies of other statuses.
	Limits [2]int64
}

// FetchResponse is the answer of [Options.Fetch].
type FetchResponse struct {
	Status int
	// Headers has names in lower case.
	Headers map[string]string
	// Type is the type of fetch's Response; for "basic" all headers are visible. "invalid" reports
	// a URL that cannot be parsed. "slow" reports a server that was silent for Options.Timeout:
	// before its answer began when Status is 0, else during its body.
	Type string
	Body []byte
	// URL is the address of the answer if Fetch followed a redirect.
	URL string
	// Refused, if not "", names the rule of the page that forbids the request.
	Refused string
	// Large, if not 0, is the size in bytes of an unread body above its limit; negative when
	// unknown.
	Large int64
}

// customFetcher is the fetcher over Options.Fetch.
type customFetcher struct {
	fetch  func(context.Context, FetchRequest) (FetchResponse, error)
	cache  string
	hint   string
	blocks bool // a failed request may have been blocked
}

func (f *customFetcher) Fetch(ctx context.Context, ask request) (response, error) {
	method := "GET"
	if ask.head {
		method = "HEAD"
	}
	redirect := "follow"
	if ask.manual {
		redirect = "manual"
	}
	headers := cloneHeaders(ask.headers)
	if ask.ask != "" {
		headers["range"] = ask.ask
	}
	var body []byte
	if w := ask.write; w != nil {
		method, body = w.method, w.body
		if w.condition != "" {
			headers[ascii.Lower(w.condition)] = w.value
		}
	}
	// Only Fetch sees when the answer begins and continues. Here it must end within the time of the
	// largest body.
	ask.watch.expect(max(ask.part, ask.limit), false)
	answer, err := f.fetch(ctx, FetchRequest{Method: method, URL: ask.url, Headers: headers, Body: body, Redirect: redirect, Cache: cacheMode(f.cache, ask), Limits: [2]int64{ask.limit, ask.part}})
	switch {
	case ctx.Err() != nil:
		return response{}, ctx.Err()
	case err != nil:
		if f.blocks {
			err = blocked{err}
		}
		return response{}, &failure{hint: f.hint, err: err}
	case answer.Type == "slow":
		ask.watch.late(answer.Status != 0)
		return response{}, errSlow
	case answer.Type == "invalid":
		return response{}, errInvalid
	case answer.Refused != "":
		return response{}, &failure{err: errors.New(answer.Refused), final: true}
	case answer.Type == "opaqueredirect":
		return response{}, errOpaque
	case answer.Status == 0:
		return response{}, &failure{err: errors.New("an answer without a status"), final: true}
	}
	h := answer.Headers
	res := response{
		status: answer.Status, length: -1, body: answer.Body,
		contentType: h["content-type"], contentRange: h["content-range"], retryAfter: h["retry-after"], etag: h["etag"], modified: h["last-modified"], location: h["location"],
	}
	if ask.manual {
		res.followed = answer.URL
	}
	if n, err := strconv.ParseInt(ascii.TrimSpace(h["content-length"]), 10, 64); err == nil && n >= 0 {
		res.length = n
	}
	encoding := ascii.Lower(ascii.TrimSpace(h["content-encoding"]))
	if encoding == "identity" {
		encoding = ""
	}
	if ask.head || res.status == 206 {
		res.encoding = encoding
	}
	res.encoded = encoding != "" || answer.Type != "basic"
	switch limit := ask.bound(res.status); {
	case limit < 0:
		res.body = nil
	case answer.Large != 0:
		res.body = nil
		return res, &tooLargeError{max(answer.Large, -1)}
	case int64(len(res.body)) > limit:
		n := int64(len(res.body))
		res.body = nil
		return res, &tooLargeError{n}
	}
	return res, nil
}

// cacheMode returns fetch's option cache for a request: the user's, or "reload", which replaces the
// browser's cached answer. Writes use the default, so that the cache invalidates its entry.
func cacheMode(wanted string, ask request) string {
	if ask.write != nil {
		return ""
	}
	if ask.fresh && wanted != "no-store" {
		return "reload"
	}
	return wanted
}
