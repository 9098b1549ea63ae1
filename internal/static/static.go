// Package static serves files over HTTP like object stores and static hosts: byte ranges, entity
// tags, CORS, and precompressed files beside the plain ones. The command zarr and tests use it. The
// npm package has the same server in bin/serve.mjs; both pass tests/servers/requests.json.
//
//	http.ListenAndServe("127.0.0.1:8080", static.New(os.DirFS("data"), static.Options{CORS: true}))
package static

import (
	"bytes"
	"compress/gzip"
	"errors"
	"html"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// Options configures a server.
type Options struct {
	// CORS lets pages of any origin read the files and the headers that describe them.
	CORS bool
	// Isolate makes pages cross-origin isolated, which SharedArrayBuffer requires.
	Isolate bool
	// Compress compresses documents and pages with gzip unless a compressed file exists. It never
	// compresses chunks and ranges.
	Compress bool
	// Dotfiles serves all files with names that begin with a dot. Otherwise only Zarr's documents
	// of such names are served.
	Dotfiles bool
	// List answers a folder without index.html with a list of its contents.
	List bool
	// CacheControl is the header of that name. With "", a browser revalidates files each time,
	// except those with a hash in their names (main.0123ABCD.js).
	CacheControl string
	// Wrap, if not nil, is called once with the handler of the files, and returns a handler to use
	// in its place. Preflights bypass it. The headers common to all answers are set before it.
	Wrap func(files http.Handler) http.Handler
}

// New returns a handler that serves the files of fsys. Open files must be io.Seekers.
func New(fsys fs.FS, opt Options) http.Handler {
	if opt.CacheControl == "" {
		opt.CacheControl = "no-cache"
	}
	s := &server{fsys: fsys, opt: opt}
	s.files = http.HandlerFunc(s.file)
	if opt.Wrap != nil {
		s.files = opt.Wrap(s.files)
	}
	return s
}

type server struct {
	fsys  fs.FS
	opt   Options
	files http.Handler
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	if s.opt.CORS {
		h.Set("Access-Control-Allow-Origin", "*")
		h.Set("Access-Control-Expose-Headers", "Content-Range, Content-Length, Content-Encoding, ETag, Accept-Ranges, Retry-After")
		h.Set("Cross-Origin-Resource-Policy", "cross-origin")
		h.Set("Timing-Allow-Origin", "*")
	}
	if s.opt.Isolate {
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Embedder-Policy", "require-corp")
	}
	if r.Method == http.MethodOptions {
		s.options(w, r)
		return
	}
	s.files.ServeHTTP(w, r)
}

const methods = "GET, HEAD, OPTIONS"

// options answers a preflight.
func (s *server) options(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Allow", methods)
	if s.opt.CORS {
		h.Set("Access-Control-Allow-Methods", methods)
		if names := r.Header.Get("Access-Control-Request-Headers"); names != "" {
			h.Set("Access-Control-Allow-Headers", names) // "*" would not cover Authorization
		}
		h.Set("Access-Control-Max-Age", "600")
		h.Set("Vary", "Access-Control-Request-Headers")
	}
	w.WriteHeader(http.StatusNoContent)
}

// file answers for a file or a folder.
func (s *server) file(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", methods)
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	name := strings.TrimPrefix(r.URL.Path, "/")
	folder := name == "" || strings.HasSuffix(name, "/")
	name = strings.TrimSuffix(name, "/")
	if name == "" {
		name = "."
	}
	if !fs.ValidPath(name) || !s.opt.Dotfiles && hidden(name) {
		absent(w)
		return
	}
	info, err := fs.Stat(s.fsys, name)
	switch {
	case err != nil:
		s.fail(w, err)
	case info.IsDir() && !folder:
		to := url.URL{Path: "./" + path.Base(name) + "/", RawQuery: r.URL.RawQuery}
		// The index of a folder is a page, which is refused among data.
		if _, err := fs.Stat(s.fsys, name+"/index.html"); err != nil && !s.opt.List {
			absent(w)
			return
		}
		w.Header().Set("Location", to.String())
		w.WriteHeader(http.StatusMovedPermanently)
	case info.IsDir():
		s.folder(w, r, name)
	case folder || !info.Mode().IsRegular():
		absent(w)
	default:
		s.content(w, r, name)
	}
}

func absent(w http.ResponseWriter) { http.Error(w, "not found", http.StatusNotFound) }

func (s *server) fail(w http.ResponseWriter, err error) {
	switch {
	case errors.Is(err, fs.ErrPermission):
		http.Error(w, "forbidden", http.StatusForbidden)
	default:
		// This includes names that are too long or lie below a file, and links that leave the root.
		absent(w)
	}
}

// folder answers a request for a folder with its index.html, or on request a list.
func (s *server) folder(w http.ResponseWriter, r *http.Request, name string) {
	index := path.Join(name, "index.html")
	if info, err := fs.Stat(s.fsys, index); err == nil && info.Mode().IsRegular() {
		s.content(w, r, index)
		return
	}
	entries, err := fs.ReadDir(s.fsys, name)
	if err != nil || !s.opt.List {
		absent(w)
		return
	}
	var b strings.Builder
	b.WriteString("<!doctype html><meta charset=utf-8><title>Index</title><ul>\n")
	for _, e := range entries {
		entry := e.Name()
		if !s.opt.Dotfiles && hidden(entry) {
			continue
		}
		if e.IsDir() {
			entry += "/"
		}
		to := url.URL{Path: "./" + entry}
		b.WriteString(`<li><a href="` + html.EscapeString(to.String()) + `">` + html.EscapeString(entry) + "</a>\n")
	}
	b.WriteString("</ul>\n")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(b.Len()))
	_, _ = io.WriteString(w, b.String())
}

