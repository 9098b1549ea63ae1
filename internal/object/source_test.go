package object

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/store/storetest"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
)

// origin is a store that records requests, and can be blocked and changed.
type origin struct {
	mu             sync.Mutex
	data           map[string][]byte
	etag, modified string
	fails          error
	asked          []string
	gate           chan struct{} // requests pass once it is closed, or if it is nil
	ended          int           // requests whose context ended
}

func (o *origin) Read(ctx context.Context, key string, ask store.Ask) (store.Extent, error) {
	name := key
	if ask.Range != nil {
		name += " " + ask.Range.String()
	}
	o.mu.Lock()
	o.asked = append(o.asked, name)
	gate := o.gate
	o.mu.Unlock()
	if gate != nil {
		select {
		case <-gate:
		case <-ctx.Done():
			o.mu.Lock()
			defer o.mu.Unlock()
			o.ended++
			return store.Extent{}, ctx.Err()
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.fails != nil {
		return store.Extent{}, o.fails
	}
	data, ok := o.data[key]
	if !ok {
		return store.Extent{}, store.NotFound(key)
	}
	e, err := store.Select(key, data, ask)
	e.ETag, e.Modified = o.etag, o.modified
	return e, err
}

// reading is a Reader of an origin, in its own layer.
type reading struct{ *Reader }

func over(o store.Source, bytes int64, opt Options) reading {
	if bytes == 0 {
		bytes = 64 << 20
	}
	return reading{NewLayer(bytes).Reader(o, opt, nil)}
}

func (r reading) Get(ctx context.Context, name string) ([]byte, error) {
	return store.Get(ctx, r, name)
}

func (r reading) GetRange(ctx context.Context, name string, br store.ByteRange) ([]byte, error) {
	return store.GetRange(ctx, r, name, br)
}

func (o *origin) take() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	asked := o.asked
	o.asked = nil
	slices.Sort(asked)
	return asked
}

func (o *origin) set(f func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	f()
}

func TestStore(t *testing.T) {
	for _, c := range []struct {
		bytes int64
		opt   Options
		whole bool
	}{{64 << 20, Options{}, false}, {2000, Options{Absent: -1}, false}, {64 << 20, Options{}, true}, {0, Options{}, true}} {
		storetest.Run(t, storetest.Harness{New: func(_ testing.TB, objects map[string][]byte) store.Locator {
			var s store.Source = memstore.New(objects)
			if c.whole {
				s = &wholeOnly{s}
			}
			return store.Plain(NewLayer(c.bytes).Reader(s, c.opt, nil))
		}})
	}
}

// wholeOnly is a source without ranges.
type wholeOnly struct{ store.Source }

func (*wholeOnly) Capabilities() store.Capabilities { return store.Capabilities{WholeOnly: true} }

func (w *wholeOnly) Read(ctx context.Context, name string, ask store.Ask) (store.Extent, error) {
	ask.Range = nil
	return w.Source.Read(ctx, name, ask)
}

func span(from, n int64) store.ByteRange { return store.ByteRange{Offset: from, Length: n} }

func want(t *testing.T, o *origin, asked ...string) {
	t.Helper()
	if got := o.take(); !slices.Equal(got, asked) {
		t.Errorf("asked for %q, want %q", got, asked)
	}
}

func TestWhatIsKnownIsNotAskedAgain(t *testing.T) {
	data := storetest.Pattern(1000)
	o := &origin{data: map[string][]byte{"a": data, "b": data}}
	s := over(o, 0, Options{})
	get := func(r store.ByteRange) {
		t.Helper()
		got, err := s.GetRange(t.Context(), "a", r)
		from, to, _ := r.Resolve(1000)
		if err != nil || !bytes.Equal(got, data[from:to]) {
			t.Errorf("%v: %d bytes, %v", r, len(got), err)
		}
	}
	get(span(100, 200))
	get(span(150, 150))
	get(span(100, 200))
	want(t, o, "a bytes=100-299")
	get(store.ByteRange{Length: 100, Suffix: true}) // its size is known already
	want(t, o, "a bytes=900-999")
	get(span(950, 50))
	want(t, o)
	if _, err := s.Get(t.Context(), "a"); err != nil {
		t.Error(err)
	}
	want(t, o, "a")
	get(span(0, 1000))
	want(t, o)
	if st := s.Stats(); st.Entries != 1 || st.Bytes != 1000+overhead || st.Requests != 3 || st.Received != 1300 || st.Hits != 4 || st.Misses != 3 {
		t.Errorf("%+v", st)
	}
	s.Forget("a")
	get(span(0, 1))
	want(t, o, "a bytes=0-0")
}

// TestAbsenceExpires runs in synctest time.
func TestAbsenceExpires(t *testing.T) { synctest.Test(t, absenceExpires) }

func absenceExpires(t *testing.T) {
	o := &origin{}
	s := over(o, 0, Options{Absent: time.Minute})
	for range 2 {
		if _, err := s.Get(t.Context(), "a"); !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
	}
	if asked := o.take(); len(asked) == 0 {
		t.Error("nothing was asked")
	}
	time.Sleep(time.Minute + time.Second)
	o.set(func() { o.data = map[string][]byte{"a": {1}} })
	if b, err := s.Get(t.Context(), "a"); err != nil || len(b) != 1 {
		t.Error(b, err)
	}
	s = over(&origin{}, 0, Options{Absent: time.Hour})
	for range 3 {
		if _, err := s.Get(t.Context(), "a"); !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
	}
	if st := s.Stats(); st.Requests != 1 || st.Hits != 2 || st.Failed != 0 {
		t.Errorf("%+v", st)
	}
}

func TestErrorsAreNotKept(t *testing.T) {
	fault := errors.New("fault")
	o := &origin{data: map[string][]byte{"a": {1, 2}}, fails: fault}
	s := over(o, 0, Options{})
	if _, err := s.Get(t.Context(), "a"); err != fault {
		t.Error(err)
	}
	o.set(func() { o.fails = nil })
	if _, err := s.Get(t.Context(), "a"); err != nil {
		t.Error(err)
	}
	if st := s.Stats(); st.Failed != 1 {
		t.Errorf("%+v", st)
	}
}

func TestPlan(t *testing.T) {
	data := storetest.Pattern(1 << 20)
	for _, c := range []struct {
		name   string
		opt    Options
		ranges []store.ByteRange
		asked  []string
	}{
		{"neighbours", Options{}, []store.ByteRange{span(0, 10), span(10, 10), span(20, 5)}, []string{"a bytes=0-24"}},
		{"out of order", Options{}, []store.ByteRange{span(20, 5), span(0, 10), span(10, 10)}, []string{"a bytes=0-24"}},
		{"small gap", Options{Gap: 10}, []store.ByteRange{span(0, 10), span(20, 10)}, []string{"a bytes=0-29"}},
		{"large gap", Options{Gap: 9}, []store.ByteRange{span(0, 10), span(20, 10)}, []string{"a bytes=0-9", "a bytes=20-29"}},
		{"no gap", Options{Gap: -1}, []store.ByteRange{span(0, 10), span(10, 10), span(21, 10)}, []string{"a bytes=0-19", "a bytes=21-30"}},
		{"too large", Options{Request: 25}, []store.ByteRange{span(0, 10), span(10, 10), span(20, 10)}, []string{"a bytes=0-19", "a bytes=20-29"}},
		{"one too large", Options{Request: 25}, []store.ByteRange{span(0, 30), span(30, 30)}, []string{"a bytes=0-29", "a bytes=30-59"}},
		{"twice", Options{}, []store.ByteRange{span(0, 10), span(0, 10), span(5, 2)}, []string{"a bytes=0-9"}},
		{
			"two do", Options{Gap: -1, Waste: 30}, []store.ByteRange{span(0, 10), span(20, 10), span(50, 10), span(1000, 10)},
			[]string{"a bytes=0-59", "a bytes=1000-1009"},
		},
		{
			"two do not", Options{Gap: -1, Waste: 29}, []store.ByteRange{span(0, 10), span(20, 10), span(50, 10), span(1000, 10)},
			[]string{"a bytes=0-9", "a bytes=1000-1009", "a bytes=20-29", "a bytes=50-59"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := &origin{data: map[string][]byte{"a": data}}
			s := over(o, 0, c.opt)
			for range 2 { // the second time from the cache
				seen := map[int]bool{}
				for k, r := range s.Reads("a", c.ranges, store.Ask{}) {
					if k == 0 && r.Ranges[0] != 0 {
						t.Error("what is wanted first does not come first")
					}
					p := must.Get(r.Wait(t.Context()))(t)
					for _, i := range r.Ranges {
						got, ok := p.Slice(c.ranges[i])
						if !ok || seen[i] || !bytes.Equal(got, data[c.ranges[i].Offset:][:c.ranges[i].Length]) {
							t.Errorf("range %d: %v", i, ok)
						}
						seen[i] = true
					}
				}
				if len(seen) != len(c.ranges) {
					t.Errorf("%d of %d ranges", len(seen), len(c.ranges))
				}
				want(t, o, c.asked...)
				c.asked = nil
			}
		})
	}
}

func TestOverlappingPlansShareRequests(t *testing.T) {
	data := storetest.Pattern(1000)
	o := &origin{data: map[string][]byte{"a": data}, gate: make(chan struct{})}
	s := over(o, 0, Options{})
	chunks := func(from, to int) (list []store.ByteRange) {
		for i := from; i < to; i++ {
			list = append(list, span(int64(i)*100, 100))
		}
		return list
	}
	var wait sync.WaitGroup
	for _, ranges := range [][]store.ByteRange{chunks(0, 6), chunks(4, 8), chunks(2, 9)} {
		for _, r := range s.Reads("a", ranges, store.Ask{}) {
			wait.Go(func() {
				p, err := r.Wait(t.Context())
				for _, i := range r.Ranges {
					if got, ok := p.Slice(ranges[i]); !ok || err != nil || !bytes.Equal(got, data[ranges[i].Offset:][:100]) {
						t.Errorf("%v: %v, %v", ranges[i], ok, err)
					}
				}
			})
		}
	}
	close(o.gate)
	wait.Wait()
	want(t, o, "a bytes=0-599", "a bytes=600-799", "a bytes=800-899")
}

func TestCancelledReadersLeaveTheOthersAlone(t *testing.T) {
	o := &origin{data: map[string][]byte{"a": storetest.Pattern(100)}, gate: make(chan struct{})}
	s := over(o, 0, Options{})
	ctx, cancel := context.WithCancel(t.Context())
	errs, stays := make(chan error, 1), make(chan error, 1)
	go func() { _, err := s.Get(ctx, "a"); errs <- err }()
	until(t, func() bool { return s.Stats().Misses == 1 })
	go func() { _, err := s.GetRange(t.Context(), "a", span(10, 5)); stays <- err }()
	until(t, func() bool { return s.Stats().Shared == 1 })
	cancel()
	if err := <-errs; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	o.set(func() {
		if o.ended != 0 {
			t.Error("the request ended though one waits for it")
		}
	})
	close(o.gate)
	if err := <-stays; err != nil {
		t.Error(err)
	}
	want(t, o, "a")

	// Without waiters, the request is cancelled, and the next read sends another.
	o.set(func() { o.gate = make(chan struct{}) })
	ctx, cancel = context.WithCancel(t.Context())
	reads := s.Reads("b", []store.ByteRange{span(0, 10)}, store.Ask{})
	go func() { _, err := reads[0].Wait(ctx); errs <- err }()
	until(t, func() bool { o.mu.Lock(); defer o.mu.Unlock(); return len(o.asked) == 1 })
	cancel()
	<-errs
	until(t, func() bool { o.mu.Lock(); defer o.mu.Unlock(); return o.ended == 1 })
	closed := s.Reads("b", []store.ByteRange{span(0, 10)}, store.Ask{})
	closed[0].Close()
	closed[0].Close()
	s.mu.Lock()
	if len(s.objects) != 1 {
		t.Errorf("%d objects are remembered, want that of which something is kept", len(s.objects))
	}
	s.mu.Unlock()
}

func TestChangedObjectIsDropped(t *testing.T) {
	old, now := storetest.Pattern(1000), bytes.Repeat([]byte{9}, 1000)
	o := &origin{data: map[string][]byte{"a": old}, etag: `"1"`}
	s := over(o, 0, Options{})
	read := func(r store.ByteRange) store.Extent {
		return must.Get(s.Read(t.Context(), "a", store.Ask{Range: &r}))(t)
	}
	read(span(0, 10))
	o.set(func() { o.data["a"], o.etag = now, `"2"` })
	if p := read(span(0, 10)); p.ETag != `"1"` || p.Bytes[0] != old[0] {
		t.Error("what is kept was not used")
	}
	if p := read(span(500, 10)); p.ETag != `"2"` {
		t.Error("tag", p.ETag)
	}
	if p := read(span(0, 10)); p.Bytes[0] != 9 || p.ETag != `"2"` {
		t.Error("bytes of the old object")
	}
	// Without tags, another size shows the change.
	o.set(func() { o.data["a"], o.etag = old[:900], "" })
	read(span(700, 10))
	if p := read(span(0, 10)); p.Bytes[0] != old[0] {
		t.Error("bytes of the old object, of another size")
	}
}

func TestBudget(t *testing.T) {
	objects := map[string][]byte{}
	for _, key := range []string{"a", "b", "c", "d", "e"} {
		objects[key] = storetest.Pattern(1000)
	}
	o := &origin{data: objects}
	s := over(o, 4*(1000+overhead), Options{})
	for _, key := range []string{"a", "b", "c", "d", "a", "e"} {
		must.Get(s.Get(t.Context(), key))(t)
	}
	o.take()
	for _, key := range []string{"a", "c", "d", "e"} {
		must.Get(s.Get(t.Context(), key))(t)
	}
	want(t, o)
	if st := s.Stats(); st.Evicted != 1 || st.Entries != 4 || st.Bytes > st.Budget {
		t.Errorf("%+v", st)
	}
}

func TestALargeReadKeepsLittle(t *testing.T) {
	objects := map[string][]byte{}
	for _, key := range []string{"a", "b", "c", "d", "e"} {
		objects[key] = storetest.Pattern(1000)
	}
	o := &origin{data: objects}
	s := over(o, 4*(1000+overhead), Options{})
	read := func(ctx context.Context, keys ...string) {
		for _, key := range keys {
			must.Get(s.Get(ctx, key))(t)
		}
	}
	read(t.Context(), "a")
	large := WithAllowance(t.Context(), 2*(1000+overhead))
	read(large, "b", "c", "d", "e")
	o.take()
	read(large, "c", "b", "a")
	want(t, o)
	read(t.Context(), "d", "d")
	want(t, o, "d")
	if st := s.Stats(); st.Evicted != 0 || st.Entries != 4 {
		t.Errorf("%+v", st)
	}
}

func TestEvents(t *testing.T) {
	o := &origin{data: map[string][]byte{"a": storetest.Pattern(1000)}}
	var mu sync.Mutex
	var events []store.Event
	s := NewLayer(1<<20).Reader(o, Options{}, func(e store.Event) {
		mu.Lock()
		defer mu.Unlock()
		events = append(events, e)
	})
	for range 2 {
		for _, r := range s.Reads("a", []store.ByteRange{span(0, 10), span(10, 10), span(20, 10)}, store.Ask{}) {
			must.Get(r.Wait(t.Context()))(t)
		}
	}
	if len(events) != 4 {
		t.Fatalf("%d events", len(events))
	}
	if e := events[0]; e.Origin != store.OriginRequested || e.Merged != 3 || e.Bytes != 30 || e.Range.String() != "bytes=0-29" || e.Key != "a" {
		t.Errorf("%+v", e)
	}
	if e := events[1]; e.Origin != store.OriginCached || e.Bytes != 10 {
		t.Errorf("%+v", e)
	}
}

func TestManyReadersOfChangingBudget(t *testing.T) {
	data := storetest.Pattern(5000)
	s := over(&origin{data: map[string][]byte{"a": data, "b": data}}, 6000, Options{Gap: 50})
	var wait sync.WaitGroup
	for seed := range uint64(12) {
		wait.Go(func() {
			rng := rand.New(rand.NewPCG(seed, 2))
			for range 200 {
				ctx, cancel := context.WithCancel(t.Context())
				if rng.IntN(4) == 0 {
					cancel()
				}
				var ranges []store.ByteRange
				for range 1 + rng.IntN(6) {
					from := rng.Int64N(4900)
					ranges = append(ranges, span(from, 1+rng.Int64N(100)))
				}
				key := []string{"a", "b"}[rng.IntN(2)]
				for _, r := range s.Reads(key, ranges, store.Ask{}) {
					if rng.IntN(5) == 0 {
						r.Close()
						continue
					}
					p, err := r.Wait(ctx)
					if err != nil {
						if ctx.Err() == nil {
							t.Error(err)
						}
						continue
					}
					for _, i := range r.Ranges {
						if got, ok := p.Slice(ranges[i]); !ok || !bytes.Equal(got, data[ranges[i].Offset:][:ranges[i].Length]) {
							t.Errorf("%v of %s: %v", ranges[i], key, ok)
						}
					}
				}
				if rng.IntN(20) == 0 {
					s.Forget(key)
				}
				cancel()
			}
		})
	}
	wait.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	var bytes, entries int64
	for seg := s.layer.root.next; seg != &s.layer.root; seg = seg.next {
		bytes += seg.cost()
		entries++
	}
	if s.stats.Bytes != bytes || s.stats.Entries != entries || bytes > 6000 {
		t.Errorf("%+v; in the ring %d, %d bytes", s.stats, entries, bytes)
	}
}

func until(t *testing.T, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it does not come to that")
		}
	}
}
