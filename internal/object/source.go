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

// Options configures the reads of a source. Zero fields have defaults.
type Options struct {
	// Absent is how long an absent object is not requested again; the default is 30 seconds, and a
	// negative value disables it.
	Absent time.Duration
	// Gap is the most unwanted bytes between two ranges of one request, or none when negative. The
	// default is half of the bytes that arrive in the measured time to first byte: at least 32 KiB,
	// at most Waste.
	Gap int64
	// Waste is the most unwanted bytes for a set of ranges that then needs only two requests, or
	// none when negative. The default is the bytes that arrive in the measured time to first byte:
	// at least 512 KiB, at most 4 MiB.
	Waste int64
	// Request is the largest merged request in bytes; the default is 16 MiB.
	Request int64
	// Memory marks a source in memory. Its whole objects are not cached or shared, and its requests
	// are reported without times.
	Memory bool
}

// WithDefaults returns the options with defaults for zero fields, except measured ones.
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

// Stats holds the counters of a source and its share of the cache.
type Stats struct {
	share.Stats
	Requests int64 // sent requests, including retries and requests for a size
	Failed   int64 // failed requests; absent objects and cancelled requests do not count
	Received int64 // received bytes
}

// Reader reads the objects of a source for one hierarchy. It is itself a [store.Source].
type Reader struct {
	*Source
	// Observe, if set, receives every request that a read of this Reader caused, and every read
	// without one.
	Observe store.Observer
}

// Source is the layer's state of one source.
type Source struct {
	src    store.Source
	can    *store.Capabilities
	opt    Options
	ranges bool // it can read parts of objects

	layer   *Layer
	mu      *sync.Mutex // the layer's
	objects map[string]*object
	speed   speed
	stats   Stats
}

// Under returns the source itself.
func (s *Source) Under() store.Source { return s.src }

var _ store.Source = (*Reader)(nil)

func newSource(l *Layer, src store.Source, opt Options) *Source {
	can := store.SourceCapabilities(src)
	return &Source{src: src, can: can, opt: opt.WithDefaults(), ranges: !can.WholeOnly, layer: l, mu: &l.mu, objects: map[string]*object{}}
}

// object is the state of an object with cached or pending segments.
type object struct {
	name    string
	segs    []*segment
	version store.Version
}

// Ranges reports whether the source can read parts of objects. Otherwise every read takes the whole
// object.
func (s *Source) Ranges() bool { return s.ranges }

// Is reports whether this is the layer's view of that source.
func (s *Source) Is(other store.Source) bool { return s.src == other }

// Read implements [store.Source]. A Fresh read replaces everything cached for the object.
func (s *Reader) Read(ctx context.Context, name string, ask store.Ask) (store.Extent, error) {
	if err := ctx.Err(); err != nil {
		return store.Extent{}, err
	}
	if err := store.CheckKey(name); err != nil {
		return store.Extent{}, err
	}
	r := ask.Range
	if r != nil && (r.Length <= 0 || r.Offset < 0 || r.Offset > math.MaxInt64-r.Length) {
		return s.src.Read(ctx, name, ask) // rare: the source returns its own error
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
	s.reportCached(name, r, origin)
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

// Batches reports whether ReadAll is available.
func (s *Source) Batches() bool { return s.can.Batcher != nil && s.opt.Memory }

// ReadAll implements [store.Batcher] for a source that [Source.Batches].
func (s *Reader) ReadAll(ctx context.Context, names []string) ([]store.Found, error) {
	for _, name := range names {
		if err := store.CheckKey(name); err != nil {
			return nil, err
		}
	}
	all, err := s.can.Batcher.ReadAll(ctx, names)
	for i, found := range all {
		s.count(ctx, names[i], found.Bytes, found.Err)
	}
	return all, err
}

// Reuse returns bytes to a source in memory that reuses them.
func (s *Source) Reuse(b []byte) {
	if s.can.Reuser != nil {
		s.can.Reuser.Reuse(b)
	}
}

// Capabilities implements [store.Capable]. A Reader does not write, because its cache would not
// notice.
func (s *Reader) Capabilities() store.Capabilities {
	c := store.Capabilities{Lister: s.can.Lister, Remote: s.can.Remote, Reuser: s.can.Reuser, WholeOnly: s.can.WholeOnly}
	if s.Batches() {
		c.Batcher = s
	}
	return c
}

// count reports a read of an object in memory.
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

// Known reports whether anything of an object is cached or pending.
func (s *Source) Known(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.objects[name] != nil
}

// Forget drops everything known of an object. Pending requests only reach their present waiters.
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

// Clear drops everything known of all objects.
func (s *Source) Clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range s.objects {
		s.empty(o)
	}
}

// empty drops all segments of an object.
func (s *Source) empty(o *object) {
	for len(o.segs) > 0 {
		s.detach(o.segs[0])
	}
}

// Budget returns the cache's budget in bytes, for all sources of the layer.
func (s *Source) Budget() int64 { return s.layer.Budget() }

// Stats returns the source's counters. Bytes and entries are its own.
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

// reportCached reports a read that sends no request.
func (s *Reader) reportCached(name string, r *store.ByteRange, origin store.Origin) {
	s.mu.Lock()
	for _, stats := range []*share.Stats{&s.stats.Stats, &s.layer.stats} {
		switch origin {
		case store.OriginCached:
			stats.Hits++
		case store.OriginShared:
			stats.Shared++
		default:
			stats.Misses++
		}
	}
	s.mu.Unlock()
	if origin != store.OriginRequested && s.Observe != nil {
		e := store.Event{Key: name, Range: r, Origin: origin, Start: time.Now(), Merged: 1}
		if r != nil {
			e.Bytes = r.Length
		}
		s.Observe(e)
	}
}

// run requests a segment from the source.
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
