package dispatch

import (
	"context"
	"errors"
	"math"
	"runtime"

	"github.com/zarr-wasm/zarr-wasm/wasm/internal/wire"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

func (s *Session) read(ctx context.Context, msg wire.Object) (any, error) {
	a, err := s.array(msg)
	if err != nil {
		return nil, err
	}
	sel, err := selection(a.Path(), msg.List(wire.ReadSelection))
	if err != nil {
		return nil, err
	}
	return s.run(msg, a, func(opt zarr.ReadOptions) (*zarr.Result, error) { return a.Read(ctx, sel, opt) })
}

// run reads from an array with the options that all reading operations share.
func (s *Session) run(msg wire.Object, a *zarr.Array, read func(zarr.ReadOptions) (*zarr.Result, error)) (any, error) {
	generation := s.caches.Generation()
	opt := zarr.ReadOptions{Priority: msg.Int(wire.ReadPriority), View: msg.Text(wire.ReadView), Chunks: int64(msg.Int(wire.ReadChunks))}
	told := s.reportProgress(msg, &opt)
	var direct wire.Memory
	shared := msg.Flag(wire.ReadShared)
	opt.Output = func(shape []int, size, chunk int) (zarr.Output, error) {
		n := size
		for _, d := range shape {
			n *= d
		}
		// Partial results are copied from Go's memory.
		if chunk == 0 || opt.Partial != nil || !shared && (n < directOutput || chunk < directChunk) {
			return nil, nil
		}
		var err error
		if direct, err = s.memory(a.Path(), n, shared); err != nil {
			return nil, err
		}
		return s.helpers.Output(direct, size, shared), nil
	}
	var many *items
	opt.Items = func(shape []int) zarr.Output {
		if n := (ndarray.Block{Shape: shape}).Len(); n < manyItems || opt.Partial != nil {
			return nil
		}
		many = newItems(shape)
		return many
	}
	res, err := read(opt)
	if failed := told(); err == nil {
		err = failed
	}
	if err != nil {
		return nil, err
	}
	var answer wire.Object
	if direct != nil {
		answer = memoryBlock(res, direct)
	} else if many != nil {
		return many.answer(s, a.Path(), res)
	} else if answer, err = s.result(a, res, shared); err != nil {
		return nil, err
	}
	s.lend(&answer, res.Chunks, generation)
	return answer, nil
}

// block returns a read's answer without its elements: their shape and type.
func block(res *zarr.Result) wire.Object {
	var o wire.Object
	o.AddInts(wire.BlockShape, res.Shape)
	o.AddText(wire.BlockType, res.Type.Name)
	return o
}

// memoryBlock returns a block whose elements are in JavaScript's memory.
func memoryBlock(res *zarr.Result, m wire.Memory) wire.Object {
	o := block(res)
	o.AddMemory(wire.BlockBuffer, m)
	return o
}

// result returns a read's answer, in shared memory on request if elements have a fixed size.
func (s *Session) result(a *zarr.Array, res *zarr.Result, shared bool) (wire.Object, error) {
	if !shared || res.Type.Variable() {
		return result(res, s.cfg.Limits.OutputBytes)
	}
	m, err := s.memory(a.Path(), len(res.Data), true)
	if err != nil {
		return nil, err
	}
	m.Put(wire.Place{Run: len(res.Data)}, res.Data)
	return memoryBlock(res, m), nil
}

// sharedAtOnce is how many bytes of shared memory are allocated between garbage collections.
const sharedAtOnce = 128 << 20

// memory allocates JavaScript memory for a result.
func (s *Session) memory(path string, n int, shared bool) (wire.Memory, error) {
	if shared {
		// Unlike transferred memory, shared memory lives until all holders release it. Go does not
		// know its size, and releases it at a garbage collection.
		s.mu.Lock()
		s.shared += n
		full := s.shared > sharedAtOnce
		if full {
			s.shared = n
		}
		s.mu.Unlock()
		if full {
			runtime.GC()
		}
	}
	m, err := s.cfg.Memory(n, shared)
	if errors.Is(err, ErrNotIsolated) {
		return nil, &zarr.UnsupportedError{Path: path, Feature: "SharedArrayBuffer", Err: err}
	}
	if err != nil {
		return nil, &wire.EngineError{Msg: err.Error()}
	}
	return m, nil
}

// ErrNotIsolated reports a context without shared memory.
var ErrNotIsolated = errors.New("SharedArrayBuffer is unavailable: the page must send Cross-Origin-Opener-Policy and Cross-Origin-Embedder-Policy")

// A result of at least directOutput bytes in chunks of at least directChunk is assembled in
// JavaScript's memory. For smaller ones a copy is cheaper.
const (
	directOutput = 1 << 20
	directChunk  = 64 << 10
)

func (s *Session) chunk(ctx context.Context, msg wire.Object) (any, error) {
	a, err := s.array(msg)
	if err != nil {
		return nil, err
	}
	coords, err := wire.Integers(msg.List(wire.ChunkCoords))
	if err != nil {
		return nil, &zarr.InvalidSelectionError{Path: a.Path(), Err: err}
	}
	read := a.ReadChunk
	if a.InnerChunks() != nil {
		read = a.ReadInnerChunk
	}
	return s.run(msg, a, func(opt zarr.ReadOptions) (*zarr.Result, error) { return read(ctx, coords, opt) })
}

// result returns a read's answer: packed elements unchanged, and elements of variable length
// concatenated with n+1 offsets.
func result(res *zarr.Result, most int64) (wire.Object, error) {
	o := block(res)
	if !res.Type.Variable() {
		o.AddBuffer(wire.BlockBuffer, res.Data)
		return o, nil
	}
	total := 0
	for _, item := range res.Items {
		total += len(item)
	}
	if err := checkItems(res, most, total); err != nil {
		return nil, err
	}
	p := packed{data: make([]byte, 0, total), ends: make([]byte, 4, 4*len(res.Items)+4)}
	for _, item := range res.Items {
		p.add(item)
	}
	o.AddBuffer(wire.BlockBuffer, p.data)
	o.AddBuffer(wire.BlockOffsets, p.ends)
	if p.anyMissing {
		o.AddBuffer(wire.BlockMissing, p.missing)
	}
	return o, nil
}

// checkItems checks the limit of a result's total bytes of variable length.
func checkItems(res *zarr.Result, most int64, total int) error {
	costs := int64(total)
	if res.Type.Kind == dtype.Object {
		costs *= 8 // parsed JSON takes more memory than its text
	}
	return codec.CheckLimit("OutputBytes", min(most, math.MaxUint32), costs, "elements of variable length")
}

var errNotItem = errors.New("an entry is neither an integer, a slice, a list, a mask, \"...\" nor null")

// selection converts a message's selection to grid items.
func selection(path string, list []any) ([]grid.Item, error) {
	if list == nil {
		return nil, nil
	}
	items := make([]grid.Item, len(list))
	for i, v := range list {
		item, err := selectionItem(v)
		if err != nil {
			return nil, &zarr.InvalidSelectionError{Path: path, Err: err}
		}
		items[i] = item
	}
	return items, nil
}

func selectionItem(v any) (grid.Item, error) {
	switch v := v.(type) {
	case nil:
		return grid.All(), nil
	case float64, wire.BigInt:
		n, ok := wire.Integer(v)
		if !ok {
			return grid.Item{}, wire.ErrNotInteger
		}
		return grid.At(n), nil
	case string:
		if v == "..." {
			return grid.EllipsisItem(), nil
		}
	case []byte:
		mask := make([]bool, len(v))
		for i, b := range v {
			mask[i] = b != 0
		}
		return grid.MaskOf(mask), nil
	case wire.Object:
		if list, ok := wire.IndicesOf(v); ok {
			return grid.ListOf(list), nil
		}
		var bounds [3]*int64
		for i, name := range []wire.AnyName{wire.RangeStart, wire.RangeStop, wire.RangeStep} {
			if e := v.Any(name); e != nil {
				n, ok := wire.Integer(e)
				if !ok {
					return grid.Item{}, wire.ErrNotInteger
				}
				bounds[i] = &n
			}
		}
		return grid.Range(bounds[0], bounds[1], bounds[2]), nil
	}
	return grid.Item{}, errNotItem
}
