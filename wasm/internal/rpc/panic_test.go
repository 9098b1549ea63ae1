package rpc

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"zarr-wasm/internal/json"
	"zarr-wasm/zarr/codec"
	"zarr-wasm/zarr/codecs"
)

// thrower is memory whose bytes cannot be read, as those of an ArrayBuffer that was transferred.
type thrower struct{ bytesMemory }

func (thrower) Read([]byte)       { panic("detached") }
func (thrower) Put(Place, []byte) { panic("detached") }

// throwing has a page throw once for a message that is picked.
func throwing(p *page, picked func(Object) bool) *atomic.Int32 {
	post, thrown := p.session.cfg.Post, &atomic.Int32{}
	p.session.cfg.Post = func(msg Object) {
		if picked(msg) && thrown.CompareAndSwap(0, 1) {
			panic("thrown by post")
		}
		if msg.Get("part") == nil {
			post(msg)
		}
	}
	return thrown
}

func has(name string) func(Object) bool { return func(o Object) bool { return o.Get(name) != nil } }

func TestAPanicEndsItsRequestOnly(t *testing.T) {
	for name, picked := range map[string]func(Object) bool{
		"the question for a document": func(o Object) bool { return strings.Contains(o.text("keys"), "zarr.json") },
		"the question for chunks":     func(o Object) bool { return strings.Contains(o.text("keys"), "c/") },
		"progress":                    has("progress"),
		"a part":                      has("part"),
		"an event":                    func(o Object) bool { return strings.HasPrefix(o.object("event").text("key"), "/c/") },
		"the answer":                  func(o Object) bool { return o.object("value").Get("buffer") != nil },
	} {
		t.Run(name, func(t *testing.T) {
			p := smallChunks(t, 2, func(chunk int) string {
				if chunk == 140 {
					time.Sleep(2 * frame) // progress is told meanwhile
				}
				return ""
			})
			p.ask("store", host(2.0, Field{"memory", true}, Field{"events", true})...)
			onePanic(t, p, picked, append(at(2, ""), Field{"selection", nil}, Field{"progress", true}, Field{"parts", true}))
			p.ask("open", at(1, "")...)
		})
	}
	for name, picked := range map[string]func(Object) bool{
		"a pipeline": func(o Object) bool { return o.Get("pipeline") != nil && o.Get("job") == nil },
		"a job":      has("job"),
		"a tick":     has("tick"),
	} {
		t.Run(name, func(t *testing.T) {
			p := filePage(t, sample(t))
			newPool(p)
			if name == "a tick" { // that is where all is decoded by turns
				p.session.Receive(Object{{"op", "job"}, {"helpers", 0.0}})
			}
			onePanic(t, p, picked, append(at(1, firstArray(t, sample(t))), Field{"selection", nil}))
		})
	}
}

// onePanic has a read fail by a panic, and then go on.
func onePanic(t *testing.T, p *page, picked func(Object) bool, read []Field) {
	thrown := throwing(p, picked)
	e := p.fail("read", read...)
	if e.text("name") != "EngineError" || !strings.HasSuffix(e.text("message"), "panic: thrown by post") || e.object("cause").text("message") == "" || thrown.Load() != 1 {
		t.Errorf("%v", e)
	}
	for range 2 {
		p.ask("read", read...)
	}
	s := p.session
	waitUntil(t, func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.helpers.mu.Lock()
		defer s.helpers.mu.Unlock()
		return len(s.asks)+len(s.batches)+len(s.helpers.jobs)+len(s.helpers.queue) == 0
	})
}

func TestAPanicOfACodecIsItsChunksError(t *testing.T) {
	p := newPage(t)
	registry := codecs.Full()
	registry.Add(codec.Entry{Names: []string{"bomb"}, New: func(json.Value, codec.Build) (any, error) { panic("a bomb") }})
	p.session = NewSession(Config{Version: "1", Codecs: registry, Limits: codec.Limits{}.WithDefaults(), Post: p.receive})
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
		if e := p.fail("open", at(1, "")...); e.text("name") != "EngineError" || e.text("message") != "panic: a bomb" {
			t.Errorf("%v", e)
		}
	}
}

func TestAMessageThatCannotBeReadEndsWhatWaitsForIt(t *testing.T) {
	for _, packed := range []bool{false, true} {
		p := newPage(t)
		p.get = func(string, []int) ([]byte, string) { return nil, "" }
		p.ask("store", host(1.0)...)
		post := p.session.cfg.Post
		p.session.cfg.Post = func(msg Object) {
			if msg.Get("keys") == nil {
				post(msg)
				return
			}
			go func() {
				for i := range msg.number("count") {
					answer := Object{{"op", "answer"}, {"ask", float64(msg.number("ask") + i)}, {"bytes", thrower{make(bytesMemory, 10)}}, {"length", 10.0}}
					if packed {
						answer = Object{{"op", "answer"}, {"answers", thrower{make(bytesMemory, 100)}}, {"count", 1.0}, {"length", 100.0}}
					}
					p.session.Receive(answer)
				}
			}()
		}
		if e := p.fail("open", at(1, "")...); e.text("name") != "EngineError" || !strings.Contains(e.text("message"), "detached") {
			t.Errorf("%v", e)
		}
		p.session.cfg.Post = post
		if e := p.fail("open", at(1, "")...); e.text("name") != "NotFoundError" {
			t.Errorf("afterwards: %v", e)
		}
	}
}

func TestBytesOfAHelperThatCannotBeRead(t *testing.T) {
	p := filePage(t, sample(t))
	x := newPool(p)
	name := firstArray(t, sample(t))
	var broken atomic.Bool
	broken.Store(true)
	post := p.session.cfg.Post
	p.session.cfg.Post = func(o Object) {
		if o.Get("job") == nil || !broken.Load() {
			post(o)
			return
		}
		go func() {
			answer := slices.Clone(x.decode(o))
			for i, f := range answer {
				if b, ok := f.Value.(bytesMemory); ok {
					answer[i].Value = thrower{b}
				}
			}
			p.session.Receive(answer)
		}()
	}
	read := append(at(1, name), Field{"selection", nil})
	if e := p.fail("read", read...); e.text("name") != "EngineError" || !strings.Contains(e.text("message"), "detached") {
		t.Errorf("%v", e)
	}
	broken.Store(false)
	p.ask("read", read...)
}
