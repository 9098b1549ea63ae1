// Package packbits has the codec packbits of zarr-extensions: elements of a fixed number of bits,
// packed without gaps.
//
// Element i is the bits [i*k, (i+1)*k) of the encoded bytes, the lowest bit of a byte being its
// first. Each component of an element (complex numbers have two) stores the bits from first_bit to
// last_bit of its value. (numcodecs' filter of the same name, numcodecs.packbits in v3, has the
// opposite order of bits in a byte; see package filter.)
package packbits

import (
	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// Codec returns the codec packbits. Its configuration may have padding_encoding
// ("none", "first_byte" or "last_byte"), first_bit and last_bit.
func Codec() codec.Entry {
	return codec.Entry{Names: []string{"packbits"}, Doc: codec.Doc("elements of a few bits each"), Kind: codec.KindArrayToBytes, New: build}
}

func bad(msg string) error { return &codec.ConfigError{Codec: "packbits", Msg: msg} }

// packbits is one array's codec.
type packbits struct {
	first, last    int // bits of a component; -1 for last means all bits of the type
	before, behind bool
}

func build(config json.Value, _ codec.Build) (any, error) {
	p := packbits{last: -1}
	switch where, _ := config.Get("padding_encoding").Text(); {
	case where == "none" || config.Get("padding_encoding").IsNull():
	case where == "first_byte":
		p.before = true
	case where == "last_byte":
		p.behind = true
	default:
		return nil, bad("padding_encoding is not none, first_byte or last_byte")
	}
	if err := bit(config, "first_bit", &p.first); err != nil {
		return nil, err
	}
	if err := bit(config, "last_bit", &p.last); err != nil {
		return nil, err
	}
	return p, nil
}

// bit reads the number of a bit, if present.
func bit(config json.Value, key string, to *int) error {
	v := config.Get(key)
	if v.IsNull() {
		return nil
	}
	n, ok := v.Int64()
	if !ok || n < 0 || n > 63 {
		return bad(key + " is not the number of a bit")
	}
	*to = int(n)
	return nil
}

// layout describes the packing of elements of one type.
type layout struct {
	component  *dtype.Type
	components int // of an element
	first      int // bit of a component's value
	bits       int // the number of its stored bits
	signed     bool
}

// layoutOf checks that elements of a type can be packed.
func (p packbits) layoutOf(t *dtype.Type) (layout, error) {
	l := layout{component: t, components: 1, first: p.first}
	if t.Kind == dtype.Complex {
		l.component, l.components = t.Elem, 2
	}
	width := l.component.Bits
	switch {
	case l.component.Kind == dtype.Bool:
		width = 1
	case ndarray.DomainOf(l.component) == ndarray.DomainNone:
		return l, bad("cannot pack elements of type " + t.Name)
	case width == 0:
		width = 8 * l.component.Size
	}
	last := p.last
	if last < 0 {
		last = width - 1
	}
	if last >= width || last < l.first {
		return l, bad("the bits from first_bit to last_bit are not bits of " + t.Name)
	}
	l.bits = last - l.first + 1
	l.signed = ndarray.DomainOf(l.component) == ndarray.DomainSigned
	return l, nil
}

// packed returns the size of n elements in bytes, and the number of padding bits.
func (l layout) packed(n int) (bytes int64, padding int) {
	bits := int64(n) * int64(l.components) * int64(l.bits)
	bytes = (bits + 7) / 8
	return bytes, int(8*bytes - bits)
}

// Check implements codec.ArrayToBytes.
func (p packbits) Check(a codec.Array) error {
	_, err := p.layoutOf(a.Type)
	return err
}

// EncodedSize implements codec.ArrayToBytes.
func (p packbits) EncodedSize(a codec.Array) codec.Size {
	l, err := p.layoutOf(a.Type)
	if err != nil {
		return codec.Size{}
	}
	n, _ := l.packed(a.Len())
	if p.before || p.behind {
		n++
	}
	return codec.Size{N: n, Exact: true}
}

// Decode implements codec.ArrayToBytes.
func (p packbits) Decode(_ *codec.Env, a codec.Array, dst ndarray.Block, src []byte) error {
	l, err := p.layoutOf(a.Type)
	if err != nil {
		return err
	}
	n, padding := l.packed(a.Len())
	if p.before || p.behind {
		if len(src) == 0 {
			return codec.Truncated("shorter than the count of padding bits")
		}
		said := src[0]
		if p.before {
			src = src[1:]
		} else {
			said = src[len(src)-1]
			src = src[:len(src)-1]
		}
		if int(said) != padding {
			return codec.Corrupt("the count of padding bits does not match the chunk")
		}
	}
	switch {
	case int64(len(src)) < n:
		return codec.Truncated("fewer bytes than the chunk has")
	case int64(len(src)) > n:
		return codec.Corrupt("more bytes than the chunk has")
	}
	if l.component.Kind == dtype.Bool {
		for i := range dst.Data {
			dst.Data[i] = src[i>>3] >> (i & 7) & 1
		}
		return nil
	}
	l.unpack(dst.Data, src)
	return nil
}

// unpack writes packed little-endian components. If the type is signed, bit last_bit of a decoded
// value is its sign.
func (l layout) unpack(dst, src []byte) {
	size := l.component.Size
	at := 0 // in bits
	for i := 0; i < len(dst); i += size {
		v := bits(src, at, l.bits) << l.first
		at += l.bits
		if l.signed {
			up := 64 - l.first - l.bits
			v = uint64(int64(v<<up) >> up)
		}
		for k := range size {
			dst[i+k] = byte(v >> (8 * k))
		}
	}
}

// bits reads n bits (1 to 64) from bit at on.
func bits(src []byte, at, n int) uint64 {
	i, shift := at>>3, at&7
	v := uint64(src[i]) >> shift
	for have := 8 - shift; have < n; have += 8 {
		i++
		v |= uint64(src[i]) << have
	}
	return v << (64 - n) >> (64 - n)
}
