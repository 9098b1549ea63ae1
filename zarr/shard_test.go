package zarr_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// sharding describes arrays of uint32. The element at a position is its number in C order.
type sharding struct {
	shape []int
	// levels are the shapes of shards, of the chunks in them, and so on.
	levels  [][]int
	atStart bool
	pad     int                    // bytes between inner chunks
	without func(inner []int) bool // inner chunks that are missing, by their first element
	base    uint32                 // is added to every element
	// lie, if not nil, replaces the index entry of an inner chunk. It receives the chunk's first
	// element and its place.
	lie func(inner []int, offset, length uint64) (uint64, uint64)
}

func crc(b []byte) []byte {
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)))
}

// element returns the element at a position.
func (s sharding) element(p []int) uint32 {
	n := 0
	for d := range p {
		if p[d] >= s.shape[d] {
			return 0
		}
		n = n*s.shape[d] + p[d]
	}
	return s.base + uint32(n)
}

func (s sharding) encode(at []int, level int) []byte {
	shape := s.levels[level]
	if level == len(s.levels)-1 {
		var data []byte
		each(shape, func(p []int) {
			q := make([]int, len(p))
			for d := range p {
				q[d] = at[d] + p[d]
			}
			data = binary.LittleEndian.AppendUint32(data, s.element(q))
		})
		return crc(data)
	}
	inner := s.levels[level+1]
	counts := make([]int, len(shape))
	total := 1
	for d := range shape {
		counts[d] = shape[d] / inner[d]
		total *= counts[d]
	}
	indexSize := 16*total + 4
	var index, data []byte
	if s.atStart {
		data = make([]byte, indexSize)
	}
	each(counts, func(p []int) {
		q := make([]int, len(p))
		for d := range p {
			q[d] = at[d] + p[d]*inner[d]
		}
		if level == len(s.levels)-2 && s.without != nil && s.without(q) {
			index = append(index, bytes.Repeat([]byte{255}, 16)...)
			return
		}
		b := s.encode(q, level+1)
		offset, length := uint64(len(data)), uint64(len(b))
		if level == len(s.levels)-2 && s.lie != nil {
			offset, length = s.lie(q, offset, length)
		}
		index = binary.LittleEndian.AppendUint64(index, offset)
		index = binary.LittleEndian.AppendUint64(index, length)
		data = append(append(data, b...), make([]byte, s.pad)...)
	})
	if s.atStart {
		copy(data, crc(index))
		return data
	}
	return append(data, crc(index)...)
}

func list(v []int) string { return strings.ReplaceAll(fmt.Sprint(v), " ", ",") }

func (s sharding) codecs(level int) string {
	if level == len(s.levels)-1 {
		return `[{"name":"bytes","configuration":{"endian":"little"}},{"name":"crc32c"}]`
	}
	where := "end"
	if s.atStart {
		where = "start"
	}
	return fmt.Sprintf(`[{"name":"sharding_indexed","configuration":{"chunk_shape":%s,"codecs":%s,"index_location":%q,
		"index_codecs":[{"name":"bytes","configuration":{"endian":"little"}},{"name":"crc32c"}]}}]`, list(s.levels[level+1]), s.codecs(level+1), where)
}

func (s sharding) objects() map[string][]byte {
	m := map[string][]byte{"zarr.json": fmt.Appendf(nil, `{"zarr_format":3,"node_type":"array","shape":%s,"data_type":"uint32","fill_value":4294967295,
		"chunk_grid":{"name":"regular","configuration":{"chunk_shape":%s}},"chunk_key_encoding":{"name":"default"},"codecs":%s}`,
		list(s.shape), list(s.levels[0]), s.codecs(0))}
	counts := make([]int, len(s.shape))
	for d := range counts {
		counts[d] = (s.shape[d] + s.levels[0][d] - 1) / s.levels[0][d]
	}
	each(counts, func(c []int) {
		at := make([]int, len(c))
		for d := range c {
			at[d] = c[d] * s.levels[0][d]
		}
		m["c/"+strings.Trim(strings.ReplaceAll(fmt.Sprint(c), " ", "/"), "[]")] = s.encode(at, 0)
	})
	return m
}

