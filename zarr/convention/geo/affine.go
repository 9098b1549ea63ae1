package geo

import (
	"fmt"
	"math"
)

// Affine holds the coefficients a, b, c, d, e, f of x = a·col + b·row + c, y = d·col + e·row + f.
// The order is that of spatial:transform and rasterio's Affine. GDAL uses another: see
// [AffineFromGDAL].
type Affine [6]float64

// Bounds is a box in world coordinates, edges included: xmin, ymin, xmax, ymax, as in spatial:bbox.
type Bounds [4]float64

// AffineFromGDAL converts GDAL's GeoTransform, whose order is c, a, b, f, d, e.
func AffineFromGDAL(g [6]float64) Affine { return Affine{g[1], g[2], g[0], g[4], g[5], g[3]} }

// GDAL returns the coefficients in the order of GDAL's GeoTransform: c, a, b, f, d, e.
func (m Affine) GDAL() [6]float64 { return [6]float64{m[2], m[0], m[1], m[5], m[3], m[4]} }

// Apply maps a column and row to world coordinates.
func (m Affine) Apply(col, row float64) (x, y float64) {
	return m[0]*col + m[1]*row + m[2], m[3]*col + m[4]*row + m[5]
}

// Compose returns the affine that applies inner first and m second.
func (m Affine) Compose(inner Affine) Affine {
	a, b, c, d, e, f := m[0], m[1], m[2], m[3], m[4], m[5]
	g, h, i, j, k, l := inner[0], inner[1], inner[2], inner[3], inner[4], inner[5]
	return Affine{a*g + b*j, a*h + b*k, a*i + b*l + c, d*g + e*j, d*h + e*k, d*i + e*l + f}
}

// Inverse returns the inverse affine, or an [*ArgumentError] when there is none.
func (m Affine) Inverse() (Affine, error) {
	if inverted, ok := m.inverse(); ok {
		return inverted, nil
	}
	return Affine{}, &ArgumentError{"Affine.Inverse", fmt.Sprintf("%v has no inverse: it maps the plane to a line", [6]float64(m))}
}

// IsInvertible reports whether the affine has an inverse.
func (m Affine) IsInvertible() bool {
	_, ok := m.inverse()
	return ok
}

func (m Affine) inverse() (Affine, bool) {
	a, b, c, d, e, f := m[0], m[1], m[2], m[3], m[4], m[5]
	// Dividing each row by its largest coefficient avoids underflow and overflow in the
	// determinant.
	p, q := max(math.Abs(a), math.Abs(b)), max(math.Abs(d), math.Abs(e))
	as, bs, ds, es := a/p, b/p, d/q, e/q
	determinant := as*es - bs*ds
	// The difference of two equal products is not 0 after rounding.
	if !(math.Abs(determinant) > 4*0x1p-52) {
		return Affine{}, false
	}
	g, h := es/determinant/p, -bs/determinant/q
	j, k := -ds/determinant/p, as/determinant/q
	inverted := Affine{g, h, -(g*c + h*f), j, k, -(j*c + k*f)}
	return inverted, allFinite(inverted[:])
}

// PixelSize returns the lengths of a pixel's edges in world units: along a row (x) and along a
// column (y).
func (m Affine) PixelSize() [2]float64 {
	return [2]float64{math.Hypot(m[0], m[3]), math.Hypot(m[1], m[4])}
}

// Bounds returns the smallest box that contains the mapped corners of a box of columns and rows.
func (m Affine) Bounds(left, top, right, bottom float64) Bounds {
	b := Bounds{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
	for _, corner := range [4][2]float64{{left, top}, {right, top}, {left, bottom}, {right, bottom}} {
		x, y := m.Apply(corner[0], corner[1])
		b[0], b[1], b[2], b[3] = min(b[0], x), min(b[1], y), max(b[2], x), max(b[3], y)
	}
	return b
}

func allFinite(list []float64) bool {
	for _, f := range list {
		if !finite(f) {
			return false
		}
	}
	return true
}

func finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }
