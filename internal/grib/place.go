package grib

import "math"

const radians = math.Pi / 180

// Axes returns the coordinates along x and y. They are degrees, or metres on the plane of a
// projection. Degrees of a rotated grid are rotated. A reduced grid has no x. Gaussian grids take
// their latitudes from shared.
func (g *Grid) Axes(shared *Parallels) (x, y []float64, err error) {
	x, y = make([]float64, g.Nx), make([]float64, g.Ny)
	x0, y0 := g.Lo1, g.La1
	switch g.Template {
	case Gaussian:
		err = g.gaussian(y, shared)
	case Mercator, Polar, Lambert:
		var p projection
		if p, err = g.projection(); err == nil {
			x0, y0 = p.forward(g.Lo1, g.La1)
		}
	}
	for i := range x {
		x[i] = x0 + float64(i)*g.Dx
	}
	if g.Template != Gaussian {
		for i := range y {
			y[i] = y0 + float64(i)*g.Dy
		}
	}
	return x, y, err
}

// Each calls a function with the latitude and the longitude of each point, in the order of the
// values.
func (g *Grid) Each(to func(i int, lat, lon float64)) error {
	x, y, err := g.Axes(&Parallels{})
	if err != nil {
		return err
	}
	if g.Rows != nil {
		g.reduced(y, to)
		return nil
	}
	var at func(x, y float64) (lon, lat float64)
	switch g.Template {
	case LatLon, Gaussian:
		at = func(x, y float64) (float64, float64) { return x, y }
	case Rotated:
		at = g.unrotate
	default:
		p, err := g.projection()
		if err != nil {
			return err
		}
		at = p.inverse
	}
	for n := range len(x) * len(y) {
		i, j := n%len(x), n/len(x)
		if g.Columns {
			i, j = n/len(y), n%len(y)
		}
		lon, lat := at(x[i], y[j])
		to(n, lat, turn(lon))
	}
	return nil
}

// turn returns a longitude of 0 to 360 degrees.
func turn(lon float64) float64 {
	if lon >= 0 && lon < 360 {
		return lon
	}
	if lon = math.Mod(lon, 360); lon < 0 {
		lon += 360
	}
	return lon
}

// reduced calls a function for the points of a grid whose rows have own lengths. Rows of a grid
// that covers all longitudes have even steps around the Earth.
func (g *Grid) reduced(y []float64, to func(i int, lat, lon float64)) {
	longest := int64(1)
	for _, n := range g.Rows {
		longest = max(longest, n)
	}
	span := g.Lo2 - g.Lo1
	if span < 0 {
		span += 360
	}
	around := span >= 360-360/float64(longest)-1e-3
	n := 0
	for j, count := range g.Rows {
		step := 360 / float64(count)
		if !around && count > 1 {
			step = span / float64(count-1)
		}
		for i := range count {
			to(n, y[j], turn(g.Lo1+float64(i)*step))
			n++
		}
	}
}

// Parallels are the latitudes of the Gaussian grids of a file, which are computed once for each
// number of parallels. The zero value has none.
type Parallels struct {
	by   map[int64][]float64
	work int64
}

// of returns the latitudes of all rows, for n parallels between a pole and the equator. They are
// the arc sines of the roots of the Legendre polynomial of degree 2n.
func (p *Parallels) of(n int64) ([]float64, error) {
	if all, ok := p.by[n]; ok {
		return all, nil
	}
	if p.work += n * n; p.work > maxParallelWork {
		return nil, unsupported("Gaussian grids of too many numbers of parallels in one file")
	}
	all := make([]float64, 2*n)
	for i := range n {
		lat := math.Asin(legendreRoot(int(2*n), int(i))) / radians
		all[i], all[2*n-1-i] = lat, -lat
	}
	if p.by == nil {
		p.by = map[int64][]float64{}
	}
	p.by[n] = all
	return all, nil
}

// gaussian sets the latitudes of a Gaussian grid, from the one nearest to the first point on.
func (g *Grid) gaussian(y []float64, shared *Parallels) error {
	n := g.parallels
	if n < 1 || n > maxParallels || int64(len(y)) > 2*n {
		return damaged("impossible parallels of a Gaussian grid")
	}
	all, err := shared.of(n)
	if err != nil {
		return err
	}
	first := 0
	for i, lat := range all {
		if math.Abs(lat-g.La1) < math.Abs(all[first]-g.La1) {
			first = i
		}
	}
	step := 1
	if g.scan&scanNorth != 0 {
		step = -1
	}
	if last := first + step*(len(y)-1); last < 0 || last >= len(all) {
		return damaged("a Gaussian grid has more rows than parallels")
	}
	for i := range y {
		y[i] = all[first+step*i]
	}
	return nil
}

// legendreRoot returns a root of the Legendre polynomial of a degree, the largest being root 0. It
// is Newton's method from an estimate.
func legendreRoot(degree, i int) float64 {
	n := float64(degree)
	z := math.Cos(math.Pi * (float64(i) + 0.75) / (n + 0.5))
	for range 20 {
		before, p := 1.0, z
		for k := 2; k <= degree; k++ {
			before, p = p, (float64(2*k-1)*z*p-float64(k-1)*before)/float64(k)
		}
		step := p * (z*z - 1) / (n * (z*p - before))
		if z -= step; math.Abs(step) < 1e-15 {
			break
		}
	}
	return z
}

// unrotate returns the longitude and latitude of a point of a rotated grid.
func (g *Grid) unrotate(x, y float64) (lon, lat float64) {
	tilt := (90 + g.SouthLat) * radians
	sinT, cosT := math.Sincos(tilt)
	sinY, cosY := math.Sincos(y * radians)
	sinX, cosX := math.Sincos((x - g.Angle) * radians)
	lat = math.Asin(min(max(cosT*sinY+sinT*cosY*cosX, -1), 1))
	lon = math.Atan2(cosY*sinX, cosT*cosY*cosX-sinT*sinY)
	return lon/radians + g.SouthLon, lat / radians
}
