package geo_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr/convention/geo"
)

// randomAffine returns an affine with rotation, reflection, and any pixel size and offset.
func randomAffine(r *rand.Rand) geo.Affine {
	sin, cos := math.Sincos(r.Float64() * 2 * math.Pi)
	if r.IntN(2) == 0 {
		sin, cos = 0, 1
	}
	w, h := math.Pow(10, r.Float64()*8-4), math.Pow(10, r.Float64()*8-4)
	if r.IntN(2) == 0 {
		h = -h
	}
	return geo.Affine{w * cos, -h * sin, r.NormFloat64() * 1e6, w * sin, h * cos, r.NormFloat64() * 1e6}
}

func TestAffineRoundTrips(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 10_000 {
		m := randomAffine(r)
		g := geo.Grid{Transform: &m, Registration: []string{geo.Pixel, geo.Node, ""}[r.IntN(3)], Shape: &[2]int64{1 + r.Int64N(1000), 1 + r.Int64N(1000)}}
		row, col := r.Int64N(g.Shape[0]), r.Int64N(g.Shape[1])
		x, y := must.Both(g.PixelToWorld(float64(row), float64(col)))(t)
		size := m.PixelSize()
		// The precision of a point falls with its distance from the origin.
		slack := 1e-9 + 1e-15*(math.Abs(x)+math.Abs(y)+math.Abs(m[2])+math.Abs(m[5]))/min(size[0], size[1])
		i, j, err := g.WorldToPixel(x, y)
		if err != nil || math.Abs(i-float64(row)) > slack || math.Abs(j-float64(col)) > slack {
			t.Fatalf("%v: (%d, %d) is (%v, %v), which is (%v, %v): %v", m, row, col, x, y, i, j, err)
		}
		if a, b, ok, err := g.PixelAt(x, y); slack < 0.1 && (a != row || b != col || !ok || err != nil) {
			t.Fatalf("%v: the pixel at (%v, %v) is (%d, %d) %v, not (%d, %d): %v", m, x, y, a, b, ok, row, col, err)
		}
		if b := g.OuterBounds(); x < b[0] || y < b[1] || x > b[2] || y > b[3] {
			t.Fatalf("%v: (%v, %v) is not in %v", m, x, y, *b)
		}
		if back := geo.AffineFromGDAL(m.GDAL()); back != m {
			t.Fatalf("%v by GDAL's order: %v", m, back)
		}
		inverse := must.Get(m.Inverse())(t)
		one := m.Compose(inverse)
		if math.Abs(one[0]-1) > 1e-9 || math.Abs(one[4]-1) > 1e-9 || math.Abs(one[1])+math.Abs(one[3]) > 1e-6 {
			t.Fatalf("%v after its inverse is %v", m, one)
		}
	}
}

func TestSingularAffines(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	singular := []geo.Affine{
		{}, {1, 0, 0, 0, 0, 0}, {0, 1, 0, 0, 1, 0}, {1, 2, 0, 2, 4, 0}, {math.NaN(), 0, 0, 0, 1, 0}, {math.Inf(1), 0, 0, 0, 1, 0},
		{1e-320, 0, 0, 0, 1e-320, 0}, {1e-308, 0, 1e308, 0, 1, 0},
	}
	for range 1000 {
		a, b, k := r.NormFloat64(), r.NormFloat64(), r.NormFloat64()
		singular = append(singular, geo.Affine{a, b, 1, k * a, k * b, 2})
	}
	for _, m := range singular {
		var wrong *geo.ArgumentError
		if _, err := m.Inverse(); !errors.As(err, &wrong) || m.IsInvertible() {
			t.Errorf("%v has an inverse: %v", m, err)
		}
	}
	for _, m := range []geo.Affine{{1e-150, 0, 0, 0, 1e150, 0}, {1e-200, 0, 0, 0, 1e-200, 0}, {1, 1e-9, 0, -1e-9, 1, 0}} {
		if !m.IsInvertible() {
			t.Errorf("%v has no inverse", m)
		}
	}
}

