// Package object has numcodecs' codecs for arrays of Python objects. The codecs json2 and msgpack2
// write a whole chunk as one document. The codec pickle is rejected.
//
// # Documents
//
// A document is one list. It holds the chunk's elements, in lists nested as deep as the chunk has
// dimensions. A text (the numpy type) and the list of the dimensions' lengths follow. The older
// codecs json and msgpack omit the lengths. The last item determines the form, whatever the codec's
// name.
//
// # Elements
//
// An element becomes the JSON text of its value; null becomes the missing object (nil). JSON texts
// are kept byte for byte, and may have the bare literals NaN, Infinity and -Infinity, which package
// json reads. MessagePack values without a JSON equivalent are converted. Bytes become the object
// {"hex": "..."} of lower-case digits. Numbers, true, false and null as keys of a map become the
// text of their JSON. MessagePack's extension types (timestamps) are not supported.
//
// In arrays of texts an element must be a text. The codecs also encode arrays of a type of fixed
// size; their elements are read like fill values.
package object

import (
	"github.com/zarr-wasm/zarr-wasm/internal/errtype"
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

// refusePickle returns the error for pickle, which never has a decoder: a pickle is a program for
// Python, and reading it means running it.
func refusePickle(json.Value, codec.Build) (any, error) {
	return nil, &codec.UnsupportedError{Feature: "the codec pickle, whose data is a program that only Python can run"}
}

// format is a format of documents.
type format interface {
	// walk calls visit for the elements of the document in C order. The next call may change an
	// element's text, unless stable. The shape applies if the document has none of its own. A shape
	// with other than n elements is an error.
	walk(lim codec.Limits, src []byte, shape []int, n int, visit func(i int, text []byte) error) error
	// stable reports whether the texts from walk are parts of src.
	stable() bool
}

// document is the codec of one array.
type document struct {
	name   string
	format format
	limits codec.Limits
}

// newDocument makes the codec for the array's kind. In v2 the object codec of an array of fixed
// size is a filter after the bytes codec.
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
				return codec.Corrupt("an element is not a string")
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
	// All texts share one piece of memory. Their places are final only when it has stopped growing.
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

// parse checks the text of an element. Its temporary memory is limited, because a value of two
// bytes takes a hundred.
func (d *document) parse(text []byte) (json.Value, error) {
	v, err := json.Parse(text, d.bounds(text))
	if err != nil {
		err = d.refuse(err)
	}
	return v, err
}

// valueBytes is the memory of a value in bytes, including the garbage of growing lists.
const valueBytes = 256

func (d *document) bounds(text []byte) json.Limits {
	return json.Limits{Bytes: max(len(text), 1), Depth: d.limits.MetadataDepth, Values: int(d.limits.DecoderBytes / valueBytes)}
}

// refuse returns the error for the text of an element.
func (d *document) refuse(err error) error {
	var limit *json.LimitError
	switch {
	case errtype.As(err, &limit) && limit.Limit == "depth":
		return tooDeep(d.limits)
	case errtype.As(err, &limit):
		most := d.limits.DecoderBytes
		return &codec.LimitError{Limit: "DecoderBytes", Max: most, Asked: most + valueBytes, What: "an object"}
	}
	return codec.Corrupt("an element is not JSON: " + err.Error())
}

func tooDeep(lim codec.Limits) error {
	most := int64(lim.MetadataDepth)
	return &codec.LimitError{Limit: "MetadataDepth", Max: most, Asked: most + 1, What: "an object's nesting"}
}

// filter is the v2 codec for an array of fixed size. It returns the bytes that the bytes codec
// expects, in the type's own byte order.
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
	// Conversion to and from little-endian is the same swap.
	f.typ.ToLittle(dst, dtype.None)
	return dst, nil
}
