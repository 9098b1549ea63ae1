// Package faulty adds faults that a test chooses to the static server of
// [github.com/zarr-wasm/zarr-wasm/internal/static]. It records the requests.
//
//	faults := new(faulty.Faults)
//	faults.Set("a/zarr.json", faulty.Fault{Status: 503, Times: 1})
//	server := httptest.NewServer(faulty.New(fsys, static.Options{}, faults))
package faulty

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/zarr-wasm/zarr-wasm/internal/static"
)

// Faults holds a server's faults by key, and its requests. The zero value has no faults.
type Faults struct {
	// Line, if not nil, delays answers. Set it before the first request.
	Line *Line

	mu    sync.Mutex
	rules map[string][]Fault
	log   []*Request
	busy  int
	most  int
	zero  time.Time // the requests' times count from here

	version int           // the number of changes
	changed chan struct{} // closed by the next change, if a caller waits for it
}

// Fault is a wrong answer. Fields combine.
type Fault struct {
	// Times is the number of requests that get this answer before the next fault of the key, or the
	// right answer; 0 means all.
	Times int `json:"times,omitempty"`
	// Method limits the fault to this method; "" means any.
	Method string `json:"method,omitempty"`
	// Without spares requests with these headers, and WithoutQuery those with that text in their
	// query.
	Without      map[string]string `json:"without,omitempty"`
	WithoutQuery string            `json:"withoutQuery,omitempty"`
	// Status answers with that status and Body.
	Status int `json:"status,omitempty"`
	// Body is the answer's body in place of the right one.
	Body string `json:"body,omitempty"`
	// Header sets headers of the answer; "" removes one.
	Header map[string]string `json:"header,omitempty"`
	// IgnoreRange answers with the whole object.
	IgnoreRange bool `json:"ignoreRange,omitempty"`
	// HTML answers with a page and status 200.
	HTML bool `json:"html,omitempty"`
	// Delay postpones the start of the answer, in milliseconds.
	Delay int `json:"delay,omitempty"`
	// Hang never answers.
	Hang bool `json:"hang,omitempty"`
	// HangBody sends half of the body, and no more.
	HangBody bool `json:"hangBody,omitempty"`
	// Drip sends the body in pieces of this many bytes, one every 5 milliseconds.
	Drip int `json:"drip,omitempty"`
	// Endless sends the body repeatedly without an end.
	Endless bool `json:"endless,omitempty"`
	// Drop closes the connection without an answer.
	Drop bool `json:"drop,omitempty"`
	// Cut drops bytes at the end of the body but announces them.
	Cut int `json:"cut,omitempty"`
	// Resize makes the body longer by this many bytes, or shorter if negative, and announces that.
	Resize int `json:"resize,omitempty"`
	// Chunked announces no length.
	Chunked bool `json:"chunked,omitempty"`
	// Gzip compresses the body, with the header.
	Gzip bool `json:"gzip,omitempty"`
	// NoCORS hides answers from pages of other origins.
	NoCORS bool `json:"noCORS,omitempty"`
	// Reset resets the connection without an answer.
	Reset bool `json:"reset,omitempty"`
	// Flip changes one bit in each of these bytes of the body; positions wrap around at its end.
	Flip []int `json:"flip,omitempty"`
	// Other answers with the object of that key.
	Other string `json:"other,omitempty"`
	// Shift answers a range with one that lies this many bytes further on.
	Shift int64 `json:"shift,omitempty"`
	// Change replaces the object before the answer: it inverts its bytes and changes its tag.
	Change bool `json:"change,omitempty"`
}

// Request is a request, as the server saw it.
type Request struct {
	Method string            `json:"method"`
	Path   string            `json:"path"` // as sent, percent-encoded
	Query  string            `json:"query,omitempty"`
	Header map[string]string `json:"header"`
	// Status and Bytes describe the answer; the status is 0 before anything was sent.
	Status int   `json:"status"`
	Bytes  int64 `json:"bytes"`
	// Began and Ended are in milliseconds since the first request; Ended is 0 while the request is
	// running.
	Began float64 `json:"began"`
	Ended float64 `json:"ended"`
	// Aborted reports that the client left before the end of the answer.
	Aborted bool `json:"aborted,omitempty"`
}

