package netcdf3

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/references"
)

// The limits of a header. Those of the netCDF library are lower, but for the header's size.
const (
	maxHeader  = 16 << 20 // bytes
	maxRank    = 1024
	maxName    = 4096    // bytes; a variable repeats the names of its dimensions
	maxNumbers = 1 << 20 // in all attributes
)

// The tags of lists.
const (
	tagDimensions = 10
	tagVariables  = 11
	tagAttributes = 12
)

// types are the types of elements by their numbers in files: typestrings, and sizes in bytes. Those
// from firstWide on exist in CDF-5 only.
var types = [...]struct {
	name  string
	width int64
}{
	1: {"|i1", 1}, 2: {"|S1", 1}, 3: {">i2", 2}, 4: {">i4", 4}, 5: {">f4", 4}, 6: {">f8", 8},
	7: {"|u1", 1}, 8: {">u2", 2}, 9: {">u4", 4}, 10: {">i8", 8}, 11: {">u8", 8},
}

const (
	typeText  = 2
	firstWide = 7
)

// streaming is the number of records of a file whose writer did not know it.
const streaming = -1

// header is the header of a file.
type header struct {
	records    int64 // or streaming
	dimensions []dimension
	attributes []attribute
	variables  []variable
}

// dimension has the length 0 if records are along it.
type dimension struct {
	name   string
	length int64
}

type attribute struct {
	name  string
	kind  int
	value any
}

type variable struct {
	name       string
	dimensions []int64 // their numbers
	attributes []attribute
	kind       int
	begin      int64
}

// reader reads a header. After an error it returns zeros.
type reader struct {
	r       *bufio.Reader
	left    int64 // bytes of the file or of the limit
	limited bool  // the limit is less than the file
	wide    bool  // CDF-5: numbers of 8 bytes
	offset  int   // bytes of an offset
	numbers int
	err     error
}

func damaged(object, format string, args ...any) error {
	return &references.Damaged{Object: object, Msg: fmt.Sprintf(format, args...)}
}

// readHeader reads the header of a file.
func readHeader(from io.ReaderAt, size int64) (*header, error) {
	left := min(size, maxHeader)
	r := &reader{r: bufio.NewReaderSize(io.NewSectionReader(from, 0, left), 64<<10), left: left, limited: left < size, offset: 4}
	magic := r.bytes(4, "the magic number")
	if r.err != nil {
		return nil, r.err
	}
	switch {
	case string(magic[:3]) != "CDF":
		return nil, damaged("", "it does not begin with CDF")
	case magic[3] == 1:
	case magic[3] == 2:
		r.offset = 8
	case magic[3] == 5:
		r.offset, r.wide = 8, true
	default:
		return nil, &references.Unsupported{Feature: fmt.Sprintf("version %d of NetCDF-3", magic[3])}
	}
	h := &header{}
	if h.records = int64(r.number(r.width(), "the number of records")); r.wide && h.records < 0 || !r.wide && h.records == math.MaxUint32 {
		h.records = streaming
	}
	for range r.list(tagDimensions, "dimensions") {
		d := dimension{name: r.name("a dimension"), length: r.count("the length of a dimension")}
		if r.err != nil {
			break
		}
		h.dimensions = append(h.dimensions, d)
	}
	h.attributes = r.attributes("the file")
	for range r.list(tagVariables, "variables") {
		v := variable{name: r.name("a variable")}
		rank := r.count("the rank of a variable")
		if rank > maxRank {
			r.fail(&references.LimitError{What: "the rank of " + v.name, Max: maxRank})
		}
		for i := int64(0); i < rank && r.err == nil; i++ {
			v.dimensions = append(v.dimensions, r.count("the number of a dimension"))
		}
		v.attributes = r.attributes(v.name)
		v.kind = r.kind(v.name)
		r.number(r.width(), "the size of a variable") // wrong for sizes from 4 GiB on: it is computed
		if v.begin = int64(r.number(r.offset, "the offset of a variable")); v.begin < 0 {
			r.fail(damaged(v.name, "a negative offset"))
		}
		if r.err != nil {
			break
		}
		h.variables = append(h.variables, v)
	}
	return h, r.err
}

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// bytes reads n bytes. It allocates at most the rest of the file, or of the limit.
func (r *reader) bytes(n int64, what string) []byte {
	switch {
	case r.err != nil:
		return nil
	case n > r.left && r.limited:
		r.fail(&references.LimitError{What: "the size in bytes of the header", Max: maxHeader})
		return nil
	case n > r.left:
		r.fail(damaged("", "the header ends within %s", what))
		return nil
	}
	r.left -= n
	b := make([]byte, n)
	if _, err := io.ReadFull(r.r, b); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		r.fail(damaged("", "the file ends within %s", what))
		return nil
	} else if err != nil {
		r.fail(fmt.Errorf("%s: %w", what, err))
		return nil
	}
	return b
}

