package cf

import (
	"encoding/base64"
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// Options selects the attributes to apply. The zero value matches xarray.
type Options struct {
	// NoMaskAndScale leaves the stored numbers unchanged.
	NoMaskAndScale bool
	// NoDecodeTimes leaves numbers with units "... since ..." as numbers.
	NoDecodeTimes bool
	// DecodeTimedelta decodes numbers with a unit of time as durations, even if the attribute dtype
	// does not request it. Since 2025, xarray has written that attribute.
	DecodeTimedelta bool
	// NoConcatCharacters leaves arrays of single characters unchanged.
	NoConcatCharacters bool
	// ValidRange masks values outside of valid_min, valid_max or valid_range, which xarray does
	// not.
	ValidRange bool
	// ZarrFillValueAsMask selects whether the array's own fill value stands in for a missing
	// _FillValue.
	ZarrFillValueAsMask FillMask
	// Float32 rounds numbers that would be float64 to float32.
	Float32 bool
}

// FillMask selects whether the array's own fill value counts as _FillValue.
type FillMask uint8

// The default is xarray's: yes in v1 and v2, no in v3.
const (
	FillMaskDefault FillMask = iota
	FillMaskAlways
	FillMaskNever
)

// Form is the kind of result that the elements of a variable decode to.
type Form uint8

// The forms.
const (
	Same      Form = iota // unchanged
	Numbers               // masked or unpacked numbers
	Bools                 // integers that represent booleans
	Text                  // bytes that represent text
	Time                  // numbers that represent dates
	Timedelta             // numbers that represent durations
)

// Decoder decodes a variable's elements by its attributes. It is immutable.
type Decoder struct {
	Form Form
	// Type is the type of the elements that Decode writes. Time and Timedelta have the type of
	// their numbers.
	Type *dtype.Type
	// Units converts the numbers of the form Time.
	Units *Units
	// Flags holds the meanings of flags, or nil.
	Flags *Flags
	// Encoding holds the attributes that decoding consumed, and Attributes the others in their
	// order.
	Attributes, Encoding []json.Member
	// Applied names the applied attributes that change values.
	Applied []string
	// Problems lists the attributes that were not applied, with reasons.
	Problems []string

	from      *dtype.Type // the type before decoding, after _Unsigned
	joins     bool        // characters are joined
	timedelta unit
	missing   []ndarray.Number // in the type's domain
	has       map[ndarray.Number]struct{}
	pairs     [][2]ndarray.Number // for complex numbers
	least     *bound
	most      *bound
	scale     *float64
	offset    *float64
}

// bound is an end of the valid range: an integer in the type's domain, or a floating-point number.
type bound struct {
	real     float64
	negative bool // the integer is negative
	integer  uint64
	whole    bool
}

// Counts holds the number of masked elements, and of missing ones in the result. Missing elements
// were masked or stored as NaN.
type Counts struct{ Masked, Missing int64 }

// elem returns a type's element type: for complex numbers, that of their parts.
func elem(t *dtype.Type) *dtype.Type {
	if t.Kind == dtype.Complex {
		return t.Elem
	}
	return t
}

// floatOf returns the floating-point type of a size in bytes.
func floatOf(size int) *dtype.Type {
	return &dtype.Type{Kind: dtype.Float, Name: "float" + strconv.Itoa(8*size), Size: size}
}

// attributes holds a variable's attributes while they are read.
type attributes struct {
	left, taken []json.Member
	applied     []string
	problems    []string
}

func (a *attributes) get(name string) json.Value {
	for _, m := range a.left {
		if m.Name == name {
			return m.Value
		}
	}
	return json.Value{}
}

func (a *attributes) take(name string) json.Value {
	for i, m := range a.left {
		if m.Name == name {
			a.left = slices.Delete(a.left, i, i+1)
			a.taken = append(a.taken, m)
			return m.Value
		}
	}
	return json.Value{}
}

func (a *attributes) problem(msg string) { a.problems = append(a.problems, msg) }

func shown(v json.Value) string {
	if t, ok := v.Text(); ok {
		return quote(t)
	}
	switch v.Kind() {
	case json.Array:
		return "a list"
	case json.Object:
		return "an object"
	}
	return string(v.Raw())
}

// listed returns the items of a list, a single value as a list of one, or nothing for null. Writers
// of netCDF often turn single values into lists.
func listed(v json.Value) []json.Value {
	switch {
	case v.Kind() == json.Array:
		return v.Items()
	case v.IsNull():
		return nil
	}
	return []json.Value{v}
}

// NewDecoder reads from a variable's attributes how its elements are encoded. It follows CF 2.5,
// 3.5, 4.4 and 8.1 and xarray's additions. The argument fill is the array's own fill value as one
// element's bytes, or nil if undefined. The argument format is the version of Zarr. The error is an
// *Error when scale_factor or add_offset is not a number. Problems lists everything else that
// cannot be applied.
func NewDecoder(attrs json.Value, typ *dtype.Type, fill []byte, format int, opt Options) (*Decoder, error) {
	a := &attributes{left: slices.Clone(attrs.Members())}
	if format < 3 {
		a.left = slices.DeleteFunc(a.left, func(m json.Member) bool { return m.Name == "_ARRAY_DIMENSIONS" })
	}
	d := &Decoder{Type: typ, from: typ}
	err := d.read(a, fill, format, opt)
	d.Attributes, d.Encoding, d.Applied, d.Problems = a.left, a.taken, a.applied, a.problems
	if err != nil {
		return nil, err
	}
	return d, nil
}

func (d *Decoder) read(a *attributes, fill []byte, format int, opt Options) error {
	typ := d.Type
	if typ.Kind == dtype.Char {
		d.text(a, opt)
		return nil
	}
	domain := ndarray.DomainOf(elem(typ))
	if domain == ndarray.DomainNone || typ.Kind == dtype.Bool || typ.Kind == dtype.DateTime || typ.Kind == dtype.TimeDelta {
		return nil
	}
	decoded := false
	if !opt.NoMaskAndScale {
		d.from = unsigned(a, typ)
		d.Type = d.from
		var err error
		if decoded, err = d.plan(a, typ, fill, format, opt); err != nil {
			return err
		}
	}
	integer := isInteger(d.from)
	bits := 64
	if integer {
		bits = 8 * d.from.Size
	}
	flags, err := parseFlags(a.get, bits)
	if err != nil {
		a.problem("flags are not applied: " + err.Error())
	}
	d.Flags = flags
	if decoded {
		d.Form = Numbers
	}
	if typ.Kind != dtype.Complex && !opt.NoDecodeTimes {
		if d.times(a) || d.durations(a, opt.DecodeTimedelta) {
			// Times decode to integers or binary64, so that no digit is lost.
			switch packed := d.scale != nil || d.offset != nil; {
			case integer && !packed:
				d.Type = d.from
			default:
				d.Type = floatOf(8)
			}
			return nil
		}
	}
	if name, _ := a.get("dtype").Text(); name == "bool" && !opt.NoMaskAndScale {
		if !integer || decoded {
			a.problem(`dtype "bool" does not apply to elements that are masked, packed or not integers`)
			return nil
		}
		a.take("dtype")
		a.applied = append(a.applied, "dtype")
		d.Form, d.Type = Bools, &dtype.Type{Kind: dtype.Bool, Name: "bool", Size: 1}
	}
	return nil
}

func isInteger(t *dtype.Type) bool { return t.Kind == dtype.Int || t.Kind == dtype.Uint }

// unsigned applies _Unsigned to a type.
func unsigned(a *attributes, typ *dtype.Type) *dtype.Type {
	v := a.take("_Unsigned")
	if !v.Exists() {
		return typ
	}
	text, _ := v.Text()
	if text != "true" && text != "false" || !isInteger(typ) {
		a.problem("_Unsigned " + shown(v) + " does not apply to " + typ.Name)
		return typ
	}
	kind, name := dtype.Int, "int"
	if text == "true" {
		kind, name = dtype.Uint, "uint"
	}
	if kind == typ.Kind {
		return typ
	}
	a.applied = append(a.applied, "_Unsigned")
	return &dtype.Type{Kind: kind, Name: name + strconv.Itoa(8*typ.Size), Size: typ.Size, Order: typ.Order}
}

// plan reads the attributes that mask and unpack. It reports whether any does.
func (d *Decoder) plan(a *attributes, stored *dtype.Type, fill []byte, format int, opt Options) (bool, error) {
	masks := false
	for _, name := range []string{"_FillValue", "missing_value"} {
		v := a.take(name)
		if len(listed(v)) > 0 {
			masks = true
			if d.marks(a, name, v, stored) {
				a.applied = append(a.applied, name)
			}
			continue
		}
		fillMasks := opt.ZarrFillValueAsMask == FillMaskAlways || opt.ZarrFillValueAsMask == FillMaskDefault && format < 3
		if name == "_FillValue" && v.IsNull() && fill != nil && fillMasks {
			masks = true
			if d.markFill(fill) {
				a.applied = append(a.applied, name)
			}
		}
	}
	ranged := opt.ValidRange && d.validRange(a, stored)
	var err error
	if d.scale, err = oneNumber(a, "scale_factor"); err != nil {
		return false, err
	}
	if d.offset, err = oneNumber(a, "add_offset"); err != nil {
		return false, err
	}
	packed := d.scale != nil || d.offset != nil
	if packed && stored.Kind == dtype.Complex {
		return false, &Error{Attribute: "scale_factor", Unsupported: true, Msg: "complex numbers that are packed"}
	}
	integer := isInteger(d.from)
	if !masks && !ranged && !packed && integer {
		return false, nil
	}
	switch {
	case packed, integer && d.from.Size > 2:
		d.Type = floatOf(8)
	case integer:
		d.Type = floatOf(4)
	}
	if opt.Float32 && d.Type.Kind == dtype.Float && d.Type.Size == 8 {
		d.Type = floatOf(4)
	}
	return true, nil
}

// oneNumber consumes an attribute that must be a number or a list of one. It returns nil for an
// absent or null attribute.
func oneNumber(a *attributes, name string) (*float64, error) {
	v := a.take(name)
	all := listed(v)
	if len(all) == 0 && v.Kind() != json.Array {
		return nil, nil
	}
	if len(all) == 1 {
		if f, ok := all[0].Float64(); ok {
			a.applied = append(a.applied, name)
			return &f, nil
		}
	}
	return nil, invalid(name, "expected a number, not "+shown(v))
}

// numberOf reads a number from an attribute of a floating-point variable. It is a number, a numeric
// text, or eight little-endian bytes in base64. The last form is xarray's for float64 in the
// attributes of Zarr v3.
func numberOf(v json.Value) (float64, bool) {
	if f, ok := v.Float64(); ok {
		return f, true
	}
	text, ok := v.Text()
	if !ok {
		return 0, false
	}
	switch text {
	case "NaN":
		return math.NaN(), true
	case "Infinity":
		return math.Inf(1), true
	case "-Infinity":
		return math.Inf(-1), true
	}
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(b) != 8 {
		return 0, false
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(b)), true
}

// integerOf reads an attribute's integer as a number in the type's domain. It returns fits as false
// for a value outside of the type's range, and ok as false for a value that is not a number.
func integerOf(v json.Value, t *dtype.Type) (n ndarray.Number, fits, ok bool) {
	f, ok := v.Float64()
	if !ok || f != math.Trunc(f) {
		return 0, false, ok
	}
	bits := 8 * t.Size
	if t.Kind == dtype.Uint {
		u, is := v.Uint64()
		if !is && f >= 0 && f < 1<<53 {
			u, is = uint64(f), true
		}
		return ndarray.Number(u), is && (bits == 64 || u < 1<<bits), true
	}
	i, is := v.Int64()
	if !is && math.Abs(f) < 1<<53 {
		i, is = int64(f), true
	}
	return ndarray.Number(i), is && (bits == 64 || i >= -1<<(bits-1) && i < 1<<(bits-1)), true
}

// as reinterprets a value of an integer type as the signed or unsigned type of the same size.
func as(n ndarray.Number, t *dtype.Type) ndarray.Number {
	shift := 64 - 8*t.Size
	if t.Kind == dtype.Int {
		return ndarray.Number(int64(n<<shift) >> shift)
	}
	return n << shift >> shift
}

// rounded rounds a number to a floating-point type.
func rounded(f float64, t *dtype.Type) ndarray.Number {
	var room [8]byte
	ndarray.Store(room[:], 0, t, ndarray.FloatNumber(f))
	return ndarray.Load(room[:], 0, t)
}

// marks adds an attribute's values to those that mark an element as missing. It reports whether any
// element can equal one of them.
func (d *Decoder) marks(a *attributes, name string, v json.Value, stored *dtype.Type) bool {
	usable := false
	unusable := func(v json.Value) { a.problem(name + " " + shown(v) + " is not a number and is ignored") }
	all := listed(v)
	if stored.Kind == dtype.Complex {
		if len(all) != 2 {
			unusable(v)
			return false
		}
		re, ok := numberOf(all[0])
		im, ok2 := numberOf(all[1])
		if !ok || !ok2 {
			unusable(v)
		} else {
			usable = d.pair(rounded(re, stored.Elem), rounded(im, stored.Elem))
		}
		return usable
	}
	for _, one := range all {
		if !isInteger(d.from) {
			f, ok := numberOf(one)
			if !ok {
				unusable(one)
			} else {
				usable = d.mark(rounded(f, d.from)) || usable
			}
			continue
		}
		n, fits, ok := integerOf(one, d.from)
		if name == "_FillValue" && stored != d.from {
			// The value is written in the stored type.
			if m, is, _ := integerOf(one, stored); is {
				n, fits = as(m, d.from), true
			}
		}
		if !ok {
			unusable(one)
		} else if fits {
			usable = d.mark(n) || usable
		}
	}
	return usable
}

// markFill adds the array's own fill value to those that mark an element as missing.
func (d *Decoder) markFill(fill []byte) bool {
	e := elem(d.from)
	if e != d.from {
		return d.pair(ndarray.Load(fill, 0, e), ndarray.Load(fill, 1, e))
	}
	return d.mark(ndarray.Load(fill, 0, e))
}

// mark adds a value that marks an element as missing. It returns false for NaN, which is missing by
// itself.
func (d *Decoder) mark(n ndarray.Number) bool {
	if !isInteger(d.from) {
		if math.IsNaN(n.Float()) {
			return false
		}
		n = ndarray.FloatNumber(n.Float() + 0) // -0 is equal to 0
	}
	if _, is := d.has[n]; is {
		return true
	}
	if d.has == nil {
		d.has = map[ndarray.Number]struct{}{}
	}
	d.has[n] = struct{}{}
	d.missing = append(d.missing, n)
	return true
}

func (d *Decoder) pair(re, im ndarray.Number) bool {
	if math.IsNaN(re.Float()) || math.IsNaN(im.Float()) {
		return false
	}
	d.pairs = append(d.pairs, [2]ndarray.Number{re, im})
	return true
}

// validRange reads valid_range, or valid_min and valid_max, which bound packed values (CF 2.5.1).
// It reports whether there is a range.
func (d *Decoder) validRange(a *attributes, stored *dtype.Type) bool {
	names := []string{"valid_min", "valid_max"}
	var ends []json.Value
	if v := a.get("valid_range"); v.Exists() {
		names, ends = []string{"valid_range"}, listed(v)
	} else {
		for _, name := range names {
			end := json.Value{}
			if l := listed(a.get(name)); len(l) > 0 {
				end = l[0]
			}
			ends = append(ends, end)
		}
		if ends[0].IsNull() && ends[1].IsNull() {
			return false
		}
	}
	var bounds [2]*bound
	ok := len(ends) == 2 && stored.Kind != dtype.Complex
	for i := 0; ok && i < 2; i++ {
		if len(names) == 2 && ends[i].IsNull() {
			continue
		}
		bounds[i], ok = d.bound(ends[i], stored)
	}
	if !ok {
		a.problem("the valid range of " + d.from.Name + " is not a range of numbers and is ignored")
		return false
	}
	d.least, d.most = bounds[0], bounds[1]
	for i, name := range names {
		if bounds[i] != nil {
			a.applied = append(a.applied, name)
		}
	}
	return true
}

// bound reads an end of the valid range.
func (d *Decoder) bound(v json.Value, stored *dtype.Type) (*bound, bool) {
	if !isInteger(d.from) {
		f, ok := numberOf(v)
		return &bound{real: f}, ok && !math.IsNaN(f)
	}
	f, ok := v.Float64()
	if !ok || math.IsNaN(f) {
		return nil, false
	}
	n, fits, _ := integerOf(v, d.from)
	if stored != d.from {
		if m, is, _ := integerOf(v, stored); is {
			n, fits = as(m, d.from), true
		}
	}
	if !fits {
		return &bound{real: f}, true
	}
	return &bound{whole: true, integer: uint64(n), negative: d.from.Kind == dtype.Int && int64(n) < 0}, true
}

// compare returns -1, 0 or 1 for a number below, at or above the bound.
func (b *bound) compare(n ndarray.Number, domain ndarray.Domain) int {
	f := n.Float()
	switch {
	case domain == ndarray.DomainReal:
	case b.whole:
		if negative := domain == ndarray.DomainSigned && int64(n) < 0; negative != b.negative {
			if negative {
				return -1
			}
			return 1
		}
		switch { // integers of one sign order as their bits do
		case uint64(n) < b.integer:
			return -1
		case uint64(n) > b.integer:
			return 1
		}
		return 0
	default:
		f = ndarray.Convert(n, domain, ndarray.DomainReal).Float()
	}
	switch {
	case f < b.real:
		return -1
	case f > b.real:
		return 1
	}
	return 0
}

// times reads the units of times. It records a problem for invalid units.
func (d *Decoder) times(a *attributes) bool {
	text, _ := a.get("units").Text()
	if _, _, ok := splitUnits(text); !ok {
		return false
	}
	calendar, isText := a.get("calendar").Text()
	if v := a.get("calendar"); !v.IsNull() && !isText {
		a.problem("times are not decoded: attribute calendar: there is no calendar " + shown(v))
		return false
	}
	u, err := ParseUnits(text, calendar)
	if err != nil {
		a.problem("times are not decoded: " + err.Error())
		return false
	}
	a.take("units")
	a.take("calendar")
	d.Form, d.Units = Time, u
	return true
}

// durations reads the unit of durations.
func (d *Decoder) durations(a *attributes, wanted bool) bool {
	name, _ := a.get("dtype").Text()
	unit, bracketed := strings.CutPrefix(name, "timedelta64[")
	marked := name == "timedelta64" || bracketed && len(unit) > 1 && strings.HasSuffix(unit, "]")
	text, ok := a.get("units").Text()
	if !ok || !wanted && !marked {
		return false
	}
	u, ok := unitOf(strings.ToLower(strings.TrimSpace(text)), Standard)
	if !ok || u.name == "months" || u.name == "years" || u.name == "common_years" {
		return false
	}
	a.take("units")
	if marked {
		a.take("dtype")
	}
	d.Form, d.timedelta = Timedelta, u
	return true
}

// text reads the attributes of bytes that represent text.
func (d *Decoder) text(a *attributes, opt Options) {
	d.joins = d.Type.Size == 1 && !opt.NoConcatCharacters
	v := a.get("_Encoding")
	name, _ := v.Text()
	switch strings.ToLower(name) {
	case "utf-8", "utf8", "ascii", "us-ascii":
		a.take("_Encoding")
		a.applied = append(a.applied, "_Encoding")
		d.Form = Text
		d.Type = &dtype.Type{Kind: dtype.String, Name: "string"}
	default:
		if v.Exists() {
			a.problem("_Encoding " + shown(v) + " is unknown: the bytes are read as UTF-8")
		}
		if d.joins {
			d.Form = Text
		}
	}
	a.take("_FillValue")
}
