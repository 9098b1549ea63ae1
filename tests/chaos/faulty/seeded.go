package faulty

import (
	"bytes"
	"encoding/json"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Seeded serves files with faults that follow from a seed. The address of a run is
//
//	/~SEED.NUMBER.PERCENT.KINDS/
//
// PERCENT of the requests below it get a wrong answer. The run's name, the requested object and the
// number of earlier requests for it alone determine the fault, so a run is repeatable. KINDS
// selects the faults:
//   - "told": faults that HTTP or the stored format reveals
//   - "bare": the same, for formats in which a truncated shard may look complete
//   - "sealed": also flipped bits in chunks with checksums
//   - "any": also faults that nothing reveals
//   - "writes": the run has its own objects, which can be written ([Objects]). Reads have the
//     faults of "told". Writes fail before or after they take effect.
//
// If 8 divides NUMBER, some answers never arrive.
//
// A POST to /-/seeded?run=SEED.NUMBER.PERCENT.KINDS controls a run: "calm" stops the faults,
// "storm" resumes them, and "end" removes the run. The answer to "end" is a [Summary].
type Seeded struct {
	site http.Handler
	mu   sync.Mutex
	runs map[string]*run
}

// NewSeeded returns a handler for the addresses of runs, and for /-/seeded.
func NewSeeded(files http.Handler) *Seeded { return &Seeded{site: files, runs: map[string]*run{}} }

// Summary describes a run's requests and faults.
type Summary struct {
	Requests int            `json:"requests"`
	Faults   map[string]int `json:"faults"` // faults by kind
	// Untold is the number of faults that nothing reveals.
	Untold int     `json:"untold"`
	Log    []Wrong `json:"log"`
}

// Wrong is a request with a wrong answer.
type Wrong struct {
	Number int    `json:"number"` // the request's number in its run
	Method string `json:"method"`
	Path   string `json:"path"`
	Range  string `json:"range,omitempty"`
	Kind   string `json:"kind"`
	Fault  Fault  `json:"fault"`
	Untold bool   `json:"untold,omitempty"`
}

// run is a run in progress.
type run struct {
	name    string
	percent int
	kinds   string
	silent  bool
	calm    bool
	asked   map[string]int
	summary Summary
	objects *Objects // in place of the files
	// The caching headers and the version tags of all of the run's answers.
	cache    string
	weak     bool
	untagged bool
	undated  bool
}

// dice returns random numbers determined by words.
func dice(words ...string) *rand.Rand {
	h := fnv.New128a()
	for _, word := range words {
		_, _ = h.Write(append([]byte(word), 0))
	}
	sum := h.Sum(nil)
	number := func(b []byte) (n uint64) {
		for _, c := range b {
			n = n<<8 | uint64(c)
		}
		return n
	}
	return rand.New(rand.NewPCG(number(sum[:8]), number(sum[8:])))
}

func one[T any](d *rand.Rand, of ...T) T { return of[d.IntN(len(of))] }

// run returns the run of a name, and starts an unknown one. It returns nil for an invalid name.
func (s *Seeded) run(name string) *run {
	parts := strings.Split(name, ".")
	if len(parts) != 4 {
		return nil
	}
	number, _ := strconv.Atoi(parts[1])
	percent, err := strconv.Atoi(parts[2])
	if err != nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.runs[name]; known != nil {
		return known
	}
	d := dice(name)
	r := &run{
		name: name, percent: percent, kinds: parts[3], silent: number%8 == 0, asked: map[string]int{}, summary: Summary{Faults: map[string]int{}, Log: []Wrong{}},
		cache: one(d, "no-cache", "no-store", "max-age=3600", "public, max-age=60", ""),
		weak:  d.IntN(4) == 0, untagged: d.IntN(4) == 0, undated: d.IntN(3) == 0,
	}
	if r.kinds == "writes" {
		r.objects = NewObjects()
		r.objects.Untagged = r.untagged // conditions are ignored
	}
	s.runs[name] = r
	return r
}

// ServeHTTP implements [http.Handler].
func (s *Seeded) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/-/seeded" {
		s.control(w, r)
		return
	}
	name, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/~"), "/")
	run := s.run(name)
	if run == nil {
		http.NotFound(w, r)
		return
	}
	prefix, site := "/~"+name, s.site
	if run.objects != nil {
		site = run.objects
	}
	inner := r.Clone(r.Context())
	inner.URL.Path, inner.URL.RawPath = "/"+rest, ""
	switch {
	case r.Method == http.MethodOptions:
		site.ServeHTTP(w, inner)
	case run.objects != nil && (r.Method == http.MethodPut || r.Method == http.MethodDelete):
		s.write(w, inner, run)
	case r.URL.RawQuery == "loop":
		cors(w)
		http.Redirect(w, r, prefix+"/"+escaped(rest)+"?loop", http.StatusFound)
	default:
		s.mu.Lock()
		fault, ok := run.next(inner, "http://"+strings.Replace(r.Host, "127.0.0.1", "localhost", 1), prefix)
		s.mu.Unlock()
		if !ok {
			fault = Fault{}
		}
		cors(w) // pages may also read errors
		fault.serve(w, inner, run.labelled(site))
	}
}

