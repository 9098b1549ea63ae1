package static

import (
	"html"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/document"
)

// Viewer returns a handler of the viewer's files at the root and of data below data/NAME/. It also
// returns the addresses of the viewer, relative to the root, on each hierarchy of the data. Where it
// finds none, the data as a whole are one.
func Viewer(viewer, data http.Handler, fsys fs.FS, name string) (http.Handler, []string) {
	prefix := "/data/" + name + "/"
	var pages []string
	for _, root := range hierarchies(fsys) {
		to := url.URL{Path: strings.TrimSuffix("data/"+path.Join(name, root), "/")}
		pages = append(pages, "?url="+url.QueryEscape(to.EscapedPath()))
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		switch {
		case strings.HasPrefix(r.URL.Path, "/data/"):
			// A page among the data is no part of the viewer.
			w.Header().Set("Content-Security-Policy", "sandbox")
			// Not by http.StripPrefix: it compares the prefix with the path as it was sent, too.
			below := r.Clone(r.Context())
			path, ok := strings.CutPrefix(r.URL.Path, prefix)
			if !ok {
				path = ".." // which is absent
			}
			below.URL.Path, below.URL.RawPath = "/"+path, ""
			data.ServeHTTP(w, below)
		case r.URL.Path == "/" && r.URL.RawQuery == "" && len(pages) == 1:
			w.Header().Set("Location", "./"+pages[0])
			w.WriteHeader(http.StatusFound)
		case r.URL.Path == "/" && r.URL.RawQuery == "":
			index(w, name, pages)
		default:
			viewer.ServeHTTP(w, r)
		}
	}), pages
}

// DataName returns the name under which data of a path are served.
func DataName(file string) string {
	abs, err := filepath.Abs(file)
	if err != nil {
		abs = file
	}
	name := filepath.Base(abs)
	lower := strings.ToLower(name)
	// Archives are served unpacked.
	for _, suffix := range []string{".zip", ".ozx", ".tar.gz", ".tgz", ".tar"} {
		if strings.HasSuffix(lower, suffix) && len(name) > len(suffix) {
			name = name[:len(name)-len(suffix)]
			break
		}
	}
	if name == "" || strings.ContainsAny(name, `/\`) || hidden(name) {
		return "data"
	}
	return name
}

const (
	deepest = 3   // folders down to which hierarchies are looked for
	most    = 100 // hierarchies that are listed
)

// hierarchies returns the folders that are hierarchies and lie in no other; "." where none is found.
func hierarchies(fsys fs.FS) []string {
	var found []string
	var visit func(dir string, depth int)
	visit = func(dir string, depth int) {
		for _, name := range document.Nodes() {
			if info, err := fs.Stat(fsys, path.Join(dir, name)); err == nil && info.Mode().IsRegular() {
				found = append(found, dir)
				return
			}
		}
		entries, err := fs.ReadDir(fsys, dir)
		if depth == deepest || err != nil {
			return
		}
		for _, entry := range entries {
			if entry.IsDir() && !hidden(entry.Name()) && entry.Name() != "node_modules" && len(found) < most {
				visit(path.Join(dir, entry.Name()), depth+1)
			}
		}
	}
	visit(".", 0)
	if len(found) == 0 {
		return []string{"."}
	}
	slices.Sort(found)
	return found
}

// index answers with a page of links to the viewer.
func index(w http.ResponseWriter, name string, pages []string) {
	var b strings.Builder
	title := html.EscapeString(name)
	b.WriteString("<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content=\"width=device-width\"><meta name=color-scheme content=\"light dark\"><title>" + title + "</title>\n")
	b.WriteString("<style>body{font:16px/1.6 system-ui;max-width:48rem;margin:3rem auto;padding:0 1rem}</style>\n<h1>" + title + "</h1>\n<ul>\n")
	for _, page := range pages {
		query, _ := url.ParseQuery(strings.TrimPrefix(page, "?"))
		shown, _ := url.PathUnescape(strings.TrimPrefix(query.Get("url"), "data/"))
		b.WriteString(`<li><a href="./` + html.EscapeString(page) + `">` + html.EscapeString(shown) + "</a>\n")
	}
	b.WriteString("</ul>\n")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(b.Len()))
	_, _ = io.WriteString(w, b.String())
}
