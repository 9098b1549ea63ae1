// Package rpc answers the messages that the JavaScript side sends to a Go
// instance. It is the whole protocol without syscall/js, so that it is tested
// natively; package wasm turns [Object] values into JavaScript's and back.
//
// # Protocol
//
// A request is {id, op, ...}. Its answer is {id, ok: true, value} or {id, ok: false,
// error}. Requests run concurrently and are answered in any order.
//
//	hello    {version, helpers?, limits?}         null: both sides are of that version
//	store    {store, description, events?,
//	         caches?}                             null: the store has that number from now on. The description is
//	                                              the text of a JSON tree, see package kinds
//	stats    {store}                              what the store was asked, in numbers
//	caches   {caches?}                            what the caches of all stores hold, with new budgets
//	get      {store, key, range?}                 the bytes, past all caches, or null where there are none
//	close    {store}                              null; the handles of its nodes are no longer known
//	open     {store, path, kind?, format?,
//	         consolidated?, hash?}                a node: its description, its handle, and a hash of its documents.
//	                                              With a hash, an error where that of the documents is another
//	release  {nodes}                              no answer; these handles are no longer used
//	members  {node}                               [{name, path, kind, node?, error?}]
//	stored   {node}                               how many chunks the store has
//	project  {node, selection, from, most}        {count?, shape?, projections, numbers, next?}: what the selection
//	                                              takes of at most so many chunks, from where next was
//	read     {node, selection, ...}               {buffer, shape, type, offsets?, missing?}
//	chunk    {node, coords, marked?, ...}         the same
//	points   {node, coords: [[...], ...], ...}    the same
//	codecs   {names}                              no answer; the page has codecs of these names
//	crash    {why, memory?, trap?}                ends the instance by a panic that is not recovered, as the end of
//	                                              memory does or by a trap; known only to builds with the tag crash
//	cancel   {targets}                            no answer; nor have the targets, if theirs have not been sent
//
// A node is named by its handle, a number that the session gives it and that means nothing to
// another session: there the page opens it again, with its hash. The operations that
// read take the same options: {shared?, progress?, parts?, priority?, view?}.
//
// # Questions
//
// What lives on the page is asked for by {ask: n, ...}, and answered by {op: "answer", ask, error?, ...}:
//
//	{store, keys, count, ranges?}                 of a host store: questions n, n+1, and so on, for the keys,
//	                                              one a line, and their ranges, two numbers each: offset (-1: from
//	                                              the end) and length (-1: all). An answer has {bytes?, length?,
//	                                              size?}; {answers, count, length} are several
//	{store, headers: true}                        of an http store that was made with functions of the page's: {headers}
//	{store, fetch: {method, url, headers,
//	redirect, cache?, limits}}                    likewise: {status, type, headers, large?, refused?, bytes?,
//	                                              length?}
//	{codec, ...}, {decode, bytes}                 of codecs: see hostcodec.go
//
// A question for a chunk that is marked has its request's id as mark; one for several readers has the first's.
// {aborted: n} says that an answer is no longer wanted.
//
// # News
//
// Of a store that was made with events: true, {event, store} tells of every request. A read
// with progress sends {id, progress: {done, total}}, one with parts {id, part: {buffer, shape,
// ...}, start}, both no more often than a frame.
//
// # Helpers
//
// An instance that was told in hello that there are helpers has other instances decode
// chunks. It says {pipeline, forget, ...} what a chain of codecs is, {job, pipeline, shape,
// bytes, size, want?, region?, place?} what is to be decoded, {drop: job} what is no
// longer wanted, {grow: true} that it has work for one helper more, {tick: true} that it wants to be
// told when all messages that wait now have been delivered. It is told
//
//	job      {helpers}                            how many helpers run
//	job      {tick}                               now
//	job      {job, bytes?, failed?, error?}       the end of a job; failed: decode it yourself
//
// and a helper is told
//
//	pipeline {pipeline, format, depth, chain, type, shape, fill}
//	decode   {pipeline, shape, bytes, length, want?, region?, into | place}, the place without its memory
//
// js/engine/protocol.ts is the other side of this page.
package rpc

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"

	"zarr-wasm/internal/guard"
	"zarr-wasm/store"
	"zarr-wasm/store/httpstore"
	"zarr-wasm/store/kinds"
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
	Rare []string
	// Kinds are the kinds of stores besides those of every build; one without a Maker is another build's, and an
	// UnsupportedError says so by its field rare.
	Kinds  kinds.Registry
	Limits codec.Limits
	// Memory takes memory of JavaScript's for the result of a read.
	Memory func(size int, shared bool) (Memory, error)
	// Target is the memory of the place that a chunk is to be decoded to.
	Target Memory
	// Crash ends the instance. It is nil but in the build that tests use.
	Crash func(why string, memory, trap bool)
	// Platform is what the place has to send requests with.
	Platform httpstore.Platform
	// Post sends a message to JavaScript. It is called from any goroutine. What is Lent
	// or a Buffer in it has been copied when it returns.
	Post func(Object)
}

// Session is one Go instance's side of the protocol.
type Session struct {
	cfg Config

	mu        sync.Mutex
	stores    map[int]*opened
	nodes     map[int]handle
	lastNode  int
	described *kinds.Stores
	cancels   map[int]context.CancelFunc
	asks      map[int]*question
	batches   []*question
	unasked   []*question // of host stores
	lastAsk   int
	shared    int // bytes of shared memory since garbage was last collected for it
	origins   httpstore.Origins
	spare     spare
	caches    *zarr.Caches
	// hostCodecs are the names of the codecs that live in JavaScript.
	hostCodecs map[string]bool

	helpers *helpers
	decoder *decoder
}

