// Package cache is a store over another that asks it as little as can be: readers of
// the same bytes share one request, neighbouring ranges are merged into one, and what came is
// kept for a while, and so is the news that an object is absent.
//
// Bytes are known by their object and their place in it. A request under way counts like
// bytes that are there: who needs part of what it brings waits for it. Every waiter may give
// up by itself, and the request ends when the last one has.
//
// When an answer's tag or size shows that an object is not the one that was read
// before, what is kept of the old one is dropped. Whoever puts several parts of one object together
// compares their tags.
package cache

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"zarr-wasm/internal/share"
	"zarr-wasm/store"
)

// Options are a cache's options. Zero fields have defaults.
type Options struct {
	// Bytes is how much is kept; default 64 MiB, none when negative.
	Bytes int64
	// Pool is what caches share that keep no more than its bytes together; nil for Bytes of this one alone.
	Pool *Pool
	// Absent is how long an object that was absent is not asked for again; default 30
	// seconds, none when negative.
	Absent time.Duration
	// Gap is how many bytes that nobody wants may lie between two ranges that are read by one
	// request, none when negative. By default it is half of what comes in the time that an answer takes
	// to begin, as measured: at least 32 KiB, at most Spare.
	Gap int64
	// Spare is how many such bytes a set of ranges may take in all where two requests
	// then do for it, none when negative. By default it is what comes in the time that an
	// answer takes to begin: at least 512 KiB, at most 4 MiB.
	Spare int64
	// Request is the size that a merged request may have; default 16 MiB.
	Request int64
	// Observe, if set, is told of every request, and of every read without one.
	Observe store.Observer
	// Memory is for a store whose bytes are in memory already: of it no whole objects are kept
	// or shared, and its requests are told without their times.
	Memory bool
}

// WithDefaults returns the options with every zero field set to its default, save those that
// are measured.
func (o Options) WithDefaults() Options {
	set := func(p *int64, v int64) {
		if *p == 0 {
			*p = v
		}
		*p = max(*p, 0)
	}
	set(&o.Bytes, 64<<20)
	set(&o.Request, 16<<20)
	if o.Absent == 0 {
		o.Absent = 30 * time.Second
	}
	return o
}

// Stats says what a cache has done so far, and what it holds.
type Stats struct {
	share.Stats
	Requests int64 // that were sent, retries and questions for a size among them
	Failed   int64 // of these, those that failed; an absent object is no failure, nor is what nobody waits for any more
	Received int64 // bytes that they brought
}

// Store reads objects of another store. It implements [store.PartReader].
type Store struct {
	st  store.Store
	opt Options

	pool    *Pool
	mu      *sync.Mutex // the pool's
	objects map[string]*object
	speed   speed
	stats   Stats
}

var _ store.PartReader = (*Store)(nil)

// New returns a cache over a store.
func New(st store.Store, opt Options) *Store {
	opt = opt.WithDefaults()
	if opt.Pool == nil {
		opt.Pool = NewPool(opt.Bytes)
	}
	return &Store{st: st, opt: opt, pool: opt.Pool, mu: &opt.Pool.mu, objects: map[string]*object{}}
}

// object is what is known of an object of which something is kept or under way.
type object struct {
	key  string
	segs []*segment
	size int64 // -1 when not known
	etag string
}

// Get returns the object under the key.
func (s *Store) Get(ctx context.Context, key string) ([]byte, error) {
	p, err := s.GetPart(ctx, key, nil, store.Hint{})
	return p.Bytes, err
}

// GetRange returns part of the object under the key.
func (s *Store) GetRange(ctx context.Context, key string, r store.ByteRange) ([]byte, error) {
	p, err := s.GetPart(ctx, key, &r, store.Hint{})
	if err != nil {
		return nil, err
	}
	data, ok := p.Slice(r)
	if !ok {
		return nil, &store.KeyError{Op: "get", Key: key, Err: store.ErrRange}
	}
	return data, nil
}

// GetPart implements [store.PartReader].
func (s *Store) GetPart(ctx context.Context, key string, r *store.ByteRange, hint store.Hint) (store.Part, error) {
	if err := ctx.Err(); err != nil {
		return store.Part{}, err
	}
	if err := store.CheckKey(key); err != nil {
		return store.Part{}, err
	}
	if r != nil && (r.Length <= 0 || r.Offset < 0 || r.Offset > math.MaxInt64-r.Length) {
		return store.Read(ctx, s.st, key, r, hint) // rare: let the store say what it thinks of it
	}
	if s.opt.Memory && r == nil {
		return s.straight(ctx, key)
	}
	s.mu.Lock()
	o := s.object(key)
	if r != nil && r.Suffix && o.size >= r.Length {
		r = &store.ByteRange{Offset: o.size - r.Length, Length: r.Length}
	}
	seg, source := s.find(o, r)
	if seg == nil {
		seg = s.add(o, &segment{ask: r, hint: hint, merged: 1})
	}
	seg.waiters++
	s.mu.Unlock()
	s.tell(key, r, source)
	return (&Read{s: s, seg: seg}).Wait(ctx)
}

