//go:build js && wasm

package httpstore

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"syscall/js"

	"github.com/zarr-wasm/zarr-wasm/internal/ascii"
	"github.com/zarr-wasm/zarr-wasm/internal/errtype"
	"github.com/zarr-wasm/zarr-wasm/internal/guard"
)

// Platform holds the parts that differ between the browser and other platforms.
type Platform struct {
	// Exchange sends the requests.
	Exchange *Exchange
}

// Exchange sends requests by fetch, with few calls between Go and JavaScript. js/worker/exchange.ts
// is the other side and documents the calls.
type Exchange struct {
	send, read, end js.Value

	mu      sync.Mutex
	last    int
	running map[int]*sent
}

// sent is a pending request.
type sent struct {
	watch *watch
	came  chan outcome
}

// outcome is a head, a body, the length of a body above its limit, or an error.
type outcome struct {
	bytes  []byte
	body   []byte // that came with the head; nil if it is still to come
	length int64
	err    error
}

// NewExchange calls the factory with the function that receives results. The factory returns an
// array of three functions: send, read and end. NewExchange returns nil if it is not a function.
func NewExchange(factory js.Value) *Exchange {
	if factory.Type() != js.TypeFunction {
		return nil
	}
	x := &Exchange{running: map[int]*sent{}}
	all := factory.Invoke(js.FuncOf(x.settle)) // kept for the life of the program
	x.send, x.read, x.end = all.Index(0), all.Index(1), all.Index(2)
	return x
}

// settle receives (id, what), (id, head, body) or (id, undefined, reason).
func (x *Exchange) settle(_ js.Value, args []js.Value) any {
	x.mu.Lock()
	s := x.running[args[0].Int()]
	x.mu.Unlock()
	if s == nil {
		return nil
	}
	if err := guard.Do(func() error { return s.take(args[1], args[2:]) }); err != nil {
		s.came <- outcome{err: err}
	}
	return nil
}

// take passes on a result of the request; an error says why there is none.
func (s *sent) take(what js.Value, more []js.Value) error {
	switch what.Type() {
	case js.TypeNull:
		s.watch.alive(0)
	case js.TypeNumber:
		s.came <- outcome{length: int64(what.Float())}
	case js.TypeObject:
		o := outcome{bytes: bytesOf(what)}
		if len(more) > 0 {
			o.body = bytesOf(more[0])
		}
		s.came <- o
	case js.TypeBoolean:
		return errInvalid
	default:
		return failed(more[0])
	}
	return nil
}

func bytesOf(array js.Value) []byte {
	b := make([]byte, array.Length())
	js.CopyBytesToGo(b, array)
	return b
}

// wait waits for the next result of a request.
func (s *sent) wait(ctx context.Context) (outcome, error) {
	select {
	case o := <-s.came:
		return o, o.err
	case <-ctx.Done():
		return outcome{}, ctx.Err()
	}
}

// browser is the fetcher over the browser's fetch.
type browser struct {
	exchange *Exchange

	credentials string
	cache       string
	hint        string
	blocks      bool // a failed request may have been blocked

	mu        sync.Mutex
	busy      map[string]int // pending ranges, by URL
	forbidden int            // consecutive answers that the browser may not cache
}

func newFetcher(b base, opt Options) fetcher {
	f := &browser{exchange: opt.Platform.Exchange, credentials: opt.Credentials, cache: opt.Cache, busy: map[string]int{}}
	f.hint, f.blocks = networkHint(b)
	return f
}

// resolve returns the address of the header Location, which JavaScript has already resolved.
func resolve(_, location string) string { return location }

// dropsAuthorization reports whether the platform follows redirects and drops the header
// Authorization for other origins.
func dropsAuthorization() bool {
	return inBrowser() && !strings.Contains(js.Global().Get("navigator").Get("userAgent").String(), "Gecko/")
}

// preflight reports whether bytes=-n alone would make a request need the server's permission. This
// holds for a page of another origin, unless another header needs permission anyway.
func preflight(b base, opt Options) bool {
	value := js.Global().Get("origin")
	if value.Type() != js.TypeString || value.String() == b.origin || opt.HeaderFunc != nil {
		return false
	}
	for name := range opt.Headers {
		switch ascii.Lower(name) {
		case "accept", "accept-language", "content-language":
		default:
			return false
		}
	}
	return true
}

// inBrowser reports whether the platform is a browser. Browsers cache answers and follow redirects
// themselves.
func inBrowser() bool { return js.Global().Get("origin").Type() == js.TypeString }

// optMissingStatus is the option's name in JavaScript.
const optMissingStatus = "missingStatus"

// networkHint returns likely causes of a request without an answer, and whether the browser may
// have hidden one. Browsers do not distinguish a server that is down from one that forbids the
// request.
func networkHint(b base) (hint string, blocks bool) {
	value := js.Global().Get("origin")
	if value.Type() != js.TypeString {
		return "", false // not a browser
	}
	page := value.String()
	switch {
	case page == b.origin:
		return "", false
	case strings.HasPrefix(page, "https:") && strings.HasPrefix(b.origin, "http:"):
		return "a page from https may not read from http (mixed content): use https", false
	}
	return "the server may be down, or may not allow pages from " + page + " to read from it (CORS: it must send Access-Control-Allow-Origin),  " +
		"or not absent objects (a 404 needs that header too; otherwise missingStatus: [0] treats blocked answers as absent)", true
}

