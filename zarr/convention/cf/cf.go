// Package cf reads the attributes of the Climate and Forecast conventions: missing values, packed
// numbers, and the dates of time coordinates.
//
// # Times
//
// [ParseUnits] reads the attributes units and calendar of a time coordinate (CF 4.4). [Units]
// converts numbers to dates and back: integers exactly, floating-point numbers to the nearest
// microsecond, half to even.
//
//	units, err := cf.ParseUnits("hours since 1970-01-01", "standard")
//	date, err := units.Date(438300.5)  // 2020-01-01T12:30:00
//	value, err := units.Value(date)    // 438300.5
//
// A [Date] belongs to a [Calendar]. [ParsePartial] reads a date without its end, such as "2020-07".
//
// # Decoding
//
// [NewDecoder] reads a variable's other attributes, and [Decoder.Decode] applies them to its
// elements as xarray does. They are _FillValue, missing_value, scale_factor, add_offset and
// _Unsigned, and on request valid_min, valid_max and valid_range. Decode returns how many elements
// it masked. [Decoder.Problems] lists the attributes that were not applied, with reasons.
package cf

import (
	"strings"
	"unicode/utf8"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
)

// Error reports an attribute that violates the conventions, or a number that has no date.
type Error struct {
	// Attribute is the name of the attribute, or "" when a value is at fault.
	Attribute string
	// Unsupported is true when the attribute may be valid but this package cannot apply it.
	Unsupported bool
	Msg         string
}

func (e *Error) Error() string {
	if e.Attribute == "" {
		return e.Msg
	}
	return "attribute " + e.Attribute + ": " + e.Msg
}

func invalid(attribute, msg string) *Error { return &Error{Attribute: attribute, Msg: msg} }

// escapes returns the characters that JSON escapes in a short form.
func escapes() *strings.Replacer {
	return strings.NewReplacer(`\\`, `\\`, `\u0008`, `\b`, `\u0009`, `\t`, `\u000a`, `\n`, `\u000c`, `\f`, `\u000d`, `\r`)
}

// quote formats text from the data as a JSON string, and truncates it.
func quote(s string) string {
	const most = 60
	if runes := []rune(s[:min(len(s), most*utf8.UTFMax+utf8.UTFMax)]); len(runes) > most {
		s = string(runes[:most]) + "..."
	}
	return escapes().Replace(string(json.AppendString(nil, s)))
}
