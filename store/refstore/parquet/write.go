package parquet

import (
	"encoding/binary"
	"strconv"

	"github.com/zarr-wasm/zarr-wasm/store"
)

// RecordSize is the number of references in a file that this package writes, as fsspec does.
const RecordSize = 10_000

// FileName returns the key of a file of references of an array. Files have numbers.
func FileName(array string, number uint64) string {
	return store.Join(array, "refs."+strconv.FormatUint(number, 10)+".parq")
}

// Reference is the target of a chunk: Raw if it is not nil, else a range of the file at URL. If
// both are empty, the chunk is absent.
type Reference struct {
	URL          string
	Offset, Size int64
	Raw          []byte
}

// Append appends a Parquet file of references to bytes. The function gzip compresses a page.
func Append(dst []byte, rows []Reference, gzip func([]byte) ([]byte, error)) ([]byte, error) {
	w := &writer{b: append(dst, magic...), from: len(dst), gzip: gzip}
	paths, raw := make([][]byte, len(rows)), make([][]byte, len(rows))
	var offsets, sizes []byte
	for i, r := range rows {
		if raw[i] = r.Raw; r.Raw == nil && r.URL != "" {
			paths[i] = []byte(r.URL)
		}
		offsets = binary.LittleEndian.AppendUint64(offsets, uint64(r.Offset))
		sizes = binary.LittleEndian.AppendUint64(sizes, uint64(r.Size))
	}
	w.names("path", paths)
	w.column("offset", physicalInt64, len(rows), encodingPlain, offsets)
	w.column("size", physicalInt64, len(rows), encodingPlain, sizes)
	w.texts("raw", raw)
	at := len(w.b)
	w.footer(int64(len(rows)))
	w.b = binary.LittleEndian.AppendUint32(w.b, uint32(len(w.b)-at))
	return append(w.b, magic...), w.err
}

const (
	magic           = "PAR1"
	compressionGzip = 2
	typeI32         = typeByte + 2
)

// writer writes a file of one row group.
type writer struct {
	b       []byte
	from    int // the begin of the file in b
	gzip    func([]byte) ([]byte, error)
	columns []written
	err     error
}

// written is a column whose pages are written.
type written struct {
	name             string
	physical         int64
	encoding         int64
	data, dictionary int64 // the offsets of the pages; 0 is none
	size, stored     int64
}

// page writes a page, and returns its offset.
func (w *writer) page(c *written, kind, values int, encoding int64, data []byte) int64 {
	stored, err := w.gzip(data)
	if err != nil && w.err == nil {
		w.err = err
	}
	at := len(w.b)
	t := &thriftWriter{b: w.b}
	t.int(1, int64(kind))
	t.int(2, int64(len(data)))
	t.int(3, int64(len(stored)))
	inner := func() {
		t.int(1, int64(values))
		t.int(2, encoding)
		if kind == pageData {
			t.int(3, encodingRLE)
			t.int(4, encodingRLE)
		}
	}
	if kind == pageData {
		t.structure(5, inner)
	} else {
		t.structure(7, inner)
	}
	t.b = append(t.b, 0)
	c.size += int64(len(t.b) - at + len(data))
	c.stored += int64(len(t.b) - at + len(stored))
	w.b = append(t.b, stored...)
	return int64(at - w.from)
}

// column writes a column of one page.
func (w *writer) column(name string, physical int64, rows int, encoding int64, data []byte) {
	c := written{name: name, physical: physical, encoding: encoding}
	c.data = w.page(&c, pageData, rows, encoding, data)
	w.columns = append(w.columns, c)
}

// levels returns which values are not null.
func levels(values [][]byte) []byte {
	b := make([]byte, 4)
	r := runs{width: 1}
	for _, v := range values {
		if v == nil {
			b = r.add(b, 0)
		} else {
			b = r.add(b, 1)
		}
	}
	b = r.end(b)
	binary.LittleEndian.PutUint32(b, uint32(len(b)-4))
	return b
}

// texts writes a column of bytes.
func (w *writer) texts(name string, values [][]byte) {
	data := levels(values)
	for _, v := range values {
		if v != nil {
			data = appendText(data, v)
		}
	}
	w.column(name, physicalBinary, len(values), encodingPlain, data)
}

func appendText(b, v []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(b, uint32(len(v))), v...)
}

