// Package changes executes the page's requests that change stores, in the build of the engine that
// writes.
//
//	s := changes.NewSession(dispatch.Config{Post: post, Codecs: writing.Codecs()})
//	s.Receive(msg)
//
// A [Session] extends that of package dispatch with operations. They create and delete nodes
// (create.go), write elements (write.go, values.go), change nodes (change.go) and copy (copy.go).
// File spec.go reads the specification of a new node, and errors.go describes errors.
//
// Package hostside implements the writable stores on the page, and package offload encodes chunks.
// A program that only reads links none of this package.
package changes

import (
	"context"
	"sync"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/wasm/internal/dispatch"
	"github.com/zarr-wasm/zarr-wasm/wasm/internal/hostside"
	"github.com/zarr-wasm/zarr-wasm/wasm/internal/wire"
)

// Session is one Go instance's side of the protocol.
type Session struct {
	*dispatch.Session

	mu    sync.Mutex
	stops map[int]context.CancelFunc
}

// NewSession returns a session without stores.
func NewSession(c dispatch.Config) *Session {
	return &Session{
		Session: dispatch.Extended(c, func(p *hostside.Page, d wire.Object) store.Source { return p.WritableStore(d) }),
		stops:   map[int]context.CancelFunc{},
	}
}

// operation executes a request. The context ends when the page cancels it.
type operation func(s *Session, ctx context.Context, msg wire.Object) (any, error)

func operationOf(op wire.Op) operation {
	switch op {
	case wire.OpCreate:
		return (*Session).create
	case wire.OpWrite:
		return (*Session).write
	case wire.OpResize:
		return (*Session).resize
	case wire.OpAppend:
		return (*Session).appendTo
	case wire.OpAttributes:
		return (*Session).attributes
	case wire.OpDelete:
		return (*Session).delete
	case wire.OpMove:
		return (*Session).move
	case wire.OpCopy:
		return (*Session).copy
	case wire.OpCopyStore:
		return (*Session).copyStore
	case wire.OpConsolidate:
		return (*Session).consolidate
	case wire.OpMigrate:
		return (*Session).migrate
	case wire.OpStop:
		return (*Session).stop
	}
	return nil
}

// Receive takes one message, like that of package dispatch.
func (s *Session) Receive(msg wire.Object) {
	switch msg.Op() {
	case wire.OpEncode:
		s.Answer(msg, func() (any, error) { return s.Decoder().Encode(msg) })
		return
	case wire.OpEncoded:
		s.Helpers().Encoded(msg)
		return
	}
	run := operationOf(msg.Op())
	if run == nil {
		s.Session.Receive(msg)
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	if msg.Op() != wire.OpStop {
		s.mu.Lock()
		s.stops[msg.Int(wire.AboutChange)] = cancel
		s.mu.Unlock()
	}
	s.Run(msg, func(request context.Context) (any, error) {
		defer context.AfterFunc(request, cancel)()
		defer s.ended(msg, cancel)
		return run(s, ctx, msg)
	}, s.describe)
}

// ended removes an operation.
func (s *Session) ended(msg wire.Object, cancel context.CancelFunc) {
	cancel()
	if msg.Op() != wire.OpStop {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.stops, msg.Int(wire.AboutChange))
	}
}

// stop ends another operation early. The answer follows when that has ended.
func (s *Session) stop(_ context.Context, msg wire.Object) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if cancel := s.stops[msg.Int(wire.AboutChange)]; cancel != nil {
		cancel()
	}
	return nil, nil
}
