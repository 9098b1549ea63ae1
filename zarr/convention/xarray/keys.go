package xarray

import (
	"cmp"
	"math"
	"math/big"
	"regexp"
	"strings"
	"time"

	"github.com/zarr-wasm/zarr-wasm/zarr/convention/cf"
)

// key is a label in its coordinate's order: a number, or a string. Integers are exact.
type key struct {
	kind  keyKind
	float float64
	// An integer has a magnitude and a sign, so that both int64 and uint64 fit.
	negative bool
	size     uint64
	text     string
}

type keyKind uint8

const (
	missing keyKind = iota // NaN, NaT, and absent values
	floating
	integer
	textual
)

func floatKey(x float64) key {
	if math.IsNaN(x) {
		return key{}
	}
	return key{kind: floating, float: x + 0} // one zero
}

func intKey(x int64) key {
	if x < 0 {
		return key{kind: integer, negative: true, size: -uint64(x)}
	}
	return key{kind: integer, size: uint64(x)}
}

func uintKey(x uint64) key { return key{kind: integer, size: x} }

func textKey(s string) key { return key{kind: textual, text: s} }

// number converts the key to a float, rounded.
func (k key) number() float64 {
	switch {
	case k.kind == floating:
		return k.float
	case k.negative:
		return -float64(k.size)
	}
	return float64(k.size)
}

func compareKeys(a, b key) int {
	switch {
	case a.kind == textual && b.kind == textual:
		return cmp.Compare(a.text, b.text) // UTF-8 orders as code points do
	case a.kind == floating && b.kind == floating:
		return cmp.Compare(a.float, b.float)
	case a.kind == integer && b.kind == integer:
		switch {
		case a.negative != b.negative:
			if a.negative {
				return -1
			}
			return 1
		case a.negative:
			return cmp.Compare(b.size, a.size)
		}
		return cmp.Compare(a.size, b.size)
	case a.kind == floating:
		return -compareKeys(b, a)
	}
	// An integer and a float: the float's fraction decides only between equal integers.
	if math.Abs(b.float) >= 1<<64 {
		return cmp.Compare(0, b.float)
	}
	whole := math.Trunc(b.float)
	of := key{kind: integer, negative: whole < 0, size: uint64(math.Abs(whole))}
	return cmp.Or(compareKeys(a, of), cmp.Compare(0, b.float-whole))
}

// distance returns the distance of two numbers.
func distance(a, b key) *big.Float {
	if a.kind == integer && b.kind == integer {
		difference := new(big.Int).Sub(a.big(), b.big())
		return new(big.Float).SetInt(difference.Abs(difference))
	}
	if far := math.Abs(a.number() - b.number()); !math.IsNaN(far) {
		return big.NewFloat(far)
	}
	return new(big.Float) // equal infinities
}

func (k key) big() *big.Int {
	n := new(big.Int).SetUint64(k.size)
	if k.negative {
		n.Neg(n)
	}
	return n
}

// keys holds the labels of a coordinate, in its order.
type keys interface {
	what() string // the name in messages
	len() int
	at(i int) key
	// read converts a user's label to the range of keys that it means. It returns false for a label
	// of another kind.
	read(label any) (first, last key, ok bool)
	// tolerance returns nil for an invalid tolerance, and for labels without a distance.
	tolerance(of any) *big.Float
	measured() bool
	// resolution is the span of a label that names an instant rather than a range. It is 0 except
	// for times.
	resolution() int64
}

// numberKeys holds numbers of up to 64 bits.
type numberKeys[T float64 | int64 | uint64] struct {
	values []T
	key    func(T) key
	// round, if set, rounds labels to the coordinate's type before the search.
	round func(float64) float64
}

func floatKeys(values []float64, round func(float64) float64) keys {
	return &numberKeys[float64]{values, floatKey, round}
}
func intKeys(values []int64) keys   { return &numberKeys[int64]{values, intKey, nil} }
func uintKeys(values []uint64) keys { return &numberKeys[uint64]{values, uintKey, nil} }

