// Package rechunk copies arrays to such with other chunks, shards or codecs, within a bound of
// memory. It copies one array, or all nodes of a group.
//
//	series := func(_ string, s *zarr.ArraySpec) { s.Chunks = []int64{8760, 10, 10} }
//	r, err := rechunk.New(ctx, src, dst, "by/time", rechunk.Options{Array: series})
//	fmt.Println(r.Plans)
//	stats, err := r.Run(ctx)
//
// A copy has one pass if each of its boxes fits in memory without reading the source's chunks many
// times. Otherwise it has two, as in the Python package rechunker. The first pass reads boxes of
// whole source chunks, and writes them to a temporary array. The second one reads that in boxes of
// whole target chunks. A temporary chunk is the intersection of two such boxes, so both passes read
// and write every byte once. If chunks stay the same, their bytes are copied.
//
// The work is a job of package units: it continues after an interruption.
package rechunk

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/zarr-wasm/zarr-wasm/internal/boxshape"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/store/prefix"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs/writing"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/internal/boxes"
	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/units"
)

// Options control a copy.
type Options struct {
	units.Options
	// Format is the version of the copy, 2 or 3; 0 is that of the source.
	Format int
	// Array, if set, is called with the specification of each copied array and its path below the
	// source. It may change chunks, shards and codecs. Shape and type must stay.
	Array func(path string, spec *zarr.ArraySpec)
	// IfExists selects the behaviour when the target exists.
	IfExists zarr.IfExists
	// OnePass forbids a temporary array.
	OnePass bool
	// Source names the source in the identity of the job, such as its address.
	Source string
}

// Pass is one pass over all elements.
type Pass struct {
	// Name is "copy", "to temporary" or "from temporary".
	Name string `json:"name"`
	// Units is the number of units, and Box the shape of the elements of one.
	Units int64   `json:"units"`
	Box   []int64 `json:"box"`
	// Read and Written are the sizes of decoded elements in bytes. Chunks that are
	// read several times count as often.
	Read    int64 `json:"read"`
	Written int64 `json:"written"`
	// Memory is the most memory in bytes that one unit takes.
	Memory int64 `json:"memory"`
}

// Plan describes the copy of an array before it starts.
type Plan struct {
	// Path is the path of the array below the source.
	Path string `json:"path"`
	// Bytewise reports that chunks are copied as bytes.
	Bytewise bool   `json:"bytewise"`
	Passes   []Pass `json:"passes"`
	// Temporary is the size of the temporary array in bytes.
	Temporary int64 `json:"temporary"`
	// OnePassReads is how often one pass would read a source chunk on average.
	OnePassReads float64 `json:"one_pass_reads"`
}

// part is the copy of one array.
type part struct {
	Plan

	opt   Options
	src   *zarr.Array
	dst   *zarr.Draft
	store store.Locator
	temp  *temporary
	pool  *boxes.Pool
}

// folder is the name of the temporary array below the target.
const folder = ".zarr-temporary"

// mostReads is how often one pass may read a source chunk. Two passes read and write all elements
// once more.
const mostReads = 3

// newPart prepares the copy of an array to a path of a hierarchy, and returns its stages.
func newPart(ctx context.Context, src *zarr.Array, below string, dst *zarr.Hierarchy, path string, opt Options) (*part, []units.Stage, error) {
	r := &part{opt: opt, src: src, store: dst.Store(), pool: &boxes.Pool{}}
	spec := src.Spec(opt.Format)
	if opt.Array != nil {
		opt.Array(below, &spec)
	}
	if !slices.Equal(spec.Shape, src.Shape) {
		return nil, nil, &zarr.UnsupportedError{Path: path, Feature: "rechunking an array to one of another shape"}
	}
	var err error
	if r.dst, err = dst.Draft(ctx, path, spec); err != nil {
		return nil, nil, err
	}
	r.temp = &temporary{at: store.Join(r.dst.Path(), folder), of: r.dst.Array}
	stages, err := r.stages()
	r.Path = below
	return r, stages, err
}

