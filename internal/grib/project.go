package grib

import "math"

// projection maps between the ellipsoid and a plane, after Snyder, Map Projections: A Working
// Manual (1987), chapters 7, 15 and 21. A sphere is an ellipsoid without eccentricity.
type projection struct {
	mercator bool
	polar    bool
	e        float64 // eccentricity
	scale    float64 // of radii
	n        float64 // constant of the cone: 1 or -1 at a pole
	rho0     float64
	lon0     float64 // degrees
}

func (g *Grid) projection() (p projection, err error) {
	p.e = math.Sqrt(max(0, 1-g.Minor*g.Minor/(g.Major*g.Major)))
	p.lon0 = g.LoV
	switch g.Template {
	case Mercator:
		p.mercator, p.lon0 = true, g.Lo1
		p.scale = g.Major * p.m(g.LaD)
	case Polar:
		p.polar, p.n = true, 1
		if g.South {
			p.n = -1
		}
		lat := p.n * g.LaD
		if 90-lat < 1e-9 {
			p.scale = 2 * g.Major / math.Sqrt(math.Pow(1+p.e, 1+p.e)*math.Pow(1-p.e, 1-p.e))
		} else {
			p.scale = g.Major * p.m(lat) / p.t(lat)
		}
	case Lambert:
		m1, t1 := p.m(g.Latin1), p.t(g.Latin1)
		p.n = math.Sin(g.Latin1 * radians)
		if math.Abs(g.Latin1-g.Latin2) > 1e-9 {
			p.n = (math.Log(m1) - math.Log(p.m(g.Latin2))) / (math.Log(t1) - math.Log(p.t(g.Latin2)))
		}
		p.scale = g.Major * m1 / (p.n * math.Pow(t1, p.n))
		p.rho0 = p.scale * math.Pow(p.t(g.LaD), p.n)
	}
	for _, v := range []float64{p.scale, p.rho0, p.n} {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return p, damaged("impossible parameters of a projection")
		}
	}
	if p.scale == 0 || p.n == 0 && !p.mercator {
		return p, damaged("impossible parameters of a projection")
	}
	return p, nil
}

// m is Snyder's equation 14-15, and t is 15-9.
func (p projection) m(lat float64) float64 {
	s, c := math.Sincos(lat * radians)
	return c / math.Sqrt(1-p.e*p.e*s*s)
}

func (p projection) t(lat float64) float64 {
	s := p.e * math.Sin(lat*radians)
	return math.Tan((45-lat/2)*radians) / math.Pow((1-s)/(1+s), p.e/2)
}

// latitude is the inverse of t, by iteration.
func (p projection) latitude(t float64) float64 {
	lat := math.Pi/2 - 2*math.Atan(t)
	for range 15 {
		s := p.e * math.Sin(lat)
		next := math.Pi/2 - 2*math.Atan(t*math.Pow((1-s)/(1+s), p.e/2))
		if math.Abs(next-lat) < 1e-13 {
			lat = next
			break
		}
		lat = next
	}
	return lat / radians
}

// east returns a difference of longitudes between -180 and 180 degrees, in radians.
func (p projection) east(lon float64) float64 {
	d := turn(lon - p.lon0)
	if d > 180 {
		d -= 360
	}
	return d * radians
}

func (p projection) forward(lon, lat float64) (x, y float64) {
	east := p.east(lon)
	switch {
	case p.mercator:
		return p.scale * east, -p.scale * math.Log(p.t(lat))
	case p.polar:
		rho := p.scale * p.t(p.n*lat)
		return rho * math.Sin(east), -p.n * rho * math.Cos(east)
	}
	rho := p.scale * math.Pow(p.t(lat), p.n)
	return rho * math.Sin(p.n*east), p.rho0 - rho*math.Cos(p.n*east)
}

func (p projection) inverse(x, y float64) (lon, lat float64) {
	switch {
	case p.mercator:
		return p.lon0 + x/p.scale/radians, p.latitude(math.Exp(-y / p.scale))
	case p.polar:
		rho := math.Hypot(x, y)
		return p.lon0 + math.Atan2(x, -p.n*y)/radians, p.n * p.latitude(rho/p.scale)
	}
	dy, sign := p.rho0-y, 1.0
	if p.n < 0 {
		sign = -1
	}
	rho := sign * math.Hypot(x, dy)
	east := math.Atan2(sign*x, sign*dy) / p.n
	return p.lon0 + east/radians, p.latitude(math.Pow(rho/p.scale, 1/p.n))
}
