package hostside

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/guard"
	"github.com/zarr-wasm/zarr-wasm/internal/order"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/wasm/internal/wire"
)

// Store is a source in JavaScript: a Map, a zarrita store, or a FetchStore with overridden methods.
// Concurrent reads share one message.
type Store struct {
	page    *Page
	number  int
	memory  bool
	ranges  bool
	lists   bool
	address string
	// failures holds the keys whose last answer was unusable.
	failures store.Failures
}

// Store returns the source of a description: {number, ranges?, memory?, lists?, address?}. With
// ranges, it reads parts of objects. With memory, reads cost no request. With lists, it lists.
func (p *Page) Store(d wire.Object) *Store {
	return &Store{
		page: p, number: d.Int(wire.HostNumber), memory: d.Flag(wire.HostMemory), address: d.Text(wire.HostAddress),
		ranges: d.Flag(wire.HostRanges), lists: d.Flag(wire.HostLists),
	}
}

// Capabilities implements store.Capable.
func (h *Store) Capabilities() store.Capabilities {
	c := store.Capabilities{Remote: h, Batcher: h, Reuser: h, WholeOnly: !h.ranges}
	if h.lists {
		c.Lister = h
	}
	return c
}

// StoreOf returns the Store of a source that a Page made; nil for another source.
func StoreOf(source store.Source) *Store {
	if s, ok := source.(interface{ self() *Store }); ok {
		return s.self()
	}
	return nil
}

func (h *Store) self() *Store { return h }

// InMemory reports whether the page has the store's bytes in memory.
func (h *Store) InMemory() bool { return h.memory }

// ListsAll implements store.Lister.
func (h *Store) ListsAll() bool { return true }

// List implements store.Lister.
func (h *Store) List(ctx context.Context, prefix string) (names []string, err error) {
	var a answer
	if prefix != "" {
		err = store.CheckKey(prefix)
	}
	if err == nil {
		var ask wire.Object
		ask.AddInt(wire.AskStore, h.number)
		ask.AddText(wire.AskList, prefix)
		a, err = h.page.ask(ctx, wire.AskNumber, ask)
	}
	for _, v := range a.List(wire.FoundNames) {
		name, _ := v.(string)
		if plain := strings.TrimSuffix(name, "/"); store.CheckKey(plain) != nil || strings.IndexByte(plain, '/') >= 0 {
			err = errors.New("the store lists " + strconv.Quote(name) + ", which is not a valid name")
			break
		}
		names = append(names, name)
	}
	if err != nil {
		if ctx.Err() == nil {
			err = &store.KeyError{Op: "list", Key: prefix, Err: err}
		}
		return nil, err
	}
	order.Strings(names)
	return slices.Compact(names), nil
}

// Read implements store.Source. After a failure, the page may have cached the bad answer, so the
// next read of that key bypasses its caches.
func (h *Store) Read(ctx context.Context, key string, ask store.Ask) (store.Extent, error) {
	if err := ctx.Err(); err != nil {
		return store.Extent{}, err
	}
	if err := store.CheckKey(key); err != nil {
		return store.Extent{}, err
	}
	if !h.ranges {
		ask.Range = nil
	}
	fresh := ask.Fresh || h.failures.Has(key)
	e, err := h.read(ctx, key, ask.Range, fresh)
	switch good := err == nil || errors.Is(err, fs.ErrNotExist); {
	case good && fresh:
		h.failures.Forget(key)
	case !good && ctx.Err() == nil:
		h.failures.Note(key)
	}
	return e, err
}

func (h *Store) read(ctx context.Context, key string, r *store.ByteRange, fresh bool) (store.Extent, error) {
	a, err := h.send(ctx, &question{key: key, extent: r, fresh: fresh && !h.memory})
	if err == nil && ctx.Err() == nil {
		err = problem(key, a.bytes, nil)
	} else if ctx.Err() == nil {
		err = problem(key, nil, err)
	}
	if err != nil {
		return store.Extent{}, err
	}
	e := store.Extent{Bytes: a.bytes, Version: a.version}
	switch {
	case r == nil:
		e.Size = int64(len(a.bytes))
	case int64(len(a.bytes)) != r.Length && !(r.Short && int64(len(a.bytes)) < r.Length):
		return store.Extent{}, &store.KeyError{Op: "get", Key: key, Err: store.ErrRange}
	case !r.Suffix:
		e.Offset = r.Offset
	case e.Size >= 0:
		e.Offset = e.Size - int64(len(a.bytes))
	default:
		e.Offset = -1
	}
	return e, nil
}

// Address implements store.Remote.
func (h *Store) Address(key string) string {
	if h.address == "" {
		return ""
	}
	return strings.TrimSuffix(h.address, "/") + "/" + key
}

// Itself implements store.Remote.
func (h *Store) Itself() (store.Source, string) { return nil, "" }

// Reuse implements store.Reuser.
func (h *Store) Reuse(b []byte) { h.page.buffers.put(b) }

// ReadAll implements store.Batcher.
func (h *Store) ReadAll(ctx context.Context, keys []string) ([]store.Found, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	found := make([]store.Found, len(keys))
	if slices.ContainsFunc(keys, func(key string) bool { return strings.IndexByte(key, '\n') >= 0 }) {
		for i, key := range keys { // such a key needs its own message
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

// send asks the page, together with other goroutines' questions.
func (h *Store) send(ctx context.Context, q *question) (answer, error) {
	p := h.page
	q.store, q.mark, q.answer = h, store.Mark(ctx), make(chan answer, 1)
	p.mu.Lock()
	p.unasked = append(p.unasked, q)
	if len(p.unasked) == 1 {
		guard.Go(p.askAll, func(error) {}) // a failure is delivered to the questions
	}
	p.mu.Unlock()
	return p.await(ctx, q)
}

// problem returns the fault of an answer, or nil.
func problem(key string, bytes []byte, err error) error {
	if err == nil && bytes == nil {
		err = fs.ErrNotExist
	}
	if err != nil {
		err = &store.KeyError{Op: "get", Key: key, Err: err}
	}
	return err
}
