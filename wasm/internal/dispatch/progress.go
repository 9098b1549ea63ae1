package dispatch

import (
	"sync"
	"time"

	"github.com/zarr-wasm/zarr-wasm/internal/guard"
	"github.com/zarr-wasm/zarr-wasm/wasm/internal/wire"
	"github.com/zarr-wasm/zarr-wasm/zarr"
)

// frame is how long a read's reports are collected: a screen shows nothing faster.
const frame = 16 * time.Millisecond

// news collects a read's reports, for one message a frame.
type news struct {
	s           *Session
	id          int
	mu          sync.Mutex
	timer       *time.Timer
	done, total int
	partials    []zarr.Partial
	ended       bool
	posting     sync.Mutex // held while messages are posted; err is under it
	err         error      // of a message that could not be posted
}

// reportProgress makes a read report its progress and partial results, if the request asks for
// them. The caller calls the returned function before it answers the request; its error ends the
// read.
func (s *Session) reportProgress(msg wire.Object, opt *zarr.ReadOptions) func() error {
	progress, partial := msg.Flag(wire.ReadProgress), msg.Flag(wire.ReadPartial)
	if !progress && !partial {
		return func() error { return nil }
	}
	n := &news{s: s, id: msg.Int(wire.RequestID)}
	if partial {
		opt.Partial = func(p zarr.Partial) {
			n.mu.Lock()
			defer n.mu.Unlock()
			n.partials = append(n.partials, p)
			n.soon()
		}
	}
	if progress {
		opt.Progress = func(done, total int) {
			n.mu.Lock()
			defer n.mu.Unlock()
			n.done, n.total = done, total
			n.soon()
		}
	}
	return func() error {
		n.mu.Lock()
		n.ended = true
		if n.timer != nil {
			n.timer.Stop()
		}
		n.mu.Unlock()
		return n.flush()
	}
}

func (n *news) soon() {
	if n.timer == nil && !n.ended {
		n.timer = time.AfterFunc(frame, func() { _ = n.flush() }) // the last one returns the error
	}
}

// flush posts the collected reports, after concurrent flushes. It returns the first error of all.
func (n *news) flush() error {
	n.posting.Lock()
	defer n.posting.Unlock()
	if n.err == nil {
		n.err = guard.Do(n.post)
	}
	return n.err
}

func (n *news) post() error {
	n.mu.Lock()
	done, total, partials := n.done, n.total, n.partials
	n.total, n.partials, n.timer = 0, nil, nil
	n.mu.Unlock()
	for _, p := range partials {
		res, err := p.Copy()
		if err != nil {
			continue // impossible: the same layout was written before
		}
		if value, err := result(res, n.s.cfg.Limits.OutputBytes); err == nil {
			var o wire.Object
			o.AddInt(wire.RequestID, n.id)
			o.AddObject(wire.PartialBlock, value)
			o.AddInts(wire.PartialStart, p.Start)
			n.s.cfg.Post(o)
		}
	}
	if total > 0 {
		var o, chunks wire.Object
		chunks.AddInt(wire.DoneChunks, done)
		chunks.AddInt(wire.TotalChunks, total)
		o.AddInt(wire.RequestID, n.id)
		o.AddObject(wire.ProgressDone, chunks)
		n.s.cfg.Post(o)
	}
	return nil
}
