package parquet

import (
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"
	"strconv"

	"github.com/zarr-wasm/zarr-wasm/internal/limits"
)

// table holds the columns of a file that references need. A missing column is nil.
type table struct {
	rows         int
	path, raw    [][]byte // nil for a null value
	offset, size []int64
	bytes        int64 // approximate memory in bytes
}

// Numbers of the format for physical types, encodings, kinds of pages and compressions.
const (
	physicalInt32  = 1
	physicalInt64  = 2
	physicalBinary = 6

	encodingPlain     = 0
	encodingPlainDict = 2
	encodingRLE       = 3
	encodingBitPacked = 4
	encodingRLEDict   = 8

	pageData       = 0
	pageDictionary = 2
	pageData2      = 3
)

// compressions are names for messages.
var compressions = [...]string{"UNCOMPRESSED", "SNAPPY", "GZIP", "LZO", "BROTLI", "LZ4", "ZSTD", "LZ4_RAW"}

// column is a leaf of the schema, and its bytes in a row group.
type column struct {
	name                         string
	physical, repetition         int64
	children                     int64
	group                        bool // it has a chunk in this row group
	codec, values                int64
	length, dataPage, dictionary int64
	hasDictionary                bool
}

// reader reads one file.
type reader struct {
	ctx        context.Context
	b          []byte
	decompress func(ctx context.Context, compression int, stored []byte, size int64) ([]byte, error)
	rows, left int64 // the remaining limits of rows and bytes
	columns    []column
	table      table
}

func damaged(msg string) error { return errors.New("Parquet file: " + msg) }

// readFile reads the reference columns of a file. It accepts up to rows rows, and up to most
// decompressed bytes.
func readFile(ctx context.Context, b []byte, decompress func(context.Context, int, []byte, int64) ([]byte, error), rows, most int64) (*table, error) {
	n := len(b)
	if n < 12 || string(b[:4]) != "PAR1" || string(b[n-4:]) != "PAR1" {
		if n >= 4 && string(b[n-4:]) == "PARE" {
			return nil, damaged("it is encrypted")
		}
		return nil, damaged("it does not begin and end with PAR1")
	}
	size := int64(binary.LittleEndian.Uint32(b[n-8:]))
	if size > int64(n-12) {
		return nil, damaged("its footer is larger than the file")
	}
	r := &reader{ctx: ctx, b: b, decompress: decompress, rows: rows, left: most}
	if err := r.footer(b[n-8-int(size) : n-8]); err != nil {
		return nil, err
	}
	return &r.table, nil
}

// footer reads the metadata of the file, and each row group on the way.
func (r *reader) footer(b []byte) (err error) {
	t := &thrift{b: b}
	t.structure(func(id int, kind byte) {
		switch {
		case err != nil:
			t.fail()
		case id == 2 && kind == typeList:
			t.list(typeStruct, func() { r.columns = append(r.columns, schemaElement(t)) })
			if t.err == nil {
				err = r.flat()
			}
		case id == 4 && kind == typeList:
			t.list(typeStruct, func() {
				if err == nil {
					err = r.rowGroup(t)
				}
				if err != nil {
					t.fail()
				}
			})
		default:
			t.skip(kind)
		}
	})
	if err == nil && t.err != nil {
		err = damaged("its footer is " + t.err.Error())
	}
	if err == nil && r.columns == nil {
		err = damaged("it has no schema")
	}
	return err
}

func schemaElement(t *thrift) (c column) {
	c.physical = -1
	t.structure(func(id int, kind byte) {
		switch {
		case id == 1 && isInt(kind):
			c.physical = t.int()
		case id == 3 && isInt(kind):
			c.repetition = t.int()
		case id == 4 && kind == typeBinary:
			c.name = t.text()
		case id == 5 && isInt(kind):
			c.children = t.int()
		default:
			t.skip(kind)
		}
	})
	return c
}

// flat checks that the schema is a flat list of columns, and stores them.
func (r *reader) flat() error {
	if len(r.columns) == 0 || r.columns[0].children != int64(len(r.columns)-1) {
		return damaged("its columns are nested, unlike those of references")
	}
	r.columns = r.columns[1:]
	for _, c := range r.columns {
		want := int64(physicalBinary)
		switch c.name {
		case "offset", "size":
			want = physicalInt64
		case "path", "raw":
		default:
			continue
		}
		if c.repetition > 1 || c.physical != want && (want != physicalInt64 || c.physical != physicalInt32) {
			return damaged("its column " + c.name + " has another type than in references")
		}
	}
	return nil
}

