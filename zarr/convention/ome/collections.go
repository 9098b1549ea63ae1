package ome

import (
	"context"
	"slices"
	"strconv"

	"github.com/zarr-wasm/zarr-wasm/internal/limits"
	"github.com/zarr-wasm/zarr-wasm/zarr"
)

func openGroup(ctx context.Context, g *zarr.Group, path string) (*zarr.Group, error) {
	return g.Hierarchy().OpenGroup(ctx, resolve(g, path))
}

func openImageAt(ctx context.Context, g *zarr.Group, path string) (*Image, error) {
	group, err := openGroup(ctx, g, path)
	if err != nil {
		return nil, err
	}
	return OpenImage(ctx, group, ImageOptions{})
}

func notListed(g *zarr.Group, what string) error {
	return &zarr.NotFoundError{Path: g.Path(), Want: what}
}

// Labels lists the label images of an image (section "labels").
type Labels struct {
	// Group is the group "labels", or nil if the image has none.
	Group *zarr.Group
	// Paths holds the paths of the label images, relative to that group.
	Paths []string
	// Problems lists what is wrong with the list.
	Problems []Problem
}

// OpenLabels opens the list of an image's label images. g is the image's group, or its group
// "labels" itself. An image without such a group has no labels.
func OpenLabels(ctx context.Context, g *zarr.Group) (*Labels, error) {
	found := g
	if !documentOf(g.Metadata().Attributes, "").root.get("labels").Exists() {
		var err error
		if found, err = openGroup(ctx, g, "labels"); isMissing(err) {
			return &Labels{}, nil
		} else if err != nil {
			return nil, err
		}
	}
	d := documentOf(found.Metadata().Attributes, "")
	return &Labels{Group: found, Paths: pathsOf(d.root.get("labels")), Problems: d.all.list}, nil
}

// Open opens a label image: an [Image] with a Label.
func (l *Labels) Open(ctx context.Context, path string) (*Image, error) {
	if !slices.Contains(l.Paths, path) {
		return nil, &zarr.NotFoundError{Path: path, Want: "label image that is listed"}
	}
	return openImageAt(ctx, l.Group, path)
}

// SourceOf returns the path of a label image's source image (section "labels", "source").
func SourceOf(im *Image) string {
	source := "../../"
	if im.Label != nil {
		source = im.Label.Source
	}
	return resolve(im.Group, source)
}

// Plate is a plate of wells (section "plate").
type Plate struct {
	// Group is the plate's group.
	Group *zarr.Group
	Name  string
	// FieldCount is the largest number of fields of view in a well, or nil.
	FieldCount *int64
	// Rows and Columns hold the names of the rows and columns.
	Rows, Columns []string
	Acquisitions  []Acquisition
	// Wells holds the wells that have images. An unstated index is -1.
	Wells []PlateWell
	// Problems lists what is wrong with the document.
	Problems []Problem
}

// OpenPlate opens a plate from its group's attributes, without a request. The error is a
// [*zarr.NotFoundError] when the group is not a plate, and an [*zarr.InvalidMetadataError] when no
// listed well can be found.
func OpenPlate(g *zarr.Group) (*Plate, error) {
	d := documentOf(g.Metadata().Attributes, "")
	p := d.root.get("plate")
	if !p.Exists() {
		return nil, notListed(g, "plate of OME-Zarr")
	}
	plate := plateOf(p, d)
	if len(plate.wells) == 0 {
		return nil, unreadable("no plate can be read", g, d.all.list)
	}
	return &Plate{
		Group: g, Name: plate.name, FieldCount: plate.fieldCount, Rows: plate.rows, Columns: plate.columns,
		Acquisitions: plate.acquisitions, Wells: plate.wells, Problems: d.all.list,
	}, nil
}

// OpenWell opens a well by its path.
func (p *Plate) OpenWell(ctx context.Context, path string) (*Well, error) {
	if !slices.ContainsFunc(p.Wells, func(w PlateWell) bool { return w.Path == path }) {
		return nil, notListed(p.Group, "well "+quote(path)+" that is listed")
	}
	group, err := openGroup(ctx, p.Group, path)
	if err != nil {
		return nil, err
	}
	return OpenWell(group)
}

// Well is a well of a plate (section "well").
type Well struct {
	// Group is the well's group.
	Group *zarr.Group
	// Images holds the fields of view.
	Images []Field
	// Problems lists what is wrong with the document.
	Problems []Problem
}

// OpenWell opens a well from its group's attributes, without a request. The error is a
// [*zarr.NotFoundError] when the group is not a well, and an [*zarr.InvalidMetadataError] when it
// lists no image.
func OpenWell(g *zarr.Group) (*Well, error) {
	d := documentOf(g.Metadata().Attributes, "")
	p := d.root.get("well")
	if !p.Exists() {
		return nil, notListed(g, "well of OME-Zarr")
	}
	images := wellOf(p, d)
	if len(images) == 0 {
		return nil, unreadable("no well can be read", g, d.all.list)
	}
	return &Well{g, images, d.all.list}, nil
}

// OpenImage opens an image by its path.
func (w *Well) OpenImage(ctx context.Context, path string) (*Image, error) {
	if !slices.ContainsFunc(w.Images, func(f Field) bool { return f.Path == path }) {
		return nil, notListed(w.Group, "image "+quote(path)+" that is listed")
	}
	return openImageAt(ctx, w.Group, path)
}

