package xarray

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr/convention/cf"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
)

func answer(p positions, err error) string {
	if err != nil {
		return "error"
	}
	texts := make([]string, len(p.List))
	for i, at := range p.List {
		texts[i] = fmt.Sprint(at)
	}
	if p.Single {
		return texts[0]
	}
	return "[" + strings.Join(texts, ",") + "]"
}

func located(t *testing.T, x *labelIndex, selector any, by Lookup) string {
	t.Helper()
	p, err := x.locate(selector, by)
	if wrong := new(SelectionError); err != nil && !errors.As(err, &wrong) {
		t.Fatal(err)
	}
	return answer(p, err)
}

// lcg generates the numbers of the random cases, the same as in js/test/labels.test.ts.
type lcg uint32

func (r *lcg) below(n int) int {
	*r = *r*1664525 + 1013904223
	return int(*r>>8) % n
}

type randomCase struct {
	values   []float64
	selector any // float64, Labels or Slice
	by       Lookup
}

func (r *lcg) next() randomCase {
	kind := r.below(8)
	values := make([]float64, r.below(13))
	for i := range values {
		values[i] = float64(r.below(32)) / 4
	}
	if kind < 2 {
		for i := range values {
			values[i] = float64(i) / 2
		}
	}
	if kind < 4 || kind == 5 {
		var set []float64
		for _, v := range values {
			if !slices.Contains(set, v) {
				set = append(set, v)
			}
		}
		values = set
	}
	if kind < 5 {
		slices.Sort(values)
	}
	if kind == 1 || kind == 3 {
		slices.Reverse(values)
	}
	if kind == 7 && len(values) > 0 {
		values[r.below(len(values))] = math.NaN()
	}
	label := func() float64 {
		far := float64(r.below(80))/8 - 1
		if r.below(3) > 0 && len(values) > 0 {
			return values[r.below(len(values))]
		}
		return far
	}
	end := func() any {
		if r.below(4) == 0 {
			return nil
		}
		return label()
	}
	what := r.below(3)
	c := randomCase{values: values, selector: label()}
	switch what {
	case 1:
		s := Slice{Start: end()}
		s.Stop = end()
		if r.below(2) != 0 {
			s.Step = r.below(3) + 1
			if r.below(3) == 0 {
				s.Step = -s.Step
			}
		}
		c.selector = s
	case 2:
		list := make(Labels, r.below(4))
		for i := range list {
			list[i] = label()
		}
		c.selector = list
	}
	c.by.Method = []Method{"", "", Nearest, Pad, Backfill}[r.below(5)]
	if c.by.Method != "" && r.below(3) == 0 {
		c.by.Tolerance = float64(r.below(8)) / 8
	}
	if r.below(4) == 0 {
		c.by.Period = 8
	}
	return c
}

func same(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }

// model computes a selection by testing each label in turn.
func (c randomCase) model() string {
	values, by := c.values, c.by
	up, down, unique := true, true, true
	for i, v := range values {
		if math.IsNaN(v) {
			up, down = false, false
		}
		if i > 0 {
			up = up && values[i-1] <= v
			down = down && values[i-1] >= v
		}
		for _, w := range values[:i] {
			unique = unique && !same(v, w)
		}
	}
	ordered := up || down
	places := func(label float64) (list []int) {
		for i, v := range values {
			if same(v, label) {
				list = append(list, i)
			}
		}
		return list
	}
	one := func(label float64) int {
		if by.Period != 0 && !ordered || math.IsNaN(label) && by != (Lookup{}) {
			return -1
		}
		type meeting struct {
			i  int
			at float64
		}
		turns := []float64{0}
		if by.Period != 0 {
			turns = []float64{0, -2, -1, 1, 2}
		}
		var met []meeting
		for _, turn := range turns {
			for i, v := range values {
				met = append(met, meeting{i, v + turn*by.Period})
			}
		}
		if by.Method == Exact {
			met = slices.DeleteFunc(met, func(m meeting) bool { return !same(m.at, label) })
			if len(met) != 1 {
				return -1
			}
			return met[0].i
		}
		if !ordered || !unique {
			return -1
		}
		met = slices.DeleteFunc(met, func(m meeting) bool {
			before := up && m.at <= label || !up && m.at >= label
			behind := up && m.at >= label || !up && m.at <= label
			return by.Method == Pad && !before || by.Method == Backfill && !behind
		})
		far := func(i int) float64 { return math.Abs(met[i].at - label) }
		sort.SliceStable(met, func(i, j int) bool {
			return far(i) < far(j) || far(i) == far(j) && met[i].at > met[j].at
		})
		if len(met) == 0 || by.Tolerance != nil && far(0) > by.Tolerance.(float64) {
			return -1
		}
		return met[0].i
	}
	list := func(found []int, step int) string {
		kept := positions{}
		for i := 0; i < len(found); i += step {
			kept.List = append(kept.List, found[i])
		}
		return answer(kept, nil)
	}
	switch selector := c.selector.(type) {
	case Labels:
		var found []int
		for _, label := range selector {
			at := one(label.(float64))
			if at < 0 {
				return "error"
			}
			found = append(found, at)
		}
		return list(found, 1)
	case float64:
		if found := places(selector); by == (Lookup{}) && len(found) > 1 {
			return list(found, 1)
		}
		if at := one(selector); at >= 0 {
			return fmt.Sprint(at)
		}
		return "error"
	}
	s := c.selector.(Slice)
	step := s.Step
	if step == 0 {
		step = 1
	}
	if by.Period != 0 && !ordered {
		return "error"
	}
	var found []int
	if by.Period != 0 && s.Start != nil && s.Stop != nil {
		start, stop := s.Start.(float64), s.Stop.(float64)
		if step < 0 || math.IsNaN(start) || math.IsNaN(stop) {
			return "error"
		}
		mod := func(x float64) float64 { return math.Mod(math.Mod(x, by.Period)+by.Period, by.Period) }
		forth := func(from, to float64) float64 {
			if up {
				return to - from
			}
			return from - to
		}
		width := forth(start, stop)
		if width < 0 {
			width = mod(width)
		}
		offset := func(i int) float64 { return mod(forth(start, values[i])) }
		for i := range values {
			if offset(i) <= width {
				found = append(found, i)
			}
		}
		sort.SliceStable(found, func(i, j int) bool { return offset(found[i]) < offset(found[j]) })
		return list(found, step)
	}
	from, to := s.Start, s.Stop
	if step < 0 {
		from, to = to, from
	}
	if ordered {
		for _, end := range []any{from, to} {
			if end != nil && math.IsNaN(end.(float64)) {
				return "error"
			}
		}
		for i, v := range values {
			behind := from == nil || up && v >= from.(float64) || !up && v <= from.(float64)
			before := to == nil || up && v <= to.(float64) || !up && v >= to.(float64)
			if behind && before {
				found = append(found, i)
			}
		}
	} else {
		low, high := 0, len(values)
		for which, end := range []any{from, to} {
			if end == nil {
				continue
			}
			at := places(end.(float64))
			if len(at) == 0 || at[len(at)-1]-at[0] != len(at)-1 {
				return "error"
			}
			if which == 0 {
				low = at[0]
			} else {
				high = at[len(at)-1] + 1
			}
		}
		for i := low; i < high; i++ {
			found = append(found, i)
		}
	}
	if step < 0 {
		slices.Reverse(found)
		step = -step
	}
	return list(found, step)
}

// TestRandomSelectionsAreThoseOfASearch compares 10,000 selections with a linear search.
func TestRandomSelectionsAreThoseOfASearch(t *testing.T) {
	random := lcg(15)
	hash := fnv.New32a()
	for i := range 10_000 {
		c := random.next()
		is := located(t, newLabelIndex("x", floatKeys(c.values, nil)), c.selector, c.by)
		if want := c.model(); is != want {
			t.Fatalf("case %d, %+v: %s instead of %s", i, c, is, want)
		}
		hash.Write([]byte(is + "\n"))
	}
	// js/test/labels.test.ts expects the same number: both languages give the same answers.
	if sum := hash.Sum32(); sum != 900332981 {
		t.Errorf("the answers are others than JavaScript's: %d", sum)
	}
}

