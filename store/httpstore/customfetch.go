package httpstore

import (
	"context"
	"errors"
	"strconv"

	"github.com/zarr-wasm/zarr-wasm/internal/ascii"
)

// FetchRequest is a request as [Options.Fetch] is given it.
type FetchRequest struct {
	Method  string // GET, HEAD; of a store that is written to PUT, DELETE, MKCOL
	URL     string
	Headers map[string]string
	Body    []byte // of a PUT
	// Redirect is "manual" where the store follows redirects, or fails; else "follow".
	Redirect string
	// Cache is fetch's option of that name, or "".
	Cache string
	// Limits are how many bytes a body of status 200 and of 206 may have; what is larger need
	// not be read. A body of another status is not looked at.
	Limits [2]int64
}

// FetchResponse is what [Options.Fetch] gives.
type FetchResponse struct {
	Status int
	// Headers have names in lower case.
	Headers map[string]string
	// Type is that of fetch's Response: of "basic" all headers can be seen. "invalid" says that the URL cannot be parsed, and "slow" that the server was silent
	// for Options.Timeout, as Fetch saw: before its answer began where Status is 0, else in its body.
	Type string
	Body []byte
	// URL is where the answer came from, if Fetch has followed a redirect.
	URL string
	// Refused, if it is not "", says what of the page's own rules does not allow the request.
	Refused string
	// Large, if it is not 0, is the size of a body that is larger than its limit and was not
	// read; negative when it is not known.
	Large int64
}

// customFetcher is the fetcher over Options.Fetch.
type customFetcher struct {
	fetch  func(context.Context, FetchRequest) (FetchResponse, error)
	cache  string
	hint   string
	blocks bool // what fails may have been blocked
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
	// When the answer begins, and how it goes on, only Fetch sees: here it has to end in the time that the largest may take.
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

// cacheMode is fetch's option cache for a request: the user's, or past the browser's cache, with the answer
// taking the place of what is there. What writes goes through the cache, which is to forget what it has.
func cacheMode(wanted string, ask request) string {
	if ask.write != nil {
		return ""
	}
	if ask.fresh && wanted != "no-store" {
		return "reload"
	}
	return wanted
}
