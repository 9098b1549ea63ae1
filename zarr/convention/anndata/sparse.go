package anndata

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/zarr-wasm/zarr-wasm/internal/guard"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

const (
	// mostBytes is what a dense result may take: as much as a read of an array, unless its hierarchy's limits say otherwise.
	mostBytes = 1 << 30
	// pointerBytes is what is known of where the elements of a row are.
	pointerBytes = 16
	// pieceLength is how many elements are looked through at a time, where most of them are not wanted.
	pieceLength = 1 << 22
	// piecesAhead is how many pieces are read at once.
	piecesAhead = 4
)

// How a sparse matrix is compressed.
const (
	CSR = "csr_matrix" // by its rows
	CSC = "csc_matrix" // by its columns
)

// Matrix is a matrix: a *zarr.Array, or a *SparseMatrix. What Read of either returns is dense.
type Matrix interface {
	Path() string
	DType() *dtype.Type
	Read(ctx context.Context, sel []grid.Item, opt zarr.ReadOptions) (*zarr.Result, error)
}

// SparseBlock is a sparse matrix in memory, as scipy's csr_matrix and csc_matrix.
type SparseBlock struct {
	// Kind tells whether Indptr counts rows (CSR) or columns (CSC).
	Kind string
	// Shape is rows and columns.
	Shape [2]int64
	// Type is the type of the elements.
	Type *dtype.Type
	// Data has the elements that are stored, packed and little-endian, row by row or column by column.
	Data []byte
	// Indices has the column of each element, of CSC the row. They are in the order in which they are stored, which need
	// not be ascending.
	Indices []int64
	// Indptr tells where elements are: row i (of CSC: column i) has those from Indptr[i] to before Indptr[i+1].
	Indptr []int64
}

// SparseMatrix is a sparse matrix: AnnData's file format, section "Sparse arrays". What it has is known from metadata.
// To select rows of CSR, or columns of CSC, is cheap: their part of indptr is read, then their parts of data and
// indices, what lies in neighbouring chunks at once. To select columns of CSR, or rows of CSC, looks through every
// element of the rows, or columns, that are selected.
type SparseMatrix struct {
	// Kind is CSR or CSC.
	Kind string
	// Group is the matrix's group.
	Group *zarr.Group
	// Shape is rows and columns.
	Shape [2]int64
	// Data, Indices and Indptr are the arrays of the elements that are stored, of their columns (of CSC: rows), and of where each
	// row (of CSC: column) begins in the other two.
	Data, Indices, Indptr *zarr.Array
}

// Path is the path of the matrix's group.
func (m *SparseMatrix) Path() string { return m.Group.Path() }

// DType is the type of the elements.
func (m *SparseMatrix) DType() *dtype.Type { return m.Data.DType() }

// NNZ is how many elements are stored.
func (m *SparseMatrix) NNZ() int64 { return m.Data.Shape[0] }

// major is the dimension that the matrix is compressed along, and minor the other.
func (m *SparseMatrix) dims() (major, minor int) {
	if m.Kind == CSC {
		return 1, 0
	}
	return 0, 1
}

func (m *SparseMatrix) String() string {
	return fmt.Sprintf("<SparseMatrix /%s %s shape=(%d, %d) dtype=%s nnz=%d>", m.Path(), m.Kind, m.Shape[0], m.Shape[1], m.DType().Name, m.NNZ())
}

