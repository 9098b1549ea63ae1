package zarr_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs/writing"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// cut is the division of a dimension into blocks, by their lengths: those of a list, or a repeated
// one.
type cut struct {
	list   []int64
	repeat int64
	inner  int64 // divides the length of an added block
}

// cover adds blocks until they cover a dimension, by zarr-python's rule.
func (c *cut) cover(n int64) {
	sum := int64(0)
	for _, length := range c.list {
		sum += length
	}
	for ; c.repeat > 0 && sum < n; sum += c.repeat {
		c.list = append(c.list, c.repeat)
	}
	if sum < n {
		c.list = append(c.list, (n-sum+c.inner-1)/c.inner*c.inner)
	}
}

// blocks returns the lengths of the blocks in a dimension, and their bounds.
func (c *cut) blocks(n int64) (lengths, bounds []int64) {
	at := int64(0)
	for _, length := range c.list {
		if at >= n {
			break
		}
		lengths, bounds = append(lengths, length), append(bounds, at)
		at += length
	}
	return lengths, append(bounds, n)
}

// irregular returns random edges of a dimension, of lengths that are multiples of inner, and their
// cut.
func (r random) irregular(n, inner int64) ([]grid.Run, cut) {
	c := cut{inner: inner}
	if r.IntN(4) == 0 {
		size := inner * (1 + r.length(3))
		c.repeat = size
		c.cover(n)
		return []grid.Run{{Size: size}}, c
	}
	var runs []grid.Run
	for sum := int64(0); sum < n || len(runs) == 0 || r.IntN(3) == 0; {
		run := grid.Run{Size: inner * (1 + r.length(3)), Count: 1 + r.length(2)}
		runs = append(runs, run)
		for range run.Count {
			c.list, sum = append(c.list, run.Size), sum+run.Size
		}
	}
	return runs, c
}

// cutUp gives a specification of version 3 a rectilinear grid, of chunks or of shards, and returns
// its cuts.
func (r random) cutUp(spec *zarr.ArraySpec) []cut {
	cuts, edges := make([]cut, len(spec.Shape)), make([][]grid.Run, len(spec.Shape))
	sharded := r.IntN(2) == 0
	for d, n := range spec.Shape {
		inner := int64(1)
		if sharded {
			inner = spec.Chunks[d]
		}
		edges[d], cuts[d] = r.irregular(n, inner)
	}
	spec.Shards, spec.ShardEdges, spec.ChunkEdges = nil, nil, nil
	if sharded {
		spec.ShardEdges = edges
	} else {
		spec.ChunkEdges, spec.Chunks = edges, nil
	}
	return cuts
}

// regularCuts returns the cuts of a regular grid.
func regularCuts(spec *zarr.ArraySpec) []cut {
	lengths := spec.Shards
	if lengths == nil {
		lengths = spec.Chunks
	}
	cuts := make([]cut, len(spec.Shape))
	for d, n := range spec.Shape {
		cuts[d] = cut{repeat: lengths[d]}
		cuts[d].cover(n)
	}
	return cuts
}

// blocks returns a random selection of blocks, and its positions along each dimension by
// zarr-python's rule.
func (c *writeCase) blocks(shape []int64) (items []grid.Item, picks [][]int64, out []int64) {
	for d, n := range shape {
		_, bounds := c.cuts[d].blocks(n)
		count := int64(len(bounds) - 1)
		item, first, stop := grid.All(), int64(0), count
		switch kind := c.IntN(3); {
		case kind == 0 && count > 0:
			first = int64(c.IntN(int(count)))
			stop = first + 1
			item = grid.At(first - int64(c.IntN(2))*count)
		case kind == 1:
			first = int64(c.IntN(int(count) + 1))
			stop = first + int64(c.IntN(int(count-first)+1))
			from, to := first, stop
			if from > 0 && from < count && c.IntN(2) == 0 {
				from -= count
			}
			if to == count {
				to += int64(c.IntN(3))
			} else if to > 0 && c.IntN(2) == 0 {
				to -= count
			}
			item = grid.Range(&from, &to, nil)
			if c.IntN(2) == 0 {
				one := int64(1)
				item.Step = &one
			}
		}
		var list []int64
		if first < stop {
			for at := bounds[first]; at < bounds[stop]; at++ {
				list = append(list, at)
			}
		}
		items, picks, out = append(items, item), append(picks, list), append(out, int64(len(list)))
	}
	return items, picks, out
}

