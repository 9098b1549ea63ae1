// Package geo reads where the pixels of arrays lie in the world: GeoZarr and the zarr conventions registry (spatial:,
// proj:, multiscales), CF grid mappings, GDAL's GeoTransform, and ndpyramid.
//
//	found, err := geo.ReadGeoreference(ctx, array)
//	x, y, err := found.PixelToWorld(row, col)
//
// [ReadGeoreference] says it of an array or a group, [OpenPyramid] of the levels of a pyramid. What an attribute states
// wrongly is not used, and is among the Problems of the result. Nothing is reprojected, but between longitude and
// latitude and Web Mercator ([LonLatToWebMercator]).
package geo

import "strconv"

// Problem is what a statement of the metadata has wrong, or leaves out.
type Problem struct {
	// Path is the path of the node that it is about.
	Path string
	// Attribute is the attribute that it is about; "" where it is about the node.
	Attribute string
	// Message says what is wrong.
	Message string
}

// Statement is where a fact was stated.
type Statement struct {
	// Path is the path of the node that states it.
	Path string
	// Attribute is the attribute that states it; "" where the node's values do, as those of a coordinate do.
	Attribute string
}

// Fact names a fact of a georeference.
type Fact string

// The facts.
const (
	FactTransform    Fact = "transform"
	FactBBox         Fact = "bbox"
	FactShape        Fact = "shape"
	FactDimensions   Fact = "dimensions"
	FactRegistration Fact = "registration"
	FactCRS          Fact = "crs"
	FactGridMapping  Fact = "gridMapping"
)

// Error says that the metadata lacks what is asked for, or states it wrongly.
type Error struct {
	// Path is the path of the node; "" for the root, and where no node is known.
	Path string
	// Attribute is the attribute; "" where there is none.
	Attribute string
	Msg       string
}

func (e *Error) Error() string {
	at := ""
	if e.Attribute != "" {
		at = strconv.Quote(e.Attribute) + " of "
	}
	return at + strconv.Quote("/"+e.Path) + ": " + e.Msg
}

// ArgumentError says that a function was given what makes no sense, or what it has no answer for.
type ArgumentError struct {
	Func, Msg string
}

func (e *ArgumentError) Error() string { return e.Func + ": " + e.Msg }