// straight reads an object of a store in memory.
func (s *Store) straight(ctx context.Context, key string) (store.Part, error) {
	data, err := s.st.Get(ctx, key)
	s.count(ctx, key, data, err)
	return store.Part{Bytes: data, Size: int64(len(data))}, err
}

// Batches tells whether there is GetAll.
func (s *Store) Batches() bool {
	_, ok := s.st.(store.Batcher)
	return ok && s.opt.Memory
}

// GetAll implements [store.Batcher], of a store in memory that does.
func (s *Store) GetAll(ctx context.Context, keys []string) ([]store.Found, error) {
	for _, key := range keys {
		if err := store.CheckKey(key); err != nil {
			return nil, err
		}
	}
	all, err := s.st.(store.Batcher).GetAll(ctx, keys)
	for i, found := range all {
		s.count(ctx, keys[i], found.Bytes, found.Err)
	}
	return all, err
}

// count reports an object that was read of a store in memory.
func (s *Store) count(ctx context.Context, key string, data []byte, err error) {
	n := int64(len(data))
	s.mu.Lock()
	s.stats.Misses++
	s.stats.Requests++
	s.stats.Received += n
	if err != nil && !errors.Is(err, fs.ErrNotExist) && ctx.Err() == nil {
		s.stats.Failed++
	}
	s.mu.Unlock()
	if s.opt.Observe != nil {
		s.opt.Observe(store.Event{Key: key, Bytes: n, Merged: 1, Err: err})
	}
}

// Known tells whether anything of an object is kept or under way.
func (s *Store) Known(key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.objects[key] != nil
}

// Forget drops all that is known of an object. Requests under way still reach who
// waits for them, and nobody else.
func (s *Store) Forget(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if o := s.objects[key]; o != nil {
		for len(o.segs) > 0 {
			s.detach(o.segs[0])
		}
	}
}

// Clear drops all that is known of all objects.
func (s *Store) Clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range s.objects {
		for len(o.segs) > 0 {
			s.detach(o.segs[0])
		}
	}
}

// Budget is how many bytes are kept, by all that share the pool.
func (s *Store) Budget() int64 { return s.pool.Stats().Budget }

// Stats returns what the cache has done so far. Bytes and entries are its own, also in a pool.
func (s *Store) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	stats := s.stats
	stats.Budget = s.pool.budget
	return stats
}

func (s *Store) object(key string) *object {
	o := s.objects[key]
	if o == nil {
		o = &object{key: key, size: -1}
		s.objects[key] = o
	}
	return o
}

// tell reports a read that needs no request of its own.
func (s *Store) tell(key string, r *store.ByteRange, source store.Source) {
	s.mu.Lock()
	for _, stats := range []*share.Stats{&s.stats.Stats, &s.pool.stats} {
		switch source {
		case store.Cached:
			stats.Hits++
		case store.Shared:
			stats.Shared++
		default:
			stats.Misses++
		}
	}
	s.mu.Unlock()
	if source != store.Requested && s.opt.Observe != nil {
		e := store.Event{Key: key, Range: r, Source: source, Start: time.Now(), Merged: 1}
		if r != nil {
			e.Bytes = r.Length
		}
		s.opt.Observe(e)
	}
}

// run asks the store for a segment.
func (s *Store) run(ctx context.Context, seg *segment) {
	key := seg.key
	var reported atomic.Bool
	observe := func(e store.Event) {
		reported.Store(true)
		e.Merged = seg.merged
		s.mu.Lock()
		s.stats.Requests++
		s.stats.Received += e.Bytes
		s.speed.learn(e)
		if e.Err != nil && !errors.Is(e.Err, fs.ErrNotExist) && ctx.Err() == nil {
			s.stats.Failed++
		}
		s.mu.Unlock()
		if s.opt.Observe != nil {
			s.opt.Observe(e)
		}
	}
	start := time.Now()
	part, err := store.Read(store.WithObserver(ctx, observe), s.st, key, seg.ask, seg.hint)
	if !reported.Load() {
		observe(store.Event{
			Key: key, Range: seg.ask, Bytes: int64(len(part.Bytes)), Start: start, Duration: time.Since(start), Err: err,
		})
	}
	s.finish(seg, part, err)
}