// New returns a handler that serves the files of fsys with the faults.
func New(fsys fs.FS, opt static.Options, faults *Faults) http.Handler {
	opt.Wrap = func(files http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { faults.serve(w, r, files) })
	}
	site := static.New(fsys, opt)
	if faults.Line != nil {
		site = faults.Line.Over(site)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w, done := faults.record(w, r)
		defer done()
		if r.Method == http.MethodOptions {
			faults.serve(w, r, site)
			return
		}
		site.ServeHTTP(w, r)
	})
}

// Set sets the answers to requests for a key (without a leading slash), one after the other. "*" is
// for keys without their own faults.
func (f *Faults) Set(key string, faults ...Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.rules == nil {
		f.rules = map[string][]Fault{}
	}
	f.rules[key] = slices.Clone(faults)
}

// Reset removes all faults and requests.
func (f *Faults) Reset() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.rules, f.log, f.most = nil, nil, f.busy
	f.note()
}

// Forget removes the requests, but not the faults.
func (f *Faults) Forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.log, f.most = nil, f.busy
	f.note()
}

// note announces a change. The caller holds the lock.
func (f *Faults) note() {
	f.version++
	if f.changed != nil {
		close(f.changed)
		f.changed = nil
	}
}

// Changed waits until a request has begun or ended after a version, or until the context is done.
// It returns the present version; versions count from 1.
func (f *Faults) Changed(ctx context.Context, after int) int {
	for {
		f.mu.Lock()
		version := f.version
		if version <= after && f.changed == nil {
			f.changed = make(chan struct{})
		}
		changed := f.changed
		f.mu.Unlock()
		if version > after {
			return version
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return version
		}
	}
}

// Requests returns the requests so far, in order, including preflights.
func (f *Faults) Requests() []Request {
	f.mu.Lock()
	defer f.mu.Unlock()
	log := make([]Request, len(f.log))
	for i, r := range f.log {
		log[i] = *r
	}
	return log
}

// Most returns the largest number of concurrent requests.
func (f *Faults) Most() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.most
}

// Busy returns the number of running requests.
func (f *Faults) Busy() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.busy
}

// record records a request. It counts the bytes written to the returned writer until the returned
// function is called.
func (f *Faults) record(w http.ResponseWriter, r *http.Request) (http.ResponseWriter, func()) {
	header := map[string]string{}
	for name, values := range r.Header {
		header[name] = strings.Join(values, ", ")
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.zero.IsZero() {
		f.zero = time.Now()
	}
	entry := &Request{Method: r.Method, Path: r.URL.EscapedPath(), Query: r.URL.RawQuery, Header: header, Began: f.now()}
	f.log = append(f.log, entry)
	f.busy++
	f.most = max(f.most, f.busy)
	f.note()
	return &counter{w, f, entry}, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.busy--
		entry.Ended = f.now()
		entry.Aborted = r.Context().Err() != nil
		f.note()
	}
}

func (f *Faults) now() float64 { return float64(time.Since(f.zero).Microseconds()) / 1000 }

// counter counts what is sent.
type counter struct {
	http.ResponseWriter
	faults *Faults
	entry  *Request
}

func (c *counter) WriteHeader(status int) {
	c.faults.mu.Lock()
	c.entry.Status = status
	c.faults.mu.Unlock()
	c.ResponseWriter.WriteHeader(status)
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.ResponseWriter.Write(p)
	c.faults.mu.Lock()
	defer c.faults.mu.Unlock()
	if c.entry.Status == 0 {
		c.entry.Status = http.StatusOK
	}
	c.entry.Bytes += int64(n)
	return n, err
}

// Unwrap is for [http.ResponseController].
func (c *counter) Unwrap() http.ResponseWriter { return c.ResponseWriter }

func (c *counter) Flush() {
	if f, ok := c.ResponseWriter.(http.Flusher); ok {
		f.Flush()
	}
}

