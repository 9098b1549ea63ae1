package grid

import (
	"slices"
	"testing"
)

func TestEdges(t *testing.T) {
	g, err := Rectilinear([]int64{10, 4}, [][]Run{{{2, 2}, {3, 1}, {5, 4}}, {{4, 1}}})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := g.Edges(0), []Run{{2, 2}, {3, 1}, {5, 1}}; !slices.Equal(got, want) {
		t.Errorf("edges %v, want %v", got, want)
	}
	if got, want := g.Edges(1), []Run{{4, 1}}; !slices.Equal(got, want) {
		t.Errorf("edges %v, want %v", got, want)
	}
	for position, chunk := range []int64{0, 0, 1, 1, 2, 2, 2, 3, 3, 3} {
		if got := g.Find(0, int64(position)); got != chunk {
			t.Errorf("position %d is in chunk %d, want %d", position, got, chunk)
		}
	}
	regular, err := Regular([]int64{10}, []int64{4})
	if err != nil {
		t.Fatal(err)
	}
	if regular.Edges(0) != nil || regular.Find(0, 9) != 2 {
		t.Errorf("a regular grid has edges %v, position 9 in chunk %d", regular.Edges(0), regular.Find(0, 9))
	}
}
