package object

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/zarr-wasm/zarr-wasm/internal/share"
	"github.com/zarr-wasm/zarr-wasm/store"
)

// Options say how a source is read. Zero fields have defaults.
type Options struct {
	// Absent is how long an object that was absent is not asked for again; default 30
	// seconds, none when negative.
	Absent time.Duration
	// Gap is how many unwanted bytes may lie between two ranges that are read by one
	// request, none when negative. By default it is half of what comes in the time that an answer
	// takes to begin, as measured: at least 32 KiB, at most Waste.
	Gap int64
	// Waste is how many unwanted bytes a set of ranges may take in all where two requests
	// then do for it, none when negative. By default it is what comes in the time that an
	// answer takes to begin: at least 512 KiB, at most 4 MiB.
	Waste int64
	// Request is the size that a merged request may have; default 16 MiB.
	Request int64
	// Memory is for a source whose bytes are in memory already: of it no whole objects are kept
	// or shared, and its requests are told without their times.
	Memory bool
}

// WithDefaults returns the options with every zero field set to its default, save those that
// are measured.
func (o Options) WithDefaults() Options {
	if o.Request == 0 {
		o.Request = 16 << 20
	}
	o.Request = max(o.Request, 0)
	if o.Absent == 0 {
		o.Absent = 30 * time.Second
	}
	return o
}

// Stats says what was asked of a source so far, and what is held of it.
type Stats struct {
	share.Stats
	Requests int64 // that were sent, retries and questions for a size among them
	Failed   int64 // of these, those that failed; an absent object is no failure, nor is a request that was given up
	Received int64 // bytes that they brought
}

// Reader reads the objects of a source for one hierarchy. It is itself a [store.Source].
type Reader struct {
	*Source
	// Observe, if set, is told of every request that a read of this Reader caused, and of every read without one.
	Observe store.Observer
}

// Source is what the layer knows of one source.
type Source struct {
	src    store.Source
	opt    Options
	ranges bool // it can read parts of objects

	layer   *Layer
	mu      *sync.Mutex // the layer's
	objects map[string]*object
	speed   speed
	stats   Stats
}

var _ store.Source = (*Reader)(nil)

func newSource(l *Layer, src store.Source, opt Options) *Source {
	_, whole := src.(store.WholeOnly)
	return &Source{src: src, opt: opt.WithDefaults(), ranges: !whole, layer: l, mu: &l.mu, objects: map[string]*object{}}
}

// object is what is known of an object of which something is kept or under way.
type object struct {
	name    string
	segs    []*segment
	version store.Version
}

// Ranges tells whether parts of objects can be read. Of a source that cannot, every read takes the whole object.
func (s *Source) Ranges() bool { return s.ranges }

// Is tells whether this is the layer's view of that source.
func (s *Source) Is(other store.Source) bool { return s.src == other }

// Read implements [store.Source]. What is asked for with Fresh takes the place of all that is kept of the object.
func (s *Reader) Read(ctx context.Context, name string, ask store.Ask) (store.Extent, error) {
	if err := ctx.Err(); err != nil {
		return store.Extent{}, err
	}
	if err := store.CheckKey(name); err != nil {
		return store.Extent{}, err
	}
	r := ask.Range
	if r != nil && (r.Length <= 0 || r.Offset < 0 || r.Offset > math.MaxInt64-r.Length) {
		return s.src.Read(ctx, name, ask) // rare: the source says what it thinks of it
	}
	if s.opt.Memory && (r == nil || !s.ranges) {
		return s.straight(ctx, name, ask)
	}
	wanted := r
	if !s.ranges {
		ask.Range = nil
	}
	s.mu.Lock()
	if ask.Fresh {
		s.forget(name)
	}
	o := s.object(name)
	if r := ask.Range; r != nil && r.Suffix && (o.version.Size >= r.Length || r.Short && o.version.Size > 0) {
		n := min(o.version.Size, r.Length)
		ask.Range = &store.ByteRange{Offset: o.version.Size - n, Length: n}
		wanted = ask.Range
	}
	seg, origin := s.find(o, ask)
	if seg == nil {
		seg = s.add(o, &segment{ask: ask, merged: 1, observe: s.Observe})
	}
	seg.waiters++
	s.mu.Unlock()
	s.tell(name, r, origin)
	e, err := (&Read{s: s.Source, seg: seg}).Wait(ctx)
	if err != nil || wanted == nil {
		return e, err
	}
	_, err = e.Cut(name, *wanted)
	return e, err
}

