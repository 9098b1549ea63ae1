package faulty

import (
	"bytes"
	"errors"
	"html"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
)

// Objects serves objects in memory that PUT and DELETE change. It has strong tags, the conditions
// If-Match and If-None-Match, lists of folders like Go's file server, and CORS for all origins.
type Objects struct {
	*memstore.Store
	// Untagged sends no tags, and ignores conditions.
	Untagged bool
}

// NewObjects returns a server without objects.
func NewObjects() *Objects { return &Objects{Store: memstore.New(nil)} }

// ServeHTTP implements [http.Handler].
func (o *Objects) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Access-Control-Expose-Headers", "ETag, Content-Range")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	key := strings.TrimPrefix(r.URL.Path, "/")
	switch r.Method {
	case http.MethodOptions:
		h.Set("Access-Control-Allow-Methods", "GET, HEAD, PUT, DELETE")
		h.Set("Access-Control-Allow-Headers", "If-Match, If-None-Match, Range, Authorization, Content-Type")
		w.WriteHeader(http.StatusNoContent)
	case http.MethodGet, http.MethodHead:
		o.read(w, r, key)
	case http.MethodPut, http.MethodDelete:
		body, err := io.ReadAll(r.Body)
		if err == nil {
			w.WriteHeader(o.write(r, key, body))
		}
	default:
		w.WriteHeader(http.StatusMethodNotAllowed)
	}
}

// write executes a request to write, and returns the status.
func (o *Objects) write(r *http.Request, key string, body []byte) int {
	ctx, match, none := r.Context(), r.Header.Get("If-Match"), r.Header.Get("If-None-Match")
	if o.Untagged {
		match, none = "", ""
	}
	var err error
	switch old := (store.Version{Size: -1, ETag: match}); {
	case r.Method == http.MethodDelete && match != "":
		err = o.Remove(ctx, key, old)
	case r.Method == http.MethodDelete:
		err = o.Delete(ctx, key)
	case match != "":
		err = o.Replace(ctx, key, body, old)
	case none == "*":
		err = o.Create(ctx, key, body)
	default:
		err = o.Set(ctx, key, body)
	}
	switch {
	case err == nil:
		return http.StatusNoContent
	case errors.Is(err, store.ErrConflict), errors.Is(err, fs.ErrExist):
		return http.StatusPreconditionFailed
	}
	return http.StatusBadRequest
}

// read answers with an object, or with the list of a folder.
func (o *Objects) read(w http.ResponseWriter, r *http.Request, key string) {
	if folder, ok := strings.CutSuffix(key, "/"); ok || key == "" {
		names, err := o.List(r.Context(), folder)
		if err != nil || len(names) == 0 && key != "" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		page := "<!doctype html>\n<meta name=\"viewport\" content=\"width=device-width\">\n<pre>\n"
		for _, name := range names {
			page += `<a href="` + (&url.URL{Path: name}).String() + `">` + html.EscapeString(name) + "</a>\n"
		}
		_, _ = io.WriteString(w, page+"</pre>\n")
		return
	}
	e, err := o.Read(r.Context(), key, store.Ask{})
	if err != nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	if !o.Untagged {
		w.Header().Set("ETag", e.ETag)
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(e.Bytes))
}
