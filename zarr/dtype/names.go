package dtype

import (
	"strconv"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
)

// scalars are the types that a name alone describes, except complex ones.
var scalars = [...]struct {
	name       string
	kind       Kind
	size, bits int
}{
	{"bool", Bool, 1, 0},
	{"int2", Int, 1, 2},
	{"int4", Int, 1, 4},
	{"int8", Int, 1, 0},
	{"int16", Int, 2, 0},
	{"int32", Int, 4, 0},
	{"int64", Int, 8, 0},
	{"uint2", Uint, 1, 2},
	{"uint4", Uint, 1, 4},
	{"uint8", Uint, 1, 0},
	{"uint16", Uint, 2, 0},
	{"uint32", Uint, 4, 0},
	{"uint64", Uint, 8, 0},
	{"float16", Float, 2, 0},
	{"float32", Float, 4, 0},
	{"float64", Float, 8, 0},
	{"bfloat16", MiniFloat, 2, 0},
	{"float4_e2m1fn", MiniFloat, 1, 4},
	{"float6_e2m3fn", MiniFloat, 1, 6},
	{"float6_e3m2fn", MiniFloat, 1, 6},
	{"float8_e3m4", MiniFloat, 1, 0},
	{"float8_e4m3", MiniFloat, 1, 0},
	{"float8_e4m3b11fnuz", MiniFloat, 1, 0},
	{"float8_e4m3fn", MiniFloat, 1, 0},
	{"float8_e4m3fnuz", MiniFloat, 1, 0},
	{"float8_e5m2", MiniFloat, 1, 0},
	{"float8_e5m2fnuz", MiniFloat, 1, 0},
	{"float8_e8m0fnu", MiniFloat, 1, 0},
	{"string", String, 0, 0},
	{"bytes", Bytes, 0, 0},
}

// Names returns the names of all types without a configuration, except those of raw bits and of
// unusual complex numbers.
func Names() []string {
	names := []string{"complex64", "complex128"}
	for _, s := range scalars {
		names = append(names, s.name)
	}
	return names
}

// plain returns the type of a name without configuration, nil if there is none. Scalars of more
// than a byte get the order.
func plain(name string, order Order) *Type {
	switch name {
	case "variable_length_bytes", "binary":
		name = "bytes"
	case "complex64":
		return pair(name, plain("float32", order))
	case "complex128":
		return pair(name, plain("float64", order))
	}
	if part, ok := strings.CutPrefix(name, "complex_"); ok {
		elem := plain(part, order)
		if elem == nil || elem.Kind != Float && elem.Kind != MiniFloat {
			return nil
		}
		switch part {
		case "float32":
			name = "complex64"
		case "float64":
			name = "complex128"
		}
		return pair(name, elem)
	}
	for i := range scalars {
		s := &scalars[i]
		if s.name != name {
			continue
		}
		t := &Type{Kind: s.kind, Name: name, Size: s.size, Bits: s.bits}
		if s.size > 1 {
			t.Order = order
		}
		return t
	}
	return nil
}

func pair(name string, elem *Type) *Type {
	return &Type{Kind: Complex, Name: name, Size: 2 * elem.Size, Order: elem.Order, Elem: elem}
}

// units are numpy's units of time; "generic" has no unit.
var units = [...]string{"Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as", "generic"}

// timeType returns a datetime or timedelta type, nil if numpy does not have the unit or scale.
func timeType(kind Kind, unit string, scale int64, order Order) *Type {
	if unit == "μs" || unit == "µs" { // Greek letter mu and the micro sign
		unit = "us"
	}
	if scale < 1 || scale > 1<<31-1 {
		return nil
	}
	for _, u := range units {
		if u == unit {
			t := &Type{Kind: kind, Size: 8, Order: order, Unit: unit, Scale: int(scale)}
			t.Name = "numpy.datetime64"
			if kind == TimeDelta {
				t.Name = "numpy.timedelta64"
			}
			return t
		}
	}
	return nil
}

// JSName returns the type's name for users of JavaScript, in zarrita's spelling: "int32", "bool",
// "string", "v2:U5", "v2:S3", "v2:object". Types unknown to zarrita have their canonical name. v2's
// opaque bytes are "v2:V6".
func (t *Type) JSName() string {
	switch {
	case t.Kind == Object:
		return "v2:object"
	case t.v2Text():
		return "v2:" + t.Name
	}
	return t.Name
}

// v2Text reports whether the canonical name is a v2 typestring: one letter and a count.
func (t *Type) v2Text() bool {
	if t.Kind != Char && t.Kind != Unicode && t.Kind != Raw || len(t.Name) < 2 {
		return false
	}
	return strings.IndexByte("SUV", t.Name[0]) >= 0
}

// V2String returns the numpy typestring of the type, such as "<i4", or for a struct the JSON text
// of its list of fields. Scalars without an order of their own are little-endian. Types that numpy
// lacks have their canonical name, and those of variable length are "|O".
func (t *Type) V2String() string {
	order := "<"
	if t.Order == Big {
		order = ">"
	}
	size := strconv.Itoa(t.Size)
	if t.Size <= 1 {
		order = "|"
	}
	switch {
	case t.Variable():
		return "|O"
	case t.Bits != 0:
		return t.Name
	}
	switch t.Kind {
	case Bool:
		return "|b1"
	case Int:
		return order + "i" + size
	case Uint:
		return order + "u" + size
	case Float:
		return order + "f" + size
	case Complex:
		if t.Elem.Kind == Float && t.Elem.Size > 2 {
			return order + "c" + size
		}
	case Char:
		return "|S" + size
	case Raw:
		return "|V" + size
	case Unicode:
		if t.Order != Big {
			order = "<" // also for "<U0", like numpy
		}
		return order + "U" + strconv.Itoa(t.Size/4)
	case DateTime, TimeDelta:
		s := order + "M8"
		if t.Kind == TimeDelta {
			s = order + "m8"
		}
		if t.Unit == "generic" {
			return s
		}
		if t.Scale != 1 {
			return s + "[" + strconv.Itoa(t.Scale) + t.Unit + "]"
		}
		return s + "[" + t.Unit + "]"
	case Struct:
		return string(t.appendFields(nil))
	case Sub:
		return t.Elem.V2String()
	}
	return t.Name
}

// appendFields appends a struct's list of fields in the form of v2 metadata.
func (t *Type) appendFields(b []byte) []byte {
	b = append(b, '[')
	for i, f := range t.Fields {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = append(b, '[')
		b = json.AppendString(b, f.Name)
		b = append(b, ", "...)
		elem := f.Type
		if elem.Kind == Sub {
			elem = elem.Elem
		}
		if elem.Kind == Struct {
			b = elem.appendFields(b)
		} else {
			b = json.AppendString(b, elem.V2String())
		}
		if f.Type.Kind == Sub {
			b = append(b, ", ["...)
			for j, d := range f.Type.Shape {
				if j > 0 {
					b = append(b, ", "...)
				}
				b = strconv.AppendInt(b, int64(d), 10)
			}
			b = append(b, ']')
		}
		b = append(b, ']')
	}
	return append(b, ']')
}