// TestRandomSelectionsOfTimes makes the 3,000 selections of js/test/labels.test.ts, and expects the
// same answers. JavaScript compares them with a search through the times' texts.
func TestRandomSelectionsOfTimes(t *testing.T) {
	random := lcg(44)
	hash := fnv.New32a()
	for range 3000 {
		units := must.Get(cf.ParseUnits("hours since 2019-12-20", []string{"standard", "noleap", "360_day"}[random.below(3)]))(t)
		at := func(hour float64) cf.Date {
			return must.Get(units.Date(hour))(t)
		}
		order := random.below(3)
		step := []float64{1, 24, 0.5}[random.below(3)]
		hours := make([]float64, random.below(15))
		for i := range hours {
			day := float64(random.below(60) * 24)
			half := float64(random.below(2) + 1)
			hours[i] = day/half + float64(random.below(3))*step
		}
		if order < 2 {
			slices.Sort(hours)
		}
		if order == 1 {
			slices.Reverse(hours)
		}
		counts, texts := make([]int64, len(hours)), make([]string, len(hours))
		for i, hour := range hours {
			texts[i] = at(hour).String()
			counts[i], _ = at(hour).Micros()
		}
		x := newLabelIndex("time", newTimeKeys(counts, 1, spanIn(units.Calendar)))
		label := func() string {
			var text string
			if random.below(4) > 0 && len(texts) > 0 {
				text = texts[random.below(len(texts))]
			} else {
				text = at(float64(random.below(70) * 23)).String()
			}
			return text[:[]int{4, 7, 10, 13, 16, 19}[random.below(6)]]
		}
		ranges := random.below(3) == 0
		start, stop := label(), label()
		var selector any = start
		if ranges {
			selector = Between(start, stop)
		}
		hash.Write([]byte(located(t, x, selector, Lookup{}) + "\n"))
	}
	if sum := hash.Sum32(); sum != 2211289821 {
		t.Errorf("the answers are others than JavaScript's: %d", sum)
	}
}

func TestIntegersOf64BitsAreExact(t *testing.T) {
	const big = 1 << 62
	x := newLabelIndex("id", intKeys([]int64{-big, big, big + 1, big + 2}))
	for _, c := range []struct {
		selector any
		want     string
	}{
		{int64(big + 1), "2"}, {float64(big), "1"}, {uint64(big + 2), "3"}, {-big, "0"}, {0.5, "error"},
		{Between(big+1, nil), "[2,3]"}, {uint64(math.MaxUint64), "error"}, {"1", "error"}, {true, "error"}, {nil, "error"},
	} {
		if is := located(t, x, c.selector, Lookup{}); is != c.want {
			t.Errorf("%v: %s instead of %s", c.selector, is, c.want)
		}
	}
	u := newLabelIndex("id", uintKeys([]uint64{5, math.MaxUint64, 7}))
	if is := located(t, u, uint64(math.MaxUint64), Lookup{}); is != "1" {
		t.Error(is)
	}
	if is := located(t, u, 7.0, Lookup{}); is != "2" {
		t.Error(is)
	}
}

func TestALabelIsRoundedToItsCoordinatesType(t *testing.T) {
	values := []float64{0, float64(float32(0.1)), float64(float32(0.2)), float64(float32(0.3))}
	x := newLabelIndex("lat", floatKeys(values, func(f float64) float64 { return float64(float32(f)) }))
	if is := located(t, x, 0.1, Lookup{}) + located(t, x, Between(0.1, 0.3), Lookup{}); is != "1[1,2,3]" {
		t.Error(is)
	}
}

func TestCircle(t *testing.T) {
	degrees := make([]float64, 36)
	for i := range degrees {
		degrees[i] = float64(i) * 10
	}
	x := newLabelIndex("lon", floatKeys(degrees, nil))
	for _, c := range []struct {
		selector any
		method   Method
		want     string
	}{
		{-10, "", "35"}, {730, "", "1"}, {357, Nearest, "0"}, {-4, Pad, "35"}, {351, Backfill, "0"},
		{Between(-20, 10), "", "[34,35,0,1]"}, {Between(350, 10), "", "[35,0,1]"}, {Slice{-20, 10, 2}, "", "[34,0]"},
		{Slice{-20, 10, -1}, "", "error"}, {1e300, "", "error"}, {math.Inf(1), "", "error"}, {Between(0, math.Inf(1)), "", "error"},
		{math.NaN(), "", "error"}, {Between(nil, 10), "", "[0,1]"},
	} {
		if is := located(t, x, c.selector, Lookup{Method: c.method, Period: 360}); is != c.want {
			t.Errorf("%v: %s instead of %s", c.selector, is, c.want)
		}
	}
	for _, period := range []float64{-1, math.Inf(1), math.NaN(), 100} {
		if is := located(t, x, 0, Lookup{Period: period}); is != "error" {
			t.Error(period, is)
		}
	}
}

