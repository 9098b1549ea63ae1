// Package dispatch executes the page's requests to a Go instance.
//
//	s := dispatch.NewSession(dispatch.Config{Post: post, Codecs: codecs.Default()})
//	s.Receive(msg)
//
// A [Session] takes the messages of package wire by [Session.Receive], and posts answers. Each
// request runs on its own goroutine, with a context that the page can cancel. A panic ends the
// request but not the instance. Between requests the session keeps the page's stores (stores.go,
// http.go) and opened nodes (nodes.go).
//
// The operations open and list (nodes.go), read (read.go, points.go, progress.go), project a
// selection (project.go) and get an object (get.go). Others manage caches (caches.go) and counters
// (events.go). Files errors.go and describe.go turn Go's errors and nodes into messages.
//
// Package hostside asks the page for stores, codecs and functions that live there. Package offload
// decodes costly chunks in other instances.
package dispatch

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"

	"github.com/zarr-wasm/zarr-wasm/internal/errtype"
	"github.com/zarr-wasm/zarr-wasm/internal/guard"
	"github.com/zarr-wasm/zarr-wasm/internal/kinds"
	"github.com/zarr-wasm/zarr-wasm/internal/target"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/httpstore"
	"github.com/zarr-wasm/zarr-wasm/wasm/internal/hostside"
	"github.com/zarr-wasm/zarr-wasm/wasm/internal/offload"
	"github.com/zarr-wasm/zarr-wasm/wasm/internal/wire"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// Config holds a session's dependencies.
type Config struct {
	// Version is the version of the package, which both sides must share.
	Version string
	Codecs  *codec.Registry
	// Rare names the codecs of another build. An UnknownCodecError for one of them has the field
	// rare.
	Rare []string
	// Kinds holds further kinds of stores. One without a Maker belongs to another build; an
	// UnsupportedError for it has the field rare.
	Kinds  kinds.Registry
	Limits codec.Limits
	// Memory allocates JavaScript memory for the result of a read.
	Memory func(size int, shared bool) (wire.Memory, error)
	// Target is the memory into which a chunk is decoded.
	Target wire.Memory
	// Crash ends the instance. It is nil except in tests' builds.
	Crash func(why string, memory, trap bool)
	// Platform is the platform's means to send requests.
	Platform httpstore.Platform
	// Post sends a message to JavaScript, from any goroutine. It copies values of types Lent,
	// Reply and Buffer before it returns.
	Post func(wire.Object)
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
	shared    int // bytes of shared memory since the last garbage collection for it
	origins   httpstore.Origins
	caches    *zarr.Caches
	// The page has decoded chunks of the caches' generation lentIn.
	lent   bool
	lentIn int64
	// The memory for elements to unpack.
	unpacking sync.Mutex
	unpacked  []byte

	page    *hostside.Page
	helpers *offload.Helpers
	decoder *offload.Decoder
}

// NewSession returns a session without stores.
func NewSession(cfg Config) *Session {
	s := &Session{
		cfg: cfg, stores: map[int]*opened{}, nodes: map[int]handle{},
		cancels: map[int]context.CancelFunc{}, page: hostside.New(cfg.Post),
		caches: zarr.NewCaches(zarr.CacheOptions{}),
	}
	if cfg.Codecs != nil {
		s.cfg.Codecs = cfg.Codecs.With(s.page.Codec)
	}
	s.describeBy(s.kinds())
	s.helpers = offload.NewHelpers(cfg.Post, &s.cfg.Limits)
	s.decoder = offload.NewDecoder(s.cfg.Codecs, &s.cfg.Limits, cfg.Target)
	return s
}

// describeBy makes the page describe stores of these kinds.
func (s *Session) describeBy(all kinds.Registry) {
	s.described = kinds.New(all, s.caches.Layer())
	s.described.Targets = target.NewSources(func(origin string) (store.Source, error) {
		var settings wire.Object
		settings.AddText(wire.HTTPURL, origin)
		return s.openHTTP(settings)
	}, s.caches.Layer().Drop)
	s.described.Confirm = s.page.Confirm
}

// Receive takes one message. It never blocks: requests run on their own goroutines.
func (s *Session) Receive(msg wire.Object) {
	if err := guard.Do(func() error { s.receive(msg); return nil }); err != nil {
		s.unread(msg, err)
	}
}

// unread fails the request or questions that a message which could not be read belongs to.
func (s *Session) unread(msg wire.Object, err error) {
	if _, request := msg.Number(wire.RequestID); request {
		s.post(msg, nil, err)
		return
	}
	if msg.Op() == wire.OpAnswer {
		s.page.Fail(msg, err)
	}
}

