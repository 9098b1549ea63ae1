package xarray

import (
	"fmt"
	"slices"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
)

// DecodeCoords selects the variables that become coordinates, beyond those of dimensions.
type DecodeCoords uint8

// The default follows the attribute coordinates.
const (
	CoordsNamed DecodeCoords = iota
	CoordsNone               // none
	CoordsAll                // bounds, grid mappings and other variables that attributes name as well
)

// related lists the attributes that name variables.
func related() []string {
	return []string{
		"bounds", "climatology", "geometry", "node_coordinates", "node_count", "part_node_count", "interior_ring",
		"grid_mapping", "cell_measures", "formula_terms",
	}
}

// namesIn returns the variables that an attribute names: "crs", "crs: lat lon" (a grid mapping with
// its coordinates), "area: cell_area" (roles).
func namesIn(attribute string, v json.Value) []string {
	text, ok := v.Text()
	if !ok {
		return nil
	}
	words := strings.Fields(strings.ReplaceAll(text, ":", " : "))
	if attribute != "grid_mapping" && attribute != "cell_measures" && attribute != "formula_terms" {
		return strings.Fields(text)
	}
	// A colon follows each role, perhaps after a space.
	names := slices.DeleteFunc(words, func(word string) bool { return word == ":" })
	if attribute == "grid_mapping" {
		return names
	}
	var roles []string
	for i, name := range names {
		if i%2 == 1 {
			roles = append(roles, name)
		}
	}
	return roles
}

// member returns the member of that name.
func member(list []json.Member, name string) json.Value {
	for _, m := range list {
		if m.Name == name {
			return m.Value
		}
	}
	return json.Value{}
}

// move takes a member from one list to another.
func move(from, to *[]json.Member, name string) {
	for i, m := range *from {
		if m.Name == name {
			*from = slices.Delete(slices.Clone(*from), i, i+1)
			*to = append(slices.Clone(*to), m)
			return
		}
	}
}

// findCoordinates marks the variables that attributes name as coordinates, and records invalid
// attributes.
func (d *Dataset) findCoordinates(decode DecodeCoords) {
	if decode == CoordsNone {
		return
	}
	for _, name := range d.names {
		v := d.all[name]
		var found []string
		for _, one := range namesIn("coordinates", member(v.attributes, "coordinates")) {
			if d.all[one] != nil {
				found = append(found, one)
			}
		}
		if found != nil {
			move(&v.attributes, &v.encoding, "coordinates")
			d.addCoordinates(found)
		}
		if decode != CoordsAll {
			continue
		}
		for _, attribute := range related() {
			value := member(v.attributes, attribute)
			if !value.Exists() {
				continue
			}
			named := namesIn(attribute, value)
			missing := slices.DeleteFunc(slices.Clone(named), func(one string) bool { return d.all[one] != nil })
			switch {
			case len(missing) > 0:
				d.problem("the attribute %s of %s names variables that do not exist: %s", attribute, name, strings.Join(missing, ", "))
			case len(named) == 0:
				d.problem("the attribute %s of %s names no variable", attribute, name)
			default:
				move(&v.attributes, &v.encoding, attribute)
				d.addCoordinates(named)
			}
		}
	}
	if _, ok := member(d.Attributes, "coordinates").Text(); ok {
		for _, one := range namesIn("coordinates", member(d.Attributes, "coordinates")) {
			if d.all[one] != nil {
				d.addCoordinates([]string{one})
			}
		}
		move(&d.Attributes, &d.Encoding, "coordinates")
	}
}

func (d *Dataset) addCoordinates(names []string) {
	for _, name := range names {
		d.coordinates[name] = true
	}
}

func (d *Dataset) problem(format string, args ...any) {
	d.Problems = append(d.Problems, fmt.Sprintf(format, args...))
}
