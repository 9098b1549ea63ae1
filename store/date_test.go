package store

import (
	"testing"
	"time"
)

func TestHTTPDate(t *testing.T) {
	const layout = "Mon, 02 Jan 2006 15:04:05 GMT"
	day := time.Date(1900, 1, 1, 8, 49, 37, 0, time.UTC)
	for ; day.Year() < 2405; day = day.AddDate(0, 0, 1) {
		if at, ok := HTTPDate(day.Format(layout)); !ok || at != day.Unix() {
			t.Fatalf("%s: %d %v, and not %d", day.Format(layout), at, ok, day.Unix())
		}
	}
	for _, s := range []string{
		"", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 06 anF 1994 08:49:37 GMT", "Sun, +6 Nov 1994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
		"Sun, 06 Nov 1994 24:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Sun, 06 Nov 1994 08:49:3 GMT",
	} {
		if at, ok := HTTPDate(s); ok {
			t.Errorf("%q: %d", s, at)
		}
	}
}
