package grib

import (
	"math"
	"strconv"
)

// The templates of section 3 that are read.
const (
	LatLon   = 0
	Rotated  = 1
	Mercator = 10
	Polar    = 20
	Lambert  = 30
	Gaussian = 40
)

// Flags of the scanning mode.
const (
	scanWest      = 0x80 // points run to the west
	scanNorth     = 0x40 // rows run to the north
	scanColumns   = 0x20 // consecutive points are a column
	scanAlternate = 0x10 // each second row runs backwards
)

// maxAxis limits the points of an axis. maxParallels limits the rows of a Gaussian grid between a
// pole and the equator. The time for their latitudes grows with the square of the number. The sum
// of these squares in a file is at most maxParallelWork: about a second.
const (
	maxAxis         = 1 << 20
	maxParallels    = 1 << 12
	maxParallelWork = 2 * maxParallels * maxParallels
)

// Grid is the definition of a grid. Angles are in degrees, lengths in metres.
type Grid struct {
	Template int
	// Points is the number of points. Nx and Ny are the lengths of the axes. Nx is 0 in a reduced
	// grid, whose rows have the lengths Rows.
	Points, Nx, Ny int64
	Rows           []int64
	// Columns reports that consecutive points are a column.
	Columns bool
	// Alternate reports that each second row, or column, runs backwards.
	Alternate bool
	// Major and Minor are the radii of the Earth.
	Major, Minor float64
	// La1 to Lo2 are the first and the last point.
	La1, Lo1, La2, Lo2 float64
	// Dx and Dy are the signed steps along the axes of a grid that is no Gaussian one.
	Dx, Dy float64
	// SouthLat and SouthLon are the southern pole of a rotated grid, and Angle its rotation.
	SouthLat, SouthLon, Angle float64
	// LaD is the latitude of true scale, and LoV the meridian along the y axis.
	LaD, LoV, Latin1, Latin2 float64
	// South reports that the plane of a projection is at the southern pole.
	South bool

	parallels int64
	scan      byte
}

// ParseGrid reads section 3.
func ParseGrid(b []byte) (*Grid, error) {
	template := int(Uint(b, 13, 14))
	least, scanAt := 0, 0
	switch template {
	case LatLon, Gaussian:
		least, scanAt = 72, 72
	case Rotated:
		least, scanAt = 84, 72
	case Mercator:
		least, scanAt = 72, 60
	case Polar:
		least, scanAt = 65, 65
	case Lambert:
		least, scanAt = 81, 65
	}
	switch {
	case least == 0 || Uint(b, 6, 6) != 0:
		return nil, unsupported("the grid template " + strconv.Itoa(template))
	case len(b) < least:
		return nil, damaged("section 3 is too short for its template")
	}
	g := &Grid{Template: template, Points: int64(Uint(b, 7, 10)), scan: b[scanAt-1]}
	g.Columns, g.Alternate = g.scan&scanColumns != 0, g.scan&scanAlternate != 0
	if g.scan&0x0f != 0 {
		return nil, unsupported("a scanning mode with offsets of rows")
	}
	if err := g.earth(b); err != nil {
		return nil, err
	}
	if err := g.size(b, least); err != nil {
		return nil, err
	}
	switch template {
	case LatLon, Rotated, Gaussian:
		g.angles(b)
	case Mercator:
		g.LaD, g.LoV = micro(b, 48), 0
		g.La1, g.Lo1, g.La2, g.Lo2 = micro(b, 39), micro(b, 43), micro(b, 52), micro(b, 56)
		if Uint(b, 61, 64) != 0 {
			return nil, unsupported("a Mercator grid that is rotated")
		}
		g.steps(milli(b, 65), milli(b, 69))
	case Polar, Lambert:
		g.La1, g.Lo1, g.LaD, g.LoV = micro(b, 39), micro(b, 43), micro(b, 48), micro(b, 52)
		g.South = b[63]&0x80 != 0
		g.steps(milli(b, 56), milli(b, 60))
		if template == Lambert {
			g.Latin1, g.Latin2 = micro(b, 66), micro(b, 70)
		}
	}
	for _, lat := range []float64{g.La1, g.La2, g.LaD, g.Latin1, g.Latin2, g.SouthLat} {
		if math.Abs(lat) > 90.001 {
			return nil, damaged("a latitude beyond the poles")
		}
	}
	return g, nil
}

func micro(b []byte, first int) float64 { return float64(Int(b, first, first+3)) / 1e6 }
func milli(b []byte, first int) float64 { return float64(Uint(b, first, first+3)) / 1e3 }

// steps sets the signed steps.
func (g *Grid) steps(dx, dy float64) {
	if g.scan&scanWest != 0 {
		dx = -dx
	}
	if g.scan&scanNorth == 0 {
		dy = -dy
	}
	g.Dx, g.Dy = dx, dy
}

