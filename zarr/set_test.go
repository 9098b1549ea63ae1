package zarr_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	runs "github.com/zarr-wasm/zarr-wasm/tests/rounds"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs/writing"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

var rounds = flag.Int("write.rounds", runs.Of(100), "how many random arrays are written")

// model is an array as a list of its elements, each in its own memory.
type model struct {
	shape    []int64
	elements []string
}

func newModel(shape []int64, fill []byte) *model {
	n := int64(1)
	for _, s := range shape {
		n *= s
	}
	m := &model{shape: shape, elements: make([]string, n)}
	for i := range m.elements {
		m.elements[i] = string(fill)
	}
	return m
}

// at returns the place of an element.
func (m *model) at(p []int64) int {
	n := int64(0)
	for d, i := range p {
		n = n*m.shape[d] + i
	}
	return int(n)
}

// random generates the data of a test.
type random struct{ *rand.Rand }

func (r random) length(most int) int64 { return int64(r.IntN(most + 1)) }

// elementType is a type, with a generator of its elements.
type elementType struct {
	v2, v3 string // its names; "" where a version has none
	make   func(r random) []byte
}

func bytesOf(n int) func(r random) []byte {
	return func(r random) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		return b
	}
}

var elementTypes = []elementType{
	{"|b1", "bool", func(r random) []byte { return []byte{byte(r.IntN(2))} }},
	{"|i1", "int8", bytesOf(1)},
	{"|u1", "uint8", bytesOf(1)},
	{"<i2", "int16", bytesOf(2)},
	{">u2", "uint16", bytesOf(2)},
	{"<i4", "int32", bytesOf(4)},
	{">u4", "uint32", bytesOf(4)},
	{"<i8", "int64", bytesOf(8)},
	{">u8", "uint64", bytesOf(8)},
	{"<f4", "float32", bytesOf(4)},
	{">f8", "float64", bytesOf(8)},
	{"string", "string", func(r random) []byte { return []byte(strings.Repeat("ä€x", r.IntN(4))) }},
}

// writeCase is a random array.
type writeCase struct {
	random
	zarr.ArraySpec
	elementType
	cuts []cut
}

func newCase(seed uint64) *writeCase {
	r := random{rand.New(rand.NewPCG(seed, 19))}
	c := &writeCase{random: r, elementType: elementTypes[r.IntN(len(elementTypes))]}
	c.Format = 2 + r.IntN(2)
	c.DType = c.v3
	if c.Format == 2 {
		c.DType = c.v2
	}
	rank := r.IntN(4)
	c.Shape, c.Chunks = make([]int64, rank), make([]int64, rank)
	for d := range rank {
		c.Shape[d], c.Chunks[d] = r.length(9), 1+r.length(4)
		if r.IntN(20) == 0 {
			c.Chunks[d] = 20
		}
	}
	if c.Format == 3 && r.IntN(3) == 0 {
		c.Shards = make([]int64, rank)
		for d := range rank {
			c.Shards[d] = c.Chunks[d] * (1 + r.length(2))
		}
	}
	c.Order = []string{"", "C", "F"}[r.IntN(3)]
	c.Separator = []string{"", ".", "/"}[r.IntN(3)]
	if r.IntN(2) == 0 {
		c.Fill = any(1)
		if c.v3 == "bool" {
			c.Fill = true
		} else if c.v3 == "string" {
			c.Fill = "fill"
		}
	}
	switch r.IntN(4) {
	case 0:
		c.Codecs = []zarr.Codec{}
	case 1:
		c.Codecs = []zarr.Codec{{"gzip", map[string]any{"level": 1}}}
	case 2:
		c.Codecs = []zarr.Codec{{"zstd", map[string]any{"level": 1}}}
	case 3:
		c.Codecs = []zarr.Codec{{"crc32c", nil}, {"gzip", map[string]any{"level": 0}}}
	}
	if c.Format == 2 && c.v3 == "string" {
		c.Order = ""
	}
	if c.Format == 3 && r.IntN(2) == 0 {
		c.cuts = r.cutUp(&c.ArraySpec)
	} else {
		c.cuts = regularCuts(&c.ArraySpec)
	}
	return c
}

