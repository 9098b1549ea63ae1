package grid

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"testing"
)

func p(v int64) *int64 { return &v }

func TestResolve(t *testing.T) {
	all := func(n int64) Axis { return Axis{Step: 1, Count: n} }
	at := func(i int64) Axis { return Axis{Start: i, Step: 1, Count: 1, Drop: true} }
	for _, c := range []struct {
		name  string
		sel   []Item
		shape ints
		want  []Axis
	}{
		{"nil", nil, ints{4, 5}, []Axis{all(4), all(5)}},
		{"rank 0", nil, ints{}, []Axis{}},
		{"rank 0, ellipsis", []Item{EllipsisItem()}, ints{}, []Axis{}},
		{"short", []Item{At(2)}, ints{4, 5}, []Axis{at(2), all(5)}},
		{"from the end", []Item{At(-1), At(-5)}, ints{4, 5}, []Axis{at(3), at(0)}},
		{"ellipsis first", []Item{EllipsisItem(), At(1)}, ints{4, 5, 6}, []Axis{all(4), all(5), at(1)}},
		{"ellipsis between", []Item{At(1), EllipsisItem(), At(2)}, ints{4, 5, 6, 7}, []Axis{at(1), all(5), all(6), at(2)}},
		{"ellipsis last", []Item{At(1), EllipsisItem()}, ints{4, 5}, []Axis{at(1), all(5)}},
		{"ellipsis for nothing", []Item{At(1), EllipsisItem(), At(2)}, ints{4, 5}, []Axis{at(1), at(2)}},
		{"range", []Item{Range(p(1), p(8), p(3))}, ints{10}, []Axis{{1, 3, 3, false, nil}}},
		{"open range", []Item{Range(nil, nil, nil)}, ints{10}, []Axis{all(10)}},
		{"range backwards", []Item{Range(nil, nil, p(-1))}, ints{10}, []Axis{{9, -1, 10, false, nil}}},
		{"range backwards by 4", []Item{Range(p(-2), p(0), p(-4))}, ints{10}, []Axis{{8, -4, 2, false, nil}}},
		{"clamped", []Item{Range(p(-100), p(100), nil)}, ints{10}, []Axis{all(10)}},
		{"nothing", []Item{Range(p(5), p(2), nil)}, ints{10}, []Axis{{0, 1, 0, false, nil}}},
		{"stop -1 is the end", []Item{Range(p(5), p(-1), p(-1))}, ints{10}, []Axis{{0, 1, 0, false, nil}}},
		{"of nothing", []Item{Range(nil, nil, p(-1))}, ints{0}, []Axis{{0, 1, 0, false, nil}}},
		{"huge step", []Item{Range(nil, nil, p(math.MaxInt64))}, ints{10}, []Axis{{0, 1, 1, false, nil}}},
		{"smallest step", []Item{Range(nil, nil, p(math.MinInt64))}, ints{10}, []Axis{{9, 1, 1, false, nil}}},
		{"extremes", []Item{Range(p(math.MinInt64), p(math.MaxInt64), p(1<<60))}, ints{math.MaxInt64}, []Axis{{0, 1 << 60, 8, false, nil}}},
		{"beyond 2^53", []Item{Range(p(1<<53+1), nil, nil)}, ints{1<<53 + 3}, []Axis{{1<<53 + 1, 1, 2, false, nil}}},
		{"list", []Item{ListOf(ints{3, -1, 3, 0})}, ints{10}, []Axis{{0, 0, 4, false, ints{3, 9, 3, 0}}}},
		{"list that repeats", []Item{ListOf(ints{3, 3})}, ints{10}, []Axis{{0, 0, 2, false, ints{3, 3}}}},
		{"even list", []Item{ListOf(ints{9, 6, 3})}, ints{10}, []Axis{{9, -3, 3, false, nil}}},
		{"list of one", []Item{ListOf(ints{9})}, ints{10}, []Axis{{9, 1, 1, false, nil}}},
		{"empty list", []Item{ListOf(nil)}, ints{10}, []Axis{{0, 1, 0, false, nil}}},
		{"mask", []Item{MaskOf([]bool{true, false, true, true})}, ints{4}, []Axis{{0, 0, 3, false, ints{0, 2, 3}}}},
		{"mask of all", []Item{MaskOf([]bool{true, true})}, ints{2}, []Axis{all(2)}},
		{"mask of none", []Item{MaskOf([]bool{false, false})}, ints{2}, []Axis{{0, 1, 0, false, nil}}},
		{"empty mask", []Item{MaskOf(nil)}, ints{0}, []Axis{{0, 1, 0, false, nil}}},
	} {
		got, err := Resolve(c.sel, c.shape)
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v %v, want %+v", c.name, got, err, c.want)
		}
	}
	axes, _ := Resolve([]Item{At(0), Range(nil, p(2), nil)}, ints{4, 5, 6})
	if got := OutShape(axes); !reflect.DeepEqual(got, ints{2, 6}) {
		t.Error(got)
	}
}

