package meta

import (
	"strconv"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
)

// extension is a named extension of v3 metadata: a data type, a grid, or a codec.
type extension struct {
	name   string
	config json.Value // an object, or the zero Value
	// optional is must_understand: false.
	optional bool
}

// parseExtension reads an object with a name and an optional configuration. It also reads a name
// alone, which v3.1 allows for all extension points.
func parseExtension(v json.Value, field string) (extension, error) {
	if name, ok := v.Text(); ok {
		return extension{name: plainName(name)}, nil
	}
	if v.Kind() != json.Object {
		return extension{}, fail(field, quoted(v)+" is neither a name nor an object with one")
	}
	name, ok := v.Get("name").Text()
	if !ok || name == "" {
		return extension{}, fail(field, "has no name: "+quoted(v))
	}
	e := extension{name: plainName(name)}
	if config := v.Get("configuration"); !config.IsNull() {
		if config.Kind() != json.Object {
			return e, fail(field, name+": configuration is "+quoted(config)+", not an object")
		}
		e.config = config
	}
	if must := v.Get("must_understand"); must.Exists() {
		b, ok := must.Bool()
		if !ok {
			return e, fail(field, name+": must_understand is "+quoted(must)+", not a boolean")
		}
		e.optional = !b
	}
	return e, nil
}

// understood is parseExtension for required extensions: the specification forbids must_understand:
// false for them.
func understood(v json.Value, field string) (extension, error) {
	e, err := parseExtension(v, field)
	if err == nil && e.optional {
		err = fail(field, e.name+": must_understand: false is not allowed here")
	}
	return e, err
}

// zarrsName returns the codec for an address under https://codec.zarrs.dev/, by its last part.
// zarrs once named its codecs so.
func zarrsName(tail string) string {
	switch tail {
	case "vlen", "vlen_v2", "gdeflate", "squeeze", "optional":
		return "zarrs." + tail
	case "vlen_array", "vlen_bytes", "vlen_utf8":
		return strings.ReplaceAll(tail, "_", "-")
	case "pcodec", "bz2", "zlib", "fletcher32", "zfpy":
		return "numcodecs." + tail
	}
	return tail
}

// plainName returns the short name of an extension that is named by address. Leniency: drafts and
// early writers used https://purl.org/zarr/spec/ with the extension point, the name and an optional
// version. zarrs used its own site. Other addresses are names like any other.
func plainName(name string) string {
	_, rest, ok := strings.Cut(name, "://")
	if !ok {
		return name
	}
	if tail, ok := strings.CutPrefix(rest, "purl.org/zarr/spec/"); ok {
		parts := strings.Split(tail, "/")
		if len(parts) >= 2 && parts[1] != "" {
			return parts[1]
		}
	}
	if tail, ok := strings.CutPrefix(rest, "codec.zarrs.dev/"); ok {
		if i := strings.LastIndexByte(tail, '/'); i >= 0 && i+1 < len(tail) {
			return zarrsName(tail[i+1:])
		}
	}
	return name
}

// numericStrings converts integers written as strings to numbers, in members of a codec's
// configuration that are numeric. Leniency: netCDF-C 4.9 writes all its parameters as strings
// ("elementsize": "4").
func numericStrings(config json.Value) json.Value {
	var members []json.Member
	for i, m := range config.Members() {
		text, ok := m.Value.Text()
		if !ok || !isNumericMember(m.Name) {
			continue
		}
		if _, err := strconv.ParseInt(text, 10, 64); err != nil {
			continue
		}
		n, err := json.Parse([]byte(text), json.Limits{})
		if err != nil || n.Kind() != json.Number {
			continue
		}
		if members == nil {
			members = append(members, config.Members()...)
		}
		members[i].Value = n
	}
	if members == nil {
		return config
	}
	return json.Make(members...)
}

// isNumericMember reports whether a member of that name is a number in every codec that has it.
// (shuffle may also be a word, which stays one.)
func isNumericMember(name string) bool {
	switch name {
	case "level", "clevel", "shuffle", "blocksize", "typesize", "elementsize", "acceleration",
		"preset", "format", "check", "digits", "keepbits", "initval", "mode":
		return true
	}
	return false
}
