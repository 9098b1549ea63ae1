package dispatch

import (
	"context"
	"maps"

	"github.com/zarr-wasm/zarr-wasm/internal/guard"
	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/internal/kinds"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/wasm/internal/hostside"
	"github.com/zarr-wasm/zarr-wasm/wasm/internal/offload"
	"github.com/zarr-wasm/zarr-wasm/wasm/internal/wire"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

// These methods serve a build whose session has more operations: see package changes. Other builds
// link none of them.

// Extended returns a session whose page stores are made by host.
func Extended(cfg Config, host func(page *hostside.Page, description wire.Object) store.Source) *Session {
	s := NewSession(cfg)
	all := maps.Clone(s.kinds())
	all["host"] = func(_ *kinds.Making, settings json.Value) (store.Locator, error) {
		o, _ := wire.FromJSON(settings).(wire.Object)
		return store.Plain(host(s.page, o)), nil
	}
	s.describeBy(all)
	return s
}

// Run executes a request on a new goroutine. describe describes its errors.
func (s *Session) Run(msg wire.Object, run func(context.Context) (any, error), describe func(error) wire.Object) {
	s.start(msg, func(ctx context.Context, _ wire.Object) (any, error) {
		var value any
		err := guard.Do(func() (err error) {
			value, err = run(ctx)
			return err
		})
		if err == nil || ctx.Err() != nil {
			return value, nil
		}
		var o wire.Object
		o.AddInt(wire.RequestID, msg.Int(wire.RequestID))
		o.AddFlag(wire.AnswerOK, false)
		o.AddObject(wire.AnswerError, describe(err))
		s.cfg.Post(o)
		return nil, errCancelled // already answered
	})
}

// Post sends a message to JavaScript.
func (s *Session) Post(o wire.Object) { s.cfg.Post(o) }

// Helpers returns the session's helpers.
func (s *Session) Helpers() *offload.Helpers { return s.helpers }

// Decoder returns the decoder and encoder for other instances, for which this one is a helper.
func (s *Session) Decoder() *offload.Decoder { return s.decoder }

// Answer executes a request at once, before the next message is taken.
func (s *Session) Answer(msg wire.Object, run func() (any, error)) {
	err := guard.Do(func() error {
		s.answer(msg, func(context.Context) (any, error) { return run() })
		return nil
	})
	if err != nil {
		s.unread(msg, err) // the answer could not be sent
	}
}

// Limits returns the session's limits.
func (s *Session) Limits() *codec.Limits { return &s.cfg.Limits }

// Describe describes an error of a reading operation.
func (s *Session) Describe(err error) wire.Object { return s.describe(err) }

// Hierarchy returns the hierarchy of the store whose number a message has under that name.
func (s *Session) Hierarchy(msg wire.Object, name wire.IntName) (*zarr.Hierarchy, error) {
	var o wire.Object
	o.AddInt(wire.AboutStore, msg.Int(name))
	st, err := s.opened(o)
	if err != nil {
		return nil, err
	}
	return st.Hierarchy, nil
}

// Node returns the node whose handle a message names.
func (s *Session) Node(msg wire.Object) (zarr.Node, error) {
	h, err := s.node(msg)
	return h.Node, err
}

// Array returns the array whose handle a message names.
func (s *Session) Array(msg wire.Object) (*zarr.Array, error) { return s.array(msg) }

// Hold assigns a handle to a node, and describes it. Its store is that of the message, or of the
// message's node.
func (s *Session) Hold(msg wire.Object, n zarr.Node) (any, error) {
	if _, store := msg.Number(wire.AboutStore); store {
		st, err := s.opened(msg)
		if err != nil {
			return nil, err
		}
		return s.hold(n, st)
	}
	h, err := s.node(msg)
	if err != nil {
		return nil, err
	}
	return s.hold(n, h.store)
}

// Selection reads a message's selection of the array at a path.
func Selection(path string, list []any) ([]grid.Item, error) { return selection(path, list) }

// Progress returns functions that report a request's progress to the page, at most once a frame,
// and that end the reports.
func (s *Session) Progress(msg wire.Object) (tell func(done, total int), end func() error) {
	n := &news{s: s, id: msg.Int(wire.RequestID)}
	return func(done, total int) {
			n.mu.Lock()
			defer n.mu.Unlock()
			n.done, n.total = done, total
			n.soon()
		}, func() error {
			n.mu.Lock()
			n.ended = true
			if n.timer != nil {
				n.timer.Stop()
			}
			n.mu.Unlock()
			return n.flush()
		}
}