// straight reads an object of a source in memory.
func (s *Reader) straight(ctx context.Context, name string, ask store.Ask) (store.Extent, error) {
	e, err := s.src.Read(ctx, name, ask)
	s.count(ctx, name, e.Bytes, err)
	return e, err
}

// Batches tells whether there is ReadAll.
func (s *Source) Batches() bool {
	_, ok := s.src.(store.Batcher)
	return ok && s.opt.Memory
}

// ReadAll implements [store.Batcher], of a source in memory that does.
func (s *Reader) ReadAll(ctx context.Context, names []string) ([]store.Found, error) {
	for _, name := range names {
		if err := store.CheckKey(name); err != nil {
			return nil, err
		}
	}
	all, err := s.src.(store.Batcher).ReadAll(ctx, names)
	for i, found := range all {
		s.count(ctx, names[i], found.Bytes, found.Err)
	}
	return all, err
}

// Reuse gives back bytes of a source in memory that has use for them.
func (s *Source) Reuse(b []byte) {
	if r, ok := s.src.(store.Reuser); ok {
		r.Reuse(b)
	}
}

// count reports an object that was read of a source in memory.
func (s *Reader) count(ctx context.Context, name string, data []byte, err error) {
	n := int64(len(data))
	s.mu.Lock()
	s.stats.Misses++
	s.stats.Requests++
	s.stats.Received += n
	if err != nil && !errors.Is(err, fs.ErrNotExist) && ctx.Err() == nil {
		s.stats.Failed++
	}
	s.mu.Unlock()
	if s.Observe != nil {
		s.Observe(store.Event{Key: name, Bytes: n, Merged: 1, Err: err})
	}
}

// Known tells whether anything of an object is kept or under way.
func (s *Source) Known(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.objects[name] != nil
}

// Forget drops all that is known of an object. Requests under way still reach their waiters,
// and no one else.
func (s *Source) Forget(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget(name)
}

func (s *Source) forget(name string) {
	if o := s.objects[name]; o != nil {
		s.empty(o)
	}
}

// Clear drops all that is known of all objects.
func (s *Source) Clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range s.objects {
		s.empty(o)
	}
}

// empty drops all that is known of an object.
func (s *Source) empty(o *object) {
	for len(o.segs) > 0 {
		s.detach(o.segs[0])
	}
}

// Budget is how many bytes are kept, by all sources of the layer.
func (s *Source) Budget() int64 { return s.layer.Budget() }

// Stats returns what was asked of the source so far. Bytes and entries are its own.
func (s *Source) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	stats := s.stats
	stats.Budget = s.layer.budget
	return stats
}

func (s *Source) object(name string) *object {
	o := s.objects[name]
	if o == nil {
		o = &object{name: name, version: store.Unknown}
		s.objects[name] = o
	}
	return o
}

// tell reports a read that needs no request of its own.
func (s *Reader) tell(name string, r *store.ByteRange, origin store.Origin) {
	s.mu.Lock()
	for _, stats := range []*share.Stats{&s.stats.Stats, &s.layer.stats} {
		switch origin {
		case store.Cached:
			stats.Hits++
		case store.Shared:
			stats.Shared++
		default:
			stats.Misses++
		}
	}
	s.mu.Unlock()
	if origin != store.Requested && s.Observe != nil {
		e := store.Event{Key: name, Range: r, Origin: origin, Start: time.Now(), Merged: 1}
		if r != nil {
			e.Bytes = r.Length
		}
		s.Observe(e)
	}
}

// run asks the source for a segment.
func (s *Source) run(ctx context.Context, seg *segment) (store.Extent, error) {
	name := seg.name
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
		if seg.observe != nil {
			seg.observe(e)
		}
	}
	start := time.Now()
	e, err := s.src.Read(store.WithObserver(ctx, observe), name, seg.ask)
	if !reported.Load() {
		observe(store.Event{
			Key: name, Range: seg.ask.Range, Bytes: int64(len(e.Bytes)), Start: start, Duration: time.Since(start), Err: err,
		})
	}
	return e, err
}
