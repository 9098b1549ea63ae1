package doctor

import (
	"context"
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

const corsCure = "Add Access-Control-Allow-Origin: * to every answer, those of status 404 too. The viewer's host check prints the lines for common servers."

// hostRules are about the answers of a host.
func hostRules() []Rule {
	return []Rule{
		{Name: "host-down", Verdict: VerdictBad, Title: "There is no answer", host: func(h *Host) (string, string) {
			if h.Found.Status != 0 {
				return "", ""
			}
			return h.Found.Error, "Check the name and the port of the host."
		}},
		{Name: "host-refuses", Verdict: VerdictBad, Title: "The host refuses access", host: func(h *Host) (string, string) {
			if h.Found.Status != 401 && h.Found.Status != 403 {
				return "", ""
			}
			return fmt.Sprintf("The metadata document is answered by status %d.", h.Found.Status), "Let everybody read the objects."
		}},
		{Name: "host-http", Verdict: VerdictBad, Title: "The address has no https", host: func(h *Host) (string, string) {
			name, ok := strings.CutPrefix(h.Address, "http://")
			if !ok || strings.HasPrefix(name, "localhost") || strings.HasPrefix(name, "127.") || strings.HasPrefix(name, "[::1]") {
				return "", ""
			}
			return "Browsers block http addresses from pages that came by https.", "Serve the data by https."
		}},
		{Name: "host-cors", Verdict: VerdictBad, Title: "Pages of other origins may not read", host: func(h *Host) (string, string) {
			if !h.found() || h.Found.readable() {
				return "", ""
			}
			return "The answers have no Access-Control-Allow-Origin header for all origins.", corsCure
		}},
		{Name: "host-cors-missing", Verdict: VerdictBad, Title: "Answers for missing objects have no CORS headers", host: func(h *Host) (string, string) {
			if !h.found() || !h.Found.readable() || h.Missing.readable() || h.Missing.Status == 0 {
				return "", ""
			}
			return "Pages cannot tell a missing chunk from a host that is down.", corsCure
		}},
		{Name: "host-missing", Verdict: VerdictBad, Title: "Missing objects are not answered by 404", host: func(h *Host) (string, string) {
			switch s := h.Missing.Status; {
			case !h.found() || s == 404 || s == 410:
				return "", ""
			case s == 403:
				return "A missing object is answered by 403, as buckets do that nobody may list.", "Allow listing: s3:ListBucket on the bucket."
			case s == 200:
				return "A missing object is answered by 200, so that missing chunks seem to exist.", "A rule that sends index.html for every address must not cover the data."
			default:
				return fmt.Sprintf("A missing object is answered by %d.", s), "Answer 404 for missing objects."
			}
		}},
		{Name: "host-ranges", Verdict: VerdictBad, Title: "Byte ranges do not work", host: func(h *Host) (string, string) {
			switch r := &h.Range; {
			case !h.found() || r.Status == 206 && r.Bytes == 10 && r.Header["content-encoding"] == "":
				return "", ""
			case r.Status == 206:
				return fmt.Sprintf("Ten bytes were requested, and %d came.", r.Bytes), "Do not compress answers to ranged requests."
			case r.Status == 200:
				return "The host ignores the header Range, so that shards and archives are read whole.", "Serve the data as plain files, by a server that supports ranges."
			default:
				return fmt.Sprintf("A ranged request is answered by %d.", r.Status), "Let the server support ranges."
			}
		}},
		{Name: "host-exposed", Verdict: VerdictAdvice, Title: "Pages cannot read headers", host: func(h *Host) (string, string) {
			if !h.found() || !h.Found.readable() {
				return "", ""
			}
			exposed := strings.ToLower(h.Found.Header["access-control-expose-headers"])
			names := strings.FieldsFunc(exposed, func(r rune) bool { return r == ',' || r == ' ' })
			if exposed == "*" || slices.Contains(names, "content-range") && slices.Contains(names, "etag") {
				return "", ""
			}
			return "Sizes take requests of their own, and a replaced object may go unnoticed.", "Add Access-Control-Expose-Headers: Content-Range, Content-Length, ETag."
		}},
		{Name: "host-changes", Verdict: VerdictAdvice, Title: "Replaced objects go unnoticed", host: func(h *Host) (string, string) {
			if !h.found() || h.Found.Header["etag"] != "" || h.Found.Header["last-modified"] != "" {
				return "", ""
			}
			return "The answers have neither ETag nor Last-Modified.", "Send ETag."
		}},
		{Name: "host-no-store", Verdict: VerdictAdvice, Title: "Answers may not be cached", host: func(h *Host) (string, string) {
			if !h.found() || !strings.Contains(h.Found.Header["cache-control"], "no-store") {
				return "", ""
			}
			return "Cache-Control: no-store makes each visit read all bytes again.", "Send Cache-Control: no-cache for metadata, and max-age for chunks."
		}},
		{Name: "host-type", Verdict: VerdictBad, Title: "Metadata come as a web page", host: func(h *Host) (string, string) {
			if !h.found() || !strings.Contains(h.Found.Header["content-type"], "html") {
				return "", ""
			}
			return "The document has the type " + h.Found.Header["content-type"] + ".", "Send metadata as application/json."
		}},
		{Name: "host-plain", Verdict: VerdictAdvice, Title: "Metadata are not compressed", host: func(h *Host) (string, string) {
			if !h.found() || h.Found.Bytes < 32*kib || h.Found.Header["content-encoding"] != "" {
				return "", ""
			}
			return fmt.Sprintf("The document takes %s on the wire.", size(h.Found.Bytes)), "Compress application/json by gzip, Brotli or Zstandard."
		}},
		{Name: "host-http1", Verdict: VerdictAdvice, Title: "The host speaks HTTP/1", host: func(h *Host) (string, string) {
			if !h.found() || !strings.HasPrefix(h.Found.Protocol, "HTTP/1") || !strings.HasPrefix(h.Address, "https:") {
				return "", ""
			}
			return "Browsers have at most six requests under way.", "HTTP/2 or HTTP/3 makes arrays of many chunks faster."
		}},
		{Name: "host-preflight", Verdict: VerdictAdvice, Title: "Announced requests are refused", host: func(h *Host) (string, string) {
			if !h.found() || !h.Found.readable() || h.Preflight.Status >= 200 && h.Preflight.Status < 300 && h.Preflight.readable() {
				return "", ""
			}
			return "Requests with headers such as Authorization do not work.", "Answer OPTIONS with Access-Control-Allow-Methods and Access-Control-Allow-Headers."
		}},
		{Name: "host-redirect", Verdict: VerdictAdvice, Title: "The host redirects", host: func(h *Host) (string, string) {
			if !h.found() || h.Found.Address == "" || h.Found.Address == h.Address {
				return "", ""
			}
			return "Each request takes two: the answer came from another address.", "Use the address after the redirect."
		}},
	}
}
