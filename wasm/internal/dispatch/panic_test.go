package dispatch

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/wasm/internal/wire"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
)

// thrower is memory whose bytes cannot be read, like those of a transferred ArrayBuffer.
type thrower struct{ bytesMemory }

func (thrower) Read([]byte) { panic("detached") }

// smallChunks returns a page with an array of 300 bytes in chunks of 2.
func smallChunks(t *testing.T, delay func(key string)) *page {
	p := newPage(t)
	p.get = func(key string, _ []int) ([]byte, string) {
		if key == "zarr.json" {
			return []byte(`{"zarr_format":3,"node_type":"array","shape":[300],"data_type":"uint8",
				"chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2]}},
				"chunk_key_encoding":{"name":"default"},"fill_value":255,"codecs":[{"name":"bytes"}]}`), ""
		}
		delay(key)
		return []byte{1, 2}, ""
	}
	p.ask("store", host(1.0, wire.F("memory", true))...)
	return p
}

// throwing makes a page throw once, for a matching message.
func throwing(p *page, picked func(wire.Object) bool) *atomic.Int32 {
	post, thrown := p.post, &atomic.Int32{}
	p.post = func(msg wire.Object) {
		if picked(msg) && thrown.CompareAndSwap(0, 1) {
			panic("thrown by post")
		}
		if msg.Get("partial") == nil {
			post(msg)
		}
	}
	return thrown
}

func has(name string) func(wire.Object) bool {
	return func(o wire.Object) bool { return o.Get(name) != nil }
}

func TestAPanicEndsItsRequestOnly(t *testing.T) {
	for name, picked := range map[string]func(wire.Object) bool{
		"the question for a document": func(o wire.Object) bool { return strings.Contains(o.Text("keys"), "zarr.json") },
		"the question for chunks":     func(o wire.Object) bool { return strings.Contains(o.Text("keys"), "c/") },
		"progress":                    has("progress"),
		"a partial result":            has("partial"),
		"an event":                    func(o wire.Object) bool { return strings.HasPrefix(o.Object("event").Text("key"), "/c/") },
		"the answer":                  func(o wire.Object) bool { return o.Object("value").Get("buffer") != nil },
	} {
		t.Run(name, func(t *testing.T) {
			p := smallChunks(t, func(key string) {
				if key == "c/140" {
					time.Sleep(2 * frame) // progress is reported meanwhile
				}
			})
			p.ask("store", host(2.0, wire.F("memory", true), wire.F("events", true))...)
			onePanic(t, p, picked, append(at(2, ""), wire.F("selection", nil), wire.F("progress", true), wire.F("partial", true)))
			p.ask("open", at(1, "")...)
		})
	}
}

// onePanic makes a read fail by a panic, and then checks that the session continues.
func onePanic(t *testing.T, p *page, picked func(wire.Object) bool, read []wire.Field) {
	thrown := throwing(p, picked)
	e := p.fail("read", read...)
	if e.Text("name") != "EngineError" || !strings.HasSuffix(e.Text("message"), "panic: thrown by post") || e.Object("cause").Text("message") == "" || thrown.Load() != 1 {
		t.Errorf("%v", e)
	}
	for range 2 {
		p.ask("read", read...)
	}
}

func TestAPanicOfACodecIsItsChunksError(t *testing.T) {
	p := newPage(t)
	registry := codecs.Full()
	registry.Add(codec.Entry{Names: []string{"bomb"}, New: func(json.Value, codec.Build) (any, error) { panic("a bomb") }})
	p.start(registry)
	p.get = func(key string, _ []int) ([]byte, string) {
		if key == "zarr.json" {
			return []byte(`{"zarr_format":3,"node_type":"array","shape":[1],"data_type":"uint8","fill_value":0,
				"chunk_grid":{"name":"regular","configuration":{"chunk_shape":[1]}},"chunk_key_encoding":{"name":"default"},
				"codecs":[{"name":"bytes"},{"name":"bomb"}]}`), ""
		}
		return nil, ""
	}
	p.ask("store", host(1.0)...)
	for range 2 {
		if e := p.fail("open", at(1, "")...); e.Text("name") != "EngineError" || e.Text("message") != "panic: a bomb" {
			t.Errorf("%v", e)
		}
	}
}

func TestAMessageThatCannotBeReadIsAnErrorOfWhatWaitsForIt(t *testing.T) {
	p := newPage(t)
	p.get = func(string, []int) ([]byte, string) { return nil, "" }
	p.ask("store", host(1.0)...)
	var broken atomic.Bool
	broken.Store(true)
	p.post = func(msg wire.Object) {
		if msg.Get("keys") == nil || !broken.Load() {
			p.receive(msg)
			return
		}
		go func() {
			for i := range msg.Int("count") {
				p.session.Receive(wire.Object{
					wire.F("op", "answer"), wire.F("ask", float64(msg.Int("ask")+i)), wire.F("bytes", thrower{make(bytesMemory, 10)}), wire.F("length", 10.0),
				})
			}
		}()
	}
	if e := p.fail("open", at(1, "")...); e.Text("name") != "EngineError" || !strings.Contains(e.Text("message"), "detached") {
		t.Errorf("%v", e)
	}
	broken.Store(false)
	if e := p.fail("open", at(1, "")...); e.Text("name") != "NotFoundError" {
		t.Errorf("afterwards: %v", e)
	}
}
