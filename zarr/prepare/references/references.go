// Package references writes kerchunk references, version 1: a JSON document that presents parts of
// existing files as a Zarr hierarchy of version 2. Packages beside it index files of one format
// each, such as [github.com/zarr-wasm/zarr-wasm/zarr/prepare/hdf5].
//
//	var doc references.Document
//	w := doc.File("air.nc", "", skip)
//	err := hdf5.Index(file, size, w)
//	_, err = doc.WriteTo(out)
//
// A document holds metadata, and the place of each chunk in its file. Small data may be inline.
package references

import (
	"encoding/base64"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/zarr-wasm/zarr-wasm/internal/document"
	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/store"
)

// The limits of readers of such documents: package store/refstore has the same defaults.
const (
	maxKeys  = 4 << 20
	maxBytes = 160 << 20
)

// Document is a set of references. The zero Document is empty.
type Document struct {
	files []string
	nodes map[string]bool
	refs  []byte
	keys  int
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
	file string
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
	name := "{{f" + strconv.Itoa(len(d.files)) + "}}"
	d.files = append(d.files, url)
	return &Writer{d, string(json.AppendString(nil, name)), path, skip}
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

// begin begins a reference.
func (d *Document) begin(key string) error {
	d.keys++
	switch {
	case d.keys > maxKeys:
		return &LimitError{"the number of references", maxKeys}
	case len(d.refs) > maxBytes:
		return &LimitError{"the size in bytes of the references", maxBytes}
	}
	if len(d.refs) > 0 {
		d.refs = append(d.refs, ",\n"...)
	}
	d.refs = append(json.AppendString(d.refs, key), ':')
	return nil
}

// put adds a key with its bytes.
func (d *Document) put(key string, data []byte) error {
	if err := d.begin(key); err != nil {
		return err
	}
	if text := string(data); utf8.ValidString(text) && !strings.HasPrefix(text, "base64:") && !strings.ContainsRune(text, 0) {
		d.refs = json.AppendString(d.refs, text)
		return nil
	}
	d.refs = append(d.refs, `"base64:`...)
	d.refs = base64.StdEncoding.AppendEncode(d.refs, data)
	d.refs = append(d.refs, '"')
	return nil
}

// WriteTo writes the document.
func (d *Document) WriteTo(to io.Writer) (int64, error) {
	head := []byte(`{"version":1,"templates":{`)
	for i, url := range d.files {
		if i > 0 {
			head = append(head, ',')
		}
		head = append(head, `"f`+strconv.Itoa(i)+`":`...)
		head = json.AppendString(head, url)
	}
	head = append(head, "},\"refs\":{\n"...)
	total := int64(0)
	for _, b := range [][]byte{head, d.refs, []byte("\n}}\n")} {
		n, err := to.Write(b)
		if total += int64(n); err != nil {
			return total, err
		}
	}
	return total, nil
}
