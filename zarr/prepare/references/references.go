// Package references writes kerchunk references: JSON of version 1, or a directory of Parquet
// files. They present parts of existing files as a Zarr hierarchy of version 2. Packages beside it
// index files of one format each, such as [github.com/zarr-wasm/zarr-wasm/zarr/prepare/hdf5].
//
//	var doc references.Document
//	w := doc.File("air.nc", "", skip)
//	err := hdf5.Index(file, size, w)
//	_, err = doc.WriteTo(out)
//
// A document holds metadata, and the place of each chunk in its file. Small data may be inline.
package references

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/zarr-wasm/zarr-wasm/internal/document"
	"github.com/zarr-wasm/zarr-wasm/store"
)

// The limits of a document, and those of readers of JSON: package store/refstore has the same
// defaults.
const (
	maxKeys      = 16 << 20
	maxBytes     = 256 << 20 // of metadata and inline data
	maxJSONKeys  = 4 << 20
	maxJSONBytes = 160 << 20
)

// Document is a set of references. The zero Document is empty.
type Document struct {
	files  []string
	nodes  map[string]bool
	arrays int
	parts  []part
	keys   int
	bytes  int
}

// part is a document of a node, or the chunks of an array.
type part struct {
	key    string
	data   []byte
	chunks *Chunks
}

// Unsupported reports that an object of a file has a feature which references cannot express, or
// which this package does not read.
type Unsupported struct {
	Object  string // its path in the file
	Feature string
}

func (e *Unsupported) Error() string { return subject(e.Object) + "unsupported: " + e.Feature }

// Damaged reports an object of a file that contradicts the file's format.
type Damaged struct {
	Object string
	Msg    string
}

func (e *Damaged) Error() string { return subject(e.Object) + "damaged: " + e.Msg }

func subject(object string) string {
	if object == "" {
		return ""
	}
	return object + ": "
}

// LimitError reports a document or a file beyond a limit.
type LimitError struct {
	What string
	Max  int64
}

func (e *LimitError) Error() string {
	return e.What + " exceeds the limit of " + strconv.FormatInt(e.Max, 10)
}

// Writer adds the objects of one file to a document.
type Writer struct {
	doc  *Document
	file int // its number
	path string
	skip func(object string, err error)
}

// File returns the writer for a file at a URL, which may be relative to the document. Its objects
// lie below a path, "" for the root. The function skip, if set, receives the objects that are left
// out, and the reasons.
func (d *Document) File(url, path string, skip func(object string, err error)) *Writer {
	if skip == nil {
		skip = func(string, error) {}
	}
	d.files = append(d.files, url)
	return &Writer{d, len(d.files) - 1, path, skip}
}

// Skip reports an object that is left out because it is [Damaged] or [Unsupported]. It returns any
// other error, after which the file cannot be read further.
func (w *Writer) Skip(object string, err error) error {
	var damaged *Damaged
	var unsupported *Unsupported
	if !errors.As(err, &damaged) && !errors.As(err, &unsupported) {
		return err
	}
	w.skip(object, err)
	return nil
}

// Nodes returns the number of groups and arrays.
func (d *Document) Nodes() int { return len(d.nodes) }

// Arrays returns the number of arrays.
func (d *Document) Arrays() int { return d.arrays }

// Keys returns the number of references.
func (d *Document) Keys() int { return d.keys }

// Group adds a group with its attributes.
func (w *Writer) Group(path string, attributes map[string]any) error {
	return w.node(path, document.Group, []byte(`{"zarr_format":2}`), attributes)
}

func (w *Writer) node(path, name string, metadata []byte, attributes map[string]any) error {
	path = w.join(path)
	if path != "" {
		if err := CheckPath(path); err != nil {
			return err
		}
	}
	if w.doc.nodes == nil {
		w.doc.nodes = map[string]bool{}
	}
	if w.doc.nodes[path] {
		return &Damaged{path, "two objects have this name"}
	}
	w.doc.nodes[path] = true
	if err := w.doc.put(store.Join(path, name), metadata); err != nil {
		return err
	}
	if len(attributes) == 0 {
		return nil
	}
	return w.doc.put(store.Join(path, document.Attributes), AppendJSON(nil, attributes))
}

// CheckPath rejects paths that cannot name a node of version 2.
func CheckPath(path string) error {
	if store.CheckKey(path) != nil || !utf8.ValidString(path) {
		return &Unsupported{strconv.Quote(path), "a name that is empty, “.”, “..” or not UTF-8"}
	}
	for segment := range strings.SplitSeq(path, "/") {
		if strings.HasPrefix(segment, ".z") || segment == document.V3 {
			return &Unsupported{path, "a name that Zarr reserves"}
		}
	}
	return nil
}

func (w *Writer) join(path string) string {
	if w.path == "" || path == "" {
		return w.path + path
	}
	return w.path + "/" + path
}

// put adds the document of a node.
func (d *Document) put(key string, data []byte) error {
	d.parts = append(d.parts, part{key: key, data: data})
	return d.count(len(key) + len(data))
}

// count counts a reference, and the bytes that it holds.
func (d *Document) count(bytes int) error {
	d.keys++
	d.bytes += bytes
	switch {
	case d.keys > maxKeys:
		return &LimitError{"the number of references", maxKeys}
	case d.bytes > maxBytes:
		return &LimitError{"the size in bytes of metadata and inline data", maxBytes}
	}
	return nil
}
