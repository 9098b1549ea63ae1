package grib

import (
	"strconv"

	"github.com/zarr-wasm/zarr-wasm/internal/grib"
	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/references"
)

// grid is a grid with the names of its coordinates, which are set once all messages are read.
type grid struct {
	*grib.Grid
	section     string
	suffix      string // tells it from the other grids of the file
	message     grib.Place
	field       int
	dimensions  []string
	shape       []int64
	coordinates []string
	mapping     string
}

// grid returns the grid of a field.
func (x *index) grid(f grib.Field, message grib.Place, field int) (*grid, error) {
	g := x.grids[string(f.Grid)]
	if g != nil {
		return g, nil
	}
	if len(x.grids) >= maxGrids {
		return nil, &grib.Error{Unsupported: true, Msg: "more than " + strconv.Itoa(maxGrids) + " grids in a file"}
	}
	parsed, err := grib.ParseGrid(f.Grid)
	if err != nil {
		return nil, err
	}
	g = &grid{Grid: parsed, section: string(f.Grid), message: message, field: field}
	if n := len(x.grids); n > 0 {
		g.suffix = "grid" + strconv.Itoa(n+1)
	}
	x.grids[g.section] = g
	x.gridOrder = append(x.gridOrder, g)
	return g, nil
}

func degrees(name, standard string, north bool) map[string]any {
	units := "degrees_east"
	if north {
		units = "degrees_north"
	}
	return map[string]any{"long_name": name, "standard_name": standard, "units": units}
}

// place adds the coordinates of a grid.
func (x *index) place(g *grid) error {
	lonAttributes, latAttributes := degrees("longitude", "longitude", false), degrees("latitude", "latitude", true)
	xs, ys, err := g.Axes(&x.parallels)
	if err != nil {
		return named("", err)
	}
	if g.Rows != nil {
		g.shape = []int64{g.Points}
		g.dimensions = []string{x.free("values")}
		return x.degreesOfPoints(g, latAttributes, lonAttributes)
	}
	xName, yName := "longitude", "latitude"
	switch g.Template {
	case grib.LatLon, grib.Gaussian:
	case grib.Rotated:
		xName, yName = "rlon", "rlat"
		lonAttributes, latAttributes = degrees("longitude in rotated pole grid", "grid_longitude", false), degrees("latitude in rotated pole grid", "grid_latitude", true)
		lonAttributes["units"], latAttributes["units"] = "degrees", "degrees"
	default:
		xName, yName = "x", "y"
		lonAttributes = map[string]any{"long_name": "x coordinate of projection", "standard_name": "projection_x_coordinate", "units": "m"}
		latAttributes = map[string]any{"long_name": "y coordinate of projection", "standard_name": "projection_y_coordinate", "units": "m"}
	}
	// A single row or column keeps its dimension, so that a chunk has the points of a message.
	yName, err = x.add(yName, coordinate{shape: []int64{int64(len(ys))}, kind: "<f8", data: floats(ys...), attributes: latAttributes})
	if err != nil {
		return err
	}
	xName, err = x.add(xName, coordinate{shape: []int64{int64(len(xs))}, kind: "<f8", data: floats(xs...), attributes: lonAttributes})
	if err != nil {
		return err
	}
	g.dimensions, g.shape = []string{yName, xName}, []int64{g.Ny, g.Nx}
	if g.Template == grib.LatLon || g.Template == grib.Gaussian {
		return nil
	}
	g.mapping = x.free("grid_mapping")
	chunks, err := x.to.Array(g.mapping, references.Array{Shape: []int64{}, Chunks: []int64{}, Type: "<i4", Attributes: g.mappingAttributes(), Dimensions: []string{}})
	if err != nil {
		return err
	}
	if err := chunks.Inline(nil, make([]byte, 4)); err != nil {
		return err
	}
	return x.degreesOfPoints(g, degrees("latitude", "latitude", true), degrees("longitude", "longitude", false))
}

// free returns a name that no coordinate has, and takes it.
func (x *index) free(base string) string {
	name := base
	for n := 1; x.names[name]; n++ {
		name = base + strconv.Itoa(n)
	}
	x.names[name] = true
	return name
}

// degreesOfPoints adds latitude and longitude of each point: the codec reads them from a message.
func (x *index) degreesOfPoints(g *grid, lat, lon map[string]any) error {
	for _, c := range []struct {
		name       string
		attributes map[string]any
	}{{"latitude", lat}, {"longitude", lon}} {
		a := references.Array{
			Type: "<f8", Fill: "NaN", Shape: g.shape, Chunks: g.shape, Attributes: c.attributes, Dimensions: g.dimensions,
			Filters: []references.Codec{{"id": "grib", "var": c.name, "dtype": "float64"}},
		}
		if g.Columns {
			a.Order = "F"
		}
		if g.field > 0 {
			a.Filters[0]["field"] = int64(g.field)
		}
		name := x.free(c.name)
		chunks, err := x.to.Array(name, a)
		if err != nil {
			return err
		}
		if err := chunks.Range(make([]int64, len(g.shape)), g.message.Offset, g.message.Length); err != nil {
			return err
		}
		g.coordinates = append(g.coordinates, name)
	}
	return nil
}

// mappingAttributes returns the attributes of CF's appendix F.
func (g *grid) mappingAttributes() map[string]any {
	a := map[string]any{}
	if g.Major > 0 {
		if g.Major == g.Minor {
			a["earth_radius"] = g.Major
		} else {
			a["semi_major_axis"], a["semi_minor_axis"] = g.Major, g.Minor
		}
	}
	switch g.Template {
	case grib.Rotated:
		a["grid_mapping_name"] = "rotated_latitude_longitude"
		a["grid_north_pole_latitude"] = -g.SouthLat
		lon := g.SouthLon + 180
		if lon > 180 {
			lon -= 360
		}
		a["grid_north_pole_longitude"] = lon
		a["north_pole_grid_longitude"] = -g.Angle
	case grib.Mercator:
		a["grid_mapping_name"] = "mercator"
		a["standard_parallel"], a["longitude_of_projection_origin"] = g.LaD, g.Lo1
	case grib.Polar:
		a["grid_mapping_name"] = "polar_stereographic"
		origin := 90.0
		if g.South {
			origin = -90
		}
		a["latitude_of_projection_origin"], a["straight_vertical_longitude_from_pole"], a["standard_parallel"] = origin, g.LoV, g.LaD
	case grib.Lambert:
		a["grid_mapping_name"] = "lambert_conformal_conic"
		a["standard_parallel"] = []any{g.Latin1, g.Latin2}
		a["longitude_of_central_meridian"], a["latitude_of_projection_origin"] = g.LoV, g.LaD
	}
	if g.Template != grib.Rotated {
		a["false_easting"], a["false_northing"] = 0.0, 0.0
	}
	return a
}
