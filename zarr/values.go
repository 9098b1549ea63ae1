package zarr

import (
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/internal/writer"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// InvalidValueError reports values that do not fit their target: another type or shape, or an
// element that the array cannot hold.
type InvalidValueError = writer.ValueError

// valuesFor converts a value to the elements that a selection of an array of type t receives. The
// shape is the selection's, and kept marks the dimensions of the array that it has. If lists
// select, all values must be in memory.
func valuesFor(v any, t *dtype.Type, shape []int64, kept []bool, lists bool) (writer.Values, error) {
	block, flat, err := blockOf(v, t)
	if err != nil {
		return writer.Values{}, err
	}
	if list, ok := v.(List); ok {
		v = list.Elements
	}
	var gather writer.Gather
	if e, ok := v.(*Elements); ok && lists {
		block, err = e.gathered(block)
	} else if ok {
		gather = func(dst []byte, from ndarray.Layout, shape []int) error { return e.Gather(dst, t.Size, from, shape) }
	}
	if err != nil {
		return writer.Values{}, err
	}
	if flat {
		if n, ok := product(shape); ok && n == int64(block.Len()) {
			block.Shape = make([]int, len(shape))
			for d, n := range shape {
				block.Shape[d] = int(n)
			}
		}
	}
	strides, err := broadcast(block.Shape, shape)
	if err != nil {
		return writer.Values{}, err
	}
	all := make([]int, 0, len(kept))
	for _, k := range kept {
		if !k {
			all = append(all, 0)
			continue
		}
		all, strides = append(all, strides[0]), strides[1:]
	}
	return writer.Values{Block: block, Strides: all, Gather: gather}, nil
}

func product(shape []int64) (int64, bool) {
	n := int64(1)
	for _, s := range shape {
		if s != 0 && n > math.MaxInt64/s {
			return 0, false
		}
		n *= s
	}
	return n, true
}

// broadcast returns the strides of a block of the shape from along the dimensions of the shape to,
// by numpy's rules. Dimensions are compared from the last one; a missing one, or one of length 1,
// repeats.
func broadcast(from []int, to []int64) ([]int, error) {
	strides := ndarray.Strides(from)
	all := make([]int, len(to))
	for len(from) > len(to) && from[0] == 1 {
		from, strides = from[1:], strides[1:]
	}
	if len(from) > len(to) {
		return nil, shapeError(from, to)
	}
	skip := len(to) - len(from)
	for d, n := range from {
		switch {
		case int64(n) == to[skip+d]:
			all[skip+d] = strides[d]
		case n != 1:
			return nil, shapeError(from, to)
		}
	}
	return all, nil
}

func shapeError(from []int, to []int64) error {
	list := make([]int64, len(from))
	for i, n := range from {
		list[i] = int64(n)
	}
	return invalidValue("values of shape " + shapeText(list) + " for a selection of shape " + shapeText(to))
}

func shapeText(shape []int64) string {
	text := "["
	for i, n := range shape {
		if i > 0 {
			text += ", "
		}
		text += strconv.FormatInt(n, 10)
	}
	return text + "]"
}

func invalidValue(msg string) error { return &InvalidValueError{Msg: msg} }

// blockOf converts a value to a block. flat is set for a list without a shape.
func blockOf(v any, t *dtype.Type) (block ndarray.Block, flat bool, err error) {
	switch v := v.(type) {
	case List:
		block, _, err = blockOf(v.Elements, t)
		return block, len(block.Shape) == 1, err
	case *Result:
		block, err = typedBlock(v.Block, v.Type, t)
		return block, false, err
	case Result:
		block, err = typedBlock(v.Block, v.Type, t)
		return block, false, err
	case ndarray.Block:
		block, err = typedBlock(v, t, t)
		return block, false, err
	case *Elements:
		block, err = v.blockOf(t)
		return block, false, err
	}
	if block, ok, err := listOf(v, t); ok || err != nil {
		return block, true, err
	}
	element, err := elementOf(v, t)
	if err != nil {
		return block, false, err
	}
	if t.Variable() {
		return ndarray.Block{Items: [][]byte{element}}, false, nil
	}
	return ndarray.Block{Size: t.Size, Data: element}, false, nil
}

// typedBlock checks a block of elements of a type.
func typedBlock(b ndarray.Block, from, t *dtype.Type) (ndarray.Block, error) {
	if from == nil || !sameType(from, t) {
		name := "no type"
		if from != nil {
			name = from.Name
		}
		return b, invalidValue("elements of " + name + " for " + t.Name)
	}
	n := 1
	for _, length := range b.Shape {
		if length < 0 || length > 0 && n > math.MaxInt/length {
			return b, invalidValue("a block of an invalid shape")
		}
		n *= length
	}
	if t.Variable() {
		if len(b.Items) != n {
			return b, invalidValue(strconv.Itoa(len(b.Items)) + " elements in a block of " + strconv.Itoa(n))
		}
		return b, nil
	}
	if t.Size > 0 && (n > math.MaxInt/t.Size || len(b.Data) != n*t.Size) {
		return b, invalidValue(strconv.Itoa(len(b.Data)) + " bytes in a block of " + strconv.Itoa(n) + " elements of " + strconv.Itoa(t.Size))
	}
	b.Size = t.Size
	return b, nil
}

// sameType reports whether elements of two types have the same memory layout and meaning.
func sameType(a, b *dtype.Type) bool {
	switch {
	case a == b:
		return true
	case a == nil || b == nil:
		return false
	case a.Kind != b.Kind || a.Size != b.Size || a.Bits != b.Bits || a.Unit != b.Unit || a.Scale != b.Scale:
		return false
	case a.Kind == dtype.MiniFloat && a.Name != b.Name:
		return false
	}
	return slices.Equal(a.Shape, b.Shape) && sameType(a.Elem, b.Elem) && slices.EqualFunc(a.Fields, b.Fields, func(f, g dtype.Field) bool {
		return f.Name == g.Name && f.Offset == g.Offset && sameType(f.Type, g.Type)
	})
}

// listOf converts a Go slice to a block of one dimension. It reports false for other values.
func listOf(v any, t *dtype.Type) (block ndarray.Block, ok bool, err error) {
	var n, size int
	var kinds []dtype.Kind
	var name string
	var put func(dst []byte)
	number := func(count, bytes int, of string, k ...dtype.Kind) { n, size, name, kinds = count, bytes, of, k }
	switch v := v.(type) {
	case []bool:
		number(len(v), 1, "bool", dtype.Bool)
		put = func(dst []byte) {
			for i, b := range v {
				if b {
					dst[i] = 1
				}
			}
		}
	case []int8:
		number(len(v), 1, "int8", dtype.Int)
		put = integers(v, 1)
	case []int16:
		number(len(v), 2, "int16", dtype.Int)
		put = integers(v, 2)
	case []int32:
		number(len(v), 4, "int32", dtype.Int)
		put = integers(v, 4)
	case []int64:
		number(len(v), 8, "int64", dtype.Int, dtype.DateTime, dtype.TimeDelta)
		put = integers(v, 8)
	case []int:
		number(len(v), 8, "int64", dtype.Int, dtype.DateTime, dtype.TimeDelta)
		put = integers(v, 8)
	case []uint8:
		number(len(v), 1, "uint8", dtype.Uint)
		put = func(dst []byte) { copy(dst, v) }
	case []uint16:
		number(len(v), 2, "uint16", dtype.Uint)
		put = integers(v, 2)
	case []uint32:
		number(len(v), 4, "uint32", dtype.Uint)
		put = integers(v, 4)
	case []uint64:
		number(len(v), 8, "uint64", dtype.Uint)
		put = integers(v, 8)
	case []float32:
		number(len(v), 4, "float32", dtype.Float)
		put = func(dst []byte) {
			for i, x := range v {
				putInteger(dst[4*i:], uint64(math.Float32bits(x)), 4)
			}
		}
	case []float64:
		number(len(v), 8, "float64", dtype.Float)
		put = func(dst []byte) {
			for i, x := range v {
				putInteger(dst[8*i:], math.Float64bits(x), 8)
			}
		}
	case []complex64:
		number(len(v), 8, "complex64", dtype.Complex)
		put = func(dst []byte) {
			for i, x := range v {
				putInteger(dst[8*i:], uint64(math.Float32bits(real(x))), 4)
				putInteger(dst[8*i+4:], uint64(math.Float32bits(imag(x))), 4)
			}
		}
	case []complex128:
		number(len(v), 16, "complex128", dtype.Complex)
		put = func(dst []byte) {
			for i, x := range v {
				putInteger(dst[16*i:], math.Float64bits(real(x)), 8)
				putInteger(dst[16*i+8:], math.Float64bits(imag(x)), 8)
			}
		}
	case []string:
		return elementsOf(v, t)
	case [][]byte:
		return elementsOf(v, t)
	case []any:
		return elementsOf(v, t)
	default:
		return block, false, nil
	}
	if _, bytes := v.([]byte); bytes && t.Kind != dtype.Uint {
		return block, false, nil // one element
	}
	if !slices.Contains(kinds, t.Kind) || size != t.Size || t.Bits != 0 {
		return block, true, invalidValue("elements of " + name + " for " + t.Name)
	}
	block = ndarray.Block{Shape: []int{n}, Size: size, Data: make([]byte, n*size)}
	put(block.Data)
	return block, true, nil
}

type integer interface {
	int8 | int16 | int32 | int64 | int | uint16 | uint32 | uint64
}

func integers[T integer](list []T, size int) func(dst []byte) {
	return func(dst []byte) {
		for i, n := range list {
			putInteger(dst[i*size:], uint64(n), size)
		}
	}
}

// putInteger writes the low bytes of a number, little-endian.
func putInteger(dst []byte, n uint64, size int) {
	for i := range size {
		dst[i] = byte(n >> (8 * i))
	}
}

// elementsOf converts a list to a block, element by element.
func elementsOf[T any](list []T, t *dtype.Type) (block ndarray.Block, ok bool, err error) {
	block = ndarray.New([]int{len(list)}, t.Size, t.Variable())
	for i, v := range list {
		element, err := elementOf(v, t)
		if err != nil {
			return block, true, err
		}
		if t.Variable() {
			block.Items[i] = element
		} else {
			copy(block.Data[i*t.Size:], element)
		}
	}
	return block, true, nil
}

// elementOf converts a Go value to one element. The value is a number of the type, a bool, a
// string, bytes, or a map of a struct's fields. A missing element is nil, if the type has one.
func elementOf(v any, t *dtype.Type) ([]byte, error) {
	switch v := v.(type) {
	case nil:
		if t.Kind == dtype.Optional || t.Kind == dtype.Object {
			return t.Zero(), nil
		}
	case []byte:
		return bytesElement(v, t)
	case string:
		if element, ok, err := textElement(v, t); ok || err != nil {
			return element, err
		}
	case complex64:
		return elementOf(complex128(v), t)
	case complex128:
		if t.Kind == dtype.Complex {
			re, err := elementOf(real(v), t.Elem)
			if err != nil {
				return nil, err
			}
			im, err := elementOf(imag(v), t.Elem)
			return append(re, im...), err
		}
	case float32:
		return elementOf(float64(v), t)
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return notFinite(v, t)
		}
	case map[string]any:
		if t.Kind == dtype.Struct {
			return structElement(v, t)
		}
	case bool:
		if t.Kind != dtype.Bool && t.Kind != dtype.Object && t.Kind != dtype.Optional {
			return nil, invalidValue("a bool for " + t.Name)
		}
	}
	j, err := json.Of(v)
	if err != nil {
		return nil, invalidValue(err.Error() + " for " + t.Name)
	}
	if t.Kind == dtype.Object {
		return j.Raw(), nil
	}
	if t.Kind == dtype.Bool && j.Kind() != json.Bool || t.Kind != dtype.Optional && j.IsNull() {
		return nil, invalidValue(string(j.Raw()) + " for " + t.Name)
	}
	element, err := t.FillV3(j)
	if err != nil {
		return nil, &InvalidValueError{Err: err}
	}
	return element, nil
}

