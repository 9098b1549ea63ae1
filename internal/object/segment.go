package object

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"time"

	"github.com/zarr-wasm/zarr-wasm/store"
)

// segment is an extent of an object that is cached, requested or planned. It belongs to its object
// until it fails, or is dropped or evicted.
type segment struct {
	s       *Source
	name    string
	obj     *object // nil when detached
	ask     store.Ask
	merged  int
	observe store.Observer

	waiters int
	keep    bool       // a waiter sets no bound
	allowed *allowance // else the bound on cached bytes
	started bool
	cancel  context.CancelFunc
	done    chan struct{}

	// The result; extent may be read when done is closed.
	extent     store.Extent
	err        error
	finished   bool
	expires    time.Time // of the object's absence
	prev, next *segment  // in the ring of cached segments
}

// overhead approximates the cost of a cached segment beyond its bytes.
const overhead = 256

// add plans a segment.
func (s *Source) add(o *object, seg *segment) *segment {
	seg.s, seg.name, seg.obj, seg.done = s, o.name, o, make(chan struct{})
	o.segs = append(o.segs, seg)
	s.objects[o.name] = o
	return seg
}

// find returns the segment that has, or will have, the requested bytes.
func (s *Source) find(o *object, ask store.Ask) (*segment, store.Origin) {
	var coming *segment
	for _, seg := range slices.Clip(o.segs) {
		switch {
		case !seg.finished:
			if coming == nil && seg.brings(ask) {
				coming = seg
			}
		case seg.err != nil:
			if time.Now().Before(seg.expires) {
				s.touch(seg)
				return seg, store.OriginCached
			}
			s.detach(seg)
		case seg.has(ask.Range):
			s.touch(seg)
			return seg, store.OriginCached
		}
	}
	if coming != nil {
		return coming, store.OriginShared
	}
	return nil, store.OriginRequested
}

func (seg *segment) has(r *store.ByteRange) bool {
	if r == nil {
		return seg.extent.Whole()
	}
	_, ok := seg.extent.Slice(*r)
	return ok
}

// brings reports whether the segment will contain the requested bytes.
func (seg *segment) brings(ask store.Ask) bool {
	has, wants := seg.ask.Range, ask.Range
	switch {
	case has == nil:
		return wants != nil || seg.ask.MaxBytes == 0 || seg.ask.MaxBytes >= ask.MaxBytes && ask.MaxBytes > 0
	case wants == nil || wants.Suffix != has.Suffix:
		return false
	case wants.Suffix:
		return wants.Length <= has.Length
	}
	return wants.Offset >= has.Offset && wants.Offset+wants.Length <= has.Offset+has.Length
}

// finish records a segment's result.
func (s *Source) finish(seg *segment, e store.Extent, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	seg.extent, seg.err, seg.finished = e, err, true
	close(seg.done)
	o := seg.obj
	if o == nil {
		return
	}
	absent := errors.Is(err, fs.ErrNotExist)
	if err != nil && !absent {
		s.detach(seg)
		return
	}
	if absent {
		seg.expires = time.Now().Add(s.opt.Absent)
	} else {
		if o.version.Contradicts(e.Version) {
			s.dropOthers(o, seg, func(*segment) bool { return true })
			o.version = store.Unknown
		}
		o.version.Learn(e.Version)
	}
	// Segments inside the new one are redundant.
	s.dropOthers(o, seg, func(old *segment) bool {
		return absent || old.extent.Offset >= 0 && seg.has(&store.ByteRange{Offset: old.extent.Offset, Length: int64(len(old.extent.Bytes))})
	})
	cost := seg.cost()
	if cost > s.layer.budget/2 || !seg.keep && seg.allowed != nil && seg.allowed.left < cost {
		s.detach(seg)
		return
	}
	if !seg.keep && seg.allowed != nil {
		seg.allowed.left -= cost
	}
	s.layer.link(seg)
	s.layer.count(seg, 1)
	s.layer.shrink()
}

func (seg *segment) cost() int64 { return int64(len(seg.extent.Bytes)) + overhead }

// dropOthers drops an object's other cached segments that are useless.
func (s *Source) dropOthers(o *object, keep *segment, useless func(*segment) bool) {
	for i := len(o.segs) - 1; i >= 0; i-- {
		if seg := o.segs[i]; seg != keep && seg.finished && useless(seg) {
			s.detach(seg)
		}
	}
}

// detach removes a segment from its object. Its waiters still receive it.
func (s *Source) detach(seg *segment) {
	o := seg.obj
	if o == nil {
		return
	}
	seg.obj = nil
	if i := slices.Index(o.segs, seg); i >= 0 {
		o.segs = slices.Delete(slices.Clone(o.segs), i, i+1)
	}
	if len(o.segs) == 0 && s.objects[o.name] == o {
		delete(s.objects, o.name)
	}
	if seg.next != nil {
		seg.prev.next, seg.next.prev = seg.next, seg.prev
		seg.prev, seg.next = nil, nil
		s.layer.count(seg, -1)
	}
}

func (s *Source) touch(seg *segment) {
	if seg.next != nil {
		seg.prev.next, seg.next.prev = seg.next, seg.prev
		s.layer.link(seg)
	}
}