// gridOf compares the grid of an array with the cuts, and a chunk with the model.
func (c *writeCase) gridOf(ctx context.Context, a *zarr.Array, m *model) error {
	want := "regular"
	if c.ChunkEdges != nil || c.ShardEdges != nil {
		want = "rectilinear"
	}
	if a.Grid.Kind() != want {
		return fmt.Errorf("a grid %s, want %s", a.Grid.Kind(), want)
	}
	coords, stored := make([]int64, len(a.Shape)), make([]int, len(a.Shape))
	starts := make([]int64, len(a.Shape))
	for d, n := range a.Shape {
		lengths, bounds := c.cuts[d].blocks(n)
		if got := a.Grid.Counts()[d]; got != int64(len(lengths)) {
			return fmt.Errorf("dimension %d has %d blocks, want %v", d, got, lengths)
		}
		if len(lengths) == 0 {
			return nil
		}
		k := c.IntN(len(lengths))
		coords[d], stored[d], starts[d] = int64(k), int(lengths[k]), bounds[k]
	}
	res, err := a.ReadChunk(ctx, coords, zarr.ReadOptions{})
	if err != nil {
		return err
	}
	if !slices.Equal(res.Shape, stored) {
		return fmt.Errorf("chunk %v has shape %v, want %v", coords, res.Shape, stored)
	}
	p := make([]int64, len(stored))
	for i := range res.Block.Len() {
		inside := true
		for d, rest := len(stored)-1, i; d >= 0; d-- {
			p[d], rest = starts[d]+int64(rest%stored[d]), rest/stored[d]
			inside = inside && p[d] < a.Shape[d]
		}
		want := string(a.Fill)
		if inside {
			want = m.elements[m.at(p)]
		}
		if got := element(res.Block, i); got != want {
			return fmt.Errorf("chunk %v: element %d is %q, want %q", coords, i, got, want)
		}
	}
	return nil
}

// copied copies the array into the same grid, into another one, and into version 2, and compares
// the elements.
func (c *writeCase) copied(ctx context.Context, a *zarr.Array, m *model) error {
	for _, how := range []string{"same", "regular", "rectilinear", "version 2"} {
		st := memstore.New(nil)
		to := zarr.New(st, writing.Codecs(), zarr.Options{})
		opt := zarr.CopyOptions{Format: 3}
		into := *c // the target's grid
		into.Shape = a.Shape
		switch how {
		case "same":
			opt.Format = 0
		case "regular":
			into.Chunks = make([]int64, len(a.Shape))
			for d := range a.Shape {
				into.Chunks[d] = 1 + c.length(4)
			}
			into.ChunkEdges, into.ShardEdges, into.Shards = nil, nil, nil
			into.cuts = regularCuts(&into.ArraySpec)
		case "rectilinear":
			if into.Chunks == nil {
				into.Chunks = slices.Repeat([]int64{2}, len(a.Shape))
			}
			into.cuts = c.cutUp(&into.ArraySpec)
		default:
			opt.Format = 2
		}
		if how == "regular" || how == "rectilinear" {
			opt.Array = func(_ string, spec *zarr.ArraySpec) {
				spec.Chunks, spec.Shards, spec.ShardEdges = into.Chunks, nil, into.ShardEdges
				if into.ChunkEdges != nil {
					spec.ChunkEdges = into.ChunkEdges
				}
			}
		}
		if how == "version 2" && strings.Contains(fmt.Sprint(c.Codecs), "crc32c") {
			continue // numcodecs has a different one
		}
		stats, err := zarr.Copy(ctx, a, to, "copy", opt)
		if err != nil || stats.Copied != 1 {
			return fmt.Errorf("%s: %+v, %w", how, stats, err)
		}
		b, err := to.OpenArray(ctx, "copy")
		if err == nil {
			err = m.check(ctx, b, zarr.New(st, writing.Codecs(), zarr.Options{}))
		}
		if err == nil && how != "version 2" {
			err = into.gridOf(ctx, b, m)
		}
		if err == nil && how == "same" {
			for d := range a.Shape {
				if !slices.Equal(a.Grid.Declared(d), b.Grid.Declared(d)) {
					err = fmt.Errorf("edges %v, want %v", b.Grid.Declared(d), a.Grid.Declared(d))
				}
			}
		}
		if err != nil {
			return fmt.Errorf("%s, %+v: %w", how, into.ArraySpec, err)
		}
	}
	return nil
}

