package static

import (
	"path"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/document"
)

// types maps suffixes to media types. The system's table differs from machine to machine.
var types = map[string]string{
	".html":  "text/html; charset=utf-8",
	".htm":   "text/html; charset=utf-8",
	".css":   "text/css; charset=utf-8",
	".js":    "text/javascript; charset=utf-8",
	".mjs":   "text/javascript; charset=utf-8",
	".cjs":   "text/javascript; charset=utf-8",
	".json":  "application/json",
	".map":   "application/json",
	".wasm":  "application/wasm",
	".svg":   "image/svg+xml",
	".png":   "image/png",
	".jpg":   "image/jpeg",
	".jpeg":  "image/jpeg",
	".webp":  "image/webp",
	".gif":   "image/gif",
	".ico":   "image/x-icon",
	".txt":   "text/plain; charset=utf-8",
	".md":    "text/markdown; charset=utf-8",
	".ts":    "text/plain; charset=utf-8",
	".woff2": "font/woff2",
	".zip":   "application/zip",
	".ozx":   "application/zip",
	".gz":    "application/gzip",
	".tar":   "application/x-tar",
	".xml":   "application/xml",
}

// isDocument reports whether a file is a metadata document, which is served although its name
// begins with a dot.
func isDocument(base string) bool { return document.Is(base) || documents[base] }

// documents are those of NCZarr.
var documents = map[string]bool{
	".nczarray": true, ".nczgroup": true, ".nczattrs": true, ".nczattr": true, ".nczarr": true,
}

// contentType returns the media type of a file by its name.
func contentType(name string) string {
	base := path.Base(name)
	if isDocument(base) {
		return "application/json"
	}
	if t, ok := types[strings.ToLower(path.Ext(base))]; ok {
		return t
	}
	return "application/octet-stream"
}

// compressible reports whether a compressed file may lie beside a file of that name. Chunks are
// excluded: in a hierarchy, "0" and "0.gz" may both be data.
func compressible(name string) bool {
	if isDocument(path.Base(name)) {
		return true
	}
	switch strings.ToLower(path.Ext(name)) {
	case ".html", ".css", ".js", ".mjs", ".json", ".map", ".wasm", ".svg", ".txt", ".md", ".xml":
		return true
	}
	return false
}
