package ome

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/zarr-wasm/zarr-wasm/internal/guard"
	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/internal/limits"
	"github.com/zarr-wasm/zarr-wasm/zarr"
)

// maxLevels bounds the levels whose arrays are opened to learn the size of their pixels.
const maxLevels = 1000

// ImageOptions selects an image of a group.
type ImageOptions struct {
	// Name is the multiscale's name. If it is "", Index selects the multiscale.
	Name  string
	Index int
	// Version selects the rules; "" stands for the version in the document.
	Version Version
}

// Level is a resolution of an image (section "multiscales", "datasets"). It is safe for concurrent
// use.
type Level struct {
	// Index is the level's position in the image.
	Index int
	// Path is the path of its array, relative to the image.
	Path string
	// Scale is the size of a pixel along each axis, in the axis's unit. Before 0.4 it is relative
	// to a pixel of the first level.
	Scale []float64
	// Translation is the physical coordinate of index 0 along each axis, the centre of the first
	// pixel.
	Translation []float64

	group *zarr.Group
	axes  []Axis
	mu    sync.Mutex
	array *zarr.Array
}

// Shape returns the array's shape, or nil before Array has opened it. Before 0.4 it is always
// known.
func (l *Level) Shape() []int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.array == nil {
		return nil
	}
	return l.array.Shape
}

// Array opens the array on the first call. The error is a [*zarr.NotFoundError] for a missing
// array, and an [*zarr.InvalidMetadataError] when its rank differs from the number of axes.
func (l *Level) Array(ctx context.Context) (*zarr.Array, error) {
	l.mu.Lock()
	array := l.array
	l.mu.Unlock()
	if array != nil {
		return array, nil
	}
	array, err := openLevel(ctx, l.group, l.Path, len(l.axes))
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.array = array
	return array, nil
}

func openLevel(ctx context.Context, g *zarr.Group, path string, axes int) (*zarr.Array, error) {
	at := resolve(g, path)
	array, err := g.Hierarchy().OpenArray(ctx, at)
	if err != nil {
		return nil, err
	}
	if len(array.Shape) != axes {
		return nil, badMetadata(at, "the level has the shape %v, but the image has %d axes", array.Shape, axes)
	}
	return array, nil
}

// ToPhysical returns the physical coordinates of an index, which may be fractional: scale*index +
// translation.
func (l *Level) ToPhysical(index []float64) ([]float64, error) {
	if len(index) != len(l.axes) {
		return nil, badSelection("", "expected %d coordinates, not %d", len(l.axes), len(index))
	}
	point := make([]float64, len(index))
	for i, v := range index {
		point[i] = l.Scale[i]*v + l.Translation[i]
	}
	return point, nil
}

// ToIndex returns the fractional index of physical coordinates. Pixel i covers i-0.5 to i+0.5.
func (l *Level) ToIndex(point []float64) ([]float64, error) {
	if len(point) != len(l.axes) {
		return nil, badSelection("", "expected %d coordinates, not %d", len(l.axes), len(point))
	}
	index := make([]float64, len(point))
	for i, v := range point {
		index[i] = (v - l.Translation[i]) / l.Scale[i]
	}
	return index, nil
}

// Image is an image in several resolutions (section "multiscales").
type Image struct {
	// Group is the image's group.
	Group *zarr.Group
	// Version is the version whose rules apply.
	Version Version
	Name    string
	// Type is the downsampling method, such as "gaussian", and Metadata its details.
	Type     string
	Metadata json.Value
	// Axes holds the dimensions. Since 0.6 they are those of the intrinsic coordinate system.
	Axes []Axis
	// Levels holds the resolutions in the document's order: the finest first, if valid.
	Levels []*Level
	// Channels holds the channels' rendering settings, or nil.
	Channels []Channel
	// RDefs holds the initial rendering settings, or nil.
	RDefs *RenderingDefaults
	// Label holds the meanings of a label image's values; nil for other images.
	Label *Label
	// Intrinsic is, since 0.6, the coordinate system of the levels.
	Intrinsic string
	// CoordinateSystems holds, since 0.6, the coordinate systems, and Transformations the links
	// between them.
	CoordinateSystems []CoordinateSystem
	Transformations   []Transformation
	// Problems lists the document's faults, as [Validate] does, except those that OpenImage
	// rejects.
	Problems []Problem

	datasets []dataset
}

