package xarray

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"
	"sort"
)

// Method selects how to find a label that the coordinate does not contain.
type Method string

// The methods. Nearest prefers the larger of two equally near labels. Pad finds the preceding label
// in the coordinate's order, and Backfill the following one.
const (
	Exact    Method = ""
	Nearest  Method = "nearest"
	Pad      Method = "pad"
	Backfill Method = "backfill"
)

// Slice is a range of labels that includes both ends. nil leaves an end open. A negative Step
// reverses the range; 0 stands for 1.
type Slice struct {
	Start, Stop any
	Step        int
}

// Between returns the range from one label to another.
func Between(start, stop any) Slice { return Slice{Start: start, Stop: stop} }

// Labels selects single labels, in any order.
type Labels []any

// Lookup holds the settings of a search in one coordinate.
type Lookup struct {
	Method Method
	// Tolerance, if not nil, bounds the distance between the requested and the found label. For
	// times it is a duration: a time.Duration, or "6h".
	Tolerance any
	// Period, if not 0, is the period of cyclic numbers, such as 360 for longitudes.
	Period float64
}

// positions holds positions along a dimension.
type positions struct {
	// Single marks a single position, which drops the dimension.
	Single bool
	List   []int
}

// SelectionError reports a selection by labels that does not fit a coordinate.
type SelectionError struct {
	Coordinate string
	// Absent is true when the coordinate does not contain the label.
	Absent bool
	Msg    string
}

func (e *SelectionError) Error() string { return e.Coordinate + ": " + e.Msg }

// order is the order of labels. Equal neighbours count as ordered, missing labels do not.
type order uint8

const (
	unordered order = iota
	ascending
	descending
)

// labelIndex finds labels in a coordinate by the rules of pandas and xarray.
type labelIndex struct {
	name   string
	keys   keys
	order  order
	unique bool
	// where maps each label of an unordered coordinate to its positions.
	where map[key][]int
}

func newLabelIndex(name string, k keys) *labelIndex {
	up, down, strict := true, true, true
	for i := 0; i < k.len() && (up || down); i++ {
		at := k.at(i)
		if at.kind == missing {
			up, down = false, false
		} else if i > 0 {
			switch compareKeys(k.at(i-1), at) {
			case 1:
				up = false
			case -1:
				down = false
			default:
				strict = false
			}
		}
	}
	x := &labelIndex{name: name, keys: k}
	switch {
	case up:
		x.order, x.unique = ascending, strict
	case down:
		x.order, x.unique = descending, strict
	default:
		x.where = make(map[key][]int, k.len())
		for i := range k.len() {
			at := k.at(i)
			x.where[at] = append(x.where[at], i)
		}
		x.unique = len(x.where) == k.len()
	}
	return x
}

func (x *labelIndex) fail(format string, args ...any) error {
	return &SelectionError{Coordinate: x.name, Msg: fmt.Sprintf(format, args...)}
}

func (x *labelIndex) absent(label any) error {
	return &SelectionError{Coordinate: x.name, Absent: true, Msg: "there is no label " + shown(label)}
}

// shown formats a label for messages.
func shown(label any) string {
	switch label := label.(type) {
	case string:
		return fmt.Sprintf("%q", label)
	case fmt.Stringer:
		return label.String()
	}
	return fmt.Sprintf("%v", label)
}

func (x *labelIndex) read(label any) (first, last key, err error) {
	first, last, ok := x.keys.read(label)
	if !ok {
		return first, last, x.fail("%s is not a label of a coordinate of %s", shown(label), x.keys.what())
	}
	return first, last, nil
}

// bound returns the first position whose label is not before a key, or with behind the first whose
// label is after it.
func (x *labelIndex) bound(k key, behind bool) int {
	sign := 1
	if x.order == descending {
		sign = -1
	}
	return sort.Search(x.keys.len(), func(i int) bool {
		c := sign * compareKeys(x.keys.at(i), k)
		return c > 0 || c == 0 && !behind
	})
}

