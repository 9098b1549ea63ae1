package percent

import (
	"net/url"
	"testing"
)

// Decode inverts every encoding, and keeps other text unchanged.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{"", "a b", "100%", "%zz%41", "%", "%4", "ü", "%C3%BC", "+"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if Decode(url.PathEscape(s), false) != s || Decode(url.QueryEscape(s), true) != s {
			t.Errorf("%q", s)
		}
		if want, err := url.PathUnescape(s); err == nil && Decode(s, false) != want {
			t.Errorf("%q: %q, want %q", s, Decode(s, false), want)
		}
	})
}

func TestWhatIsNotEncodedStays(t *testing.T) {
	if got := Decode("100%/%zz/%4/%41%", false); got != "100%/%zz/%4/A%" {
		t.Errorf("%q", got)
	}
}