// rowGroup reads a row group's metadata, and then its columns.
func (r *reader) rowGroup(t *thrift) error {
	rows, n := int64(-1), 0
	for i := range r.columns {
		r.columns[i].group = false
	}
	elsewhere := false
	t.structure(func(id int, kind byte) {
		switch {
		case id == 1 && kind == typeList:
			t.list(typeStruct, func() {
				if n >= len(r.columns) {
					t.fail()
					return
				}
				c := &r.columns[n]
				n++
				t.structure(func(id int, kind byte) {
					switch {
					case id == 1 && kind == typeBinary:
						elsewhere = t.text() != "" || elsewhere
					case id == 3 && kind == typeStruct:
						c.metadata(t)
					default:
						t.skip(kind)
					}
				})
			})
		case id == 3 && isInt(kind):
			rows = t.int()
		default:
			t.skip(kind)
		}
	})
	switch {
	case t.err != nil:
		return damaged("its footer is " + t.err.Error())
	case elsewhere:
		return damaged("its columns are in other files")
	case n != len(r.columns) || rows < 0:
		return damaged("a row group does not have all columns")
	}
	if r.rows -= rows; r.rows < 0 {
		return &limits.Error{Limit: "ReferenceRows", Max: r.rows + rows, Asked: rows, What: "a Parquet file of references"}
	}
	r.table.rows += int(rows)
	r.table.bytes += 64 * rows
	for i := range r.columns {
		c := &r.columns[i]
		var texts *[][]byte
		var numbers *[]int64
		switch c.name {
		case "path":
			texts = &r.table.path
		case "raw":
			texts = &r.table.raw
		case "offset":
			numbers = &r.table.offset
		case "size":
			numbers = &r.table.size
		default:
			continue
		}
		if err := r.read(c, rows, texts, numbers); err != nil {
			return &columnError{c.name, err}
		}
	}
	return nil
}

// columnError adds the name of the column to an error.
type columnError struct {
	column string
	err    error
}

func (e *columnError) Error() string {
	return "Parquet file: column " + e.column + ": " + e.err.Error()
}
func (e *columnError) Unwrap() error { return e.err }

// metadata reads the position of the column's bytes in a row group.
func (c *column) metadata(t *thrift) {
	c.group, c.hasDictionary, c.codec, c.values, c.length, c.dataPage = true, false, 0, -1, -1, -1
	t.structure(func(id int, kind byte) {
		switch {
		case id == 4 && isInt(kind):
			c.codec = t.int()
		case id == 5 && isInt(kind):
			c.values = t.int()
		case id == 7 && isInt(kind):
			c.length = t.int()
		case id == 9 && isInt(kind):
			c.dataPage = t.int()
		case id == 11 && isInt(kind):
			c.dictionary, c.hasDictionary = t.int(), true
		default:
			t.skip(kind)
		}
	})
}

// page is the header of a page.
type page struct {
	kind, size, stored, values, encoding, levels int64
	levelBytes, repetitionBytes                  int64
	compressed, hasCRC                           bool
	crc                                          uint32
}

func readPage(t *thrift) (p page) {
	p.kind, p.size, p.stored, p.compressed, p.levels = -1, -1, -1, true, encodingRLE
	t.structure(func(id int, kind byte) {
		switch {
		case id == 1 && isInt(kind):
			p.kind = t.int()
		case id == 2 && isInt(kind):
			p.size = t.int()
		case id == 3 && isInt(kind):
			p.stored = t.int()
		case id == 4 && isInt(kind):
			p.crc, p.hasCRC = uint32(t.int()), true
		case (id == 5 || id == 7 || id == 8) && kind == typeStruct:
			p.readData(t, id)
		default:
			t.skip(kind)
		}
	})
	return p
}

// read reads a column of a row group, as texts or as numbers.
func (p *page) readData(t *thrift, of int) {
	t.structure(func(id int, kind byte) {
		switch {
		case id == 1 && isInt(kind):
			p.values = t.int()
		case id == 2 && isInt(kind) && of != 8, id == 4 && isInt(kind) && of == 8:
			p.encoding = t.int()
		case id == 3 && isInt(kind) && of == 5:
			p.levels = t.int()
		case id == 5 && isInt(kind) && of == 8:
			p.levelBytes = t.int()
		case id == 6 && isInt(kind) && of == 8:
			p.repetitionBytes = t.int()
		case id == 7 && of == 8 && (kind == typeTrue || kind == typeFalse):
			p.compressed = kind == typeTrue
		default:
			t.skip(kind)
		}
	})
}

