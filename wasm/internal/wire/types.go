package wire

import "github.com/zarr-wasm/zarr-wasm/zarr/dtype"

// JSName returns a data type's name for JavaScript users. Metadata of v1 and v2 calls all
// variable-length types "object", and so does zarrita. Programs handle "v2:object" differently from
// text.
func JSName(t *dtype.Type, format int) string {
	if format < 3 && t.Variable() {
		return "v2:object"
	}
	return t.JSName()
}

func kindName(k dtype.Kind) string {
	switch k {
	case dtype.Bool:
		return "bool"
	case dtype.Int:
		return "int"
	case dtype.Uint:
		return "uint"
	case dtype.Float:
		return "float"
	case dtype.MiniFloat:
		return "minifloat"
	case dtype.Complex:
		return "complex"
	case dtype.Char:
		return "char"
	case dtype.Unicode:
		return "unicode"
	case dtype.Raw:
		return "raw"
	case dtype.DateTime:
		return "datetime"
	case dtype.TimeDelta:
		return "timedelta"
	case dtype.Struct:
		return "struct"
	case dtype.Optional:
		return "optional"
	case dtype.Sub:
		return "sub"
	case dtype.String:
		return "string"
	case dtype.Bytes:
		return "bytes"
	case dtype.Ragged:
		return "ragged"
	case dtype.Object:
		return "object"
	}
	return "unknown"
}

// DescribeType describes a data type for the page.
func DescribeType(t *dtype.Type) Object {
	var o Object
	o.AddText(TypeKind, kindName(t.Kind))
	o.AddText(TypeName, t.Name)
	o.AddInt(TypeSize, t.Size)
	if t.Bits != 0 {
		o.AddInt(TypeBits, t.Bits)
	}
	if t.Kind == dtype.DateTime || t.Kind == dtype.TimeDelta {
		o.AddText(TypeUnit, t.Unit)
		o.AddInt(TypeScale, int(t.Scale))
	}
	if t.Fields != nil {
		fields := make([]any, len(t.Fields))
		for i, f := range t.Fields {
			var field Object
			field.AddText(FieldName, f.Name)
			field.AddInt(FieldOffset, f.Offset)
			field.AddObject(FieldType, DescribeType(f.Type))
			fields[i] = field
		}
		o.AddList(TypeFields, fields)
	}
	if t.Elem != nil {
		o.AddObject(TypeElem, DescribeType(t.Elem))
	}
	if t.Shape != nil {
		o.AddInts(TypeShape, t.Shape)
	}
	return o
}