// exact returns the positions of a key.
func (x *labelIndex) exact(k key) []int {
	switch {
	case x.order == unordered && k.kind == floating:
		if places, ok := x.where[k]; ok {
			return places
		}
		// The float may equal an integer label.
		if k.float == math.Trunc(k.float) && math.Abs(k.float) < 1<<63 {
			return x.where[intKey(int64(k.float))]
		}
		return nil
	case x.order == unordered && k.kind == integer:
		if places, ok := x.where[k]; ok {
			return places
		}
		if f := floatKey(k.number()); compareKeys(f, k) == 0 {
			return x.where[f]
		}
		return nil
	case x.order == unordered:
		return x.where[k]
	case k.kind == missing:
		return nil
	}
	return span(x.bound(k, false), x.bound(k, true), 1)
}

// span returns the positions from one to before another.
func span(from, to, step int) []int {
	list := []int{}
	for i := from; step > 0 && i < to || step < 0 && i > to; i += step {
		list = append(list, i)
	}
	return list
}

// locate returns the positions that a selector names: a label, a [Slice] or [Labels].
func (x *labelIndex) locate(selector any, by Lookup) (positions, error) {
	switch selector := selector.(type) {
	case Slice:
		if by.Period != 0 {
			found, err := x.around(selector, by.Period)
			return positions{List: found}, err
		}
		found, err := x.slice(selector)
		return positions{List: found}, err
	case Labels:
		found := make([]int, len(selector))
		for i, label := range selector {
			place, err := x.one(label, by)
			if err != nil {
				return positions{}, err
			}
			found[i] = place
		}
		return positions{List: found}, nil
	}
	if by != (Lookup{}) {
		place, err := x.one(selector, by)
		return positions{Single: true, List: []int{place}}, err
	}
	first, last, err := x.read(selector)
	if err != nil {
		return positions{}, err
	}
	if x.isWide(first, last) {
		found, err := x.within(selector, first, last)
		return positions{List: found}, err
	}
	places := x.exact(first)
	if len(places) == 0 {
		return positions{}, x.absent(selector)
	}
	return positions{Single: len(places) == 1, List: places}, nil
}

// isWide reports whether a text covers more than one instant at the times' resolution.
func (x *labelIndex) isWide(first, last key) bool {
	resolution := x.keys.resolution()
	return resolution > 0 && first.kind == integer && distance(first, last).Cmp(new(big.Float).SetInt64(resolution-1)) > 0
}

// within returns the times in a period. A period before or after all of them is an error, like a
// missing label.
func (x *labelIndex) within(label any, first, last key) ([]int, error) {
	if x.order == unordered {
		var found []int
		for i := range x.keys.len() {
			if at := x.keys.at(i); at.kind != missing && compareKeys(at, first) >= 0 && compareKeys(at, last) <= 0 {
				found = append(found, i)
			}
		}
		if found == nil {
			return nil, x.absent(label)
		}
		return found, nil
	}
	if x.order == descending {
		first, last = last, first
	}
	from, to := x.bound(first, false), x.bound(last, true)
	if from == to && (from == 0 || from == x.keys.len()) {
		return nil, x.absent(label)
	}
	return span(from, to, 1), nil
}

// one returns the single position of a label, by a method or exactly.
func (x *labelIndex) one(label any, by Lookup) (int, error) {
	first, _, err := x.read(label)
	if err != nil {
		return 0, err
	}
	var most *big.Float
	if by.Tolerance != nil {
		if by.Method == Exact {
			return 0, x.fail("a tolerance needs a method")
		}
		if most = x.keys.tolerance(by.Tolerance); most == nil {
			return 0, x.fail("%s is not a tolerance of %s", shown(by.Tolerance), x.keys.what())
		}
	}
	if by.Period != 0 {
		return x.onCircle(label, first, by, most)
	}
	place, err := x.place(label, first, by.Method)
	if err != nil {
		return 0, err
	}
	if place < 0 || most != nil && distance(x.keys.at(place), first).Cmp(most) > 0 {
		return 0, x.absent(label)
	}
	return place, nil
}

