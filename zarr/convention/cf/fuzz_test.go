package cf_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/zarr-wasm/zarr-wasm/zarr/convention/cf"
)

// FuzzDatetime64 reads counts of any unit. The date, the text and the parts agree, or all are
// refused.
func FuzzDatetime64(f *testing.F) {
	for _, unit := range []string{"Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as", "generic", ""} {
		for _, value := range []int64{0, 1, -1, 1_000_000_007, math.MaxInt64, math.MinInt64} {
			f.Add(value, unit, 1)
			f.Add(value, unit, 25)
		}
	}
	f.Fuzz(func(t *testing.T, value int64, unit string, scale int) {
		scale = 1 + scale&0xffff
		date, ok, err := cf.Datetime64(value, unit, scale)
		text, textErr := cf.Datetime64Text(value, unit, scale)
		cf.TimedeltaSeconds(value, unit, scale)
		var wrong *cf.Error
		if (err == nil) != (textErr == nil) || err != nil && !errors.As(err, &wrong) {
			t.Fatalf("%v, %v", err, textErr)
		}
		if err != nil || !ok {
			if err == nil && (value != cf.NaT || text != "NaT") {
				t.Errorf("no time, and %q", text)
			}
			return
		}
		if shown := date.String(); !strings.HasPrefix(shown, strings.SplitN(text, ".", 2)[0]) {
			t.Errorf("%q and %q", shown, text)
		}
		if unit == "s" && scale == 1 && value > -60_000_000_000 && value < 200_000_000_000 {
			if want := time.Unix(value, 0).UTC().Format("2006-01-02T15:04:05"); text != want {
				t.Errorf("%q, not %q", text, want)
			}
		}
	})
}
