package httpstore

import (
	"math"
	"math/big"
	"regexp"
	"strings"
	"testing"
	"time"
)

func TestJoin(t *testing.T) {
	for _, test := range []struct{ base, key, want string }{
		{"https://h", "k", "https://h/k"},
		{"https://h/", "k", "https://h/k"},
		{"HTTPS://H.Example:443/a", "k", "https://h.example/a/k"},
		{"http://h:80/a/", "k", "http://h/a/k"},
		{"http://h:443/a/", "k", "http://h:443/a/k"},
		{"http://[::1]:8080/a", "k", "http://[::1]:8080/a/k"},
		{"https://h/a//", "k", "https://h/a//k"},
		{"https://h/a?x=1&y=%2F", "b/c", "https://h/a/b/c?x=1&y=%2F"},
		{"https://h?x=1", "b", "https://h/b?x=1"},
		{"https://h/a/?x=a/b?c", "b", "https://h/a/b?x=a/b?c"},
		{"https://h/a?#f", "b", "https://h/a/b"},
		{"https://h/a#f?x", "b", "https://h/a/b"},
		{"https://h/a b/%20/é", "b", "https://h/a%20b/%20/%C3%A9/b"},
		{"https://h/100%/%4", "b", "https://h/100%25/%254/b"},
		{"https://h", "my group/0.0", "https://h/my%20group/0.0"},
		{"https://h", "a%2Fb/?#[]@!$&'()*+,;=:", "https://h/a%252Fb/%3F%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D%3A"},
		{"https://h", "a-._~Z9", "https://h/a-._~Z9"},
		{"https://h", "\xff\\", "https://h/%FF%5C"},
	} {
		b, err := parseBase(test.base)
		if err != nil {
			t.Errorf("%q: %v", test.base, err)
			continue
		}
		if got := b.join(test.key); got != test.want {
			t.Errorf("%q with %q: %q, want %q", test.base, test.key, got, test.want)
		}
	}
}

func TestJoinOfAnObject(t *testing.T) {
	for _, test := range []struct{ url, want string }{
		{"https://h/a.zip", "https://h/a.zip"},
		{"https://h/b/o/a%2Fb.zip?alt=media#x", "https://h/b/o/a%2Fb.zip?alt=media"},
		{"https://h/download/?id=3", "https://h/download/?id=3"},
		{"https://h/a//", "https://h/a//"},
		{"https://h/", "https://h/"},
		{"https://h?id=3", "https://h/?id=3"},
	} {
		b, err := parseBase(test.url)
		b.object = true
		if got := b.join("a.zip"); err != nil || got != test.want {
			t.Errorf("%q: %q, %v, want %q", test.url, got, err, test.want)
		}
	}
}

func TestContentRange(t *testing.T) {
	for s, want := range map[string][3]int64{
		"bytes 0-0/1":    {0, 1, 1},
		"bytes 5-9/*":    {5, 10, -1},
		" bytes 5-9/10 ": {5, 10, 10},
		"bytes 5-9/9":    {},
		"bytes 9-5/20":   {},
		"bytes -5-9/20":  {},
		"bytes */20":     {},
		"bytes 5-9":      {},
		"items 5-9/20":   {},
		"Bytes 5-9/20":   {5, 10, 20},
		"bytes=5-9/20":   {},
		"bytes +5-9/20":  {},
		"bytes 5-+9/20":  {},
		"bytes 5-9/+20":  {},
		"bytes 9223372036854775808-9223372036854775817/*": {},
		"":                              {},
		"bytes 0-9223372036854775807/*": {},
		"bytes 0-99999999999999999999/100000000000000000": {},
	} {
		from, to, total, ok := parseContentRange(s)
		if ok != (want != [3]int64{}) || ok && [3]int64{from, to, total} != want {
			t.Errorf("%q: %d %d %d %v, want %v", s, from, to, total, ok, want)
		}
	}
}

func TestRetryAfterHeader(t *testing.T) {
	for s, want := range map[string]time.Duration{
		"":                              0,
		"0":                             0,
		" 12 ":                          12 * time.Second,
		"-5":                            0,
		"1.5":                           0,
		"soon":                          0,
		"99999999999":                   0,
		"Wed, 21 Oct 2015 07:28:00 GMT": 0,
	} {
		if got := retryAfter(s); got != want {
			t.Errorf("%q: %v, want %v", s, got, want)
		}
	}
	date := time.Now().Add(time.Minute).UTC().Format("Mon, 02 Jan 2006 15:04:05 GMT")
	if got := retryAfter(date); got < 50*time.Second || got > time.Minute {
		t.Errorf("%q: %v", date, got)
	}
}

func TestJitter(t *testing.T) {
	var j jitter
	seen := map[time.Duration]bool{}
	for range 100 {
		d := j.around(time.Second)
		if d < time.Second/2 || d > time.Second {
			t.Fatal(d)
		}
		seen[d] = true
	}
	if len(seen) < 90 {
		t.Errorf("%d different delays of 100", len(seen))
	}
	if d := j.around(0); d != 0 {
		t.Error(d)
	}
}

func FuzzBase(f *testing.F) {
	for _, s := range []string{"https://h/a?b#c", "http://[::1]:80//%zz", "https://h", "x", "https://u@h/"} {
		f.Add(s, "a b/c")
	}
	f.Fuzz(func(t *testing.T, s, key string) {
		b, err := parseBase(s)
		if err != nil {
			return
		}
		url := b.join(key)
		for i := range len(url) {
			if c := url[i]; c <= ' ' || c == 0x7f || i >= len(b.origin) && c >= 0x80 {
				t.Fatalf("%q contains %q", url, c)
			}
		}
		again, err := parseBase(strings.TrimSuffix(url, b.query) + b.query)
		if err != nil || again.origin != b.origin || again.query != b.query {
			t.Fatalf("%q: %+v, %+v, %v", url, b, again, err)
		}
	})
}

// The parser accepts exactly the grammar.
func FuzzContentRange(f *testing.F) {
	for _, s := range append(garbledContentRanges, "bytes 0-0/1", "bytes 5-9/*", " BYTES 05-9/0010\t") {
		f.Add(s)
	}
	grammar := regexp.MustCompile(`^(?i:bytes) ([0-9]+)-([0-9]+)/([0-9]+|\*)$`)
	f.Fuzz(func(t *testing.T, s string) {
		var want [3]int64
		number := func(s string) int64 {
			n, _ := new(big.Int).SetString(s, 10)
			if !n.IsInt64() {
				return math.MaxInt64
			}
			return n.Int64()
		}
		if m := grammar.FindStringSubmatch(strings.TrimSpace(s)); m != nil {
			first, last, total := number(m[1]), number(m[2]), int64(-1)
			if m[3] != "*" {
				total = number(m[3])
			}
			if first <= last && last < maxOffset && (total < 0 || total > last && total < math.MaxInt64) {
				want = [3]int64{first, last + 1, total}
			}
		}
		from, to, total, ok := parseContentRange(s)
		if got := [3]int64{from, to, total}; got != want || ok != (to > 0) {
			t.Fatalf("%q: %v %v, want %v", s, got, ok, want)
		}
	})
}