// NewSession returns a session without stores.
func NewSession(cfg Config) *Session {
	s := &Session{
		cfg: cfg, stores: map[int]*opened{}, nodes: map[int]handle{},
		cancels: map[int]context.CancelFunc{}, asks: map[int]*question{},
		caches: zarr.NewCaches(zarr.CacheOptions{}),
	}
	if cfg.Codecs != nil {
		s.cfg.Codecs = cfg.Codecs.With(s.hostCodec)
	}
	s.described = kinds.New(s.kinds(), s.caches.Layer())
	s.helpers = newHelpers(s)
	s.decoder = newDecoder(s)
	return s
}

// Receive takes one message. It never blocks: requests run on their own
// goroutine.
func (s *Session) Receive(msg Object) {
	if err := guard.Do(func() error { s.receive(msg); return nil }); err != nil {
		s.unread(msg, err)
	}
}

// unread ends what waits for a message that could not be taken: a request, or questions.
func (s *Session) unread(msg Object, err error) {
	if id := msg.Get("id"); id != nil {
		s.cfg.Post(Object{{"id", id}, {"ok", false}, {"error", s.describe(err)}})
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := msg.number("ask"); n != 0 {
		s.give(n, answer{err: err})
		return
	}
	if msg.text("op") != "answer" {
		return
	}
	// It had answers to several questions, and which ones cannot be told.
	for n := range s.asks {
		s.give(n, answer{err: err})
	}
	for len(s.batches) > 0 {
		q := s.batches[0]
		s.forget(q)
		q.given = true
		q.answer <- answer{err: err}
	}
}

func (s *Session) receive(msg Object) {
	switch msg.text("op") {
	case "cancel":
		s.mu.Lock()
		var cancels []context.CancelFunc
		for _, id := range msg.ints("targets") {
			if cancel := s.cancels[id]; cancel != nil {
				cancels = append(cancels, cancel)
			}
		}
		s.mu.Unlock()
		for _, cancel := range cancels {
			cancel()
		}
		return
	case "answer":
		s.answered(msg)
		return
	case "codecs":
		s.setHostCodecs(msg)
		return
	case "job":
		s.helpers.receive(msg)
		return
	case "pipeline":
		// What is wrong with it, the chunks that need it will tell.
		_ = s.decoder.learn(msg)
		return
	case "release":
		s.release(msg)
		return
	case "store", "close", "decode":
		// In the order of the messages, so that what follows finds the store.
		s.answer(msg, func(ctx context.Context) (any, error) { return s.handle(ctx, msg) })
		return
	}
	id := msg.number("id")
	ctx, cancel := context.WithCancel(context.Background())
	if msg.flag("marked") {
		ctx = store.WithMark(ctx, id)
	}
	s.mu.Lock()
	s.cancels[id] = cancel
	s.mu.Unlock()
	guard.Go(func() error {
		s.answer(msg, func(context.Context) (any, error) {
			value, err := s.handle(ctx, msg)
			if ctx.Err() != nil {
				return nil, errCancelled
			}
			return value, err
		})
		return nil
	}, func(err error) {
		s.mu.Lock()
		delete(s.cancels, id)
		s.mu.Unlock()
		cancel()
		if err != nil {
			s.unread(msg, err) // the answer could not be sent
		}
	})
}

// errCancelled is for a request whose answer nobody waits for.
var errCancelled = errors.New("cancelled")

// answer runs a request and posts what it returns. A panic ends the request, not
// the instance.
func (s *Session) answer(msg Object, run func(context.Context) (any, error)) {
	id := msg.Get("id")
	var value any
	err := guard.Do(func() (err error) {
		value, err = run(context.Background())
		return err
	})
	if err == errCancelled {
		return
	}
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

func (s *Session) handle(ctx context.Context, msg Object) (any, error) {
	switch op := msg.text("op"); op {
	case "hello":
		if v := msg.text("version"); v != s.cfg.Version {
			return nil, &engineError{"this is zarr.wasm " + s.cfg.Version + " but the JavaScript beside it is version " + v}
		}
		s.helpers.most = max(0, msg.number("helpers"))
		for _, f := range msg.object("limits") {
			n, ok := integer(f.Value)
			if !ok || !s.cfg.Limits.Set(f.Name, n) {
				return nil, &engineError{"no limit " + strconv.Quote(f.Name) + ", or not a number that it can have"}
			}
		}
		return nil, nil
	case "decode":
		return nil, s.decoder.decode(msg)
	case "store":
		return nil, s.addStore(msg)
	case "close":
		s.closeStore(msg)
		return nil, nil
	case "stats":
		st, err := s.opened(msg)
		if err != nil {
			return nil, err
		}
		return st.traffic.totals(), nil
	case "caches":
		s.resize(msg.Get("caches"))
		return s.cachesReport(), nil
	case "get":
		return s.get(ctx, msg)
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
	case "project":
		return s.project(msg)
	case "stored":
		return s.stored(ctx, msg)
	case "crash":
		if s.cfg.Crash != nil {
			go s.cfg.Crash(msg.text("why"), msg.flag("memory"), msg.flag("trap"))
			return nil, nil
		}
		fallthrough
	default:
		return nil, &engineError{"unknown request " + strconv.Quote(op)}
	}
}
