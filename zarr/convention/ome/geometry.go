package ome

import (
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

// placement is the position of an array's elements: index i lies at scale*i + translation along
// each axis.
type placement struct {
	scale, translation []float64
}

// place composes the transformations of a level.
func place(transformations []Transformation, axes int, at string) (placement, error) {
	p := placement{slices.Repeat([]float64{1}, axes), make([]float64, axes)}
	if err := p.add(transformations, at); err != nil {
		return p, err
	}
	if slices.Contains(p.scale, 0) || !finite(p.scale...) || !finite(p.translation...) {
		return p, badMetadata(at, "the pixels have no finite size")
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

// downsampling returns the ratio of a level's pixel size to the first level's: the scale of
// versions 0.1 to 0.3.
func downsampling(shape, first []int64, at string) (placement, error) {
	p := placement{slices.Repeat([]float64{1}, len(shape)), make([]float64, len(shape))}
	for i, length := range shape {
		if length == first[i] {
			continue
		}
		if length == 0 || first[i] == 0 {
			return p, badMetadata(at, "a level has no elements, but another one has some")
		}
		p.scale[i] = float64(first[i]) / float64(length)
	}
	return p, nil
}

// View describes a viewer's screen: a physical extent along named axes, and the screen pixels that
// show it.
type View struct {
	// Viewport is the visible extent along each axis, in the axis's unit. Before 0.4 it is in
	// elements of the first level.
	Viewport map[string]float64
	// Pixels is the number of screen pixels along each axis.
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

// LevelFor returns the coarsest level whose pixels are no larger than the screen's along any axis
// of the view, or else the finest level. The error is an [*zarr.InvalidSelectionError] for unknown
// axes.
func (im *Image) LevelFor(view View) (*Level, error) {
	if len(view.Viewport) == 0 {
		return nil, badSelection("", "expected a viewport along at least one axis")
	}
	most := map[int]float64{}
	for _, name := range slices.Sorted(maps.Keys(view.Viewport)) {
		extent, pixels := view.Viewport[name], view.Pixels[name]
		if !(extent > 0 && pixels > 0) || !finite(extent, pixels) {
			return nil, badSelection("", "the viewport and the pixels along %s must be positive numbers", name)
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

// Interval is a closed range of physical coordinates.
type Interval struct{ From, To float64 }

// Selection returns the pixels that a box of physical coordinates touches, as a selection for
// [zarr.Array.Read]. It selects all of the axes that the box does not name. An interval with equal
// ends selects the pixel that contains the point, and drops the dimension. The box is clipped to
// the array. The error is an [*zarr.InvalidSelectionError] for an unknown axis, and for a single
// coordinate before the first pixel.
func (l *Level) Selection(box map[string]Interval) ([]grid.Item, error) {
	selection := slices.Repeat([]grid.Item{grid.All()}, len(l.axes))
	for _, name := range slices.Sorted(maps.Keys(box)) {
		i, err := axisOf(l.axes, name)
		if err != nil {
			return nil, err
		}
		wanted := box[name]
		if !finite(wanted.From, wanted.To) {
			return nil, badSelection("", "expected a number or a range of two along %s", name)
		}
		a, b := (wanted.From-l.Translation[i])/l.Scale[i], (wanted.To-l.Translation[i])/l.Scale[i]
		// A pixel extends half a pixel to either side of its index, which is its centre.
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

// floor returns the floor of v, clamped to the range of an index.
func floor(v float64) int64 {
	return int64(math.Floor(min(max(v, -1<<53), 1<<53)))
}