// Read reads a selection into a dense block, as Read of an array does. What is not stored is 0, and what is stored more
// than once is added up, as scipy has it.
//
// Errors are those of reads of arrays; a *zarr.LimitError where the result would take more than 1 GiB; and a
// *zarr.CodecPipelineError where indptr or indices are not what they have to be.
func (m *SparseMatrix) Read(ctx context.Context, sel []grid.Item, opt zarr.ReadOptions) (*zarr.Result, error) {
	axes, err := m.resolve(sel)
	if err != nil {
		return nil, err
	}
	rows, columns := axes[0], axes[1]
	t := m.DType()
	if columns.Count > 0 && rows.Count > mostBytes/columns.Count/int64(t.Size) {
		return nil, m.tooLarge(fmt.Sprintf("a dense result of %d × %d elements", rows.Count, columns.Count))
	}
	block, err := m.read(ctx, axes, opt)
	if err != nil {
		return nil, err
	}
	var shape []int
	for _, n := range grid.OutShape(axes) {
		shape = append(shape, int(n))
	}
	out := ndarray.New([]int{int(rows.Count * columns.Count)}, t.Size, false)
	out.Shape = shape
	outer, inner := columns.Count, int64(1)
	if m.Kind == CSC {
		outer, inner = 1, columns.Count
	}
	size := int64(t.Size)
	for i := range int64(len(block.Indptr) - 1) {
		for k := block.Indptr[i]; k < block.Indptr[i+1]; k++ {
			at := (i*outer + block.Indices[k]*inner) * size
			add(t, out.Data[at:at+size], block.Data[k*size:][:size])
		}
	}
	return &zarr.Result{Block: out, Type: t}, nil
}

// ReadSparse reads a selection and leaves it sparse, of the same kind. An index is taken as a list of itself. An element that a
// list selects several times is there as often. Errors are those of [SparseMatrix.Read].
func (m *SparseMatrix) ReadSparse(ctx context.Context, sel []grid.Item, opt zarr.ReadOptions) (*SparseBlock, error) {
	axes, err := m.resolve(sel)
	if err != nil {
		return nil, err
	}
	return m.read(ctx, axes, opt)
}

// tooLarge is the error for what would take more memory than a result may.
func (m *SparseMatrix) tooLarge(what string) error {
	return &zarr.LimitError{Limit: "OutputBytes", Max: mostBytes, What: what + " of /" + m.Path()}
}

func (m *SparseMatrix) resolve(sel []grid.Item) ([]grid.Axis, error) {
	axes, err := grid.Resolve(sel, m.Shape[:])
	if err != nil {
		return nil, &zarr.InvalidSelectionError{Path: m.Path(), Err: err}
	}
	return axes, nil
}

func (m *SparseMatrix) read(ctx context.Context, axes []grid.Axis, opt zarr.ReadOptions) (*SparseBlock, error) {
	each, err := sharing(m.Path(), opt)
	if err != nil {
		return nil, err
	}
	major, minor := m.dims()
	taken := ascending(axes[major])
	at, err := m.extents(ctx, taken, each)
	if err != nil {
		return nil, err
	}
	find := finder(axes[minor], m.Shape[minor])
	most := int64(pieceLength)
	if find == nil && at.oneRun() {
		most = 1 << 62
	}
	pieces := at.pieces(m.Data.ChunkGrid().ChunkShapes()[0], most)
	parts := make([]part, len(pieces))
	all, ctx := guard.NewGroup(ctx)
	var mu sync.Mutex
	n, bytes := 0, 0
	for range min(piecesAhead, len(pieces)) {
		all.Go(func() error {
			for {
				mu.Lock()
				i := n
				n++
				mu.Unlock()
				if i >= len(pieces) {
					return nil
				}
				p, err := m.part(ctx, pieces[i], at, find, each)
				if err != nil {
					return err
				}
				parts[i] = p
				mu.Lock()
				bytes += len(p.data)
				large := bytes > mostBytes
				mu.Unlock()
				if large {
					return m.tooLarge("a sparse result")
				}
			}
		})
	}
	if err := all.Wait(); err != nil {
		return nil, err
	}
	block := joined(parts, len(at.from))
	if !block.gather(axes[major], taken, axes[minor], int64(m.DType().Size)) {
		return nil, m.tooLarge("elements that are selected several times")
	}
	block.Kind, block.Type = m.Kind, m.DType()
	block.Shape = [2]int64{axes[0].Count, axes[1].Count}
	return block, nil
}

// extents are where the elements of each row are: from, and to before.
type extents struct{ from, to []int64 }

