package ndarray

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/tests/rounds"
)

// position is the definition of a layout.
func position(l Layout, idx []int) int {
	p := l.Offset
	for d, i := range idx {
		if l.Lists != nil && l.Lists[d] != nil {
			i = int(l.Lists[d][i])
		}
		p += i * l.Strides[d]
	}
	return p
}

// perm is a permutation as a layout has it.
func perm(r *rand.Rand, n int) []int64 {
	list := make([]int64, n)
	for i, at := range r.Perm(n) {
		list[i] = int64(at)
	}
	return list
}

// each calls f with every index of a shape.
func each(shape []int, f func(idx []int)) {
	for _, n := range shape {
		if n == 0 {
			return
		}
	}
	idx := make([]int, len(shape))
	for {
		f(idx)
		d := len(shape) - 1
		for ; d >= 0; d-- {
			if idx[d]++; idx[d] < shape[d] {
				break
			}
			idx[d] = 0
		}
		if d < 0 {
			return
		}
	}
}

// randomLayout returns a layout of a shape without repeated positions. It has gaps, reversed axes,
// axes in any order, and lists. It also returns the number of elements needed.
func randomLayout(r *rand.Rand, shape []int) (Layout, int) {
	l := Layout{Offset: r.IntN(3), Strides: make([]int, len(shape))}
	order := r.Perm(len(shape))
	if r.IntN(2) == 0 { // C order
		for i := range order {
			order[i] = len(shape) - 1 - i
		}
	}
	room := 1
	gap := func() int {
		if r.IntN(3) > 0 {
			return 0
		}
		return r.IntN(3)
	}
	for _, d := range order {
		n := shape[d]
		stride := room + gap()
		l.Strides[d] = stride
		length := n
		switch k := r.IntN(8); {
		case k == 0 && n > 0:
			// A list of distinct indices from a longer dimension.
			length = n + r.IntN(4)
			if l.Lists == nil {
				l.Lists = make([][]int64, len(shape))
			}
			l.Lists[d] = perm(r, length)[:n]
			if r.IntN(3) == 0 { // evenly spaced
				for i := range l.Lists[d] {
					l.Lists[d][i] = int64(n - 1 - i)
				}
			}
			if r.IntN(3) == 0 { // indices that start elsewhere
				by := r.IntN(100) - 50
				for i := range l.Lists[d] {
					l.Lists[d][i] += int64(by)
				}
				l.Offset -= by * stride
			}
		case k <= 2 && n > 0:
			l.Strides[d] = -stride
			l.Offset += stride * (n - 1)
		}
		room = stride * max(length, 1)
	}
	total := room + 8
	return l, total + r.IntN(3)
}

func randomShape(r *rand.Rand) []int {
	shape := make([]int, r.IntN(6))
	left := 4000
	for i := range shape {
		n := 0
		switch r.IntN(8) {
		case 0:
			n = 1
		case 1:
			n = r.IntN(200)
		case 2:
			n = 32
		default:
			n = 1 + r.IntN(9)
		}
		n = min(n, left)
		left = max(left/max(n, 1), 1)
		shape[i] = n
	}
	if len(shape) > 0 && r.IntN(30) == 0 {
		shape[r.IntN(len(shape))] = 0
	}
	return shape
}

var sizes = []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 24, 31, 32, 33, 40, 64, 100}

func randomBlock(r *rand.Rand, n, size int) Block {
	b := Block{Shape: []int{n}, Size: size}
	if size == 0 {
		b.Items = make([][]byte, n)
		for i := range b.Items {
			b.Items[i] = strconv.AppendUint(nil, r.Uint64(), 10)
		}
		return b
	}
	// One byte off: the memory of a decoded chunk need not be aligned.
	b.Data = make([]byte, n*size+1)[1:]
	for i := range b.Data {
		b.Data[i] = byte(r.Uint32())
	}
	return b
}

func clone(b Block) Block {
	b.Data = bytes.Clone(b.Data)
	b.Items = append([][]byte(nil), b.Items...)
	return b
}

// set is what copying one element means.
func set(dst Block, to int, src Block, from int) {
	if dst.Size == 0 {
		dst.Items[to] = src.Items[from]
		return
	}
	for i := range dst.Size {
		dst.Data[to*dst.Size+i] = src.Data[from*dst.Size+i]
	}
}

func TestCopyRandom(t *testing.T) {
	for round := range rounds.Each(10_000) {
		seed := uint64(round)
		r := rand.New(rand.NewPCG(seed, 1))
		checkCopy(t, r, seed)
		if t.Failed() {
			return
		}
	}
}