// names writes a column of bytes, few of them different, with a dictionary.
func (w *writer) names(name string, values [][]byte) {
	c := written{name: name, physical: physicalBinary, encoding: encodingRLEDict}
	known := map[string]uint32{}
	var dictionary []byte
	for _, v := range values {
		if _, is := known[string(v)]; v != nil && !is {
			known[string(v)] = uint32(len(known))
			dictionary = appendText(dictionary, v)
		}
	}
	r := runs{width: 1}
	for len(known) > 1<<(8*r.width) {
		r.width *= 2
	}
	data := append(levels(values), byte(8*r.width))
	for _, v := range values {
		if v != nil {
			data = r.add(data, known[string(v)])
		}
	}
	c.dictionary = w.page(&c, pageDictionary, len(known), encodingPlain, dictionary)
	c.data = w.page(&c, pageData, len(values), encodingRLEDict, r.end(data))
	w.columns = append(w.columns, c)
}

// runs writes numbers as runs of equal ones, for hybrid. A number takes width bytes.
type runs struct {
	width int
	value uint32
	n     uint64
}

func (r *runs) add(b []byte, value uint32) []byte {
	if r.n > 0 && value != r.value {
		b = r.end(b)
	}
	r.value = value
	r.n++
	return b
}

func (r *runs) end(b []byte) []byte {
	if r.n == 0 {
		return b
	}
	b = binary.AppendUvarint(b, r.n<<1)
	for i := range r.width {
		b = append(b, byte(r.value>>(8*i)))
	}
	r.n = 0
	return b
}

// footer writes the metadata of the file.
func (w *writer) footer(rows int64) {
	t := &thriftWriter{b: w.b}
	t.int(1, 1)
	t.list(2, 1+len(w.columns), func(i int) {
		if i == 0 {
			t.text(4, "schema")
			t.int(5, int64(len(w.columns)))
			return
		}
		c := w.columns[i-1]
		optional := c.physical == physicalBinary
		t.int(1, c.physical)
		if optional {
			t.int(3, 1)
		} else {
			t.int(3, 0)
		}
		t.text(4, c.name)
		if c.dictionary > 0 {
			t.int(6, 0) // UTF8
		}
	})
	t.long(3, rows)
	t.list(4, 1, func(int) {
		total := int64(0)
		t.list(1, len(w.columns), func(i int) {
			c := w.columns[i]
			total += c.size
			first := c.data
			if c.dictionary > 0 {
				first = c.dictionary
			}
			t.long(2, first)
			t.structure(3, func() {
				t.int(1, c.physical)
				encodings := []int64{c.encoding, encodingRLE}
				if c.encoding != encodingPlain {
					encodings = append(encodings, encodingPlain)
				}
				t.head(2, typeList)
				t.b = append(t.b, byte(len(encodings)<<4|typeI32))
				for _, e := range encodings {
					t.b = binary.AppendVarint(t.b, e)
				}
				t.head(3, typeList)
				t.b = append(t.b, 1<<4|typeBinary)
				t.bytes(c.name)
				t.int(4, compressionGzip)
				t.long(5, rows)
				t.long(6, c.size)
				t.long(7, c.stored)
				t.long(9, c.data)
				if c.dictionary > 0 {
					t.long(11, c.dictionary)
				}
			})
		})
		t.long(2, total)
		t.long(3, rows)
	})
	t.text(6, "zarr-wasm")
	w.b = append(t.b, 0)
}

// thriftWriter writes structures of the compact protocol. The caller ends the outermost one.
type thriftWriter struct {
	b    []byte
	last int // the number of the field before
}

// head begins a field.
func (t *thriftWriter) head(id int, kind byte) {
	t.b = append(t.b, byte(id-t.last)<<4|kind)
	t.last = id
}

func (t *thriftWriter) int(id int, v int64) {
	t.head(id, typeI32)
	t.b = binary.AppendVarint(t.b, v)
}

func (t *thriftWriter) long(id int, v int64) {
	t.head(id, typeI64)
	t.b = binary.AppendVarint(t.b, v)
}

func (t *thriftWriter) text(id int, v string) {
	t.head(id, typeBinary)
	t.bytes(v)
}

func (t *thriftWriter) bytes(v string) {
	t.b = append(binary.AppendUvarint(t.b, uint64(len(v))), v...)
}

// structure writes a structure as a field.
func (t *thriftWriter) structure(id int, fields func()) {
	t.head(id, typeStruct)
	t.inner(fields)
}

func (t *thriftWriter) inner(fields func()) {
	outer := t.last
	t.last = 0
	fields()
	t.b = append(t.b, 0)
	t.last = outer
}

// list writes a list of up to 14 structures as a field.
func (t *thriftWriter) list(id, n int, fields func(i int)) {
	t.head(id, typeList)
	t.b = append(t.b, byte(n<<4|typeStruct))
	for i := range n {
		t.inner(func() { fields(i) })
	}
}