// read reads a column of a row group, as texts or as numbers.
func (r *reader) read(c *column, rows int64, texts *[][]byte, numbers *[]int64) error {
	from := c.dataPage
	if c.hasDictionary && c.dictionary > 0 {
		from = min(from, c.dictionary)
	}
	end := int64(len(r.b) - 8)
	if !c.group || from < 4 || c.length < 0 || from > end || c.length > end-from {
		return errors.New("its bytes are not in the file")
	}
	if c.values != rows {
		return errors.New("its number of values differs from the number of rows")
	}
	b := r.b[from : from+c.length]
	v := values{c: c, texts: texts, numbers: numbers}
	for v.count < rows {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		t := &thrift{b: b}
		p := readPage(t)
		if t.err != nil {
			return errors.New("the header of a page is " + t.err.Error())
		}
		b = b[t.pos:]
		if p.stored < 0 || p.stored > int64(len(b)) || p.size < 0 || p.size > math.MaxInt32 {
			return errors.New("a page is not in the file")
		}
		stored := b[:p.stored]
		b = b[p.stored:]
		if p.hasCRC && crc32.ChecksumIEEE(stored) != p.crc {
			return errors.New("the checksum of a page does not match its bytes")
		}
		if err := r.page(&v, p, stored, rows); err != nil {
			return err
		}
	}
	return nil
}

// page reads a page.
func (r *reader) page(v *values, p page, stored []byte, rows int64) error {
	if p.kind != pageData && p.kind != pageDictionary && p.kind != pageData2 {
		return nil // all are present
	}
	var levels []byte
	if p.kind == pageData2 {
		if p.repetitionBytes != 0 || p.levelBytes < 0 || p.levelBytes > int64(len(stored)) || p.levelBytes > p.size {
			return errors.New("the levels of a page exceed it")
		}
		levels, stored = stored[:p.levelBytes], stored[p.levelBytes:]
		p.size -= p.levelBytes
	}
	b := stored
	if v.c.codec != 0 && p.compressed {
		var err error
		if b, err = r.inflate(v.c.codec, stored, p.size); err != nil {
			return err
		}
	}
	if int64(len(b)) != p.size {
		return errors.New("the size of a page differs from its header")
	}
	if p.kind == pageDictionary {
		if v.dictionary != nil || v.count > 0 {
			return errors.New("it has more than one dictionary")
		}
		if p.encoding != encodingPlain && p.encoding != encodingPlainDict {
			return errors.New("the encoding " + strconv.FormatInt(p.encoding, 10) + " of a dictionary is not supported")
		}
		return v.readDictionary(b, p.values, rows)
	}
	if p.values < 0 || p.values > rows-v.count {
		return errors.New("its pages have more values than there are rows")
	}
	n := int(p.values)
	present := []bool(nil) // values collects the values of a column.
	if v.c.repetition == 1 {
		var err error
		if present, b, err = p.present(levels, b, n); err != nil {
			return err
		}
	}
	return v.readData(b, int(p.encoding), n, present)
}

// value is one value of a column.
func (r *reader) inflate(codec int64, stored []byte, size int64) ([]byte, error) {
	if r.left -= size; r.left < 0 {
		return nil, &limits.Error{Limit: "ReferenceBytes", Max: r.left + size, Asked: size, What: "a Parquet file of references"}
	}
	switch codec {
	case 1, 2, 4, 6, 7:
	default:
		name := strconv.FormatInt(codec, 10)
		if codec > 0 && codec < int64(len(compressions)) {
			name = compressions[codec]
		}
		return nil, errors.New("the compression " + name + " is not supported")
	}
	r.table.bytes += size
	if len(stored) == 0 && size == 0 {
		return nil, nil
	}
	return r.decompress(r.ctx, int(codec), stored, size)
}

// plain consumes a value in the encoding PLAIN.
func (p page) present(levels, b []byte, n int) ([]bool, []byte, error) {
	present := make([]bool, n)
	switch {
	case p.kind == pageData2:
	case p.levels == encodingRLE:
		if len(b) < 4 || int64(binary.LittleEndian.Uint32(b)) > int64(len(b)-4) {
			return nil, nil, errors.New("the levels of a page exceed it")
		}
		size := int(binary.LittleEndian.Uint32(b))
		levels, b = b[4:4+size], b[4+size:]
	case p.levels == encodingBitPacked:
		if len(b) < (n+7)/8 {
			return nil, nil, errors.New("the levels of a page exceed it")
		}
		for i := range present {
			present[i] = b[i/8]>>(7-i%8)&1 != 0
		}
		return present, b[(n+7)/8:], nil
	default:
		return nil, nil, errors.New("the encoding " + strconv.FormatInt(p.levels, 10) + " of levels is not supported")
	}
	i := 0
	err := hybrid(levels, 1, n, func(level uint32) error {
		present[i] = level != 0
		i++
		return nil
	})
	return present, b, err
}