func checkCopy(t *testing.T, r *rand.Rand, seed uint64) {
	t.Helper()
	shape := randomShape(r)
	size := 0
	if r.IntN(8) > 0 {
		size = sizes[r.IntN(len(sizes))]
	}
	dl, dn := randomLayout(r, shape)
	sl, sn := randomLayout(r, shape)
	if r.IntN(10) == 0 { // the same element again and again
		sl = Layout{Strides: make([]int, len(shape))}
	}
	dst, src := randomBlock(r, dn, size), randomBlock(r, sn, size)
	want, same := clone(dst), clone(src)
	each(shape, func(idx []int) { set(want, position(dl, idx), src, position(sl, idx)) })
	if err := Copy(dst, dl, src, sl, shape); err != nil {
		t.Fatalf("seed %d: %v: %v %+v %+v", seed, err, shape, dl, sl)
	}
	if !bytes.Equal(dst.Data, want.Data) || !reflect.DeepEqual(dst.Items, want.Items) {
		t.Fatalf("seed %d: wrong copy: size %d shape %v to %+v from %+v", seed, size, shape, dl, sl)
	}
	if !bytes.Equal(src.Data, same.Data) {
		t.Fatalf("seed %d: the source has changed", seed)
	}
	for _, width := range []int{2, 4, 8} {
		if size == 0 || size%width != 0 {
			continue
		}
		each(shape, func(idx []int) {
			element := want.Data[position(dl, idx)*size:][:size]
			for copy(element, src.Data[position(sl, idx)*size:][:size]); len(element) > 0; element = element[width:] {
				slices.Reverse(element[:width])
			}
		})
		if err := CopySwapped(dst, dl, src, sl, shape, width); err != nil {
			t.Fatalf("seed %d: %v: %v %+v %+v", seed, err, shape, dl, sl)
		}
		if !bytes.Equal(dst.Data, want.Data) {
			t.Fatalf("seed %d: wrong swap of %d: size %d shape %v to %+v from %+v", seed, width, size, shape, dl, sl)
		}
	}
}

func TestFillRandom(t *testing.T) {
	for round := range rounds.Each(4000) {
		seed := uint64(round)
		r := rand.New(rand.NewPCG(seed, 2))
		shape := randomShape(r)
		if r.IntN(20) == 0 {
			shape = append(shape, 3000+r.IntN(3000)) // pieces longer than the pattern that is kept warm
		}
		size := 0
		if r.IntN(8) > 0 {
			size = sizes[r.IntN(len(sizes))]
		}
		dl, n := randomLayout(r, shape)
		if n*max(size, 1) > 4<<20 {
			continue
		}
		dst, one := randomBlock(r, n, size), randomBlock(r, 1, size)
		if r.IntN(3) == 0 {
			clear(one.Data)
		}
		fill := one.Data
		if size == 0 {
			fill = one.Items[0]
			if r.IntN(2) == 0 {
				fill, one.Items[0] = nil, nil
			}
		}
		want := clone(dst)
		each(shape, func(idx []int) { set(want, position(dl, idx), one, 0) })
		if err := Fill(dst, dl, shape, fill); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if !bytes.Equal(dst.Data, want.Data) || !reflect.DeepEqual(dst.Items, want.Items) {
			t.Fatalf("seed %d: wrong fill: size %d shape %v %+v", seed, size, shape, dl)
		}
	}
}

// Planes large enough for tiles, of sides that are no multiple of a tile's.
func TestTranspose(t *testing.T) {
	for _, size := range []int{1, 2, 3, 4, 6, 8, 12, 16, 24, 33} {
		for _, shape := range [][]int{{1, 500}, {3, 500}, {500, 3}, {67, 131}, {128, 128}, {37, 1024}, {1024, 37}, {5, 64, 70}, {70, 5, 64}} {
			r := rand.New(rand.NewPCG(uint64(size), 3))
			n := Block{Shape: shape}.Len()
			src, dst := randomBlock(r, n, size), randomBlock(r, n, size)
			fl := Layout{Strides: make([]int, len(shape))}
			step := 1
			for d := range shape {
				fl.Strides[d] = step
				step *= shape[d]
			}
			cl := Layout{Strides: Strides(shape)}
			want := clone(dst)
			each(shape, func(idx []int) { set(want, position(cl, idx), src, position(fl, idx)) })
			must.Do(t, Copy(dst, cl, src, fl, shape))
			if !bytes.Equal(dst.Data, want.Data) {
				t.Errorf("size %d shape %v: wrong", size, shape)
			}
			back := randomBlock(r, n, size)
			must.Do(t, Copy(back, fl, dst, cl, shape))
			if !bytes.Equal(back.Data, src.Data) {
				t.Errorf("size %d shape %v: wrong on the way back", size, shape)
			}
		}
	}
}