// check compares a result with the elements at the picked positions.
func (s sharding) check(t *testing.T, res *zarr.Result, picks [][]int) {
	t.Helper()
	inner := s.levels[len(s.levels)-1]
	counts, pos, first := make([]int, len(picks)), make([]int, len(picks)), make([]int, len(picks))
	for d := range picks {
		counts[d] = len(picks[d])
	}
	i := 0
	each(counts, func(p []int) {
		for d := range p {
			pos[d] = picks[d][p[d]]
			first[d] = pos[d] / inner[d] * inner[d]
		}
		want := s.element(pos)
		if s.without != nil && s.without(first) {
			want = 0xFFFFFFFF
		}
		if got := binary.LittleEndian.Uint32(res.Data[4*i:]); got != want {
			t.Fatalf("at %v: %d, want %d", pos, got, want)
		}
		i++
	})
	if len(res.Data) != 4*i {
		t.Fatalf("%d bytes for %d elements", len(res.Data), i)
	}
}

// positions returns a selection of the positions from from up to but not including to, and these
// positions.
func positions(from, to int) (grid.Item, []int) {
	a, b := int64(from), int64(to)
	var list []int
	for i := from; i < to; i++ {
		list = append(list, i)
	}
	return grid.Range(&a, &b, nil), list
}

func TestShardsAgainstEveryElement(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for round := range 300 {
		rank := 1 + rng.IntN(2)
		s := sharding{atStart: rng.IntN(2) == 0, pad: rng.IntN(3) * 10}
		inner := make([]int, rank)
		s.shape = make([]int, rank)
		for d := range rank {
			inner[d], s.shape[d] = 1+rng.IntN(3), 1+rng.IntN(24)
		}
		s.levels = [][]int{inner}
		for range 1 + rng.IntN(2) {
			outer := make([]int, rank)
			for d := range rank {
				outer[d] = s.levels[0][d] * (1 + rng.IntN(3))
			}
			s.levels = append([][]int{outer}, s.levels...)
		}
		if rng.IntN(2) == 0 {
			s.without = func(p []int) bool { return (p[0]+len(p)+round)%3 == 0 }
		}
		opt := zarr.Options{Requests: zarr.RequestOptions{Gap: int64(rng.IntN(3)*20 - 1), Waste: int64(rng.IntN(3)*100 - 1)}}
		if rng.IntN(3) == 0 {
			opt.Cache.Decoded, opt.Cache.Indexes, opt.Cache.Encoded = 100, 600, 300
		}
		var st store.Source = memstore.New(s.objects())
		if rng.IntN(4) == 0 {
			st = whole{st}
		}
		h := hierarchy(st, opt)
		if rng.IntN(3) == 0 {
			h = zarr.Over(scatter(rng, s.objects()), codecs.Full(), opt)
		}
		a := must.Get(h.OpenArray(t.Context(), ""))(t)
		for range 3 {
			sel, picks := make([]grid.Item, rank), make([][]int, rank)
			for d, n := range s.shape {
				switch rng.IntN(3) {
				case 0:
					list := make([]int64, 1+rng.IntN(4))
					for k := range list {
						list[k] = int64(rng.IntN(n))
						picks[d] = append(picks[d], int(list[k]))
					}
					sel[d] = grid.ListOf(list)
				case 1:
					step := int64(-1 - rng.IntN(3))
					sel[d] = grid.Range(nil, nil, &step)
					for i := n - 1; i >= 0; i += int(step) {
						picks[d] = append(picks[d], i)
					}
				default:
					from := rng.IntN(n)
					sel[d], picks[d] = positions(from, from+1+rng.IntN(n-from))
				}
			}
			last, total := 0, 0
			res, err := a.Read(t.Context(), sel, zarr.ReadOptions{Progress: func(done, of int) {
				if done <= last {
					t.Errorf("progress %d after %d", done, last)
				}
				last, total = done, of
			}})
			if err != nil {
				t.Fatalf("%+v: %v", s, err)
			}
			if last != total {
				t.Errorf("progress ends with %d of %d", last, total)
			}
			s.check(t, res, picks)
			must.Do(t, s.checkPoints(t, a, rng))
		}
	}
}

