package ascii

import (
	"strings"
	"testing"
)

// For ASCII the functions agree with package strings. The case of other letters, and other spaces,
// do not count.
func FuzzAgainstStrings(f *testing.F) {
	for _, s := range []string{"", "a", "ABC", "Content-Type", " \t\r\n\v\f x \n", "  ", "a\u212a", "\x00Z[", "ÄÖ"} {
		f.Add(s, s+" ")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		for i := range len(a + b) {
			if (a + b)[i] >= 0x80 {
				return
			}
		}
		if Lower(a) != strings.ToLower(a) || TrimSpace(a) != strings.TrimSpace(a) || EqualFold(a, b) != strings.EqualFold(a, b) {
			t.Errorf("%q, %q", a, b)
		}
	})
}

func TestOtherLetters(t *testing.T) {
	if Lower("ÄB\xffC") != "Äb\xffc" || EqualFold("\u212a", "k") || TrimSpace("\u00a0x\u2003") != "\u00a0x\u2003" {
		t.Error("letters and spaces that are not of ASCII were changed")
	}
}
