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

// maxLevels bounds the levels whose nodes are opened.
const maxLevels = 256

// Pyramid is an image of the world at several resolutions.
type Pyramid struct {
	// Path is the path of the group.
	Path string
	Layout
}

// OpenPyramid opens the pyramid that a group's attributes define (see [LayoutOf]). For levels
// without a stated shape or transform it opens their nodes concurrently, and completes them by
// [ReadGeoreference]. Missing levels and invalid statements are problems in the result.
//
// A group without levels is an [*Error]. More than 256 levels to open are a [*zarr.LimitError], and
// OME-Zarr multiscales a [*zarr.UnsupportedError]. Other errors are those of [ReadGeoreference].
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

// lookAt completes a level from its node.
func (l *Level) lookAt(ctx context.Context, group *zarr.Group, layout *Layout) ([]Problem, error) {
	at := l.Path
	if group.Path() != "" {
		at = group.Path() + "/" + at
	}
	node, err := group.Hierarchy().Open(ctx, at, zarr.OpenOptions{})
	if err != nil {
		missing := Problem{group.Path(), "multiscales", "names " + shown(json.Text(l.Path)) + ", which does not exist"}
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

// LevelFor returns the level to show when a screen pixel spans the given number of world units. It
// is the coarsest level whose pixels are no larger in x and y, or else the finest. Without any
// place in the world, the unit is a pixel of the root level. Levels with an unknown pixel size are
// skipped. The error is an [*Error] when none remains.
func (p *Pyramid) LevelFor(unitsPerScreenPixel float64) (*Level, error) {
	if !(unitsPerScreenPixel > 0) {
		return nil, &ArgumentError{"LevelFor", fmt.Sprintf("expected a number above 0, not %v", unitsPerScreenPixel)}
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
		return nil, &Error{Path: p.Path, Msg: "no level states the size of its pixels"}
	}
	return best, nil
}