// selection returns a random selection, and its positions along each dimension.
func (c *writeCase) selection(shape []int64) (items []grid.Item, picks [][]int64, out []int64) {
	for _, n := range shape {
		var item grid.Item
		var list []int64
		dropped := false
		switch kind := c.IntN(6); {
		case kind == 0 && n > 0:
			at := int64(c.IntN(int(2*n))) - n
			item, list, dropped = grid.At(at), []int64{(at + n) % n}, true
		case kind == 1 || n == 0:
			item = grid.All()
			for i := range n {
				list = append(list, i)
			}
		case kind <= 3:
			start, stop, step := int64(c.IntN(int(n)+1)), int64(c.IntN(int(n)+1)), int64(1+c.IntN(3))
			if c.IntN(3) == 0 {
				step = -step
			}
			item = grid.Range(&start, &stop, &step)
			start = min(start, n-1)
			for i := start; step > 0 && i < stop || step < 0 && i > stop; i += step {
				list = append(list, i)
			}
			if step > 0 && *item.Start > n-1 {
				list = nil
			}
		case kind == 4:
			for range c.IntN(6) {
				list = append(list, int64(c.IntN(int(n))))
			}
			item = grid.ListOf(slices.Clone(list))
		default:
			mask := make([]bool, n)
			for i := range mask {
				if mask[i] = c.IntN(2) == 0; mask[i] {
					list = append(list, int64(i))
				}
			}
			item = grid.MaskOf(mask)
		}
		items, picks = append(items, item), append(picks, list)
		if !dropped {
			out = append(out, int64(len(list)))
		}
	}
	return items, picks, out
}

// values returns a block of random elements.
func (c *writeCase) values(shape []int64, variable bool, size int) ndarray.Block {
	ints := make([]int, len(shape))
	for d, n := range shape {
		ints[d] = int(n)
	}
	b := ndarray.New(ints, size, variable)
	for i := range b.Len() {
		if e := c.make(c.random); variable {
			b.Items[i] = e
		} else {
			copy(b.Data[i*size:], e)
		}
	}
	return b
}

// listOf returns a block's elements without its shape.
func listOf(b ndarray.Block) zarr.List {
	b.Shape = []int{b.Len()}
	return zarr.List{Elements: b}
}

func element(b ndarray.Block, i int) string {
	if b.Items != nil {
		return string(b.Items[i])
	}
	return string(b.Data[i*b.Size : (i+1)*b.Size])
}

// check compares an array with a model, read by the hierarchy that wrote it and by a fresh one.
func (m *model) check(ctx context.Context, a *zarr.Array, fresh *zarr.Hierarchy) error {
	b, err := fresh.OpenArray(ctx, a.Path())
	if err != nil {
		return err
	}
	for i, a := range []*zarr.Array{a, b} {
		res, err := a.Read(ctx, nil, zarr.ReadOptions{})
		if err != nil {
			return err
		}
		if !slices.Equal(a.Shape, m.shape) {
			return fmt.Errorf("reader %d: the shape is %v, want %v", i, a.Shape, m.shape)
		}
		for k, want := range m.elements {
			if got := element(res.Block, k); got != want {
				return fmt.Errorf("reader %d: element %d of %v is %q, want %q", i, k, a.Shape, got, want)
			}
		}
	}
	return nil
}