// earth sets the radii of the Earth from code table 3.2.
func (g *Grid) earth(b []byte) error {
	scaled := func(at int) float64 {
		return float64(Uint(b, at+1, at+4)) * math.Pow(10, -float64(Int(b, at, at)))
	}
	switch shape := b[14]; shape {
	case 0:
		g.Major, g.Minor = 6367470, 6367470
	case 1:
		g.Major = scaled(16)
		g.Minor = g.Major
	case 2:
		g.Major, g.Minor = 6378160, 6356775
	case 3:
		g.Major, g.Minor = 1000*scaled(21), 1000*scaled(26)
	case 4:
		g.Major, g.Minor = 6378137, 6378137*(1-1/298.257222101)
	case 5:
		g.Major, g.Minor = 6378137, 6378137*(1-1/298.257223563)
	case 6:
		g.Major, g.Minor = 6371229, 6371229
	case 7:
		g.Major, g.Minor = scaled(21), scaled(26)
	case 8:
		g.Major, g.Minor = 6371200, 6371200
	case 9:
		g.Major, g.Minor = 6377563.396, 6356256.909
	default:
		return unsupported("the shape " + strconv.Itoa(int(shape)) + " of the Earth")
	}
	if !(g.Minor > 1e3 && g.Major >= g.Minor && g.Major < 1e9 && g.Major < 1.1*g.Minor) {
		if g.Template == LatLon || g.Template == Gaussian || g.Template == Rotated {
			g.Major, g.Minor = 0, 0 // nothing depends on them
			return nil
		}
		return damaged("impossible radii of the Earth")
	}
	return nil
}

// size sets the lengths of the axes.
func (g *Grid) size(b []byte, template int) error {
	width := int(b[10])
	reduced := Missing(b, 31, 34) && width > 0
	g.Nx, g.Ny = int64(Uint(b, 31, 34)), int64(Uint(b, 35, 38))
	if g.Ny < 1 || g.Ny > maxAxis || !reduced && (g.Nx < 1 || g.Nx > maxAxis) {
		return damaged("impossible lengths of a grid")
	}
	if !reduced {
		if g.Nx*g.Ny != g.Points {
			return damaged("the number of points is not the product of the grid's lengths")
		}
		return nil
	}
	g.Nx = 0
	if g.Template != LatLon && g.Template != Gaussian || g.Columns || g.Alternate {
		return unsupported("this reduced grid")
	}
	if width > 4 || int64(len(b)-template) < g.Ny*int64(width) {
		return damaged("the list of rows is too short")
	}
	total := int64(0)
	for i := range int(g.Ny) {
		n := int64(Uint(b, template+1+i*width, template+(i+1)*width))
		total += n
		g.Rows = append(g.Rows, n)
	}
	if total != g.Points {
		return damaged("the rows of a reduced grid do not have its number of points")
	}
	return nil
}

// angles sets the points of a grid in degrees.
func (g *Grid) angles(b []byte) {
	unit := 1e-6
	if basic, parts := Uint(b, 39, 42), Uint(b, 43, 46); basic != 0 && !Missing(b, 39, 42) && parts != 0 && !Missing(b, 43, 46) {
		unit = float64(basic) / float64(parts)
	}
	angle := func(v int64) float64 {
		if unit == 1e-6 {
			return float64(v) / 1e6
		}
		return float64(v) * unit
	}
	g.La1, g.Lo1 = angle(Int(b, 47, 50)), angle(Int(b, 51, 54))
	g.La2, g.Lo2 = angle(Int(b, 56, 59)), angle(Int(b, 60, 63))
	east := g.Lo2 - g.Lo1
	west := g.scan&scanWest != 0
	if west {
		east = -east
	}
	if east < 0 {
		east += 360
	}
	if g.Nx > 1 {
		g.Dx = east / float64(g.Nx-1)
		// The angles are rounded, and the increment that the grid states may be the exact one.
		if v := angle(int64(Uint(b, 64, 67))); !Missing(b, 64, 67) && math.Abs(v*float64(g.Nx-1)-east) < 2*unit {
			g.Dx = v
		}
	}
	if west {
		g.Dx = -g.Dx
	}
	if g.Template == Gaussian {
		g.parallels = int64(Uint(b, 68, 71))
		return
	}
	if g.Ny > 1 {
		g.Dy = (g.La2 - g.La1) / float64(g.Ny-1)
	}
	if g.Template == Rotated {
		g.SouthLat, g.SouthLon = micro(b, 73), micro(b, 77)
		g.Angle = float64(math.Float32frombits(uint32(Uint(b, 81, 84))))
	}
}