// place returns the position of a label by a method, or -1.
func (x *labelIndex) place(label any, k key, method Method) (int, error) {
	if method != Exact {
		return x.near(k, method)
	}
	places := x.exact(k)
	switch len(places) {
	case 0:
		return -1, nil
	case 1:
		return places[0], nil
	}
	return 0, x.fail("the label %s occurs %d times, but must be unique", shown(label), len(places))
}

// near returns the position that a method finds, or -1.
func (x *labelIndex) near(k key, method Method) (int, error) {
	switch {
	case method != Nearest && method != Pad && method != Backfill:
		return 0, x.fail("there is no method %q", string(method))
	case x.order == unordered || !x.unique:
		return 0, x.fail("method %q needs distinct labels in ascending or descending order", string(method))
	case method == Nearest && !x.keys.measured():
		return 0, x.fail("%s have no nearest label", x.keys.what())
	case k.kind == missing:
		return 0, x.fail("a missing label has no neighbours")
	}
	behind, n := x.bound(k, false), x.keys.len()
	if behind < n && compareKeys(x.keys.at(behind), k) == 0 {
		return behind, nil
	}
	before := behind - 1
	if behind == n {
		behind = -1
	}
	switch {
	case method == Backfill:
		return behind, nil
	case method == Pad, behind < 0:
		return before, nil
	case before < 0:
		return behind, nil
	}
	a, b := distance(x.keys.at(before), k), distance(x.keys.at(behind), k)
	if c := a.Cmp(b); c < 0 || c == 0 && x.order == descending {
		return before, nil
	}
	return behind, nil
}

// slice returns the positions from one label to another.
func (x *labelIndex) slice(s Slice) ([]int, error) {
	step := s.Step
	if step == 0 {
		step = 1
	}
	from, to := s.Start, s.Stop
	if step < 0 { // a reversed range swaps the ends
		from, to = to, from
	}
	low, high := 0, x.keys.len()
	var err error
	if from != nil {
		if low, err = x.end(from, false); err != nil {
			return nil, err
		}
	}
	if to != nil {
		if high, err = x.end(to, true); err != nil {
			return nil, err
		}
	}
	if step > 0 {
		return span(low, high, step), nil
	}
	return span(high-1, low-1, step), nil
}

// end returns the position at which a slice begins, or after which it ends.
func (x *labelIndex) end(label any, last bool) (int, error) {
	from, to, err := x.read(label)
	if err != nil {
		return 0, err
	}
	if x.order != unordered {
		if from.kind == missing {
			return 0, x.fail("%s cannot be an end of a range", shown(label))
		}
		if last == (x.order == ascending) {
			from = to
		}
		return x.bound(from, last), nil
	}
	if x.isWide(from, to) {
		return 0, x.fail("a range that begins or ends with %s needs labels in ascending or descending order", shown(label))
	}
	places := x.exact(from)
	if len(places) == 0 {
		return 0, x.absent(label)
	}
	begin, end := places[0], places[len(places)-1]
	if end-begin != len(places)-1 {
		return 0, x.fail("the label %s occurs several times, and the labels are not in order", shown(label))
	}
	if last {
		return end + 1, nil
	}
	return begin, nil
}

// circle returns the least and largest number of a cyclic coordinate. Its error reports a
// coordinate longer than one period.
func (x *labelIndex) circle(period float64) (low, high float64, err error) {
	switch {
	case x.keys.what() != "numbers":
		return 0, 0, x.fail("a period is for numbers, not for %s", x.keys.what())
	case !(period > 0) || math.IsInf(period, 0):
		return 0, 0, x.fail("a period must be a number above 0, not %v", period)
	case x.order == unordered:
		return 0, 0, x.fail("a period needs labels in ascending or descending order")
	case x.keys.len() == 0:
		return 0, 0, nil
	}
	a, b := x.keys.at(0).number(), x.keys.at(x.keys.len()-1).number()
	low, high = min(a, b), max(a, b)
	if !(high-low <= period) {
		return 0, 0, x.fail("the labels, %v to %v, cover more than one period of %v", low, high, period)
	}
	return low, high, nil
}

