package dtype

import (
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
)

// ParseV3 parses the data_type of v3 metadata: a name, or an object of name and configuration. It
// knows the core types and those of the zarr-extensions registry. Order is None, because the bytes
// codec determines it. For an unknown name it returns an *[Error] with Unsupported set, and for
// other errors one without.
func ParseV3(v json.Value, lim Limits) (*Type, error) {
	p := parser{lim: lim.withDefaults()}
	return p.v3(v, 0)
}

func (p *parser) v3(v json.Value, depth int) (*Type, error) {
	if name, ok := v.Text(); ok {
		return p.extension(name, json.Value{}, depth)
	}
	raw := string(v.Raw())
	if v.Kind() != json.Object {
		return nil, invalid(raw, "data_type is a "+v.Kind().String()+", expected a name or an object")
	}
	name, ok := v.Get("name").Text()
	if !ok {
		return nil, invalid(raw, "data_type has no name")
	}
	if must := v.Get("must_understand"); must.Exists() {
		if b, ok := must.Bool(); !ok || !b {
			return nil, invalid(name, "must_understand must be true for a data type")
		}
	}
	conf := v.Get("configuration")
	if !conf.IsNull() && conf.Kind() != json.Object {
		return nil, invalid(name, "configuration is a "+conf.Kind().String()+", expected an object")
	}
	return p.extension(name, conf, depth)
}

func (p *parser) extension(name string, conf json.Value, depth int) (*Type, error) {
	switch name {
	case "numpy.datetime64":
		return v3Time(name, DateTime, conf)
	case "numpy.timedelta64":
		return v3Time(name, TimeDelta, conf)
	case "fixed_length_utf32":
		t, err := p.fixed(name, Unicode, conf)
		if err == nil && t.Size%4 != 0 {
			return nil, invalid(name, "length_bytes is not a multiple of 4")
		}
		return t, err
	case "null_terminated_bytes":
		return p.fixed(name, Char, conf)
	case "raw_bytes":
		return p.fixed(name, Raw, conf)
	case "struct", "structured":
		return p.v3Struct(name, conf, depth)
	case "optional", "zarrs.optional":
		return p.optional(name, conf, depth)
	}
	t := plain(name, None)
	if t == nil {
		var err error
		if t, err = p.rawBits(name); err != nil {
			return nil, err
		}
	}
	if t == nil {
		return nil, unsupported(name, "unknown data type")
	}
	if conf.Len() > 0 {
		return nil, invalid(name, "has no configuration, but one is given")
	}
	return t, nil
}

// rawBits reads r<N>; nil if the name has another form.
func (p *parser) rawBits(name string) (*Type, error) {
	rest, ok := strings.CutPrefix(name, "r")
	if !ok {
		return nil, nil
	}
	n, ok := digits(rest)
	if !ok {
		return nil, nil
	}
	if n == 0 || n%8 != 0 || rest[0] == '0' {
		return nil, invalid(name, "raw types must have a positive multiple of 8 bits")
	}
	if err := p.sized(name, n/8); err != nil {
		return nil, err
	}
	return &Type{Kind: Raw, Name: name, Size: int(n / 8)}, nil
}

func v3Time(name string, kind Kind, conf json.Value) (*Type, error) {
	unit, ok := conf.Get("unit").Text()
	if !ok {
		return nil, invalid(name, "configuration has no unit")
	}
	scale := int64(1)
	if s := conf.Get("scale_factor"); s.Exists() {
		if scale, ok = s.Int64(); !ok {
			return nil, invalid(name, "scale_factor is not an integer")
		}
	}
	t := timeType(kind, unit, scale, None)
	if t == nil {
		return nil, invalid(name, "numpy does not support this unit or scale_factor")
	}
	return t, nil
}

// fixed returns a type whose configuration is its length in bytes.
func (p *parser) fixed(name string, kind Kind, conf json.Value) (*Type, error) {
	n, ok := conf.Get("length_bytes").Int64()
	if !ok || n < 0 {
		return nil, invalid(name, "configuration has no length_bytes")
	}
	if err := p.sized(name, n); err != nil {
		return nil, err
	}
	return &Type{Kind: kind, Name: name, Size: int(n)}, nil
}

// v3Struct reads fields as objects of name and data_type, or in the older form as lists of both. It
// accepts either form under either name.
func (p *parser) v3Struct(name string, conf json.Value, depth int) (*Type, error) {
	if err := p.nested(name, depth); err != nil {
		return nil, err
	}
	fields := conf.Get("fields")
	if fields.Kind() != json.Array || fields.Len() == 0 {
		return nil, invalid(name, "configuration has no fields")
	}
	if err := p.count(name, fields); err != nil {
		return nil, err
	}
	t := &Type{Kind: Struct, Name: "struct"}
	seen := map[string]bool{}
	for _, f := range fields.Items() {
		key, sub := f.Get("name"), f.Get("data_type")
		if items := few(f, 2); len(items) == 2 {
			key, sub = items[0], items[1]
		}
		fn, ok := key.Text()
		if !ok || !sub.Exists() {
			return nil, invalid(name, "a field must have a name and a data_type")
		}
		ft, err := p.v3(sub, depth+1)
		if err != nil {
			return nil, err
		}
		if err := p.add(t, seen, fn, ft); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// optional reads the zarrs extension: its configuration is the inner data type. Nested absence is
// not supported for types of variable length, because a list of elements cannot distinguish the
// levels.
func (p *parser) optional(name string, conf json.Value, depth int) (*Type, error) {
	if err := p.nested(name, depth); err != nil {
		return nil, err
	}
	if conf.IsNull() {
		return nil, invalid(name, "configuration has no data type")
	}
	elem, err := p.v3(conf, depth+1)
	if err != nil {
		return nil, err
	}
	t := &Type{Kind: Optional, Name: "optional", Elem: elem}
	switch {
	case elem.Kind == Optional && elem.Variable():
		return nil, unsupported(name, "an optional optional of variable length")
	case elem.Variable():
		return t, nil
	}
	if err := p.sized(name, int64(elem.Size)+1); err != nil {
		return nil, err
	}
	t.Size = elem.Size + 1
	return t, nil
}