// Series lists the images that bioformats2raw converted from one file (section
// "bioformats2raw.layout").
type Series struct {
	// Group is the group with the layout.
	Group *zarr.Group
	// Layout is the layout's version in the document: 3.
	Layout int64
	// Images holds the paths of the images, in order, relative to the group.
	Images []string
	// Problems lists what is wrong with the documents.
	Problems []Problem
}

// maxImages bounds the search for numbered images.
const maxImages = 10_000

// OpenSeries opens the images of a group with "bioformats2raw.layout". The group OME lists them as
// "series"; otherwise they are the consecutive groups 0, 1, 2 and so on. The images of a plate are
// in wells: see [OpenPlate]. The error is a [*zarr.NotFoundError] for a group without that layout.
func OpenSeries(ctx context.Context, g *zarr.Group) (*Series, error) {
	d := documentOf(g.Metadata().Attributes, "")
	layout := d.root.get("bioformats2raw.layout")
	if !layout.Exists() {
		return nil, notListed(g, "bioformats2raw.layout")
	}
	layoutOf(layout)
	s := &Series{Group: g, Problems: d.all.list}
	s.Layout, _ = layout.Int64()
	ome, err := openGroup(ctx, g, "OME")
	if err == nil {
		listed := documentOf(ome.Metadata().Attributes, "")
		if p := listed.root.get("series"); p.Exists() {
			s.Images = pathsOf(p)
			s.Problems = append(slices.Clone(s.Problems), listed.all.list...)
			return s, nil
		}
	} else if !isMissing(err) {
		return nil, err
	}
	s.Images, err = numbered(ctx, g)
	return s, err
}

// numbered returns the names of the groups 0, 1, 2 and so on, up to the first missing one.
func numbered(ctx context.Context, g *zarr.Group) ([]string, error) {
	found := []string{}
	for step := 2; len(found) < maxImages; step = min(2*step, 64) {
		errs := make([]error, step)
		err := each(ctx, step, func(ctx context.Context, i int) error {
			_, errs[i] = openGroup(ctx, g, strconv.Itoa(len(found)+i))
			return nil
		})
		if err != nil {
			return nil, err
		}
		for _, err := range errs {
			switch {
			case isMissing(err):
				return found, nil
			case err != nil:
				return nil, err
			}
			found = append(found, strconv.Itoa(len(found)))
		}
	}
	return found, nil
}

// OpenImage opens an image by its path.
func (s *Series) OpenImage(ctx context.Context, path string) (*Image, error) {
	if !slices.Contains(s.Images, path) {
		return nil, notListed(s.Group, "image "+quote(path)+" that is listed")
	}
	return openImageAt(ctx, s.Group, path)
}

// Scene is a set of images in a common space, since 0.6 (section "scene").
type Scene struct {
	// Group is the scene's group.
	Group *zarr.Group
	// CoordinateSystems holds the scene's own coordinate systems.
	CoordinateSystems []CoordinateSystem
	// Transformations link the coordinate systems of the scene and of its images.
	Transformations []Transformation
	// Images holds the images by path, relative to the group.
	Images map[string]*Image
	// Problems lists what is wrong with the document.
	Problems []Problem

	edges []edge
}

// maxOfScene bounds the images of a scene.
const maxOfScene = 1000

// OpenScene opens a scene from its group, and the images that its transformations name. The error
// is a [*zarr.NotFoundError] when the group is not a scene or an image is missing, and an
// [*zarr.InvalidMetadataError] for an invalid document.
func OpenScene(ctx context.Context, g *zarr.Group) (*Scene, error) {
	d := documentOf(g.Metadata().Attributes, "")
	p := d.root.get("scene")
	if !p.Exists() {
		return nil, notListed(g, "scene of OME-Zarr")
	}
	read := sceneOf(p, d.draft())
	if len(read.transformations) == 0 {
		return nil, unreadable("no scene can be read", g, d.all.list)
	}
	var paths []string
	seen := map[string]bool{"": true}
	for _, t := range read.transformations {
		for _, end := range []*Reference{t.Input, t.Output} {
			if !seen[end.Path] {
				paths = append(paths, end.Path)
			}
			seen[end.Path] = true
		}
	}
	if err := limits.Check("images", maxOfScene, int64(len(paths)), "a scene"); err != nil {
		return nil, err
	}
	opened := make([]*Image, len(paths))
	err := each(ctx, len(paths), func(ctx context.Context, i int) (err error) {
		opened[i], err = openImageAt(ctx, g, paths[i])
		return err
	})
	if err != nil {
		return nil, err
	}
	s := &Scene{
		Group: g, CoordinateSystems: read.systems, Transformations: read.transformations, Images: map[string]*Image{}, Problems: d.all.list,
	}
	axes := map[Reference]int{}
	for _, system := range read.systems {
		axes[Reference{Name: system.Name}] = len(system.Axes)
	}
	var others []edge
	for i, im := range opened {
		s.Images[paths[i]] = im
		others = append(others, im.edges(paths[i])...)
		for _, system := range im.CoordinateSystems {
			axes[keyOf(Reference{system.Name, paths[i]}, "")] = len(system.Axes)
		}
	}
	for _, t := range read.transformations {
		from := keyOf(*t.Input, "")
		s.edges = append(s.edges, edge{from, keyOf(*t.Output, ""), axes[from], t, g})
	}
	s.edges = append(s.edges, others...)
	return s, nil
}

// Transform returns the map from one coordinate system to another. Reference{"physical", "imageA"}
// is a system of an image, and a name alone one of the scene. Like [Image.Transform] it chains as
// many transformations as needed, including those of the images.
func (s *Scene) Transform(ctx context.Context, from, to Reference) (Transform, error) {
	return route(ctx, s.edges, from, to)
}
