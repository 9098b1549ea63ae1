package filter

import (
	"unicode/utf8"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// categorizeEntry returns numcodecs' categorize: each element is the number of a label, counted
// from 1. 0 and numbers without a label are the empty text. Texts of variable length make it the
// serializer.
func categorizeEntry() codec.Entry {
	return codec.Entry{
		Names: []string{"numcodecs.categorize", "categorize"}, IDs: []string{"categorize"}, Doc: codec.Doc("strings as numbers of labels"),
		Kind: codec.KindArrayToArray, New: newCategorize,
	}
}

func newCategorize(config json.Value, b codec.Build) (any, error) {
	bad := func(msg string) error { return &codec.ConfigError{Codec: "categorize", Msg: msg} }
	c := categorize{codes: &dtype.Type{Kind: dtype.Uint, Name: "uint8", Size: 1}}
	if !config.Get("astype").IsNull() {
		t, err := configType(config, "astype")
		if err != nil {
			return nil, bad(err.Error())
		}
		c.codes = t
	}
	for _, v := range config.Get("labels").Items() {
		label, ok := v.Text()
		if !ok {
			return nil, bad("a label is not a string")
		}
		c.labels = append(c.labels, []byte(label))
	}
	if b.Array.Type.Variable() {
		return objects{c}, nil
	}
	t, err := dtype.ParseV2(config.Get("dtype"), dtype.Limits{})
	if err != nil {
		return nil, bad(err.Error())
	}
	if t.Kind != dtype.Unicode && t.Kind != dtype.Char || t.Size == 0 {
		return nil, bad("dtype is not a string type")
	}
	for i, label := range c.labels {
		c.labels[i] = fixed(label, t)
	}
	f := filter{name: "categorize", decoded: t, encoded: c.codes, decode: func(dst, src []byte) {
		for i := range len(src) / c.codes.Size {
			item := dst[i*t.Size : (i+1)*t.Size]
			clear(item[copy(item, c.label(src, i)):])
		}
	}}
	f.labels = c
	if b.Format < 3 {
		return flat{f}, nil
	}
	return texts{f}, nil
}

// fixed returns a label as an element of a fixed-size type, truncated if it is too long.
func fixed(label []byte, t *dtype.Type) []byte {
	if t.Kind == dtype.Char {
		return label[:min(len(label), t.Size)]
	}
	var b []byte
	for len(label) > 0 && len(b) < t.Size {
		r, n := utf8.DecodeRune(label)
		label = label[n:]
		b = append(b, byte(r), byte(r>>8), byte(r>>16), 0)
	}
	return b
}

type categorize struct {
	codes  *dtype.Type
	labels [][]byte
}

func (c categorize) label(src []byte, i int) []byte {
	n := uint64(ndarray.Load(src, i, c.codes))
	if n == 0 || n > uint64(len(c.labels)) {
		return []byte{}
	}
	return c.labels[n-1]
}

// objects is categorize as the object codec of a v2 array.
type objects struct{ categorize }

// Check implements codec.ArrayToBytes.
func (o objects) Check(a codec.Array) error {
	if a.Type.Kind != dtype.String {
		return &codec.ConfigError{Codec: "categorize", Msg: "has labels, not " + a.Type.Name}
	}
	return nil
}

// EncodedSize implements codec.ArrayToBytes.
func (o objects) EncodedSize(a codec.Array) codec.Size {
	return codec.Size{N: int64(a.Len()) * int64(o.codes.Size), Exact: true}
}

// Decode implements codec.ArrayToBytes.
func (o objects) Decode(_ *codec.Env, _ codec.Array, dst ndarray.Block, src []byte) error {
	if len(src) != len(dst.Items)*o.codes.Size {
		return codec.Truncated("the number of codes differs from the number of elements")
	}
	if o.codes.Order == dtype.Big {
		src = append([]byte(nil), src...)
		o.codes.ToLittle(src, dtype.None)
	}
	for i := range dst.Items {
		dst.Items[i] = o.label(src, i)
	}
	return nil
}

// texts is categorize in v3, for texts of a fixed size.
type texts struct{ filter }

// Encoded implements codec.ArrayToArray.
func (f texts) Encoded(a codec.Array) (codec.Array, error) {
	if a.Type.Size != f.decoded.Size {
		return a, &codec.ConfigError{Codec: f.name, Msg: "decodes to " + f.decoded.Name + " in an array of " + a.Type.Name}
	}
	return codec.Array{Shape: a.Shape, Type: f.encoded, Fill: make([]byte, f.encoded.Size)}, nil
}

// Decode implements codec.ArrayToArray.
func (f texts) Decode(_ *codec.Env, dst, src ndarray.Block) error {
	f.decode(dst.Data, src.Data)
	return nil
}