// checkPoints reads random points, some of them twice, and compares them with the elements.
func (s sharding) checkPoints(t *testing.T, a *zarr.Array, rng *rand.Rand) error {
	t.Helper()
	n := rng.IntN(6)
	if rng.IntN(4) == 0 {
		n += 100 // more than are sorted by comparing
	}
	coords, given := make([][]int64, len(s.shape)), make([][]int64, len(s.shape))
	for range n {
		for d, size := range s.shape {
			c := int64(rng.IntN(2*size) - size)
			coords[d] = append(coords[d], c)
		}
	}
	for d := range coords {
		given[d] = slices.Clone(coords[d])
	}
	res, err := a.ReadPoints(t.Context(), given, zarr.ReadOptions{})
	if err != nil {
		return err
	}
	if len(res.Data) != 4*n {
		t.Fatalf("%d bytes of %d points", len(res.Data), n)
	}
	for i := range n {
		p, first := make([]int, len(coords)), make([]int, len(coords))
		for d, size := range s.shape {
			if given[d][i] != coords[d][i] {
				t.Fatal("the caller's coordinates were changed")
			}
			p[d] = (int(coords[d][i]) + size) % size
			first[d] = p[d] / s.levels[len(s.levels)-1][d] * s.levels[len(s.levels)-1][d]
		}
		want := s.element(p)
		if s.without != nil && s.without(first) {
			want = 0xFFFFFFFF
		}
		if got := binary.LittleEndian.Uint32(res.Data[4*i:]); got != want {
			t.Fatalf("point %v: %d, want %d", p, got, want)
		}
	}
	return nil
}

// whole is a source that cannot read ranges.
type whole struct{ store.Source }

func (whole) Capabilities() store.Capabilities { return store.Capabilities{WholeOnly: true} }

func (w whole) Read(ctx context.Context, key string, ask store.Ask) (store.Extent, error) {
	ask.Range = nil
	return w.Source.Read(ctx, key, ask)
}

// counted counts a store's requests, and can delay them.
type counted struct {
	store.Source
	mu    sync.Mutex
	asked []string
	gate  chan struct{}
}