// values takes the values of a column.
type values struct {
	c          *column
	texts      *[][]byte
	numbers    *[]int64
	count      int64
	dictionary []value
}

// hybrid reads n numbers with a width in bits. They are encoded as a mixture of runs and packed
// numbers, which Parquet calls RLE.
type value struct {
	text   []byte
	number int64
}

// plain takes a value off bytes of the encoding PLAIN.
func (v *values) plain(b []byte) (value, []byte, error) {
	n := 4
	if v.c.physical == physicalInt64 {
		n = 8
	}
	if len(b) < n {
		return value{}, nil, errors.New("a page ends before its values")
	}
	head, b := b[:n], b[n:]
	switch v.c.physical {
	case physicalInt64:
		return value{number: int64(binary.LittleEndian.Uint64(head))}, b, nil
	case physicalInt32:
		return value{number: int64(int32(binary.LittleEndian.Uint32(head)))}, b, nil
	}
	size := int64(binary.LittleEndian.Uint32(head))
	if size > int64(len(b)) {
		return value{}, nil, errors.New("a page ends before its values")
	}
	return value{text: b[:size:size]}, b[size:], nil
}

func (v *values) readDictionary(b []byte, n, rows int64) error {
	if n < 0 || n > int64(len(b))/4 || n > rows {
		return errors.New("a dictionary has more values than there are rows, or ends before them")
	}
	v.dictionary = make([]value, n)
	for i := range v.dictionary {
		var err error
		if v.dictionary[i], b, err = v.plain(b); err != nil {
			return err
		}
	}
	return nil
}

// readData reads the values of a page.
func (v *values) readData(b []byte, encoding, n int, present []bool) error {
	i := 0
	nulls := func() {
		for i < n && present != nil && !present[i] {
			v.add(value{}, false)
			i++
		}
	}
	left := n
	for _, there := range present {
		if !there {
			left--
		}
	}
	nulls()
	switch encoding {
	case encodingPlain:
		for ; left > 0; left-- {
			one, rest, err := v.plain(b)
			if err != nil {
				return err
			}
			b = rest
			v.add(one, true)
			i++
			nulls()
		}
	case encodingPlainDict, encodingRLEDict:
		if left == 0 {
			break
		}
		if len(b) == 0 || b[0] > 32 {
			return errors.New("a page lacks the width of its indexes")
		}
		return hybrid(b[1:], uint(b[0]), left, func(index uint32) error {
			if int64(index) >= int64(len(v.dictionary)) {
				return errors.New("an index is beyond the dictionary")
			}
			v.add(v.dictionary[index], true)
			i++
			nulls()
			return nil
		})
	default:
		return errors.New("the encoding " + strconv.Itoa(encoding) + " is not supported")
	}
	return nil
}

func (v *values) add(one value, there bool) {
	v.count++
	if v.texts != nil {
		if there && one.text == nil {
			one.text = []byte{}
		}
		*v.texts = append(*v.texts, one.text)
	} else {
		*v.numbers = append(*v.numbers, one.number)
	}
}

// hybrid reads n numbers of a width in bits, in the mixture of runs and of packed numbers that
// Parquet calls RLE.
func hybrid(b []byte, width uint, n int, f func(uint32) error) error {
	t := &thrift{b: b}
	bytes := int(width+7) / 8
	for n > 0 {
		head := t.uvarint()
		if t.err != nil || head>>1 == 0 {
			return errors.New("the numbers of a page end too early")
		}
		if head&1 == 0 {
			var x uint32
			for i := range bytes {
				x |= uint32(t.byte()) << (8 * i)
			}
			if t.err != nil || width < 32 && x>>width != 0 {
				return errors.New("a run of a page is damaged")
			}
			for run := min(head>>1, uint64(n)); run > 0; run-- {
				if err := f(x); err != nil {
					return err
				}
				n--
			}
			continue
		}
		var held uint64
		var bits uint
		groups := head >> 1
		for i := uint64(0); n > 0 && i>>3 < groups; i++ {
			for bits < width {
				held |= uint64(t.byte()) << bits
				bits += 8
			}
			if t.err != nil {
				return errors.New("the numbers of a page end too early")
			}
			x := uint32(held & (1<<width - 1))
			held >>= width
			bits -= width
			if err := f(x); err != nil {
				return err
			}
			n--
		}
	}
	return nil
}