// clear deletes the temporary array.
func (r *part) clear(ctx context.Context) error {
	if r.Temporary == 0 {
		return nil
	}
	return r.temp.remove(ctx, r.store)
}

// identity describes the copy.
func (r *part) identity() string {
	var b strings.Builder
	fmt.Fprintf(&b, "rechunk 2\n%s\n%s\n%+v\n", r.opt.Source, r.src.Path(), r.Plan)
	for _, n := range []zarr.Node{r.src, r.dst} {
		for _, d := range n.Metadata().Documents {
			fmt.Fprintf(&b, "%s %d %s\n", d.Name, len(d.Bytes), d.Bytes)
		}
	}
	return b.String()
}

// stages plans the passes.
func (r *part) stages() ([]units.Stage, error) {
	if r.src.Metadata().SameChunks(r.dst.Metadata()) {
		return []units.Stage{r.bytewise()}, nil
	}
	for workers := int64(r.opt.Workers); ; workers = (workers + 1) / 2 {
		stages := r.attempt(r.opt.Memory / workers)
		if stages != nil {
			return stages, nil
		}
		if workers == 1 {
			stage := r.direct(1, 1).stage
			return nil, &units.MemoryError{Stage: stage.Name, Need: stage.Memory, Max: r.opt.Memory}
		}
	}
}

// attempt plans the passes for units of that memory. It returns nil if there is not enough.
func (r *part) attempt(memory int64) []units.Stage {
	one := r.direct(memory, memory/12)
	if one.stage.Memory > memory {
		one = r.direct(memory, 1)
	}
	r.Plan = Plan{OnePassReads: one.reads, Passes: []Pass{one.Pass}}
	fits := one.stage.Memory <= memory
	if fits && (one.reads <= mostReads || r.opt.OnePass) {
		return []units.Stage{one.stage}
	}
	if !r.opt.OnePass && !r.src.Type.Variable() {
		if two := r.double(memory); two != nil {
			return two
		}
	}
	if fits {
		return []units.Stage{one.stage}
	}
	return nil
}

// enough is the number of elements of a box that need not be larger.
const enough = 8 << 20

// pass is a planned pass.
type pass struct {
	Pass
	stage units.Stage
	reads float64
}

// chunkBytes returns the size of the elements of one target chunk.
func chunkBytes(a *zarr.Array, shape []int64) int64 { return boxes.Bytes(shape, boxes.ItemBytes(a)) }

// most returns how many elements a box may have, given the memory of a unit and what is taken
// beyond the box.
func most(a *zarr.Array, memory, beyond int64) int64 {
	return max(1, (memory-beyond)/boxes.ItemBytes(a))
}

// direct plans a pass from the source to the target, which reads pieces of about room bytes.
func (r *part) direct(memory, room int64) pass {
	src, dst := r.src, r.dst.Array
	in := boxes.NewReader(src, room)
	in.Pool = r.pool
	beyond := add(in.Memory(), boxes.WriteMemory(dst))
	read := src.ChunkGrid().ChunkShapes()
	box := boxshape.Grow(dst.Grid.ChunkShapes(), read, src.Shape, most(dst, memory, beyond), enough)
	p := pass{reads: boxes.Times(box, read, src.Shape)}
	p.Pass = r.passOf("copy", box, beyond, p.reads)
	p.stage = stageOf(p.Pass, src.Shape, dst.Grid, func(ctx context.Context, b boxes.Box) error {
		return move(ctx, in, dst, b)
	})
	p.Units = p.stage.Count
	return p
}

