//go:build !js

package changes

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zarr-wasm/zarr-wasm/tests/chaos/faulty"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/wasm/internal/dispatch"
	"github.com/zarr-wasm/zarr-wasm/wasm/internal/wire"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs/writing"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// page is the other side of a session.
type page struct {
	t       *testing.T
	session *Session

	mu       sync.Mutex
	answers  map[int]chan wire.Object
	last     int
	progress int
}

// newPage returns a page whose store 1 is on a server.
func newPage(t *testing.T, server *httptest.Server) *page {
	p := &page{t: t, answers: map[int]chan wire.Object{}}
	p.session = NewSession(dispatch.Config{Version: "1", Codecs: writing.Codecs(), Limits: codec.Limits{}.WithDefaults(), Post: p.receive})
	p.store(1, server.URL+"/one")
	p.store(2, server.URL+"/two")
	return p
}

func (p *page) store(number float64, url string) {
	text, _ := wire.Encode(wire.Object{wire.F("http", wire.Object{wire.F("url", url)})})
	p.ask("store", wire.F("store", number), wire.F("description", text[1:len(text)-1]))
}

func (p *page) receive(msg wire.Object) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case msg.Get("progress") != nil:
		p.progress++
	case msg.Get("id") != nil:
		p.answers[msg.Int("id")] <- msg
	}
}

