// Package cf reads what the Climate and Forecast conventions write into the attributes of an array: which elements are missing,
// how numbers are packed, and what instants the numbers of a time coordinate are.
//
// # Times
//
// [ParseUnits] reads the attributes units and calendar of a time coordinate (CF 4.4), and [Units] turns its numbers into dates
// and back: integers exactly, floating-point numbers to the nearest microsecond, half to even.
//
//	units, err := cf.ParseUnits("hours since 1970-01-01", "standard")
//	date, err := units.Date(438300.5)  // 2020-01-01T12:30:00
//	value, err := units.Value(date)    // 438300.5
//
// A [Date] is a date of its [Calendar]; [ParsePartial] reads one of which the end is left out, as "2020-07".
//
// # Decoding
//
// [NewDecoder] reads the other attributes of a variable, and [Decoder.Decode] applies them to its elements as xarray does
// (_FillValue, missing_value, scale_factor, add_offset, _Unsigned, and valid_min, valid_max and valid_range where asked to),
// and says how many elements it masked. [Decoder.Problems] tells what of the attributes was not applied, and why.
package cf

import (
	"strings"
	"unicode/utf8"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
)

// Error says that an attribute is not what the conventions define, or that a number has no date.
type Error struct {
	// Attribute is the name of the attribute, "" for a value.
	Attribute string
	// Unsupported is true where the attribute may be right, but asks for what this package cannot do.
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

// escapes are those that JSON has a short form of.
func escapes() *strings.Replacer {
	return strings.NewReplacer(`\\`, `\\`, `\u0008`, `\b`, `\u0009`, `\t`, `\u000a`, `\n`, `\u000c`, `\f`, `\u000d`, `\r`)
}

// quote shows a text that may be hostile: as JSON, and not all of a long one.
func quote(s string) string {
	const most = 60
	if runes := []rune(s[:min(len(s), most*utf8.UTFMax+utf8.UTFMax)]); len(runes) > most {
		s = string(runes[:most]) + "..."
	}
	return escapes().Replace(string(json.AppendString(nil, s)))
}
