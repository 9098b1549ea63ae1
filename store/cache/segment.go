package cache

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"time"

	"zarr-wasm/store"
)

// segment is part of an object, or all of it, that is kept, asked for or about to
// be. It belongs to its object from the moment it is planned until it fails, is dropped or
// makes room.
type segment struct {
	s      *Store
	key    string
	obj    *object // nil when it no longer belongs to it
	ask    *store.ByteRange
	hint   store.Hint
	merged int

	waiters int
	keep    bool       // someone waits for it who sets no bounds
	allowed *allowance // else what may be kept
	started bool
	cancel  context.CancelFunc
	done    chan struct{}

	// What came of it; part may be read when done is closed.
	part       store.Part
	err        error
	finished   bool
	expires    time.Time // of the news that the object is absent
	prev, next *segment  // in the ring of what is kept
}

// overhead is what keeping a segment costs besides its bytes, about.
const overhead = 256

// add plans a segment.
func (s *Store) add(o *object, seg *segment) *segment {
	seg.s, seg.key, seg.obj, seg.done = s, o.key, o, make(chan struct{})
	o.segs = append(o.segs, seg)
	s.objects[o.key] = o
	return seg
}

// find returns the segment that has, or will have, the bytes of a range.
func (s *Store) find(o *object, r *store.ByteRange) (*segment, store.Source) {
	var coming *segment
	for _, seg := range slices.Clip(o.segs) {
		switch {
		case !seg.finished:
			if coming == nil && seg.brings(r) {
				coming = seg
			}
		case seg.err != nil:
			if time.Now().Before(seg.expires) {
				s.touch(seg)
				return seg, store.Cached
			}
			s.detach(seg)
		case seg.has(r):
			s.touch(seg)
			return seg, store.Cached
		}
	}
	if coming != nil {
		return coming, store.Shared
	}
	return nil, store.Requested
}

func (seg *segment) has(r *store.ByteRange) bool {
	if r == nil {
		return seg.part.Whole()
	}
	_, ok := seg.part.Slice(*r)
	return ok
}

// brings tells whether what is asked for will have a range.
func (seg *segment) brings(r *store.ByteRange) bool {
	switch {
	case seg.ask == nil:
		return true
	case r == nil || r.Suffix != seg.ask.Suffix:
		return false
	case r.Suffix:
		return r.Length <= seg.ask.Length
	}
	return r.Offset >= seg.ask.Offset && r.Offset+r.Length <= seg.ask.Offset+seg.ask.Length
}

// finish takes in what came of a segment.
func (s *Store) finish(seg *segment, part store.Part, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	seg.part, seg.err, seg.finished = part, err, true
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
		if part.ETag != "" && o.etag != "" && part.ETag != o.etag || part.Size >= 0 && o.size >= 0 && part.Size != o.size {
			s.dropOthers(o, seg, func(*segment) bool { return true })
			o.etag, o.size = "", -1
		}
		if part.ETag != "" {
			o.etag = part.ETag
		}
		if part.Size >= 0 {
			o.size = part.Size
		}
	}
	// What lies within the new segment need not be kept twice.
	s.dropOthers(o, seg, func(old *segment) bool {
		return absent || old.part.Offset >= 0 && seg.has(&store.ByteRange{Offset: old.part.Offset, Length: int64(len(old.part.Bytes))})
	})
	cost := seg.cost()
	if cost > s.pool.budget/2 || !seg.keep && seg.allowed != nil && seg.allowed.left < cost {
		s.detach(seg)
		return
	}
	if !seg.keep && seg.allowed != nil {
		seg.allowed.left -= cost
	}
	s.pool.link(seg)
	s.pool.count(seg, 1)
	s.pool.shrink()
}

func (seg *segment) cost() int64 { return int64(len(seg.part.Bytes)) + overhead }

// dropOthers drops the other kept segments of an object that are no longer of use.
func (s *Store) dropOthers(o *object, keep *segment, useless func(*segment) bool) {
	for i := len(o.segs) - 1; i >= 0; i-- {
		if seg := o.segs[i]; seg != keep && seg.finished && useless(seg) {
			s.detach(seg)
		}
	}
}

// detach takes a segment from its object. Who waits for it gets it all the same.
func (s *Store) detach(seg *segment) {
	o := seg.obj
	if o == nil {
		return
	}
	seg.obj = nil
	if i := slices.Index(o.segs, seg); i >= 0 {
		o.segs = slices.Delete(slices.Clone(o.segs), i, i+1)
	}
	if len(o.segs) == 0 && s.objects[o.key] == o {
		delete(s.objects, o.key)
	}
	if seg.next != nil {
		seg.prev.next, seg.next.prev = seg.next, seg.prev
		seg.prev, seg.next = nil, nil
		s.pool.count(seg, -1)
	}
}

func (s *Store) touch(seg *segment) {
	if seg.next != nil {
		seg.prev.next, seg.next.prev = seg.next, seg.prev
		s.pool.link(seg)
	}
}