func TestErrors(t *testing.T) {
	big := math.MaxInt
	small := math.MinInt
	of := func(n, size int) Block { return New([]int{n}, size, false) }
	one := func(offset, stride int) Layout { return Layout{Offset: offset, Strides: []int{stride}} }
	listed := func(stride int, list ...int64) Layout {
		return Layout{Strides: []int{stride}, Lists: [][]int64{list}}
	}
	for _, c := range []struct {
		name  string
		l     Layout
		shape []int
		want  error
	}{
		{"all", one(0, 1), []int{10}, nil},
		{"backwards", one(9, -1), []int{10}, nil},
		{"one too many", one(0, 1), []int{11}, ErrBounds},
		{"behind the end", one(10, 0), []int{1}, ErrBounds},
		{"before the start", one(-1, 1), []int{1}, ErrBounds},
		{"runs out below", one(8, -1), []int{10}, ErrBounds},
		{"huge step", one(0, big), []int{2}, ErrBounds},
		{"huge step down", one(0, small), []int{2}, ErrBounds},
		{"huge step never taken", one(3, big), []int{1}, nil},
		{"wraps around", one(0, math.MaxInt/2+1), []int{5}, ErrBounds},
		{"huge offset", one(big, 1), []int{2}, ErrBounds},
		{"smallest offset", one(small, 1), []int{2}, ErrBounds},
		{"smallest offset and step", one(small, small), []int{2}, ErrBounds},
		{"huge shape", one(0, 1), []int{big}, ErrBounds},
		{"huge shape standing still", one(0, 1), []int{0}, nil},
		{"negative shape", one(0, 1), []int{-1}, ErrShape},
		{"negative and empty", Layout{Strides: []int{1, 1}}, []int{0, -1}, ErrShape},
		{"rank", one(0, 1), []int{1, 1}, ErrShape},
		{"no strides", Layout{}, []int{1}, ErrShape},
		{"rank 0", Layout{Offset: 9}, nil, nil},
		{"rank 0 outside", Layout{Offset: 10}, nil, ErrBounds},
		{"list", listed(3, 3, 0, 1), []int{3}, nil},
		{"list outside", listed(3, 3, 0, 4), []int{3}, ErrBounds},
		{"list below", listed(1, 3, -1, 4), []int{3}, ErrBounds},
		{"list too short", listed(1, 3, 4), []int{3}, ErrShape},
		{"list too long", listed(1, 3, 4, 5, 6), []int{3}, ErrShape},
		{"list that overflows", listed(3, 0, int64(big), 1), []int{3}, ErrBounds},
		{"list of the smallest", listed(-1, 0, int64(small), 1), []int{3}, ErrBounds},
		{"rank of lists", Layout{Strides: []int{1}, Lists: [][]int64{}}, []int{3}, ErrShape},
		{"empty list", listed(1), []int{0}, nil},
	} {
		for _, size := range []int{0, 1, 4, 40} {
			b := of(10, size)
			if size == 0 {
				b = New([]int{10}, 0, true)
			}
			still := Layout{Strides: make([]int, len(c.shape))}
			if c.want == ErrShape {
				still = c.l
			}
			src := b
			if got := Copy(b, still, src, c.l, c.shape); !errors.Is(got, c.want) && !(c.want == nil && got == nil) {
				t.Errorf("%s, size %d: source: %v", c.name, size, got)
			}
			if c.name != "huge shape" {
				if got := Copy(b, c.l, src, still, c.shape); !errors.Is(got, c.want) {
					t.Errorf("%s, size %d: destination: %v", c.name, size, got)
				}
			}
			if got := Fill(b, c.l, c.shape, make([]byte, size)); !errors.Is(got, c.want) {
				t.Errorf("%s, size %d: fill: %v", c.name, size, got)
			}
		}
	}
	l, shape := one(0, 1), []int{4}
	for name, err := range map[string]error{
		"sizes":           Copy(of(4, 2), l, of(4, 4), l, shape),
		"negative size":   Copy(Block{Size: -1}, l, Block{Size: -1}, l, shape),
		"fill too short":  Fill(of(4, 4), l, shape, []byte{1}),
		"no fill":         Fill(of(4, 4), l, shape, nil),
		"fill of nothing": Fill(of(4, 0), l, shape, []byte{1}),
		"both memories":   Fill(Block{Size: 4, Data: make([]byte, 16), Items: make([][]byte, 4)}, l, shape, nil),
	} {
		if err != ErrShape {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := Copy(of(4, 0), l, New(shape, 0, true), l, shape); err != ErrBounds {
		t.Errorf("items into nothing: %v", err)
	}
	if err := Copy(Block{Shape: shape, Size: 4, Data: make([]byte, 15)}, l, of(4, 4), l, shape); err != ErrBounds {
		t.Errorf("memory short of the shape: %v", err)
	}
	if err := Copy(of(4, 0), l, of(4, 0), l, shape); err != nil {
		t.Errorf("elements of no bytes: %v", err)
	}
	if err := Fill(of(4, 0), l, shape, nil); err != nil {
		t.Errorf("fill of no bytes: %v", err)
	}
}

func TestNewAndStrides(t *testing.T) {
	if got := Strides([]int{4, 3, 2}); !reflect.DeepEqual(got, []int{6, 2, 1}) {
		t.Error(got)
	}
	if got := Strides(nil); len(got) != 0 {
		t.Error(got)
	}
	if b := New([]int{2, 3}, 4, false); b.Len() != 6 || len(b.Data) != 24 || b.Items != nil {
		t.Errorf("%+v", b)
	}
	if b := New(nil, 8, false); b.Len() != 1 || len(b.Data) != 8 {
		t.Errorf("%+v", b)
	}
	if b := New([]int{0, 3}, 8, true); b.Len() != 0 || b.Items == nil || b.Size != 0 {
		t.Errorf("%+v", b)
	}
}

// Neither Copy nor Fill allocates for arrays of ordinary rank.
func TestAllocations(t *testing.T) {
	shape := []int{8, 8, 8}
	dst, src := New(shape, 4, false), New(shape, 4, false)
	cl, fl := Layout{Strides: Strides(shape)}, Layout{Strides: []int{1, 8, 64}}
	ll := Layout{Strides: Strides(shape), Lists: [][]int64{nil, nil, {7, 0, 1, 2, 3, 4, 5, 6}}}
	one := []byte{1, 2, 3, 4}
	vd, vs := New(shape, 0, true), New(shape, 0, true)
	got := testing.AllocsPerRun(10, func() {
		_ = Copy(dst, cl, src, fl, shape)
		_ = Copy(dst, cl, src, ll, shape)
		_ = Copy(vd, cl, vs, fl, shape)
		_ = Fill(dst, fl, shape, one)
	})
	if got != 0 {
		t.Errorf("%v allocations", got)
	}
}

// FuzzCopy takes any layouts at all: what is refused must be refused by the
// definition, and what is not must be right.
func FuzzCopy(f *testing.F) {
	f.Add(uint64(0), 4, 0, 1, 0, 1, 10, 3)
	f.Add(uint64(1), 1, 9, -1, 0, 2, 5, 1)
	f.Add(uint64(2), 16, math.MaxInt/2+1, math.MinInt, -5, math.MaxInt, 2, 2)
	f.Fuzz(func(t *testing.T, seed uint64, size, do, ds, so, ss, n, m int) {
		if size < 0 || size > 64 || n > 64 || m > 64 {
			return
		}
		r := rand.New(rand.NewPCG(seed, 4))
		shape := []int{n, m}
		dst, src := randomBlock(r, 100, size), randomBlock(r, 100, size)
		dl := Layout{Offset: do, Strides: []int{ds, 1}}
		sl := Layout{Offset: so, Strides: []int{1, ss}}
		if seed%3 == 0 && m > 0 {
			sl.Lists = [][]int64{nil, perm(r, m)}
		}
		want := clone(dst)
		valid, seen := n >= 0 && m >= 0, map[int]bool{}
		twice := false
		if valid {
			each(shape, func(idx []int) {
				d, ok1 := exact(dl, idx)
				s, ok2 := exact(sl, idx)
				if !ok1 || !ok2 || d < 0 || d >= 100 || s < 0 || s >= 100 {
					valid = false
					return
				}
				twice = twice || seen[d]
				seen[d] = true
				set(want, d, src, s)
			})
		}
		err := Copy(dst, dl, src, sl, shape)
		if (err == nil) != valid {
			t.Fatalf("%v for %v %+v %+v", err, shape, dl, sl)
		}
		if err == nil && !twice && (!bytes.Equal(dst.Data, want.Data) || !reflect.DeepEqual(dst.Items, want.Items)) {
			t.Fatalf("wrong: %v %+v %+v", shape, dl, sl)
		}
	})
}

// exact is position, and false when it overflows.
func exact(l Layout, idx []int) (int, bool) {
	p := float64(l.Offset)
	for d, i := range idx {
		if l.Lists != nil && l.Lists[d] != nil {
			i = int(l.Lists[d][i])
		}
		p += float64(i) * float64(l.Strides[d])
	}
	return position(l, idx), math.Abs(p) < 1<<60
}
