package cf_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"zarr-wasm/tests/conventions/golden"
	"zarr-wasm/zarr/convention/cf"
)

// TestTimesTable reads every row of the table times.
func TestTimesTable(t *testing.T) {
	type row struct {
		ID, Units, Calendar, ISO, Type string
		Value                          json.Number
		Error                          bool
	}
	for _, r := range golden.Table[row](t, golden.Load(t), "times") {
		units, err := cf.ParseUnits(r.Units, r.Calendar)
		var date cf.Date
		if err == nil {
			if r.Type == "int" {
				v, _ := r.Value.Int64()
				date, err = units.DateInt(v)
			} else {
				v, _ := r.Value.Float64()
				date, err = units.Date(v)
			}
		}
		switch {
		case r.Error:
			if err == nil {
				t.Errorf("%s: %v %s in %s is %v, expected an error", r.ID, r.Value, r.Units, r.Calendar, date)
			}
		case err != nil:
			t.Errorf("%s: %v %s in %s: %v", r.ID, r.Value, r.Units, r.Calendar, err)
		case date.String() != r.ISO:
			t.Errorf("%s: %v %s in %s is %v, expected %s", r.ID, r.Value, r.Units, r.Calendar, date, r.ISO)
		}
	}
}

// TestUnitsOfUDUNITS compares a year and a month with what the program udunits2 prints, which has six digits.
func TestUnitsOfUDUNITS(t *testing.T) {
	var table struct {
		Year  string `json:"year_in_days"`
		Month string `json:"month_in_days"`
	}
	golden.Decode(t, golden.Load(t).Tables["udunits"], &table)
	for unit, want := range map[string]string{"years": table.Year, "months": table.Month} {
		units, err := cf.ParseUnits(unit+" since 1970-01-01", "standard")
		if err != nil {
			t.Fatal(err)
		}
		date, err := units.DateInt(1)
		if err != nil {
			t.Fatal(err)
		}
		micros, _ := date.Micros()
		if got := strconv.FormatFloat(float64(micros)/86_400e6, 'g', 6, 64); got != want {
			t.Errorf("%s: %s days, expected %s", unit, got, want)
		}
	}
}

var calendars = []cf.Calendar{
	cf.Standard, cf.Gregorian, cf.ProlepticGregorian, cf.Julian, cf.NoLeap, cf.Day365, cf.AllLeap, cf.Day366, cf.Day360,
}

// TestDatesRoundTrip makes random numbers into dates and back, in every calendar and unit.
func TestDatesRoundTrip(t *testing.T) {
	for _, c := range calendars {
		rng := rand.New(rand.NewPCG(1, 2))
		for i := range 10_000 {
			unit := []string{"microseconds", "milliseconds", "seconds", "minutes", "hours", "days", "weeks"}[i%7]
			units, err := cf.ParseUnits(unit+" since "+strconv.Itoa(1+rng.IntN(3000))+"-03-01 12:30:15.25", string(c))
			if err != nil {
				t.Fatal(err)
			}
			span := int64(4_000 * 366)
			per := map[string]int64{"microseconds": 86_400_000_000, "milliseconds": 86_400_000, "seconds": 86_400, "minutes": 1440, "hours": 24, "days": 1}[unit]
			if per == 0 {
				per, span = 1, span/7
			}
			value := rng.Int64N(2*span*per) - span*per
			date, err := units.DateInt(value)
			if err != nil {
				t.Fatalf("%s: %d %v: %v", c, value, units, err)
			}
			if back, ok := units.ValueInt(date); !ok || back != value {
				t.Fatalf("%s: %d %v is %v, which is %d", c, value, units, date, back)
			}
			if back, err := units.Value(date); err != nil || back != float64(value) {
				t.Fatalf("%s: %d %v is %v, which is %v, %v", c, value, units, date, back, err)
			}
			// The text is a date of the calendar, and the same one.
			if first, last, err := cf.ParsePartial(date.String(), c); err != nil || first != date || date.Microsecond != 0 && last != date {
				t.Fatalf("%s: %v reads as %v to %v, %v", c, date, first, last, err)
			}
			// A number with a fraction comes back to a microsecond, which a binary64 tells apart as long as its ulp is smaller.
			fraction := rng.Float64()*2e5 - 1e5
			if date, err = units.Date(fraction); err != nil {
				t.Fatal(err)
			}
			back, err := units.Value(date)
			micro := map[string]float64{"microseconds": 1, "milliseconds": 1e3, "seconds": 1e6, "minutes": 6e7, "hours": 3.6e9, "days": 8.64e10, "weeks": 6.048e11}[unit]
			if err != nil || math.Abs(back-fraction) > 0.5001/micro+1e-10 {
				t.Fatalf("%s: %v %v is %v, which is %v, %v", c, fraction, units, date, back, err)
			}
		}
	}
}

