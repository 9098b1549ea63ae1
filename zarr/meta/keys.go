package meta

import (
	"strconv"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

// parseKeys reads a chunk_key_encoding. The configuration and its members are optional: each
// encoding has its own defaults.
func parseKeys(v json.Value) (grid.KeyEncoding, error) {
	const field = "chunk_key_encoding"
	e, err := understood(v, field)
	if err != nil {
		return grid.KeyEncoding{}, err
	}
	keys := grid.KeyEncoding{Name: e.name, Separator: "/"}
	switch e.name {
	case "default":
	case "v2":
		keys.Separator = "."
	case "zarrs.default_suffix":
		suffix, ok := e.config.Get("suffix").Text()
		if !ok || strings.Contains(suffix, "/") {
			return keys, fail(field, "suffix is "+quoted(e.config.Get("suffix"))+", not a string without slashes")
		}
		keys.Suffix = suffix
	default:
		return keys, unsupported(field, "unknown chunk key encoding "+strconv.Quote(e.name))
	}
	if sep := e.config.Get("separator"); !sep.IsNull() {
		s, _ := sep.Text()
		if s != "." && s != "/" {
			return keys, fail(field, `separator is `+quoted(sep)+`, not "." or "/"`)
		}
		keys.Separator = s
	}
	return keys, nil
}
