package cf_test

import (
	"testing"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr/convention/cf"
)

// jsonOf parses JSON.
func jsonOf(text string) (json.Value, error) { return json.Parse([]byte(text), json.Limits{}) }

// TestPartialDates reads labels without their end.
func TestPartialDates(t *testing.T) {
	for _, c := range []struct {
		text        string
		calendar    cf.Calendar
		first, last string
	}{
		{"2020", cf.Standard, "2020-01-01T00:00:00", "2020-12-31T23:59:59.999999"},
		{"2020-02", cf.Standard, "2020-02-01T00:00:00", "2020-02-29T23:59:59.999999"},
		{"2020-02", cf.NoLeap, "2020-02-01T00:00:00", "2020-02-28T23:59:59.999999"},
		{"2020-02", cf.Day360, "2020-02-01T00:00:00", "2020-02-30T23:59:59.999999"},
		{"2020-12", cf.Day360, "2020-12-01T00:00:00", "2020-12-30T23:59:59.999999"},
		{"1582-10", cf.Standard, "1582-10-01T00:00:00", "1582-10-31T23:59:59.999999"},
		{"1582-10-04", cf.Standard, "1582-10-04T00:00:00", "1582-10-04T23:59:59.999999"},
		{"-0001", cf.Standard, "-0001-01-01T00:00:00", "-0001-12-31T23:59:59.999999"},
		{"-0001-12", cf.Julian, "-0001-12-01T00:00:00", "-0001-12-31T23:59:59.999999"},
		{"0000", cf.ProlepticGregorian, "0000-01-01T00:00:00", "0000-12-31T23:59:59.999999"},
		{"2020-07-01", cf.Standard, "2020-07-01T00:00:00", "2020-07-01T23:59:59.999999"},
		{"2020-07-01T12", cf.Standard, "2020-07-01T12:00:00", "2020-07-01T12:59:59.999999"},
		{"2020-07-01 12:30", cf.Standard, "2020-07-01T12:30:00", "2020-07-01T12:30:59.999999"},
		{"2020-07-01T12:30:15", cf.Standard, "2020-07-01T12:30:15", "2020-07-01T12:30:15.999999"},
		{"2020-07-01T12:30:15.5", cf.Standard, "2020-07-01T12:30:15.500000", "2020-07-01T12:30:15.500000"},
		{"2020-07-01T00+01:00", cf.Standard, "2020-06-30T23:00:00", "2020-06-30T23:59:59.999999"},
		{"20200701", cf.Standard, "2020-07-01T00:00:00", "2020-07-01T23:59:59.999999"},
	} {
		first, last, err := cf.ParsePartial(c.text, c.calendar)
		if err != nil || first.String() != c.first || last.String() != c.last {
			t.Errorf("%s in %s: %v to %v, %v; expected %s to %s", c.text, c.calendar, first, last, err, c.first, c.last)
		}
	}
	for _, text := range []string{
		"", "x", "2020-", "2020-13", "2020-00", "2020-02-30", "2020-1-1T24", "2020-1-1T", "2020-1-1T1:60", "2020T12", "2020-1-1T1:1:60", "2020-1-1 +25", "2020-1-1 EST",
		"1582-10-05", "0000", "2020-1-1-1", "2020-01-01T00:00:00junk", "+", "-",
	} {
		if first, _, err := cf.ParsePartial(text, cf.Standard); err == nil {
			t.Errorf("%q is %v", text, first)
		}
	}
	units := must.Get(cf.ParseUnits("hours since 2020-01-01", "standard"))(t)
	if first, last, err := units.Range("2020-01-02"); first != 24 || last <= 47.999 || last >= 48 || err != nil {
		t.Error(first, last, err)
	}
}
