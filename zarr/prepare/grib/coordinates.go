package grib

import (
	"encoding/binary"
	"math"
	"strconv"

	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/references"
)

// coordinate is an array of numbers that is inline. Several variables share one that is equal.
type coordinate struct {
	dimensions []string
	shape      []int64
	kind       string
	data       []byte
	attributes map[string]any
}

// maxCoordinates limits the coordinates of one name.
const maxCoordinates = 1 << 10

// add adds a coordinate, unless an equal one is there, and returns its name. Others of its name get
// a number. The coordinate is its own dimension if its dimensions are nil and it has a shape.
func (x *index) add(base string, c coordinate) (string, error) {
	key := base + "\x00" + c.kind + "\x00" + string(c.data)
	for _, n := range c.shape {
		key += "\x00" + strconv.FormatInt(n, 10)
	}
	for _, d := range c.dimensions {
		key += "\x00" + d
	}
	if name, ok := x.coordinates[key]; ok {
		return name, nil
	}
	name := base
	for n := 1; x.names[name]; n++ {
		if n > maxCoordinates {
			return "", &references.LimitError{What: "the number of coordinates of one name", Max: maxCoordinates}
		}
		name = base + strconv.Itoa(n)
	}
	if c.dimensions == nil && len(c.shape) == 1 {
		c.dimensions = []string{name}
	}
	if c.dimensions == nil {
		c.dimensions = []string{}
	}
	x.names[name], x.coordinates[key] = true, name
	chunks, err := x.to.Array(name, references.Array{Shape: c.shape, Chunks: c.shape, Type: c.kind, Attributes: c.attributes, Dimensions: c.dimensions})
	if err != nil {
		return "", err
	}
	return name, chunks.Inline(make([]int64, len(c.shape)), c.data)
}

// shapeOf returns the shape of an axis: one of a single value has none.
func shapeOf(n int) []int64 {
	if n == 1 {
		return []int64{}
	}
	return []int64{int64(n)}
}

func floats(list ...float64) (b []byte) {
	for _, v := range list {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return b
}

func integers(list ...int64) (b []byte) {
	for _, v := range list {
		b = binary.LittleEndian.AppendUint64(b, uint64(v))
	}
	return b
}

const sinceEpoch = "seconds since 1970-01-01T00:00:00"

// axes adds the coordinates of a variable. It returns the names of number, time, step, the level
// and the valid time; a name is empty if there is no such coordinate.
func (x *index) axes(v *variable, s surface, numbers, times []int64, steps []float64, levels [][2]float64) (names [5]string, err error) {
	if len(numbers) > 1 || numbers[0] != 0 {
		names[0], err = x.add("number", coordinate{shape: shapeOf(len(numbers)), kind: "<i8", data: integers(numbers...), attributes: map[string]any{
			"long_name": "ensemble member numerical id", "standard_name": "realization", "units": "1"}})
		if err != nil {
			return names, err
		}
	}
	names[1], err = x.add("time", coordinate{shape: shapeOf(len(times)), kind: "<i8", data: integers(times...), attributes: map[string]any{
		"long_name": "initial time of forecast", "standard_name": "forecast_reference_time", "units": sinceEpoch, "calendar": "proleptic_gregorian"}})
	if err != nil {
		return names, err
	}
	names[2], err = x.add("step", coordinate{shape: shapeOf(len(steps)), kind: "<f8", data: floats(steps...), attributes: map[string]any{
		"long_name": "time since forecast_reference_time", "standard_name": "forecast_period", "units": "hours"}})
	if err != nil {
		return names, err
	}
	valid := coordinate{shape: []int64{}, dimensions: []string{}, kind: "<i8", attributes: map[string]any{
		"long_name": "time", "standard_name": "time", "units": sinceEpoch, "calendar": "proleptic_gregorian"}}
	for i, n := range []int{len(times), len(steps)} {
		if n > 1 {
			valid.shape, valid.dimensions = append(valid.shape, int64(n)), append(valid.dimensions, names[1+i])
		}
	}
	for _, t := range times {
		for _, h := range steps {
			valid.data = append(valid.data, integers(t+int64(math.Round(h*3600)))...)
		}
	}
	if names[4], err = x.add("valid_time", valid); err != nil {
		return names, err
	}
	names[3], err = x.levels(v, s, levels)
	return names, err
}

// levels adds the coordinate of the levels. Layers have bounds.
func (x *index) levels(v *variable, s surface, levels [][2]float64) (string, error) {
	c := coordinate{shape: shapeOf(len(levels)), kind: "<f8", attributes: map[string]any{"long_name": s.long}}
	if s.units != "" {
		c.attributes["units"] = s.units
	}
	if s.positive != "" {
		c.attributes["positive"] = s.positive
	}
	base := v.levelName()
	bounds := coordinate{kind: "<f8", attributes: map[string]any{}}
	for _, l := range levels {
		// Steps of the scale's inverse round once, unlike steps of the scale.
		first, second := l[0]/(1/s.scale), l[1]/(1/s.scale)
		c.data = append(c.data, floats(first)...)
		bounds.data = append(bounds.data, floats(first, second)...)
	}
	name, err := "", error(nil)
	if v.surface2 != v.surface {
		return x.add(base, c)
	}
	// The key of a coordinate is its data: layers of one top differ in their bounds.
	c.attributes["bounds"] = base + "_bounds"
	if name, err = x.add(base, c); err != nil {
		return "", err
	}
	bounds.dimensions, bounds.shape = []string{"bounds"}, []int64{2}
	if len(levels) > 1 {
		bounds.dimensions, bounds.shape = []string{name, "bounds"}, []int64{int64(len(levels)), 2}
	}
	_, err = x.add(base+"_bounds", bounds)
	return name, err
}