// write answers a request that writes.
func (s *Seeded) write(w http.ResponseWriter, r *http.Request, run *run) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client has left
	}
	s.mu.Lock()
	kind, fault := run.nextWrite(r)
	s.mu.Unlock()
	done := &recorder{header: http.Header{}, status: http.StatusOK}
	if kind == nil || kind.done || kind.deleted && r.Method == http.MethodDelete {
		again := r.Clone(r.Context())
		again.Body = io.NopCloser(bytes.NewReader(body))
		if run.objects.ServeHTTP(done, again); done.status >= 400 {
			fault = Fault{} // the condition failed: a success must not be hidden
		}
	}
	cors(w)
	fault.serve(w, r, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(done.status) }))
}

// nextWrite returns the fault of a request that writes. Its kind is nil without a fault.
func (r *run) nextWrite(req *http.Request) (*writeKind, Fault) {
	key := strings.TrimPrefix(req.URL.Path, "/")
	what := req.Method + " " + key
	r.asked[what]++
	r.summary.Requests++
	d := dice(r.name, what, strconv.Itoa(r.asked[what]))
	if r.calm || d.IntN(100) >= r.percent {
		return nil, Fault{}
	}
	kind := &writeKinds[d.IntN(len(writeKinds))]
	fault := kind.make(d)
	r.summary.Faults[kind.name]++
	r.summary.Log = append(r.summary.Log, Wrong{r.summary.Requests, req.Method, key, "", kind.name, fault, false})
	return kind, fault
}

// writeKind is a kind of fault for writes.
type writeKind struct {
	name string
	done bool // the object is written or deleted nevertheless
	// deleted reports a delete that happened nevertheless. Some servers confirm it by a page, so
	// nothing reveals the fault.
	deleted bool
	make    func(d *rand.Rand) Fault
}

// writeKinds holds the kinds of faults for writes, all equally likely.
var writeKinds = [...]writeKind{
	{"late", true, false, func(d *rand.Rand) Fault { return Fault{Delay: 1 + d.IntN(30)} }},
	{"reset before", false, false, func(*rand.Rand) Fault { return Fault{Reset: true} }},
	{"reset after", true, false, func(*rand.Rand) Fault { return Fault{Reset: true} }},
	{"dropped before", false, false, func(*rand.Rand) Fault { return Fault{Drop: true} }},
	{"dropped after", true, false, func(*rand.Rand) Fault { return Fault{Drop: true} }},
	{"busy before", false, false, func(d *rand.Rand) Fault {
		return Fault{Status: one(d, 408, 409, 429, 500, 502, 503, 504), Header: map[string]string{"Retry-After": one(d, "", "0", "soon")}}
	}},
	{"broken after", true, false, func(d *rand.Rand) Fault { return Fault{Status: one(d, 408, 500, 502, 504)} }},
	{"refused", false, false, func(d *rand.Rand) Fault { return Fault{Status: one(d, 400, 401, 403, 405, 413, 423, 501, 507)} }},
	{"a page", false, true, func(*rand.Rand) Fault { return Fault{HTML: true} }},
	{"redirected", false, false, func(d *rand.Rand) Fault {
		return Fault{Status: one(d, 301, 302, 303, 307, 308), Header: map[string]string{"Location": one(d, "/", "/elsewhere", "", "http://[")}}
	}},
}