// TestWindowAgainstPixels checks windows against each pixel of grids without rotation. In other
// grids, a window contains every pixel with its centre in the box.
func TestWindowAgainstPixels(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	found := 0
	for range 10_000 {
		shape := [2]int64{1 + r.Int64N(9), 1 + r.Int64N(9)}
		w, h := math.Ldexp(1, r.IntN(5)-2), math.Ldexp(1, r.IntN(5)-2)*float64(1-2*r.IntN(2))
		m := geo.Affine{w, 0, float64(r.IntN(9)), 0, h, float64(r.IntN(9))}
		turned := r.IntN(3) == 0
		if turned {
			m = randomAffine(r)
			m[2], m[5] = 0, 0
		}
		g := geo.Grid{Transform: &m, Shape: &shape}
		b := g.OuterBounds()
		side := func(k int) (from, to float64) {
			place := func() float64 {
				f := r.Float64()*1.5 - 0.25
				if !turned && r.IntN(2) == 0 {
					// Values lie on pixels' edges, which are powers of two here.
					return b[k] + math.Round(f*float64(shape[1-k]))*math.Abs(m[4*k])
				}
				return b[k] + f*(b[k+2]-b[k])
			}
			from, to = place(), place()
			return min(from, to), max(from, to)
		}
		x1, x2 := side(0)
		y1, y2 := side(1)
		if x1 == x2 || y1 == y2 {
			continue
		}
		is, ok := must.Both(g.Window(geo.Bounds{x1, y1, x2, y2}))(t)
		var rows, cols []int64
		for i := range shape[0] {
			for j := range shape[1] {
				c := m.Bounds(float64(j), float64(i), float64(j+1), float64(i+1))
				touched := c[0] < x2 && c[2] > x1 && c[1] < y2 && c[3] > y1
				if turned {
					x, y, _ := g.PixelToWorld(float64(i), float64(j))
					touched = x > x1 && x < x2 && y > y1 && y < y2
				}
				if touched {
					rows, cols = append(rows, i), append(cols, j)
				}
			}
		}
		if rows == nil {
			if ok && !turned {
				t.Fatalf("%v of %v: %v, and no pixel of %v is there", m, shape, is, [4]float64{x1, y1, x2, y2})
			}
			continue
		}
		found++
		want := geo.Window{Rows: [2]int64{slices.Min(rows), slices.Max(rows) + 1}, Cols: [2]int64{slices.Min(cols), slices.Max(cols) + 1}}
		has := is.Rows[0] <= want.Rows[0] && is.Rows[1] >= want.Rows[1] && is.Cols[0] <= want.Cols[0] && is.Cols[1] >= want.Cols[1]
		if !ok || !has || !turned && is != want {
			t.Fatalf("%v of %v: %v %v, not %v in %v", m, shape, is, ok, want, [4]float64{x1, y1, x2, y2})
		}
	}
	if found < 5000 {
		t.Errorf("only %d boxes had pixels", found)
	}
}

func TestWindowEdges(t *testing.T) {
	m := geo.Affine{0.1, 0, 0, 0, -0.1, 1}
	g := geo.Grid{Transform: &m, Shape: &[2]int64{10, 10}, Dimensions: &[2]string{"y", "x"}}
	for _, c := range []struct {
		box  geo.Bounds
		rows [2]int64
		ok   bool
	}{
		// 0.1 has no exact binary form: 0.3/0.1 is slightly off
		{geo.Bounds{0.3, 0.3, 0.6, 0.6}, [2]int64{4, 7}, true},
		{geo.Bounds{0, 0, 0, 0}, [2]int64{9, 10}, true}, // the far edge of the last row
		{geo.Bounds{0, 1, 0, 1}, [2]int64{0, 1}, true},
		{geo.Bounds{1, -5, 1, 5}, [2]int64{0, 10}, true},
		{geo.Bounds{1, 0, 2, 1}, [2]int64{}, false}, // only edges meet
		{geo.Bounds{-1, 0, 0, 1}, [2]int64{}, false},
		{geo.Bounds{1.01, 0.5, 1.01, 0.5}, [2]int64{}, false},
		{geo.Bounds{-1e300, -1e300, 1e300, 1e300}, [2]int64{0, 10}, true},
	} {
		w, ok, err := g.Window(c.box)
		if err != nil || ok != c.ok || w.Rows != c.rows {
			t.Errorf("%v: %v %v %v, not %v %v", c.box, w, ok, err, c.rows, c.ok)
		}
	}
	var argument *geo.ArgumentError
	var own *geo.Error
	if _, _, err := g.Window(geo.Bounds{1, 0, 0, 1}); !errors.As(err, &argument) {
		t.Error(err)
	}
	if _, _, err := g.Window(geo.Bounds{math.NaN(), 0, 0, 1}); !errors.As(err, &argument) {
		t.Error(err)
	}
	if _, _, err := g.PixelToWorld(math.Inf(1), 0); !errors.As(err, &argument) {
		t.Error(err)
	}
	if _, _, err := (&geo.Grid{Transform: &m}).Window(geo.Bounds{}); !errors.As(err, &own) {
		t.Error(err)
	}
	if _, _, err := (&geo.Grid{}).WorldToPixel(0, 0); !errors.As(err, &own) {
		t.Error(err)
	}
}