func (p *page) send(op string, fields ...wire.Field) chan wire.Object {
	p.mu.Lock()
	p.last++
	id, answer := p.last, make(chan wire.Object, 1)
	p.answers[id] = answer
	p.mu.Unlock()
	all := wire.Object{wire.F("id", float64(id)), wire.F("op", op)}
	if wire.Object(fields).Get("change") == nil {
		all = append(all, wire.F("change", float64(id)))
	}
	p.session.Receive(append(all, fields...))
	return answer
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

// ask returns the value of a request that must succeed, an object or nil.
func (p *page) ask(op string, fields ...wire.Field) wire.Object {
	p.t.Helper()
	a := p.wait(p.send(op, fields...))
	if !a.Flag("ok") {
		p.t.Fatalf("%s: %v", op, a.Get("error"))
	}
	o, _ := a.Get("value").(wire.Object)
	return o
}

// fail returns the error of a request that must fail.
func (p *page) fail(op string, fields ...wire.Field) wire.Object {
	p.t.Helper()
	a := p.wait(p.send(op, fields...))
	e, ok := a.Get("error").(wire.Object)
	if !ok {
		p.t.Fatalf("%s: %v, want an error", op, a)
	}
	return e
}

// memory is bytes of the page that can be read in parts.
type memory []byte

func (m memory) Len() int                   { return len(m) }
func (m memory) Read(dst []byte)            { copy(dst, m) }
func (m memory) Put(_ wire.Place, _ []byte) {}

func (m memory) Gather(dst []byte, from, run int, counts, strides []int) {
	if len(counts) == 0 {
		copy(dst, m[from:from+run])
		return
	}
	outer := len(counts) - 1
	step := len(dst) / counts[outer]
	for i := range counts[outer] {
		m.Gather(dst[i*step:(i+1)*step], from+i*strides[outer], run, counts[:outer], strides[:outer])
	}
}

func values(list []uint16, shape ...int) wire.Field {
	var b []byte
	for _, v := range list {
		b = binary.LittleEndian.AppendUint16(b, v)
	}
	var o wire.Object
	o.AddMemory(wire.ValuesBuffer, memory(b))
	o.AddInts(wire.ValuesShape, shape)
	return wire.F("values", o)
}

// indices encodes a list of indices for the wire.
func indices(list ...int64) wire.Object {
	var b []byte
	for _, i := range list {
		b = binary.LittleEndian.AppendUint64(b, uint64(i))
	}
	var o wire.Object
	o.AddBytes(wire.Indices, b)
	return o
}

func sequence(n int) []uint16 {
	list := make([]uint16, n)
	for i := range list {
		list[i] = uint16(i)
	}
	return list
}

// read reads the array of an answer by another session.
func (p *page) read(path string) []uint16 {
	p.t.Helper()
	h, err := p.session.Hierarchy(wire.Object{wire.F("store", 1.0)}, wire.AboutStore)
	if err != nil {
		p.t.Fatal(err)
	}
	a, err := h.OpenArray(p.t.Context(), path)
	if err != nil {
		p.t.Fatal(err)
	}
	res, err := a.Read(p.t.Context(), nil, zarr.ReadOptions{})
	if err != nil {
		p.t.Fatal(err)
	}
	list := make([]uint16, len(res.Data)/2)
	for i := range list {
		list[i] = binary.LittleEndian.Uint16(res.Data[2*i:])
	}
	return list
}

func TestOperations(t *testing.T) {
	server := httptest.NewServer(faulty.NewObjects())
	defer server.Close()
	p := newPage(t, server)
	store := wire.F("store", 1.0)
	spec := `{"shape":[3,4],"chunks":[2,2],"dtype":"uint16","fill":9,"attributes":{"a":1}}`
	create := func(path, kind, spec string, more ...wire.Field) []wire.Field {
		return append(more, store, wire.F("path", path), wire.F("kind", kind), wire.F("spec", spec))
	}
	node := p.ask("create", create("g/a", "array", spec)...)
	if node.Text("path") != "g/a" || node.Text("kind") != "array" {
		t.Errorf("create: %v", node)
	}
	handle := func(o wire.Object) wire.Field { return wire.F("node", float64(o.Int("handle"))) }
	for want, fields := range map[string][]wire.Field{
		"ExistsError":          create("g/a", "array", spec),
		"InvalidMetadataError": create("b", "array", `{"shape":"x"}`),
		"LimitError":           create("b", "array", `{"shape":[9007199254740992],"chunks":[5],"dtype":"uint16"}`),
		"UnknownCodecError":    create("b", "array", `{"shape":[1],"dtype":"uint16","codecs":["unheard"]}`),
	} {
		if e := p.fail("create", fields...); e.Text("name") != want {
			t.Errorf("%v: %v", want, e)
		}
	}
	if e := p.fail("open", store, wire.F("path", "b")); e.Text("name") != "NotFoundError" {
		t.Errorf("what cannot be created is there: %v", e)
	}
	if again := p.ask("create", create("g/a", "array", spec, wire.F("require", true))...); again.Text("kind") != "array" {
		t.Errorf("require: %v", again)
	}
	long := p.ask("create", create("long", "array", `{"shape":[9007199254740990],"chunks":[5],"dtype":"uint16"}`)...)
	long = p.ask("append", handle(long), values(sequence(1), 1), wire.F("dimension", 0.0))
	for _, dim := range []float64{0, -1} {
		if e := p.fail("append", handle(long), values(sequence(1), 1), wire.F("dimension", dim)); e.Text("name") != "LimitError" {
			t.Errorf("appended beyond what numbers count: %v", e)
		}
	}
	if again := p.ask("open", store, wire.F("path", "long")); again.Int("format") != 3 {
		t.Errorf("what cannot be longer: %v", again)
	}
	if g := p.ask("create", create("h", "group", `{"format":2}`)...); g.Int("format") != 2 {
		t.Errorf("group: %v", g)
	}

	p.ask("write", handle(node), values(sequence(12), 3, 4), wire.F("progress", true))
	if got := p.read("g/a"); !slices.Equal(got, sequence(12)) || p.progress == 0 {
		t.Errorf("written %v, told of %d times", got, p.progress)
	}
	p.ask("write", handle(node), values([]uint16{77}, 1), wire.F("points", []any{indices(1), indices(2)}))
	p.ask("write", handle(node), values([]uint16{88}), wire.F("selection", []any{2.0, wire.Object{wire.F("start", 2.0)}}))
	if got := p.read("g/a"); got[6] != 77 || got[10] != 88 || got[11] != 88 || got[9] != 9 {
		t.Errorf("points and a part of a row: %v", got)
	}
	for want, fields := range map[string][]wire.Field{
		"InvalidValueError":     {handle(node), values(sequence(5), 5)},
		"InvalidSelectionError": {handle(node), values(sequence(1), 1), wire.F("points", []any{indices(9), indices(0)})},
	} {
		if e := p.fail("write", fields...); e.Text("name") != want {
			t.Errorf("%s: %v", want, e)
		}
	}

	list := func(n int) wire.Field {
		f := values(sequence(n), n)
		o := f.Value.(wire.Object)
		o.AddFlag(wire.ValuesList, true)
		return wire.F(f.Name, o)
	}
	p.ask("write", handle(node), list(12))
	if got := p.read("g/a"); !slices.Equal(got, sequence(12)) {
		t.Errorf("a list: %v", got)
	}
	if e := p.fail("append", handle(node), list(5), wire.F("dimension", 0.0)); e.Text("name") != "InvalidValueError" {
		t.Errorf("a list of no rows: %v", e)
	}
	node = p.ask("append", handle(node), list(4), wire.F("dimension", 0.0))
	node = p.ask("resize", handle(node), wire.F("shape", wire.Ints([]int{4, 3})))
	if e := p.fail("resize", handle(node), wire.F("shape", []any{0x1p53, 3.0})); e.Text("name") != "LimitError" {
		t.Errorf("resized beyond what numbers count: %v", e)
	}
	if got := p.read("g/a"); len(got) != 12 || got[9] != 0 || got[11] != 2 {
		t.Errorf("appended and resized: %v", got)
	}
	for _, c := range []struct{ how, object, want string }{
		{"update", `{"b":[1,{"c":null}]}`, `{"a":1,"b":[1,{"c":null}]}`}, {"set", `{"x":"y"}`, `{"x":"y"}`},
	} {
		node = p.ask("attributes", handle(node), wire.F("how", c.how), wire.F("attributes", c.object))
		h, _ := p.session.Hierarchy(wire.Object{store}, wire.AboutStore)
		a, err := h.OpenArray(t.Context(), "g/a")
		if err != nil || string(a.Metadata().Attributes.Raw()) != c.want && strings.Join(strings.Fields(string(a.Metadata().Attributes.Raw())), "") != c.want {
			t.Errorf("%s: %s, %v", c.how, a.Metadata().Attributes.Raw(), err)
		}
	}
	node = p.ask("attributes", handle(node), wire.F("how", "delete"), wire.F("names", []any{"x"}))
	if e := p.fail("attributes", handle(node), wire.F("how", "turn")); e.Text("name") != "EngineError" {
		t.Errorf("unknown way to change attributes: %v", e)
	}

	before := p.read("g/a")
	report := p.ask("copy", handle(node), wire.F("store", 1.0), wire.F("path", "c"), wire.F("options", `{"array":{"chunks":[4,1]}}`))
	if report.Int("copied") != 1 || !slices.Equal(p.read("c"), before) {
		t.Errorf("copy: %v", report)
	}
	if e := p.fail("copy", handle(node), store, wire.F("path", "c"), wire.F("options", "{}")); e.Text("name") != "ExistsError" {
		t.Errorf("copy over another: %v", e)
	}
	// These need a list of the store, which HTTP does not provide.
	for op, fields := range map[string][]wire.Field{
		"move": {store, wire.F("path", "c"), wire.F("to", "moved")}, "consolidate": {store, wire.F("path", "g")},
		"copyStore": {store, wire.F("from", 2.0), wire.F("fromPath", ""), wire.F("path", "all"), wire.F("options", "{}")},
	} {
		if e := p.fail(op, fields...); e.Text("name") != "UnsupportedError" && e.Text("name") != "NotFoundError" {
			t.Errorf("%s: %v", op, e)
		}
	}
	p.ask("create", create("old", "array", `{"format":2,"shape":[2],"dtype":"uint16"}`)...)
	if n := p.ask("migrate", store, wire.F("path", "old"), wire.F("format", 3.0)); n.Int("format") != 3 {
		t.Errorf("migrate: %v", n)
	}
	p.ask("delete", store, wire.F("path", "g"))
	if e := p.fail("delete", store, wire.F("path", "g")); e.Text("name") != "NotFoundError" {
		t.Errorf("delete what is gone: %v", e)
	}
}

// TestStop ends operations before and while they run. Each is answered, and the session continues.
func TestStop(t *testing.T) {
	server := httptest.NewServer(faulty.NewObjects())
	defer server.Close()
	p := newPage(t, server)
	node := p.ask("create", wire.F("store", 1.0), wire.F("path", "a"), wire.F("kind", "array"), wire.F("spec", `{"shape":[400],"chunks":[1],"dtype":"uint16"}`))
	for wait := range 10 {
		answer := p.send("write", wire.F("node", float64(node.Int("handle"))), values(sequence(400), 400), wire.F("change", 9000.0))
		time.Sleep(time.Duration(wait) * time.Millisecond)
		p.ask("stop", wire.F("store", 1.0), wire.F("change", 9000.0))
		if a := p.wait(answer); !a.Flag("ok") {
			e := a.Object("error")
			if cause := e.Object("cause"); e.Text("name") != "AbortError" && (e.Text("name") != "WriteError" || cause.Text("name") != "AbortError") {
				t.Errorf("stopped: %v", e)
			}
		}
	}
	p.ask("write", wire.F("node", float64(node.Int("handle"))), values(sequence(400), 400))
	if !slices.Equal(p.read("a"), sequence(400)) {
		t.Error("the write after those that were stopped")
	}
}

// TestNonsense sends messages that no page sends. Each is answered by an error that is no panic.
func TestNonsense(t *testing.T) {
	server := httptest.NewServer(faulty.NewObjects())
	defer server.Close()
	p := newPage(t, server)
	node := p.ask("create", wire.F("store", 1.0), wire.F("path", "a"), wire.F("kind", "array"), wire.F("spec", `{"shape":[4],"dtype":"uint16"}`))
	handle := float64(node.Int("handle"))
	var none wire.Object
	junk := []any{
		nil, true, "", "..", "/", "{", `[1]`, `{"shape":[1e300],"chunks":{},"codecs":7,"filters":"x","dtype":3}`, -1.0, 1e300, 0.5, handle, 1.0, 2.0, []any{},
		[]any{[]any{1e300}}, []any{-1.0, "x"}, none, []any{indices(-1 << 62)}, indices(1, 2), memory{1, 2, 3}, []byte{1, 0}, wire.Ints([]int{-1}), values(sequence(2), -1, 5).Value,
	}
	names := []string{
		"node", "store", "path", "to", "kind", "spec", "require", "selection", "points", "mask", "blocks", "field", "values", "skipEmpty", "progress", "shape",
		"dimension", "how", "attributes", "names", "from", "fromPath", "all", "options", "format",
	}
	ops := []string{"create", "write", "resize", "append", "attributes", "delete", "move", "copy", "copyStore", "consolidate", "migrate", "stop"}
	r := rand.New(rand.NewPCG(19, 6))
	for i := range 3000 {
		op := ops[r.IntN(len(ops))]
		fields := []wire.Field{wire.F("node", handle), wire.F("store", 1.0)}
		for range r.IntN(6) {
			fields = append([]wire.Field{wire.F(names[r.IntN(len(names))], junk[r.IntN(len(junk))])}, fields...)
		}
		a := p.wait(p.send(op, fields...))
		if e := a.Object("error"); strings.Contains(e.Text("message"), "panic") {
			t.Fatalf("%d: %s %v: %v", i, op, fields, e)
		}
	}
}

// TestGather compares gathered parts of the page's memory with the same parts of a whole copy.
func TestGather(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 7))
	for range 2000 {
		rank, size := r.IntN(4), 1+r.IntN(4)
		shape, whole := make([]int, rank), make([]int, rank)
		from := ndarray.Layout{Strides: make([]int, rank), Lists: make([][]int64, rank)}
		n := 1
		for d := range whole {
			whole[d] = 1 + r.IntN(6)
			n *= whole[d]
		}
		all := ndarray.New(whole, size, false)
		for i := range all.Data {
			all.Data[i] = byte(r.IntN(256))
		}
		strides := ndarray.Strides(whole)
		for d := range shape {
			step, at := 1+r.IntN(2), r.IntN(whole[d])
			shape[d] = 1 + (whole[d]-1-at)/step
			if from.Strides[d] = step * strides[d]; r.IntN(3) == 0 { // backwards
				at += (shape[d] - 1) * step
				from.Strides[d] = -from.Strides[d]
			} else if r.IntN(4) == 0 { // the same value repeatedly
				from.Strides[d] = 0
			}
			from.Offset += at * strides[d]
		}
		want := ndarray.New(shape, size, false)
		must.Do(t, ndarray.Copy(want, ndarray.Layout{Strides: ndarray.Strides(shape)}, all, from, shape))
		got := make([]byte, len(want.Data))
		if err := gather(memory(all.Data), got, size, from, shape); err != nil || !bytes.Equal(got, want.Data) {
			t.Fatalf("%v of %v, %+v: %v, %v; want %v", shape, whole, from, got, err, want.Data)
		}
		beyond := from
		beyond.Offset += n
		if err := gather(memory(all.Data), got, size, beyond, shape); err == nil && len(got) > 0 && from.Offset+n > n-1 {
			t.Fatalf("what lies beyond the memory was gathered: %v of %v, %+v", shape, whole, beyond)
		}
	}
}
