package cf

import (
	"math"
	"math/big"
	"math/bits"
	"strings"
)

// Units defines the numbers of a time coordinate: multiples of a unit after a reference date.
type Units struct {
	// Unit is the unit's name: "microseconds", "days", "months".
	Unit string
	// Reference is the date of the number 0, in UTC.
	Reference Date
	// Calendar is the calendar as the attribute names it, or Standard without one.
	Calendar Calendar
	text     string
	// A unit is count/perDay days.
	count, perDay int64
	origin        instant
}

// unit is a UDUNITS unit of time, as a fraction of a day.
type unit struct {
	name          string
	count, perDay int64
}

// yearMicros is the UDUNITS year, 31,556,925.9747 seconds. Its month is a twelfth of that.
const yearMicros = 31_556_925_974_700

// unitOf finds a unit by any of its spellings. It supports months of the 360_day calendar, which
// have a fixed length.
func unitOf(name string, c Calendar) (unit, bool) {
	switch name {
	case "nanoseconds", "nanosecond", "nanosecs", "nanosec", "nsecs", "nsec", "ns":
		return unit{"nanoseconds", 1, microsPerDay * 1000}, true
	case "microseconds", "microsecond", "microsecs", "microsec", "usecs", "usec", "us", "µs", "μs":
		return unit{"microseconds", 1, microsPerDay}, true
	case "milliseconds", "millisecond", "millisecs", "millisec", "msecs", "msec", "ms":
		return unit{"milliseconds", 1, microsPerDay / 1000}, true
	case "seconds", "second", "secs", "sec", "s":
		return unit{"seconds", 1, 86_400}, true
	case "minutes", "minute", "mins", "min":
		return unit{"minutes", 1, 1440}, true
	case "hours", "hour", "hrs", "hr", "h":
		return unit{"hours", 1, 24}, true
	case "days", "day", "d":
		return unit{"days", 1, 1}, true
	case "weeks", "week":
		return unit{"weeks", 7, 1}, true
	case "common_years", "common_year":
		return unit{"common_years", 365, 1}, true
	case "months", "month":
		if c == Day360 {
			return unit{"months", 30, 1}, true
		}
		return unit{"months", yearMicros / 12, microsPerDay}, true
	case "years", "year", "yrs", "yr":
		return unit{"years", yearMicros, microsPerDay}, true
	}
	return unit{}, false
}

// splitUnits splits "UNIT since DATE".
func splitUnits(text string) (name, reference string, ok bool) {
	fields := strings.Fields(text)
	if len(fields) < 3 || !strings.EqualFold(fields[1], "since") {
		return "", "", false
	}
	return strings.ToLower(fields[0]), strings.Join(fields[2:], " "), true
}

// ParseUnits reads the attributes units and calendar of a time coordinate. The error is an *Error,
// also for the calendar none, which has no dates.
func ParseUnits(units, calendar string) (*Units, error) {
	c, err := ParseCalendar(calendar)
	if err != nil {
		return nil, err
	}
	if c == None {
		return nil, invalid("calendar", "the calendar none has no dates")
	}
	name, reference, ok := splitUnits(units)
	if !ok {
		return nil, invalid("units", quote(units)+" is not a unit of time since a date")
	}
	u, ok := unitOf(name, c.Canonical())
	if !ok {
		return nil, invalid("units", quote(name)+" is not a unit of time")
	}
	s, ok := parseStamp(reference)
	if !ok {
		return nil, invalid("units", "the reference "+quote(reference)+" is not a date")
	}
	at, err := s.at(c)
	if err != nil {
		return nil, invalid("units", err.Error())
	}
	ref, err := dateAt(at, c)
	if err != nil {
		return nil, invalid("units", err.Error())
	}
	if at, err = ref.instant(); err != nil {
		return nil, invalid("units", err.Error())
	}
	return &Units{Unit: u.name, Reference: ref, Calendar: c, text: units, count: u.count, perDay: u.perDay, origin: at}, nil
}

// String is the text that the units were parsed from.
func (u *Units) String() string { return u.text }

// DateInt returns the date of an integer, exact to the microsecond. It rounds nanoseconds half to
// even.
func (u *Units) DateInt(value int64) (Date, error) {
	if value < 0 {
		return u.date(true, -uint64(value))
	}
	return u.date(false, uint64(value))
}

// DateUint is DateInt for unsigned integers.
func (u *Units) DateUint(value uint64) (Date, error) { return u.date(false, value) }