func (*numberKeys[T]) what() string      { return "numbers" }
func (k *numberKeys[T]) len() int        { return len(k.values) }
func (k *numberKeys[T]) at(i int) key    { return k.key(k.values[i]) }
func (*numberKeys[T]) measured() bool    { return true }
func (*numberKeys[T]) resolution() int64 { return 0 }

func (k *numberKeys[T]) read(label any) (first, last key, ok bool) {
	of, ok := numberOf(label)
	if of.kind == floating && k.round != nil {
		of = floatKey(k.round(of.float))
	}
	return of, of, ok
}

// numberOf returns a label that is a number.
func numberOf(label any) (key, bool) {
	switch x := label.(type) {
	case float64:
		return floatKey(x), true
	case float32:
		return floatKey(float64(x)), true
	case int:
		return intKey(int64(x)), true
	case int32:
		return intKey(int64(x)), true
	case int64:
		return intKey(x), true
	case uint64:
		return uintKey(x), true
	}
	return key{}, false
}

func (*numberKeys[T]) tolerance(of any) *big.Float {
	k, ok := numberOf(of)
	if !ok || k.kind == missing || k.negative || k.number() < 0 {
		return nil
	}
	return distance(k, intKey(0))
}

// textKeys holds strings. there marks those that are not missing; nil means all.
type textKeys struct {
	values []string
	there  []bool
}

func (*textKeys) what() string      { return "texts" }
func (k *textKeys) len() int        { return len(k.values) }
func (*textKeys) measured() bool    { return false }
func (*textKeys) resolution() int64 { return 0 }
func (k *textKeys) at(i int) key {
	if k.there != nil && !k.there[i] {
		return key{}
	}
	return textKey(k.values[i])
}

func (*textKeys) read(label any) (first, last key, ok bool) {
	s, ok := label.(string)
	return textKey(s), textKey(s), ok
}

func (*textKeys) tolerance(any) *big.Float { return nil }

type boolKeys []bool

func (boolKeys) what() string             { return "booleans" }
func (k boolKeys) len() int               { return len(k) }
func (boolKeys) measured() bool           { return false }
func (boolKeys) resolution() int64        { return 0 }
func (boolKeys) tolerance(any) *big.Float { return nil }

func boolKey(b bool) key {
	if b {
		return intKey(1)
	}
	return intKey(0)
}

func (k boolKeys) at(i int) key { return boolKey(k[i]) }

func (boolKeys) read(label any) (first, last key, ok bool) {
	b, ok := label.(bool)
	return boolKey(b), boolKey(b), ok
}

// notATime is NaT.
const notATime = math.MinInt64

// timeKeys holds times in ticks since a common epoch. perMicro is the number of ticks in a
// microsecond.
type timeKeys struct {
	counts   []int64
	perMicro int64
	// span returns the first and last microsecond that a label can mean, since that epoch. It is
	// nil for durations, whose labels have the form of tolerances.
	span  func(label any) (first, last int64, ok bool)
	whole int64
}

func newTimeKeys(counts []int64, perMicro int64, span func(label any) (first, last int64, ok bool)) *timeKeys {
	return &timeKeys{counts, perMicro, span, resolutionOf(counts, perMicro)}
}

func (k *timeKeys) what() string {
	if k.span == nil {
		return "durations"
	}
	return "times"
}

func (k *timeKeys) len() int     { return len(k.counts) }
func (*timeKeys) measured() bool { return true }

func (k *timeKeys) at(i int) key {
	if k.counts[i] == notATime {
		return key{}
	}
	return intKey(k.counts[i])
}

func (k *timeKeys) resolution() int64 {
	if k.span == nil {
		return 0
	}
	return k.whole
}

func (k *timeKeys) read(label any) (first, last key, ok bool) {
	if ticks, is := label.(int64); is { // a label of the coordinate itself
		return intKey(ticks), intKey(ticks), true
	}
	if k.span == nil {
		ticks, ok := k.duration(label)
		return intKey(ticks), intKey(ticks), ok
	}
	from, to, ok := k.span(label)
	const most = math.MaxInt64 / 1000
	if !ok || from < -most || from > most || to < -most || to > most {
		if ok && k.perMicro == 1 {
			return intKey(from), intKey(to), true
		}
		return key{}, key{}, false
	}
	return intKey(from * k.perMicro), intKey(to*k.perMicro + k.perMicro - 1), true
}