func (f *browser) Fetch(ctx context.Context, ask request) (response, error) {
	x := f.exchange
	if x == nil {
		return response{}, &failure{err: errors.New("fetch is unavailable here"), final: true}
	}
	cache, done := f.cacheOf(ask)
	defer done()
	s := &sent{watch: ask.watch, came: make(chan outcome, 1)}
	x.mu.Lock()
	x.last++
	id := x.last
	x.running[id] = s
	x.mu.Unlock()
	over := false // no request to end
	defer func() {
		x.mu.Lock()
		delete(x.running, id)
		x.mu.Unlock()
		if !over {
			x.end.Invoke(id)
		}
	}()
	if Writes && ask.write != nil && ask.write.method == "PUT" {
		x.send.Invoke(id, f.lines(ask, cache), ask.limit, ask.part, copied(ask.write.body))
	} else {
		x.send.Invoke(id, f.lines(ask, cache), ask.limit, ask.part)
	}
	head, err := s.wait(ctx)
	if err != nil {
		var failed *failure
		if over = err == errInvalid; errtype.As(err, &failed) {
			if over = true; !failed.final {
				failed.hint = f.hint
				if f.blocks {
					failed.err = blocked{failed.err}
				}
			}
		}
		return response{}, err
	}
	ask.watch.alive(0)
	later := head.body == nil
	over = !later
	res, coded, err := f.describe(ask, head)
	if err != nil || !later {
		return res, err
	}
	limit := ask.patient(res)
	if !coded {
		if limit >= 0 && res.length > limit {
			return res, &tooLargeError{res.length}
		}
		ask.watch.alive(res.length)
	}
	wanted := limit >= 0
	if !wanted {
		limit = 64 << 10 // reading to the end frees the connection
	}
	x.read.Invoke(id, limit)
	body, err := s.wait(ctx)
	over = ctx.Err() == nil
	switch {
	case !wanted && over:
		return res, nil
	case err != nil:
		return res, err
	case body.bytes == nil:
		return res, &tooLargeError{body.length}
	}
	res.body = body.bytes
	return res, nil
}

// lines formats a request for the exchange.
func (f *browser) lines(ask request, cache string) string {
	method, redirect := "", ""
	if ask.head {
		method = "HEAD"
	}
	if ask.manual {
		redirect = "manual"
	}
	lines := make([]string, 0, 8)
	lines = append(lines, method, ask.url, ask.ask, cache, f.credentials, redirect)
	for name, value := range ask.headers {
		lines = append(lines, name, value)
	}
	if w := ask.write; Writes && w != nil {
		lines[0] = w.method
		if w.condition != "" {
			lines = append(lines, w.condition, w.value)
		}
	}
	return strings.Join(lines, "\n")
}

// copied copies bytes into a Uint8Array.
func copied(b []byte) js.Value {
	array := js.Global().Get("Uint8Array").New(len(b))
	js.CopyBytesToJS(array, b)
	return array
}

// enough is the number of consecutive uncacheable answers after which the browser's cache is
// bypassed.
const enough = 16

// learn records whether the browser may cache this server's answers. If it may not, bypassing the
// cache saves a quarter of the time of a small request.
func (f *browser) learn(forbidden bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.forbidden++; !forbidden {
		f.forbidden = 0
	}
}

// cacheOf returns the cache mode of a request, which is pending until done is called. Chromium
// serializes cached range requests to one URL.
func (f *browser) cacheOf(ask request) (mode string, done func()) {
	done = func() {}
	switch {
	case f.cache != "" || ask.head || ask.fresh || ask.write != nil:
		return cacheMode(f.cache, ask), done
	case strings.HasSuffix(ask.ask, "-"):
		// This request ends early. Its part would stay in the browser's cache, which would then
		// revalidate that part before each further range.
		return "no-store", done
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.forbidden >= enough || f.busy[ask.url] > 0 {
		mode = "no-store"
	}
	if ask.ask == "" {
		return mode, done
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

// describe parses the exchange's description of an answer, and takes the body if it came. The
// result coded reports that the body length may differ from Content-Length, as far as visible.
func (f *browser) describe(ask request, came outcome) (res response, coded bool, err error) {
	code, rest, _ := strings.Cut(string(came.bytes), "\n")
	kind, rest, _ := strings.Cut(rest, "\n")
	status, _ := strconv.Atoi(code)
	switch {
	case kind == "opaqueredirect":
		return res, false, errOpaque
	case status == 0:
		return res, false, &failure{hint: f.hint, err: errors.New("an answer without a status"), final: true}
	}
	res = response{status: status, length: -1}
	var coding, forbids, length string
	for _, line := range []*string{&coding, &forbids, &length, &res.contentType, &res.contentRange, &res.etag, &res.retryAfter, &res.modified, &res.location} {
		*line, rest, _ = strings.Cut(rest, "\n")
	}
	if n, err := strconv.ParseInt(length, 10, 64); err == nil && n >= 0 {
		res.length = n
	}
	wanted := ask.bound(status) >= 0
	if wanted && f.cache == "" {
		f.learn(forbids != "")
	}
	if coded = coding != ""; coded && (ask.head || status == 206) {
		res.encoding = coding
	}
	// Across origins Content-Encoding is hidden, but Content-Length is not.
	res.encoded = coded || kind != "basic"
	if wanted {
		if res.body = came.body; int64(len(res.body)) > ask.bound(status) {
			err = &tooLargeError{int64(len(res.body))}
		}
	}
	return res, coded, err
}

// failed converts the reason of a failure, an object with a name and a message.
func failed(reason js.Value) error {
	// The page's own policy (js/platform/policy.ts) would refuse a retry, too.
	return &failure{err: errors.New(clip(reason.Get("message").String())), final: reason.Get("name").String() == "SecurityError"}
}

// text returns a string's value, and "" for other types.
func text(v js.Value) string {
	if v.Type() != js.TypeString {
		return ""
	}
	return v.String()
}
