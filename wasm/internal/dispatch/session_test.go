package dispatch

import (
	"context"
	"encoding/binary"
	"net/http/httptest"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zarr-wasm/zarr-wasm/internal/static"
	"github.com/zarr-wasm/zarr-wasm/tests/fixtures"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/wasm/internal/wire"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
)

// page is the JavaScript side of a session. It sends requests, awaits answers, and serves the
// stores on its side.
type page struct {
	t       *testing.T
	session *Session
	// post receives the session's messages.
	post func(wire.Object)
	// get answers questions of host stores; nil bytes mean that the key does not exist.
	get func(key string, part []int) ([]byte, string)
	// reply answers the other questions.
	reply  func(question wire.Object) wire.Object
	events []wire.Object

	mu       sync.Mutex
	answers  map[int]chan wire.Object
	progress int
	aborted  int
	last     int
}

func newPage(t *testing.T) *page {
	p := &page{t: t, answers: map[int]chan wire.Object{}}
	p.post = p.receive
	p.start(codecs.Full())
	return p
}

// start starts a session with these codecs.
func (p *page) start(registry *codec.Registry) {
	p.session = NewSession(Config{
		Version: "1", Codecs: registry, Rare: codecs.RareNames(), Limits: codec.Limits{}.WithDefaults(), Post: func(o wire.Object) { p.post(o) },
	})
}

func (p *page) receive(msg wire.Object) {
	if msg.Get("ask") != nil {
		if msg.Get("keys") == nil {
			go func() {
				answer := append(wire.Object{wire.F("op", "answer"), wire.F("ask", msg.Get("ask"))}, p.reply(msg)...)
				for i, f := range answer {
					if data, ok := f.Value.([]byte); ok {
						answer[i].Value = bytesMemory(append(slices.Clone(data), 0))
						answer = append(answer, wire.F("length", float64(len(data))))
					}
				}
				p.session.Receive(answer)
			}()
			return
		}
		for i, key := range strings.Split(msg.Text("keys"), "\n") {
			go p.answer(msg, i, key)
		}
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case msg.Get("aborted") != nil:
		p.aborted++
	case msg.Get("progress") != nil:
		p.progress++
	case msg.Get("event") != nil:
		p.events = append(p.events, msg)
	default:
		p.answers[msg.Int("id")] <- msg
	}
}

// answer answers the i-th question of a message.
func (p *page) answer(msg wire.Object, i int, key string) {
	part := []int{0, -1}
	if ranges := msg.Ints("ranges"); 2*i < len(ranges) {
		part = ranges[2*i : 2*i+2]
	}
	answer := wire.Object{wire.F("op", "answer"), wire.F("ask", float64(msg.Int("ask")+i))}
	data, failed := p.get(key, part)
	switch {
	case failed != "":
		answer = append(answer, wire.F("error", failed))
	case data != nil && len(data)%2 == 0: // one of the two forms
		n := msg.Int("ask") + i
		head := []byte{byte(n), byte(n >> 8), 0, 0, byte(len(data)), byte(len(data) >> 8), byte(len(data) >> 16), 0, 255, 255, 255, 255, 0, 0, 0, 0, 0, 0, 0, 0}
		all := append(head, data...)
		answer = wire.Object{wire.F("op", "answer"), wire.F("answers", bytesMemory(all)), wire.F("count", 1.0), wire.F("length", float64(len(all)))}
	case data != nil:
		answer = append(answer, wire.F("bytes", bytesMemory(append(slices.Clone(data), 0))), wire.F("length", float64(len(data))))
	}
	p.session.Receive(answer)
}

// bytesMemory is a Memory in Go.
type bytesMemory []byte

func (m bytesMemory) Len() int        { return len(m) }
func (m bytesMemory) Read(dst []byte) { copy(dst, m) }

func (m bytesMemory) Put(p wire.Place, src []byte) {
	if len(p.Counts) == 0 {
		copy(m[p.Offset:p.Offset+len(src)], src)
		return
	}
	at := 0
	var walk func(d, offset int)
	walk = func(d, offset int) {
		if d < 0 {
			copy(m[offset:offset+p.Run], src[at:])
			at += p.Run
			return
		}
		for i := range p.Counts[d] {
			walk(d-1, offset+i*p.Strides[d])
		}
	}
	walk(len(p.Counts)-1, p.Offset)
}

func (p *page) send(op string, fields ...wire.Field) (int, chan wire.Object) {
	p.mu.Lock()
	p.last++
	id := p.last
	answer := make(chan wire.Object, 1)
	p.answers[id] = answer
	p.mu.Unlock()
	p.session.Receive(append(wire.Object{wire.F("id", float64(id)), wire.F("op", op)}, fields...))
	return id, answer
}

