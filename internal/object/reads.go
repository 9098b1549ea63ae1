package object

import (
	"context"
	"slices"

	"github.com/zarr-wasm/zarr-wasm/internal/guard"
	"github.com/zarr-wasm/zarr-wasm/internal/order"
	"github.com/zarr-wasm/zarr-wasm/store"
)

// Read is one of the reads for a set of ranges: cached bytes, or a request that the first Wait
// sends. Its holder must call Wait or Close.
type Read struct {
	s      *Source
	seg    *segment
	closed bool
	// Ranges holds the indices of the requested ranges that this read contains.
	Ranges []int
}

// Reads plans the reads of several ranges of an object: cached or pending bytes, and as few
// requests as sensible for the rest. The reads are in the order of the ranges. Ranges have at least
// one byte and are not suffixes. The other fields of ask apply to all.
func (s *Reader) Reads(name string, ranges []store.ByteRange, ask store.Ask) []*Read {
	s.mu.Lock()
	o := s.object(name)
	var reads []*Read
	known := map[*segment]*Read{}
	origins := make([]store.Origin, len(ranges))
	hold := func(seg *segment, i int) {
		r := known[seg]
		if r == nil {
			seg.waiters++
			r = &Read{s: s.Source, seg: seg}
			known[seg] = r
			reads = append(reads, r)
		}
		r.Ranges = append(r.Ranges, i)
	}
	var rest []int
	for i := range ranges {
		seg, origin := s.find(o, store.Ask{Range: &ranges[i]})
		if origins[i] = origin; seg == nil {
			rest = append(rest, i)
			continue
		}
		hold(seg, i)
	}
	for _, g := range s.merge(ranges, rest) {
		ask.Range = &store.ByteRange{Offset: g.from, Length: g.to - g.from}
		seg := s.add(o, &segment{ask: ask, merged: len(g.members), observe: s.Observe})
		for _, i := range g.members {
			hold(seg, i)
		}
	}
	if len(o.segs) == 0 {
		delete(s.objects, name)
	}
	s.mu.Unlock()
	for i := range ranges {
		s.reportCached(name, &ranges[i], origins[i])
	}
	// Order by the first range of each, since the ranges' order is their priority.
	first := make([]*Read, len(ranges))
	for _, r := range reads {
		order.Sort(r.Ranges, func(a, b int) bool { return a < b })
		first[r.Ranges[0]] = r
	}
	return slices.DeleteFunc(first, func(r *Read) bool { return r == nil })
}

// Wait returns the bytes and closes the read. It sends the request if necessary. Errors are the
// source's and the context's. The context cancels the request only without other waiters.
func (r *Read) Wait(ctx context.Context) (store.Extent, error) {
	s, seg := r.s, r.seg
	defer r.Close()
	s.mu.Lock()
	if a, bounded := ctx.Value(allowanceKey{}).(*allowance); !bounded {
		seg.keep = true
	} else if seg.allowed == nil {
		seg.allowed = a
	}
	if !seg.started && !seg.finished {
		seg.started = true
		within, cancel := context.WithCancel(store.WithMark(context.Background(), store.Mark(ctx)))
		seg.cancel = cancel
		var e store.Extent
		guard.Go(func() (err error) {
			e, err = s.run(within, seg)
			return err
		}, func(err error) {
			s.finish(seg, e, err)
			cancel()
		})
	}
	s.mu.Unlock()
	select {
	case <-seg.done:
		return seg.extent, seg.err
	case <-ctx.Done():
		return store.Extent{}, ctx.Err()
	}
}

// allowance is the number of bytes that may still be cached.
type allowance struct{ left int64 } // under the store's lock

type allowanceKey struct{}

// WithAllowance limits the bytes that reads with this context cache. It suits large reads whose
// bytes may never be needed again: they do not evict everything else.
func WithAllowance(ctx context.Context, bytes int64) context.Context {
	return context.WithValue(ctx, allowanceKey{}, &allowance{bytes})
}

// Size returns the number of bytes to request.
func (r *Read) Size() int64 {
	if r.seg.ask.Range == nil {
		return 0 // cached, or requested by another reader
	}
	return r.seg.ask.Range.Length
}

// Close releases a read. Wait calls it, and repeated calls have no effect.
func (r *Read) Close() {
	s, seg := r.s, r.seg
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.closed {
		return
	}
	r.closed = true
	if seg.waiters--; seg.waiters > 0 || seg.finished {
		return
	}
	s.detach(seg) // later readers must not join a request that is being cancelled
	if seg.cancel != nil {
		seg.cancel()
	}
}

// group is a set of ranges for one request.
type group struct {
	from, to int64
	members  []int
}

// merge groups ranges whose gaps cost less than a request.
func (s *Source) merge(ranges []store.ByteRange, members []int) []group {
	order.Sort(members, func(a, b int) bool {
		return ranges[a].Offset < ranges[b].Offset || ranges[a].Offset == ranges[b].Offset && a < b
	})
	groups := make([]group, len(members))
	for k, i := range members {
		groups[k] = group{ranges[i].Offset, ranges[i].Offset + ranges[i].Length, []int{i}}
	}
	groups = s.join(groups, s.gap())
	if len(groups) <= 2 {
		return groups
	}
	// If the sum of the gaps is small, two requests suffice.
	gaps := make([]int, len(groups)-1)
	for k := range gaps {
		gaps[k] = int(groups[k+1].from - groups[k].to)
	}
	order.Sort(gaps, func(a, b int) bool { return a < b })
	sum := 0
	for _, gap := range gaps[:len(gaps)-1] {
		if sum += gap; int64(sum) > s.waste() {
			return groups
		}
	}
	return s.join(groups, int64(gaps[len(gaps)-2]))
}

// join merges adjacent groups with a small gap and a moderate sum.
func (s *Source) join(groups []group, gap int64) []group {
	kept := groups[:0]
	for _, g := range groups {
		if n := len(kept) - 1; n >= 0 && g.from-kept[n].to <= gap && (g.to-kept[n].from <= s.opt.Request || g.from < kept[n].to) {
			kept[n].to = max(kept[n].to, g.to)
			kept[n].members = append(kept[n].members, g.members...)
			continue
		}
		kept = append(kept, g)
	}
	return kept
}