// extents reads where the elements of rows (of CSC: columns) are, which are ascending.
func (m *SparseMatrix) extents(ctx context.Context, taken grid.Axis, each func() zarr.ReadOptions) (*extents, error) {
	if taken.Count > mostBytes/pointerBytes {
		return nil, m.tooLarge("where the elements are of " + strconv.FormatInt(taken.Count, 10) + " rows or columns")
	}
	at := &extents{make([]int64, taken.Count), make([]int64, taken.Count)}
	if taken.Count == 0 {
		return at, nil
	}
	first := taken.At(0)
	length := taken.At(taken.Count-1) - first + 2
	item := grid.Range(&first, new(first+length), nil)
	place := func(i int64) int64 { return i - first }
	if length > 4*taken.Count+1024 {
		var wanted []int64
		places := map[int64]int64{}
		for i := range taken.Count {
			for _, index := range []int64{taken.At(i), taken.At(i) + 1} {
				if _, known := places[index]; !known {
					places[index] = int64(len(wanted))
					wanted = append(wanted, index)
				}
			}
		}
		item = grid.ListOf(wanted)
		place = func(i int64) int64 { return places[i] }
	}
	res, err := m.Indptr.Read(ctx, []grid.Item{item}, each())
	if err != nil {
		return nil, err
	}
	pointers := integers(res)
	before := int64(0)
	for i, pointer := range pointers {
		switch {
		case pointer < before:
			return nil, damaged(m.Indptr, m.Kind, fmt.Sprintf("%d cannot be where elements begin: it follows %d", pointer, before))
		case pointer > m.NNZ():
			return nil, damaged(m.Indptr, m.Kind, fmt.Sprintf("%d cannot be where elements begin: there are %d", pointer, m.NNZ()))
		case i == 0 && first == 0 && pointer != 0:
			return nil, damaged(m.Indptr, m.Kind, fmt.Sprintf("it begins with %d, not 0", pointer))
		}
		before = pointer
	}
	for i := range taken.Count {
		k := place(taken.At(i))
		at.from[i], at.to[i] = pointers[k], pointers[k+1]
	}
	return at, nil
}

// oneRun tells whether the elements lie one after the other.
func (e *extents) oneRun() bool {
	for i := 1; i < len(e.from); i++ {
		if e.to[i-1] != e.from[i] {
			return false
		}
	}
	return true
}

// piece is elements that are read at once, of the rows from the first to the last.
type piece struct {
	from, to    int64
	first, last int
}

// pieces cuts elements into what is read at once. What lies in one chunk of the array, or in the next, is read together.
func (e *extents) pieces(chunk, most int64) []piece {
	var list []piece
	for i := range e.from {
		for start, end := e.from[i], e.to[i]; start < end; {
			last := len(list) - 1
			if last < 0 || start/chunk-(list[last].to-1)/chunk > 1 || list[last].to-list[last].from >= most {
				list = append(list, piece{start, start, i, i})
				last++
			}
			p := &list[last]
			// A piece ends where a chunk does.
			limit := max((p.from+most+chunk-1)/chunk*chunk, start+1)
			p.to, p.last = min(end, limit), i
			start = p.to
		}
	}
	return list
}

// part is what is wanted of a piece: how many elements of each of its rows, and what they are.
type part struct {
	first   int
	counts  []int64
	indices []int64
	data    []byte
}

// part reads a piece, and leaves of it what is wanted.
func (m *SparseMatrix) part(ctx context.Context, p piece, at *extents, find func(int64) int64, each func() zarr.ReadOptions) (part, error) {
	sel := []grid.Item{grid.Range(&p.from, &p.to, nil)}
	var data, stored *zarr.Result
	both, ctx := guard.NewGroup(ctx)
	read := func(a *zarr.Array, to **zarr.Result) func() error {
		return func() (err error) {
			*to, err = a.Read(ctx, sel, each())
			return err
		}
	}
	both.Go(read(m.Data, &data))
	both.Go(read(m.Indices, &stored))
	if err := both.Wait(); err != nil {
		return part{}, err
	}
	_, minor := m.dims()
	length := m.Shape[minor]
	size := int64(m.DType().Size)
	out := part{first: p.first, counts: make([]int64, p.last-p.first+1), data: data.Data}
	indices := integers(stored)
	kept := make([]int64, 0, len(indices))
	for i := p.first; i <= p.last; i++ {
		before := len(kept)
		for k := max(at.from[i], p.from) - p.from; k < min(at.to[i], p.to)-p.from; k++ {
			index := indices[k]
			if index < 0 || index >= length {
				return part{}, damaged(m.Indices, m.Kind, fmt.Sprintf("index %d is outside a dimension of %d", index, length))
			}
			if find != nil {
				if index = find(index); index < 0 {
					continue
				}
			}
			// What is left never reaches what is still to be looked at.
			indices[len(kept)] = index
			kept = append(kept, k)
		}
		out.counts[i-p.first] = int64(len(kept) - before)
	}
	if len(kept) < len(indices) {
		out.data = make([]byte, 0, int64(len(kept))*size)
		for _, k := range kept {
			out.data = append(out.data, data.Data[k*size:][:size]...)
		}
	}
	out.indices = indices[:len(kept)]
	return out, nil
}

