package static

import (
	"encoding/json"
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
// returns the viewer's addresses for each hierarchy in the data, relative to the root. If it finds
// none, it treats the data as one hierarchy.
//
// The viewer is index.html, and its state is the fragment, which no server receives. For several
// hierarchies, the root is folder.html, which lists them, instead of the viewer.
func Viewer(viewer, data http.Handler, fsys fs.FS, name string) (http.Handler, []string) {
	prefix := "/data/" + name + "/"
	roots, complete := hierarchies(fsys)
	pages := make([]string, len(roots))
	queries := make([]string, len(roots))
	for i, root := range roots {
		to := url.URL{Path: strings.TrimSuffix("data/"+path.Join(name, root), "/")}
		queries[i] = "url=" + strings.ReplaceAll(url.QueryEscape(to.EscapedPath()), "%2F", "/")
		pages[i] = "index.html#" + queries[i]
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		switch {
		case strings.HasPrefix(r.URL.Path, "/data/"):
			// A page in the data must not act as part of the viewer.
			w.Header().Set("Content-Security-Policy", "sandbox")
			// http.StripPrefix does not fit: it also compares the prefix with the raw path.
			below := r.Clone(r.Context())
			path, ok := strings.CutPrefix(r.URL.Path, prefix)
			if !ok {
				path = ".." // which is absent
			}
			below.URL.Path, below.URL.RawPath = "/"+path, ""
			data.ServeHTTP(w, below)
		case r.URL.Path == "/hierarchies.json" && (r.Method == http.MethodGet || r.Method == http.MethodHead):
			listed(w, r, name, roots, pages, complete)
		case r.URL.Path == "/" && r.URL.RawQuery == "" && len(pages) != 1:
			w.Header().Set("Location", "./folder.html")
			w.WriteHeader(http.StatusFound)
		case r.URL.Path == "/":
			// A query leaves the fragment of the request's address in force.
			query := r.URL.RawQuery
			if query == "" {
				query = queries[0]
			}
			w.Header().Set("Location", "./index.html?"+query)
			w.WriteHeader(http.StatusFound)
		default:
			viewer.ServeHTTP(w, r)
		}
	}), pages
}

// DataName returns the name under which data at a path are served.
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
	maxEntries     = 100_000 // files and folders that are looked at
	maxHierarchies = 1000    // hierarchies that are listed
)

// hierarchies returns the folders and archives that are hierarchies and lie in no other; "." where it
// finds none. It visits folders breadth-first, so that a large folder hides none beside it. It reports
// whether it has seen all.
func hierarchies(fsys fs.FS) (found []string, complete bool) {
	seen := 0
	for folders := []string{"."}; len(folders) > 0; {
		dir := folders[0]
		folders = folders[1:]
		if isNode(fsys, dir) {
			if found = append(found, dir); len(found) == maxHierarchies {
				slices.Sort(found)
				return found, false
			}
			continue
		}
		if seen > maxEntries {
			slices.Sort(found)
			return found, false
		}
		entries, err := fs.ReadDir(fsys, dir)
		if err != nil {
			continue
		}
		seen += len(entries)
		for _, entry := range entries {
			name := entry.Name()
			switch {
			case hidden(name) || name == "node_modules":
			case entry.IsDir():
				folders = append(folders, path.Join(dir, name))
			case isArchive(name):
				found = append(found, path.Join(dir, name))
			}
		}
	}
	if len(found) == 0 {
		found = []string{"."}
	}
	slices.Sort(found)
	return found, true
}

// isNode reports whether a folder has a document of a node.
func isNode(fsys fs.FS, dir string) bool {
	for _, name := range document.Nodes() {
		if info, err := fs.Stat(fsys, path.Join(dir, name)); err == nil && info.Mode().IsRegular() {
			return true
		}
	}
	return false
}

// isArchive reports whether a file's name is that of a zip archive.
func isArchive(name string) bool {
	ext := strings.ToLower(path.Ext(name))
	return ext == ".zip" || ext == ".ozx"
}

// listed writes the list of hierarchies, which the page folder.html shows.
func listed(w http.ResponseWriter, r *http.Request, name string, roots, pages []string, complete bool) {
	type hierarchy struct {
		Name string `json:"name"`
		Page string `json:"page"`
	}
	list := make([]hierarchy, len(pages))
	for i, page := range pages {
		list[i] = hierarchy{path.Join(name, roots[i]), page}
	}
	text, err := json.Marshal(map[string]any{"name": name, "complete": complete, "hierarchies": list})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	if r.Method != http.MethodHead {
		_, _ = w.Write(text)
	}
}
