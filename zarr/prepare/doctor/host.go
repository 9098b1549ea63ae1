package doctor

import (
	"context"
	_ "embed" // for the table
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Answer is a host's answer to one request.
type Answer struct {
	// Status is the HTTP status, 0 without an answer. Error is the reason.
	Status int
	Error  string
	// Header has the first value of each header, by its name in small letters.
	Header map[string]string
	// Bytes is the size of the body, and Begins its first bytes.
	Bytes  int64
	Begins string
	// Protocol is the version of HTTP, such as "HTTP/2.0". Address is the final one after
	// redirects.
	Protocol, Address string
}

// Fetch sends a request with headers, and follows redirects.
type Fetch func(ctx context.Context, method, address string, header map[string]string) Answer

// Host holds the answers of a host, to requests as a page of another origin sends them.
type Host struct {
	Address string
	// Found is the answer for a metadata document, and Missing that for an absent object. Range is
	// the answer for the first ten bytes of the document, and Preflight that for OPTIONS.
	Found, Missing, Range, Preflight Answer
}

// Probe asks a host for a metadata document at an address, and for an object that does not exist
// beside it.
func Probe(ctx context.Context, fetch Fetch, document string) *Host {
	origin := map[string]string{"Origin": "https://viewer.example"}
	with := func(more map[string]string) map[string]string {
		all := map[string]string{}
		for _, m := range []map[string]string{origin, more} {
			for k, v := range m {
				all[k] = v
			}
		}
		return all
	}
	address, query, _ := strings.Cut(document, "?")
	missing := address[:strings.LastIndexByte(address, '/')+1] + "zarr-doctor-missing"
	if query != "" {
		missing += "?" + query
	}
	return &Host{
		Address:   document,
		Found:     fetch(ctx, "GET", document, with(map[string]string{"Accept-Encoding": "gzip"})),
		Missing:   fetch(ctx, "GET", missing, origin),
		Range:     fetch(ctx, "GET", document, with(map[string]string{"Range": "bytes=0-9", "Accept-Encoding": "gzip"})),
		Preflight: fetch(ctx, "OPTIONS", document, with(map[string]string{"Access-Control-Request-Method": "GET", "Access-Control-Request-Headers": "range"})),
	}
}

func (a *Answer) readable() bool {
	origin := a.Header["access-control-allow-origin"]
	return origin == "*" || origin == "https://viewer.example"
}

func (h *Host) found() bool { return h.Found.Status == 200 }

//go:embed hostrules.json
var hostTable []byte

// hostRule is an entry of the table of rules about hosts. The host check of the viewer reads the
// same table. Its conditions are its own, because a page sees less of an answer.
type hostRule struct {
	Subject string
	Cures   map[string]string
}

// hostRules returns the rules about hosts, with the subjects and cures of the table.
func hostRules() []Rule {
	var table map[string]hostRule
	if err := json.Unmarshal(hostTable, &table); err != nil {
		panic(err) // a test reads it
	}
	rules := hostConditions()
	for i := range rules {
		r := &rules[i]
		condition := r.host
		r.Title = table[r.Name].Subject
		r.host = func(h *Host) (text, cure string) {
			text, key := condition(h)
			return text, table[r.Name].Cures[key]
		}
	}
	return rules
}

// hostConditions are the conditions of the rules about hosts. They return a text, and the name of a
// cure in the table.
func hostConditions() []Rule {
	return []Rule{
		{Name: "host-down", Verdict: VerdictBad, host: func(h *Host) (string, string) {
			if h.Found.Status != 0 {
				return "", ""
			}
			return h.Found.Error, "down"
		}},
		{Name: "host-refuses", Verdict: VerdictBad, host: func(h *Host) (string, string) {
			if h.Found.Status != 401 && h.Found.Status != 403 {
				return "", ""
			}
			return fmt.Sprintf("The metadata document is answered by status %d.", h.Found.Status), "refused"
		}},
		{Name: "host-http", Verdict: VerdictBad, host: func(h *Host) (string, string) {
			name, ok := strings.CutPrefix(h.Address, "http://")
			if !ok || strings.HasPrefix(name, "localhost") || strings.HasPrefix(name, "127.") || strings.HasPrefix(name, "[::1]") {
				return "", ""
			}
			return "Browsers block http addresses from pages that came by https.", "http"
		}},
		{Name: "host-cors", Verdict: VerdictBad, host: func(h *Host) (string, string) {
			if !h.found() || h.Found.readable() {
				return "", ""
			}
			return "The answers have no Access-Control-Allow-Origin header for all origins.", "header"
		}},
		{Name: "host-cors-missing", Verdict: VerdictBad, host: func(h *Host) (string, string) {
			if !h.found() || !h.Found.readable() || h.Missing.readable() || h.Missing.Status == 0 {
				return "", ""
			}
			return "Pages cannot tell a missing chunk from a host that is down.", "header"
		}},
		{Name: "host-missing", Verdict: VerdictBad, host: func(h *Host) (string, string) {
			switch s := h.Missing.Status; {
			case !h.found() || s == 404 || s == 410:
				return "", ""
			case s == 403:
				return "A missing object is answered by 403, as buckets do that nobody may list.", "forbidden"
			case s == 200:
				return "A missing object is answered by 200, so that missing chunks seem to exist.", "page"
			default:
				return fmt.Sprintf("A missing object is answered by %d.", s), "status"
			}
		}},
		{Name: "host-ranges", Verdict: VerdictBad, host: func(h *Host) (string, string) {
			switch r := &h.Range; {
			case !h.found() || r.Status == 206 && r.Bytes == 10 && r.Header["content-encoding"] == "":
				return "", ""
			case r.Status == 206:
				return fmt.Sprintf("Ten bytes were requested, and %d came.", r.Bytes), "compressed"
			case r.Status == 200:
				return "The host ignores the header Range, so that shards and archives are read whole.", "ignored"
			default:
				return fmt.Sprintf("A ranged request is answered by %d.", r.Status), "status"
			}
		}},
		{Name: "host-exposed", Verdict: VerdictAdvice, host: func(h *Host) (string, string) {
			if !h.found() || !h.Found.readable() {
				return "", ""
			}
			exposed := strings.ToLower(h.Found.Header["access-control-expose-headers"])
			names := strings.FieldsFunc(exposed, func(r rune) bool { return r == ',' || r == ' ' })
			if exposed == "*" || slices.Contains(names, "content-range") && slices.Contains(names, "etag") {
				return "", ""
			}
			return "Sizes take requests of their own, and a replaced object may go unnoticed.", "header"
		}},
		{Name: "host-changes", Verdict: VerdictAdvice, host: func(h *Host) (string, string) {
			if !h.found() || h.Found.Header["etag"] != "" || h.Found.Header["last-modified"] != "" {
				return "", ""
			}
			return "The answers have neither ETag nor Last-Modified.", "tag"
		}},
		{Name: "host-no-store", Verdict: VerdictAdvice, host: func(h *Host) (string, string) {
			if !h.found() || !strings.Contains(h.Found.Header["cache-control"], "no-store") {
				return "", ""
			}
			return "Cache-Control: no-store makes each visit read all bytes again.", "control"
		}},
		{Name: "host-type", Verdict: VerdictBad, host: func(h *Host) (string, string) {
			if !h.found() || !strings.Contains(h.Found.Header["content-type"], "html") {
				return "", ""
			}
			return "The document has the type " + h.Found.Header["content-type"] + ".", "page"
		}},
		{Name: "host-plain", Verdict: VerdictAdvice, host: func(h *Host) (string, string) {
			if !h.found() || h.Found.Bytes < 32*kib || h.Found.Header["content-encoding"] != "" {
				return "", ""
			}
			return fmt.Sprintf("The document takes %s on the wire.", size(h.Found.Bytes)), "compress"
		}},
		{Name: "host-http1", Verdict: VerdictAdvice, host: func(h *Host) (string, string) {
			if !h.found() || !strings.HasPrefix(h.Found.Protocol, "HTTP/1") || !strings.HasPrefix(h.Address, "https:") {
				return "", ""
			}
			return "Browsers have at most six requests under way.", "version"
		}},
		{Name: "host-preflight", Verdict: VerdictAdvice, host: func(h *Host) (string, string) {
			if !h.found() || !h.Found.readable() || h.Preflight.Status >= 200 && h.Preflight.Status < 300 && h.Preflight.readable() {
				return "", ""
			}
			return "Requests with headers such as Authorization do not work.", "answer"
		}},
		{Name: "host-redirect", Verdict: VerdictAdvice, host: func(h *Host) (string, string) {
			if !h.found() || h.Found.Address == "" || h.Found.Address == h.Address {
				return "", ""
			}
			return "Each request takes two: the answer came from another address.", "address"
		}},
	}
}
