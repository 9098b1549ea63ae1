package grib

import (
	"math"
	"strconv"
	"time"

	"github.com/zarr-wasm/zarr-wasm/internal/grib"
)

// quantity is what the fields of a variable have in common.
type quantity struct {
	discipline, category, number uint64
	surface, surface2            uint64 // types of the level
	process                      uint64 // of statistics, or none
	derived                      string // of an ensemble, or ""
}

const none = 255

// place is a field's place in its variable.
type place struct {
	member int64
	time   int64   // seconds since 1970
	step   float64 // hours
	level  [2]float64
}

type product struct {
	quantity
	place
}

// kind is the layout of a template of section 4 after octet 34, where a horizontal level ends.
type kind struct {
	interval int // the first octet of the end of an interval of time, or 0
	derived  string
	member   bool
}

// kinds are the templates with such a level.
var kinds = map[uint64]kind{
	0:  {},
	1:  {member: true},
	2:  {derived: "derived"},
	5:  {derived: "probability"},
	6:  {derived: "percentile"},
	8:  {interval: 35},
	9:  {interval: 48, derived: "probability"},
	10: {interval: 36, derived: "percentile"},
	11: {interval: 38, member: true},
	12: {interval: 37, derived: "derived"},
	15: {derived: "area"},
	60: {member: true},
	61: {interval: 45, member: true},
}

// productOf reads sections 1 and 4.
func productOf(f grib.Field) (p product, err error) {
	b := f.Product
	template := grib.Uint(b, 8, 9)
	k, ok := kinds[template]
	if !ok {
		return p, &grib.Error{Unsupported: true, Msg: "the product template " + strconv.FormatUint(template, 10)}
	}
	least := 34
	if k.member || k.derived != "" {
		least = 36
	}
	if k.interval > 0 {
		least = k.interval + 23
	}
	if len(b) < least {
		return p, &grib.Error{Msg: "section 4 is too short for its template"}
	}
	p.discipline, p.category, p.number = uint64(f.Discipline), grib.Uint(b, 10, 10), grib.Uint(b, 11, 11)
	p.surface, p.surface2 = grib.Uint(b, 23, 23), grib.Uint(b, 29, 29)
	p.level = [2]float64{scaled(b, 24), scaled(b, 30)}
	if p.surface2 == none {
		p.level[1] = 0
	}
	p.process = none
	if k.member {
		p.member = int64(grib.Uint(b, 36, 36))
	}
	switch k.derived {
	case "derived", "percentile", "area":
		p.derived = k.derived + strconv.FormatUint(grib.Uint(b, 35, 35), 10)
	case "probability":
		if len(b) < 47 {
			return p, &grib.Error{Msg: "section 4 is too short for its template"}
		}
		p.derived = "probability" + strconv.FormatUint(grib.Uint(b, 37, 37), 10) + "_" +
			strconv.FormatFloat(scaled(b, 38), 'g', -1, 64) + "_" + strconv.FormatFloat(scaled(b, 43), 'g', -1, 64)
	}
	start, err := date(f.Identification, 13)
	if err != nil {
		return p, err
	}
	p.time = start.Unix()
	if k.interval == 0 {
		end, err := later(start, grib.Uint(b, 18, 18), grib.Int(b, 19, 22))
		p.step = end.Sub(start).Hours()
		return p, err
	}
	p.process = grib.Uint(b, k.interval+12, k.interval+12)
	end, err := date(b, k.interval)
	p.step = end.Sub(start).Hours()
	return p, err
}

// scaled returns the number of a scale factor and a scaled value, or 0 if it is missing.
func scaled(b []byte, first int) float64 {
	if grib.Missing(b, first, first) || grib.Missing(b, first+1, first+4) {
		return 0
	}
	v, scale := float64(grib.Int(b, first+1, first+4)), grib.Int(b, first, first)
	if scale > 0 {
		return v / math.Pow10(int(scale))
	}
	return v * math.Pow10(int(-scale))
}

// date reads seven octets.
func date(b []byte, at int) (time.Time, error) {
	year, month, day := int(grib.Uint(b, at, at+1)), int(grib.Uint(b, at+2, at+2)), int(grib.Uint(b, at+3, at+3))
	hour, minute, second := int(grib.Uint(b, at+4, at+4)), int(grib.Uint(b, at+5, at+5)), int(grib.Uint(b, at+6, at+6))
	if month < 1 || month > 12 || day < 1 || day > 31 || hour > 24 || minute > 59 || second > 60 || year > 9999 {
		return time.Time{}, &grib.Error{Msg: "an impossible date"}
	}
	return time.Date(year, time.Month(month), day, hour, minute, second, 0, time.UTC), nil
}

// later adds a number of units of code table 4.4. Months and years are those of the calendar.
func later(t time.Time, unit uint64, n int64) (time.Time, error) {
	months := map[uint64]int64{3: 1, 4: 12, 5: 120, 6: 360, 7: 1200}[unit]
	seconds := map[uint64]int64{0: 60, 1: 3600, 2: 86400, 10: 3 * 3600, 11: 6 * 3600, 12: 12 * 3600, 13: 1}[unit]
	const most = 100 * 366 * 86400 // a Duration ends after 292 years
	switch {
	case months > 0 && n*months > -1200 && n*months < 1200:
		return t.AddDate(0, int(n*months), 0), nil
	case seconds > 0 && n*seconds > -most && n*seconds < most:
		return t.Add(time.Duration(n*seconds) * time.Second), nil
	}
	return t, &grib.Error{Unsupported: true, Msg: "a forecast of " + strconv.FormatInt(n, 10) + " units of time " + strconv.FormatUint(unit, 10)}
}
