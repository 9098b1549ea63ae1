package geo

import (
	"slices"
	"strconv"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
)

// GridMappingReference is an entry of a grid_mapping attribute.
type GridMappingReference struct {
	// Variable is the grid mapping variable.
	Variable string
	// Coordinates names its coordinates, in the extended form.
	Coordinates []string
}

// GridMapping is the grid mapping of an array (CF Conventions 5.6 and appendix F).
type GridMapping struct {
	GridMappingReference
	// Name is the grid_mapping_name.
	Name string
	// Parameters holds all attributes of the variable except WKT and GDAL's, as written.
	Parameters []json.Member
}

// ParseGridMapping parses a grid_mapping attribute: a name, or the extended form "crs: x y crs84:
// lat lon" (CF Conventions 5.6). It returns false for other texts.
func ParseGridMapping(attribute string) ([]GridMappingReference, bool) {
	words := strings.Fields(attribute)
	if len(words) == 1 && !strings.HasSuffix(words[0], ":") {
		return []GridMappingReference{{Variable: words[0]}}, true
	}
	var found []GridMappingReference
	for _, word := range words {
		name, ends := strings.CutSuffix(word, ":")
		switch last := len(found) - 1; {
		case ends && name != "":
			found = append(found, GridMappingReference{Variable: name})
		case last < 0 || strings.Contains(word, ":"):
			return nil, false
		default:
			found[last].Coordinates = append(found[last].Coordinates, word)
		}
	}
	bare := func(r GridMappingReference) bool { return len(r.Coordinates) == 0 }
	return found, len(found) > 0 && !slices.ContainsFunc(found, bare)
}

// ParseGeoTransform parses GDAL's GeoTransform: six numbers in GDAL's order, as a text or a list.
// It returns false for other values and for transforms without an inverse.
func ParseGeoTransform(v json.Value) (Affine, bool) {
	var words []string
	if text, ok := v.Text(); ok {
		words = strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(", \t\r\n", r) })
	}
	for _, item := range v.Items() {
		word, ok := item.Text()
		if !ok {
			word, _ = item.Number()
		}
		words = append(words, word)
	}
	var six [6]float64
	if len(words) != len(six) {
		return Affine{}, false
	}
	for i, word := range words {
		// Hexadecimal numbers, NaN and the infinities are refused.
		if strings.Trim(word, "0123456789.eE+-") != "" {
			return Affine{}, false
		}
		f, err := strconv.ParseFloat(word, 64)
		if err != nil || !finite(f) {
			return Affine{}, false
		}
		six[i] = f
	}
	m := AffineFromGDAL(six)
	return m, m.IsInvertible()
}

// gridMappingOf reads a grid mapping from a variable's attributes.
func gridMappingOf(r GridMappingReference, attributes json.Value) *GridMapping {
	m := &GridMapping{GridMappingReference: r, Name: textOf(attributes.Get("grid_mapping_name"))}
	for _, a := range attributes.Members() {
		switch a.Name {
		case "_ARRAY_DIMENSIONS", "crs_wkt", "spatial_ref", "GeoTransform", "zarr_conventions":
		default:
			m.Parameters = append(m.Parameters, a)
		}
	}
	return m
}
