package cf_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/conventions/golden"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr/convention/cf"
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

// TestUnitsOfUDUNITS compares a year and a month with the six digits that the program udunits2
// prints.
func TestUnitsOfUDUNITS(t *testing.T) {
	var table struct {
		Year  string `json:"year_in_days"`
		Month string `json:"month_in_days"`
	}
	golden.Decode(t, golden.Load(t).Tables["udunits"], &table)
	for unit, want := range map[string]string{"years": table.Year, "months": table.Month} {
		units := must.Get(cf.ParseUnits(unit+" since 1970-01-01", "standard"))(t)
		date := must.Get(units.DateInt(1))(t)
		micros, _ := date.Micros()
		if got := strconv.FormatFloat(float64(micros)/86_400e6, 'g', 6, 64); got != want {
			t.Errorf("%s: %s days, expected %s", unit, got, want)
		}
	}
}

var calendars = []cf.Calendar{
	cf.Standard, cf.Gregorian, cf.ProlepticGregorian, cf.Julian, cf.NoLeap, cf.Day365, cf.AllLeap, cf.Day366, cf.Day360,
}

// TestDatesRoundTrip converts random numbers to dates and back, in every calendar and unit.
func TestDatesRoundTrip(t *testing.T) {
	for _, c := range calendars {
		rng := rand.New(rand.NewPCG(1, 2))
		for i := range 10_000 {
			unit := []string{"microseconds", "milliseconds", "seconds", "minutes", "hours", "days", "weeks"}[i%7]
			units := must.Get(cf.ParseUnits(unit+" since "+strconv.Itoa(1+rng.IntN(3000))+"-03-01 12:30:15.25", string(c)))(t)
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
			// The text parses to the same date of the calendar.
			if first, last, err := cf.ParsePartial(date.String(), c); err != nil || first != date || date.Microsecond != 0 && last != date {
				t.Fatalf("%s: %v reads as %v to %v, %v", c, date, first, last, err)
			}
			// A number with a fraction round-trips to a microsecond while a binary64's ulp is
			// smaller.
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

// TestDaysFollow steps from day to day through years around leap days, the gap of 1582 and the year
// 0.
func TestDaysFollow(t *testing.T) {
	for _, c := range calendars {
		for _, from := range []string{"-0005-01-01", "1581-01-01", "1699-01-01", "1899-01-01", "1999-01-01"} {
			units := must.Get(cf.ParseUnits("days since "+from, string(c)))(t)
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

// TestKnownDates reads dates known from other sources: Julian days, leap rules, the gap of 1582,
// years before 1, fractions. The suite of tests/conventions/cf.mjs reads the same table.
func TestKnownDates(t *testing.T) {
	var known []struct {
		Calendar, Units, Date string
		Value                 float64
		DayOfYear             int
	}
	text := must.Get(os.ReadFile("../../../tests/conventions/knowndates.json"))(t)
	golden.Decode(t, text, &known)
	for _, k := range known {
		units, err := cf.ParseUnits(k.Units, k.Calendar)
		if err != nil {
			t.Errorf("%s, %s: %v", k.Units, k.Calendar, err)
			continue
		}
		date, err := units.Date(k.Value)
		if err != nil || date.String() != k.Date || date.DayOfYear() != k.DayOfYear {
			t.Errorf("%v %s, %s: %v, day %d of the year, %v; expected %s, %d", k.Value, k.Units, k.Calendar, date, date.DayOfYear(), err, k.Date, k.DayOfYear)
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