// unreadable returns the error for a document that does not state the necessary facts.
func unreadable(what string, g *zarr.Group, problems []Problem) error {
	for _, p := range problems {
		if p.Level == Must {
			at := p.Path
			if at == "" {
				at = "attributes"
			}
			return badMetadata(g.Path(), "%s: %s: %s", what, at, p.Message)
		}
	}
	return badMetadata(g.Path(), "%s", what)
}

// OpenImage opens the image of a group: a multiscale of OME-Zarr 0.1 to 0.5, or of the draft of
// 0.6. It reads only arrays that the document depends on. These are the parameters of
// transformations with a path and, before 0.4, the levels' shapes. The latter imply the pixel
// sizes.
//
// The error is an [*zarr.InvalidMetadataError] when the document does not determine the pixels'
// positions; Problems lists other faults. It is a [*zarr.NotFoundError] when there is no image or
// no multiscale of that name.
func OpenImage(ctx context.Context, g *zarr.Group, opt ImageOptions) (*Image, error) {
	d := documentOf(g.Metadata().Attributes, opt.Version)
	multiscales := d.root.get("multiscales")
	if !multiscales.Exists() {
		return nil, &zarr.NotFoundError{Path: g.Path(), Want: "image of OME-Zarr"}
	}
	of := readImages(d)
	items := multiscales.items()
	which := opt.Index
	if opt.Name != "" {
		which = slices.IndexFunc(items, func(one member) bool { return one.get("name").text() == opt.Name })
	}
	if len(items) > 0 && (which < 0 || which >= len(items)) {
		return nil, &zarr.NotFoundError{Path: g.Path(), Want: "multiscale of OME-Zarr of that name"}
	}
	own := d.all.list
	if len(items) == 0 {
		return nil, unreadable("no image can be read", g, own)
	}
	read := of.images[which]
	if read == nil {
		own = slices.DeleteFunc(slices.Clone(own), func(p Problem) bool { return !strings.HasPrefix(p.Path, items[which].path) })
		return nil, unreadable("no image can be read", g, own)
	}
	levels, err := openLevels(ctx, g, read)
	if err != nil {
		return nil, err
	}
	return &Image{
		Group: g, Version: d.version, Name: read.name, Type: read.kind, Metadata: read.metadata, Axes: read.axes, Levels: levels,
		Channels: of.channels, RDefs: of.rdefs, Label: of.label, Intrinsic: read.intrinsic, CoordinateSystems: read.systems,
		Transformations: read.transformations, Problems: d.all.list, datasets: read.datasets,
	}, nil
}

