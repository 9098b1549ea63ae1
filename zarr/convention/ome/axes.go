package ome

import (
	"slices"
	"strconv"
	"strings"
)

// Axis is a dimension of an image (section "axes"). Axes have the order of the array's dimensions.
type Axis struct {
	// Name is its name, such as "x".
	Name string
	// Type is "space", "time", "channel", a custom type, or "". Before 0.4 it follows from the
	// name.
	Type string
	// Unit is the unit of the physical coordinates, such as "micrometer", or "".
	Unit string
	// Discrete reports, since 0.6, whether values between indices are meaningless. It is nil when
	// unstated.
	Discrete *bool
	// LongName is, since 0.6, a longer name or description.
	LongName string
}

// CoordinateSystem is a system of coordinates, since 0.6 (section "coordinateSystems").
type CoordinateSystem struct {
	Name string
	Axes []Axis
}

// isUnit reports whether the specification lists a unit for axes of a type, space or time (section
// "axes").
func isUnit(kind, unit string) bool {
	base, others := "meter", "angstrom foot inch mile parsec yard"
	if kind == "time" {
		base, others = "second", "day hour minute"
	}
	const prefixes = "yocto zepto atto femto pico nano micro milli centi deci hecto kilo mega giga tera peta exa zetta yotta"
	prefix, metric := strings.CutSuffix(unit, base)
	return metric && (prefix == "" || slices.Contains(strings.Split(prefixes, " "), prefix)) || slices.Contains(strings.Split(others, " "), unit)
}

func axisNamed(name string) Axis {
	switch name {
	case "t":
		return Axis{Name: name, Type: "time"}
	case "c":
		return Axis{Name: name, Type: "channel"}
	}
	return Axis{Name: name, Type: "space"}
}

// axesBefore04 returns the axes of a multiscale before 0.4: those that it names, or before 0.3 the
// fixed five. It returns nil for invalid axes.
func axesBefore04(p member, v Version) []Axis {
	var axes []Axis
	if v < "0.3" {
		if p.Exists() {
			p.report(Warning, "`axes` has no meaning in "+string(v)+": the axes are t, c, z, y and x")
		}
		for _, name := range []string{"t", "c", "z", "y", "x"} {
			axes = append(axes, axisNamed(name))
		}
		return axes
	}
	good := true
	seen := map[string]bool{}
	for _, item := range p.list() {
		name := item.text()
		switch {
		case len(name) != 1 || !strings.Contains("tczyx", name):
			item.must("an axis MUST be one of t, c, z, y and x")
			good = false
		case seen[name]:
			item.must("the names of axes MUST be unique")
			good = false
		}
		seen[name] = true
		axes = append(axes, axisNamed(name))
	}
	if !good {
		return nil
	}
	return axes
}

// imageAxes returns the axes of a multiscale of 0.4 or 0.5, or of one of its coordinate systems. It
// returns nil for invalid axes.
func imageAxes(p member) []Axis {
	axes := axesOf(p)
	if axes == nil {
		return nil
	}
	if len(axes) < 2 || len(axes) > 5 {
		p.must("there MUST be 2 to 5 axes, not " + strconv.Itoa(len(axes)))
	}
	var space, time, array, other int
	var names []string
	for _, a := range axes {
		switch a.Type {
		case "space":
			space++
			names = append(names, a.Name)
		case "time":
			time++
		case "array":
			array++
			other++
		default:
			other++
		}
	}
	// A system of the array's own indices (0.6).
	if array == len(axes) {
		return axes
	}
	if space < 2 || space > 3 {
		p.must("there MUST be 2 or 3 axes of type space, not " + strconv.Itoa(space))
	}
	if time > 1 {
		p.must("there MUST be no more than one axis of type time")
	}
	if other > 1 {
		p.must("there MUST be no more than one axis of type channel or of another type")
	}
	rank := func(kind string) int {
		switch kind {
		case "time":
			return 0
		case "space":
			return 2
		}
		return 1
	}
	for i, item := range p.items() {
		if i > 0 && rank(axes[i].Type) < rank(axes[i-1].Type) {
			item.get("type").must("the axis of type time MUST come first, then that of a channel or another type, then those of space")
		}
	}
	sorted := slices.Sorted(slices.Values(names))
	if !slices.Equal(names, []string{"z", "y", "x"}) && slices.Equal(sorted, []string{"x", "y", "z"}) {
		p.should("the axes of space SHOULD be ordered z, y, x")
	}
	return axes
}

// axesOf returns axes that are objects, or nil for invalid ones.
func axesOf(p member) []Axis {
	var axes []Axis
	good := true
	seen := map[string]bool{}
	for _, item := range p.list() {
		if !item.isObject() {
			item.must("an axis MUST be an object")
			good = false
			continue
		}
		name, kind, unit := item.get("name"), item.get("type"), item.get("unit")
		discrete, longName := item.get("discrete"), item.get("longName")
		if !kind.Exists() {
			kind.should("an axis SHOULD have a `type`")
		} else if !kind.isNull() {
			kind.optional(kind.isText(), "a string")
		}
		known := kind.text() == "space" || kind.text() == "time"
		if unit.Exists() && !unit.isNull() {
			unit.optional(unit.isText(), "a string")
		} else if known {
			unit.should("an axis of type " + kind.text() + " SHOULD have a `unit`")
		}
		if known && unit.isText() && !isUnit(kind.text(), unit.text()) {
			unit.should(quote(unit.text()) + " SHOULD be a unit of UDUNITS-2 by its full name, such as micrometer or second")
		}
		discrete.optional(discrete.flag() != nil, "true or false")
		longName.optional(longName.isText(), "a string")
		axis := Axis{Name: name.needed(), Type: kind.text(), Unit: unit.text(), Discrete: discrete.flag(), LongName: longName.text()}
		good = good && axis.Name != "" && !seen[axis.Name]
		if axis.Name != "" && seen[axis.Name] {
			name.must("the names of axes MUST be unique")
		}
		seen[axis.Name] = true
		axes = append(axes, axis)
	}
	if !good {
		return nil
	}
	return axes
}

// coordinateSystems returns the coordinate systems (0.6) of a scene, or of a multiscale, whose axes
// follow the rules of images.
func coordinateSystems(p member, ofImage bool) []CoordinateSystem {
	var systems []CoordinateSystem
	seen := map[string]bool{}
	for _, item := range p.list() {
		if !item.isObject() {
			item.must("a coordinate system MUST be an object")
			continue
		}
		name := item.get("name").needed()
		read := axesOf
		if ofImage {
			read = imageAxes
		}
		axes := read(item.get("axes"))
		switch {
		case name == "":
			continue
		case seen[name]:
			item.get("name").must("the names of coordinate systems MUST be unique")
		case axes != nil:
			systems = append(systems, CoordinateSystem{name, axes})
		}
		seen[name] = true
	}
	return systems
}