func TestResolveErrors(t *testing.T) {
	for _, c := range []struct {
		name  string
		sel   []Item
		shape ints
		dim   int
	}{
		{"too long", []Item{At(0), At(0)}, ints{4}, -1},
		{"too long with an ellipsis", []Item{At(0), EllipsisItem(), At(0)}, ints{4}, -1},
		{"rank 0", []Item{All()}, ints{}, -1},
		{"two ellipses", []Item{EllipsisItem(), EllipsisItem()}, ints{4, 4, 4}, -1},
		{"behind the end", []Item{All(), At(4)}, ints{4, 4}, 1},
		{"before the start", []Item{At(-5)}, ints{4}, 0},
		{"after an ellipsis", []Item{EllipsisItem(), At(4)}, ints{9, 9, 4}, 2},
		{"index of nothing", []Item{At(0)}, ints{0}, 0},
		{"smallest", []Item{At(math.MinInt64)}, ints{4}, 0},
		{"largest", []Item{At(math.MaxInt64)}, ints{4}, 0},
		{"step 0", []Item{Range(nil, nil, p(0))}, ints{4}, 0},
		{"list", []Item{ListOf(ints{0, 4})}, ints{4}, 0},
		{"list below", []Item{ListOf(ints{0, -5})}, ints{4}, 0},
		{"short mask", []Item{MaskOf([]bool{true})}, ints{4}, 0},
		{"long mask", []Item{MaskOf([]bool{true, true})}, ints{1}, 0},
		{"unknown kind", []Item{{Kind: 99}}, ints{1}, 0},
		{"negative shape", nil, ints{-1}, 0},
	} {
		_, err := Resolve(c.sel, c.shape)
		var e *SelectionError
		if !errors.As(err, &e) || e.Dim != c.dim || e.Error() == "" {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// pythonRange is range(*slice(start, stop, step).indices(n)) in numbers of any
// size, as Python's documentation has it: first position and length.
func pythonRange(start, stop, step *int64, n int64) (first, length *big.Int) {
	st := big.NewInt(1)
	if step != nil {
		st = big.NewInt(*step)
	}
	size, zero, one := big.NewInt(n), new(big.Int), big.NewInt(1)
	down := st.Sign() < 0
	low, high := zero, size
	if down {
		low, high = big.NewInt(-1), new(big.Int).Sub(size, one)
	}
	fix := func(v *int64, open *big.Int) *big.Int {
		if v == nil {
			return open
		}
		b := big.NewInt(*v)
		if b.Sign() < 0 {
			b.Add(b, size)
		}
		if b.Cmp(low) < 0 {
			return low
		}
		if b.Cmp(high) > 0 {
			return high
		}
		return b
	}
	if down {
		first, length = fix(start, high), fix(stop, low)
	} else {
		first, length = fix(start, low), fix(stop, high)
	}
	length = new(big.Int).Sub(length, first)
	if length.Sign() != st.Sign() {
		return first, zero
	}
	// ceil(distance/step), both of one sign
	q, m := new(big.Int).QuoRem(length, st, new(big.Int))
	if m.Sign() != 0 {
		q.Add(q, one)
	}
	return first, q
}

// interesting is an int64 near a border, around n, or anywhere.
func interesting(r *rand.Rand, n int64) int64 {
	switch r.IntN(8) {
	case 0:
		return math.MinInt64 + r.Int64N(3)
	case 1:
		return math.MaxInt64 - r.Int64N(3)
	case 2:
		return n + r.Int64N(5) - 2
	case 3:
		return -n + r.Int64N(5) - 2
	case 4:
		return int64(r.Uint64())
	case 5:
		if n > 0 {
			return r.Int64N(n)
		}
	}
	return r.Int64N(21) - 10
}

func maybe(r *rand.Rand, v int64) *int64 {
	if r.IntN(4) == 0 {
		return nil
	}
	return &v
}

func TestRangeAgainstPython(t *testing.T) {
	lengths := ints{0, 1, 2, 7, 100, 1 << 53, 1<<53 + 1, math.MaxInt64 - 1, math.MaxInt64}
	for seed := range uint64(20000) {
		r := rand.New(rand.NewPCG(seed, 1))
		n := lengths[r.IntN(len(lengths))]
		start, stop, step := maybe(r, interesting(r, n)), maybe(r, interesting(r, n)), maybe(r, interesting(r, n))
		checkRange(t, start, stop, step, n)
	}
}

func checkRange(t *testing.T, start, stop, step *int64, n int64) {
	t.Helper()
	axes, err := Resolve([]Item{Range(start, stop, step)}, ints{n})
	if step != nil && *step == 0 {
		if err == nil {
			t.Fatal("a step of 0")
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	a := axes[0]
	first, length := pythonRange(start, stop, step, n)
	if length.Cmp(big.NewInt(a.Count)) != 0 || a.Count > 0 && first.Cmp(big.NewInt(a.Start)) != 0 {
		t.Fatalf("length %d: %+v, want %v positions from %v", n, a, length, first)
	}
	want := int64(1)
	if step != nil && a.Count > 1 {
		want = *step
	}
	if a.Step != want || a.Drop || a.List != nil {
		t.Fatalf("length %d: %+v, want step %d", n, a, want)
	}
}

func FuzzResolve(f *testing.F) {
	f.Add(int64(10), int64(0), int64(10), int64(1), byte(0), []byte{1, 2, 255})
	f.Add(int64(0), int64(-1), int64(-1), int64(-1), byte(7), []byte{})
	f.Add(int64(math.MaxInt64), int64(math.MinInt64), int64(math.MaxInt64), int64(math.MinInt64), byte(3), []byte{0})
	f.Fuzz(func(t *testing.T, n, start, stop, step int64, open byte, list []byte) {
		l := make(ints, len(list))
		mask := make([]bool, len(list))
		for i, b := range list {
			l[i], mask[i] = int64(int8(b)), b&1 != 0
		}
		pick := func(bit byte, v int64) *int64 {
			if open&bit != 0 {
				return nil
			}
			return &v
		}
		rng := Range(pick(1, start), pick(2, stop), pick(4, step))
		if n >= 0 {
			checkRange(t, rng.Start, rng.Stop, rng.Step, n)
		}
		for _, sel := range [][]Item{{rng}, {At(start)}, {ListOf(l)}, {MaskOf(mask)}, {EllipsisItem(), At(stop)}, {{Kind: ItemKind(open)}}} {
			axes, err := Resolve(sel, ints{n})
			if err != nil {
				var e *SelectionError
				if !errors.As(err, &e) {
					t.Fatalf("%T", err)
				}
				continue
			}
			a := axes[0]
			if e := a.check(n); e != nil {
				t.Fatalf("%+v: %v", a, e)
			}
			if a.Count < 0 || a.List != nil && int64(len(a.List)) != a.Count {
				t.Fatalf("%+v", a)
			}
		}
	})
}
