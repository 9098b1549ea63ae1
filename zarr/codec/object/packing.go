package object

import (
	"math"
	"strconv"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// write implements writer like Python's msgpack.packb with numcodecs' usual arguments.
func (m msgpack) write(d *document, dst []byte, shape []int, typ string, _ bool, element func(i int) ([]byte, error)) ([]byte, error) {
	p := packer{dst: dst, raw: m.raw}
	i := 0
	rows := 1 // an element without dimensions is the list's only item
	inner := []int(nil)
	if len(shape) > 0 {
		rows, inner = shape[0], shape[1:]
	}
	p.head(0x90, 16, 0xdc, rows+2)
	for range rows {
		err := nested(inner, func(n int) { p.head(0x90, 16, 0xdc, n) }, func() {}, func() error {
			text, err := element(i)
			if err != nil {
				return err
			}
			i++
			v, err := d.parse(text)
			if err != nil {
				return codec.Unfit("an element is not JSON")
			}
			return p.value(v)
		})
		if err != nil {
			return nil, err
		}
	}
	p.text(typ)
	p.head(0x90, 16, 0xdc, len(shape))
	for _, n := range shape {
		p.integer(uint64(n), false)
	}
	return p.dst, nil
}

// packer appends MessagePack values.
type packer struct {
	dst []byte
	raw bool
}

// bytes appends the low size bytes of n, big-endian.
func (p *packer) bytes(n uint64, size int) {
	for k := size - 1; k >= 0; k-- {
		p.dst = append(p.dst, byte(n>>(8*k)))
	}
}

// head appends the header of a list or map of n items. Below most it takes one byte; else it has a
// length of two or four bytes.
func (p *packer) head(short byte, most int, long byte, n int) {
	switch {
	case n < most:
		p.dst = append(p.dst, short|byte(n))
	case n <= math.MaxUint16:
		p.dst = append(p.dst, long)
		p.bytes(uint64(n), 2)
	default:
		p.dst = append(p.dst, long+1)
		p.bytes(uint64(n), 4)
	}
}

func (p *packer) text(s string) {
	if n := len(s); n >= 32 && n <= math.MaxUint8 {
		p.dst = append(p.dst, 0xd9, byte(n))
	} else {
		p.head(0xa0, 32, 0xda, n)
	}
	p.dst = append(p.dst, s...)
}

func (p *packer) binary(b []byte) {
	n := len(b)
	switch {
	case n <= math.MaxUint8:
		p.dst = append(p.dst, 0xc4, byte(n))
	case n <= math.MaxUint16:
		p.dst = append(p.dst, 0xc5)
		p.bytes(uint64(n), 2)
	default:
		p.dst = append(p.dst, 0xc6)
		p.bytes(uint64(n), 4)
	}
	p.dst = append(p.dst, b...)
}

// integer appends an integer in the fewest bytes; for a negative one n holds its bits.
func (p *packer) integer(n uint64, negative bool) {
	signed := int64(n)
	switch {
	case negative && signed >= -32, !negative && n < 128:
		p.dst = append(p.dst, byte(n))
		return
	}
	first, size := byte(0xcc), 1
	if negative {
		first = 0xd0
	}
	for k := range 4 {
		size = 1 << k
		if negative && signed >= -1<<(8*size-1) || !negative && (size == 8 || n < 1<<(8*size)) {
			p.dst = append(p.dst, first+byte(k))
			break
		}
	}
	p.bytes(n, size)
}

// value appends a value. The object {"hex": "..."} represents bytes, as in reading.
func (p *packer) value(v json.Value) error {
	switch v.Kind() {
	case json.Array:
		p.head(0x90, 16, 0xdc, v.Len())
		for _, item := range v.Items() {
			if err := p.value(item); err != nil {
				return err
			}
		}
		return nil
	case json.Object:
		return p.object(v)
	case json.String:
		if p.raw {
			return codec.Unfit("a string, which the configuration reads as bytes")
		}
		s, _ := v.Text()
		p.text(s)
		return nil
	}
	if b, ok := v.Bool(); ok {
		p.dst = append(p.dst, 0xc2)
		if b {
			p.dst[len(p.dst)-1] = 0xc3
		}
		return nil
	}
	if v.IsNull() {
		p.dst = append(p.dst, 0xc0)
		return nil
	}
	return p.number(v)
}

func (p *packer) number(v json.Value) error {
	text := string(v.Raw())
	if !strings.ContainsAny(text, ".eENI") { // no fraction, no exponent, no NaN and no Infinity
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			p.integer(uint64(n), n < 0)
			return nil
		}
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return codec.Unfit("an integer has more than 64 bits")
		}
		p.integer(n, false)
		return nil
	}
	f, ok := v.Float64()
	if !ok {
		return codec.Unfit("a number is beyond binary64")
	}
	p.dst = append(p.dst, 0xcb)
	p.bytes(math.Float64bits(f), 8)
	return nil
}

func (p *packer) object(v json.Value) error {
	members := v.Members()
	if len(members) == 1 && members[0].Name == "hex" {
		s, ok := members[0].Value.Text()
		if b, isHex := unhex(s); ok && isHex {
			p.binary(b)
			return nil
		}
	}
	p.head(0x80, 16, 0xde, len(members))
	for _, m := range members {
		p.text(m.Name)
		if err := p.value(m.Value); err != nil {
			return err
		}
	}
	return nil
}

// unhex reads lower-case digits.
func unhex(s string) ([]byte, bool) {
	if len(s)%2 != 0 {
		return nil, false
	}
	b := make([]byte, len(s)/2)
	for i := range len(s) {
		digit := strings.IndexByte("0123456789abcdef", s[i])
		if digit < 0 {
			return nil, false
		}
		b[i/2] = b[i/2]<<4 | byte(digit)
	}
	return b, true
}
