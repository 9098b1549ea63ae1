package dispatch

import (
	"math"
	"slices"
	"sync"

	"github.com/zarr-wasm/zarr-wasm/internal/kernel"
	"github.com/zarr-wasm/zarr-wasm/wasm/internal/wire"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

const (
	// manyItems is the least number of elements of variable length for which a result is an items.
	manyItems = 1 << 16
	// packedItems is the number of elements that are packed at once.
	packedItems = 1 << 14
	// missing stands for the length of a missing element.
	missing = math.MaxUint32
)

// items is a result of many elements of variable length. It copies their bytes and has no pointer
// for each, because each garbage collection would follow them all.
type items struct {
	mu sync.Mutex
	// For each element, the start of its bytes in all runs, and 1<<32 times their number.
	places ndarray.Block
	runs   []itemRun
	size   int // of all runs
}

// itemRun is the bytes of some elements, and the number of bytes in the runs before.
type itemRun struct {
	start int
	bytes []byte
}

func newItems(shape []int) *items { return &items{places: ndarray.New(shape, 8, false)} }

// Decode implements zarr.Output. Reads decode elements of variable length themselves.
func (*items) Decode(*codec.Env, codec.Job) error { return ndarray.ErrShape }

// Put implements zarr.Output.
func (o *items) Put(out ndarray.Layout, src ndarray.Block, in ndarray.Layout, shape []int) error {
	dense := ndarray.Layout{Strides: ndarray.Strides(shape)}
	places := ndarray.New(shape, 8, false)
	n := len(places.Data) / 8
	if n != len(src.Items) || in.Offset != 0 || in.Lists != nil || !slices.Equal(in.Strides, dense.Strides) {
		list := ndarray.New(shape, 0, true)
		if err := ndarray.Copy(list, dense, src, in, shape); err != nil {
			return err
		}
		src = list
	}
	total := 0
	for _, item := range src.Items {
		total += len(item)
	}
	run := make([]byte, total)
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := codec.CheckLimit("OutputBytes", math.MaxUint32, int64(o.size+total), "elements of variable length"); err != nil {
		return err
	}
	at := 0
	for i, item := range src.Items {
		size := len(item)
		if item == nil {
			size = missing
		}
		kernel.Store64(places.Data, 8*i, uint64(o.size+at)|uint64(size)<<32)
		at += copy(run[at:], item)
	}
	o.add(run)
	return ndarray.Copy(o.places, out, places, dense, shape)
}

// add appends a run.
func (o *items) add(run []byte) {
	if len(run) > 0 {
		o.runs = append(o.runs, itemRun{o.size, run})
		o.size += len(run)
	}
}

// Fill implements zarr.Output. All elements share the bytes of one.
func (o *items) Fill(out ndarray.Layout, shape []int, value []byte) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	var place [8]byte
	size := len(value)
	if value == nil {
		size = missing
	}
	kernel.Store64(place[:], 0, uint64(o.size)|uint64(size)<<32)
	o.add(value)
	return ndarray.Fill(o.places, out, shape, place[:])
}

// run returns the run with that byte.
func (o *items) run(start int) itemRun {
	low, high := 0, len(o.runs)
	for high-low > 1 {
		if mid := (low + high) / 2; o.runs[mid].start <= start {
			low = mid
		} else {
			high = mid
		}
	}
	return o.runs[low]
}

// answer returns the read's answer, in JavaScript's memory.
func (o *items) answer(s *Session, path string, res *zarr.Result) (wire.Object, error) {
	n := len(o.places.Data) / 8
	total := 0
	for i := range n {
		if size := int(kernel.Load64(o.places.Data, 8*i) >> 32); size != missing {
			total += size
		}
	}
	if err := checkItems(res, s.cfg.Limits.OutputBytes, total); err != nil {
		return nil, err
	}
	var memories [3]wire.Memory
	for i, size := range []int{total, 4*n + 4, n} {
		var err error
		if memories[i], err = s.memory(path, size, false); err != nil {
			return nil, err
		}
	}
	p, none := packed{}, []byte{}
	put := func(m wire.Memory, end int, b []byte) {
		m.Put(wire.Place{Offset: end - len(b), Run: len(b)}, b)
	}
	var run itemRun
	for i := range n {
		place := kernel.Load64(o.places.Data, 8*i)
		start, size := int(place&math.MaxUint32), int(place>>32)
		var item []byte
		if size == 0 {
			item = none
		} else if size != missing {
			if at := start - run.start; at < 0 || at >= len(run.bytes) {
				run = o.run(start)
			}
			item = run.bytes[start-run.start:][:size]
		}
		p.add(item)
		if len(p.missing) == packedItems || i == n-1 {
			put(memories[0], p.end, p.data)
			put(memories[1], 4*i+8, p.ends)
			put(memories[2], i+1, p.missing)
			p.data, p.ends, p.missing = p.data[:0], p.ends[:0], p.missing[:0]
		}
	}
	answer := block(res)
	answer.AddMemory(wire.BlockBuffer, memories[0])
	answer.AddMemory(wire.BlockOffsets, memories[1])
	if p.anyMissing {
		answer.AddMemory(wire.BlockMissing, memories[2])
	}
	return answer, nil
}

// packed is elements of variable length in the form of an answer.
type packed struct {
	data, ends, missing []byte
	end                 int // of the last element
	anyMissing          bool
}

func (p *packed) add(item []byte) {
	gone := byte(0)
	if item == nil {
		gone, p.anyMissing = 1, true
	}
	p.missing = append(p.missing, gone)
	p.data = append(p.data, item...)
	p.end += len(item)
	p.ends = append(p.ends, byte(p.end), byte(p.end>>8), byte(p.end>>16), byte(p.end>>24))
}
