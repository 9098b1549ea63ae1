// Package bytes implements the codec bytes: packed elements in C order, with scalars in either byte
// order.
package bytes

import (
	"strconv"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// Codec returns the codec bytes (endian in drafts of v3). Its configuration has the member endian,
// "little" or "big", which types of single bytes and structs may omit. In v2 there is no
// configuration, and each scalar has the order of its typestring.
func Codec() codec.Entry {
	return codec.Entry{
		Names: []string{"bytes", "endian"}, IDs: []string{"bytes"}, Doc: codec.Doc("packed elements in either byte order"),
		Kind: codec.KindArrayToBytes, Cost: codec.Cost{Decode: 30}, New: build,
	}
}

func build(config json.Value, b codec.Build) (any, error) {
	c := serializer{own: b.Format < 3}
	if v := config.Get("endian"); !v.IsNull() {
		c.own = false
		switch s, _ := v.Text(); s {
		case "little":
			c.order = dtype.Little
		case "big":
			c.order = dtype.Big
		default:
			return nil, wrong("endian is neither little nor big: " + strconv.Quote(string(v.Raw())))
		}
	}
	return c, nil
}

func wrong(msg string) error { return &codec.ConfigError{Codec: "bytes", Msg: msg} }

type serializer struct {
	order dtype.Order // None: not given
	own   bool        // each scalar has its own
}

func (c serializer) Check(a codec.Array) error {
	switch {
	case a.Type.Variable():
		return wrong("cannot hold elements of variable length (" + a.Type.Name + ")")
	case a.Type.Kind == dtype.Optional:
		return wrong("cannot hold optional elements (" + a.Type.Name + ")")
	case !c.own && c.order == dtype.None && a.Type.Kind != dtype.Struct && a.Type.HasOrder():
		return wrong("endian is missing; " + a.Type.Name + " needs it")
	}
	return nil
}

func (c serializer) EncodedSize(a codec.Array) codec.Size {
	return codec.Size{N: int64(a.Bytes()), Exact: true}
}

// as returns the byte order of the encoded elements.
func (c serializer) as() dtype.Order {
	if !c.own && c.order == dtype.None {
		return dtype.Little
	}
	return c.order
}

// Raw implements codec.RawSerializer. It excludes booleans, because any nonzero byte may represent
// true. It excludes numbers of less than a byte, because their other bits are arbitrary. It also
// excludes big-endian elements of scalars of several widths.
func (c serializer) Raw(a codec.Array) (swap int, ok bool) {
	if !normal(a.Type) {
		return 0, false
	}
	if !swaps(a.Type, c.as()) {
		return 0, true
	}
	all := a.Type.SwapRanges()
	if len(all) != 1 || all[0].Width*all[0].Count != a.Type.Size {
		return 0, false
	}
	return all[0].Width, true
}

// normal reports whether every bit pattern is a valid element of a type.
func normal(t *dtype.Type) bool {
	// No scalar that Normalize changes keeps these bits.
	const odd = 0x55
	element := make([]byte, t.Size)
	for i := range element {
		element[i] = odd
	}
	t.Normalize(element)
	for _, b := range element {
		if b != odd {
			return false
		}
	}
	return true
}

// swaps reports whether elements have scalars of the other byte order.
func swaps(t *dtype.Type, order dtype.Order) bool {
	if order == dtype.Little {
		return false
	}
	for _, s := range t.SwapRanges() {
		if s.Width > 1 && (order == dtype.Big || s.Order == dtype.Big) {
			return true
		}
	}
	return false
}

func (c serializer) Decode(_ *codec.Env, a codec.Array, dst ndarray.Block, src []byte) error {
	switch {
	case len(src) < len(dst.Data):
		return codec.Truncated("fewer bytes than the chunk has")
	case len(src) > len(dst.Data):
		return codec.Corrupt("more bytes than the chunk has")
	}
	copy(dst.Data, src)
	if swaps(a.Type, c.as()) {
		a.Type.ToLittle(dst.Data, c.as())
	}
	a.Type.Normalize(dst.Data)
	return nil
}