// about replaces a path by the handle of its node. A failed open is returned as the answer.
func (p *page) about(fields []wire.Field) (named []wire.Field, failed wire.Object) {
	o := wire.Object(fields)
	_, answer := p.send("open", wire.F("store", o.Get("store")), wire.F("path", o.Get("path")))
	a := p.wait(answer)
	if !a.Flag("ok") {
		return nil, a
	}
	named = []wire.Field{wire.F("node", a.Object("value").Get("handle"))}
	for _, f := range fields {
		if f.Name != "path" && f.Name != "store" {
			named = append(named, f)
		}
	}
	return named, nil
}

// described returns a store's number and description, from its kind and settings.
func described(number float64, kind string, settings wire.Object, more ...wire.Field) []wire.Field {
	text, _ := wire.Encode(wire.Object{wire.F(kind, settings)})
	// without the list of values
	return append([]wire.Field{wire.F("store", number), wire.F("description", text[1:len(text)-1])}, more...)
}

// host returns the description of a store on the page.
func host(number float64, more ...wire.Field) []wire.Field {
	memory := wire.Object(more).Flag("memory")
	return described(number, "host", wire.Object{wire.F("number", number), wire.F("ranges", true), wire.F("memory", memory)}, more...)
}

var aboutNodes = []string{"members", "read", "chunk", "points", "project", "stored"}

// begin sends a request, about a node by its path.
func (p *page) begin(op string, fields []wire.Field) (int, chan wire.Object) {
	if slices.Contains(aboutNodes, op) {
		named, failed := p.about(fields)
		if failed != nil {
			answer := make(chan wire.Object, 1)
			answer <- failed
			return 0, answer
		}
		fields = named
	}
	return p.send(op, fields...)
}

func (p *page) wait(answer chan wire.Object) wire.Object {
	p.t.Helper()
	select {
	case a := <-answer:
		return a
	case <-time.After(time.Minute):
		p.t.Fatal("no answer")
		return nil
	}
}

// ask returns the value of a request that must succeed.
func (p *page) ask(op string, fields ...wire.Field) any {
	p.t.Helper()
	_, answer := p.begin(op, fields)
	a := p.wait(answer)
	if !a.Flag("ok") {
		p.t.Fatalf("%s: %v", op, a.Get("error"))
	}
	return a.Get("value")
}

// fail returns the error of a request that must fail.
func (p *page) fail(op string, fields ...wire.Field) wire.Object {
	p.t.Helper()
	_, answer := p.begin(op, fields)
	a := p.wait(answer)
	e, ok := a.Get("error").(wire.Object)
	if !ok {
		p.t.Fatalf("%s: %v, want an error", op, a)
	}
	return e
}

func at(store float64, path string) []wire.Field {
	return []wire.Field{wire.F("store", store), wire.F("path", path)}
}

func TestReadOverHTTP(t *testing.T) {
	if runtime.GOOS == "js" {
		t.Skip("a server within the wasm cannot be reached by fetch")
	}
	dir := os.DirFS(fixtures.Dir(t))
	srv := httptest.NewServer(static.New(dir, static.Options{}))
	defer srv.Close()
	p := newPage(t)
	if hello := p.ask("hello", wire.F("version", "1")); hello != nil {
		t.Errorf("hello: %v", hello)
	}
	if e := p.fail("hello", wire.F("version", "2")); e.Text("name") != "EngineError" {
		t.Errorf("hello of another version: %v", e)
	}
	p.ask("store", described(1, "http", wire.Object{wire.F("url", srv.URL+"/xarray/climate_v3.zarr")})...)

	root := p.ask("open", at(1, "")...).(wire.Object)
	if root.Text("kind") != "group" || root.Int("format") != 3 || !root.Flag("consolidated") {
		t.Errorf("root: %v", root)
	}
	held := len(p.session.nodes)
	members, bytes := wire.Encode(wire.Object{wire.F("value", p.ask("members", at(1, "")...))})
	if !strings.Contains(members, `{"name":"t2m","kind":"array","how":"consolidated","node":{"path":"t2m",`) || len(bytes) > 2 {
		t.Errorf("members: %d bytes, %s", len(bytes), members)
	}
	// They are opened on first use.
	// the group was opened once more
	if len(p.session.nodes) != held+1 || strings.Contains(members, `"handle"`) {
		t.Errorf("%d nodes are held", len(p.session.nodes)-held)
	}
	arr := p.ask("open", at(1, "t2m")...).(wire.Object)
	array := arr.Get("array").(wire.Object)
	if array.Text("dtype") != "int16" && array.Text("dtype") != "float32" {
		t.Errorf("dtype of t2m: %v", array.Get("dtype"))
	}
	shape := array.Get("shape").([]any)
	res := p.ask("read", append(at(1, "t2m"), wire.F("selection", []any{0.0}), wire.F("progress", true))...).(wire.Object)
	if got := res.Get("shape").([]any); len(got) != len(shape)-1 {
		t.Errorf("shape of a slice: %v of %v", got, shape)
	}
	if p.progress == 0 {
		t.Error("no progress was told")
	}

	if e := p.fail("open", at(1, "nothing")...); e.Text("name") != "NotFoundError" {
		t.Errorf("open of nothing: %v", e)
	}
	if e := p.fail("read", append(at(1, "t2m"), wire.F("selection", []any{1e6}))...); e.Text("name") != "InvalidSelectionError" {
		t.Errorf("index out of bounds: %v", e)
	}
	if e := p.fail("read", append(at(1, "t2m"), wire.F("selection", []any{true}))...); e.Text("name") != "InvalidSelectionError" {
		t.Errorf("boolean as an index: %v", e)
	}
	if e := p.fail("open", at(9, "")...); e.Text("name") != "EngineError" {
		t.Errorf("open in no store: %v", e)
	}
	p.ask("close", wire.F("store", 1.0))
	if e := p.fail("open", at(1, "")...); e.Text("name") != "EngineError" {
		t.Errorf("open in a closed store: %v", e)
	}
}

