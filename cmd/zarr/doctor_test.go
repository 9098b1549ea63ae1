package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/doctor"
)

// host answers requests for a directory, first as a good host, then changed by a fault.
func host(t *testing.T, dir string, fault func(w http.ResponseWriter, r *http.Request, next http.Handler)) string {
	t.Helper()
	files := http.FileServer(http.Dir(dir))
	good := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Access-Control-Allow-Origin", "*")
		h.Set("Access-Control-Expose-Headers", "Content-Range, Content-Length, ETag")
		if r.Method == http.MethodOptions {
			h.Set("Access-Control-Allow-Methods", "GET, HEAD")
			h.Set("Access-Control-Allow-Headers", "Range")
			w.WriteHeader(http.StatusNoContent)
			return
		}
		files.ServeHTTP(w, r)
	})
	on := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fault(w, r, good) }))
	t.Cleanup(on.Close)
	return on.URL
}

// without removes a header from answers.
func without(names ...string) func(http.ResponseWriter, *http.Request, http.Handler) {
	return func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		next.ServeHTTP(&changedHeaders{w, func(h http.Header, _ int) {
			for _, name := range names {
				h.Del(name)
			}
		}}, r)
	}
}

// changedHeaders changes the headers of answers.
type changedHeaders struct {
	http.ResponseWriter
	change func(h http.Header, status int)
}

func (w *changedHeaders) WriteHeader(status int) {
	w.change(w.Header(), status)
	w.ResponseWriter.WriteHeader(status)
}

func setHeader(name, value string) func(http.ResponseWriter, *http.Request, http.Handler) {
	return func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		next.ServeHTTP(&changedHeaders{w, func(h http.Header, _ int) { h.Set(name, value) }}, r)
	}
}

func missing(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "zarr-doctor-missing") }

// TestDoctorFindsFaultsOfHosts examines good data on hosts with one fault each.
func TestDoctorFindsFaultsOfHosts(t *testing.T) {
	dir := t.TempDir()
	timeSlices(t, filepath.Join(dir, "data"), 3, 200, 200)
	findings := func(address string) []doctor.Finding {
		var report doctor.Report
		must.Do(t, json.Unmarshal([]byte(output(t, "doctor", address, "--json")), &report))
		return report.Findings
	}
	passing := func(w http.ResponseWriter, r *http.Request, next http.Handler) { next.ServeHTTP(w, r) }
	if found := findings(host(t, dir, passing) + "/data"); len(found) > 0 {
		t.Errorf("a good host: %+v", found)
	}
	for rule, fault := range map[string]func(w http.ResponseWriter, r *http.Request, next http.Handler){
		"host-cors":     without("Access-Control-Allow-Origin"),
		"host-exposed":  without("Access-Control-Expose-Headers"),
		"host-changes":  without("Etag", "Last-Modified"),
		"host-no-store": setHeader("Cache-Control", "no-store"),
		"host-type":     setHeader("Content-Type", "text/html"),
		"host-cors-missing": func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			next.ServeHTTP(&changedHeaders{w, func(h http.Header, status int) {
				if status == 404 {
					h.Del("Access-Control-Allow-Origin")
				}
			}}, r)
		},
		"host-missing": func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			if missing(r) {
				w.Header().Set("Access-Control-Allow-Origin", "*")
				w.WriteHeader(403)
				return
			}
			next.ServeHTTP(w, r)
		},
		"host-ranges": func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			r.Header.Del("Range")
			next.ServeHTTP(w, r)
		},
		"host-preflight": func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			if r.Method == http.MethodOptions {
				w.WriteHeader(405)
				return
			}
			next.ServeHTTP(w, r)
		},
		"host-redirect": func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			if rest, ok := strings.CutPrefix(r.URL.Path, "/data/"); ok {
				http.Redirect(w, r, "/moved/data/"+rest, http.StatusFound)
				return
			}
			r.URL.Path = strings.TrimPrefix(r.URL.Path, "/moved")
			next.ServeHTTP(w, r)
		},
	} {
		found := findings(host(t, dir, fault) + "/data")
		if !slices.ContainsFunc(found, func(f doctor.Finding) bool { return f.Rule == rule && f.Cure != "" }) {
			t.Errorf("%s is not found: %+v", rule, found)
		}
	}
	// Answers that cannot be served here.
	judged := func(h doctor.Host) []doctor.Finding { return doctor.Judge(&doctor.Data{Host: &h}) }
	good := doctor.Answer{Status: 200, Header: map[string]string{"access-control-allow-origin": "*"}, Protocol: "HTTP/1.1"}
	for rule, h := range map[string]doctor.Host{
		"host-down":    {Found: doctor.Answer{Error: "no such host"}},
		"host-refuses": {Found: doctor.Answer{Status: 401}},
		"host-http":    {Address: "http://example.org/zarr.json", Found: good},
		"host-http1":   {Address: "https://example.org/zarr.json", Found: good},
		"host-plain":   {Address: "https://example.org/zarr.json", Found: doctor.Answer{Status: 200, Bytes: 100_000}},
	} {
		if found := judged(h); !slices.ContainsFunc(found, func(f doctor.Finding) bool { return f.Rule == rule }) {
			t.Errorf("%s is not found: %+v", rule, found)
		}
	}
}

// TestDoctorPrintsCures examines a large chunk, and obeys.
func TestDoctorPrintsCures(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
	timeSlices(t, from, 2, 4100, 4200)
	text := output(t, "doctor", from)
	for _, want := range []string{"Chunks are large", "zarr rechunk " + from + " TO --chunks 1,512,512", "zarr pyramid " + from + " TO", "a first picture of"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q lacks %q", text, want)
		}
	}
	output(t, "pyramid", from, to, "--chunks", "1,512,512")
	if text := output(t, "doctor", to); !strings.Contains(text, "nothing to mend") {
		t.Error(text)
	}
	if text := output(t, "validate", to); !strings.Contains(text, " 0 errors") {
		t.Error(text)
	}
}