func (c *counted) note(ctx context.Context, what string) error {
	c.mu.Lock()
	c.asked = append(c.asked, what)
	gate := c.gate
	c.mu.Unlock()
	if gate != nil {
		select {
		case <-gate:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func (c *counted) Read(ctx context.Context, key string, ask store.Ask) (store.Extent, error) {
	what := key
	if ask.Range != nil {
		what += " " + ask.Range.String()
	}
	if err := c.note(ctx, what); err != nil {
		return store.Extent{}, err
	}
	return c.Source.Read(ctx, key, ask)
}

// take returns the requests for chunks since the last call.
func (c *counted) take() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var asked []string
	for _, what := range c.asked {
		if strings.HasPrefix(what, "c/") { // documents of abandoned requests may come late
			asked = append(asked, what)
		}
	}
	c.asked = nil
	slices.Sort(asked)
	return asked
}

// big returns an array of 2 x 2 shards of 8 x 8 chunks of 64 x 64: shards of a megabyte.
func big() sharding {
	return sharding{shape: []int{1024, 1024}, levels: [][]int{{512, 512}, {64, 64}}}
}

func openCounted(t *testing.T, objects map[string][]byte, opt zarr.Options) (*counted, *zarr.Array) {
	t.Helper()
	c := &counted{Source: memstore.New(objects)}
	a := must.Get(hierarchy(c, opt).OpenArray(t.Context(), ""))(t)
	c.take()
	return c, a
}

func (s sharding) read(t *testing.T, a *zarr.Array, y0, y1, x0, x1 int) {
	t.Helper()
	rows, ys := positions(y0, y1)
	cols, xs := positions(x0, x1)
	res := must.Get(a.Read(t.Context(), []grid.Item{rows, cols}, zarr.ReadOptions{}))(t)
	s.check(t, res, [][]int{ys, xs})
}

func TestShardTakesFewRequests(t *testing.T) {
	s := big()
	objects := s.objects()
	for _, c := range []struct {
		name           string
		y0, y1, x0, x1 int
		requests       int
	}{
		{"one chunk", 0, 64, 64, 128, 2},
		{"four chunks of each of four shards", 400, 600, 400, 600, 4 * 3},
		{"neighbours in each of two shards", 0, 10, 400, 600, 2 * 2},
		{"sixteen chunks", 0, 256, 0, 256, 3},
		{"all", 0, 512, 0, 512, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			st, a := openCounted(t, objects, zarr.Options{})
			s.read(t, a, c.y0, c.y1, c.x0, c.x1)
			if asked := st.take(); len(asked) > c.requests {
				t.Errorf("%d requests: %q", len(asked), asked)
			}
			s.read(t, a, c.y0, c.y1, c.x0, c.x1)
			if asked := st.take(); len(asked) != 0 {
				t.Errorf("again: %q", asked)
			}
		})
	}
	st, a := openCounted(t, objects, zarr.Options{})
	s.read(t, a, 0, 64, 0, 64)
	st.take()
	s.read(t, a, 0, 64, 64, 128)
	if asked := st.take(); len(asked) != 1 {
		t.Errorf("the neighbour: %q", asked)
	}
	// The first shard of the read that wants all is small.
	small := sharding{shape: []int{64, 64}, levels: [][]int{{64, 64}, {16, 16}}, atStart: true}
	st, a = openCounted(t, small.objects(), zarr.Options{})
	small.read(t, a, 0, 1, 0, 1)
	small.read(t, a, 40, 60, 40, 60)
	if asked := st.take(); !slices.Equal(asked, []string{"c/0/0"}) {
		t.Errorf("of a small shard: %q", asked)
	}
}

func TestOverlappingReadsShareWhatTheyAsk(t *testing.T) {
	s := big()
	st, a := openCounted(t, s.objects(), zarr.Options{})
	var wait sync.WaitGroup
	for _, x := range []int{0, 128, 64} {
		wait.Go(func() { s.read(t, a, 0, 64, x, x+256) })
	}
	wait.Wait()
	seen := make([]bool, 1<<21)
	for _, asked := range st.take() {
		key, part, _ := strings.Cut(asked, " ")
		var from, last int
		if n, _ := fmt.Sscanf(part, "bytes=%d-%d", &from, &last); n != 2 {
			continue // the index
		}
		for i := from; i <= last; i++ {
			if seen[i] {
				t.Fatalf("%s is asked for twice at %d", key, i)
			}
			seen[i] = true
		}
	}
	if stats := h(a); stats.Chunks.Misses != 6 {
		t.Errorf("%d chunks decoded, want 6: %+v", stats.Chunks.Misses, stats)
	}
}

func h(a *zarr.Array) zarr.Stats { return a.Hierarchy().Stats() }

func TestScrubbingDecodesOnce(t *testing.T) {
	s := sharding{shape: []int{64, 32, 32}, levels: [][]int{{64, 32, 32}}}
	st, a := openCounted(t, s.objects(), zarr.Options{})
	for i := range 64 {
		res := must.Get(a.Read(t.Context(), []grid.Item{grid.At(int64(i))}, zarr.ReadOptions{}))(t)
		if got := binary.LittleEndian.Uint32(res.Data); got != uint32(i*32*32) {
			t.Fatalf("step %d: %d", i, got)
		}
	}
	if asked := st.take(); len(asked) != 1 {
		t.Errorf("asked for %q", asked)
	}
	if stats := h(a); stats.Chunks.Misses != 1 || stats.Chunks.Hits != 63 {
		t.Errorf("%+v", stats)
	}
}

// TestRowsOfStoredChunks reads a small part of an uncompressed chunk.
func TestRowsOfStoredChunks(t *testing.T) {
	const n = 1024
	chunk := make([]byte, 0, 4*n*n)
	for i := range uint32(n * n) {
		chunk = binary.BigEndian.AppendUint32(chunk, i)
	}
	objects := map[string][]byte{"c/0/0": chunk, "zarr.json": []byte(`{"zarr_format":3,"node_type":"array","shape":[1024,1024],"data_type":"uint32","fill_value":7,
		"chunk_grid":{"name":"regular","configuration":{"chunk_shape":[1024,1024]}},"chunk_key_encoding":{"name":"default"},
		"codecs":[{"name":"bytes","configuration":{"endian":"big"}}]}`)}
	st, a := openCounted(t, objects, zarr.Options{})
	s := sharding{shape: []int{n, n}, levels: [][]int{{n, n}}}
	s.read(t, a, 10, 20, 0, n)
	if asked := st.take(); !slices.Equal(asked, []string{"c/0/0 bytes=40960-81919"}) {
		t.Errorf("ten rows: %q", asked)
	}
	s.read(t, a, 15, 30, 3, 900)
	s.read(t, a, 500, 501, 0, 1)
	if asked := st.take(); !slices.Equal(asked, []string{"c/0/0"}) {
		t.Errorf("more of it: %q", asked)
	}
	st, a = openCounted(t, objects, zarr.Options{})
	s.read(t, a, 100, 110, 500, 510)
	if asked := st.take(); !slices.Equal(asked, []string{"c/0/0 bytes=411600-448503"}) {
		t.Errorf("a piece of ten rows: %q", asked)
	}
	// A truncated chunk is detected if the missing part is requested.
	objects["c/0/0"] = chunk[:1000]
	_, a = openCounted(t, objects, zarr.Options{})
	if _, err := a.Read(t.Context(), []grid.Item{grid.At(5)}, zarr.ReadOptions{}); !errors.Is(err, codec.ErrTruncated) {
		t.Errorf("a chunk that was cut: %v", err)
	}
	delete(objects, "c/0/0")
	_, a = openCounted(t, objects, zarr.Options{})
	res, err := a.Read(t.Context(), []grid.Item{grid.At(5)}, zarr.ReadOptions{})
	if err != nil || res.Data[4] != 7 {
		t.Errorf("a chunk that is missing: %v", err)
	}
}

func TestCancelledReadsLeaveTheOthersAlone(t *testing.T) {
	s := sharding{shape: []int{100, 8}, levels: [][]int{{1, 8}}}
	st, a := openCounted(t, s.objects(), zarr.Options{})
	st.mu.Lock()
	st.gate = make(chan struct{})
	st.mu.Unlock()
	var wait, ended sync.WaitGroup
	for i := range 100 {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		group := &wait
		if i%10 != 0 {
			group = &ended
		}
		group.Go(func() {
			res, err := a.Read(ctx, []grid.Item{grid.At(int64(i / 2))}, zarr.ReadOptions{})
			switch {
			case i%10 == 0 && err != nil:
				t.Error(err)
			case i%10 == 0:
				if got := binary.LittleEndian.Uint32(res.Data); got != uint32(i/2*8) {
					t.Errorf("%d: %d", i, got)
				}
			case err == nil:
				t.Errorf("read %d was cancelled, and gave a result", i)
			}
		})
		if i%10 != 0 {
			cancel()
		}
	}
	ended.Wait() // before any answer is available
	close(st.gate)
	wait.Wait()
}

// tagged is a store of one object that changes.
type tagged struct {
	mu    sync.Mutex
	now   map[string][]byte
	tag   string
	after int // the number of reads of ranges before the change
	next  map[string][]byte
	again bool // and changes with every read from then on
}

func (s *tagged) Read(ctx context.Context, key string, ask store.Ask) (store.Extent, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ask.Range != nil {
		if s.after--; s.after < 0 && s.next != nil {
			s.now = s.next
			if s.tag += "'"; !s.again {
				s.next = nil
			}
		}
	}
	e, err := memstore.New(s.now).Read(ctx, key, ask)
	e.ETag = s.tag
	return e, err
}

func TestShardThatChangesIsReadAgain(t *testing.T) {
	old, now := big(), big()
	now.pad = 8
	now.without = func(p []int) bool { return p[1] == 64 }
	for after := range 5 {
		st := &tagged{now: old.objects(), next: now.objects(), tag: `"a"`, after: after}
		a := must.Get(hierarchy(st, zarr.Options{Requests: zarr.RequestOptions{Waste: -1, Gap: -1}}).OpenArray(t.Context(), ""))(t)
		if after < 4 {
			now.read(t, a, 0, 200, 0, 64)
		} else {
			old.read(t, a, 0, 130, 0, 64)
			now.read(t, a, 0, 200, 64, 128)
		}
	}
	st := &tagged{now: old.objects(), next: now.objects(), tag: `"a"`, after: 0, again: true}
	a := must.Get(hierarchy(st, zarr.Options{}).OpenArray(t.Context(), ""))(t)
	rows, _ := positions(0, 64)
	if _, err := a.Read(t.Context(), []grid.Item{rows, rows}, zarr.ReadOptions{}); err == nil || !strings.Contains(err.Error(), "changed") {
		t.Errorf("an object that changes again and again: %v", err)
	}
}

// tally is an output that counts the elements that it receives.
type tally struct{ n atomic.Int64 }

func (o *tally) add(shape []int) error {
	o.n.Add(int64(ndarray.Block{Shape: shape}.Len()))
	return nil
}

func (o *tally) Decode(_ *codec.Env, of codec.Job) error { return o.add(of.Shape) }

func (o *tally) Put(_ ndarray.Layout, _ ndarray.Block, _ ndarray.Layout, shape []int) error {
	return o.add(shape)
}

func (o *tally) Fill(_ ndarray.Layout, shape []int, _ []byte) error { return o.add(shape) }

// TestAnOutputReceivesEachElementOnce changes the object during a read. The read begins again with
// another output: one that skips zeros may rely on new memory.
func TestAnOutputReceivesEachElementOnce(t *testing.T) {
	old, now := big(), big()
	now.pad = 8
	outputs := 0
	for after := range 5 {
		st := &tagged{now: old.objects(), next: now.objects(), tag: `"a"`, after: after}
		a := must.Get(hierarchy(st, zarr.Options{Requests: zarr.RequestOptions{Waste: -1, Gap: -1}}).OpenArray(t.Context(), ""))(t)
		rows, _ := positions(0, 200)
		columns, _ := positions(0, 64)
		var to *tally
		must.Get(a.Read(t.Context(), []grid.Item{rows, columns}, zarr.ReadOptions{Output: func([]int, int, int) (zarr.Output, error) {
			outputs++
			to = &tally{}
			return to, nil
		}}))(t)
		if n := to.n.Load(); n != 200*64 {
			t.Errorf("after %d ranges: %d elements", after, n)
		}
	}
	if outputs <= 5 {
		t.Errorf("no read began again: %d outputs", outputs)
	}
}

func TestChunksOfShardsCount(t *testing.T) {
	s := big()
	_, a := openCounted(t, s.objects(), zarr.Options{Limits: codec.Limits{Chunks: 255}})
	if _, err := a.Read(t.Context(), nil, zarr.ReadOptions{}); err == nil || !strings.Contains(err.Error(), "Chunks") {
		t.Errorf("256 chunks in 4 shards: %v", err)
	}
}