// TestPageFetches: the page sends the requests itself, with new headers for each.
func TestPageFetches(t *testing.T) {
	const zattrs, zgroup = `{"a":1}`, `{"zarr_format":2}`
	p := newPage(t)
	broken := false
	p.reply = func(question wire.Object) wire.Object {
		if question.Get("store") != 1.0 {
			t.Errorf("a question about no store: %v", question)
		}
		if question.Get("headers") != nil {
			return wire.Object{wire.F("headers", wire.Object{wire.F("x-key", "k"), wire.F("not text", 1.0)})}
		}
		ask := question.Get("fetch").(wire.Object)
		if broken {
			return wire.Object{wire.F("error", "no network")}
		}
		if headers := ask.Get("headers").(wire.Object); headers.Text("x-key") != "k" || ask.Text("redirect") != "manual" || ask.Text("method") != "GET" {
			t.Errorf("asked for %v", ask)
		}
		body := ""
		switch ask.Text("url") {
		case "https://data.test/g/.zgroup?s=1":
			body = zgroup
		case "https://data.test/g/.zattrs?s=1":
			body = zattrs
		default:
			return wire.Object{wire.F("status", 404.0), wire.F("type", "basic"), wire.F("headers", wire.Object{})}
		}
		return wire.Object{wire.F("status", 200.0), wire.F("type", "basic"), wire.F("headers", wire.Object{wire.F("content-type", "text/plain")}), wire.F("bytes", []byte(body))}
	}
	options := wire.Object{wire.F("hostFetch", true), wire.F("hostHeaders", true), wire.F("retries", -1.0), wire.F("timeout", -1.0), wire.F("concurrency", 2.0), wire.F("missingStatus", []any{403.0})}
	p.ask("store", described(1, "http", wire.Object{wire.F("url", "https://data.test/g/?s=1"), wire.F("options", options), wire.F("host", 1.0)}, wire.F("events", true))...)
	group := p.ask("open", at(1, "")...).(wire.Object)
	if group.Text("kind") != "group" || string(group.Get("documents").(wire.Object).Get(".zattrs").(wire.Packed)) != zattrs {
		t.Errorf("%v", group)
	}
	stats := p.ask("stats", wire.F("store", 1.0)).(wire.Object)
	p.mu.Lock()
	if n := stats.Int("requests"); n == 0 || n != len(p.events) || stats.Int("bytes") != len(zattrs)+len(zgroup) || stats.Int("failed") != 0 {
		t.Errorf("%v, and %d events", stats, len(p.events))
	}
	for _, e := range p.events {
		event := e.Get("event").(wire.Object)
		if e.Get("store") != 1.0 || !strings.HasPrefix(event.Text("key"), "/") || event.Text("source") != "request" || event.Text("method") != "GET" {
			t.Errorf("%v", e)
		}
	}
	p.mu.Unlock()
	broken = true
	if e := p.fail("open", at(1, "other")...); e.Text("name") != "HttpError" || !strings.Contains(e.Text("message"), "no network") {
		t.Errorf("%v", e)
	}
	if e := p.fail("stats", wire.F("store", 2.0)); e.Text("name") != "EngineError" {
		t.Errorf("%v", e)
	}
	if e := p.fail("store", described(3, "http", wire.Object{wire.F("url", "https://h/"), wire.F("options", wire.Object{wire.F("cache", "never")})})...); e.Text("name") != "StoreError" {
		t.Errorf("%v", e)
	}
}

