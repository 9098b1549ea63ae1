package main

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
)

// encode returns the JSON of a value. Fields of structs have their JavaScript names. nil values,
// and values such as channels that are no data, are omitted.
func encode(v any) []byte { return appendValue(nil, reflect.ValueOf(v)) }

func appendValue(b []byte, v reflect.Value) []byte {
	if !v.IsValid() {
		return append(b, "null"...)
	}
	switch of := v.Interface().(type) {
	case json.Value:
		if !of.Exists() {
			return append(b, "null"...)
		}
		return append(b, of.Raw()...)
	case []json.Member:
		return appendMembers(b, of)
	case fmt.Stringer:
		if v.Kind() != reflect.Pointer || !v.IsNil() {
			return json.AppendString(b, of.String())
		}
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return appendValue(b, v.Elem())
	case reflect.Bool:
		return strconv.AppendBool(b, v.Bool())
	case reflect.String:
		return json.AppendString(b, v.String())
	case reflect.Float32, reflect.Float64:
		return appendFloat(b, v.Float())
	case reflect.Slice, reflect.Array:
		b = append(b, '[')
		for i := range v.Len() {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendValue(b, v.Index(i))
		}
		return append(b, ']')
	case reflect.Map:
		return appendMap(b, v)
	case reflect.Struct:
		b = append(b, '{')
		return append(appendFields(b, v), '}')
	}
	if v.CanInt() {
		return strconv.AppendInt(b, v.Int(), 10)
	}
	if v.CanUint() {
		return strconv.AppendUint(b, v.Uint(), 10)
	}
	panic("no JSON of " + v.Type().String())
}

func appendFloat(b []byte, f float64) []byte {
	switch {
	case math.IsNaN(f):
		return append(b, "NaN"...)
	case math.IsInf(f, 1):
		return append(b, "Infinity"...)
	case math.IsInf(f, -1):
		return append(b, "-Infinity"...)
	}
	return strconv.AppendFloat(b, f, 'g', -1, 64)
}

func appendMembers(b []byte, members []json.Member) []byte {
	b = append(b, '{')
	for i, m := range members {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(json.AppendString(b, m.Name), ':'), m.Value.Raw()...)
	}
	return append(b, '}')
}

func appendMap(b []byte, v reflect.Value) []byte {
	keys := v.MapKeys()
	slices.SortFunc(keys, func(x, y reflect.Value) int { return strings.Compare(x.String(), y.String()) })
	b = append(b, '{')
	for i, key := range keys {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendValue(append(json.AppendString(b, key.String()), ':'), v.MapIndex(key))
	}
	return append(b, '}')
}

// appendFields appends the fields of a struct, and of those that it embeds.
func appendFields(b []byte, v reflect.Value) []byte {
	for i := range v.NumField() {
		field, of := v.Type().Field(i), v.Field(i)
		switch {
		case !field.IsExported(), (of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice) && of.IsNil():
			continue
		case field.Anonymous:
			b = appendFields(b, of)
			continue
		case field.Name == "EPSG" && of.IsZero():
			continue
		case of.Type() == reflect.TypeFor[json.Value]() && !of.Interface().(json.Value).Exists():
			continue
		}
		if b[len(b)-1] != '{' {
			b = append(b, ',')
		}
		b = appendValue(append(json.AppendString(b, fieldName(field.Name)), ':'), of)
	}
	return b
}

// fieldName returns a field's name in JavaScript: its first word is in lower case, abbreviations
// included.
func fieldName(name string) string {
	switch name {
	case "BBox":
		return "bbox"
	case "SchemaURL":
		return "schema_url"
	case "SpecURL":
		return "spec_url"
	case "MaximumFieldCount", "StartTime", "EndTime":
		return strings.ToLower(name)
	}
	n := 0
	for n < len(name) && (name[n] < 'a' || name[n] > 'z') {
		n++
	}
	if n > 1 && n < len(name) && (name[n-1] < '0' || name[n-1] > '9') {
		n--
	}
	return strings.ToLower(name[:n]) + name[n:]
}
