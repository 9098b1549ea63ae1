// Package rpc answers the messages that the JavaScript side sends to a Go
// instance. It is the whole protocol without syscall/js, so that it is tested
// natively; package wasm turns [Object] values into JavaScript's and back.
//
// # Protocol
//
// A request is {id, op, ...}. Its answer is {id, ok: true, value} or {id, ok: false,
// error}. Requests run concurrently and are answered in any order.
//
//	hello    {version}                            {version, go}
//	store    {store, kind: "http", url, options}  null: the store has that number from now on
//	store    {store, kind: "host"}                null: a store that lives in JavaScript
//	open     {store, path, kind?, format?}        a node's description
//	stats    {store}                              what the store was asked, in numbers
//	members  {store, path}                        [{name, path, kind, node?, error?}]
//	read     {store, path, selection, progress?}  {buffer, shape, offsets?, missing?}
//	chunk    {store, path, coords}                the same
//	points   {store, path, coords: [[...], ...]}  the same
//	stored   {store, path}                        how many chunks the store has
//	codecs   {names}                              no answer; the page has codecs of these names
//	close    {store}                              null
//	cancel   {target}                             no answer; the target fails with AbortError
//
// A host store is asked by {ask, store, key, range?} and answers with
// {op: "answer", ask, bytes?, error?}; {aborted: ask} says that the answer is no
// longer wanted. An http store may have been made with functions of the page's: {ask, store,
// headers: true} is answered with {headers}, {ask, store, fetch: {method, url, headers, redirect,
// cache?, limits}} with {status, type, headers, bytes?, large?}. Of a store that was made with events: true, {event, store}
// tells of every request. A read with progress sends {id, progress: {done, total}}.
//
// js/protocol.ts is the other side of this page.
package rpc

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strconv"
	"sync"

	"zarr-wasm/store"
	"zarr-wasm/store/httpstore"
	"zarr-wasm/zarr"
	"zarr-wasm/zarr/codec"
)

// Config is what a session needs of its surroundings.
type Config struct {
	// Version is the version of the package; both sides must have the same.
	Version string
	Codecs  *codec.Registry
	// Rare names codecs that are not in Codecs but in those of another build: an
	// UnknownCodecError of one of them says so by its field rare.
	Rare   []string
	Limits codec.Limits
	// Post sends a message to JavaScript. It is called from any goroutine.
	Post func(Object)
}

// Session is one Go instance's side of the protocol.
type Session struct {
	cfg Config

	mu      sync.Mutex
	stores  map[int]*zarr.Hierarchy
	traffic map[int]*traffic // by store
	cancels map[int]context.CancelFunc
	asks    map[int]chan Object
	lastAsk int
	origins httpstore.Origins
	// hostCodecs are the names of the codecs that live in JavaScript.
	hostCodecs map[string]bool
}

// NewSession returns a session without stores.
func NewSession(cfg Config) *Session {
	s := &Session{
		cfg: cfg, stores: map[int]*zarr.Hierarchy{}, traffic: map[int]*traffic{},
		cancels: map[int]context.CancelFunc{}, asks: map[int]chan Object{},
	}
	if cfg.Codecs != nil {
		s.cfg.Codecs = cfg.Codecs.With(s.hostCodec)
	}
	return s
}

// Receive takes one message. It never blocks: requests run on their own
// goroutine.
func (s *Session) Receive(msg Object) {
	switch msg.text("op") {
	case "cancel":
		s.mu.Lock()
		cancel := s.cancels[msg.number("target")]
		s.mu.Unlock()
		if cancel != nil {
			cancel()
		}
		return
	case "answer":
		s.mu.Lock()
		ask := s.asks[msg.number("ask")]
		delete(s.asks, msg.number("ask"))
		s.mu.Unlock()
		if ask != nil {
			ask <- msg
		}
		return
	case "codecs":
		s.setHostCodecs(msg)
		return
	case "store", "close":
		// In the order of the messages, so that what follows finds the store.
		s.answer(msg, func(ctx context.Context) (any, error) { return s.handle(ctx, msg) })
		return
	}
	id := msg.number("id")
	ctx, cancel := context.WithCancel(context.Background())
	s.mu.Lock()
	if t := s.traffic[msg.number("store")]; t != nil {
		ctx = store.WithObserver(ctx, t.observe)
	}
	s.cancels[id] = cancel
	s.mu.Unlock()
	go func() {
		defer func() {
			s.mu.Lock()
			delete(s.cancels, id)
			s.mu.Unlock()
			cancel()
		}()
		s.answer(msg, func(context.Context) (any, error) { return s.handle(ctx, msg) })
	}()
}

