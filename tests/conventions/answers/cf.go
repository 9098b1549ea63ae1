package main

import (
	"encoding/base64"
	"encoding/binary"
	"math"
	"strconv"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/convention/cf"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
)

// dateOf returns the date of a number in units: the members units, calendar and value.
func dateOf(ask json.Value) (any, error) {
	u, err := cf.ParseUnits(text(ask.Get("units")), text(ask.Get("calendar")))
	if err != nil {
		return nil, err
	}
	said := map[string]any{"unit": u.Unit, "calendar": u.Calendar, "reference": u.Reference}
	date, err := dateIn(u, ask.Get("value"))
	if err != nil {
		said["error"] = class(err)
		return said, nil
	}
	said["date"], said["dayOfYear"] = date, date.DayOfYear()
	if micros, ok := date.Micros(); ok {
		said["instant"] = micros
	}
	if said["number"], err = u.Value(date); err != nil {
		return nil, err
	}
	if n, ok := u.ValueInt(date); ok {
		said["integer"] = n
	}
	return said, nil
}

func dateIn(u *cf.Units, v json.Value) (cf.Date, error) {
	if n, ok := v.Int64(); ok {
		return u.DateInt(n)
	}
	if n, ok := v.Uint64(); ok {
		return u.DateUint(n)
	}
	return u.Date(number(v))
}

// numberOf returns the number of the date in the member parts.
func numberOf(ask json.Value) (any, error) {
	u, err := cf.ParseUnits(text(ask.Get("units")), text(ask.Get("calendar")))
	if err != nil {
		return nil, err
	}
	p := [7]int64{0, 1, 1}
	for i, part := range ask.Get("parts").Items() {
		p[i] = integer(part)
	}
	date := cf.Date{
		Year: p[0], Month: int(p[1]), Day: int(p[2]), Hour: int(p[3]), Minute: int(p[4]), Second: int(p[5]), Microsecond: int(p[6]),
		Calendar: u.Calendar,
	}
	f, err := u.Value(date)
	return f, err
}

// partial returns the period that a text can mean.
func partial(ask json.Value) (any, error) {
	calendar, err := cf.ParseCalendar(text(ask.Get("calendar")))
	if err != nil {
		return nil, err
	}
	first, last, err := cf.ParsePartial(text(ask.Get("text")), calendar)
	return map[string]any{"first": first, "last": last}, err
}

// datetime64 returns the date of a count of a unit, and its text.
func datetime64(ask json.Value) (any, error) {
	value, unit, scale := integer(ask.Get("value")), text(ask.Get("unit")), int(integer(ask.Get("scale")))
	date, ok, err := cf.Datetime64(value, unit, scale)
	if err != nil || !ok {
		return nil, err
	}
	shown, err := cf.Datetime64Text(value, unit, scale)
	return map[string]any{"date": date, "text": shown}, err
}

// typeOf returns the type of the members kind and size.
func typeOf(ask json.Value) *dtype.Type {
	size := int(integer(ask.Get("size")))
	t := &dtype.Type{Name: text(ask.Get("dtype")), Size: size, Order: dtype.Little}
	switch text(ask.Get("kind")) {
	case "int":
		t.Kind = dtype.Int
	case "uint":
		t.Kind = dtype.Uint
	case "float":
		t.Kind = dtype.Float
	case "complex":
		t.Kind = dtype.Complex
		t.Elem = &dtype.Type{Kind: dtype.Float, Name: "float" + strconv.Itoa(4*size), Size: size / 2, Order: dtype.Little}
	case "char":
		t.Kind = dtype.Char
	}
	return t
}

func bytesOf(v json.Value) []byte {
	b, err := base64.StdEncoding.DecodeString(text(v))
	if err != nil {
		panic(err)
	}
	return b
}

