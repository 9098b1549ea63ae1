package xarray

import (
	"context"
	"encoding/binary"
	"math"
	"strconv"
	"strings"
	"sync"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/convention/cf"
	"github.com/zarr-wasm/zarr-wasm/zarr/convention/nczarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// variable is a stored variable of a dataset.
type variable struct {
	name  string
	array *zarr.Array
	// dims holds the dimensions' names. An unnamed one is called dim_0 by its position, and is not
	// in named.
	dims  []string
	named []bool
	shape []int64
	// encoding holds the attributes that decoding consumed, and attributes the others.
	attributes, encoding []json.Member
	problems             []string
	decoder              *cf.Decoder
	err                  error // the reason for a missing decoder
	// hidden selects the array's dimensions beyond those of the variable: NCZarr's scalars, and
	// characters joined to text.
	hidden []grid.Item
	mu     sync.Mutex
	kept   *coordinate
}

func newVariable(name string, a *zarr.Array, opt cf.Options, inherited []json.Member) *variable {
	n := a.Metadata()
	d := DimensionsOf(n, a.Path())
	v := &variable{name: name, array: a, shape: d.Shape}
	if d.Problem != "" {
		v.problems = append(v.problems, d.Problem)
	}
	attrs := nczarr.UserAttributes(n)
	for _, m := range inherited {
		if !member(attrs, m.Name).Exists() {
			attrs = append(attrs, m)
		}
	}
	var fill []byte
	if a.FillDefined {
		fill = a.Fill
	}
	v.decoder, v.err = cf.NewDecoder(json.Make(attrs...), a.DType(), fill, n.Format, opt)
	v.attributes = attrs
	if v.err != nil {
		v.problems = append(v.problems, v.err.Error())
	} else {
		v.attributes, v.encoding = v.decoder.Attributes, v.decoder.Encoding
		v.problems = append(v.problems, v.decoder.Problems...)
	}
	for len(v.hidden) < len(a.Shape)-len(v.shape) {
		v.hidden = append(v.hidden, grid.At(0))
	}
	names := d.Names
	if rank := len(v.shape); v.decoder != nil && rank > 0 && len(v.decoder.TextShape(make([]int, rank))) < rank && a.DType().Kind == dtype.Char {
		v.shape, names = v.shape[:rank-1], names[:rank-1]
		v.hidden = append([]grid.Item{grid.All()}, v.hidden...)
	}
	for i, name := range names {
		v.named = append(v.named, name.Named)
		if !name.Named {
			name.Text = "dim_" + strconv.Itoa(i)
		}
		v.dims = append(v.dims, name.Text)
	}
	return v
}

// isIndex reports whether the variable is the coordinate of a dimension.
func (v *variable) isIndex() bool { return len(v.dims) == 1 && v.named[0] && v.dims[0] == v.name }

// Values holds decoded elements with their metadata.
type Values struct {
	Name string
	// Dims holds the names of the dimensions, and Shape their lengths.
	Dims  []string
	Shape []int
	// Data holds the decoded elements, packed and little-endian, of the type Type. Missing elements
	// are NaN. It is nil for strings and times.
	Type *dtype.Type
	Data []byte
	// Texts holds strings. There, if not nil, marks those that are not missing.
	Texts []string
	There []bool
	// Items holds variable-length elements other than strings.
	Items [][]byte
	// Times holds times or durations.
	Times *cf.Times
	// Units is the attribute units. Calendar is the calendar of times.
	Units    string
	Calendar cf.Calendar
	Counts   cf.Counts
	// Attributes holds the attributes that decoding did not consume.
	Attributes []json.Member
	// Coords holds the coordinates by name: those of the remaining dimensions, and scalars for
	// dropped ones.
	Coords map[string]*Values
}

// Len returns the number of elements.
func (v *Values) Len() int {
	n := 1
	for _, length := range v.Shape {
		n *= length
	}
	return n
}

// Float64s converts the elements to numbers. It returns nil for other types.
func (v *Values) Float64s() []float64 {
	if v.Data == nil || ndarray.DomainOf(v.Type) == ndarray.DomainNone {
		return nil
	}
	numbers := make([]float64, v.Len())
	for i := range numbers {
		numbers[i] = ndarray.Convert(ndarray.Load(v.Data, i, v.Type), ndarray.DomainOf(v.Type), ndarray.DomainReal).Float()
	}
	return numbers
}

func (v *variable) units() string {
	for _, list := range [][]json.Member{v.attributes, v.encoding} {
		if units, ok := member(list, "units").Text(); ok {
			return units
		}
	}
	return ""
}

// read reads and decodes the elements at these positions.
func (v *variable) read(ctx context.Context, axes []grid.Axis) (*Values, error) {
	if v.err != nil {
		return nil, &zarr.InvalidMetadataError{Path: v.array.Path(), Err: v.err}
	}
	selection := make([]grid.Item, 0, len(axes)+len(v.hidden))
	for _, a := range axes {
		selection = append(selection, itemOf(a))
	}
	r, err := v.array.Read(ctx, append(selection, v.hidden...), zarr.ReadOptions{})
	if err != nil {
		return nil, err
	}
	out := &Values{Name: v.name, Units: v.units(), Attributes: v.attributes, Shape: r.Shape, Type: v.decoder.Type}
	for i, dim := range v.dims {
		if !axes[i].Drop {
			out.Dims = append(out.Dims, dim)
		}
	}
	switch d := v.decoder; {
	case r.Type.Kind == dtype.Char:
		out.Shape = d.TextShape(r.Shape)
		out.Texts, err = d.Texts(r.Data, r.Shape)
	case r.Type.Kind == dtype.String:
		out.Texts, out.There = make([]string, len(r.Items)), make([]bool, len(r.Items))
		for i, item := range r.Items {
			out.Texts[i], out.There[i] = string(item), item != nil
		}
	case r.Type.Kind == dtype.Unicode:
		out.Texts = unicodeTexts(r.Data, r.Type.Size, out.Len())
	case r.Type.Variable():
		out.Items = r.Items
	case d.Form == cf.Time || d.Form == cf.Timedelta:
		if out.Times, err = d.Times(r.Data); err == nil {
			out.Counts = out.Times.Counts
		}
		if d.Units != nil {
			out.Calendar = d.Units.Calendar
		}
	case d.Form == cf.Same:
		out.Type, out.Data = r.Type, r.Data
	default:
		out.Data = make([]byte, out.Len()*d.Type.Size)
		out.Counts, err = d.Decode(out.Data, r.Data)
	}
	if err != nil {
		return nil, &zarr.UnsupportedError{Path: v.array.Path(), Err: err}
	}
	return out, nil
}

// unicodeTexts decodes zero-padded UTF-32.
func unicodeTexts(data []byte, size, n int) []string {
	texts := make([]string, n)
	for i := range texts {
		var b strings.Builder
		for at := i * size; at < (i+1)*size; at += 4 {
			b.WriteRune(rune(binary.LittleEndian.Uint32(data[at:])))
		}
		texts[i] = strings.TrimRight(b.String(), "\x00")
	}
	return texts
}

// coordinate is a loaded one-dimensional coordinate with its index of labels.
type coordinate struct {
	values *Values
	index  *labelIndex
}

// coordinate loads a one-dimensional coordinate, once.
func (v *variable) coordinate(ctx context.Context) (*coordinate, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.kept != nil {
		return v.kept, nil
	}
	values, err := v.read(ctx, whole(v.shape))
	if err != nil {
		return nil, err
	}
	labels, err := keysOf(values)
	if err != nil {
		return nil, &zarr.UnsupportedError{Path: v.array.Path(), Err: err}
	}
	c := &coordinate{values, newLabelIndex(v.name, labels)}
	if values.Len() <= maxKept {
		v.kept = c
	}
	return c, nil
}

// maxKept bounds the elements of a cached coordinate.
const maxKept = 8 << 20

// labels returns the index of the labels at these positions.
func (v *variable) labels(ctx context.Context, at grid.Axis) (*labelIndex, error) {
	c, err := v.coordinate(ctx)
	if err != nil {
		return nil, err
	}
	if isWhole(at, v.shape[0]) {
		return c.index, nil
	}
	return newLabelIndex(v.name, pick(c.index.keys, at)), nil
}

// pick returns some of the labels.
func pick(all keys, at grid.Axis) keys {
	switch k := all.(type) {
	case *numberKeys[float64]:
		return &numberKeys[float64]{pickOf(k.values, at), k.key, k.round}
	case *numberKeys[int64]:
		return &numberKeys[int64]{pickOf(k.values, at), k.key, k.round}
	case *numberKeys[uint64]:
		return &numberKeys[uint64]{pickOf(k.values, at), k.key, k.round}
	case boolKeys:
		return boolKeys(pickOf([]bool(k), at))
	case *textKeys:
		picked := &textKeys{values: pickOf(k.values, at)}
		if k.there != nil {
			picked.there = pickOf(k.there, at)
		}
		return picked
	case *timeKeys:
		return newTimeKeys(pickOf(k.counts, at), k.perMicro, k.span)
	}
	return all
}

func pickOf[T any](all []T, at grid.Axis) []T {
	some := make([]T, at.Count)
	for i := range some {
		some[i] = all[at.At(int64(i))]
	}
	return some
}

// keysOf converts elements to labels. The error is a *cf.Error for types that cannot be labels:
// complex numbers, structs, bytes.
func keysOf(v *Values) (keys, error) {
	switch {
	case v.Texts != nil:
		return &textKeys{v.Texts, v.There}, nil
	case v.Times != nil && v.Calendar != "":
		counts := make([]int64, v.Times.Len())
		for i := range counts {
			date, ok, err := v.Times.Date(i)
			if err != nil {
				return nil, err
			}
			if counts[i] = notATime; ok {
				if counts[i], ok = date.Micros(); !ok {
					return nil, &cf.Error{Unsupported: true, Msg: "a time is outside the range of lookups"}
				}
			}
		}
		return newTimeKeys(counts, 1, spanIn(v.Calendar)), nil
	case v.Times != nil:
		counts := make([]int64, v.Times.Len())
		for i := range counts {
			micros, ok := v.Times.Microseconds(i)
			if counts[i] = micros; !ok {
				counts[i] = notATime
			}
		}
		return newTimeKeys(counts, 1, nil), nil
	}
	switch t := v.Type; {
	case v.Data == nil:
	case t.Kind == dtype.Bool:
		flags := make(boolKeys, len(v.Data))
		for i, b := range v.Data {
			flags[i] = b != 0
		}
		return flags, nil
	case t.Kind == dtype.Int && t.Size == 8:
		return intKeys(int64s(v.Data)), nil
	case t.Kind == dtype.Uint && t.Size == 8:
		list := make([]uint64, len(v.Data)/8)
		for i, n := range int64s(v.Data) {
			list[i] = uint64(n)
		}
		return uintKeys(list), nil
	case t.Kind == dtype.Float && t.Size < 8:
		return floatKeys(v.Float64s(), func(x float64) float64 { return t.Float64(t.FloatBits(x)) }), nil
	case t.Kind == dtype.Int, t.Kind == dtype.Uint, t.Kind == dtype.Float, t.Kind == dtype.MiniFloat:
		return floatKeys(v.Float64s(), nil), nil
	case t.Kind == dtype.DateTime, t.Kind == dtype.TimeDelta:
		return numpyKeys(int64s(v.Data), t)
	}
	return nil, &cf.Error{Unsupported: true, Msg: "elements of " + v.Type.Name + " are not labels"}
}

func int64s(data []byte) []int64 {
	list := make([]int64, len(data)/8)
	for i := range list {
		list[i] = int64(binary.LittleEndian.Uint64(data[8*i:]))
	}
	return list
}

// numpyKeys converts numpy's times and durations. It keeps nanoseconds, and converts other units to
// microseconds.
func numpyKeys(counts []int64, t *dtype.Type) (keys, error) {
	span := spanIn(cf.ProlepticGregorian)
	if t.Kind == dtype.TimeDelta {
		span = nil
	}
	if t.Unit == "ns" && t.Scale == 1 {
		return newTimeKeys(counts, 1000, span), nil
	}
	nanos, fixed := unitNanos(t.Unit)
	micros := nanos / 1000 * int64(t.Scale)
	for i, count := range counts {
		if count == notATime {
			continue
		}
		if fixed && micros > 0 {
			if count > math.MaxInt64/micros || count < math.MinInt64/micros {
				return nil, &cf.Error{Unsupported: true, Msg: "a time is outside the range of lookups"}
			}
			counts[i] = count * micros
			continue
		}
		if span == nil {
			return nil, &cf.Error{Unsupported: true, Msg: "durations of the unit " + t.Unit + " have no labels"}
		}
		date, _, err := cf.Datetime64(count, t.Unit, t.Scale)
		if err != nil {
			return nil, err
		}
		micros, ok := date.Micros()
		if !ok {
			return nil, &cf.Error{Unsupported: true, Msg: "a time is outside the range of lookups"}
		}
		counts[i] = micros
	}
	return newTimeKeys(counts, 1, span), nil
}
