package rpc

import (
	"context"
	"math"
	"net/http/httptest"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"zarr-wasm/cmd/serve/static"
	"zarr-wasm/tests/fixtures"
	"zarr-wasm/zarr/codec"
	"zarr-wasm/zarr/codecs"
)

// page is the JavaScript side of a session: it sends requests, waits for their answers
// and answers for the stores that live on its side.
type page struct {
	t       *testing.T
	session *Session
	// get answers questions of host stores; nil bytes mean that there is no such key.
	get func(key string, part []int) ([]byte, string)
	// reply answers the other questions.
	reply  func(question Object) Object
	events []Object
	// codec answers questions about codecs.
	codec func(msg Object) Object

	mu       sync.Mutex
	answers  map[int]chan Object
	progress int
	aborted  int
	last     int
}

func newPage(t *testing.T) *page {
	p := &page{t: t, answers: map[int]chan Object{}}
	p.session = NewSession(Config{
		Version: "1", Codecs: codecs.Full(), Limits: codec.Limits{}.WithDefaults(), Post: p.receive,
	})
	return p
}

func (p *page) receive(msg Object) {
	if msg.Get("ask") != nil {
		if msg.Get("keys") == nil {
			reply := p.reply
			if msg.Get("store") == nil {
				reply = p.codec
			}
			go func() {
				answer := append(Object{{"op", "answer"}, {"ask", msg.Get("ask")}}, reply(msg)...)
				for i, f := range answer {
					if data, ok := f.Value.([]byte); ok {
						answer[i].Value = bytesMemory(append(slices.Clone(data), 0))
						answer = append(answer, Field{"length", float64(len(data))})
					}
				}
				p.session.Receive(answer)
			}()
			return
		}
		for i, key := range strings.Split(msg.text("keys"), "\n") {
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
		p.answers[msg.number("id")] <- msg
	}
}

// answer answers the i-th question of a message.
func (p *page) answer(msg Object, i int, key string) {
	part := []int{0, -1}
	if ranges := msg.ints("ranges"); 2*i < len(ranges) {
		part = ranges[2*i : 2*i+2]
	}
	answer := Object{{"op", "answer"}, {"ask", float64(msg.number("ask") + i)}}
	data, failed := p.get(key, part)
	switch {
	case failed != "":
		answer = append(answer, Field{"error", failed})
	case data != nil && len(data)%2 == 0: // one of the two forms
		n := msg.number("ask") + i
		head := []byte{byte(n), byte(n >> 8), 0, 0, byte(len(data)), byte(len(data) >> 8), byte(len(data) >> 16), 0, 255, 255, 255, 255}
		all := append(head, data...)
		answer = Object{{"op", "answer"}, {"answers", bytesMemory(all)}, {"count", 1.0}, {"length", float64(len(all))}}
	case data != nil:
		answer = append(answer, Field{"bytes", bytesMemory(append(slices.Clone(data), 0))}, Field{"length", float64(len(data))})
	}
	p.session.Receive(answer)
}

// bytesMemory is a Memory in Go.
type bytesMemory []byte

func (m bytesMemory) Len() int        { return len(m) }
func (m bytesMemory) Read(dst []byte) { copy(dst, m) }

func (m bytesMemory) Put(p Place, src []byte) {
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

func (p *page) send(op string, fields ...Field) (int, chan Object) {
	p.mu.Lock()
	p.last++
	id := p.last
	answer := make(chan Object, 1)
	p.answers[id] = answer
	p.mu.Unlock()
	p.session.Receive(append(Object{{"id", float64(id)}, {"op", op}}, fields...))
	return id, answer
}

// about names the node at a path by a handle, as operations about nodes want it; the answer to its opening is
// the value where there is none.
func (p *page) about(fields []Field) (named []Field, failed Object) {
	o := Object(fields)
	_, answer := p.send("open", Field{"store", o.Get("store")}, Field{"path", o.Get("path")})
	a := p.wait(answer)
	if !a.flag("ok") {
		return nil, a
	}
	named = []Field{{"node", a.object("value").Get("handle")}}
	for _, f := range fields {
		if f.Name != "path" && f.Name != "store" {
			named = append(named, f)
		}
	}
	return named, nil
}

// described is a store's number and its description, from the kind and its settings.
func described(number float64, kind string, settings Object, more ...Field) []Field {
	text, _ := Encode(Object{{kind, settings}})
	return append([]Field{{"store", number}, {"description", text[1 : len(text)-1]}}, more...) // without the list of values
}

// host is the description of a store that lives on the page.
func host(number float64, more ...Field) []Field {
	memory := Object(more).flag("memory")
	return described(number, "host", Object{{"number", number}, {"ranges", true}, {"memory", memory}}, more...)
}

var aboutNodes = []string{"members", "read", "chunk", "points", "project", "stored"}

// begin sends a request, about a node by its path.
func (p *page) begin(op string, fields []Field) (int, chan Object) {
	if slices.Contains(aboutNodes, op) {
		named, failed := p.about(fields)
		if failed != nil {
			answer := make(chan Object, 1)
			answer <- failed
			return 0, answer
		}
		fields = named
	}
	return p.send(op, fields...)
}

func (p *page) wait(answer chan Object) Object {
	p.t.Helper()
	select {
	case a := <-answer:
		return a
	case <-time.After(20 * time.Second):
		p.t.Fatal("no answer")
		return nil
	}
}

// ask returns the value of a request that must succeed.
func (p *page) ask(op string, fields ...Field) any {
	p.t.Helper()
	_, answer := p.begin(op, fields)
	a := p.wait(answer)
	if !a.flag("ok") {
		p.t.Fatalf("%s: %v", op, a.Get("error"))
	}
	return a.Get("value")
}

// fail returns the error of a request that must fail.
func (p *page) fail(op string, fields ...Field) Object {
	p.t.Helper()
	_, answer := p.begin(op, fields)
	a := p.wait(answer)
	e, ok := a.Get("error").(Object)
	if !ok {
		p.t.Fatalf("%s: %v, want an error", op, a)
	}
	return e
}

func at(store float64, path string) []Field { return []Field{{"store", store}, {"path", path}} }

func TestReadOverHTTP(t *testing.T) {
	if runtime.GOOS == "js" {
		t.Skip("a server within the wasm cannot be reached by fetch")
	}
	dir := os.DirFS(fixtures.Dir(t))
	srv := httptest.NewServer(static.New(dir, static.Options{}))
	defer srv.Close()
	p := newPage(t)
	if hello := p.ask("hello", Field{"version", "1"}); hello != nil {
		t.Errorf("hello: %v", hello)
	}
	if e := p.fail("hello", Field{"version", "2"}); e.text("name") != "EngineError" {
		t.Errorf("hello of another version: %v", e)
	}
	p.ask("store", described(1, "http", Object{{"url", srv.URL + "/xarray/climate_v3.zarr"}})...)

	root := p.ask("open", at(1, "")...).(Object)
	if root.text("kind") != "group" || root.number("format") != 3 || !root.flag("consolidated") {
		t.Errorf("root: %v", root)
	}
	members := p.ask("members", at(1, "")...).([]any)
	var names []string
	for _, m := range members {
		names = append(names, m.(Object).text("name"))
	}
	if !strings.Contains(strings.Join(names, " "), "t2m") {
		t.Errorf("members: %v", names)
	}
	arr := p.ask("open", at(1, "t2m")...).(Object)
	array := arr.Get("array").(Object)
	if array.text("dtype") != "int16" && array.text("dtype") != "float32" {
		t.Errorf("dtype of t2m: %v", array.Get("dtype"))
	}
	shape := array.Get("shape").([]any)
	res := p.ask("read", append(at(1, "t2m"), Field{"selection", []any{0.0}}, Field{"progress", true})...).(Object)
	if got := res.Get("shape").([]any); len(got) != len(shape)-1 {
		t.Errorf("shape of a slice: %v of %v", got, shape)
	}
	if p.progress == 0 {
		t.Error("no progress was told")
	}

	if e := p.fail("open", at(1, "nothing")...); e.text("name") != "NotFoundError" {
		t.Errorf("open of nothing: %v", e)
	}
	if e := p.fail("read", append(at(1, "t2m"), Field{"selection", []any{1e6}})...); e.text("name") != "InvalidSelectionError" {
		t.Errorf("index out of bounds: %v", e)
	}
	if e := p.fail("read", append(at(1, "t2m"), Field{"selection", []any{true}})...); e.text("name") != "InvalidSelectionError" {
		t.Errorf("boolean as an index: %v", e)
	}
	if e := p.fail("open", at(9, "")...); e.text("name") != "EngineError" {
		t.Errorf("open in no store: %v", e)
	}
	p.ask("close", Field{"store", 1.0})
	if e := p.fail("open", at(1, "")...); e.text("name") != "EngineError" {
		t.Errorf("open in a closed store: %v", e)
	}
}

// TestPageFetches: a page that sends the requests itself, with headers that it makes for each.
func TestPageFetches(t *testing.T) {
	const zattrs, zgroup = `{"a":1}`, `{"zarr_format":2}`
	p := newPage(t)
	broken := false
	p.reply = func(question Object) Object {
		if question.Get("store") != 1.0 {
			t.Errorf("a question about no store: %v", question)
		}
		if question.Get("headers") != nil {
			return Object{{"headers", Object{{"x-key", "k"}, {"not text", 1.0}}}}
		}
		ask := question.Get("fetch").(Object)
		if broken {
			return Object{{"error", "no network"}}
		}
		if headers := ask.Get("headers").(Object); headers.text("x-key") != "k" || ask.text("redirect") != "manual" || ask.text("method") != "GET" {
			t.Errorf("asked for %v", ask)
		}
		body := ""
		switch ask.text("url") {
		case "https://data.test/g/.zgroup?s=1":
			body = zgroup
		case "https://data.test/g/.zattrs?s=1":
			body = zattrs
		default:
			return Object{{"status", 404.0}, {"type", "basic"}, {"headers", Object{}}}
		}
		return Object{{"status", 200.0}, {"type", "basic"}, {"headers", Object{{"content-type", "text/plain"}}}, {"bytes", []byte(body)}}
	}
	options := Object{{"hostFetch", true}, {"hostHeaders", true}, {"retries", -1.0}, {"timeout", -1.0}, {"concurrency", 2.0}, {"missingStatus", []any{403.0}}}
	p.ask("store", described(1, "http", Object{{"url", "https://data.test/g/?s=1"}, {"options", options}, {"host", 1.0}}, Field{"events", true})...)
	group := p.ask("open", at(1, "")...).(Object)
	if group.text("kind") != "group" || group.Get("attributes").(Object).number("a") != 1 {
		t.Errorf("%v", group)
	}
	stats := p.ask("stats", Field{"store", 1.0}).(Object)
	p.mu.Lock()
	if n := stats.number("requests"); n == 0 || n != len(p.events) || stats.number("bytes") != len(zattrs)+len(zgroup) || stats.number("failed") != 0 {
		t.Errorf("%v, and %d events", stats, len(p.events))
	}
	for _, e := range p.events {
		event := e.Get("event").(Object)
		if e.Get("store") != 1.0 || !strings.HasPrefix(event.text("key"), "/") || event.text("source") != "request" || event.text("method") != "GET" {
			t.Errorf("%v", e)
		}
	}
	p.mu.Unlock()
	broken = true
	if e := p.fail("open", at(1, "other")...); e.text("name") != "HttpError" || !strings.Contains(e.text("message"), "no network") {
		t.Errorf("%v", e)
	}
	if e := p.fail("stats", Field{"store", 2.0}); e.text("name") != "EngineError" {
		t.Errorf("%v", e)
	}
	if e := p.fail("store", described(3, "http", Object{{"url", "https://h/"}, {"options", Object{{"cache", "never"}}}})...); e.text("name") != "StoreError" {
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
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	for _, e := range entries {
		if !strings.Contains(e.Name(), "utf8") {
			continue
		}
		read++
		res := p.ask("read", append(at(1, e.Name()), Field{"selection", nil})...).(Object)
		n := 1
		for _, d := range res.Get("shape").([]any) {
			n *= int(d.(float64))
		}
		if got := len(res.Get("offsets").(Buffer)); got != 4*n+4 {
			t.Errorf("%s: %d bytes of offsets for %d texts", e.Name(), got, n)
		}
	}
	if read == 0 {
		t.Fatal("no arrays of text in " + dir)
	}
	if e := p.fail("open", at(1, "broken")...); e.text("name") != "StoreError" || !strings.Contains(e.text("message"), "thrown by the page") {
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
	p.session.Receive(Object{{"op", "cancel"}, {"targets", []any{float64(id)}}})
	deadline := time.Now().Add(20 * time.Second)
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

func TestIntegers(t *testing.T) {
	for _, c := range []struct {
		in   any
		want int64
		ok   bool
	}{
		{3.0, 3, true}, {-3.0, -3, true}, {0.5, 0, false}, {math.NaN(), 0, false}, {math.Inf(1), 0, false},
		{BigInt("9223372036854775807"), math.MaxInt64, true}, {BigInt("9223372036854775808"), 0, false}, {"3", 0, false},
	} {
		got, ok := integer(c.in)
		if ok != c.ok || ok && got != c.want {
			t.Errorf("integer(%v) = %d, %v", c.in, got, ok)
		}
	}
}

func TestDescribeErrorOfContext(t *testing.T) {
	if e := describeError(context.DeadlineExceeded); e.text("name") != "AbortError" {
		t.Errorf("%v", e)
	}
}