func (u *Units) date(negative bool, value uint64) (Date, error) {
	hi, lo := bits.Mul64(value, uint64(u.count))
	if hi >= uint64(u.perDay) {
		return Date{}, outOfRange()
	}
	q, r := bits.Div64(hi, lo, uint64(u.perDay))
	if q > maxDays {
		return Date{}, outOfRange()
	}
	days, ticks := int64(q), int64(r)
	if negative {
		if days = -days; ticks > 0 {
			days, ticks = days-1, u.perDay-ticks
		}
	}
	var micros int64
	if u.perDay > microsPerDay {
		micros = roundDiv(ticks, u.perDay/microsPerDay)
	} else {
		micros = ticks * (microsPerDay / u.perDay)
	}
	return dateAt(instant{u.origin.day + days, u.origin.micro + micros}, u.Calendar)
}

// roundDiv returns a/b, rounded half to even. Neither may be negative.
func roundDiv(a, b int64) int64 {
	q, r := a/b, a%b
	if 2*r > b || 2*r == b && q%2 == 1 {
		q++
	}
	return q
}

// Date returns the date of a number, rounded half to even to microseconds. NaN and the infinities
// have none.
func (u *Units) Date(value float64) (Date, error) {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return Date{}, &Error{Unsupported: true, Msg: "NaN and infinities have no date"}
	}
	if math.Abs(value)*float64(u.count)/float64(u.perDay) > maxDays {
		return Date{}, outOfRange()
	}
	if value == math.Trunc(value) && math.Abs(value) < 1<<63 {
		return u.DateInt(int64(value))
	}
	// The rest has a fraction: it is exactly mantissa / 2^shift.
	fraction, exponent := math.Frexp(value)
	num := big.NewInt(int64(fraction * (1 << 53)))
	num.Mul(num, big.NewInt(u.count)).Mul(num, big.NewInt(microsPerDay))
	den := new(big.Int).Lsh(big.NewInt(u.perDay), uint(max(0, 53-exponent)))
	num.Lsh(num, uint(max(0, exponent-53)))
	micros, rest := new(big.Int).DivMod(num, den, new(big.Int))
	if half := rest.Lsh(rest, 1).Cmp(den); half > 0 || half == 0 && micros.Bit(0) == 1 {
		micros.Add(micros, big.NewInt(1))
	}
	days, micro := new(big.Int).DivMod(micros, big.NewInt(microsPerDay), new(big.Int))
	return dateAt(instant{u.origin.day + days.Int64(), u.origin.micro + micro.Int64()}, u.Calendar)
}

// after returns the units from the reference to a date.
func (u *Units) after(d Date) (*big.Rat, error) {
	if d.Calendar.Canonical() != u.Calendar.Canonical() {
		return nil, &Error{Msg: "a date of the calendar " + string(d.Calendar) + " is not a date of the calendar " + string(u.Calendar)}
	}
	at, err := d.instant()
	if err != nil {
		return nil, err
	}
	micros := big.NewInt(at.day - u.origin.day)
	micros.Mul(micros, big.NewInt(microsPerDay)).Add(micros, big.NewInt(at.micro-u.origin.micro))
	num := micros.Mul(micros, big.NewInt(u.perDay))
	return new(big.Rat).SetFrac(num, new(big.Int).Mul(big.NewInt(u.count), big.NewInt(microsPerDay))), nil
}

// Value returns the binary64 nearest to the number of a date.
func (u *Units) Value(d Date) (float64, error) {
	r, err := u.after(d)
	if err != nil {
		return 0, err
	}
	f, _ := r.Float64()
	return f, nil
}

// ValueInt returns the number of a date. It returns false unless that is an integer of 64 bits.
func (u *Units) ValueInt(d Date) (int64, bool) {
	r, err := u.after(d)
	if err != nil || !r.IsInt() || !r.Num().IsInt64() {
		return 0, false
	}
	return r.Num().Int64(), true
}

// Range returns [ParsePartial]'s result in numbers of these units: the first and the last
// microsecond that the text can mean. The numbers are rounded to binary64; compare dates where that
// matters.
func (u *Units) Range(text string) (first, last float64, err error) {
	from, to, err := ParsePartial(text, u.Calendar)
	if err != nil {
		return 0, 0, err
	}
	if first, err = u.Value(from); err != nil {
		return 0, 0, err
	}
	last, err = u.Value(to)
	return first, last, err
}