// TestSetAgainstEveryElement writes random selections of random arrays. It compares the elements
// read by the same hierarchy and by another one with a list.
func TestSetAgainstEveryElement(t *testing.T) {
	for seed := range uint64(*rounds) {
		if err := setRandom(t.Context(), seed); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

func setRandom(ctx context.Context, seed uint64) error {
	c := newCase(seed)
	st := memstore.New(nil)
	h := zarr.New(st, writing.Codecs(), zarr.Options{})
	a, err := h.Create(ctx, "group/array", c.ArraySpec)
	if err != nil {
		return fmt.Errorf("%+v: %w", c.ArraySpec, err)
	}
	m := newModel(a.Shape, a.Fill)
	for step := range 8 {
		var what string
		if c.IntN(4) == 0 {
			a, what, err = c.resize(ctx, a, m)
		} else {
			what, err = c.step(ctx, a, m)
		}
		if err == nil {
			err = m.check(ctx, a, zarr.New(st, writing.Codecs(), zarr.Options{}))
		}
		if err == nil {
			err = c.gridOf(ctx, a, m)
		}
		if err != nil {
			return fmt.Errorf("%+v: step %d, %s: %w", c.ArraySpec, step, what, err)
		}
	}
	if err := c.copied(ctx, a, m); err != nil {
		return fmt.Errorf("%+v: copy: %w", c.ArraySpec, err)
	}
	return nil
}

// resize resizes an array and its model, or appends to them.
func (c *writeCase) resize(ctx context.Context, a *zarr.Array, m *model) (_ *zarr.Array, what string, err error) {
	shape, old := slices.Clone(a.Shape), a
	var values ndarray.Block
	dim := -1
	if len(shape) > 0 && c.IntN(2) == 0 {
		dim = c.IntN(len(shape))
		shape[dim] = c.length(5)
		values = c.values(shape, a.Type.Variable(), a.Type.Size)
		shape[dim] += a.Shape[dim]
		what = fmt.Sprint("append along ", dim, " to ", shape)
		var value any = values
		if !slices.Contains(slices.Delete(slices.Clone(shape), dim, dim+1), 0) && c.IntN(2) == 0 {
			value = listOf(values)
		}
		a, err = a.Append(ctx, value, dim-c.IntN(2)*len(shape), zarr.WriteOptions{})
	} else {
		for d := range shape {
			if c.IntN(2) == 0 {
				shape[d] = c.length(9)
			}
		}
		what = fmt.Sprint("resize to ", shape)
		a, err = a.Resize(ctx, shape...)
	}
	if err != nil {
		return a, what, err
	}
	for d, n := range shape {
		c.cuts[d].cover(n)
	}
	before := *m
	*m = *newModel(shape, a.Fill)
	p := make([]int64, len(shape))
	next := 0
	for i := range m.elements {
		n := int64(i)
		inside := true
		for d := len(shape) - 1; d >= 0; d-- {
			p[d], n = n%shape[d], n/shape[d]
			inside = inside && p[d] < before.shape[d]
		}
		if inside {
			m.elements[i] = before.elements[before.at(p)]
		} else if dim >= 0 {
			m.elements[i] = element(values, next)
			next++
		}
	}
	_, err = old.Read(ctx, nil, zarr.ReadOptions{})
	var changed *zarr.MetadataChangedError
	if slices.Equal(shape, before.shape) {
		return a, what, err
	}
	if !errors.As(err, &changed) {
		return a, what, fmt.Errorf("the array as it was reads %v", err)
	}
	return a, what, nil
}

// step writes to an array, and to its model.
func (c *writeCase) step(ctx context.Context, a *zarr.Array, m *model) (what string, err error) {
	opt := zarr.WriteOptions{SkipEmpty: c.IntN(2) == 0}
	if len(a.Shape) > 0 && c.IntN(4) == 0 && !slices.Contains(a.Shape, 0) {
		n := c.IntN(8)
		coords := make([][]int64, len(a.Shape))
		values := c.values([]int64{int64(n)}, a.Type.Variable(), a.Type.Size)
		for d, length := range a.Shape {
			for range n {
				coords[d] = append(coords[d], int64(c.IntN(int(length))))
			}
		}
		for i := range n {
			p := make([]int64, len(coords))
			for d := range p {
				p[d] = coords[d][i]
				if c.IntN(4) == 0 {
					coords[d][i] -= a.Shape[d]
				}
			}
			m.elements[m.at(p)] = element(values, i)
		}
		return fmt.Sprint("points ", coords), a.SetPoints(ctx, coords, values, opt)
	}
	items, picks, out := c.selection(a.Shape)
	blocks := c.IntN(4) == 0
	if blocks {
		items, picks, out = c.blocks(a.Shape)
	}
	for d := len(items) - 1; d >= 0 && items[d].Kind == grid.ItemKindAll && c.IntN(2) == 0; d-- {
		items = items[:d]
	}
	var value any
	var values ndarray.Block
	// Some dimensions are repeated.
	from := slices.Clone(out)
	for d := range from {
		if c.IntN(4) == 0 && from[d] > 0 {
			from[d] = 1
		}
	}
	if c.IntN(4) == 0 {
		from = from[:0]
	}
	values = c.values(from, a.Type.Variable(), a.Type.Size)
	value = values
	if slices.Equal(from, out) && c.IntN(2) == 0 {
		value = listOf(values)
	}
	p := make([]int64, len(picks))
	var walk func(d, at, kept int)
	strides := ndarray.Strides(values.Shape)
	walk = func(d, at, kept int) {
		if d == len(picks) {
			m.elements[m.at(p)] = element(values, at)
			return
		}
		dropped := d < len(items) && items[d].Kind == grid.ItemKindAt && !blocks
		for i, pos := range picks[d] {
			p[d] = pos
			if dropped {
				walk(d+1, at, kept)
				continue
			}
			k := kept - (len(out) - len(from))
			step := 0
			if k >= 0 && from[k] != 1 {
				step = strides[k]
			}
			walk(d+1, at+i*step, kept+1)
		}
	}
	walk(0, 0, 0)
	if !blocks {
		return fmt.Sprint("selection ", items, " values ", values), a.Set(ctx, items, value, opt)
	}
	what = fmt.Sprint("blocks ", items, " values ", values)
	sel, err := a.Blocks(items)
	if err != nil {
		return what, err
	}
	if err := a.Set(ctx, sel, value, opt); err != nil {
		return what, err
	}
	res, err := a.Read(ctx, sel, zarr.ReadOptions{})
	if err != nil {
		return what, err
	}
	i := 0
	var compare func(d int) error
	compare = func(d int) error {
		if d == len(picks) {
			i++
			if got, want := element(res.Block, i-1), m.elements[m.at(p)]; got != want {
				return fmt.Errorf("read again, element %d is %q, want %q", i-1, got, want)
			}
			return nil
		}
		for _, p[d] = range picks[d] {
			if err := compare(d + 1); err != nil {
				return err
			}
		}
		return nil
	}
	return what, compare(0)
}

func TestSetRefusesWhatDoesNotFit(t *testing.T) {
	h := zarr.New(memstore.New(nil), writing.Codecs(), zarr.Options{})
	a := must.Get(h.Create(t.Context(), "a", zarr.ArraySpec{Shape: []int64{4, 3}, DType: "int16", Chunks: []int64{2, 2}}))(t)
	for _, v := range []any{
		[]int32{1}, []uint16{1}, []float64{1}, []string{"1"}, []bool{true}, []int16{1, 2}, make([]int16, 13), 1.5, 40000, -32769, "1", true, nil, []byte{1}, []byte{1, 2, 3},
		1i, map[string]any{}, struct{}{}, ndarray.Block{Shape: []int{3}, Data: make([]byte, 5)}, ndarray.Block{Shape: []int{4}, Data: make([]byte, 8)},
		zarr.Result{Block: ndarray.Block{Shape: []int{}, Data: make([]byte, 2)}},
		zarr.List{}, zarr.List{Elements: ndarray.Block{Shape: []int{13}, Data: make([]byte, 26)}}, zarr.List{Elements: ndarray.Block{Shape: []int{2}, Data: make([]byte, 4)}},
	} {
		err := a.Set(t.Context(), nil, v, zarr.WriteOptions{})
		var invalid *zarr.InvalidValueError
		if !errors.As(err, &invalid) || invalid.Path != "a" {
			t.Errorf("%T %v: %v", v, v, err)
		}
	}
	ones := func(n int) zarr.List {
		return zarr.List{Elements: &zarr.Elements{Shape: []int{n}, Bytes: 2 * n, Gather: func(dst []byte, _ int, _ ndarray.Layout, _ []int) error {
			copy(dst, bytes.Repeat([]byte{1, 0}, len(dst)/2))
			return nil
		}}}
	}
	for _, v := range []any{1, int8(1), uint64(1), 1.0, []byte{1, 0}, []int16{1, 1, 1}, slices.Repeat([]int16{1}, 12), ndarray.Block{Data: []byte{1, 0}}, ones(12), ones(3)} {
		if err := a.Set(t.Context(), nil, v, zarr.WriteOptions{}); err != nil {
			t.Errorf("%T %v: %v", v, v, err)
		}
		res, err := a.Read(t.Context(), nil, zarr.ReadOptions{})
		if err != nil || !bytes.Equal(res.Data, bytes.Repeat([]byte{1, 0}, 12)) {
			t.Errorf("%T: %v, %v", v, res, err)
		}
	}
	longer, err := a.Append(t.Context(), ones(6), 0, zarr.WriteOptions{})
	if err != nil || !slices.Equal(longer.Shape, []int64{6, 3}) {
		t.Fatal(longer, err)
	}
	res, err := longer.Read(t.Context(), nil, zarr.ReadOptions{})
	if err != nil || !bytes.Equal(res.Data, bytes.Repeat([]byte{1, 0}, 18)) {
		t.Errorf("appended: %v, %v", res, err)
	}
	for _, sel := range [][]grid.Item{{grid.At(6)}, {grid.At(0), grid.At(0), grid.At(0)}, {grid.MaskOf([]bool{true})}} {
		err := longer.Set(t.Context(), sel, 1, zarr.WriteOptions{})
		var invalid *zarr.InvalidSelectionError
		if !errors.As(err, &invalid) {
			t.Errorf("%v: %v", sel, err)
		}
	}
}

// along selects a range of the first dimension.
func along(from, to int64) []grid.Item { return []grid.Item{grid.Range(&from, &to, nil)} }
