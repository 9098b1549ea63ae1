package rpc

import (
	"context"
	"io/fs"

	"zarr-wasm/store"
)

// hostStore is a store that lives in JavaScript: a Map, a zarrita store, a FetchStore
// whose ways to read were replaced. What all goroutines ask for until none of them can go on is one message.
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
	b, err := h.ask(ctx, key, &r)
	if err == nil && int64(len(b)) != r.Length {
		return nil, &store.KeyError{Op: "get", Key: key, Err: store.ErrRange}
	}
	return b, err
}

// Reuse implements store.Reuser.
func (h *hostStore) Reuse(b []byte) { h.session.spare.give(b) }

func (h *hostStore) ask(ctx context.Context, key string, part *store.ByteRange) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := store.CheckKey(key); err != nil {
		return nil, err
	}
	s := h.session
	q := &question{store: h, key: key, part: part, answer: make(chan answer, 1)}
	s.mu.Lock()
	s.unasked = append(s.unasked, q)
	if len(s.unasked) == 1 {
		go s.askAll()
	}
	s.mu.Unlock()
	a, err := s.await(ctx, q)
	if err == nil && a.bytes == nil {
		err = fs.ErrNotExist
	}
	if err != nil && ctx.Err() == nil {
		err = &store.KeyError{Op: "get", Key: key, Err: err}
	}
	return a.bytes, err
}
