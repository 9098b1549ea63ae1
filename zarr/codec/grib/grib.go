// Package grib has the codec grib of kerchunk, for version 2: a chunk is a whole message of GRIB
// edition 2.
//
// The decoder reads the packings simple (template 5.0), complex with and without spatial
// differences (5.2, 5.3), IEEE (5.4), PNG (5.41) and CCSDS (5.42). Points without a value are NaN.
// The values have the order of the message, except that rows which run backwards are turned.
// Package internal/grib reads the sections.
package grib

import (
	"bytes"
	"encoding/binary"
	"math"
	"strconv"

	"github.com/zarr-wasm/zarr-wasm/internal/errtype"
	"github.com/zarr-wasm/zarr-wasm/internal/grib"
	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
)

// Codec returns the entry of the codec.
//
// Its configuration has var: latitude and longitude decode to the degrees of the points, and any
// other name to the values. The member dtype is the type of the elements, by default float64 for
// degrees and float32 for values. The member field, which only references of this project have, is
// the number of the field in a message of several; the default is 0.
func Codec() codec.Entry {
	return codec.Entry{IDs: []string{"grib"}, Doc: codec.Doc("a message of GRIB edition 2"), Kind: codec.KindBytesToBytes, Cost: codec.Cost{Decode: 2000}, New: build}
}

// what is the quantity that a codec decodes.
type what uint8

const (
	values what = iota
	latitudes
	longitudes
)

type message struct {
	what  what
	field int
	width int // of an element in bytes
	order binary.ByteOrder
}

func build(config json.Value, _ codec.Build) (any, error) {
	m := message{what: values, width: 4, order: binary.LittleEndian}
	switch name, _ := config.Get("var").Text(); name {
	case "latitude":
		m.what, m.width = latitudes, 8
	case "longitude":
		m.what, m.width = longitudes, 8
	}
	if v := config.Get("dtype"); !v.IsNull() {
		name, _ := v.Text()
		switch name {
		case "float32":
			m.width = 4
		case "float64":
			m.width = 8
		default:
			t, err := dtype.ParseV2(v, dtype.Limits{})
			if err != nil {
				return nil, &codec.ConfigError{Codec: "grib", Msg: err.Error()}
			}
			if t.Kind != dtype.Float || t.Size != 4 && t.Size != 8 {
				return nil, &codec.UnsupportedError{Feature: "grib of other elements than float32 and float64"}
			}
			m.width = t.Size
			if t.Order == dtype.Big {
				m.order = binary.BigEndian
			}
		}
	}
	if v := config.Get("field"); !v.IsNull() {
		n, ok := v.Int64()
		if !ok || n < 0 || n >= grib.MaxFields {
			return nil, &codec.ConfigError{Codec: "grib", Msg: "field is not the number of a field"}
		}
		m.field = int(n)
	}
	return m, nil
}

// EncodedSize implements codec.BytesToBytes. A message of several fields may be much larger than
// one of them.
func (message) EncodedSize(codec.Size) codec.Size { return codec.Size{N: codec.UnknownSize} }

// Decode implements codec.BytesToBytes.
func (m message) Decode(env *codec.Env, out codec.Output, src []byte) ([]byte, error) {
	dst, err := m.decode(env, out, src)
	var wrong *grib.Error
	switch {
	case err == nil:
		return out.Check(dst)
	case !errtype.As(err, &wrong):
		return nil, err
	case wrong.Unsupported:
		return nil, &codec.UnsupportedError{Feature: wrong.Msg}
	}
	return nil, codec.Corrupt(wrong.Msg)
}

func (m message) decode(env *codec.Env, out codec.Output, src []byte) ([]byte, error) {
	all, err := grib.Read(bytes.NewReader(src), int64(len(src)), 0)
	if err != nil {
		return nil, err
	}
	if m.field >= len(all.Fields) {
		return nil, codec.Corrupt("the message has " + strconv.Itoa(len(all.Fields)) + " fields")
	}
	f := all.Fields[m.field]
	g, err := grib.ParseGrid(f.Grid)
	switch {
	case err == nil:
	case m.what != values:
		return nil, err
	default: // the values do not depend on the place of the points
		g = &grib.Grid{Points: int64(grib.Uint(f.Grid, 7, 10))}
	}
	size := g.Points * int64(m.width)
	if size > out.Most(env) || out.Size.Exact && size != out.Size.N {
		return nil, codec.Corrupt("the message has " + strconv.FormatInt(g.Points, 10) + " points, unlike the chunk")
	}
	dst := out.Grow(env, size)[:size]
	if m.what != values {
		return dst, g.Each(func(i int, lat, lon float64) {
			if m.what == longitudes {
				lat = lon
			}
			m.put(dst, i, lat)
		})
	}
	if err := m.values(env, dst, src, f, int(g.Points)); err != nil {
		return nil, err
	}
	m.alternate(dst, g)
	return dst, nil
}

// put writes an element.
func (m message) put(dst []byte, i int, v float64) {
	if m.width == 4 {
		m.order.PutUint32(dst[4*i:], math.Float32bits(float32(v)))
	} else {
		m.order.PutUint64(dst[8*i:], math.Float64bits(v))
	}
}

// values writes the values of a field, and NaN where it has none.
func (m message) values(env *codec.Env, dst, src []byte, f grib.Field, points int) error {
	count := int(grib.Uint(f.Representation, 6, 9))
	var bitmap []byte
	if f.Bitmap.Length >= 0 {
		bitmap = src[f.Bitmap.Offset:][:f.Bitmap.Length]
		if len(bitmap) < (points+7)/8 {
			return codec.Truncated("the bitmap has fewer bits than the grid has points")
		}
	}
	if count > points || bitmap == nil && count != points {
		return codec.Corrupt("the message has " + strconv.Itoa(count) + " values for " + strconv.Itoa(points) + " points")
	}
	p, err := newPacking(f.Representation)
	if err != nil {
		return err
	}
	codes := make([]int64, count)
	if err := p.unpack(env, codes, src[f.Data.Offset:][:f.Data.Length]); err != nil {
		return err
	}
	if bitmap == nil {
		for i, c := range codes {
			m.put(dst, i, p.value(c))
		}
		return nil
	}
	next := 0
	for i := range points {
		v := notANumber()
		if bitmap[i>>3]<<(i&7)&0x80 != 0 {
			if next == count {
				return codec.Corrupt("the bitmap has more points than the message has values")
			}
			v = p.value(codes[next])
			next++
		}
		m.put(dst, i, v)
	}
	return nil
}

// alternate turns each second row, or column, if it runs backwards.
func (m message) alternate(dst []byte, g *grib.Grid) {
	if !g.Alternate {
		return
	}
	line := int(g.Nx) * m.width
	if g.Columns {
		line = int(g.Ny) * m.width
	}
	for at := line; line > 0 && at+line <= len(dst); at += 2 * line {
		b := dst[at : at+line]
		for i, j := 0, line-m.width; i < j; i, j = i+m.width, j-m.width {
			for k := range m.width {
				b[i+k], b[j+k] = b[j+k], b[i+k]
			}
		}
	}
}
