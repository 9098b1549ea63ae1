// Package geo reads where the pixels of arrays lie in the world. It understands GeoZarr and the
// conventions spatial:, proj: and multiscales of the zarr conventions registry, CF grid mappings,
// GDAL's GeoTransform, and ndpyramid.
//
//	found, err := geo.ReadGeoreference(ctx, array)
//	x, y, err := found.PixelToWorld(row, col)
//
// [ReadGeoreference] reads the georeference of an array or a group, and [OpenPyramid] the levels of
// a pyramid. Invalid attributes are ignored and listed in the Problems of the result. The only
// reprojection is between longitude and latitude and Web Mercator ([LonLatToWebMercator]).
package geo

import "strconv"

// Problem describes an invalid or incomplete statement of the metadata.
type Problem struct {
	// Path is the path of the node.
	Path string
	// Attribute is the attribute, or "" when the problem concerns the whole node.
	Attribute string
	// Message describes the problem.
	Message string
}

// Statement is the place at which a fact was stated.
type Statement struct {
	// Path is the path of the node that states it.
	Path string
	// Attribute is the attribute that states it, or "" when values state it, such as those of a
	// coordinate.
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

// Error reports metadata that lacks the requested fact or states it wrongly.
type Error struct {
	// Path is the path of the node, or "" for the root and for an unknown node.
	Path string
	// Attribute is the attribute, or "".
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

// ArgumentError reports an invalid argument, or one that has no result.
type ArgumentError struct {
	Func, Msg string
}

func (e *ArgumentError) Error() string { return e.Func + ": " + e.Msg }
