package meta

import (
	"strconv"

	"github.com/zarr-wasm/zarr-wasm/internal/errtype"
	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
)

// fail returns the error for an invalid member of the current document. [named] adds the document's
// name.
func fail(field, msg string) *Error { return &Error{Field: field, Msg: msg} }

// unsupported returns the error for a member that requires an unknown feature.
func unsupported(field, msg string) *Error {
	return &Error{Field: field, Msg: msg, Unsupported: true}
}

// named adds the document's name to an error that has none.
func named(err error, doc string) error {
	var e *Error
	if errtype.As(err, &e) && e.Document == "" {
		e.Document = doc
	}
	return err
}

// typeError converts the error of a data type or fill value to one of metadata.
func typeError(field string, err error) *Error {
	e := &Error{Field: field, Err: err}
	var de *dtype.Error
	if errtype.As(err, &de) {
		e.Unsupported = de.Unsupported
	}
	return e
}

// required returns the member, or an error if it is absent.
func required(doc json.Value, field string) (json.Value, error) {
	v := doc.Get(field)
	if !v.Exists() {
		return v, fail(field, "is missing")
	}
	return v, nil
}

// quoted returns a value for error messages: its source, truncated if it is long.
func quoted(v json.Value) string {
	const most = 60
	raw := v.Raw()
	if len(raw) > most {
		return string(raw[:most]) + "..."
	}
	return string(raw)
}

func checkFormat(doc json.Value, format int64) error {
	v, err := required(doc, "zarr_format")
	if err != nil {
		return err
	}
	if n, ok := v.Int64(); !ok || n != format {
		return fail("zarr_format", "is "+quoted(v)+", not "+strconv.FormatInt(format, 10))
	}
	return nil
}

// maxItems is the largest length of a list whose items are all parsed.
const maxItems = 4096

// itemsOf returns the items of a list. It makes none for a list that is too long.
func itemsOf(v json.Value, field, of string) ([]json.Value, error) {
	if v.Kind() != json.Array {
		return nil, fail(field, "is "+quoted(v)+", not a list"+of)
	}
	if v.Len() > maxItems {
		return nil, &Error{Field: field, Err: &json.LimitError{Limit: "items", Max: maxItems}}
	}
	return v.Items(), nil
}

// integers reads a list of integers that are at least least.
func integers(v json.Value, field string, least int64) ([]int64, error) {
	items, err := itemsOf(v, field, " of integers")
	if err != nil {
		return nil, err
	}
	list := make([]int64, len(items))
	for i, item := range items {
		n, ok := item.Int64()
		if !ok || n < least {
			return nil, fail(field, "item "+strconv.Itoa(i)+" is "+quoted(item)+", not an integer of at least "+strconv.FormatInt(least, 10))
		}
		list[i] = n
	}
	return list, nil
}

// shapeOf reads the shape, which determines the rank.
func shapeOf(doc json.Value, opt Options) ([]int64, error) {
	v, err := required(doc, "shape")
	if err != nil {
		return nil, err
	}
	if v.Kind() == json.Array && v.Len() > opt.rank() {
		return nil, &Error{Field: "shape", Err: &json.LimitError{Limit: "dimensions", Max: opt.rank()}}
	}
	return integers(v, "shape", 0)
}

// attributes returns the object of attributes. Leniency: null means none, as readers of zarr.json
// and .zattrs agree.
func attributes(v json.Value, field string) (json.Value, error) {
	switch {
	case v.IsNull():
		return json.EmptyObject(), nil
	case v.Kind() != json.Object:
		return json.Value{}, fail(field, "attributes are a JSON "+v.Kind().String()+", not an object")
	}
	return v, nil
}

// xarrayNames returns the names of dimensions that xarray keeps in attributes if metadata has no
// place for them. Anyone may write that attribute, so a value that does not fit the array is not an
// error and yields no names.
func xarrayNames(attrs json.Value, rank int) []DimensionName {
	v := attrs.Peek("_ARRAY_DIMENSIONS")
	if v.Kind() != json.Array || v.Len() != rank {
		return nil
	}
	names := make([]DimensionName, rank)
	for i, item := range v.Items() {
		name, ok := item.Text()
		if !ok && !item.IsNull() {
			return nil
		}
		names[i] = DimensionName{name, ok}
	}
	return names
}