// next returns a request's fault.
func (f *Faults) next(r *http.Request) (Fault, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	key := strings.TrimPrefix(r.URL.Path, "/")
	rules, ok := f.rules[key]
	if !ok {
		key = "*"
		rules = f.rules[key]
	}
	for i := range rules {
		// A preflight gets a fault only if the fault names its method.
		preflight := r.Method == http.MethodOptions && rules[i].Method == ""
		if rules[i].Method != "" && rules[i].Method != r.Method || preflight || rules[i].spares(r) {
			continue
		}
		fault := rules[i]
		switch rules[i].Times {
		case 0:
		case 1:
			f.rules[key] = slices.Delete(slices.Clone(rules), i, i+1)
		default:
			rules[i].Times--
		}
		return fault, true
	}
	return Fault{}, false
}

func (fault Fault) spares(r *http.Request) bool {
	if fault.WithoutQuery != "" {
		return strings.Contains(r.URL.RawQuery, fault.WithoutQuery)
	}
	for name, value := range fault.Without {
		if r.Header.Get(name) != value {
			return false
		}
	}
	return len(fault.Without) > 0
}

func (f *Faults) serve(w http.ResponseWriter, r *http.Request, right http.Handler) {
	fault, ok := f.next(r)
	if !ok {
		right.ServeHTTP(w, r)
		return
	}
	fault.serve(w, r, right)
}

// serve answers a request with the fault.
func (fault Fault) serve(w http.ResponseWriter, r *http.Request, right http.Handler) {
	select {
	case <-time.After(time.Duration(fault.Delay) * time.Millisecond):
	case <-r.Context().Done():
		return
	}
	if fault.Hang {
		<-r.Context().Done()
		return
	}
	if fault.Reset {
		reset(w)
	}
	if fault.Drop || fault.Reset {
		panic(http.ErrAbortHandler)
	}
	answer := &recorder{header: w.Header().Clone(), status: http.StatusOK}
	switch {
	case fault.Status != 0:
		answer.status = fault.Status
		answer.body.WriteString(fault.Body)
		answer.header.Set("Content-Type", "text/plain; charset=utf-8")
	case fault.HTML:
		answer.header.Set("Content-Type", "text/html; charset=utf-8")
		answer.body.WriteString("<!doctype html>\n<html><title>App</title><body>This is the page for everything.</body></html>\n")
	default:
		if fault.IgnoreRange {
			r = r.Clone(r.Context())
			r.Header.Del("Range")
		}
		get := r.Clone(r.Context())
		get.Method = http.MethodGet // a body, to know its length
		if fault.Other != "" {
			get.URL.Path = "/" + fault.Other
		}
		if fault.Shift != 0 {
			get.Header.Set("Range", shifted(get.Header.Get("Range"), fault.Shift))
		}
		right.ServeHTTP(answer, get)
		if fault.IgnoreRange {
			answer.header.Del("Accept-Ranges")
		}
		if fault.Body != "" {
			answer.body.Reset()
			answer.body.WriteString(fault.Body)
		}
	}
	fault.send(w, r, answer)
}

// reset resets the connection instead of closing it.
func reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

// shifted moves a range by a distance; another header stays.
func shifted(header string, by int64) string {
	first, last, _ := strings.Cut(strings.TrimPrefix(header, "bytes="), "-")
	from, err := strconv.ParseInt(first, 10, 64)
	if err != nil {
		return header
	}
	to, err := strconv.ParseInt(last, 10, 64)
	if err != nil {
		return header
	}
	return "bytes=" + strconv.FormatInt(max(0, from+by), 10) + "-" + strconv.FormatInt(max(0, from+by)+to-from, 10)
}

