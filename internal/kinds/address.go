package kinds

import (
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/ascii"
	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/internal/percent"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/address"
)

// Describe returns the description of the store that an address names. The underlying store is of
// the kind "file" for a path or a file URL, else "http".
func Describe(a address.Address) []byte {
	place, key := a.Place, ""
	path, file := place, a.File
	if file || strings.HasPrefix(ascii.Lower(place), "file:") {
		if !file {
			path = percent.Decode(strings.TrimPrefix(place[len("file:"):], "//"), false)
		}
		file = true
	} else if i := strings.IndexAny(place, "?#"); i >= 0 {
		path = place[:i]
	}
	var text []byte
	switch i := strings.LastIndexByte(path, '/') + 1; {
	case file && a.Object:
		text, key = describe("file", nil, "path", path[:i]), path[i:]
	case file && len(a.Layers) > 0 && a.Layers[0].Kind == "reference":
		text = beside(strings.TrimRight(path, "/"), path)
	case file:
		text = describe("file", nil, "path", path)
	case a.Object:
		text, key = describe("http", nil, "url", place), path[i:]
		text = append(text[:len(text)-2], `,"options":{"object":true}}}`...)
	default:
		text = describe("http", nil, "url", place)
	}
	for i, l := range a.Layers {
		if i == 0 && a.Object {
			l.Option, l.Value = "key", key
		}
		text = describe(l.Kind, text, l.Option, l.Value)
	}
	return text
}

// beside returns the description of a folder as a part of the one around it. Documents in the
// folder can then name files beside it. The folder itself is path if its name is no key.
func beside(folder, path string) []byte {
	i := strings.LastIndexByte(folder, '/') + 1
	if store.CheckKey(folder[i:]) != nil {
		return describe("file", nil, "path", path)
	}
	return describe("prefix", describe("file", nil, "path", folder[:i]), "path", folder[i:])
}

// describe returns the description of a store of a kind, with an underlying store and a setting.
// Either may be empty.
func describe(kind string, of []byte, option, value string) []byte {
	b := append(json.AppendString([]byte("{"), kind), ":{"...)
	if of != nil {
		b = append(append(b, `"of":`...), of...)
	}
	if option != "" {
		if of != nil {
			b = append(b, ',')
		}
		b = append(json.AppendString(b, option), ':')
		b = json.AppendString(b, value)
	}
	return append(b, "}}"...)
}
