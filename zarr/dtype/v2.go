package dtype

import (
	"strconv"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
)

// parser carries the limits through nested types.
type parser struct {
	lim    Limits
	fields int // fields seen so far
}

// count counts the fields of a struct, before they are parsed.
func (p *parser) count(name string, fields json.Value) error {
	if p.fields += fields.Len(); p.fields > p.lim.Fields {
		return refused(name, "Fields", int64(p.lim.Fields), "more fields")
	}
	return nil
}

// nested rejects structs and optionals that are too deep.
func (p *parser) nested(name string, depth int) error {
	if depth >= p.lim.Depth {
		return refused(name, "Depth", int64(p.lim.Depth), "deeper nesting")
	}
	return nil
}

// sized rejects elements of more bytes than the limit; n is below 2^62.
func (p *parser) sized(name string, n int64) error {
	if n > p.lim.ItemBytes {
		return refused(name, "ItemBytes", p.lim.ItemBytes, "more bytes in an element")
	}
	return nil
}

// ParseV2 parses the dtype of v1 and v2 metadata: a numpy typestring ("<i4") or a list of fields.
// It sets Order on every scalar of more than a byte. It also accepts forms found in files. These
// are a prefix that is missing, "=" or meaningless, tensorstore's names ("bfloat16",
// "float8_e4m3fn", "int4") and numpy's long names ("int32", "datetime64[ns]"). Errors are *[Error].
func ParseV2(v json.Value, lim Limits) (*Type, error) {
	p := parser{lim: lim.withDefaults()}
	return p.v2(v, 0)
}

func (p *parser) v2(v json.Value, depth int) (*Type, error) {
	if s, ok := v.Text(); ok {
		return p.typestring(s)
	}
	if v.Kind() == json.Array {
		return p.v2Struct(v, depth)
	}
	return nil, invalid(string(v.Raw()), "dtype is a "+v.Kind().String()+", expected a typestring or a list of fields")
}

func (p *parser) typestring(s string) (*Type, error) {
	if t := p.longName(s); t != nil {
		return t, nil
	}
	order, rest := Little, s
	if s != "" {
		switch s[0] {
		case '>':
			order, rest = Big, s[1:]
		case '<', '=', '|': // "=" is the writer's own order: no machine in use is big-endian
			rest = s[1:]
		}
	}
	if rest == "" {
		return nil, invalid(s, "not a typestring")
	}
	count, unit := rest[1:], ""
	if i := strings.IndexByte(count, '['); i >= 0 {
		count, unit = count[:i], count[i:]
	}
	t, err := p.letter(s, rest[0], count, unit, order)
	if err == nil && t == nil {
		err = unsupported(s, "unknown typestring")
	}
	if err != nil {
		return nil, err
	}
	return t, nil
}

// letter returns the type of a typestring's letter and count; nil if numpy has no such type.
func (p *parser) letter(s string, kind byte, count, unit string, order Order) (*Type, error) {
	if unit != "" && kind != 'M' && kind != 'm' {
		return nil, nil
	}
	if kind == 'O' {
		if count != "" && count != "4" && count != "8" { // old numpy wrote a pointer's size
			return nil, nil
		}
		return &Type{Kind: Object, Name: "O"}, nil
	}
	n, ok := digits(count)
	if !ok {
		return nil, nil
	}
	bits := strconv.FormatInt(8*n, 10)
	switch kind {
	case 'b':
		if n == 1 {
			return plain("bool", None), nil
		}
	case 'i':
		if n >= 1 {
			return plain("int"+bits, order), nil
		}
	case 'u':
		if n >= 1 {
			return plain("uint"+bits, order), nil
		}
	case 'f':
		if n == 10 || n == 12 || n == 16 {
			return nil, unsupported(s, "long double depends on the platform that wrote it")
		}
		return plain("float"+bits, order), nil
	case 'c':
		if n == 20 || n == 24 || n == 32 {
			return nil, unsupported(s, "long double depends on the platform that wrote it")
		}
		return plain("complex"+bits, order), nil
	case 'S', 'a':
		if err := p.sized(s, n); err != nil {
			return nil, err
		}
		return &Type{Kind: Char, Name: "S" + strconv.FormatInt(n, 10), Size: int(n)}, nil
	case 'V':
		if err := p.sized(s, n); err != nil {
			return nil, err
		}
		return &Type{Kind: Raw, Name: "V" + strconv.FormatInt(n, 10), Size: int(n)}, nil
	case 'U':
		if err := p.sized(s, 4*n); err != nil {
			return nil, err
		}
		return &Type{Kind: Unicode, Name: "U" + strconv.FormatInt(n, 10), Size: int(4 * n), Order: order}, nil
	case 'M', 'm':
		if n == 8 {
			return bracketed(kind, unit, order), nil
		}
	}
	return nil, nil
}

// digits reads a count of up to twelve digits.
func digits(s string) (int64, bool) {
	if s == "" || len(s) > 12 {
		return 0, false
	}
	var n int64
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = 10*n + int64(s[i]-'0')
	}
	return n, true
}