// answer runs a request and posts what it returns. A panic ends the request, not
// the instance.
func (s *Session) answer(msg Object, run func(context.Context) (any, error)) {
	id := msg.Get("id")
	defer func() {
		if r := recover(); r != nil {
			text := "panic"
			if err, ok := r.(error); ok {
				text = err.Error()
			} else if t, ok := r.(string); ok {
				text = t
			}
			s.cfg.Post(Object{{"id", id}, {"ok", false}, {"error", Object{
				{"name", "EngineError"}, {"code", "ENGINE"}, {"message", text}, {"stack", stack()},
			}}})
		}
	}()
	value, err := run(context.Background())
	if err != nil {
		s.cfg.Post(Object{{"id", id}, {"ok", false}, {"error", s.describe(err)}})
		return
	}
	s.cfg.Post(Object{{"id", id}, {"ok", true}, {"value", value}})
}

// describe is describeError, and tells whether another build has the codec that
// this one does not know.
func (s *Session) describe(err error) Object {
	o := describeError(err)
	var unknown *zarr.UnknownCodecError
	if errors.As(err, &unknown) && slices.Contains(s.cfg.Rare, unknown.Codec) {
		o = append(o, Field{"rare", true})
	}
	return o
}

// stack is where a panic came from. (runtime/debug would bring fmt and os.)
func stack() string {
	buf := make([]byte, 8<<10)
	return string(buf[:runtime.Stack(buf, false)])
}

func (s *Session) handle(ctx context.Context, msg Object) (any, error) {
	switch op := msg.text("op"); op {
	case "hello":
		if v := msg.text("version"); v != s.cfg.Version {
			return nil, &engineError{"this is zarr.wasm " + s.cfg.Version + " but the JavaScript beside it is version " + v}
		}
		return Object{{"version", s.cfg.Version}, {"go", runtime.Version()}}, nil
	case "store":
		return nil, s.addStore(msg)
	case "close":
		s.mu.Lock()
		delete(s.stores, msg.number("store"))
		delete(s.traffic, msg.number("store"))
		s.mu.Unlock()
		return nil, nil
	case "stats":
		s.mu.Lock()
		t := s.traffic[msg.number("store")]
		s.mu.Unlock()
		if t == nil {
			return nil, &engineError{"no store of that number"}
		}
		return t.totals(), nil
	case "open":
		return s.open(ctx, msg)
	case "members":
		return s.members(ctx, msg)
	case "read":
		return s.read(ctx, msg)
	case "chunk":
		return s.chunk(ctx, msg)
	case "points":
		return s.points(ctx, msg)
	case "stored":
		return s.stored(ctx, msg)
	default:
		return nil, &engineError{"unknown request " + strconv.Quote(op)}
	}
}

func (s *Session) addStore(msg Object) error {
	var st store.Store
	var err error
	switch kind := msg.text("kind"); kind {
	case "http":
		if st, err = s.openHTTP(msg); err != nil {
			return err
		}
	case "host":
		st = &hostStore{session: s, number: msg.number("store")}
	default:
		return &engineError{"unknown kind of store " + strconv.Quote(kind)}
	}
	t := &traffic{}
	if msg.flag("events") {
		number := msg.Get("store")
		t.tell = func(event Object) { s.cfg.Post(Object{{"event", event}, {"store", number}}) }
	}
	h := zarr.New(st, s.cfg.Codecs, zarr.Options{Limits: s.cfg.Limits, IgnoreConsolidated: msg.flag("ignoreConsolidated"), Observe: t.observe})
	s.mu.Lock()
	s.stores[msg.number("store")] = h
	s.traffic[msg.number("store")] = t
	s.mu.Unlock()
	return nil
}

func (s *Session) hierarchy(msg Object) (*zarr.Hierarchy, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.stores[msg.number("store")]
	if h == nil {
		return nil, &engineError{"no store of that number"}
	}
	return h, nil
}