// hashed matches files with a content hash in their names, whose content never changes.
var hashed = regexp.MustCompile(`\.[0-9A-Z]{8}\.(js|css|wasm)$`)

func (s *server) cacheControl(name string) string {
	if s.opt.CacheControl == "no-cache" && hashed.MatchString(name) {
		return "public, max-age=31536000, immutable"
	}
	return s.opt.CacheControl
}

// content sends a file, or its precompressed form.
func (s *server) content(w http.ResponseWriter, r *http.Request, name string) {
	h := w.Header()
	h.Set("Content-Type", contentType(name))
	h.Set("Cache-Control", s.cacheControl(name))
	suffix := ""
	if compressible(name) {
		for _, c := range []struct{ coding, suffix string }{{"br", ".br"}, {"gzip", ".gz"}} {
			info, err := fs.Stat(s.fsys, name+c.suffix)
			if err != nil || !info.Mode().IsRegular() {
				continue
			}
			h.Set("Vary", "Accept-Encoding")
			// A range refers to the plain bytes.
			if suffix == "" && r.Header.Get("Range") == "" && accepts(r.Header.Get("Accept-Encoding"), c.coding) {
				suffix = c.suffix
				h.Set("Content-Encoding", c.coding)
			}
		}
	}
	f, err := s.fsys.Open(name + suffix)
	if err != nil {
		h.Del("Content-Encoding")
		s.fail(w, err)
		return
	}
	defer f.Close()
	info, err := f.Stat()
	seeker, ok := f.(io.ReadSeeker)
	if err != nil || !ok {
		http.Error(w, "unreadable", http.StatusInternalServerError)
		return
	}
	if tag := etag(info, suffix); tag != "" {
		h.Set("ETag", tag)
	}
	if suffix == "" && s.opt.Compress && compressible(name) && info.Size() >= leastGzip && info.Size() <= maxGzip {
		h.Set("Vary", "Accept-Encoding")
		if r.Header.Get("Range") == "" && accepts(r.Header.Get("Accept-Encoding"), "gzip") {
			zipped, err := gzipped(f)
			if err != nil {
				http.Error(w, "unreadable", http.StatusInternalServerError)
				return
			}
			if tag := etag(info, "-gzip"); tag != "" {
				h.Set("ETag", tag)
			}
			h.Set("Content-Encoding", "gzip")
			h.Set("Content-Length", strconv.Itoa(len(zipped)))
			seeker = bytes.NewReader(zipped)
		}
	}
	if suffix != "" {
		// ServeContent omits it if there is a Content-Encoding.
		h.Set("Content-Length", strconv.FormatInt(info.Size(), 10))
	}
	if header := r.Header.Get("Range"); header != "" {
		r = r.Clone(r.Context())
		r.Header.Del("Range")
		if header = singleRange(header, info.Size()); header != "" {
			r.Header.Set("Range", header)
		}
	}
	http.ServeContent(w, r, "", info.ModTime(), seeker)
}

// Below leastGzip, gzip saves no packet. The limit maxGzip bounds memory.
const (
	leastGzip = 1 << 10
	maxGzip   = 64 << 20
)

func gzipped(r io.Reader) ([]byte, error) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.Copy(z, r); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// hidden reports whether a name is not served: it begins with a dot, and is not a document of Zarr
// v2 or NCZarr.
func hidden(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if strings.HasPrefix(part, ".") && part != "." && !isDocument(part) {
			return true
		}
	}
	return false
}

// etag returns the tag of a file: of its content if known, else of its size and time.
func etag(info fs.FileInfo, suffix string) string {
	if tag, ok := info.Sys().(contentTag); ok {
		return `"` + string(tag) + suffix + `"`
	}
	if info.ModTime().IsZero() {
		return ""
	}
	return `"` + strconv.FormatInt(info.ModTime().UnixNano(), 36) + "-" + strconv.FormatInt(info.Size(), 36) + suffix + `"`
}

// accepts reads an Accept-Encoding header (RFC 9110, 12.5.3).
func accepts(header, coding string) bool {
	for item := range strings.SplitSeq(header, ",") {
		name, param, _ := strings.Cut(item, ";")
		if !strings.EqualFold(strings.TrimSpace(name), coding) {
			continue
		}
		q, ok := strings.CutPrefix(strings.ReplaceAll(param, " ", ""), "q=")
		value, err := strconv.ParseFloat(q, 64)
		return !ok || err == nil && value > 0
	}
	return false
}