func TestTextsAndBooleans(t *testing.T) {
	x := newLabelIndex("name", &textKeys{values: []string{"a", "b", "ü", "￮", "😀"}})
	gaps := newLabelIndex("name", &textKeys{values: []string{"b", "", ""}, there: []bool{true, false, true}})
	flags := newLabelIndex("flag", boolKeys{false, true})
	for _, c := range []struct {
		x        *labelIndex
		selector any
		method   Method
		want     string
	}{
		{x, Between("b", "￮"), "", "[1,2,3]"}, {x, "c", Pad, "1"}, {x, "c", Nearest, "error"}, {x, 1, "", "error"},
		{gaps, "", "", "2"}, {gaps, "b", "", "0"}, {gaps, "c", "", "error"},
		{flags, true, "", "1"}, {flags, 1, "", "error"}, {flags, "true", "", "error"},
	} {
		if is := located(t, c.x, c.selector, Lookup{Method: c.method}); is != c.want {
			t.Errorf("%v: %s instead of %s", c.selector, is, c.want)
		}
	}
}

func TestTimesOfNumpy(t *testing.T) {
	for _, c := range []struct {
		unit  string
		scale int
		count []int64
	}{{"ns", 1, []int64{0, 86_400_000_000_000}}, {"ns", 1000, []int64{0, 86_400_000_000}}, {"m", 1, []int64{0, 1440}}, {"D", 1, []int64{0, 1}}, {"s", 3600, []int64{0, 24}}, {"ps", 1, []int64{0, 86_400_000_000_000_000}}} {
		k := must.Get(numpyKeys(c.count, &dtype.Type{Kind: dtype.DateTime, Unit: c.unit, Scale: c.scale, Size: 8}))(t)
		x := newLabelIndex("time", k)
		if is := located(t, x, "1970-01-02", Lookup{}) + located(t, x, "1970", Lookup{}); is != "1[0,1]" {
			t.Errorf("%s: %s", c.unit, is)
		}
	}
	years := must.Get(numpyKeys([]int64{0, 1, math.MinInt64}, &dtype.Type{Kind: dtype.DateTime, Unit: "Y", Scale: 1, Size: 8}))(t)
	if is := located(t, newLabelIndex("time", years), "1971-01-01", Lookup{}); is != "1" {
		t.Error(is)
	}
	for _, c := range []struct {
		kind  dtype.Kind
		unit  string
		count int64
	}{{dtype.TimeDelta, "Y", 1}, {dtype.DateTime, "D", math.MaxInt64}, {dtype.DateTime, "generic", 1}} {
		if _, err := numpyKeys([]int64{c.count}, &dtype.Type{Kind: c.kind, Unit: c.unit, Scale: 1, Size: 8}); err == nil {
			t.Error("labels of", c)
		}
	}
}

func TestTimesTakeTextsDatesAndInstants(t *testing.T) {
	const day = 86_400_000_000
	x := newLabelIndex("time", newTimeKeys([]int64{0, day, 31 * day}, 1, spanIn(cf.Standard)))
	for _, c := range []struct {
		selector any
		by       Lookup
		want     string
	}{
		{"1970-01-02", Lookup{}, "1"}, {"1970-01", Lookup{}, "[0,1]"}, {"1970", Lookup{}, "[0,1,2]"}, {"1971", Lookup{}, "error"},
		{time.Unix(86400, 0), Lookup{}, "1"}, {cf.Date{Year: 1970, Month: 2, Day: 1, Calendar: cf.Standard}, Lookup{}, "2"},
		{cf.Date{Year: 1970, Month: 2, Day: 1, Calendar: cf.Day360}, Lookup{}, "error"}, {int64(day), Lookup{}, "1"},
		{"1970-01-02T05", Lookup{Method: Nearest, Tolerance: "6h"}, "1"}, {"1970-01-02T05", Lookup{Method: Nearest, Tolerance: 4 * time.Hour}, "error"},
		{"yesterday", Lookup{}, "error"}, {3.0, Lookup{}, "error"}, {Labels{"1970-02-01", "1970-01-01"}, Lookup{}, "[2,0]"},
		{"99999999999999-01-01", Lookup{Method: Nearest}, "error"},
	} {
		if is := located(t, x, c.selector, c.by); is != c.want {
			t.Errorf("%v: %s instead of %s", c.selector, is, c.want)
		}
	}
	lag := newLabelIndex("lag", newTimeKeys([]int64{0, day}, 1, nil))
	if is := located(t, lag, "1D", Lookup{}) + located(t, lag, 24*time.Hour, Lookup{}) + located(t, lag, "20h", Lookup{Method: Nearest}); is != "111" {
		t.Error(is)
	}
}