// send sends an answer with its faults.
func (fault Fault) send(w http.ResponseWriter, r *http.Request, answer *recorder) {
	body := answer.body.Bytes()
	if fault.Change {
		body = bytes.Clone(body)
		for i := range body {
			body[i] = ^body[i]
		}
		answer.header.Set("ETag", `"changed"`)
	}
	if len(fault.Flip) > 0 && len(body) > 0 {
		body = bytes.Clone(body)
		for _, at := range fault.Flip {
			body[at%len(body)] ^= 1 << (at % 8)
		}
	}
	if fault.Gzip {
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		_, _ = z.Write(body) // a buffer takes everything
		_ = z.Close()
		body = packed.Bytes()
		answer.header.Set("Content-Encoding", "gzip")
	}
	switch {
	case fault.Resize > 0:
		body = append(bytes.Clone(body), make([]byte, fault.Resize)...)
	case fault.Resize < 0:
		body = body[:max(0, len(body)+fault.Resize)]
	}
	h := w.Header()
	clear(h)
	for name, values := range answer.header {
		h[name] = values
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if fault.Chunked {
		h.Del("Content-Length")
	}
	if fault.NoCORS {
		h.Del("Access-Control-Allow-Origin")
	}
	for name, value := range fault.Header {
		if value == "" {
			h.Del(name)
		} else {
			h.Set(name, value)
		}
	}
	w.WriteHeader(answer.status)
	if r.Method == http.MethodHead {
		return
	}
	flush := func() {
		if f, ok := w.(http.Flusher); ok {
			f.Flush()
		}
	}
	if fault.Chunked {
		flush()
	}
	if fault.Drip > 0 || fault.Endless {
		fault.stream(w, r, body, flush)
		return
	}
	switch {
	case fault.HangBody:
		_, _ = w.Write(body[:len(body)/2])
		flush()
		<-r.Context().Done()
	case fault.Cut > 0:
		_, _ = w.Write(body[:max(0, len(body)-fault.Cut)])
		flush()
		panic(http.ErrAbortHandler)
	default:
		_, _ = w.Write(body) // the client may be gone
	}
}

// stream sends a body piece by piece, until the client leaves or the body ends.
func (fault Fault) stream(w io.Writer, r *http.Request, body []byte, flush func()) {
	size := fault.Drip
	if size == 0 {
		size = len(body)
	}
	for {
		for piece := range slices.Chunk(body, size) {
			if fault.Drip > 0 {
				select {
				case <-time.After(5 * time.Millisecond):
				case <-r.Context().Done():
					return
				}
			}
			if _, err := w.Write(piece); err != nil {
				return
			}
			flush()
		}
		if !fault.Endless || len(body) == 0 {
			return
		}
	}
}

// recorder keeps an answer.
type recorder struct {
	header http.Header
	status int
	wrote  bool
	body   bytes.Buffer
}

func (r *recorder) Header() http.Header { return r.header }

func (r *recorder) WriteHeader(status int) {
	if !r.wrote {
		r.status, r.wrote = status, true
	}
}

func (r *recorder) Write(p []byte) (int, error) {
	r.wrote = true
	return r.body.Write(p)
}

// Control returns a handler by which a test in another process sets faults and reads requests. POST
// a JSON object {"key": ..., "faults": [...]}, DELETE to reset, or PUT to remove only the requests.
// GET returns {"requests": [...], "most": n, "busy": n, "version": n}. With ?after=VERSION it waits
// for a later version.
func (f *Faults) Control() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Access-Control-Allow-Origin", "*")
		h.Set("Access-Control-Allow-Methods", "GET, POST, PUT, DELETE, OPTIONS")
		h.Set("Access-Control-Allow-Headers", "Content-Type")
		h.Set("Cross-Origin-Resource-Policy", "cross-origin")
		h.Set("Cache-Control", "no-store")
		switch r.Method {
		case http.MethodPost:
			var rule struct {
				Key    string  `json:"key"`
				Faults []Fault `json:"faults"`
			}
			d := json.NewDecoder(io.LimitReader(r.Body, 1<<20))
			d.DisallowUnknownFields()
			if err := d.Decode(&rule); err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
			f.Set(rule.Key, rule.Faults...)
		case http.MethodDelete:
			f.Reset()
		case http.MethodPut:
			f.Forget()
		case http.MethodGet:
			h.Set("Content-Type", "application/json")
			version := 0
			if after, err := strconv.Atoi(r.URL.Query().Get("after")); err == nil {
				version = f.Changed(r.Context(), after)
			}
			requests := f.Requests()
			if requests == nil {
				requests = []Request{}
			}
			_ = json.NewEncoder(w).Encode(map[string]any{"requests": requests, "most": f.Most(), "busy": f.Busy(), "version": version})
			return
		case http.MethodOptions:
		default:
			http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
}