// notFinite makes an element of NaN or an infinity.
func notFinite(v float64, t *dtype.Type) ([]byte, error) {
	text := "NaN"
	switch {
	case math.IsInf(v, 1):
		text = "Infinity"
	case math.IsInf(v, -1):
		text = "-Infinity"
	}
	if k := t.Kind; k != dtype.Float && k != dtype.MiniFloat && k != dtype.Complex {
		return nil, invalidValue(text + " for " + t.Name)
	}
	element, err := t.FillV3(json.Text(text))
	if err != nil {
		return nil, &InvalidValueError{Err: err}
	}
	return element, nil
}

// bytesElement converts bytes to an element. They are the contents of a bytes type or of a
// variable-length one, or else the packed little-endian form.
func bytesElement(v []byte, t *dtype.Type) ([]byte, error) {
	switch {
	case t.Variable():
		if t.Kind == dtype.String && !utf8.Valid(v) {
			return nil, invalidValue("bytes that are not UTF-8 for " + t.Name)
		}
		if t.Kind == dtype.Ragged && len(v)%max(t.Elem.Size, 1) != 0 {
			return nil, invalidValue(strconv.Itoa(len(v)) + " bytes for " + t.Name)
		}
		return slices.Clone(v), nil
	case len(v) == t.Size || len(v) < t.Size && t.Kind == dtype.Char:
		return append(slices.Clone(v), make([]byte, t.Size-len(v))...), nil
	}
	return nil, invalidValue(strconv.Itoa(len(v)) + " bytes for an element of " + strconv.Itoa(t.Size))
}

