package weburl

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/must"
)

func TestRedact(t *testing.T) {
	text := must.Get(os.ReadFile("testdata/redacted.json"))(t)
	var cases [][2]string
	if err := json.Unmarshal(text, &cases); err != nil || len(cases) < 30 {
		t.Fatal(len(cases), err)
	}
	for _, c := range cases {
		if got := Redact(c[0]); got != c[1] {
			t.Errorf("Redact(%q) = %q, want %q", c[0], got, c[1])
		}
	}
	if got := Redact("https://h/" + strings.Repeat("a", 5000)); len(got) != maxShown+3 {
		t.Errorf("%d bytes are shown", len(got))
	}
}

func TestScrub(t *testing.T) {
	for message, want := range map[string]string{
		"":                        "",
		"dial tcp: lookup h: no?": "dial tcp: lookup h: no?",
		"Failed to parse URL from http://u:p@[::1/x?sig=1":              "Failed to parse URL from http://[::1/x",
		"Get \"https://h/a?X-Amz-Signature=1\": EOF, then <http://x?y>": "Get \"https://h/a\": EOF, then <http://x>",
		"'https://h/a?b' is blocked":                                    "'https://h/a is blocked",
	} {
		if got := Scrub(message); got != want {
			t.Errorf("Scrub(%q) = %q, want %q", message, got, want)
		}
	}
}

func TestParse(t *testing.T) {
	for s, want := range map[string]URL{
		"https://h":                  {"https://h", "", ""},
		"HTTPS://H.Example:443/A?B#": {"https://h.example", "/A", "?B"},
		"http://h:080/":              {"http://h", "/", ""},
		"http://h:/x":                {"http://h", "/x", ""},
		"http://h:443?":              {"http://h:443", "", ""},
		"http://h:0/":                {"http://h:0", "/", ""},
		"https://h:65535/":           {"https://h:65535", "/", ""},
		"http://127.0.0.1:8080/x":    {"http://127.0.0.1:8080", "/x", ""},
		"http://[::1]/":              {"http://[::1]", "/", ""},
		"http://[2001:DB8::1]:81/":   {"http://[2001:db8::1]:81", "/", ""},
		"http://[1:2:3:4:5:6:7:8]/":  {"http://[1:2:3:4:5:6:7:8]", "/", ""},
		"http://[::ffff:1.2.3.4]/":   {"http://[::ffff:1.2.3.4]", "/", ""},
		"http://a.b1./":              {"http://a.b1.", "/", ""},
		"https://h/a b/%zz?ä":        {"https://h", "/a%20b/%25zz", "?%C3%A4"},
		"https://h/a@b:c":            {"https://h", "/a@b:c", ""},
	} {
		if got, err := Parse(s); err != nil || got != want {
			t.Errorf("Parse(%q) = %+v, %v; want %+v", s, got, err, want)
		}
	}
	for s, want := range map[string]string{
		"":                         "absolute",
		"/a":                       "absolute",
		"//h/a":                    "absolute",
		"NAME:PASSWORD@h/a":        "absolute",
		"ftp://h/a":                `"ftp"`,
		"http:h":                   "host",
		"http:/h":                  "host",
		"http://":                  "has no host",
		"http://:80/":              "has no host",
		"http://u@h/":              "user name",
		"http://h:PASSWORD/x@h":    "port",
		"http://h:99999/":          "port",
		"http://h:65536/":          "port",
		"http://h:8_0/":            "port",
		"http://h:+80/":            "port",
		"http://h:-1/":             "port",
		"http://[::1/x":            "host",
		"http://[::1]x/":           "host",
		"http://[]/":               "host",
		"http://[fe80::1%25eth0]/": "host",
		"http://::1/":              "host",
		"http://h\\@evil/":         "user name",
		"http://h\\evil/":          "host",
		"http://h%41/":             "host",
		"http://h/\n":              "control",
	} {
		got, err := Parse(s)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "PASSWORD") {
			t.Errorf("Parse(%q) = %+v, %v; want %q in the error", s, got, err, want)
		}
	}
}

// randomAddress returns a text that may be an address.
func randomAddress(random *rand.Rand) string {
	pieces := []string{"http", "https", ":", "//", "/", "@", "h", "a.example", "127.0.0.1", "[::1]", "[", "]", ":80", ":443", ":8080", "?", "#", "\\", ".", "..", "%2e", "%40", "x", "é", " ", "0", "&"}
	text := ""
	if random.IntN(4) > 0 {
		text = "http://"
	}
	for range 1 + random.IntN(8) {
		text += pieces[random.IntN(len(pieces))]
	}
	return text
}

// A text cannot pass an origin check if another parser reads it as an address of another origin.
func TestRandomAddressesHaveTheOriginThatOthersSee(t *testing.T) {
	random := rand.New(rand.NewPCG(26, 11))
	parsed := 0
	for range 200_000 {
		text := randomAddress(random)
		u, err := Parse(text)
		if err != nil {
			continue
		}
		parsed++
		for _, s := range []string{text, u.String()} {
			if origin, ok := otherOrigin(s); ok && origin != u.Origin {
				t.Fatalf("%q: origin %q, and by another parser %q", s, u.Origin, origin)
			}
		}
		if again, err := Parse(u.String()); err != nil || again != u {
			t.Fatalf("%q: %+v, then %+v, %v", text, u, again, err)
		}
	}
	if parsed < 10_000 {
		t.Errorf("only %d addresses were parsed", parsed)
	}
	t.Logf("%d addresses were parsed", parsed)
}
