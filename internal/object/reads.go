package object

import (
	"context"
	"slices"

	"github.com/zarr-wasm/zarr-wasm/internal/guard"
	"github.com/zarr-wasm/zarr-wasm/internal/order"
	"github.com/zarr-wasm/zarr-wasm/store"
)

// Read is one of the reads that a set of ranges needs: bytes that are kept, or a request,
// which is sent by the first Wait. Its holder either waits for it or closes it.
type Read struct {
	s      *Source
	seg    *segment
	closed bool
	// Ranges says which of the ranges that were asked for it has, by their number.
	Ranges []int
}

// Reads says how to read ranges of an object: what is kept or under way is not asked for,
// and the rest by as few requests as is sensible. The reads come in the order in which the
// ranges need them. Ranges are at least one byte long and no suffixes. What else is asked for is the same for all.
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
		s.tell(name, &ranges[i], origins[i])
	}
	// In the order of the first range of each: the numbers of ranges are their order.
	first := make([]*Read, len(ranges))
	for _, r := range reads {
		order.Sort(r.Ranges, func(a, b int) bool { return a < b })
		first[r.Ranges[0]] = r
	}
	return slices.DeleteFunc(first, func(r *Read) bool { return r == nil })
}

// Wait returns the bytes, sends the request for them if that has not been done, and closes the
// read. Errors are the source's, and the context's, which ends the request only if there is no other waiter.
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

// allowance is how many bytes may still be kept.
type allowance struct{ left int64 } // under the store's lock

type allowanceKey struct{}

// WithAllowance is for reads that are large and may be the only ones of their bytes: of what is read
// with the context, only so many bytes are kept, so that not everything else makes room.
func WithAllowance(ctx context.Context, bytes int64) context.Context {
	return context.WithValue(ctx, allowanceKey{}, &allowance{bytes})
}

// Size is how many bytes are asked for.
func (r *Read) Size() int64 {
	if r.seg.ask.Range == nil {
		return 0 // they are there, or come for another
	}
	return r.seg.ask.Range.Length
}

// Close lets go of a read. It is done by Wait, and may be done again.
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
	s.detach(seg) // a later reader does not want what is being given up
	if seg.cancel != nil {
		seg.cancel()
	}
}

// group is a set of ranges that one request brings.
type group struct {
	from, to int64
	members  []int
}

// merge puts ranges together whose gaps cost less than a request.
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
	// Where the gaps in all are small enough, two requests do.
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

// join merges groups, which are in order, where the gap is small and the sum not too large.
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
