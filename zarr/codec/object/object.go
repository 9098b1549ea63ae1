// Package object has numcodecs' codecs for arrays of Python objects: json2 and
// msgpack2, which write a whole chunk as one document, and pickle, which is
// refused.
//
// # Documents
//
// A document is one list: the chunk's elements, in lists nested as deep as the
// chunk has dimensions, then a text (the numpy type) and the list of the
// dimensions' lengths. The older codecs json and msgpack leave out the lengths.
// Which of the two it is is seen from the last item, whatever the codec's name.
//
// # Elements
//
// An element becomes the JSON text of its value; null becomes the missing object
// (nil). JSON texts are kept byte for byte, and may have the bare literals NaN,
// Infinity and -Infinity, as package json reads them. What MessagePack has and
// JSON has not is written so: bytes as the object {"hex": "..."} of lower-case
// digits; numbers, true, false and null as keys of a map as the text of their
// JSON. MessagePack's extension types (timestamps) are not supported.
//
// In arrays of texts an element must be a text. In arrays of a type of fixed
// size, which numcodecs encodes as well, an element is read as fill values are.
package object

import (
	"errors"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// Codecs returns the codecs json2 (and json), msgpack2 (and msgpack) and pickle.
func Codecs() []codec.Entry {
	return []codec.Entry{
		{Names: []string{"numcodecs.json2", "json2", "numcodecs.json"}, IDs: []string{"json2", "json"}, Doc: codec.Doc("objects as JSON"), Kind: codec.KindArrayToBytes, New: newJSON},
		{Names: []string{"numcodecs.msgpack2", "msgpack2", "numcodecs.msgpack"}, IDs: []string{"msgpack2", "msgpack"}, Doc: codec.Doc("objects as MessagePack"), Kind: codec.KindArrayToBytes, New: newMsgpack},
		{Names: []string{"numcodecs.pickle", "pickle"}, IDs: []string{"pickle"}, Doc: codec.Doc("refused: a pickle is a program"), Kind: codec.KindArrayToBytes, New: refusePickle},
	}
}

// refusePickle says why pickle has no decoder, whatever data there is: a pickle
// is a program for Python, and to read it is to run it.
func refusePickle(json.Value, codec.Build) (any, error) {
	return nil, &codec.UnsupportedError{Feature: "the codec pickle, whose data is a program that only Python can run"}
}

// format is one way of writing documents.
type format interface {
	// walk calls visit for the elements of the document in C order. The text of an
	// element may be changed by the next call, unless stable. The shape is used
	// where the document does not say its own; one of other than n elements is an
	// error.
	walk(lim codec.Limits, src []byte, shape []int, n int, visit func(i int, text []byte) error) error
	// stable is true when the texts that walk gives are parts of src.
	stable() bool
}

// document is the codec of one array.
type document struct {
	name   string
	format format
	limits codec.Limits
}

// newDocument makes the codec of the kind that the array needs. In v2 the object
// codec of an array of fixed size is a filter behind the bytes codec.
func newDocument(name string, f format, b codec.Build) any {
	d := &document{name, f, b.Limits.WithDefaults()}
	if t := b.Array.Type; b.Format < 3 && !t.Variable() {
		return &filter{d, b.Array.Shape, t}
	}
	return d
}

// Check implements codec.ArrayToBytes.
func (d *document) Check(a codec.Array) error {
	switch k := a.Type.Kind; {
	case k == dtype.Object, k == dtype.String, !a.Type.Variable():
		return nil
	}
	return &codec.ConfigError{Codec: d.name, Msg: "cannot hold elements of type " + a.Type.Name}
}

// EncodedSize implements codec.ArrayToBytes.
func (d *document) EncodedSize(a codec.Array) codec.Size {
	if a.Type.Variable() {
		return codec.Size{N: codec.UnknownSize}
	}
	return codec.Size{N: d.limits.EncodedBytes}
}

// Decode implements codec.ArrayToBytes.
func (d *document) Decode(_ *codec.Env, a codec.Array, dst ndarray.Block, src []byte) error {
	n := a.Len()
	switch {
	case a.Type.Kind == dtype.String:
		return d.format.walk(d.limits, src, a.Shape, n, func(i int, text []byte) error {
			v, err := d.parse(text)
			if err != nil {
				return err
			}
			s, ok := v.Text()
			if !ok {
				return codec.Corrupt("an element is not a text")
			}
			dst.Items[i] = []byte(s)
			return nil
		})
	case !a.Type.Variable():
		return d.fixed(a.Type, a.Shape, dst.Data, src)
	case d.format.stable():
		var c json.Checker
		return d.format.walk(d.limits, src, a.Shape, n, func(i int, text []byte) error {
			dst.Items[i] = nil
			text = text[bom(text):]
			err := c.Check(text, d.bounds(text))
			if err != nil {
				return d.refuse(err)
			}
			if string(text) != "null" {
				dst.Items[i] = text
			}
			return nil
		})
	}
	// All texts into one piece of memory; where they are is known for certain
	// only when it does not grow any more.
	var all []byte
	ends := make([]int, 0, min(n, len(src)))
	err := d.format.walk(d.limits, src, a.Shape, n, func(_ int, text []byte) error {
		if string(text) != "null" {
			all = append(all, text...)
		}
		if int64(len(all)) > d.limits.ChunkBytes {
			return &codec.LimitError{Limit: "ChunkBytes", Max: d.limits.ChunkBytes, Asked: int64(len(all)), What: "objects of a chunk"}
		}
		ends = append(ends, len(all))
		return nil
	})
	if err != nil {
		return err
	}
	from := 0
	for i, to := range ends {
		dst.Items[i] = nil
		if to > from {
			dst.Items[i] = all[from:to:to]
		}
		from = to
	}
	return nil
}

// fixed decodes elements of fixed size, packed and little-endian.
func (d *document) fixed(t *dtype.Type, shape []int, dst, src []byte) error {
	n := 1
	for _, s := range shape {
		n *= s
	}
	return d.format.walk(d.limits, src, shape, n, func(i int, text []byte) error {
		v, err := d.parse(text)
		if err != nil {
			return err
		}
		if v.IsNull() {
			return codec.Corrupt("an element is null")
		}
		element, err := t.FillV2(v)
		if err != nil {
			return codec.Corrupt(err.Error())
		}
		copy(dst[i*t.Size:(i+1)*t.Size], element)
		return nil
	})
}

// parse checks the text of an element. The memory that this takes for a while is
// bounded, as a value of two bytes takes a hundred.
func (d *document) parse(text []byte) (json.Value, error) {
	v, err := json.Parse(text, d.bounds(text))
	if err != nil {
		err = d.refuse(err)
	}
	return v, err
}

// valueBytes is what a value takes, with what growing lists leave behind.
const valueBytes = 256

func (d *document) bounds(text []byte) json.Limits {
	return json.Limits{Bytes: max(len(text), 1), Depth: d.limits.MetadataDepth, Values: int(d.limits.DecoderBytes / valueBytes)}
}

// refuse is the error for the text of an element.
func (d *document) refuse(err error) error {
	var limit *json.LimitError
	switch {
	case errors.As(err, &limit) && limit.Limit == "depth":
		return tooDeep(d.limits)
	case errors.As(err, &limit):
		most := d.limits.DecoderBytes
		return &codec.LimitError{Limit: "DecoderBytes", Max: most, Asked: most + valueBytes, What: "an object"}
	}
	return codec.Corrupt("an element is not JSON: " + err.Error())
}

func tooDeep(lim codec.Limits) error {
	most := int64(lim.MetadataDepth)
	return &codec.LimitError{Limit: "MetadataDepth", Max: most, Asked: most + 1, What: "an object's nesting"}
}

// filter is the codec in v2 for an array of fixed size: it gives the bytes that
// the bytes codec takes, in the types' own byte order.
type filter struct {
	doc   *document
	shape []int
	typ   *dtype.Type
}

// EncodedSize implements codec.BytesToBytes.
func (f *filter) EncodedSize(codec.Size) codec.Size { return codec.Size{N: f.doc.limits.EncodedBytes} }

// Decode implements codec.BytesToBytes.
func (f *filter) Decode(env *codec.Env, out codec.Output, src []byte) ([]byte, error) {
	n := int64(f.typ.Size)
	for _, d := range f.shape {
		n *= int64(d)
	}
	if n > out.Most(env) {
		return nil, codec.Corrupt("decodes to more bytes than the chunk has")
	}
	dst := out.Grow(env, n)[:n]
	if err := f.doc.fixed(f.typ, f.shape, dst, src); err != nil {
		return nil, err
	}
	// Bringing elements into little-endian and out of it is the same swap.
	f.typ.ToLittle(dst, dtype.None)
	return dst, nil
}