func openLevels(ctx context.Context, g *zarr.Group, m *multiscale) ([]*Level, error) {
	levels := make([]*Level, len(m.datasets))
	unplaced := m.datasets[0].transformations == nil
	if err := limits.Check("levels", maxLevels, int64(len(levels)), "an image"); unplaced && err != nil {
		return nil, err
	}
	err := each(ctx, len(levels), func(ctx context.Context, i int) error {
		one := m.datasets[i]
		l := &Level{Index: i, Path: one.path, group: g, axes: m.axes}
		levels[i] = l
		if unplaced {
			_, err := l.Array(ctx)
			return err
		}
		p, err := placed(ctx, g, one, len(m.axes))
		l.Scale, l.Translation = p.scale, p.translation
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, l := range levels {
		if !unplaced {
			break
		}
		p, err := downsampling(l.array.Shape, levels[0].array.Shape, resolve(g, l.Path))
		if err != nil {
			return nil, err
		}
		l.Scale, l.Translation = p.scale, p.translation
	}
	return levels, nil
}

// placed returns the position of a level. It reads parameters from arrays where necessary.
func placed(ctx context.Context, g *zarr.Group, one dataset, axes int) (placement, error) {
	known := make([]Transformation, len(one.transformations))
	for i, t := range one.transformations {
		var err error
		if known[i], err = withParameters(ctx, g, t); err != nil {
			return placement{}, err
		}
	}
	return place(known, axes, resolve(g, one.path))
}

// each calls do for the indices below n, several at once. The first error stops it.
func each(ctx context.Context, n int, do func(ctx context.Context, i int) error) error {
	all, ctx := guard.NewGroup(ctx)
	var next atomic.Int64
	for range min(n, 32) {
		all.Go(func() error {
			for {
				i := int(next.Add(1)) - 1
				if i >= n {
					return nil
				}
				if err := ctx.Err(); err != nil {
					return err
				}
				if err := do(ctx, i); err != nil {
					return err
				}
			}
		})
	}
	return all.Wait()
}

// Transform returns, since 0.6, the map from one coordinate system to another. It chains as many
// transformations as needed, and inverts them where possible. Reference{Path: "s0"} is a level's
// array. Each call reads parameters that are stored in arrays. The error is a [*zarr.NotFoundError]
// when the systems are not linked.
func (im *Image) Transform(ctx context.Context, from, to Reference) (Transform, error) {
	return route(ctx, im.edges(""), from, to)
}

// edges returns the transformations of this image and its levels as edges of the graph.
func (im *Image) edges(under string) []edge {
	axes := map[string]int{}
	for _, system := range im.CoordinateSystems {
		axes[system.Name] = len(system.Axes)
	}
	var all []Transformation
	for _, one := range im.datasets {
		all = append(all, one.transformations...)
	}
	var edges []edge
	for _, t := range append(all, im.Transformations...) {
		if t.Input == nil || t.Output == nil {
			continue
		}
		n, known := axes[t.Input.Name]
		if !known {
			n = len(im.Axes)
		}
		edges = append(edges, edge{keyOf(*t.Input, under), keyOf(*t.Output, under), n, t, im.Group})
	}
	return edges
}

// String returns a summary of several lines.
func (im *Image) String() string {
	var b strings.Builder
	kind, name := "Image", ""
	if im.Label != nil {
		kind = "Label image"
	}
	if im.Name != "" {
		name = " " + quote(im.Name)
	}
	fmt.Fprintf(&b, "<%s /%s of OME-Zarr %s%s>", kind, im.Group.Path(), im.Version, name)
	var axes []string
	for _, a := range im.Axes {
		if a.Unit == "" {
			axes = append(axes, a.Name)
		} else {
			axes = append(axes, a.Name+" ("+a.Unit+")")
		}
	}
	fmt.Fprintf(&b, "\n  axes      %s", strings.Join(axes, ", "))
	const most = 12
	for _, l := range im.Levels[:min(len(im.Levels), most)] {
		fmt.Fprintf(&b, "\n  level %-3d %s", l.Index, quote(l.Path))
		if shape := l.Shape(); shape != nil {
			b.WriteString(" shape=(" + joined(shape, func(n int64) string { return strconv.FormatInt(n, 10) }) + ")")
		}
		b.WriteString(" scale=(" + joined(l.Scale, sizeText) + ")")
	}
	if more := len(im.Levels) - most; more > 0 {
		fmt.Fprintf(&b, "\n  … %d levels more", more)
	}
	var shown []string
	for i, c := range im.Channels[:min(len(im.Channels), most)] {
		one := c.Label
		if one == "" {
			one = strconv.Itoa(i)
		}
		if c.Color != "" {
			one += " #" + c.Color
		}
		if c.Active != nil && !*c.Active {
			one += " (off)"
		}
		shown = append(shown, one)
	}
	if more := len(im.Channels) - most; more > 0 {
		shown = append(shown, fmt.Sprintf("… %d more", more))
	}
	if len(shown) > 0 {
		b.WriteString("\n  channels  " + strings.Join(shown, ", "))
	}
	return b.String()
}

func joined[T any](all []T, text func(T) string) string {
	texts := make([]string, len(all))
	for i, one := range all {
		texts[i] = text(one)
	}
	return strings.Join(texts, ", ")
}

// sizeText formats a finite number. It uses an exponent to avoid many zeros.
func sizeText(v float64) string {
	if size := math.Abs(v); size == 0 || size >= 1e-6 && size < 1e21 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strings.Replace(strconv.FormatFloat(v, 'e', -1, 64), "e-0", "e-", 1)
}