// turns returns the number of periods from a number to a bound, or just past it.
func (x *labelIndex) turns(number, low, period float64) (float64, error) {
	turns := math.Ceil((low - number) / period)
	if !(math.Abs(turns) < 1<<53) {
		return 0, x.fail("%v has no position in a period of %v", number, period)
	}
	return turns, nil
}

// onCircle returns the single position of a label on a circle: the label, or one that lies whole
// periods away.
func (x *labelIndex) onCircle(label any, k key, by Lookup, most *big.Float) (int, error) {
	low, _, err := x.circle(by.Period)
	if err != nil {
		return 0, err
	}
	number := math.NaN()
	if k.kind != missing {
		number = k.number()
	}
	turns, err := x.turns(number, low, by.Period)
	if err != nil {
		return 0, err
	}
	best, far, at := -1, new(big.Float), 0.0
	// The nearest label may also lie across the seam, at either end.
	for _, turn := range []float64{0, turns, turns - 1, turns + 1} {
		first, _, err := x.read(number + turn*by.Period)
		if err != nil {
			return 0, err
		}
		place, err := x.place(label, first, by.Method)
		if err != nil {
			return 0, err
		}
		if place < 0 {
			continue
		}
		d, of := distance(x.keys.at(place), first), x.keys.at(place).number()-turn*by.Period
		if best < 0 || d.Cmp(far) < 0 || d.Cmp(far) == 0 && of > at {
			best, far, at = place, d, of
		}
	}
	if best < 0 || most != nil && far.Cmp(most) > 0 {
		return 0, x.absent(label)
	}
	return best, nil
}

// around returns the positions from one number to another on a circle, across the seam where
// necessary.
func (x *labelIndex) around(s Slice, period float64) ([]int, error) {
	low, high, err := x.circle(period)
	if err != nil || s.Start == nil || s.Stop == nil {
		if err == nil {
			return x.slice(s)
		}
		return nil, err
	}
	step := cmp.Or(s.Step, 1)
	if step < 1 {
		return nil, x.fail("with a period, a slice's step must be above 0, not %d", step)
	}
	ends := [2]float64{}
	for i, label := range []any{s.Start, s.Stop} {
		k, _, err := x.read(label)
		if err != nil {
			return nil, err
		}
		if ends[i] = math.NaN(); k.kind != missing {
			ends[i] = k.number()
		}
	}
	up := x.order == ascending
	a, b := ends[0], ends[1]
	if !up {
		a, b = b, a
	}
	// The upper end may lie some periods beyond the written number.
	more := 0.0
	if b < a {
		more = math.Ceil((a - b) / period)
	}
	first, err := x.turns(a, low, period)
	if err != nil {
		return nil, err
	}
	if _, err := x.turns(b, low, period); err != nil {
		return nil, err
	}
	var turns []float64
	for turn := first - 1; a+turn*period <= high; turn++ {
		turns = append(turns, turn)
	}
	// In ascending order the labels of the higher period come first, since they lie before the
	// seam.
	if up {
		slices.Reverse(turns)
	}
	var found []int
	seen := map[int]bool{}
	for _, turn := range turns {
		lower := a + turn*period
		upper := min(b+(turn+more)*period, lower+period)
		if !up {
			lower, upper = upper, lower
		}
		part, err := x.slice(Slice{Start: lower, Stop: upper})
		if err != nil {
			return nil, err
		}
		for _, i := range part {
			if !seen[i] {
				seen[i] = true
				found = append(found, i)
			}
		}
	}
	kept := []int{}
	for i := 0; i < len(found); i += step {
		kept = append(kept, found[i])
	}
	return kept, nil
}