// escaped returns a path in the form of addresses.
func escaped(p string) string { return (&url.URL{Path: p}).EscapedPath() }

func cors(w http.ResponseWriter) { w.Header().Set("Access-Control-Allow-Origin", "*") }

// labelled adds the run's headers to the handler's answers.
func (r *run) labelled(right http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		right.ServeHTTP(w, req)
		h := w.Header()
		if h.Del("Cache-Control"); r.cache != "" {
			h.Set("Cache-Control", r.cache)
		}
		if tag := h.Get("ETag"); r.weak && tag != "" && !strings.HasPrefix(tag, "W/") {
			h.Set("ETag", "W/"+tag)
		}
		if r.untagged {
			h.Del("ETag")
		}
		if r.undated {
			h.Del("Last-Modified")
		}
	})
}

// control executes a command to a run.
func (s *Seeded) control(w http.ResponseWriter, r *http.Request) {
	cors(w)
	w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin")
	run := s.run(r.URL.Query().Get("run"))
	order, err := io.ReadAll(io.LimitReader(r.Body, 64))
	if run == nil || err != nil || r.Method != http.MethodPost {
		http.Error(w, "which run?", http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch string(order) {
	case "calm", "storm":
		run.calm = string(order) == "calm"
		w.WriteHeader(http.StatusNoContent)
	case "end":
		delete(s.runs, run.name)
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(run.summary)
	default:
		http.Error(w, "calm, storm or end", http.StatusBadRequest)
	}
}

// request holds the facts that determine a fault.
type request struct {
	*rand.Rand
	key           string
	ranged        bool
	document      bool // Metadata, or other JSON text.
	silent        bool // The run may have answers that never arrive.
	hidden        bool // From a page of another origin, which cannot see the reason of a failure.
	other, prefix string
}

// optional lists documents whose absence changes a node without an error.
var optional = []string{".zattrs", "attrs", ".zmetadata"}

// vital reports whether nothing can be read without the object.
func (r request) vital() bool {
	name := path.Base(r.key)
	return r.document && !slices.Contains(optional, name) && name != ".zgroup" || strings.HasSuffix(name, ".zip")
}

func (r request) optional() bool { return slices.Contains(optional, path.Base(r.key)) }

// next returns the fault of a request.
func (r *run) next(req *http.Request, other, prefix string) (Fault, bool) {
	key, asked := strings.TrimPrefix(req.URL.Path, "/"), req.Header.Get("Range")
	what := req.Method + " " + key + " " + asked
	r.asked[what]++
	r.summary.Requests++
	d := dice(r.name, what, strconv.Itoa(r.asked[what]))
	if r.calm || req.URL.RawQuery != "" || d.IntN(100) >= r.percent {
		return Fault{}, false
	}
	name := path.Base(key)
	q := request{d, key, asked != "", strings.HasSuffix(name, ".json") || slices.Contains([]string{".zarray", ".zgroup", ".zattrs", ".zmetadata", "meta", "attrs"}, name), r.silent, req.Header.Get("Origin") != "", other, prefix}
	kinds := seededKinds[:]
	folder := key == "" || strings.HasSuffix(key, "/")
	for {
		kind := kinds[d.IntN(len(kinds))]
		untold := kind.untold || kind.blocks && q.hidden && q.optional()
		if untold && r.kinds == "sealed" && kind.name == "a bit flipped" && !q.document {
			untold = false
		}
		if untold && r.kinds != "any" || kind.name == "short" && r.kinds == "bare" && !q.document {
			continue
		}
		fault, ok := kind.make(q)
		if !ok || r.kinds == "writes" && (kind.name == "gone" || folder && lists[kind.name]) {
			continue
		}
		r.summary.Faults[kind.name]++
		if untold {
			r.summary.Untold++
		}
		r.summary.Log = append(r.summary.Log, Wrong{r.summary.Requests, req.Method, key, asked, kind.name, fault, untold})
		return fault, true
	}
}

// lists contains the undetectable faults in the list of a folder.
var lists = map[string]bool{"short": true, "empty": true, "refused": true, "forbidden": true, "a page": true, "odd status": true, "another type": true}

func always(f func(q request) Fault) func(request) (Fault, bool) {
	return func(q request) (Fault, bool) { return f(q), true }
}

func where(applies func(q request) bool, f func(q request) Fault) func(request) (Fault, bool) {
	return func(q request) (Fault, bool) {
		if !applies(q) {
			return Fault{}, false
		}
		return f(q), true
	}
}

func ranged(q request) bool { return q.ranged }
func plain(q request) bool  { return !q.document }

// seededKinds holds the kinds of faults, all equally likely.
var seededKinds = [...]struct {
	name   string
	untold bool // nothing reveals the fault
	// hides the answer from pages of another origin, like servers without CORS headers on 404
	blocks bool
	make   func(request) (Fault, bool)
}{
	{"late", false, false, always(func(q request) Fault { return Fault{Delay: 1 + q.IntN(30)} })},
	{"dropped", false, true, always(func(q request) Fault { return Fault{Drop: true} })},
	{"reset", false, true, always(func(q request) Fault { return Fault{Reset: true} })},
	{"cut", false, true, always(func(q request) Fault { return Fault{Cut: 1 + q.IntN(60), Chunked: q.IntN(3) == 0} })},
	{"silent", false, true, where(func(q request) bool { return q.silent && q.IntN(4) == 0 }, func(q request) Fault { return Fault{Hang: q.IntN(2) == 0, HangBody: true} })},
	{"drip", false, false, always(func(q request) Fault { return Fault{Drip: one(q.Rand, 50, 400, 2000) + 2000*q.IntN(4)} })},
	{"refused", false, false, always(func(q request) Fault {
		return Fault{Status: one(q.Rand, 400, 401, 402, 405, 406, 409, 412, 414, 416, 418, 421, 422, 431, 451, 501, 505, 511), Body: one(q.Rand, "", "no", `{"error":"no"}`)}
	})},
	{"busy", false, false, always(func(q request) Fault {
		return Fault{Status: one(q.Rand, 408, 429, 500, 502, 503, 504), Body: "later", Header: map[string]string{"Retry-After": one(q.Rand, "", "0", "soon", "-1", "3600")}}
	})},
	{"odd status", false, false, always(func(q request) Fault {
		return Fault{Status: one(q.Rand, 201, 202, 204, 205, 206, 226, 300, 304), Body: one(q.Rand, "", "{}")}
	})},
	{"forbidden", false, false, where(func(q request) bool { return !q.optional() }, func(q request) Fault { return Fault{Status: 403, Body: "<Error/>"} })},
	{"a page", false, false, where(func(q request) bool { return !q.optional() }, func(q request) Fault { return Fault{HTML: true} })},
	{"without headers", false, false, always(func(q request) Fault {
		return Fault{Chunked: q.IntN(2) == 0, Header: map[string]string{one(q.Rand, "ETag", "Content-Range", "Content-Type", "Accept-Ranges", "Last-Modified"): ""}}
	})},
	{"another version", false, false, always(func(q request) Fault {
		return Fault{Header: map[string]string{"ETag": `"another"`, "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"}}
	})},
	{"another type", false, false, always(func(q request) Fault {
		return Fault{Header: map[string]string{"Content-Type": one(q.Rand, "text/html", "image/png", "multipart/byteranges; boundary=x", "nothing")}}
	})},
	{"wrong Content-Range", false, false, where(ranged, func(q request) Fault {
		return Fault{Header: map[string]string{"Content-Range": one(q.Rand, "bytes 1-2/3", "bytes 0-0/1", "bytes */7", "items 0-1/2", "bytes 9223372036854775808-9223372036854775809/*", "bytes=0-15/16", "bytes 5-1/9", "")}}
	})},
	{"called compressed", false, true, always(func(q request) Fault {
		return Fault{Header: map[string]string{"Content-Encoding": one(q.Rand, "gzip", "br", "deflate", "nothing")}}
	})},
	{"compressed", false, false, always(func(q request) Fault { return Fault{Gzip: true} })},
	{"the whole object", false, false, where(ranged, func(q request) Fault { return Fault{IgnoreRange: true, Chunked: q.IntN(2) == 0} })},
	{"another length of a part", false, false, where(ranged, func(q request) Fault { return Fault{Resize: one(q.Rand, -100000, -3, -1, 1, 2, 500)} })},
	{"another part", false, false, where(ranged, func(q request) Fault { return Fault{Shift: 1 + q.Int64N(40)} })},
	{"redirected", false, true, always(func(q request) Fault {
		to := q.prefix + "/" + escaped(q.key)
		return Fault{Status: one(q.Rand, 301, 302, 303, 307, 308), Header: map[string]string{"Location": one(q.Rand, to+"?there", q.other+to+"?there", to+"?loop", "", "http://[", "data:,x")}}
	})},
	{"empty", false, false, always(func(q request) Fault { return Fault{Resize: -1 << 40, IgnoreRange: true} })},
	{"short", false, false, where(func(q request) bool { return !q.ranged }, func(q request) Fault { return Fault{Resize: -2 - q.IntN(60)} })},
	{"no JSON", false, false, where(func(q request) bool { return q.document }, func(q request) Fault {
		return Fault{Body: one(q.Rand, "{", "null,", "\x00\x01\x02", "%PDF-1.7", "upstream error", "\xff\xfe{\x00}\x00", "{\"a\":1}{\"b\":2}")}
	})},
	{"another document", false, false, where(request.vital, func(q request) Fault {
		return Fault{Body: one(q.Rand, "{}", "[]", "null", `{"error":"no"}`, `""`, "7")}
	})},
	{"gone", false, false, where(request.vital, func(q request) Fault { return Fault{Status: one(q.Rand, 404, 410), Body: "gone"} })},

	{"a bit flipped", true, false, always(func(q request) Fault {
		flips := make([]int, 1+q.IntN(3))
		for i := range flips {
			flips[i] = q.IntN(1 << 30)
		}
		return Fault{Flip: flips}
	})},
	{"another object", true, false, always(func(q request) Fault {
		dir, name := path.Split(q.key)
		i := strings.IndexAny(name, "0123456789")
		if i < 0 {
			return Fault{Other: dir + one(q.Rand, "0", "0.0", "c/0", "c/0/0", "zarr.json", ".zarray")}
		}
		return Fault{Other: dir + name[:i] + strconv.Itoa(q.IntN(4)) + name[i+1:]}
	})},
	{"absent", true, false, always(func(q request) Fault { return Fault{Status: one(q.Rand, 404, 410), Body: "gone"} })},
	{"as if absent", true, false, where(request.optional, func(q request) Fault { return one(q.Rand, Fault{Status: 403}, Fault{HTML: true}) })},
	{"other bytes", true, false, where(plain, func(q request) Fault {
		return Fault{Body: strings.Repeat(one(q.Rand, "\x00", "x", "\xff\x01"), 1+q.IntN(200))}
	})},
	{"another part by its name", true, false, where(ranged, func(q request) Fault {
		return Fault{Shift: 1 + q.Int64N(40), Header: map[string]string{"Content-Range": ""}}
	})},
}