// textElement converts a text to an element, for types that hold texts.
func textElement(v string, t *dtype.Type) (element []byte, ok bool, err error) {
	switch t.Kind {
	case dtype.String:
		if !utf8.ValidString(v) {
			return nil, true, invalidValue("a string that is not valid UTF-8")
		}
		return append([]byte{}, v...), true, nil
	case dtype.Char:
		if len(v) > t.Size {
			return nil, true, invalidValue("a string of " + strconv.Itoa(len(v)) + " bytes for " + t.Name)
		}
		return append([]byte(v), make([]byte, t.Size-len(v))...), true, nil
	case dtype.Unicode, dtype.DateTime, dtype.TimeDelta, dtype.Object, dtype.Optional:
		return nil, false, nil // in the form of metadata
	}
	return nil, false, invalidValue("a string for " + t.Name)
}

// structElement converts a map of all fields to an element of a struct.
func structElement(v map[string]any, t *dtype.Type) ([]byte, error) {
	dst := make([]byte, t.Size)
	for i := range t.Fields {
		f := &t.Fields[i]
		value, ok := v[f.Name]
		if !ok {
			return nil, invalidValue("no value of the field " + strconv.Quote(f.Name))
		}
		element, err := elementOf(value, f.Type)
		if err != nil {
			return nil, err
		}
		copy(dst[f.Offset:], element)
	}
	if len(v) != len(t.Fields) {
		return nil, invalidValue("values of fields that the type lacks")
	}
	return dst, nil
}
