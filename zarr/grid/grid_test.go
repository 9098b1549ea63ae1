package grid

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"reflect"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/must"
)

type ints = []int64

func TestRegular(t *testing.T) {
	for _, c := range []struct {
		shape, chunks, counts ints
		total                 int64
		fits                  bool
	}{
		{ints{10, 9}, ints{3, 3}, ints{4, 3}, 12, true},
		{ints{}, ints{}, ints{}, 1, true},
		{ints{0, 5}, ints{3, 5}, ints{0, 1}, 0, true},
		{ints{0}, ints{0}, ints{0}, 0, true},
		{ints{3}, ints{100}, ints{1}, 1, true},
		{ints{math.MaxInt64}, ints{math.MaxInt64}, ints{1}, 1, true},
		{ints{math.MaxInt64}, ints{1}, ints{math.MaxInt64}, math.MaxInt64, true},
		{ints{1 << 40, 1 << 40}, ints{1, 1}, ints{1 << 40, 1 << 40}, 0, false},
		{ints{1 << 62, 2}, ints{1, 1}, ints{1 << 62, 2}, 0, false},
		{ints{1 << 40, 1 << 40, 0}, ints{1, 1, 1}, ints{1 << 40, 1 << 40, 0}, 0, true},
		{ints{1<<53 + 1}, ints{2}, ints{1<<52 + 1}, 1<<52 + 1, true},
	} {
		g, err := Regular(c.shape, c.chunks)
		if err != nil {
			t.Errorf("%v/%v: %v", c.shape, c.chunks, err)
			continue
		}
		total, fits := g.Total()
		if !reflect.DeepEqual(g.Counts(), c.counts) || total != c.total || fits != c.fits {
			t.Errorf("%v/%v: %v %d %v", c.shape, c.chunks, g.Counts(), total, fits)
		}
		if g.Kind() != "regular" || g.Rank() != len(c.shape) || !g.Uniform() || !reflect.DeepEqual(g.Shape(), c.shape) || !reflect.DeepEqual(g.ChunkShapes(), c.chunks) {
			t.Errorf("%v/%v: %+v", c.shape, c.chunks, g)
		}
	}
	for _, c := range []struct {
		shape, chunks ints
		dim           int
	}{
		{ints{1}, ints{}, -1},
		{ints{1, 5}, ints{1, 0}, 1},
		{ints{5}, ints{-1}, 0},
		{ints{0}, ints{-1}, 0},
		{ints{-1}, ints{1}, 0},
	} {
		for _, make := range []func(a, b []int64) (*Grid, error){Regular, RegularBounded} {
			_, err := make(c.shape, c.chunks)
			var e *Error
			if !errors.As(err, &e) || e.Dim != c.dim || e.Error() == "" {
				t.Errorf("%v/%v: %v", c.shape, c.chunks, err)
			}
		}
	}
}

func TestRectilinear(t *testing.T) {
	g := must.Get(Rectilinear(ints{10, 7, 0}, [][]Run{{{4, 1}, {2, 1}, {2, 1}, {5, 3}}, {{Size: 3}}, {{5, 1}}}))(t)
	if !reflect.DeepEqual(g.Counts(), ints{4, 3, 0}) || !reflect.DeepEqual(g.ChunkShapes(), ints{5, 3, 5}) || g.Uniform() || g.Kind() != "rectilinear" {
		t.Errorf("%v %v", g.Counts(), g.ChunkShapes())
	}
	g, _ = Rectilinear(ints{10, 7}, [][]Run{{{4, 1}, {2, 1}, {2, 1}, {5, 3}}, {{Size: 3}}})
	for c, want := range []int64{4, 2, 2, 5} {
		if got, err := g.ChunkShape(ints{int64(c), 2}); err != nil || !reflect.DeepEqual(got, ints{want, 3}) {
			t.Errorf("chunk %d: %v %v", c, got, err)
		}
	}
	if _, err := g.ChunkShape(ints{4, 0}); err == nil {
		t.Error("a chunk that lies outside of the array")
	}
	if g, err := Rectilinear(ints{10}, [][]Run{{{4, 1}, {4, 2}}}); err != nil || !g.Uniform() || len(g.dims[0].runs) != 1 {
		t.Error("runs of one size are one run", err)
	}
	// Sums that do not fit in an int64.
	huge := [][]Run{{{1, 1}, {math.MaxInt64, math.MaxInt64}, {math.MaxInt64, 1}}}
	if g, err := Rectilinear(ints{math.MaxInt64}, huge); err != nil || !reflect.DeepEqual(g.Counts(), ints{2}) {
		t.Error(g, err)
	} else if projections, err := g.Projections(0, Axis{math.MaxInt64 - 1, -(math.MaxInt64 - 1), 2, false, nil}, 9); err != nil || len(projections) != 2 {
		t.Error(projections, err)
	}
	for _, c := range []struct {
		shape ints
		edges [][]Run
		dim   int
	}{
		{ints{1}, nil, -1},
		{ints{-1}, [][]Run{nil}, 0},
		{ints{1}, [][]Run{nil}, 0},
		{ints{5, 10}, [][]Run{{{5, 1}}, {{3, 3}}}, 1},
		{ints{5}, [][]Run{{{0, 1}, {5, 1}}}, 0},
		{ints{5}, [][]Run{{{5, 0}, {5, 1}}}, 0},
		{ints{5}, [][]Run{{{5, 1}, {-1, 1}}}, 0},
		{ints{0}, [][]Run{{{5, -1}}}, 0},
		{ints{0}, [][]Run{{{Size: 0}}}, 0},
		{ints{5}, [][]Run{{{Size: -3}}}, 0},
	} {
		_, err := Rectilinear(c.shape, c.edges)
		var e *Error
		if !errors.As(err, &e) || e.Dim != c.dim {
			t.Errorf("%v %v: %v", c.shape, c.edges, err)
		}
	}
}

