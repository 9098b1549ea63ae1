//go:build js && wasm

package httpstore

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"syscall/js"
)

// Platform has what differs between the browser and elsewhere.
type Platform struct {
	// Fetch is called in place of the global fetch, with a URL and the options
	// of fetch; ignored when it is not a function.
	Fetch js.Value
}

// browser is the fetcher over the browser's fetch.
type browser struct {
	fetch, abort, promise, object, bytes js.Value

	credentials string
	cache       string
	hint        string

	mu   sync.Mutex
	busy map[string]int // ranges under way, by URL
}

func newFetcher(b base, opt Options) fetcher {
	global := js.Global()
	f := &browser{
		fetch: opt.Platform.Fetch, abort: global.Get("AbortController"), promise: global.Get("Promise"),
		object: global.Get("Object"), bytes: global.Get("Uint8Array"),
		credentials: opt.Credentials, cache: opt.Cache, hint: networkHint(b), busy: map[string]int{},
	}
	if f.fetch.Type() != js.TypeFunction {
		f.fetch = global.Get("fetch")
	}
	return f
}

// preflight says whether a request needs the server's permission for bytes=-n alone: from a
// page of another origin, unless some other header needs it anyway.
func preflight(b base, opt Options) bool {
	value := js.Global().Get("origin")
	if value.Type() != js.TypeString || value.String() == b.origin || opt.HeaderFunc != nil {
		return false
	}
	for name := range opt.Headers {
		switch strings.ToLower(name) {
		case "accept", "accept-language", "content-language":
		default:
			return false
		}
	}
	return true
}

// networkHint says what a request may fail of that gets no answer: a browser
// does not tell a server that is down from one that does not allow the request.
func networkHint(b base) string {
	value := js.Global().Get("origin")
	if value.Type() != js.TypeString {
		return "" // not a browser
	}
	page := value.String()
	switch {
	case page == b.origin:
		return ""
	case strings.HasPrefix(page, "https:") && strings.HasPrefix(b.origin, "http:"):
		return "a page from https may not read from http (mixed content): use https"
	}
	return "the server may be down, or may not allow pages from " + page + " to read from it (CORS: it has to send Access-Control-Allow-Origin)"
}

func (f *browser) Fetch(ctx context.Context, ask request) (response, error) {
	if f.fetch.Type() != js.TypeFunction {
		return response{}, &failure{err: errors.New("this place has no fetch"), final: true}
	}
	headers := f.object.New()
	for name, value := range ask.headers {
		headers.Set(name, value)
	}
	if ask.ask != "" {
		headers.Set("Range", ask.ask)
	}
	control := f.abort.New()
	init := f.object.New()
	init.Set("headers", headers)
	init.Set("signal", control.Get("signal"))
	if ask.head {
		init.Set("method", "HEAD")
	}
	redirect := ""
	if secret(ask.headers) {
		redirect = "manual"
	}
	cache, done := f.cacheOf(ask)
	defer done()
	for name, value := range map[string]string{"credentials": f.credentials, "cache": cache, "redirect": redirect} {
		if value != "" {
			init.Set(name, value)
		}
	}
	abort := func() { control.Call("abort") }
	answer, err := f.await(ctx, abort, func() js.Value { return f.fetch.Invoke(ask.url, init) })
	if err != nil {
		var failed *failure
		if errors.As(err, &failed) {
			failed.hint = f.hint
		}
		return response{}, err
	}
	ask.watch.alive(0)
	var res response
	err = guard(func() error {
		res, err = f.read(ctx, abort, ask, answer)
		return err
	})
	return res, err
}

// cacheOf returns the cache mode of a request, which is under way until done is called. Chromium lets
// the ranges of one URL wait for each other where they go through its cache.
func (f *browser) cacheOf(ask request) (mode string, done func()) {
	switch {
	case f.cache != "" || ask.ask == "" || ask.head:
		return f.cache, func() {}
	case strings.HasSuffix(ask.ask, "-"):
		// It is ended early, and what came of it would stay in the browser's cache, which
		// from then on asks whether its piece is still good before it asks for the rest.
		return "no-store", func() {}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.busy[ask.url] > 0 {
		mode = "no-store"
	}
	f.busy[ask.url]++
	return mode, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.busy[ask.url]--; f.busy[ask.url] == 0 {
			delete(f.busy, ask.url)
		}
	}
}