func add(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

func (r *part) passOf(name string, box []int64, beyond int64, reads float64) Pass {
	all := boxes.Bytes(r.src.Shape, boxes.ItemBytes(r.src))
	held := boxes.Bytes(boxes.Clip(box, r.src.Shape), boxes.ItemBytes(r.src))
	return Pass{Name: name, Box: boxes.Clip(box, r.src.Shape), Read: int64(float64(all) * reads), Written: all, Memory: add(held, beyond)}
}

// move copies a box.
func move(ctx context.Context, from *boxes.Reader, to *zarr.Array, b boxes.Box) error {
	release, err := units.Hold(ctx, boxes.Bytes(lengths(b), boxes.ItemBytes(to)))
	if err != nil {
		return err
	}
	defer release()
	block, err := from.Read(ctx, b)
	if err != nil {
		return err
	}
	defer from.Pool.Give(block)
	return boxes.Write(ctx, to, b, block)
}

func lengths(b boxes.Box) []int64 {
	n := make([]int64, len(b.Lo))
	for d := range n {
		n[d] = b.Hi[d] - b.Lo[d]
	}
	return n
}

// stageOf returns the stage that calls f for the boxes of a pass. If the grid is rectilinear, boxes
// end at its edges.
func stageOf(p Pass, shape []int64, g *grid.Grid, f func(context.Context, boxes.Box) error) units.Stage {
	cuts := make([]cuts, len(shape))
	count := int64(1)
	for d := range shape {
		cuts[d] = cutsOf(g, d, p.Box[d], shape[d])
		count *= cuts[d].count()
	}
	return units.Stage{Name: p.Name, Count: count, Bytes: p.Read, Memory: p.Memory, Run: func(ctx context.Context, unit int64) error {
		b := boxes.Box{Lo: make([]int64, len(cuts)), Hi: make([]int64, len(cuts))}
		for d := len(cuts) - 1; d >= 0; d-- {
			n := cuts[d].count()
			b.Lo[d], b.Hi[d] = cuts[d].at(unit % n)
			unit /= n
		}
		return f(ctx, b)
	}}
}

// double plans two passes through a temporary array. It returns nil if there is not enough memory,
// or no version 3 of the type.
func (r *part) double(memory int64) []units.Stage {
	src, dst := r.src, r.dst.Array
	item := boxes.ItemBytes(src)
	in := boxes.NewReader(src, memory/12)
	in.Pool = r.pool
	from, to := src.ChunkGrid().ChunkShapes(), dst.Grid.ChunkShapes()
	for room := memory; room > 0; room -= memory / 8 {
		first := boxshape.Grow(from, to, src.Shape, max(1, (room-in.Memory())/item), enough)
		second := boxshape.Grow(to, first, src.Shape, max(1, (room-boxes.WriteMemory(dst))/item), enough)
		shared := make([]int64, len(first))
		for d := range shared {
			shared[d] = min(first[d], second[d])
		}
		// A temporary chunk is not compressed: it is in memory with its copy and its bytes.
		through := boxes.Sum(boxes.Bytes(boxes.Clip(shared, src.Shape), item), 4)
		a := r.passOf("to temporary", first, add(in.Memory(), through), boxes.Times(first, from, src.Shape))
		b := r.passOf("from temporary", second, add(through, boxes.WriteMemory(dst)), 1)
		if max(a.Memory, b.Memory) > memory {
			continue
		}
		if err := r.temp.plan(src, first, second, dst.Grid); err != nil {
			return nil
		}
		one := stageOf(a, src.Shape, src.ChunkGrid(), func(ctx context.Context, b boxes.Box) error {
			t, err := r.temp.open(ctx, r.store)
			if err != nil {
				return err
			}
			return move(ctx, in, t, b)
		})
		two := stageOf(b, src.Shape, dst.Grid, func(ctx context.Context, b boxes.Box) error {
			t, err := r.temp.open(ctx, r.store)
			if err != nil {
				return err
			}
			return move(ctx, &boxes.Reader{Array: t, Pool: r.pool}, dst, b)
		})
		a.Units, b.Units = one.Count, two.Count
		r.Passes, r.Temporary = []Pass{a, b}, boxes.Bytes(src.Shape, item)
		return []units.Stage{one, two}
	}
	return nil
}

// temporary is the array between two passes. It has no documents.
type temporary struct {
	at   string
	of   *zarr.Array // the target
	spec zarr.ArraySpec

	once  sync.Once
	array *zarr.Array
	err   error
}

// plan makes the specification of the array. Its chunks end where a box of either pass ends.
func (t *temporary) plan(src *zarr.Array, first, second []int64, target *grid.Grid) error {
	t.spec = zarr.ArraySpec{Format: 3, Shape: src.Shape, Type: src.Type, Codecs: []zarr.Codec{}, ChunkEdges: [][]grid.Run{}}
	for d, n := range src.Shape {
		t.spec.ChunkEdges = append(t.spec.ChunkEdges, merged(cutsOf(src.ChunkGrid(), d, first[d], n), cutsOf(target, d, second[d], n)))
	}
	_, err := zarr.New(memstore.New(nil), writing.Codecs(), zarr.Options{}).Draft(context.Background(), "", t.spec)
	return err
}

// open returns the array. Both passes use it.
func (t *temporary) open(ctx context.Context, st store.Locator) (*zarr.Array, error) {
	t.once.Do(func() {
		t.array, t.err = t.draft(context.WithoutCancel(ctx), st)
	})
	return t.array, t.err
}

func (t *temporary) draft(ctx context.Context, st store.Locator) (*zarr.Array, error) {
	in, err := prefix.New(st, t.at)
	if err != nil {
		return nil, err
	}
	h := zarr.Over(in, writing.Codecs(), zarr.Options{Cache: zarr.CacheOptions{Indexes: -1, Encoded: -1, Decoded: -1}})
	d, err := h.Draft(ctx, "", t.spec)
	if err != nil {
		return nil, err
	}
	return d.Array, nil
}

// remove deletes the chunks of the array. A store that cannot list deletes them one by one.
func (t *temporary) remove(ctx context.Context, st store.Locator) error {
	can := store.CapabilitiesOf(st)
	if err := can.DeleteAll(ctx, t.at); err == nil || ctx.Err() != nil {
		return err
	}
	a, err := t.open(ctx, st)
	if err != nil {
		return err
	}
	whole := boxes.Box{Lo: make([]int64, len(a.Shape)), Hi: a.Shape}
	return boxes.Chunks(a.Grid, whole, func(b boxes.Box) error {
		coords := make([]int64, len(a.Shape))
		for d := range coords {
			coords[d] = a.Grid.Find(d, b.Lo[d])
		}
		return can.Delete(ctx, store.Join(t.at, a.Keys.Key(coords)))
	})
}

// groupBytes is the size of the elements whose chunks are copied as bytes by one unit.
const groupBytes = 8 << 20

// copiesAtOnce is the number of units that copy chunks as bytes at the same time.
const copiesAtOnce = 16

// bytewise plans the copy of chunks as bytes.
func (r *part) bytewise() units.Stage {
	src, dst := r.src, r.dst.Array
	size := chunkBytes(src, src.Grid.ChunkShapes())
	group := max(1, groupBytes/max(1, size))
	counts, total := src.Grid.Counts(), int64(1)
	for _, n := range counts {
		total *= n
	}
	all := boxes.Bytes(src.Shape, boxes.ItemBytes(src))
	p := Pass{Name: "copy", Units: (total + group - 1) / group, Box: src.Grid.ChunkShapes(), Read: all, Written: all, Memory: boxes.Sum(size, 2)}
	r.Plan = Plan{Bytewise: true, Passes: []Pass{p}, OnePassReads: 1}
	return units.Stage{Name: p.Name, Count: p.Units, Bytes: all, Memory: p.Memory, AtOnce: copiesAtOnce, Run: func(ctx context.Context, unit int64) error {
		release, err := units.Hold(ctx, p.Memory)
		if err != nil {
			return err
		}
		defer release()
		for n := unit * group; n < min((unit+1)*group, total); n++ {
			coords, rest := make([]int64, len(counts)), n
			for d := len(counts) - 1; d >= 0; d-- {
				coords[d], rest = rest%counts[d], rest/counts[d]
			}
			if err := zarr.CopyChunk(ctx, src, dst, coords); err != nil {
				return err
			}
		}
		return nil
	}}
}