// decode decodes the member raw, and describes the decoder of the member attributes.
func decode(ask json.Value) (any, error) {
	o := ask.Get("options")
	opt := cf.Options{
		NoMaskAndScale: flag(o.Get("noMaskAndScale")), NoDecodeTimes: flag(o.Get("noDecodeTimes")),
		DecodeTimedelta: flag(o.Get("decodeTimedelta")), NoConcatCharacters: flag(o.Get("noConcatCharacters")),
		ValidRange: flag(o.Get("validRange")), Float32: flag(o.Get("float32")),
	}
	if is, ok := o.Get("useZarrFillValueAsMask").Bool(); ok {
		if opt.ZarrFillValueAsMask = cf.FillMaskNever; is {
			opt.ZarrFillValueAsMask = cf.FillMaskAlways
		}
	}
	var fill []byte
	if v := ask.Get("fill"); !v.IsNull() {
		fill = bytesOf(v)
	}
	d, err := cf.NewDecoder(ask.Get("attributes"), typeOf(ask), fill, int(integer(ask.Get("format"))), opt)
	if err != nil {
		return nil, err
	}
	applied, problems := append([]string{}, d.Applied...), append([]string{}, d.Problems...)
	said := map[string]any{"attributes": d.Attributes, "applied": applied, "problems": problems}
	raw := bytesOf(ask.Get("raw"))
	switch d.Form {
	case cf.Text:
		said["dtype"] = d.Type.Name
		size := max(1, int(integer(ask.Get("size"))))
		texts, err := d.Texts(raw, []int{len(raw) / size})
		said["values"] = texts
		return said, err
	case cf.Time, cf.Timedelta:
		said["dtype"] = either(d.Form == cf.Time, "time", "timedelta")
		times, err := d.Times(raw)
		if err != nil {
			return nil, err
		}
		said["masked"], said["missing"] = times.Counts.Masked, times.Counts.Missing
		said["values"] = timesOf(times, d.Form)
		return said, nil
	}
	said["dtype"] = d.Type.Name
	if d.Type.Kind == dtype.Char {
		said["values"] = valuesOf(raw, &dtype.Type{Kind: dtype.Uint, Size: 1})
		return said, nil
	}
	n := len(raw) / max(1, int(integer(ask.Get("size"))))
	out := make([]byte, n*d.Type.Size)
	counts, err := d.Decode(out, raw)
	if err != nil {
		return nil, err
	}
	said["masked"], said["missing"] = counts.Masked, counts.Missing
	said["values"] = valuesOf(out, d.Type)
	if d.Flags != nil {
		flags := make([]any, n)
		for i := range flags {
			flags[i] = d.Flags.OfElement(out, i, d.Type)
		}
		said["flags"] = flags
	}
	return said, nil
}

func timesOf(times *cf.Times, form cf.Form) []any {
	values := make([]any, times.Len())
	for i := range values {
		switch {
		case times.Missing(i):
		case form == cf.Time:
			date, _, err := times.Date(i)
			if values[i] = any(date); err != nil {
				values[i] = class(err)
			}
		default:
			if micros, ok := times.Microseconds(i); ok {
				values[i] = micros
			} else {
				values[i] = "none"
			}
		}
	}
	return values
}

// valuesOf returns decoded elements. Types without JSON numbers become bytes.
func valuesOf(b []byte, t *dtype.Type) any {
	var list []any
	n := 0
	if t.Size > 0 {
		n = len(b) / t.Size
	}
	for i := range n {
		e := b[i*t.Size:]
		switch {
		case t.Kind == dtype.Float && t.Size == 8:
			list = append(list, math.Float64frombits(binary.LittleEndian.Uint64(e)))
		case t.Kind == dtype.Float && t.Size == 4:
			list = append(list, float64(math.Float32frombits(binary.LittleEndian.Uint32(e))))
		case t.Kind == dtype.Int && t.Size == 8:
			list = append(list, int64(binary.LittleEndian.Uint64(e)))
		case t.Kind == dtype.Int && t.Size == 4:
			list = append(list, int32(binary.LittleEndian.Uint32(e)))
		case t.Kind == dtype.Int && t.Size == 2:
			list = append(list, int16(binary.LittleEndian.Uint16(e)))
		case t.Kind == dtype.Int:
			list = append(list, int8(e[0]))
		case t.Kind == dtype.Uint && t.Size == 8:
			list = append(list, binary.LittleEndian.Uint64(e))
		case t.Kind == dtype.Uint && t.Size == 4:
			list = append(list, binary.LittleEndian.Uint32(e))
		case t.Kind == dtype.Uint && t.Size == 2:
			list = append(list, binary.LittleEndian.Uint16(e))
		case t.Kind == dtype.Uint, t.Kind == dtype.Bool:
			list = append(list, e[0])
		default:
			return base64.StdEncoding.EncodeToString(b)
		}
	}
	return list
}