// read reads an answer.
func (f *browser) read(ctx context.Context, abort func(), ask request, answer js.Value) (response, error) {
	if answer.Type() != js.TypeObject {
		return response{}, errNoAnswer()
	}
	kind := text(answer.Get("type"))
	if kind == "opaqueredirect" {
		return response{}, &failure{hint: statusHint(302), err: errors.New("redirected"), final: true}
	}
	status := answer.Get("status")
	if status.Type() != js.TypeNumber || status.Int() == 0 {
		return response{}, &failure{hint: f.hint, err: errors.New("an answer without a status"), final: true}
	}
	headers := answer.Get("headers")
	get := func(name string) string { return text(headers.Call("get", name)) }

	res := response{status: status.Int(), length: -1, retryAfter: get("retry-after")}
	if n, err := strconv.ParseInt(strings.TrimSpace(get("content-length")), 10, 64); err == nil && n >= 0 {
		res.length = n
	}
	limit := ask.bound(res.status)
	if limit >= 0 || ask.head {
		res.contentType = get("content-type")
		res.contentRange = get("content-range")
		res.etag = get("etag")
	}
	encoding := strings.ToLower(strings.TrimSpace(get("content-encoding")))
	if encoding == "identity" {
		encoding = ""
	}
	if ask.head || res.status == 206 {
		res.encoding = encoding
	}
	// Across origins the header is hidden, and Content-Length is not.
	res.encoded = encoding != "" || kind != "basic"

	body := answer.Get("body")
	limit = ask.patient(res)
	if limit < 0 {
		// Read to its end, the connection can be used again.
		if !ask.head {
			if _, err := f.body(ctx, abort, ask.watch, answer, body, res.length, encoding != "", 64<<10); err != nil && ctx.Err() != nil {
				return res, err
			}
		}
		return res, nil
	}
	var err error
	res.body, err = f.body(ctx, abort, ask.watch, answer, body, res.length, encoding != "", limit)
	return res, err
}

// body reads a body of at most limit bytes.
func (f *browser) body(ctx context.Context, abort func(), w watch, answer, stream js.Value, length int64, encoded bool, limit int64) ([]byte, error) {
	if length > limit && !encoded {
		abort()
		return nil, &tooLargeError{length}
	}
	if length >= 0 && !encoded || stream.Type() != js.TypeObject {
		w.alive(length)
		buffer, err := f.await(ctx, abort, func() js.Value { return answer.Call("arrayBuffer") })
		if err != nil {
			return nil, err
		}
		array := f.bytes.New(buffer)
		n := array.Get("byteLength").Int()
		if int64(n) > limit {
			return nil, &tooLargeError{int64(n)}
		}
		data := make([]byte, n)
		js.CopyBytesToGo(data, array)
		return data, nil
	}
	// Its size is not known: piece by piece, so that it cannot fill the memory.
	reader := stream.Call("getReader")
	data := []byte{}
	for {
		piece, err := f.await(ctx, abort, func() js.Value { return reader.Call("read") })
		if err != nil {
			return nil, err
		}
		if piece.Get("done").Truthy() {
			return data, nil
		}
		w.alive(0)
		array := piece.Get("value")
		n := array.Get("byteLength").Int()
		if int64(n) > limit-int64(len(data)) {
			abort()
			return nil, &tooLargeError{-1}
		}
		at := len(data)
		if need := at + n; need > cap(data) {
			grown := make([]byte, at, int(min(limit, int64(max(need, 2*cap(data))))))
			copy(grown, data)
			data = grown
		}
		data = data[:at+n]
		js.CopyBytesToGo(data[at:], array)
	}
}

// await calls a function that gives a promise, and waits for what it promises. When
// the context ends before, it aborts the request and does not wait for the promise:
// a fetch of the user's may not know of signals.
func (f *browser) await(ctx context.Context, abort func(), start func() js.Value) (js.Value, error) {
	type outcome struct {
		value js.Value
		err   error
	}
	done := make(chan outcome, 1)
	var fulfilled, rejected js.Func
	release := func() {
		fulfilled.Release()
		rejected.Release()
	}
	fulfilled = js.FuncOf(func(_ js.Value, args []js.Value) any {
		release()
		done <- outcome{value: first(args)}
		return nil
	})
	rejected = js.FuncOf(func(_ js.Value, args []js.Value) any {
		release()
		done <- outcome{err: failed(first(args))}
		return nil
	})
	if err := guard(func() error {
		f.promise.Call("resolve", start()).Call("then", fulfilled, rejected)
		return nil
	}); err != nil {
		release()
		return js.Undefined(), err
	}
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
		abort()
		return js.Undefined(), ctx.Err()
	}
}

// guard turns what JavaScript throws into an error.
func guard(call func() error) (err error) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case js.Error:
			err = failed(e.Value)
		case *js.ValueError:
			err = errNoAnswer()
		case string: // what syscall/js says of a method that is not there
			if !strings.HasPrefix(e, "syscall/js:") {
				panic(e)
			}
			err = errNoAnswer()
		default:
			panic(e)
		}
	}()
	return call()
}

// errNoAnswer is for a fetch of the user's that gives something else than a Response.
func errNoAnswer() error {
	return &failure{err: errors.New("fetch gave something that is not an answer"), final: true}
}

// failed describes what a promise was rejected with.
func failed(reason js.Value) error {
	msg := "the request failed"
	if reason.Type() == js.TypeObject {
		if s := text(reason.Get("message")); s != "" {
			msg = s
		}
		if inner := reason.Get("cause"); inner.Type() == js.TypeObject {
			if s := text(inner.Get("message")); s != "" {
				msg += ": " + s
			}
		}
	}
	return &failure{err: errors.New(clip(msg))}
}

func first(args []js.Value) js.Value {
	if len(args) == 0 {
		return js.Undefined()
	}
	return args[0]
}

// text returns a string's value, and "" for anything else.
func text(v js.Value) string {
	if v.Type() != js.TypeString {
		return ""
	}
	return v.String()
}