func (k *timeKeys) tolerance(of any) *big.Float {
	ticks, ok := k.duration(of)
	if !ok || ticks < 0 {
		return nil
	}
	return distance(intKey(ticks), intKey(0))
}

// resolutionOf returns the longest unit of time that divides all times: the resolution of an index
// in pandas.
func resolutionOf(counts []int64, perMicro int64) int64 {
	parts := [...]int64{86_400_000_000, 3_600_000_000, 60_000_000, 1_000_000, 1000, 1}
	i := 0
	for _, count := range counts {
		if count == notATime {
			continue
		}
		for i < len(parts) && count%(parts[i]*perMicro) != 0 {
			i++
		}
		if i == len(parts) {
			return 1
		}
	}
	return parts[i] * perMicro
}

// duration converts a duration to ticks: a time.Duration, or pandas's notation "6h", "1.5 days",
// "-2D".
func (k *timeKeys) duration(of any) (int64, bool) {
	if d, ok := of.(time.Duration); ok {
		return int64(d) * k.perMicro / 1000, true
	}
	text, _ := of.(string)
	match := regexp.MustCompile(`^\s*([-+]?)(\d{1,15})(?:\.(\d{1,9}))?\s*([a-zA-Zµμ]+)\s*$`).FindStringSubmatch(text)
	if match == nil {
		return 0, false
	}
	nanos, ok := unitNanos(match[4])
	if !ok {
		return 0, false
	}
	n, _ := new(big.Int).SetString(match[2]+(match[3] + "000000000")[:9], 10)
	n.Mul(n, big.NewInt(nanos)).Mul(n, big.NewInt(k.perMicro)).Quo(n, big.NewInt(1e12))
	if match[1] == "-" {
		n.Neg(n)
	}
	return n.Int64(), n.IsInt64()
}

// unitNanos returns the nanoseconds of a unit by its name in pandas.
func unitNanos(unit string) (int64, bool) {
	switch unit {
	case "W":
		return 604_800e9, true
	case "D", "day", "days":
		return 86_400e9, true
	case "h", "H", "hour", "hours":
		return 3600e9, true
	case "m", "min", "minute", "minutes":
		return 60e9, true
	case "s", "second", "seconds":
		return 1e9, true
	case "ms":
		return 1e6, true
	case "us", "µs", "μs":
		return 1e3, true
	case "ns":
		return 1, true
	}
	return 0, false
}

// spanIn reads labels of times in a calendar: texts, which may lack their end, dates, and values of
// package time.
func spanIn(calendar cf.Calendar) func(label any) (first, last int64, ok bool) {
	one := func(d cf.Date) (first, last int64, ok bool) {
		first, ok = d.Micros()
		return first, first, ok
	}
	return func(label any) (first, last int64, ok bool) {
		switch label := label.(type) {
		case string:
			if !strings.ContainsAny(label, "0123456789") {
				return 0, 0, false
			}
			from, to, err := cf.ParsePartial(label, calendar)
			if err != nil {
				return 0, 0, false
			}
			first, ok = from.Micros()
			last, ends := to.Micros()
			return first, last, ok && ends
		case cf.Date:
			if label.Calendar.Canonical() != calendar.Canonical() {
				return 0, 0, false
			}
			return one(label)
		case time.Time:
			u := label.UTC()
			// A time.Time is the same instant in historical calendars, and the date with the same
			// components in model calendars.
			if c := calendar.Canonical(); c == cf.Standard || c == cf.ProlepticGregorian || c == cf.Julian {
				return u.UnixMicro(), u.UnixMicro(), true
			}
			return one(cf.Date{
				Year: int64(u.Year()), Month: int(u.Month()), Day: u.Day(), Hour: u.Hour(), Minute: u.Minute(),
				Second: u.Second(), Microsecond: u.Nanosecond() / 1000, Calendar: calendar,
			})
		}
		return 0, 0, false
	}
}
