package grib

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/zarr-wasm/zarr-wasm/internal/grib"
	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/references"
)

// identity tells variables apart.
type identity struct {
	quantity
	grid  *grid
	field int // its number in messages of several: the codec of an array has one
}

// placed is a field of a variable: its place there, and its message.
type placed struct {
	place
	message grib.Place
}

type variable struct {
	identity
	name   string
	double bool
	fields []placed
}

// levelName returns the name of the axis of levels.
func (q quantity) levelName() string {
	s := surfaceOf(q.surface)
	switch {
	case q.surface2 == none:
		return s.name
	case q.surface2 == q.surface:
		return s.name + "Layer"
	}
	other := []rune(surfaceOf(q.surface2).name)
	other[0] = unicode.ToUpper(other[0])
	return s.name + "To" + string(other)
}

// short returns the name of a variable, alone in its file. The names of temperature and wind above
// the ground have their height.
func (v *variable) short() string {
	name, suffix := v.parameter().name, ""
	const heightAboveGround = 103
	if v.surface == heightAboveGround && v.surface2 == none {
		switch name {
		case "t", "d":
			suffix = "m"
		case "u", "v", "r":
		default:
			return name
		}
		height := v.fields[0].level[0]
		for _, f := range v.fields {
			if f.level[0] != height || height == 0 {
				return name
			}
		}
		return name + strconv.FormatFloat(height, 'g', 6, 64) + suffix
	}
	return name
}

// setNames gives each variable a name of its own, as short as possible. Longer names have the type
// of level, the statistics and the kind of ensemble.
func (x *index) setNames() {
	parts := []func(v *variable) string{
		func(v *variable) string { return v.levelName() },
		func(v *variable) string { return v.stepType() },
		func(v *variable) string { return v.derived },
		func(v *variable) string { return v.grid.suffix },
		func(v *variable) string { return "field" + strconv.Itoa(v.field) },
	}
	for _, v := range x.order {
		v.name = v.short()
	}
	taken := map[string]bool{}
	for _, part := range append(parts, nil) {
		count := map[string]int{}
		for _, v := range x.order {
			count[v.name]++
		}
		for _, v := range x.order {
			if count[v.name] < 2 {
				continue
			}
			if part == nil {
				for n, base := 2, v.name; taken[v.name]; n++ {
					v.name = base + "_" + strconv.Itoa(n)
				}
				taken[v.name] = true
			} else if more := part(v); more != "" {
				v.name += "_" + more
			}
		}
	}
}

// axis is a dimension of a variable before those of the grid.
type axis[T comparable] struct {
	values []T
	index  map[T]int64
}

func axisOf[T comparable](fields []placed, of func(placed) T, order func(a, b T) int) axis[T] {
	seen := map[T]int64{}
	for _, f := range fields {
		seen[of(f)] = 0
	}
	a := axis[T]{slices.SortedFunc(maps.Keys(seen), order), seen}
	for i, v := range a.values {
		seen[v] = int64(i)
	}
	return a
}

// variable adds the array of a variable.
func (x *index) variable(v *variable) error {
	s := surfaceOf(v.surface)
	number := axisOf(v.fields, func(f placed) int64 { return f.member }, cmp.Compare)
	time := axisOf(v.fields, func(f placed) int64 { return f.time }, cmp.Compare)
	step := axisOf(v.fields, func(f placed) float64 { return f.step }, cmp.Compare)
	level := axisOf(v.fields, func(f placed) [2]float64 { return f.level }, func(a, b [2]float64) int {
		if s.down {
			a, b = b, a
		}
		return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]))
	})
	lengths := []int{len(number.values), len(time.values), len(step.values), len(level.values)}
	places := 1
	for _, n := range lengths {
		if places *= n; places > maxPlaces {
			return unsupported(v.name, "an array of more than "+strconv.Itoa(maxPlaces)+" places for messages")
		}
	}
	names, err := x.axes(v, s, number.values, time.values, step.values, level.values)
	if err != nil {
		return err
	}
	a := references.Array{Type: "<f4", Fill: "NaN", Attributes: v.attributes()}
	kind := "float32"
	if v.double {
		a.Type, kind = "<f8", "float64"
	}
	var coordinates []string
	for i, n := range lengths {
		switch {
		case names[i] == "":
		case n == 1:
			coordinates = append(coordinates, names[i])
		default:
			a.Dimensions, a.Shape, a.Chunks = append(a.Dimensions, names[i]), append(a.Shape, int64(n)), append(a.Chunks, 1)
		}
	}
	if last := names[len(lengths)]; last != "" {
		coordinates = append(coordinates, last)
	}
	coordinates = append(coordinates, v.grid.coordinates...)
	a.Dimensions = append(a.Dimensions, v.grid.dimensions...)
	a.Shape, a.Chunks = append(a.Shape, v.grid.shape...), append(a.Chunks, v.grid.shape...)
	if v.grid.Columns {
		a.Order = "F"
	}
	a.Attributes["coordinates"] = strings.Join(coordinates, " ")
	if v.grid.mapping != "" {
		a.Attributes["grid_mapping"] = v.grid.mapping
	}
	codec := references.Codec{"id": "grib", "var": v.name, "dtype": kind}
	if v.field > 0 {
		codec["field"] = int64(v.field)
	}
	a.Filters = []references.Codec{codec}
	chunks, err := x.to.Array(v.name, a)
	if err != nil {
		return err
	}
	seen := map[place]bool{}
	for _, f := range v.fields {
		if seen[f.place] {
			if err := x.to.Skip(v.name, unsupported(v.name, "a second field at the same place")); err != nil {
				return err
			}
			continue
		}
		seen[f.place] = true
		var at []int64
		for i, k := range []int64{number.index[f.member], time.index[f.time], step.index[f.step], level.index[f.level]} {
			if lengths[i] > 1 {
				at = append(at, k)
			}
		}
		for range v.grid.shape {
			at = append(at, 0)
		}
		if err := chunks.Range(at, f.message.Offset, f.message.Length); err != nil {
			return err
		}
	}
	return nil
}

// attributes returns those of a variable that do not depend on its coordinates.
func (v *variable) attributes() map[string]any {
	p := v.parameter()
	a := map[string]any{
		"long_name": p.long, "GRIB_shortName": p.name, "GRIB_typeOfLevel": v.levelName(), "GRIB_stepType": v.stepType(),
		"GRIB_discipline": v.discipline, "GRIB_parameterCategory": v.category, "GRIB_parameterNumber": v.number,
	}
	if p.units != "" {
		a["units"] = p.units
	}
	if p.standard != "" && v.derived == "" {
		a["standard_name"] = p.standard
	}
	if method, ok := methods[v.process]; ok {
		a["cell_methods"] = "step: " + method
	}
	if v.derived != "" {
		a["GRIB_derived"] = v.derived
		if strings.HasPrefix(v.derived, "probability") {
			a["units"] = "1"
		}
	}
	return a
}
