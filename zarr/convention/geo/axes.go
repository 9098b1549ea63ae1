package geo

import (
	"fmt"
	"math"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// Axes holds the positions of y and x among an array's dimensions.
type Axes struct{ Y, X int }

// roleOfName returns the usual axis of a dimension name: 'x', 'y' or 0.
func roleOfName(name string) byte {
	switch strings.ToLower(name) {
	case "x", "lon", "longitude", "easting", "eastings":
		return 'x'
	case "y", "lat", "latitude", "northing", "northings":
		return 'y'
	}
	return 0
}

// roleOfCoordinate returns the axis that a coordinate declares by axis, standard_name or units (CF
// Conventions 4, 4.1 and 4.2).
func roleOfCoordinate(attributes json.Value) byte {
	switch textOf(attributes.Get("axis")) {
	case "x", "X":
		return 'x'
	case "y", "Y":
		return 'y'
	}
	switch textOf(attributes.Get("standard_name")) {
	case "projection_x_coordinate", "projection_x_angular_coordinate", "longitude", "grid_longitude":
		return 'x'
	case "projection_y_coordinate", "projection_y_angular_coordinate", "latitude", "grid_latitude":
		return 'y'
	}
	units := strings.ToLower(textOf(attributes.Get("units")))
	if rest, ok := strings.CutPrefix(units, "degree"); ok {
		switch strings.TrimPrefix(strings.TrimPrefix(rest, "s"), "_") {
		case "e", "east":
			return 'x'
		case "n", "north":
			return 'y'
		}
	}
	return 0
}

// axesOf finds the dimensions y and x of an array by the given names, or by the usual names of such
// dimensions. It returns nil unless both exist.
func axesOf(array *zarr.Array, dimensions *[2]string) *Axes {
	axes := Axes{-1, -1}
	for i, name := range array.DimensionNames {
		if !name.Named {
			continue
		}
		role := roleOfName(name.Text)
		if dimensions != nil {
			role = 0
			if name.Text == dimensions[0] && axes.Y < 0 {
				role = 'y'
			} else if name.Text == dimensions[1] && axes.X < 0 {
				role = 'x'
			}
		}
		switch role {
		case 'y':
			axes.Y = i
		case 'x':
			axes.X = i
		}
	}
	if axes.Y < 0 || axes.X < 0 {
		return nil
	}
	return &axes
}

// shapeAt returns the rows and columns of an array.
func shapeAt(array *zarr.Array, axes *Axes) *[2]int64 {
	return &[2]int64{array.Shape[axes.Y], array.Shape[axes.X]}
}

// regularAxis is a coordinate whose values are evenly spaced.
type regularAxis struct{ first, step float64 }

// regular reads a coordinate as an evenly spaced axis, or returns the reason that it is none. It
// applies scale_factor and add_offset (CF Conventions 8.1).
func regular(data []byte, t *dtype.Type, length int, attributes json.Value) (regularAxis, string) {
	const none = "has values that do not form an axis"
	domain := ndarray.DomainOf(t)
	switch {
	case length < 2:
		return regularAxis{}, fmt.Sprintf("has %d values, too few for a step", length)
	case domain == ndarray.DomainNone || t.Kind == dtype.DateTime || t.Kind == dtype.TimeDelta:
		return regularAxis{}, none
	}
	at := func(i int) float64 {
		return ndarray.Convert(ndarray.Load(data, i, t), domain, ndarray.DomainReal).Float()
	}
	first, last := at(0), at(length-1)
	step := (last - first) / float64(length-1)
	if !finite(step) || step == 0 {
		return regularAxis{}, none
	}
	// Values are as precise as their type. The step is the mean over the whole coordinate.
	precision := 0x1p-52
	if t.Kind == dtype.Float {
		switch t.Size {
		case 2:
			precision = 0x1p-10
		case 4:
			precision = 0x1p-23
		}
	}
	slack := math.Abs(step)*1e-3 + precision*max(math.Abs(first), math.Abs(last))
	for i := 1; i < length; i++ {
		if !(math.Abs(at(i)-(first+float64(i)*step)) <= slack) {
			return regularAxis{}, "has values that are not evenly spaced"
		}
	}
	if math.Abs(step) <= 2*precision*math.Abs(first) {
		return regularAxis{}, "has values that its type cannot distinguish"
	}
	scale, ok := number(attributes.Get("scale_factor"))
	if !ok {
		scale = 1
	}
	offset, _ := number(attributes.Get("add_offset"))
	axis := regularAxis{first*scale + offset, step * scale}
	if !finite(axis.first) || !finite(axis.step) || axis.step == 0 {
		return regularAxis{}, none
	}
	return axis, ""
}
