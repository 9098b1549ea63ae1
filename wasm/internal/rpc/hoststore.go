package rpc

import (
	"context"
	"io/fs"
	"slices"
	"strings"

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
	if err == nil && (int64(len(b)) != r.Length || !isExact(r.Offset)) {
		return nil, &store.KeyError{Op: "get", Key: key, Err: store.ErrRange}
	}
	return b, err
}

// Address implements store.Remote: where its objects are is not known here.
func (h *hostStore) Address(string) string { return "" }

// Reuse implements store.Reuser.
func (h *hostStore) Reuse(b []byte) { h.session.spare.give(b) }

func (h *hostStore) ask(ctx context.Context, key string, part *store.ByteRange) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := store.CheckKey(key); err != nil {
		return nil, err
	}
	a, err := h.send(ctx, &question{key: key, part: part})
	if ctx.Err() == nil {
		err = problem(key, a.bytes, err)
	}
	return a.bytes, err
}

// GetAll implements store.Batcher.
func (h *hostStore) GetAll(ctx context.Context, keys []string) ([]store.Found, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	found := make([]store.Found, len(keys))
	if slices.ContainsFunc(keys, func(key string) bool { return strings.IndexByte(key, '\n') >= 0 }) {
		for i, key := range keys { // such a key is alone in its message
			found[i].Bytes, found[i].Err = h.Get(ctx, key)
		}
		return found, ctx.Err()
	}
	_, _ = h.send(ctx, &question{keys: keys, found: found, left: len(keys)}) // each has an error of its own
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for i, key := range keys {
		found[i].Err = problem(key, found[i].Bytes, found[i].Err)
	}
	return found, nil
}

// send asks the page, together with what other goroutines ask.
func (h *hostStore) send(ctx context.Context, q *question) (answer, error) {
	s := h.session
	q.store, q.mark, q.answer = h, store.Mark(ctx), make(chan answer, 1)
	s.mu.Lock()
	s.unasked = append(s.unasked, q)
	if len(s.unasked) == 1 {
		go s.askAll()
	}
	s.mu.Unlock()
	return s.await(ctx, q)
}

// problem is what is wrong with an answer, if anything is.
func problem(key string, bytes []byte, err error) error {
	if err == nil && bytes == nil {
		err = fs.ErrNotExist
	}
	if err != nil {
		err = &store.KeyError{Op: "get", Key: key, Err: err}
	}
	return err
}
