package cf

import (
	"strings"
	"unicode"
)

// resolution is the last component that a text's date has.
type resolution uint8

const (
	years resolution = iota + 1
	months
	days
	hours
	minutes
	seconds
	fractions
)

// stamp is a date as written. An absent component has its first value.
type stamp struct {
	date    Date
	has     resolution
	minutes int64 // how far the clock is ahead of UTC
}

// reader consumes a text from its beginning.
type reader struct{ rest string }

func (r *reader) take(c byte) bool {
	if r.rest == "" || r.rest[0] != c {
		return false
	}
	r.rest = r.rest[1:]
	return true
}

// digits counts the digits at the start.
func (r *reader) digits() int {
	n := 0
	for n < len(r.rest) && r.rest[n] >= '0' && r.rest[n] <= '9' {
		n++
	}
	return n
}

// compact reports whether a date in the form YYYYMMDD is next, rather than a year of eight digits
// with its month.
func (r *reader) compact() bool { return r.digits() == 8 && !strings.HasPrefix(r.rest[8:], "-") }

// number consumes a number of at most most digits. It returns the number of digits, or 0 for none
// or too many.
func (r *reader) number(most int) (value int64, n int) {
	if n = r.digits(); n > most {
		return 0, 0
	}
	for _, c := range r.rest[:n] {
		value = value*10 + int64(c-'0')
	}
	r.rest = r.rest[n:]
	return value, n
}

func (r *reader) two() (int, bool) {
	v, n := r.number(2)
	return int(v), n > 0
}

// fixed consumes exactly two digits.
func (r *reader) fixed() int {
	v := int(r.rest[0]-'0')*10 + int(r.rest[1]-'0')
	r.rest = r.rest[2:]
	return v
}

// parseStamp reads a year, followed by any of month, day, hour, minute, second, fraction and zone.
// It accepts ISO 8601 and UDUNITS: one digit for two, and a space for the T. It does not check
// whether the calendar has the date.
func parseStamp(text string) (stamp, bool) {
	s := stamp{date: Date{Month: 1, Day: 1}, has: years}
	r := reader{strings.TrimSpace(text)}
	minus := r.take('-')
	signed := minus || r.take('+')
	if !signed && r.compact() {
		s.date.Year = int64(r.fixed())*100 + int64(r.fixed())
		s.date.Month, s.date.Day, s.has = r.fixed(), r.fixed(), days
	} else {
		year, n := r.number(13)
		if n == 0 {
			return s, false
		}
		if s.date.Year = year; minus {
			s.date.Year = -year
		}
		ok := true
		if r.take('-') {
			if s.date.Month, ok = r.two(); !ok {
				return s, false
			}
			s.has = months
			if r.take('-') {
				if s.date.Day, ok = r.two(); !ok {
					return s, false
				}
				s.has = days
			}
		}
	}
	if !r.clock(&s) || !r.zone(&s) {
		return s, false
	}
	return s, strings.TrimSpace(r.rest) == ""
}

// clock consumes the time of day, if present.
func (r *reader) clock(s *stamp) bool {
	before := r.rest
	marked := r.take('T') || r.take('t')
	if !marked {
		r.rest = strings.TrimLeftFunc(r.rest, unicode.IsSpace)
		if r.rest == before || r.digits() == 0 {
			r.rest = before
			return true
		}
	}
	if s.has < days {
		return false
	}
	ok := true
	s.has = hours
	if n := r.digits(); n == 4 || n == 6 { // HHMM, HHMMSS
		s.date.Hour, s.date.Minute, s.has = r.fixed(), r.fixed(), minutes
		if n == 4 {
			return true
		}
		s.date.Second, s.has = r.fixed(), seconds
	} else {
		if s.date.Hour, ok = r.two(); !ok {
			return false
		}
		if !r.take(':') {
			return true
		}
		if s.date.Minute, ok = r.two(); !ok {
			return false
		}
		s.has = minutes
		if !r.take(':') {
			return true
		}
		if s.date.Second, ok = r.two(); !ok {
			return false
		}
		s.has = seconds
	}
	if !r.take('.') {
		return true
	}
	n := r.digits()
	if n == 0 {
		return true
	}
	s.has = fractions
	s.date.Microsecond = roundMicros(r.rest[:n])
	r.rest = r.rest[n:]
	return true
}

// roundMicros converts a fraction of a second to microseconds, rounded half to even. The result may
// be 1,000,000.
func roundMicros(digits string) int {
	padded := digits
	if len(padded) < 7 {
		padded += "0000000"[len(padded):]
	}
	micros := 0
	for _, c := range padded[:6] {
		micros = micros*10 + int(c-'0')
	}
	rest := strings.TrimRight(padded[6:], "0")
	if rest > "5" || rest == "5" && micros%2 == 1 {
		micros++
	}
	return micros
}

// zone consumes the time zone, if present.
func (r *reader) zone(s *stamp) bool {
	before := len(r.rest)
	r.rest = strings.TrimLeftFunc(r.rest, unicode.IsSpace)
	apart := len(r.rest) < before || s.has >= hours
	switch strings.ToLower(strings.TrimSpace(r.rest)) {
	case "":
		return true
	case "z", "utc", "gmt":
		r.rest = ""
		return true
	}
	if !apart { // 2020-1-1-1 has no zone
		return false
	}
	sign := int64(1)
	if r.take('-') {
		sign = -1
	} else if !r.take('+') {
		return false
	}
	var hour, minute int
	ok := true
	if r.digits() == 4 {
		hour, minute = r.fixed(), r.fixed()
	} else {
		if hour, ok = r.two(); ok && r.take(':') {
			minute, ok = r.two()
		}
	}
	s.minutes = sign * int64(hour*60+minute)
	return ok && hour < 24 && minute < 60
}

// at returns the stamp's instant in a calendar.
func (s stamp) at(c Calendar) (instant, error) {
	d := s.date
	d.Calendar = c
	extra := int64(0)
	if d.Microsecond == 1_000_000 {
		d.Microsecond, extra = 0, 1_000_000
	}
	at, err := d.instant()
	at.micro += extra - s.minutes*60_000_000
	return at, err
}

// ParsePartial reads a date that may lack its end ("2020", "2020-07", "2020-07-01T12"). It returns
// the first and the last microsecond that the text can mean.
func ParsePartial(text string, calendar Calendar) (first, last Date, err error) {
	s, ok := parseStamp(text)
	if !ok {
		return Date{}, Date{}, &Error{Msg: "not a date: " + quote(text)}
	}
	c := calendar.Canonical()
	from, err := s.at(calendar)
	if err != nil {
		return Date{}, Date{}, err
	}
	length := map[resolution]int64{
		days: microsPerDay, hours: 3_600_000_000, minutes: 60_000_000, seconds: 1_000_000, fractions: 1,
	}[s.has]
	to := instant{from.day, from.micro + length - 1}
	if s.has < days {
		next := s.date
		next.Calendar = calendar
		if next.Month++; s.has == years || next.Month > 12 {
			next.Month = 1
			if next.Year++; next.Year == 0 && !c.HasYearZero() {
				next.Year = 1
			}
		}
		end, err := next.instant()
		if err != nil {
			return Date{}, Date{}, err
		}
		to = instant{end.day, from.micro - 1}
	}
	if first, err = dateAt(from, calendar); err != nil {
		return Date{}, Date{}, err
	}
	last, err = dateAt(to, calendar)
	return first, last, err
}