// padded reads n bytes, and those up to a multiple of four.
func (r *reader) padded(n int64, what string) []byte {
	b := r.bytes(n, what)
	r.bytes(-n&3, what)
	return b
}

// number reads a number of 4 or 8 bytes.
func (r *reader) number(width int, what string) uint64 {
	b := r.bytes(int64(width), what)
	switch {
	case r.err != nil:
		return 0
	case width == 4:
		return uint64(binary.BigEndian.Uint32(b))
	}
	return binary.BigEndian.Uint64(b)
}

func (r *reader) width() int {
	if r.wide {
		return 8
	}
	return 4
}

// count reads a number that is not negative.
func (r *reader) count(what string) int64 {
	n := r.number(r.width(), what)
	if n > math.MaxInt64 || !r.wide && n > math.MaxInt32 {
		r.fail(damaged("", "%s is negative", what))
		return 0
	}
	return int64(n)
}

// list reads the head of a list, and returns the number of its items.
func (r *reader) list(tag uint64, what string) int64 {
	found, n := r.number(4, "a list of "+what), r.count("the number of "+what)
	switch {
	case r.err != nil:
		return 0
	case found != tag && (found != 0 || n != 0):
		r.fail(damaged("", "the tag %d instead of a list of %s", found, what))
		return 0
	case n > r.left/8 && !r.limited:
		r.fail(damaged("", "%d %s do not fit into the file", n, what))
		return 0
	}
	return n
}

func (r *reader) name(of string) string {
	n := r.count("the length of a name")
	if n > maxName && n <= r.left {
		r.fail(&references.LimitError{What: "the length in bytes of the name of " + of, Max: maxName})
	}
	b := r.padded(n, "the name of "+of)
	if r.err == nil && len(b) == 0 {
		r.fail(damaged("", "%s has no name", of))
	}
	return references.Text(b)
}

func (r *reader) kind(of string) int {
	n := r.number(4, "a type")
	if r.err == nil && (n < 1 || n >= uint64(len(types)) || n >= firstWide && !r.wide) {
		r.fail(damaged(of, "the type %d", n))
	}
	return int(n)
}

func (r *reader) attributes(of string) (list []attribute) {
	for range r.list(tagAttributes, "attributes") {
		a := attribute{name: r.name("an attribute of " + of)}
		a.kind = r.kind(of + "@" + a.name)
		n := r.count("the length of an attribute")
		if r.err != nil {
			return nil
		}
		if a.kind == typeText {
			a.value = strings.TrimRight(references.Text(r.padded(n, "an attribute")), "\x00")
		} else {
			a.value = r.values(a.kind, n)
		}
		if r.err != nil {
			return nil
		}
		list = append(list, a)
	}
	return list
}

// values reads a list of numbers. One of a single number is that number.
func (r *reader) values(kind int, n int64) any {
	if n > int64(maxNumbers-r.numbers) {
		r.fail(&references.LimitError{What: "the number of values of attributes", Max: maxNumbers})
		return nil
	}
	r.numbers += int(n)
	width := types[kind].width
	b := r.padded(n*width, "an attribute")
	if r.err != nil {
		return nil
	}
	if n == 1 {
		return number(kind, b)
	}
	all := make([]any, n)
	for i := range all {
		all[i] = number(kind, b[int64(i)*width:])
	}
	return all
}

// number returns the first number of bytes.
func number(kind int, b []byte) any {
	e := binary.BigEndian
	switch types[kind].name {
	case "|i1":
		return int64(int8(b[0]))
	case ">i2":
		return int64(int16(e.Uint16(b)))
	case ">i4":
		return int64(int32(e.Uint32(b)))
	case ">f4":
		return math.Float32frombits(e.Uint32(b))
	case ">f8":
		return math.Float64frombits(e.Uint64(b))
	case "|u1":
		return uint64(b[0])
	case ">u2":
		return uint64(e.Uint16(b))
	case ">u4":
		return uint64(e.Uint32(b))
	case ">i8":
		return int64(e.Uint64(b))
	}
	return e.Uint64(b)
}