func TestHostStore(t *testing.T) {
	dir := path.Join(fixtures.Dir(t), "v2/object.zarr")
	p := newPage(t)
	p.get = func(key string, _ []int) ([]byte, string) {
		if key == "broken/.zarray" {
			return nil, "thrown by the page"
		}
		b, err := os.ReadFile(path.Join(dir, key))
		if err != nil {
			return nil, ""
		}
		return b, ""
	}
	p.ask("store", host(1.0)...)
	entries := must.Get(os.ReadDir(dir))(t)
	read := 0
	for _, e := range entries {
		if !strings.Contains(e.Name(), "utf8") {
			continue
		}
		read++
		res := p.ask("read", append(at(1, e.Name()), wire.F("selection", nil))...).(wire.Object)
		n := 1
		for _, d := range res.Get("shape").([]any) {
			n *= int(d.(float64))
		}
		if got := len(res.Get("offsets").(wire.Buffer)); got != 4*n+4 {
			t.Errorf("%s: %d bytes of offsets for %d texts", e.Name(), got, n)
		}
	}
	if read == 0 {
		t.Fatal("no arrays of text in " + dir)
	}
	if e := p.fail("open", at(1, "broken")...); e.Text("name") != "StoreError" || !strings.Contains(e.Text("message"), "thrown by the page") {
		t.Errorf("a store that throws: %v", e)
	}
}

func TestCancelReachesTheStore(t *testing.T) {
	p := newPage(t)
	asked := make(chan struct{}, 16)
	release := make(chan struct{})
	p.get = func(string, []int) ([]byte, string) {
		asked <- struct{}{}
		<-release
		return nil, ""
	}
	defer close(release)
	p.ask("store", host(1.0)...)
	id, answer := p.send("open", at(1, "")...)
	<-asked
	p.session.Receive(wire.Object{wire.F("op", "cancel"), wire.F("targets", []any{float64(id)})})
	deadline := time.Now().Add(time.Minute)
	for {
		p.mu.Lock()
		told := p.aborted > 0
		p.mu.Unlock()
		p.session.mu.Lock()
		_, runs := p.session.cancels[id]
		p.session.mu.Unlock()
		if told && !runs {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the store was told: %v; the request still runs: %v", told, runs)
		}
		time.Sleep(time.Millisecond)
	}
	select {
	case a := <-answer:
		t.Errorf("a cancelled open was answered: %v", a)
	default:
	}
}

func TestStoredAndPoints(t *testing.T) {
	p := newPage(t)
	p.get = func(key string, _ []int) ([]byte, string) {
		switch key {
		case "zarr.json":
			return []byte(`{"zarr_format":3,"node_type":"array","shape":[4],"data_type":"uint8","fill_value":0,
				"chunk_grid":{"name":"regular","configuration":{"chunk_shape":[4]}},"chunk_key_encoding":{"name":"v2"},"codecs":[{"name":"bytes"}]}`), ""
		case "0":
			return []byte{9, 8, 7, 6}, ""
		}
		return nil, ""
	}
	p.ask("store", host(1.0)...)
	if n := p.ask("stored", at(1, "")...); n != 1.0 {
		t.Errorf("%v stored chunks", n)
	}
	block := p.ask("points", append(at(1, ""), wire.F("coords", []any{indices(3, 0, -3)}))...).(wire.Object)
	if got := block.Get("buffer").(wire.Buffer); !slices.Equal([]byte(got), []byte{6, 9, 8}) {
		t.Errorf("got %v", got)
	}
	for _, list := range []any{nil, 1.0, []any{1.0}, wire.Object{}, wire.Object{{Name: "indices", Value: []byte{1, 2}}}} {
		if e := p.fail("points", append(at(1, ""), wire.F("coords", []any{list}))...); e.Text("name") != "InvalidSelectionError" {
			t.Errorf("%v: %v", list, e)
		}
	}
}

func indices(list ...int64) wire.Object {
	var b []byte
	for _, i := range list {
		b = binary.LittleEndian.AppendUint64(b, uint64(i))
	}
	return wire.Object{{Name: "indices", Value: b}}
}

func TestDescribeErrorOfContext(t *testing.T) {
	if e := describeError(context.DeadlineExceeded); e.Text("name") != "AbortError" {
		t.Errorf("%v", e)
	}
}