// TestRectilinearIsRefusedByName tries invalid specifications of rectilinear grids, and unsupported
// operations on one.
func TestRectilinearIsRefusedByName(t *testing.T) {
	little := map[string]any{"name": "bytes", "configuration": map[string]any{"endian": "little"}}
	three := [][]grid.Run{{{Size: 3, Count: 2}, {Size: 4, Count: 1}}}
	for want, spec := range map[string]zarr.ArraySpec{
		"chunks: require a rectilinear grid, which only version 3 has": {Format: 2, ChunkEdges: three},
		"shards: exist in version 3 only":                              {Format: 2, ShardEdges: three},
		"cannot have a shape or shards":                                {ChunkEdges: three, Chunks: []int64{2}},
		"cannot have a shape or shards: 2":                             {ChunkEdges: three, ShardEdges: three},
		"shards: of a rectilinear grid cannot have a shape":            {Shards: []int64{10}, ShardEdges: three},
		"shards: of length 3 are not divided by chunks of [2]":         {Chunks: []int64{2}, ShardEdges: three},
		"the chunks cover 9 of 10 elements":                            {ChunkEdges: [][]grid.Run{{{Size: 3, Count: 3}}}},
		"0 chunks of length 3":                                         {ChunkEdges: [][]grid.Run{{{Size: 3, Count: 0}, {Size: 9, Count: 1}}}},
		"2 chunks of length -5":                                        {ChunkEdges: [][]grid.Run{{{Size: -5, Count: 2}}}},
		"edges of 2 dimensions":                                        {ChunkEdges: append(three, three...)},
		"chunk_shape does not divide": {ChunkEdges: three, Codecs: []zarr.Codec{{"sharding_indexed", map[string]any{
			"chunk_shape": []int{2}, "codecs": []any{little}, "index_codecs": []any{little, "crc32c"},
		}}}},
	} {
		st, h := writable(t)
		spec.Shape = []int64{10}
		_, err := h.Create(t.Context(), "a", spec)
		want, _, _ = strings.Cut(want, ": 2")
		if !errors.As(err, new(*zarr.InvalidMetadataError)) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
		if names, err := st.List(t.Context(), ""); err != nil || len(names) > 0 {
			t.Errorf("%s: %v was written, %v", want, names, err)
		}
	}
	st, h := writable(t)
	check := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	check(st.Set(t.Context(), "a/zarr.json", []byte(`{"zarr_format":3,"node_type":"array","shape":[5],"data_type":"uint8","fill_value":0,"codecs":["bytes"],
		"chunk_grid":{"name":"zarrs.regular_bounded","configuration":{"chunk_shape":[2]}},"chunk_key_encoding":{"name":"default"}}`)))
	a := must.Get(h.OpenArray(t.Context(), "a"))(t)
	_, err := a.Resize(t.Context(), 6)
	_, err2 := a.Append(t.Context(), []uint8{1}, 0, zarr.WriteOptions{})
	for _, err := range []error{err, err2} {
		if !errors.As(err, new(*zarr.UnsupportedError)) || !strings.Contains(err.Error(), "zarrs.regular_bounded") {
			t.Errorf("a grid whose last chunk would change its shape: %v", err)
		}
	}
}

// TestCopyWritesEachChunkOnce copies arrays larger than a box into grids of both kinds: boxes are
// whole chunks.
func TestCopyWritesEachChunkOnce(t *testing.T) {
	ctx := t.Context()
	_, src := writable(t)
	a := must.Get(src.Create(ctx, "", zarr.ArraySpec{Shape: []int64{5000, 3000}, Chunks: []int64{500, 700}, DType: "uint16", Codecs: quick, Fill: 1}))(t)
	want := make([]uint16, 5000*3000)
	for i := range want {
		want[i] = uint16(i*i) | 2
	}
	must.Do(t, a.Set(ctx, nil, want, zarr.WriteOptions{}))
	x := must.Get(a.Read(ctx, nil, zarr.ReadOptions{}))(t)
	for name, set := range map[string]func(spec *zarr.ArraySpec){
		"regular": func(spec *zarr.ArraySpec) { spec.Chunks = []int64{300, 1300} },
		"rectilinear": func(spec *zarr.ArraySpec) {
			spec.ChunkEdges = [][]grid.Run{{{Size: 700, Count: 2}, {Size: 1, Count: 3}, {Size: 333, Count: 30}}, {{Size: 1300}}}
		},
		"rectilinear shards": func(spec *zarr.ArraySpec) {
			spec.Chunks, spec.ShardEdges = []int64{100, 650}, [][]grid.Run{{{Size: 700, Count: 2}, {Size: 1200, Count: 30}}, {{Size: 1300, Count: 2}, {Size: 650, Count: 2}}}
		},
	} {
		st := &countingWrites{Store: memstore.New(nil), writes: map[string]int{}}
		dst := zarr.New(st, writing.Codecs(), zarr.Options{})
		calls := 0
		must.Get(zarr.Copy(ctx, a, dst, "copy", zarr.CopyOptions{
			Array:    func(_ string, spec *zarr.ArraySpec) { set(spec) },
			Progress: func(string, int64, int64) { calls++ },
		}))(t)
		b := must.Get(dst.OpenArray(ctx, "copy"))(t)
		if y := must.Get(b.Read(ctx, nil, zarr.ReadOptions{}))(t); !equalBlocks(x.Block, y.Block) {
			t.Errorf("%s: other elements", name)
		}
		total, _ := b.Grid.Total()
		chunks := 0
		for key, n := range st.writes {
			if strings.HasPrefix(key, "copy/c/") {
				if chunks++; n != 1 {
					t.Errorf("%s: %s was written %d times", name, key, n)
				}
			}
		}
		if int64(chunks) != total || calls < 2 {
			t.Errorf("%s: %d chunks were written of %d, in %d boxes", name, chunks, total, calls)
		}
	}
}

func equalBlocks(a, b ndarray.Block) bool {
	return slices.Equal(a.Shape, b.Shape) && slices.Equal(a.Data, b.Data)
}

// countingWrites counts how often each object is written.
type countingWrites struct {
	*memstore.Store
	mu     sync.Mutex
	writes map[string]int
}

func (s *countingWrites) Set(ctx context.Context, name string, data []byte) error {
	s.mu.Lock()
	s.writes[name]++
	s.mu.Unlock()
	return s.Store.Set(ctx, name, data)
}
