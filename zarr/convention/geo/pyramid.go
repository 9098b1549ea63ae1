package geo

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"github.com/zarr-wasm/zarr-wasm/internal/guard"
	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr"
)

// maxLevels is how many levels are opened for what they say of themselves.
const maxLevels = 256

// Pyramid is levels of one picture of the world in several sizes of pixels.
type Pyramid struct {
	// Path is the path of the group.
	Path string
	Layout
}

// OpenPyramid opens the pyramid that a group's attributes state (see [LayoutOf]). Where they leave open what a level's shape or
// transform is, the level's node is opened, all of them at once, and says it as [ReadGeoreference] reads it. A level that is
// not there is a problem in the result, as all is that is stated wrongly.
//
// Errors are an [*Error] where the group states no levels, a [*zarr.LimitError] where more than 256 have to be opened, a [*zarr.UnsupportedError] where its multiscales are OME-Zarr's, and
// those of [ReadGeoreference].
func OpenPyramid(ctx context.Context, group *zarr.Group) (*Pyramid, error) {
	layout, err := LayoutOf(group.Path(), group.Metadata().Attributes)
	if err != nil {
		return nil, err
	}
	if layout == nil || len(layout.Levels) == 0 {
		err := &Error{Path: group.Path(), Msg: "the attributes state no levels"}
		if layout != nil && len(layout.Problems) > 0 {
			err.Attribute, err.Msg = layout.Problems[0].Attribute, layout.Problems[0].Message
		}
		return nil, err
	}
	var mu sync.Mutex
	stated := func(l *Level) bool { return l.Shape != nil && l.Transform != nil }
	open := slices.DeleteFunc(slices.Clone(layout.Levels), stated)
	if len(open) > maxLevels {
		return nil, &zarr.LimitError{Limit: "Levels", Max: maxLevels, Asked: int64(len(open)), What: "levels of " + strconv.Quote("/"+group.Path())}
	}
	all, ctx := guard.NewGroup(ctx)
	for _, level := range open {
		all.Go(func() error {
			problems, err := level.lookAt(ctx, group, layout)
			mu.Lock()
			defer mu.Unlock()
			layout.Problems = append(layout.Problems, problems...)
			return err
		})
	}
	if err := all.Wait(); err != nil {
		return nil, err
	}
	for _, level := range layout.Levels {
		if layout.CRS == nil {
			layout.CRS = level.CRS
		}
	}
	return &Pyramid{group.Path(), *layout}, nil
}

// lookAt adds to a level what its node says of it.
func (l *Level) lookAt(ctx context.Context, group *zarr.Group, layout *Layout) ([]Problem, error) {
	at := l.Path
	if group.Path() != "" {
		at = group.Path() + "/" + at
	}
	node, err := group.Hierarchy().Open(ctx, at, zarr.OpenOptions{})
	if err != nil {
		missing := Problem{group.Path(), "multiscales", "names " + shown(json.Text(l.Path)) + ", which is not there"}
		return []Problem{missing}, unlessPassed(err)
	}
	defer func() { l.complete(layout.Dimensions) }()
	if array, ok := node.(*zarr.Array); ok && l.Transform != nil {
		if axes := axesOf(array, layout.Dimensions); axes != nil && l.Shape == nil {
			l.Shape = shapeAt(array, axes)
		}
		return nil, nil
	}
	found, err := ReadGeoreference(ctx, node)
	if err != nil {
		return nil, err
	}
	if l.Transform == nil && found.Transform != nil {
		l.Transform, l.Registration = found.Transform, found.Registration
	}
	if l.Shape == nil {
		l.Shape = found.Shape
	}
	if l.Dimensions == nil {
		l.Dimensions = found.Dimensions
	}
	if l.CRS == nil && layout.CRS == nil {
		l.CRS = found.CRS
	}
	return found.Problems, nil
}

// LevelFor is the level to show where a pixel of the screen is so many of the world's units: the coarsest whose pixels are no larger, in x
// and in y; the finest, where all are larger. Where no level has a place in the world, the unit is a pixel of the level that
// the others are derived from. Levels of which neither is known are left out; where that is all, it is an [*Error].
func (p *Pyramid) LevelFor(unitsPerScreenPixel float64) (*Level, error) {
	if !(unitsPerScreenPixel > 0) {
		return nil, &ArgumentError{"LevelFor", fmt.Sprintf("a number above 0 expected, not %v", unitsPerScreenPixel)}
	}
	placed := false
	for _, l := range p.Levels {
		placed = placed || l.PixelSize != nil
	}
	var best, finest *Level
	var size, smallest float64
	for _, l := range p.Levels {
		of := l.ScaleToRoot
		if placed {
			of = l.PixelSize
		}
		if of == nil {
			continue
		}
		large := max(of[0], of[1])
		if finest == nil || large < smallest {
			finest, smallest = l, large
		}
		if large > size && large <= unitsPerScreenPixel*(1+1e-9) {
			best, size = l, large
		}
	}
	if best == nil {
		best = finest
	}
	if best == nil {
		return nil, &Error{Path: p.Path, Msg: "no level says how large its pixels are"}
	}
	return best, nil
}
