package rpc

import (
	"context"
	"io/fs"

	"zarr-wasm/store"
)

// hostStore is a store that lives in JavaScript: a Map, a zarrita store, a FetchStore
// with a fetch of its own. Every read is a question and an answer.
type hostStore struct {
	session *Session
	number  int
}

func (h *hostStore) Get(ctx context.Context, key string) ([]byte, error) {
	return h.ask(ctx, key, nil)
}

// GetRange implements store.RangeReader. A host whose store cannot read ranges
// answers with the whole object, sliced.
func (h *hostStore) GetRange(ctx context.Context, key string, r store.ByteRange) ([]byte, error) {
	part := Object{{"offset", number(r.Offset)}, {"length", number(r.Length)}}
	if r.Suffix {
		part = Object{{"suffixLength", number(r.Length)}}
	}
	b, err := h.ask(ctx, key, part)
	if err == nil && int64(len(b)) != r.Length {
		return nil, &store.KeyError{Op: "get", Key: key, Err: store.ErrRange}
	}
	return b, err
}

func (h *hostStore) ask(ctx context.Context, key string, part any) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := store.CheckKey(key); err != nil {
		return nil, err
	}
	question := Object{{"store", float64(h.number)}, {"key", key}}
	if part != nil {
		question = append(question, Field{"range", part})
	}
	a, err := h.session.ask(ctx, question)
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		return nil, &store.KeyError{Op: "get", Key: key, Err: err}
	}
	if b, ok := a.Get("bytes").([]byte); ok {
		return b, nil
	}
	return nil, &store.KeyError{Op: "get", Key: key, Err: fs.ErrNotExist}
}

// ask sends a question to the page and waits for its answer.
func (s *Session) ask(ctx context.Context, question Object) (Object, error) {
	answer := make(chan Object, 1)
	s.mu.Lock()
	s.lastAsk++
	n := s.lastAsk
	s.asks[n] = answer
	s.mu.Unlock()
	s.cfg.Post(append(Object{{"ask", float64(n)}}, question...))
	select {
	case <-ctx.Done():
		s.mu.Lock()
		delete(s.asks, n)
		s.mu.Unlock()
		s.cfg.Post(Object{{"aborted", float64(n)}})
		return nil, ctx.Err()
	case a := <-answer:
		if msg, failed := a.Get("error").(string); failed {
			return nil, &hostError{msg}
		}
		return a, nil
	}
}

// hostError is what a store in JavaScript threw.
type hostError struct{ msg string }

func (e *hostError) Error() string { return e.msg }