// bracketed returns the datetime or timedelta of a unit as in "[ns]", "[25s]" or "".
func bracketed(letter byte, unit string, order Order) *Type {
	kind := DateTime
	if letter == 'm' {
		kind = TimeDelta
	}
	if unit == "" {
		return timeType(kind, "generic", 1, order)
	}
	unit, ok := strings.CutSuffix(unit[1:], "]")
	if !ok {
		return nil
	}
	scale, name := int64(1), strings.TrimLeft(unit, "0123456789")
	if name != unit {
		if scale, ok = digits(unit[:len(unit)-len(name)]); !ok {
			return nil
		}
	}
	return timeType(kind, name, scale, order)
}

// longName returns the types with long names in v2 metadata and in the configurations of filters;
// nil if s is none.
func (p *parser) longName(s string) *Type {
	switch s {
	case "bool_":
		s = "bool"
	case "object":
		return &Type{Kind: Object, Name: "O"}
	case "string", "bytes", "binary", "variable_length_bytes":
		return nil // v3 names: v2 has "|O" and an object codec
	}
	if unit, ok := strings.CutPrefix(s, "datetime64"); ok && (unit == "" || unit[0] == '[') {
		return bracketed('M', unit, Little)
	}
	if unit, ok := strings.CutPrefix(s, "timedelta64"); ok && (unit == "" || unit[0] == '[') {
		return bracketed('m', unit, Little)
	}
	return plain(s, Little)
}

// v2Struct reads a list of [name, dtype] and [name, dtype, shape].
func (p *parser) v2Struct(v json.Value, depth int) (*Type, error) {
	raw := string(v.Raw())
	if err := p.nested(raw, depth); err != nil {
		return nil, err
	}
	if v.Len() == 0 {
		return nil, invalid(raw, "a struct without fields")
	}
	if err := p.count(raw, v); err != nil {
		return nil, err
	}
	t := &Type{Kind: Struct, Name: "struct"}
	seen := map[string]bool{}
	for _, item := range v.Items() {
		parts := few(item, 3)
		if len(parts) != 2 && len(parts) != 3 {
			return nil, invalid(raw, "a field must be a list of name, dtype and optional shape")
		}
		name, ok := fieldName(parts[0])
		if !ok {
			return nil, invalid(raw, "a field's name is not text")
		}
		ft, err := p.v2(parts[1], depth+1)
		if err == nil && len(parts) == 3 {
			ft, err = p.sub(ft, parts[2])
		}
		if err != nil {
			return nil, err
		}
		if err := p.add(t, seen, name, ft); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// fieldName reads a name, or numpy's list of a title and a name.
func fieldName(v json.Value) (string, bool) {
	if items := few(v, 2); len(items) == 2 {
		v = items[1]
	}
	return v.Text()
}

// add appends a field to a struct. A repeated name is an error.
func (p *parser) add(t *Type, seen map[string]bool, name string, ft *Type) error {
	if ft.Variable() || ft.Kind == Optional {
		return unsupported(t.Name, "field "+clip(name)+" of type "+ft.Name+" has no fixed place in a struct")
	}
	if err := p.sized(t.Name, int64(t.Size)+int64(ft.Size)); err != nil {
		return err
	}
	if seen[name] {
		return invalid(t.Name, "two fields are called "+strconv.Quote(clip(name)))
	}
	t.Fields = append(t.Fields, Field{Name: name, Offset: t.Size, Type: ft})
	seen[name] = true
	t.Size += ft.Size
	return nil
}

// sub returns the sub-array type of a field: shape is a list of lengths or a single one.
func (p *parser) sub(elem *Type, shape json.Value) (*Type, error) {
	const maxRank = 32
	dims := few(shape, maxRank)
	if shape.Kind() != json.Array {
		dims = []json.Value{shape}
	}
	if shape.Kind() == json.Array && shape.Len() == 0 {
		return elem, nil
	}
	if elem.Variable() {
		return nil, unsupported(elem.Name, "a sub-array of elements of variable length")
	}
	if len(dims) == 0 {
		return nil, invalid(elem.Name, "a sub-array of more than 32 dimensions")
	}
	t := &Type{Kind: Sub, Elem: elem, Name: "("}
	count := int64(1)
	for i, d := range dims {
		n, ok := d.Int64()
		if !ok || n < 0 {
			return nil, invalid(elem.Name, "sub-array shape "+clip(string(shape.Raw()))+" is not a list of lengths")
		}
		// The count is limited too: elements may have no bytes at all.
		if err := p.sized(elem.Name, n); err != nil {
			return nil, err
		}
		count *= n
		if err := p.sized(elem.Name, count); err != nil {
			return nil, err
		}
		t.Shape = append(t.Shape, int(n))
		if i > 0 {
			t.Name += ","
		}
		t.Name += strconv.FormatInt(n, 10)
	}
	t.Name += ")" + elem.Name
	if err := p.sized(t.Name, count*int64(elem.Size)); err != nil {
		return nil, err
	}
	t.Size = int(count) * elem.Size
	return t, nil
}