func TestRegularBounded(t *testing.T) {
	g := must.Get(RegularBounded(ints{10, 9, 2}, ints{4, 3, 5}))(t)
	if g.Kind() != "zarrs.regular_bounded" || g.Uniform() || !reflect.DeepEqual(g.ChunkShapes(), ints{4, 3, 5}) {
		t.Error(g.Kind(), g.Uniform(), g.ChunkShapes())
	}
	for _, c := range []struct{ at, want ints }{{ints{0, 0, 0}, ints{4, 3, 2}}, {ints{2, 2, 0}, ints{2, 3, 2}}} {
		if got, err := g.ChunkShape(c.at); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%v: %v %v", c.at, got, err)
		}
	}
	if g, _ := RegularBounded(ints{12, 0}, ints{4, 0}); !g.Uniform() {
		t.Error("chunks that fit are uniform")
	}
}

func TestChunkShapeOutside(t *testing.T) {
	g, _ := Regular(ints{10, 9}, ints{3, 3})
	for _, c := range []ints{{4, 0}, {0, 3}, {-1, 0}, {0}, {0, 0, 0}, {math.MaxInt64, 0}, {math.MinInt64, 0}} {
		var e *Error
		if _, err := g.ChunkShape(c); !errors.As(err, &e) {
			t.Errorf("%v: %v", c, err)
		}
	}
	if got, err := g.ChunkShape(ints{3, 2}); err != nil || !reflect.DeepEqual(got, ints{3, 3}) {
		t.Error(got, err)
	}
}

func TestImmutable(t *testing.T) {
	shape, chunks := ints{10}, ints{3}
	g, _ := Regular(shape, chunks)
	shape[0], chunks[0] = 1, 1
	g.Shape()[0], g.Counts()[0], g.ChunkShapes()[0] = 7, 7, 7
	if g.Shape()[0] != 10 || g.Counts()[0] != 4 || g.ChunkShapes()[0] != 3 {
		t.Error("the grid has changed")
	}
}

// TestKeys has the list that tests/js/earlychunks.test.mjs compares TypeScript's rules with, and
// what only Go knows.
func TestKeys(t *testing.T) {
	type key struct {
		Name, Separator string
		Coords          ints
		Key             string
	}
	text, err := os.ReadFile("testdata/keys.json")
	var shared []key
	if err == nil {
		err = json.Unmarshal(text, &shared)
	}
	if err != nil || len(shared) != 24 {
		t.Fatal(len(shared), err)
	}
	for _, c := range shared {
		if got := (KeyEncoding{Name: c.Name, Separator: c.Separator}).Key(c.Coords); got != c.Key {
			t.Errorf("%+v: %q", c, got)
		}
	}
	for _, c := range []struct {
		k      KeyEncoding
		coords ints
		want   string
	}{
		{KeyEncoding{Name: "default", Separator: "/", Prefix: "c"}, ints{0, 1}, "c/0/1"},
		{KeyEncoding{}, ints{1}, "c/1"},
		{KeyEncoding{Name: "zarrs.default_suffix", Suffix: ".tiff"}, ints{1, 2}, "c/1/2.tiff"},
		{KeyEncoding{Name: "zarrs.default_suffix", Suffix: ".tiff"}, nil, "c.tiff"},
		{KeyEncoding{Name: "default"}, ints{math.MaxInt64}, "c/9223372036854775807"},
	} {
		if got := c.k.Key(c.coords); got != c.want {
			t.Errorf("%+v %v: %q, want %q", c.k, c.coords, got, c.want)
		}
	}
}
