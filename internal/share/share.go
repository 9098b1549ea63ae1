// Package share runs work that several callers want once, and caches the results within a budget of
// bytes.
//
//	cache := share.New[string, []byte](64
//	value, err := cache.Do(ctx, key, load)
package share

import (
	"context"
	"sync"

	"github.com/zarr-wasm/zarr-wasm/internal/guard"
)

// Cache caches values by key and evicts the least recently used. The first caller creates a missing
// value, and concurrent callers wait for it. Each waiter may cancel, and the last one cancels the
// work. It is safe for concurrent use.
//
// The generic type is a thin wrapper around cache, which is compiled once.
type Cache[K comparable, V any] struct{ c cache }

// New returns a cache with a budget in bytes. Without a budget it caches nothing, but still shares
// work in progress.
func New[K comparable, V any](budget int64) *Cache[K, V] {
	c := &Cache[K, V]{}
	c.c.init(budget)
	return c
}

// Fits reports whether a value of that size would be cached. A value that would evict most of the
// others is not.
func (c *Cache[K, V]) Fits(size int64) bool { return c.c.fits(size) }

// Get returns a cached value. It counts as a hit; a miss is not counted.
func (c *Cache[K, V]) Get(key K) (value V, ok bool) {
	v, ok := c.c.get(key)
	if ok {
		value = v.(V)
	}
	return value, ok
}

// Do returns the value of a key. If there is none, load creates the value and returns it with its
// size. The context of load ends when no caller waits any more. Errors are those of load, which are
// not cached, and of the caller's own context. A caller whose context has ended gets its error,
// also for a cached value. A panic of load is a *guard.Error.
func (c *Cache[K, V]) Do(ctx context.Context, key K, load func(context.Context) (V, int64, error)) (value V, err error) {
	v, err := c.c.do(ctx, key, func(ctx context.Context) (any, int64, error) { return load(ctx) })
	if err == nil {
		value = v.(V)
	}
	return value, err
}

// Put caches a value, and replaces an older one.
func (c *Cache[K, V]) Put(key K, value V, size int64) { c.c.keep(key, value, size) }

// Drop evicts a value. A value in progress only reaches the callers that wait for it.
func (c *Cache[K, V]) Drop(key K) { c.c.drop(key) }

// DropFunc evicts the values with matching keys of type K.
func (c *Cache[K, V]) DropFunc(picked func(key any) bool) { c.c.dropFunc(picked) }

// Resize changes the budget, and evicts what exceeds it.
func (c *Cache[K, V]) Resize(budget int64) { c.c.resize(budget) }

// Budget returns the budget in bytes.
func (c *Cache[K, V]) Budget() int64 { return c.c.counted().Budget }

// Stats returns the cache's counters.
func (c *Cache[K, V]) Stats() Stats { return c.c.counted() }

// cache implements Cache without type parameters.
type cache struct {
	mu      sync.Mutex
	budget  int64
	entries map[any]*entry
	calls   map[any]*call
	root    entry // of the ring of entries: root.next is the most recently used
	stats   Stats
}

// Stats holds the counters and contents of a cache.
type Stats struct {
	Hits    int64 // cached answers
	Shared  int64 // answers shared with another caller
	Misses  int64 // answers created
	Evicted int64 // evicted values
	Entries int64 // cached values
	Bytes   int64 // size of the cached values
	Budget  int64 // budget in bytes
}

type entry struct {
	key, value any
	size       int64
	prev, next *entry
}

// call is a value in progress.
type call struct {
	done    chan struct{}
	cancel  context.CancelFunc
	waiters int // under the cache's lock
	value   any
	err     error
}

func (c *cache) init(budget int64) {
	c.budget, c.entries, c.calls = max(budget, 0), map[any]*entry{}, map[any]*call{}
	c.root.prev, c.root.next = &c.root, &c.root
}

func (c *cache) fits(size int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.allows(size)
}

// allows reports whether a value of that size would be cached. Without a budget none is, not even
// of size 0.
func (c *cache) allows(size int64) bool { return c.budget > 0 && size <= c.budget/4 }

func (c *cache) get(key any) (value any, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.entries[key]
	if e == nil {
		return value, false
	}
	c.touch(e)
	c.stats.Hits++
	return e.value, true
}

func (c *cache) do(ctx context.Context, key any, load func(context.Context) (any, int64, error)) (value any, err error) {
	if err := ctx.Err(); err != nil {
		return value, err
	}
	c.mu.Lock()
	if e := c.entries[key]; e != nil {
		c.touch(e)
		c.stats.Hits++
		c.mu.Unlock()
		return e.value, nil
	}
	w := c.calls[key]
	if w == nil {
		c.stats.Misses++
		// keeps the caller's values
		within, cancel := context.WithCancel(context.WithoutCancel(ctx))
		w = &call{done: make(chan struct{}), cancel: cancel}
		c.calls[key] = w
		var made any
		var size int64
		guard.Go(func() (err error) {
			made, size, err = load(within)
			return err
		}, func(err error) {
			c.finish(key, w, made, size, err)
			cancel()
		})
	} else {
		c.stats.Shared++
	}
	w.waiters++
	c.mu.Unlock()

	select {
	case <-w.done:
		return w.value, w.err
	case <-ctx.Done():
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if w.waiters--; w.waiters == 0 {
		if c.calls[key] == w {
			delete(c.calls, key) // a new caller must not join cancelled work
		}
		w.cancel()
	}
	return value, ctx.Err()
}

func (c *cache) finish(key any, w *call, value any, size int64, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	w.value, w.err = value, err
	close(w.done)
	if c.calls[key] != w {
		return // dropped in the meantime
	}
	delete(c.calls, key)
	if err == nil && c.allows(size) {
		c.put(key, value, size)
	}
}

func (c *cache) keep(key any, value any, size int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.calls, key)
	if c.allows(size) {
		c.put(key, value, size)
	} else if e := c.entries[key]; e != nil {
		c.remove(e)
	}
}

func (c *cache) put(key any, value any, size int64) {
	if e := c.entries[key]; e != nil {
		c.remove(e)
	}
	e := &entry{key: key, value: value, size: size}
	c.entries[key] = e
	c.link(e)
	c.stats.Bytes += size
	c.shrink()
}

// shrink evicts values until the cache is within the budget.
func (c *cache) shrink() {
	for c.stats.Bytes > c.budget {
		c.remove(c.root.prev)
		c.stats.Evicted++
	}
}

func (c *cache) resize(budget int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.budget = max(budget, 0)
	c.shrink()
}

func (c *cache) drop(key any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.calls, key)
	if e := c.entries[key]; e != nil {
		c.remove(e)
	}
}

func (c *cache) dropFunc(picked func(key any) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for key := range c.calls {
		if picked(key) {
			delete(c.calls, key)
		}
	}
	for key, e := range c.entries {
		if picked(key) {
			c.remove(e)
		}
	}
}

func (c *cache) counted() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.stats
	s.Entries, s.Budget = int64(len(c.entries)), c.budget
	return s
}

func (c *cache) touch(e *entry) {
	e.prev.next, e.next.prev = e.next, e.prev
	c.link(e)
}

func (c *cache) link(e *entry) {
	e.prev, e.next = &c.root, c.root.next
	e.prev.next, e.next.prev = e, e
}

func (c *cache) remove(e *entry) {
	delete(c.entries, e.key)
	e.prev.next, e.next.prev = e.next, e.prev
	c.stats.Bytes -= e.size
}
