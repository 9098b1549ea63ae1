package hostside

import (
	"context"
	"io/fs"
	"slices"
	"strings"

	"zarr-wasm/internal/guard"
	"zarr-wasm/store"
)

// Store is a source that lives in JavaScript: a Map, a zarrita store, a FetchStore
// whose ways to read were replaced. What all goroutines ask for until none of them can go on is one message.
type Store struct {
	page   *Page
	number int
	memory bool
}

// Store returns the source of that number. With ranges it can be asked for parts of an object; in memory its bytes cost no
// request.
func (p *Page) Store(number int, ranges, memory bool) store.Source {
	h := &Store{page: p, number: number, memory: memory}
	if ranges {
		return h
	}
	return wholeStore{h}
}

// StoreOf returns what Page.Store made, or nil where a source is another.
func StoreOf(source store.Source) *Store {
	switch source := source.(type) {
	case *Store:
		return source
	case wholeStore:
		return source.Store
	}
	return nil
}

// InMemory tells whether the page has the store's bytes in memory.
func (h *Store) InMemory() bool { return h.memory }

// wholeStore is a Store that has only get.
type wholeStore struct{ *Store }

// WholeOnly implements store.WholeOnly.
func (wholeStore) WholeOnly() {}

// Read implements store.Source.
func (h wholeStore) Read(ctx context.Context, key string, ask store.Ask) (store.Extent, error) {
	ask.Range = nil
	return h.Store.Read(ctx, key, ask)
}

// Read implements store.Source.
func (h *Store) Read(ctx context.Context, key string, ask store.Ask) (store.Extent, error) {
	if err := ctx.Err(); err != nil {
		return store.Extent{}, err
	}
	if err := store.CheckKey(key); err != nil {
		return store.Extent{}, err
	}
	r := ask.Range
	a, err := h.send(ctx, &question{key: key, extent: r})
	if err == nil && ctx.Err() == nil {
		err = problem(key, a.bytes, nil)
	} else if ctx.Err() == nil {
		err = problem(key, nil, err)
	}
	if err != nil {
		return store.Extent{}, err
	}
	e := store.Extent{Bytes: a.bytes, Version: store.Version{Size: a.size}}
	switch {
	case r == nil:
		e.Size = int64(len(a.bytes))
	case int64(len(a.bytes)) != r.Length:
		return store.Extent{}, &store.KeyError{Op: "get", Key: key, Err: store.ErrRange}
	case !r.Suffix:
		e.Offset = r.Offset
	case a.size >= 0:
		e.Offset = a.size - r.Length
	default:
		e.Offset = -1
	}
	return e, nil
}

// Address implements store.Remote: where its objects are is not known here.
func (h *Store) Address(string) string { return "" }

// Reuse implements store.Reuser.
func (h *Store) Reuse(b []byte) { h.page.buffers.give(b) }

// ReadAll implements store.Batcher.
func (h *Store) ReadAll(ctx context.Context, keys []string) ([]store.Found, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	found := make([]store.Found, len(keys))
	if slices.ContainsFunc(keys, func(key string) bool { return strings.IndexByte(key, '\n') >= 0 }) {
		for i, key := range keys { // such a key is alone in its message
			e, err := h.Read(ctx, key, store.Ask{})
			found[i] = store.Found{Bytes: e.Bytes, Err: err}
		}
		return found, ctx.Err()
	}
	if _, err := h.send(ctx, &question{keys: keys, found: found, left: len(keys)}); err != nil {
		return nil, err
	}
	for i, key := range keys {
		found[i].Err = problem(key, found[i].Bytes, found[i].Err)
	}
	return found, nil
}

// send asks the page, together with what other goroutines ask.
func (h *Store) send(ctx context.Context, q *question) (answer, error) {
	p := h.page
	q.store, q.mark, q.answer = h, store.Mark(ctx), make(chan answer, 1)
	p.mu.Lock()
	p.unasked = append(p.unasked, q)
	if len(p.unasked) == 1 {
		guard.Go(p.askAll, func(error) {}) // what fails there, the questions are told
	}
	p.mu.Unlock()
	return p.await(ctx, q)
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
