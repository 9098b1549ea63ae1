package references

import (
	"bufio"
	"encoding/base64"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/store"
)

// WriteTo writes the document as JSON. It returns a [*LimitError] for a document that is too large
// for readers of JSON.
func (d *Document) WriteTo(to io.Writer) (int64, error) {
	if d.keys > maxJSONKeys {
		return 0, &LimitError{"the number of references in JSON", maxJSONKeys}
	}
	w := &jsonWriter{to: bufio.NewWriterSize(to, 64<<10)}
	w.b = append(w.b, `{"version":1,"templates":{`...)
	for i, url := range d.files {
		if i > 0 {
			w.b = append(w.b, ',')
		}
		w.b = append(w.b, `"f`+strconv.Itoa(i)+`":`...)
		w.b = json.AppendString(w.b, url)
	}
	w.b = append(w.b, "},\"refs\":{\n"...)
	var key []byte
	for _, one := range d.parts {
		if one.chunks == nil {
			w.key([]byte(one.key))
			w.data(one.data)
			continue
		}
		c := one.chunks
		prefix := store.Join(c.path, "")
		for _, r := range c.rows {
			key = c.appendName(append(key[:0], prefix...), r.n)
			w.key(key)
			if r.length < 0 {
				w.data(c.inline[r.offset])
				continue
			}
			w.b = append(strconv.AppendInt(append(w.b, `["{{f`...), int64(c.w.file), 10), `}}",`...)
			w.b = append(strconv.AppendInt(w.b, r.offset, 10), ',')
			w.b = append(strconv.AppendInt(w.b, r.length, 10), ']')
		}
	}
	w.b = append(w.b, "\n}}\n"...)
	w.flush()
	if w.err == nil {
		w.err = w.to.Flush()
	}
	return w.n, w.err
}

// jsonWriter writes references, one a line.
type jsonWriter struct {
	to   *bufio.Writer
	b    []byte // of the line
	more bool   // a reference was written
	n    int64
	err  error
}

func (w *jsonWriter) flush() {
	if w.n += int64(len(w.b)); w.err == nil && w.n > maxJSONBytes {
		w.err = &LimitError{"the size in bytes of the references in JSON", maxJSONBytes}
	}
	if w.err == nil {
		_, w.err = w.to.Write(w.b)
	}
	w.b = w.b[:0]
}

func (w *jsonWriter) key(name []byte) {
	if w.more {
		w.b = append(w.b, ",\n"...)
	}
	w.more = true
	w.flush()
	w.b = append(json.AppendString(w.b, string(name)), ':')
}

// data writes bytes: as a text if they are one, else as base64.
func (w *jsonWriter) data(data []byte) {
	if text := string(data); utf8.ValidString(text) && !strings.HasPrefix(text, "base64:") && !strings.ContainsRune(text, 0) {
		w.b = json.AppendString(w.b, text)
		return
	}
	w.b = append(w.b, `"base64:`...)
	w.b = base64.StdEncoding.AppendEncode(w.b, data)
	w.b = append(w.b, '"')
}