func (s *Session) receive(msg wire.Object) {
	switch msg.Op() {
	case wire.OpCancel:
		s.mu.Lock()
		var cancels []context.CancelFunc
		for _, id := range msg.Ints(wire.CancelTargets) {
			if cancel := s.cancels[id]; cancel != nil {
				cancels = append(cancels, cancel)
			}
		}
		s.mu.Unlock()
		for _, cancel := range cancels {
			cancel()
		}
		return
	case wire.OpAnswer:
		s.page.Answered(msg)
		return
	case wire.OpCodecs:
		s.page.SetCodecs(msg)
		return
	case wire.OpJob:
		s.helpers.Receive(msg)
		return
	case wire.OpPipeline:
		// Chunks that need an invalid pipeline report its fault.
		_ = s.decoder.Learn(msg)
		return
	case wire.OpRelease:
		s.release(msg)
		return
	case wire.OpUnpack:
		s.unpack(msg)
		return
	case wire.OpStore, wire.OpClose, wire.OpDecode:
		// Answer in the order of messages, so that later ones find the store.
		s.answer(msg, func(ctx context.Context) (any, error) { return s.handle(ctx, msg) })
		return
	}
	s.start(msg, s.handle)
}

// start runs a request on its own goroutine until cancelled.
func (s *Session) start(msg wire.Object, run func(context.Context, wire.Object) (any, error)) {
	id := msg.Int(wire.RequestID)
	ctx, cancel := context.WithCancel(context.Background())
	if msg.Flag(wire.ChunkMarked) {
		ctx = store.WithMark(ctx, id)
	}
	s.mu.Lock()
	s.cancels[id] = cancel
	s.mu.Unlock()
	guard.Go(func() error {
		s.answer(msg, func(context.Context) (any, error) {
			value, err := run(ctx, msg)
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

// errCancelled is the error of a cancelled request, which gets no answer.
var errCancelled = errors.New("cancelled")

// answer runs a request and posts its result. A panic ends the request, but not the instance.
func (s *Session) answer(msg wire.Object, run func(context.Context) (any, error)) {
	var value any
	err := guard.Do(func() (err error) {
		value, err = run(context.Background())
		return err
	})
	if err == errCancelled {
		return
	}
	s.post(msg, value, err)
}

// post answers a request.
func (s *Session) post(msg wire.Object, value any, err error) {
	var o wire.Object
	o.AddInt(wire.RequestID, msg.Int(wire.RequestID))
	o.AddFlag(wire.AnswerOK, err == nil)
	if err != nil {
		o.AddObject(wire.AnswerError, s.describe(err))
	} else {
		o.AddAny(wire.AnswerValue, value)
	}
	if s.outdated() {
		o.AddFlag(wire.AnswerOutdated, true)
	}
	s.cfg.Post(o)
}

// describe extends describeError by whether another build has an unknown codec.
func (s *Session) describe(err error) wire.Object {
	o := describeError(err)
	var unknown *zarr.UnknownCodecError
	var method *codec.UnknownError
	if errtype.As(err, &unknown) && slices.Contains(s.cfg.Rare, unknown.Codec) || errtype.As(err, &method) && slices.Contains(s.cfg.Rare, method.Name) {
		o.AddFlag(wire.ErrorRare, true)
	}
	return o
}

func (s *Session) handle(ctx context.Context, msg wire.Object) (any, error) {
	switch op := msg.Op(); op {
	case wire.OpHello:
		if v := msg.Text(wire.HelloVersion); v != s.cfg.Version {
			return nil, &wire.EngineError{Msg: "this is zarr.wasm " + s.cfg.Version + " but the JavaScript beside it is version " + v}
		}
		s.helpers.Allow(msg.Int(wire.HelloHelpers))
		for _, f := range msg.Object(wire.HelloLimits) {
			n, ok := wire.Integer(f.Value)
			if !ok || !s.cfg.Limits.Set(f.Name, n) {
				return nil, &wire.EngineError{Msg: "no limit " + strconv.Quote(f.Name) + " or invalid value for it"}
			}
		}
		return nil, nil
	case wire.OpDecode:
		return nil, s.decoder.Decode(msg)
	case wire.OpStore:
		return nil, s.addStore(msg)
	case wire.OpClose:
		s.closeStore(msg)
		return nil, nil
	case wire.OpStats:
		st, err := s.opened(msg)
		if err != nil {
			return nil, err
		}
		return st.traffic.totals(), nil
	case wire.OpAbout:
		return s.about(ctx, msg)
	case wire.OpCaches:
		s.resize(msg.Object(wire.CachesBudgets))
		return s.cachesReport(), nil
	case wire.OpAddress:
		return readAddress(msg)
	case wire.OpGet:
		return s.get(ctx, msg)
	case wire.OpOpen:
		return s.open(ctx, msg)
	case wire.OpKnown:
		return s.known(msg)
	case wire.OpMembers:
		return s.members(ctx, msg)
	case wire.OpRead:
		return s.read(ctx, msg)
	case wire.OpChunk:
		return s.chunk(ctx, msg)
	case wire.OpPoints:
		return s.points(ctx, msg)
	case wire.OpProject:
		return s.project(msg)
	case wire.OpStored:
		return s.stored(ctx, msg)
	case wire.OpCrash:
		if s.cfg.Crash != nil {
			go s.cfg.Crash(msg.Text(wire.CrashWhy), msg.Flag(wire.CrashMemory), msg.Flag(wire.CrashTrap))
			return nil, nil
		}
		fallthrough
	default:
		return nil, &wire.EngineError{Msg: "unknown request " + strconv.Quote(string(op))}
	}
}
