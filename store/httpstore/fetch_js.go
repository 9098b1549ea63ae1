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
	"github.com/zarr-wasm/zarr-wasm/internal/guard"
)

// Platform has what differs between the browser and elsewhere.
type Platform struct {
	// Exchange sends the requests.
	Exchange *Exchange
}

// Exchange sends requests by fetch, with few calls to JavaScript and back; js/worker/exchange.ts is the other side, and says
// what they mean.
type Exchange struct {
	send, read, end js.Value

	mu      sync.Mutex
	last    int
	running map[int]*sent
}

// sent is a request under way.
type sent struct {
	watch *watch
	came  chan outcome
}

// outcome is a head or a body, or the length of a body that is too long, or why there is none.
type outcome struct {
	bytes  []byte
	length int64
	err    error
}

// NewExchange returns an Exchange of what makes the three functions, send, read and end, in an array; it is told of
// the function that takes what comes. Of anything else it is nil.
func NewExchange(factory js.Value) *Exchange {
	if factory.Type() != js.TypeFunction {
		return nil
	}
	x := &Exchange{running: map[int]*sent{}}
	all := factory.Invoke(js.FuncOf(x.settle)) // as long as the program runs
	x.send, x.read, x.end = all.Index(0), all.Index(1), all.Index(2)
	return x
}

// settle takes (id, what) or (id, undefined, reason).
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

// take hands on what came of a request; an error is why nothing did.
func (s *sent) take(what js.Value, reason []js.Value) error {
	switch what.Type() {
	case js.TypeNull:
		s.watch.alive(0)
	case js.TypeNumber:
		s.came <- outcome{length: int64(what.Float())}
	case js.TypeObject:
		bytes := make([]byte, what.Length())
		js.CopyBytesToGo(bytes, what)
		s.came <- outcome{bytes: bytes}
	case js.TypeBoolean:
		return errInvalid
	default:
		return failed(reason[0])
	}
	return nil
}

// wait waits for what comes next of a request.
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
	blocks      bool // what fails may have been blocked

	mu        sync.Mutex
	busy      map[string]int // ranges under way, by URL
	forbidden int            // how many answers in a row may not be kept by the browser
}

func newFetcher(b base, opt Options) fetcher {
	f := &browser{exchange: opt.Platform.Exchange, credentials: opt.Credentials, cache: opt.Cache, busy: map[string]int{}}
	f.hint, f.blocks = networkHint(b)
	return f
}

// resolve returns the address of the header Location, which the JavaScript side has made absolute.
func resolve(_, location string) string { return location }

// dropsAuthorization reports whether the platform follows redirects, and sends the header Authorization to no other origin.
func dropsAuthorization() bool {
	return inBrowser() && !strings.Contains(js.Global().Get("navigator").Get("userAgent").String(), "Gecko/")
}

// preflight says whether a request needs the server's permission for bytes=-n alone: from a
// page of another origin, unless some other header needs it anyway.
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

// inBrowser reports whether the platform is a browser: it has a cache between the store and the server, and follows redirects by itself.
func inBrowser() bool { return js.Global().Get("origin").Type() == js.TypeString }

// optMissingStatus is how the option is written.
const optMissingStatus = "missingStatus"

// networkHint says what a request may fail of that gets no answer, and whether the browser may have kept one back: it
// does not tell a server that is down from one that does not allow the request.
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
	return "the server may be down, or may not allow pages from " + page + " to read from it (CORS: it has to send Access-Control-Allow-Origin), " +
		"or not what it does not have (that header is needed with status 404, too; else missingStatus: [0] counts what is blocked as absent)", true
}

func (f *browser) Fetch(ctx context.Context, ask request) (response, error) {
	x := f.exchange
	if x == nil {
		return response{}, &failure{err: errors.New("this place has no fetch"), final: true}
	}
	cache, done := f.cacheOf(ask)
	defer done()
	s := &sent{watch: ask.watch, came: make(chan outcome, 1)}
	x.mu.Lock()
	x.last++
	id := x.last
	x.running[id] = s
	x.mu.Unlock()
	over := false // there is nothing to end
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
		if over = err == errInvalid; errors.As(err, &failed) {
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
	res, coded, later, err := f.describe(ask, head.bytes)
	over = !later
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
		limit = 64 << 10 // read to its end, the connection can be used again
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

// lines says what to send.
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

// copied returns bytes as JavaScript has them.
func copied(b []byte) js.Value {
	array := js.Global().Get("Uint8Array").New(len(b))
	js.CopyBytesToJS(array, b)
	return array
}

// enough is how many answers in a row show what a server lets a browser keep.
const enough = 16

// learn notes whether the browser may keep what comes from this server. Where it may not, there is no use in its
// cache, and to pass it by takes a quarter off the time of a small request.
func (f *browser) learn(forbidden bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.forbidden++; !forbidden {
		f.forbidden = 0
	}
}

// cacheOf returns the cache mode of a request, which is under way until done is called. Chromium lets
// the ranges of one URL wait for each other where they go through its cache.
func (f *browser) cacheOf(ask request) (mode string, done func()) {
	done = func() {}
	switch {
	case f.cache != "" || ask.head || ask.fresh || ask.write != nil:
		return cacheMode(f.cache, ask), done
	case strings.HasSuffix(ask.ask, "-"):
		// It is ended early, and what came of it would stay in the browser's cache, which
		// from then on asks whether its piece is still good before it asks for the rest.
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

// bodyLater is set in the status of an answer whose body is yet to be asked for.
const bodyLater = 1 << 16

// describe reads what an Exchange tells of an answer; whether its length may be another than Content-Length says, by what
// can be seen; and whether its body is yet to come.
func (f *browser) describe(ask request, head []byte) (res response, coded, later bool, err error) {
	number := func(b []byte) int { return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 | int(b[3])<<24 }
	status, end := number(head), 8+number(head[4:])
	later = status&bodyLater != 0
	status &^= bodyLater
	kind, rest, _ := strings.Cut(string(head[8:end]), "\n")
	switch {
	case kind == "opaqueredirect":
		return res, false, later, errOpaque
	case status == 0:
		return res, false, later, &failure{hint: f.hint, err: errors.New("an answer without a status"), final: true}
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
	// Across origins the header is hidden, and Content-Length is not.
	res.encoded = coded || kind != "basic"
	if wanted && !later {
		if res.body = head[end:len(head):len(head)]; int64(len(res.body)) > ask.bound(status) {
			err = &tooLargeError{int64(len(res.body))}
		}
	}
	return res, coded, later, err
}

// failed describes why there is no answer: an object with a name and a message.
func failed(reason js.Value) error {
	// js/platform/policy.ts: what the page's own policy refuses, it refuses again.
	return &failure{err: errors.New(clip(reason.Get("message").String())), final: reason.Get("name").String() == "SecurityError"}
}

// text returns a string's value, and "" for anything else.
func text(v js.Value) string {
	if v.Type() != js.TypeString {
		return ""
	}
	return v.String()
}
