package ome

import (
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

// placement is where the elements of an array lie: those of index i at scale*i + translation, along each axis.
type placement struct {
	scale, translation []float64
}

// place returns what transformations of levels make together.
func place(transformations []Transformation, axes int, at string) (placement, error) {
	p := placement{slices.Repeat([]float64{1}, axes), make([]float64, axes)}
	if err := p.add(transformations, at); err != nil {
		return p, err
	}
	if slices.Contains(p.scale, 0) || !finite(p.scale...) || !finite(p.translation...) {
		return p, badMetadata(at, "the pixels have no size, or none that is finite")
	}
	return p, nil
}

func (p *placement) add(transformations []Transformation, at string) error {
	for _, t := range transformations {
		by := t.Scale
		if t.Type == "translation" {
			by = t.Translation
		}
		switch t.Type {
		case "sequence":
			if err := p.add(t.Transformations, at); err != nil {
				return err
			}
		case "scale", "translation":
			if len(by) != len(p.scale) {
				return badMetadata(at, "a %s of %d numbers for %d axes", t.Type, len(by), len(p.scale))
			}
		}
		for i, v := range by {
			if t.Type == "scale" {
				p.scale[i] *= v
				p.translation[i] *= v
			} else {
				p.translation[i] += v
			}
		}
	}
	return nil
}

// downsampling returns how much larger the pixels of a level are than the first level's: what 0.1 to 0.3 have for scales.
func downsampling(shape, first []int64, at string) (placement, error) {
	p := placement{slices.Repeat([]float64{1}, len(shape)), make([]float64, len(shape))}
	for i, length := range shape {
		if length == first[i] {
			continue
		}
		if length == 0 || first[i] == 0 {
			return p, badMetadata(at, "a level without elements beside one that has some")
		}
		p.scale[i] = float64(first[i]) / float64(length)
	}
	return p, nil
}

// View is what a viewer shows: an extent in physical units along axes by their names, and the pixels of the screen for it.
type View struct {
	// Viewport is the extent that is seen along each axis, in the axis's unit; before 0.4 in elements of the first level.
	Viewport map[string]float64
	// Pixels is how many pixels of the screen show it.
	Pixels map[string]float64
}

// axisOf returns the index of the axis of that name.
func axisOf(axes []Axis, name string) (int, error) {
	i := slices.IndexFunc(axes, func(a Axis) bool { return a.Name == name })
	if i < 0 {
		var names []string
		for _, a := range axes {
			names = append(names, a.Name)
		}
		return 0, badSelection("", "there is no axis %q: the axes are %s", name, strings.Join(names, ", "))
	}
	return i, nil
}

// LevelFor returns the level to show: the coarsest whose pixels are no larger than those of the screen along any axis of the view,
// or the finest where there is none. A view of axes that are not there is an [*zarr.InvalidSelectionError].
func (im *Image) LevelFor(view View) (*Level, error) {
	if len(view.Viewport) == 0 {
		return nil, badSelection("", "a viewport along at least one axis is needed")
	}
	most := map[int]float64{}
	for _, name := range slices.Sorted(maps.Keys(view.Viewport)) {
		extent, pixels := view.Viewport[name], view.Pixels[name]
		if !(extent > 0 && pixels > 0) || !finite(extent, pixels) {
			return nil, badSelection("", "the viewport and the pixels along %s have to be positive numbers", name)
		}
		axis, err := axisOf(im.Axes, name)
		if err != nil {
			return nil, err
		}
		most[axis] = extent / pixels * (1 + 1e-9)
	}
	axes := slices.Sorted(maps.Keys(most))
	coarsest, finest := -1, 0
	size := func(i int) (sum float64) {
		for _, axis := range axes {
			sum += math.Log(math.Abs(im.Levels[i].Scale[axis]))
		}
		return sum
	}
	for i, level := range im.Levels {
		fits := !slices.ContainsFunc(axes, func(axis int) bool { return math.Abs(level.Scale[axis]) > most[axis] })
		if fits && (coarsest < 0 || size(i) > size(coarsest)) {
			coarsest = i
		}
		if size(i) < size(finest) {
			finest = i
		}
	}
	if coarsest < 0 {
		return im.Levels[finest], nil
	}
	return im.Levels[coarsest], nil
}

// Interval is a range of physical coordinates, both ends included.
type Interval struct{ From, To float64 }

// Selection returns the selection of the pixels that a box of physical coordinates touches, for Read of the array. Axes that the
// box does not name are taken whole; where both ends are the same, the pixel that they lie in is taken, and its dimension is
// dropped. What lies outside of the array is cut off. An axis that is not there, and one coordinate before the first pixel, is an
// [*zarr.InvalidSelectionError].
func (l *Level) Selection(box map[string]Interval) ([]grid.Item, error) {
	selection := slices.Repeat([]grid.Item{grid.All()}, len(l.axes))
	for _, name := range slices.Sorted(maps.Keys(box)) {
		i, err := axisOf(l.axes, name)
		if err != nil {
			return nil, err
		}
		wanted := box[name]
		if !finite(wanted.From, wanted.To) {
			return nil, badSelection("", "a number or a range of two is needed along %s", name)
		}
		a, b := (wanted.From-l.Translation[i])/l.Scale[i], (wanted.To-l.Translation[i])/l.Scale[i]
		// A pixel reaches half a pixel to either side of its centre, which is where its index is.
		start := floor(min(a, b) + 0.5 + 1e-9)
		if wanted.From == wanted.To {
			if start < 0 {
				return nil, badSelection("", "%v lies before the first pixel along %s", wanted.From, name)
			}
			selection[i] = grid.At(start)
			continue
		}
		stop := max(floor(math.Ceil(max(a, b)+0.5-1e-9)), start+1)
		start, stop = max(start, 0), max(stop, 0)
		selection[i] = grid.Range(&start, &stop, nil)
	}
	return selection, nil
}

// floor returns an integer, no larger than an index can be.
func floor(v float64) int64 {
	return int64(math.Floor(min(max(v, -1<<53), 1<<53)))
}