// ascending is what is taken of a dimension, each index once, in ascending order.
func ascending(a grid.Axis) grid.Axis {
	switch {
	case a.List != nil:
		list := slices.Clone(a.List)
		slices.Sort(list)
		list = slices.Compact(list)
		return grid.Axis{List: list, Count: int64(len(list))}
	case a.Step < 0 && a.Count > 0:
		return grid.Axis{Start: a.At(a.Count - 1), Step: -a.Step, Count: a.Count}
	case a.Step == 0:
		return grid.Axis{Start: a.Start, Step: 1, Count: min(a.Count, 1)}
	}
	return a
}

// finder finds where indices are in what is taken of a dimension, first of all, or -1. It is nil where all of it is taken.
func finder(a grid.Axis, length int64) func(int64) int64 {
	if a.List == nil && a.Step != 0 {
		if a.Count == length && a.Step == 1 {
			return nil
		}
		return func(index int64) int64 {
			rank := (index - a.Start) / a.Step
			if rank < 0 || rank >= a.Count || a.At(rank) != index {
				return -1
			}
			return rank
		}
	}
	ranks := map[int64]int64{}
	for rank := range a.Count {
		if _, known := ranks[a.At(rank)]; !known {
			ranks[a.At(rank)] = rank
		}
	}
	return func(index int64) int64 {
		if rank, ok := ranks[index]; ok {
			return rank
		}
		return -1
	}
}

// joined puts parts one after the other.
func joined(parts []part, rows int) *SparseBlock {
	block := &SparseBlock{Indptr: make([]int64, rows+1), Data: []byte{}, Indices: []int64{}}
	for _, p := range parts {
		for i, count := range p.counts {
			block.Indptr[p.first+i+1] += count
		}
		if len(parts) == 1 {
			block.Data, block.Indices = p.data, p.indices
			continue
		}
		block.Data = append(block.Data, p.data...)
		block.Indices = append(block.Indices, p.indices...)
	}
	for i := range rows {
		block.Indptr[i+1] += block.Indptr[i]
	}
	return block
}

// gather brings what is ascending and there once into the order, and as often, as it was selected. It is false where that would take
// more memory than a result may.
func (b *SparseBlock) gather(major, taken, minor grid.Axis, size int64) bool {
	again := map[int64][]int64{}
	if minor.List != nil || minor.Step == 0 {
		first := map[int64]int64{}
		for rank := range minor.Count {
			known, twice := first[minor.At(rank)]
			if !twice {
				first[minor.At(rank)] = rank
				continue
			}
			if again[known] == nil {
				again[known] = []int64{known}
			}
			again[known] = append(again[known], rank)
		}
	}
	same := len(again) == 0 && major.Count == taken.Count
	for i := int64(0); same && i < major.Count; i++ {
		same = major.At(i) == taken.At(i)
	}
	if same {
		return true
	}
	places := map[int64]int64{}
	for i := range taken.Count {
		places[taken.At(i)] = i
	}
	total := int64(0)
	indptr := make([]int64, major.Count+1)
	for i := range major.Count {
		row := places[major.At(i)]
		total += b.Indptr[row+1] - b.Indptr[row]
		for k := b.Indptr[row]; len(again) > 0 && k < b.Indptr[row+1]; k++ {
			total += int64(max(len(again[b.Indices[k]]), 1) - 1)
		}
		if total > mostBytes/size {
			return false
		}
		indptr[i+1] = total
	}
	out := SparseBlock{Indptr: indptr, Data: make([]byte, 0, total*size), Indices: make([]int64, 0, total)}
	for i := range major.Count {
		row := places[major.At(i)]
		for k := b.Indptr[row]; k < b.Indptr[row+1]; k++ {
			ranks := again[b.Indices[k]]
			if ranks == nil {
				ranks = []int64{b.Indices[k]}
			}
			for _, rank := range ranks {
				out.Indices = append(out.Indices, rank)
				out.Data = append(out.Data, b.Data[k*size:][:size]...)
			}
		}
	}
	*b = out
	return true
}