func TestWebMercatorRoundTripsAndEnds(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for range 10_000 {
		lon, lat := r.Float64()*360-180, r.Float64()*179-89.5
		x, y := must.Both(geo.LonLatToWebMercator(lon, lat))(t)
		back, up, err := geo.WebMercatorToLonLat(x, y)
		if err != nil || math.Abs(back-lon) > 1e-11 || math.Abs(up-lat) > 1e-11 {
			t.Fatalf("(%v, %v) is (%v, %v), which is (%v, %v): %v", lon, lat, x, y, back, up, err)
		}
	}
	var wrong *geo.ArgumentError
	for _, p := range [][2]float64{{0, 90}, {0, -90}, {0, 91}, {math.NaN(), 0}, {0, math.NaN()}, {math.Inf(1), 0}} {
		if _, _, err := geo.LonLatToWebMercator(p[0], p[1]); !errors.As(err, &wrong) {
			t.Errorf("%v: %v", p, err)
		}
		if _, _, err := geo.WebMercatorToLonLat(p[0], math.Inf(1)); !errors.As(err, &wrong) {
			t.Errorf("%v: %v", p, err)
		}
	}
	for _, lat := range []float64{90, 1e9, -90} {
		x, y, err := geo.LonLatToWebMercator(190, geo.ClampLatitude(lat))
		if err != nil || math.Abs(math.Abs(y)-geo.WebMercatorLimit) > 1e-6 || x < geo.WebMercatorLimit {
			t.Errorf("%v: %v, %v, %v", lat, x, y, err)
		}
	}
}

func TestLevelForAgainstItsDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for range 2000 {
		p := geo.Pyramid{}
		for range 1 + r.IntN(6) {
			l := &geo.Level{}
			if r.IntN(8) > 0 {
				w, h := math.Ldexp(1, r.IntN(6)), math.Ldexp(1, r.IntN(6))
				l.PixelSize = &[2]float64{w, h}
			}
			p.Levels = append(p.Levels, l)
		}
		units := math.Ldexp(1+r.Float64(), r.IntN(8)-2)
		if r.IntN(2) == 0 {
			units = math.Ldexp(1, r.IntN(8)-2)
		}
		var fit, fine *geo.Level
		larger := func(l *geo.Level) float64 { return max(l.PixelSize[0], l.PixelSize[1]) }
		for _, l := range p.Levels {
			if l.PixelSize == nil {
				continue
			}
			if larger(l) <= units && (fit == nil || larger(l) > larger(fit)) {
				fit = l
			}
			if fine == nil || larger(l) < larger(fine) {
				fine = l
			}
		}
		if fit == nil {
			fit = fine
		}
		is, err := p.LevelFor(units)
		if (err != nil) != (fit == nil) || is != fit {
			t.Fatalf("%v: %+v, not %+v: %v", units, is, fit, err)
		}
	}
	var wrong *geo.ArgumentError
	for _, units := range []float64{0, -1, math.NaN()} {
		if _, err := (&geo.Pyramid{}).LevelFor(units); !errors.As(err, &wrong) {
			t.Errorf("%v: %v", units, err)
		}
	}
}
