package cf

import (
	"cmp"
	"strconv"
	"time"
)

// microsPerDay is the length of a day.
const microsPerDay = 86_400_000_000

// Date is a date of a calendar, to the microsecond. The standard, gregorian and julian calendars
// have no year 0: the year before 1 is -1.
type Date struct {
	Year                                          int64
	Month, Day, Hour, Minute, Second, Microsecond int
	Calendar                                      Calendar
}

// instant is a point in time: a day number and a microsecond of that day.
type instant struct{ day, micro int64 }

// instant returns the date's instant, or an *Error when the calendar has no such date.
func (d Date) instant() (instant, error) {
	c := d.Calendar.Canonical()
	if c == None {
		return instant{}, invalid("calendar", "the calendar none has no dates")
	}
	year, ok := c.counted(d.Year)
	if !ok {
		return instant{}, &Error{Msg: "the calendar " + string(c) + " has no year 0"}
	}
	n, ok := c.dayOf(year, d.Month, d.Day)
	if !ok || d.Hour < 0 || d.Hour > 23 || d.Minute < 0 || d.Minute > 59 || d.Second < 0 || d.Second > 59 ||
		d.Microsecond < 0 || d.Microsecond > 999_999 {
		return instant{}, &Error{Msg: "the calendar " + string(c) + " has no date " + d.String()}
	}
	return instant{n, int64((d.Hour*60+d.Minute)*60+d.Second)*1_000_000 + int64(d.Microsecond)}, nil
}

// dateAt returns the date of an instant. Its microsecond may lie outside of the day.
func dateAt(at instant, c Calendar) (Date, error) {
	days := floorDiv(at.micro, microsPerDay)
	at.day, at.micro = at.day+days, at.micro-days*microsPerDay
	if at.day < -maxDays || at.day > maxDays {
		return Date{}, outOfRange()
	}
	canonical := c.Canonical()
	year, month, day := canonical.dateOf(at.day)
	second := at.micro / 1_000_000
	return Date{
		Year: canonical.named(year), Month: month, Day: day,
		Hour: int(second / 3600), Minute: int(second / 60 % 60), Second: int(second % 60),
		Microsecond: int(at.micro % 1_000_000), Calendar: c,
	}, nil
}

func outOfRange() *Error {
	return &Error{Unsupported: true, Msg: "a time is beyond the supported years"}
}

// Valid reports whether the calendar has the date.
func (d Date) Valid() bool {
	_, err := d.instant()
	return err == nil
}

// Micros returns the microseconds from 1970-01-01 of the calendar to the date. The historical
// calendars count from that day of the Gregorian calendar. It returns false for an invalid date or
// a number of more than 64 bits.
func (d Date) Micros() (int64, bool) {
	at, err := d.instant()
	const most = (1<<63 - 1) / microsPerDay
	if err != nil || at.day < -most || at.day >= most {
		return 0, false
	}
	return at.day*microsPerDay + at.micro, true
}

// String returns the date in ISO 8601, with a fraction of six digits unless it is 0.
func (d Date) String() string {
	b := make([]byte, 0, 27)
	b = appendYear(b, d.Year)
	b = appendPadded(append(b, '-'), d.Month, 2)
	b = appendPadded(append(b, '-'), d.Day, 2)
	b = appendPadded(append(b, 'T'), d.Hour, 2)
	b = appendPadded(append(b, ':'), d.Minute, 2)
	b = appendPadded(append(b, ':'), d.Second, 2)
	if d.Microsecond != 0 {
		b = appendPadded(append(b, '.'), d.Microsecond, 6)
	}
	return string(b)
}

func appendYear(b []byte, year int64) []byte {
	if year < 0 {
		b, year = append(b, '-'), -year
	}
	return appendPadded(b, int(year), 4)
}

func appendPadded(b []byte, n, width int) []byte {
	for limit := 10; width > 1; width-- {
		if n < limit {
			for ; width > 1; width-- {
				b = append(b, '0')
			}
			break
		}
		limit *= 10
	}
	return strconv.AppendInt(b, int64(n), 10)
}

// Compare orders dates of one calendar: -1, 0 or 1.
func (d Date) Compare(e Date) int {
	return cmp.Or(
		cmp.Compare(d.Year, e.Year), cmp.Compare(d.Month, e.Month), cmp.Compare(d.Day, e.Day), cmp.Compare(d.Hour, e.Hour),
		cmp.Compare(d.Minute, e.Minute), cmp.Compare(d.Second, e.Second), cmp.Compare(d.Microsecond, e.Microsecond),
	)
}

// DayOfYear returns the day's number in its year, from 1, or 0 for an invalid date. The days that
// the standard calendar skips in 1582 do not count.
func (d Date) DayOfYear() int {
	first := Date{Year: d.Year, Month: 1, Day: 1, Calendar: d.Calendar}
	from, err := first.instant()
	at, err2 := d.instant()
	if err != nil || err2 != nil {
		return 0
	}
	return int(at.day-from.day) + 1
}

// Time returns the same instant in UTC. It returns false unless package time agrees with the
// calendar: the proleptic Gregorian one, or the standard one from 1582-10-15 on.
func (d Date) Time() (time.Time, bool) {
	at, err := d.instant()
	switch c := d.Calendar.Canonical(); {
	case err != nil, c == Standard && at.day < gregorianStart, c != Standard && c != ProlepticGregorian:
		return time.Time{}, false
	}
	const most = (1<<63 - 1) / 86_400 / 2
	if at.day < -most || at.day > most {
		return time.Time{}, false
	}
	return time.Unix(at.day*86_400+at.micro/1_000_000, at.micro%1_000_000*1000).UTC(), true
}