// TestDaysFollow walks from day to day through years around leap days, the gap of 1582 and the year 0.
func TestDaysFollow(t *testing.T) {
	for _, c := range calendars {
		for _, from := range []string{"-0005-01-01", "1581-01-01", "1699-01-01", "1899-01-01", "1999-01-01"} {
			units, err := cf.ParseUnits("days since "+from, string(c))
			if err != nil {
				t.Fatal(err)
			}
			last := cf.Date{}
			for day := range int64(366 * 8) {
				date, err := units.DateInt(day)
				if err != nil || !date.Valid() {
					t.Fatal(c, day, date, err)
				}
				if day > 0 {
					next := date.Day == last.Day+1 && date.Month == last.Month && date.Year == last.Year
					month := date.Day == 1 && last.Day >= 28 && (date.Month == last.Month+1 && date.Year == last.Year || date.Month == 1 && last.Month == 12)
					gap := date.Day == 15 && last.Day == 4 && date.Year == 1582 && date.Month == 10 && c.Canonical() == cf.Standard
					if !next && !month && !gap || date.Compare(last) <= 0 {
						t.Fatalf("%s: %v follows %v", c, date, last)
					}
				}
				last = date
			}
		}
	}
}

// TestKnownDates is a table of dates that other sources know.
func TestKnownDates(t *testing.T) {
	for _, k := range []struct {
		calendar, units string
		value           float64
		want            string
		dayOfYear       int
	}{
		// Julian days: 0 is noon of -4713-01-01 (there is no year 0); 2,299,160.5 is the first Gregorian day.
		{"standard", "days since -4713-01-01 12:00", 0, "-4713-01-01T12:00:00", 1},
		{"standard", "days since -4713-01-01 12:00", 2_299_160.5, "1582-10-15T00:00:00", 278},
		{"standard", "days since -4713-01-01 12:00", 2_299_159.5, "1582-10-04T00:00:00", 277},
		{"standard", "days since -4713-01-01 12:00", 2_451_545, "2000-01-01T12:00:00", 1},
		{"julian", "days since -4713-01-01 12:00", 2_451_545, "1999-12-19T12:00:00", 353},
		{"proleptic_gregorian", "days since -4713-11-24 12:00", 2_451_545, "2000-01-01T12:00:00", 1}, // with a year 0
		{"gregorian", "days since 1858-11-17", 51_544, "2000-01-01T00:00:00", 1},                     // modified Julian day
		{"standard", "days since 0001-01-01", -1, "-0001-12-31T00:00:00", 366},                       // -1 is a leap year
		{"julian", "days since 0001-01-01", -1, "-0001-12-31T00:00:00", 366},
		{"proleptic_gregorian", "days since 0001-01-01", -1, "0000-12-31T00:00:00", 366},
		{"noleap", "days since 0001-01-01", -1, "0000-12-31T00:00:00", 365},
		{"all_leap", "days since 0001-01-01", -1, "0000-12-31T00:00:00", 366},
		{"360_day", "days since 0001-01-01", -1, "0000-12-30T00:00:00", 360},
		{"standard", "days since -0045-12-31", 74, "-0044-03-15T00:00:00", 74}, // the Ides of March
		{"standard", "days since 1900-02-28", 1, "1900-03-01T00:00:00", 60},    // no leap year
		{"julian", "days since 1900-02-28", 1, "1900-02-29T00:00:00", 60},
		{"standard", "days since 2000-02-28", 1, "2000-02-29T00:00:00", 60}, // by the 400
		{"365_day", "days since 2000-02-28", 1, "2000-03-01T00:00:00", 60},
		{"366_day", "days since 1900-02-28", 1, "1900-02-29T00:00:00", 60},
		{"360_day", "days since 2000-02-28", 2, "2000-02-30T00:00:00", 60},
		{"360_day", "months since 2000-01-15", 1.5, "2000-02-30T00:00:00", 60},
		{"standard", "seconds since 1970-01-01", 951_782_400, "2000-02-29T00:00:00", 60},
		{"standard", "seconds since 1970-01-01", -0.000_000_5, "1970-01-01T00:00:00", 1}, // half to even
		{"standard", "nanoseconds since 1970-01-01", 1_500, "1970-01-01T00:00:00.000002", 1},
		{"standard", "nanoseconds since 1970-01-01", 2_500, "1970-01-01T00:00:00.000002", 1},
		{"standard", "days since 20000101", 0.5, "2000-01-01T12:00:00", 1},
		{"standard", "hours since 2000-01-01 00:00:00 -6:00", 0, "2000-01-01T06:00:00", 1},
		{"standard", "hours since 2000-1-1 0 +1", 0, "1999-12-31T23:00:00", 365},
		{"standard", "days since 2000", 0, "2000-01-01T00:00:00", 1},
	} {
		units, err := cf.ParseUnits(k.units, k.calendar)
		if err != nil {
			t.Errorf("%s, %s: %v", k.units, k.calendar, err)
			continue
		}
		date, err := units.Date(k.value)
		if err != nil || date.String() != k.want || date.DayOfYear() != k.dayOfYear {
			t.Errorf("%v %s, %s: %v, day %d of the year, %v; expected %s, %d", k.value, k.units, k.calendar, date, date.DayOfYear(), err, k.want, k.dayOfYear)
		}
	}
}

func ExampleParseUnits() {
	units, err := cf.ParseUnits("hours since 1970-01-01", "standard")
	if err != nil {
		panic(err)
	}
	date, _ := units.Date(438300.5)
	value, _ := units.Value(date)
	fmt.Println(date, value)
	// Output: 2020-01-01T12:30:00 438300.5
}
