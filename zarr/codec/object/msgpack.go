package object

import (
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// newMsgpack makes msgpack2. With raw: true texts decode to bytes, as in Python.
func newMsgpack(config json.Value, b codec.Build) (any, error) {
	raw, _ := config.Get("raw").Bool()
	return newDocument("msgpack2", msgpack{raw}, b), nil
}

// msgpack reads MessagePack documents.
type msgpack struct{ raw bool }

func (msgpack) stable() bool { return false }

func (m msgpack) walk(lim codec.Limits, src []byte, shape []int, n int, visit func(i int, text []byte) error) error {
	r := unpacker{src: src, lim: lim, raw: m.raw}
	// The shape follows the elements: find it first.
	count, err := r.list()
	if err != nil {
		return err
	}
	if count > longest(shape, n) {
		return errLong
	}
	start := r.pos
	var last, before int
	for range count {
		before, last = last, r.pos
		if err := r.skip(); err != nil {
			return err
		}
	}
	if r.pos < len(src) {
		return codec.Corrupt("bytes follow the MessagePack document")
	}
	if count == 0 {
		return errForm
	}
	r.pos = last
	tail, err := r.next()
	if err != nil {
		return err
	}
	switch tail.kind {
	case kindArray:
		own, err := r.shape(tail.n, lim.Rank)
		if err != nil {
			return err
		}
		if r.pos = before; count < 2 || !r.isText() {
			return errForm
		}
		shape = own
		count -= 2
	case kindText, kindBytes:
		count--
	default:
		return errForm
	}
	if shape, err = itemsOf(shape, n, count); err != nil {
		return err
	}
	r.pos = start
	i := 0
	var scratch []byte
	element := func() error {
		text, err := r.json(scratch[:0], 0)
		if err != nil {
			return err
		}
		scratch = text
		i++
		return visit(i-1, text)
	}
	for range shape[0] {
		if err := r.nested(shape[1:], element); err != nil {
			return err
		}
	}
	return nil
}

// kind is the kind of a MessagePack value.
type kind uint8

const (
	kindNil kind = iota
	kindBool
	kindInt
	kindUint
	kindFloat
	kindText
	kindBytes
	kindArray
	kindMap
	kindExt
)

// token is one value, or the beginning of a list or map.
type token struct {
	kind kind
	// n is a number's bits (a float's as binary64), or a list's or map's length;
	// 1 is true.
	n    uint64
	data []byte // of texts and bytes
}

// unpacker reads MessagePack values.
type unpacker struct {
	src []byte
	pos int
	lim codec.Limits
	raw bool
}

var errEnd = codec.Truncated("ends inside a MessagePack document")

// number reads size bytes, big-endian.
func (r *unpacker) number(size int) (uint64, error) {
	if len(r.src)-r.pos < size {
		return 0, errEnd
	}
	var n uint64
	for _, c := range r.src[r.pos : r.pos+size] {
		n = n<<8 | uint64(c)
	}
	r.pos += size
	return n, nil
}

// next reads a token.
func (r *unpacker) next() (token, error) {
	first, err := r.number(1)
	if err != nil {
		return token{}, err
	}
	switch c := byte(first); {
	case c < 0x80:
		return token{kind: kindUint, n: first}, nil
	case c < 0x90:
		return r.counted(kindMap, first&15)
	case c < 0xa0:
		return r.counted(kindArray, first&15)
	case c < 0xc0:
		return r.sized(kindText, first&31)
	case c == 0xc0:
		return token{kind: kindNil}, nil
	case c == 0xc2 || c == 0xc3:
		return token{kind: kindBool, n: first & 1}, nil
	case c >= 0xc4 && c <= 0xc6:
		return r.long(kindBytes, 1<<(c-0xc4))
	case c >= 0xc7 && c <= 0xc9:
		return r.long(kindExt, 1<<(c-0xc7))
	case c == 0xca:
		n, err := r.number(4)
		f := float64(math.Float32frombits(uint32(n)))
		return token{kind: kindFloat, n: math.Float64bits(f)}, err
	case c == 0xcb:
		n, err := r.number(8)
		return token{kind: kindFloat, n: n}, err
	case c >= 0xcc && c <= 0xcf:
		n, err := r.number(1 << (c - 0xcc))
		return token{kind: kindUint, n: n}, err
	case c >= 0xd0 && c <= 0xd3:
		size := 1 << (c - 0xd0)
		n, err := r.number(size)
		up := 64 - 8*size
		return token{kind: kindInt, n: uint64(int64(n<<up) >> up)}, err
	case c >= 0xd4 && c <= 0xd8:
		return r.sized(kindExt, 1<<(c-0xd4))
	case c >= 0xd9 && c <= 0xdb:
		return r.long(kindText, 1<<(c-0xd9))
	case c == 0xdc || c == 0xdd:
		return r.long(kindArray, 2<<(c-0xdc))
	case c == 0xde || c == 0xdf:
		return r.long(kindMap, 2<<(c-0xde))
	case c >= 0xe0:
		return token{kind: kindInt, n: uint64(int64(int8(c)))}, nil
	}
	return token{}, codec.Corrupt("a byte that begins no MessagePack value")
}

// long reads a length of that many bytes and the value of that length.
func (r *unpacker) long(k kind, size int) (token, error) {
	n, err := r.number(size)
	if err != nil {
		return token{}, err
	}
	if k == kindArray || k == kindMap {
		return r.counted(k, n)
	}
	return r.sized(k, n)
}

// counted is a list or map; each of its values has at least a byte.
func (r *unpacker) counted(k kind, n uint64) (token, error) {
	each := uint64(1)
	if k == kindMap {
		each = 2
	}
	if n*each > uint64(len(r.src)-r.pos) {
		return token{}, errEnd
	}
	return token{kind: k, n: n}, nil
}

// sized reads n bytes, of an extension also its type.
func (r *unpacker) sized(k kind, n uint64) (token, error) {
	if k == kindExt {
		n++
	}
	if n > uint64(len(r.src)-r.pos) {
		return token{}, errEnd
	}
	end := r.pos + int(n)
	t := token{kind: k, data: r.src[r.pos:end:end]}
	r.pos = end
	return t, nil
}

// skip moves past a value.
func (r *unpacker) skip() error {
	for left := uint64(1); left > 0; left-- {
		t, err := r.next()
		if err != nil {
			return err
		}
		switch t.kind {
		case kindArray:
			left += t.n
		case kindMap:
			left += 2 * t.n
		}
		if left-1 > uint64(len(r.src)-r.pos) {
			return errEnd
		}
	}
	return nil
}

// list reads the beginning of a list.
func (r *unpacker) list() (int, error) {
	t, err := r.next()
	if err == nil && t.kind != kindArray {
		err = errForm
	}
	return int(t.n), err
}

// isText reports whether a text, or bytes, is next.
func (r *unpacker) isText() bool {
	t, err := r.next()
	return err == nil && (t.kind == kindText || t.kind == kindBytes)
}

// shape reads n lengths.
func (r *unpacker) shape(n uint64, most int) ([]int, error) {
	if n > uint64(most) {
		return nil, errForm
	}
	shape := make([]int, n)
	for i := range shape {
		t, err := r.next()
		if err != nil {
			return nil, err
		}
		if t.kind != kindUint && t.kind != kindInt || int64(t.n) < 0 {
			return nil, errForm
		}
		shape[i] = int(t.n)
	}
	return shape, nil
}

// nested calls element for each element of lists nested by the shape.
func (r *unpacker) nested(shape []int, element func() error) error {
	if len(shape) == 0 {
		return element()
	}
	n, err := r.list()
	if err != nil {
		return err
	}
	if n != shape[0] {
		return errForm
	}
	for range n {
		if err := r.nested(shape[1:], element); err != nil {
			return err
		}
	}
	return nil
}

// json appends the next value as JSON.
func (r *unpacker) json(dst []byte, depth int) ([]byte, error) {
	t, err := r.next()
	if err != nil {
		return nil, err
	}
	if int64(len(dst)) > r.lim.ChunkBytes {
		return nil, &codec.LimitError{Limit: "ChunkBytes", Max: r.lim.ChunkBytes, Asked: int64(len(dst)), What: "an object"}
	}
	switch t.kind {
	case kindArray, kindMap:
		if depth >= r.lim.MetadataDepth {
			return nil, tooDeep(r.lim)
		}
		return r.container(dst, t, depth+1)
	case kindText:
		if !r.raw {
			return appendText(dst, t.data)
		}
		return appendBytes(dst, t.data), nil
	case kindBytes:
		return appendBytes(dst, t.data), nil
	case kindExt:
		return nil, &codec.UnsupportedError{Feature: "extension types of MessagePack"}
	}
	return appendScalar(dst, t), nil
}

// container appends a list or map.
func (r *unpacker) container(dst []byte, t token, depth int) ([]byte, error) {
	open, end := byte('['), byte(']')
	if t.kind == kindMap {
		open, end = '{', '}'
	}
	dst = append(dst, open)
	var err error
	for i := range t.n {
		if i > 0 {
			dst = append(dst, ',')
		}
		if t.kind == kindMap {
			if dst, err = r.key(dst); err != nil {
				return nil, err
			}
			dst = append(dst, ':')
		}
		if dst, err = r.json(dst, depth); err != nil {
			return nil, err
		}
	}
	return append(dst, end), nil
}

// key appends a map's key as a JSON string. With raw: true its texts are bytes in Python. Here they
// stay texts, because a JSON key must be one.
func (r *unpacker) key(dst []byte) ([]byte, error) {
	t, err := r.next()
	switch {
	case err != nil:
		return nil, err
	case t.kind == kindText, t.kind == kindBytes:
		return appendText(dst, t.data)
	case t.kind > kindFloat:
		return nil, &codec.UnsupportedError{Feature: "a MessagePack map with keys that are lists, maps or extension types"}
	}
	dst = append(dst, '"')
	return append(appendScalar(dst, t), '"'), nil
}

func appendText(dst, text []byte) ([]byte, error) {
	if !utf8.Valid(text) {
		return nil, codec.Corrupt("a string is not UTF-8")
	}
	return json.AppendString(dst, string(text)), nil
}

func appendBytes(dst, data []byte) []byte {
	const digits = "0123456789abcdef"
	dst = append(dst, `{"hex":"`...)
	for _, c := range data {
		dst = append(dst, digits[c>>4], digits[c&15])
	}
	return append(dst, `"}`...)
}

// appendScalar appends a number, true, false or null.
func appendScalar(dst []byte, t token) []byte {
	switch t.kind {
	case kindBool:
		return strconv.AppendBool(dst, t.n != 0)
	case kindInt:
		return strconv.AppendInt(dst, int64(t.n), 10)
	case kindUint:
		return strconv.AppendUint(dst, t.n, 10)
	case kindFloat:
		return appendFloat(dst, math.Float64frombits(t.n))
	}
	return append(dst, "null"...)
}

// appendFloat appends the shortest text that parses to the same number. A whole number gets a
// fraction, as in Python.
func appendFloat(dst []byte, f float64) []byte {
	switch {
	case f != f:
		return append(dst, "NaN"...)
	case math.IsInf(f, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(f, -1):
		return append(dst, "-Infinity"...)
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, f, 'g', -1, 64)
	for _, c := range dst[start:] {
		if c == '.' || c == 'e' {
			return dst
		}
	}
	return append(dst, ".0"...)
}
