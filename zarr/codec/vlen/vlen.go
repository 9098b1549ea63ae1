// Package vlen has the codecs for elements of variable length. numcodecs calls them vlen-utf8,
// vlen-bytes and vlen-array, and zarrs vlen_v2. The encoded form is a uint32 count, and for each
// element a uint32 length and that many bytes. Numbers are little-endian, and elements are in C
// order (zarr-extensions, codecs/vlen-utf8).
package vlen

import (
	"slices"
	"unicode/utf8"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// Codecs returns the entries of the family.
func Codecs() []codec.Entry {
	entry := func(kind dtype.Kind, doc, id string, names ...string) codec.Entry {
		return codec.Entry{Names: names, IDs: []string{id}, Doc: doc, Kind: codec.KindArrayToBytes, New: func(json.Value, codec.Build) (any, error) {
			return vlen{names[0], kind}, nil
		}}
	}
	return []codec.Entry{
		entry(dtype.String, codec.Doc("strings of variable length"), "vlen-utf8", "vlen-utf8", "numcodecs.vlen-utf8"),
		entry(dtype.Bytes, codec.Doc("byte strings of variable length"), "vlen-bytes", "vlen-bytes", "numcodecs.vlen-bytes"),
		entry(dtype.Ragged, codec.Doc("arrays of variable length"), "vlen-array", "numcodecs.vlen-array", "vlen-array"),
		{Names: []string{"zarrs.vlen_v2", "vlen_v2"}, Doc: codec.Doc("strings or byte strings, as vlen-utf8"), Kind: codec.KindArrayToBytes, New: func(json.Value, codec.Build) (any, error) {
			return vlen{"zarrs.vlen_v2", 0}, nil
		}},
	}
}

type vlen struct {
	name string
	kind dtype.Kind // 0: String or Bytes
}

// Check implements codec.ArrayToBytes.
func (v vlen) Check(a codec.Array) error {
	k := a.Type.Kind
	if k == v.kind || v.kind == 0 && (k == dtype.String || k == dtype.Bytes) {
		return nil
	}
	return &codec.ConfigError{Codec: v.name, Msg: "cannot hold elements of type " + a.Type.Name}
}

// EncodedSize implements codec.ArrayToBytes.
func (vlen) EncodedSize(codec.Array) codec.Size { return codec.Size{N: codec.UnknownSize} }

// Decode implements codec.ArrayToBytes.
func (v vlen) Decode(_ *codec.Env, a codec.Array, dst ndarray.Block, src []byte) error {
	n, src, ok := uint32At(src)
	switch {
	case !ok:
		return codec.Truncated("shorter than the count of elements")
	case n < len(dst.Items):
		return codec.Truncated("fewer elements than the chunk has")
	case n > len(dst.Items):
		return codec.Corrupt("more elements than the chunk has")
	}
	for i := range dst.Items {
		size, rest, ok := uint32At(src)
		if !ok || size > len(rest) {
			return codec.Truncated("ends inside an element")
		}
		item := rest[:size:size]
		src = rest[size:]
		switch a.Type.Kind {
		case dtype.String:
			if !utf8.Valid(item) {
				return codec.Corrupt("an element is not UTF-8")
			}
		case dtype.Ragged:
			elem := a.Type.Elem
			if elem.Size == 0 || size%elem.Size != 0 {
				return codec.Corrupt("an element is not a whole number of items")
			}
			if elem.HasOrder() && elem.Order == dtype.Big {
				item = slices.Clone(item)
				elem.ToLittle(item, dtype.None)
			}
		}
		dst.Items[i] = item
	}
	if len(src) > 0 {
		return codec.Corrupt("bytes follow the last element")
	}
	return nil
}

// uint32At reads a count, and returns the bytes after it.
func uint32At(b []byte) (int, []byte, bool) {
	if len(b) < 4 {
		return 0, nil, false
	}
	return int(b[0]) | int(b[1])<<8 | int(b[2])<<16 | int(b[3])<<24, b[4:], true
}
