package cf

import "strings"

// Calendar is the name of a calendar of CF 4.4.1, in lower case.
type Calendar string

// The calendars. Gregorian, Day365 and Day366 are other names of Standard, NoLeap and AllLeap.
const (
	// Julian until 1582-10-04, Gregorian from 1582-10-15 on
	Standard           Calendar = "standard"
	Gregorian          Calendar = "gregorian"           // standard
	ProlepticGregorian Calendar = "proleptic_gregorian" // Gregorian always
	Julian             Calendar = "julian"              // a leap year every four years
	NoLeap             Calendar = "noleap"              // years of 365 days
	Day365             Calendar = "365_day"             // noleap
	AllLeap            Calendar = "all_leap"            // years of 366 days
	Day366             Calendar = "366_day"             // all_leap
	Day360             Calendar = "360_day"             // months of 30 days
	None               Calendar = "none"                // no dates at all
)

// ParseCalendar reads the attribute calendar; "" is the standard one.
func ParseCalendar(name string) (Calendar, error) {
	c := Calendar(strings.ToLower(strings.TrimSpace(name)))
	switch c {
	case "":
		return Standard, nil
	case Standard, Gregorian, ProlepticGregorian, Julian, NoLeap, Day365, AllLeap, Day366, Day360, None:
		return c, nil
	case "utc", "tai":
		return "", &Error{Attribute: "calendar", Unsupported: true, Msg: "the calendar " + string(c) + " needs a table of leap seconds"}
	}
	return "", invalid("calendar", "there is no calendar "+quote(name))
}

// Canonical is the calendar's name in CF where it has two.
func (c Calendar) Canonical() Calendar {
	switch c {
	case Gregorian, "":
		return Standard
	case Day365:
		return NoLeap
	case Day366:
		return AllLeap
	}
	return c
}

// HasYearZero reports whether the calendar has a year 0. In the historical calendars the year
// before 1 is -1.
func (c Calendar) HasYearZero() bool {
	switch c.Canonical() {
	case Standard, Julian:
		return false
	}
	return true
}

// Days are numbered from 1970-01-01 of their calendar. The historical calendars count from that day
// of the Gregorian calendar, and so give one day the same number. Years here include a year 0.

const (
	// gregorianStart is 1582-10-15, the first Gregorian day of the standard calendar.
	gregorianStart = -141427
	// maxDays bounds day numbers. No arithmetic overflows below it, in int64 or binary64.
	maxDays = 1_000_000_000_000_000
)

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// yearStart returns the number of a year's first day. The calendar must be canonical and not
// Standard.
func (c Calendar) yearStart(year int64) int64 {
	y := year - 1
	switch c {
	case ProlepticGregorian:
		return 365*y + floorDiv(y, 4) - floorDiv(y, 100) + floorDiv(y, 400) - 719162
	case Julian:
		return 365*y + floorDiv(y, 4) - 719164
	case NoLeap:
		return 365 * (year - 1970)
	case AllLeap:
		return 366 * (year - 1970)
	}
	return 360 * (year - 1970)
}

// meanYear returns the mean length of a year, in days.
func (c Calendar) meanYear() float64 {
	switch c {
	case ProlepticGregorian:
		return 365.2425
	case Julian:
		return 365.25
	case NoLeap:
		return 365
	case AllLeap:
		return 366
	}
	return 360
}

// leap reports whether a year has a 29th of February.
func (c Calendar) leap(year int64) bool {
	switch c {
	case ProlepticGregorian:
		return year%4 == 0 && (year%100 != 0 || year%400 == 0)
	case Julian:
		return year%4 == 0
	}
	return c == AllLeap
}

// monthDays returns the number of days in a month from 1 to 12.
func (c Calendar) monthDays(year int64, month int) int {
	switch {
	case c == Day360:
		return 30
	case month == 2 && c.leap(year):
		return 29
	case month == 2:
		return 28
	case month == 4 || month == 6 || month == 9 || month == 11:
		return 30
	}
	return 31
}

// dayOf returns the number of a day. It returns false for a date that does not exist.
func (c Calendar) dayOf(year int64, month, day int) (int64, bool) {
	if c == Standard {
		if n, ok := ProlepticGregorian.dayOf(year, month, day); ok && n >= gregorianStart {
			return n, true
		}
		n, ok := Julian.dayOf(year, month, day)
		return n, ok && n < gregorianStart
	}
	if year < -maxDays/360 || year > maxDays/360 || month < 1 || month > 12 || day < 1 || day > c.monthDays(year, month) {
		return 0, false
	}
	n := c.yearStart(year) + int64(day) - 1
	for m := 1; m < month; m++ {
		n += int64(c.monthDays(year, m))
	}
	return n, n >= -maxDays && n <= maxDays
}

// dateOf returns the date of a day number.
func (c Calendar) dateOf(n int64) (year int64, month, day int) {
	if c == Standard {
		c = Julian
		if n >= gregorianStart {
			c = ProlepticGregorian
		}
	}
	year = 1970 + int64(float64(n)/c.meanYear())
	for c.yearStart(year) > n {
		year--
	}
	for c.yearStart(year+1) <= n {
		year++
	}
	day, month = int(n-c.yearStart(year)), 1
	for day >= c.monthDays(year, month) {
		day -= c.monthDays(year, month)
		month++
	}
	return year, month, day + 1
}

// counted converts a calendar's year to a count that includes a year 0. It returns false for a year
// that the calendar does not have.
func (c Calendar) counted(year int64) (int64, bool) {
	switch {
	case c.HasYearZero() || year > 0:
		return year, true
	case year == 0:
		return 0, false
	}
	return year + 1, true
}

// named converts a count that includes a year 0 to the calendar's own year.
func (c Calendar) named(year int64) int64 {
	if year <= 0 && !c.HasYearZero() {
		return year - 1
	}
	return year
}