// openSparse opens a sparse matrix, also one of the older form with h5sparse_format.
func openSparse(ctx context.Context, g *zarr.Group) (*SparseMatrix, error) {
	attrs, path := g.Metadata().Attributes, g.Path()
	e, err := EncodingOf(g)
	if err != nil {
		return nil, err
	}
	kind := e.Type
	if kind == "" {
		format, _ := attrs.Get("h5sparse_format").Text()
		kind = format + "_matrix"
	}
	if kind != CSR && kind != CSC {
		return nil, invalid(path, "h5sparse_format", fmt.Sprintf("%.60q is no sparse matrix", kind))
	}
	written := attrs.Get("shape")
	if written.IsNull() {
		written = attrs.Get("h5sparse_shape")
	}
	shape, err := lengths(path, "shape", written, 2)
	if err != nil {
		return nil, err
	}
	var arrays [3]*zarr.Array
	all, ctx := guard.NewGroup(ctx)
	for i, name := range []string{"data", "indices", "indptr"} {
		all.Go(func() (err error) {
			arrays[i], err = vector(member(ctx, g, name, "array"))
			return err
		})
	}
	if err := all.Wait(); err != nil {
		return nil, err
	}
	m := &SparseMatrix{Kind: kind, Group: g, Shape: [2]int64(shape), Data: arrays[0], Indices: arrays[1], Indptr: arrays[2]}
	major, _ := m.dims()
	if n := m.Indices.Shape[0]; n != m.NNZ() {
		return nil, invalid(path, "", fmt.Sprintf("data has %d elements, indices %d", m.NNZ(), n))
	}
	if n := m.Indptr.Shape[0]; n != shape[major]+1 {
		return nil, invalid(path, "", fmt.Sprintf("indptr has %d elements, and not one more than %d", n, shape[major]))
	}
	for _, a := range arrays[1:] {
		if !isInteger(a.DType()) {
			return nil, invalid(a.Path(), "", "its type is "+a.DType().Name+", which is none of integers")
		}
	}
	if !numeric(m.DType()) {
		return nil, unsupported(path, "a sparse matrix of "+m.DType().Name)
	}
	if max(shape[0], shape[1]) > 1<<32 && min(shape[0], shape[1]) > 0 {
		return nil, unsupported(path, "a sparse matrix of more than "+strconv.FormatInt(1<<32, 10)+" rows or columns")
	}
	return m, nil
}

// sharing returns options for each of the reads that one call makes. Progress is told of the chunks of all of them that are known by
// then. What says where the elements of one array go has no sense here, and is refused.
func sharing(path string, opt zarr.ReadOptions) (func() zarr.ReadOptions, error) {
	if opt.Output != nil || opt.Partial != nil {
		return nil, unsupported(path, "partial results, and memory of the caller's, of what is no array")
	}
	if opt.Progress == nil {
		return func() zarr.ReadOptions { return opt }, nil
	}
	var mu sync.Mutex
	var reads [][2]int
	return func() zarr.ReadOptions {
		mu.Lock()
		defer mu.Unlock()
		at := len(reads)
		reads = append(reads, [2]int{})
		one := opt
		one.Progress = func(done, total int) {
			mu.Lock()
			defer mu.Unlock()
			reads[at] = [2]int{done, total}
			done, total = 0, 0
			for _, r := range reads {
				done += r[0]
				total += r[1]
			}
			opt.Progress(done, total)
		}
		return one
	}, nil
}
