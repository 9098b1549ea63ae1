package ome

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
)

// ValidateImage validates a group's attributes, as [Validate] does, and the nodes that they name:
//   - Every level exists, with the rank of the axes and one data type. Levels go from the largest
//     to the smallest.
//   - Since 0.5, dimension names equal the axes' names, and labels have integers.
//   - The groups that a plate, a well, or a list of labels or series names exist.
//   - A well's acquisitions exist in its plate.
//
// It reads the metadata of these nodes, of a label image's source and of a well's plate, up to
// 1,000 nodes. Other failures, such as a store's, are errors.
func ValidateImage(ctx context.Context, g *zarr.Group, v Version) (Report, error) {
	d := documentOf(g.Metadata().Attributes, v)
	of := checkDocument(d)
	left := maxLevels
	for i, item := range d.root.get("multiscales").items() {
		if err := d.checkLevels(ctx, g, item, of.images[i], left); err != nil {
			return Report{}, err
		}
		left = max(left-len(item.get("datasets").items()), 0)
	}
	if d.kind == KindLabel && len(of.images) > 0 && of.images[0] != nil {
		if err := d.asManyAsTheSource(ctx, g, of.images[0]); err != nil {
			return Report{}, err
		}
	}
	if err := d.namedGroups(ctx, g); err != nil {
		return Report{}, err
	}
	return d.report(), nil
}

// namedGroups checks that the groups named by a plate, a well, or a list of labels or series exist.
// A well's acquisitions must exist in its plate.
func (d document) namedGroups(ctx context.Context, g *zarr.Group) error {
	images := d.root.get("well").get("images").items()
	var parts []member
	var under []string
	add := func(p member, at string) {
		if p.text() != "" && len(parts) < maxLevels {
			parts, under = append(parts, p), append(under, at+p.text())
		}
	}
	for _, item := range slices.Concat(d.root.get("plate").get("wells").items(), images) {
		add(item.get("path"), "")
	}
	for _, p := range d.root.get("labels").items() {
		add(p, "")
	}
	// The list of series is in a group beside the images.
	for _, p := range d.root.get("series").items() {
		add(p, "../")
	}
	missing := make([]bool, len(parts))
	err := each(ctx, len(parts), func(ctx context.Context, i int) error {
		_, err := openGroup(ctx, g, under[i])
		if missing[i] = isMissing(err); missing[i] {
			return nil
		}
		return err
	})
	if err != nil {
		return err
	}
	for i, p := range parts {
		if missing[i] {
			p.must("there is no group " + quote(p.text()))
		}
	}
	if len(images) == 0 {
		return nil
	}
	plate, err := openGroup(ctx, g, "../..")
	if isMissing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	ids := map[string]bool{}
	for _, item := range documentOf(plate.Metadata().Attributes, "").root.get("plate").get("acquisitions").items() {
		if id, ok := item.get("id").integer(); ok {
			ids[id] = true
		}
	}
	for _, item := range images {
		at := item.get("acquisition")
		if id, _ := at.integer(); at.Exists() && len(ids) > 0 && !ids[id] {
			at.report(d.since("0.4"), "`acquisition` MUST be one of the plate's acquisitions")
		} else if !at.Exists() && len(ids) > 1 {
			at.report(d.since("0.4"), "an image MUST have an `acquisition` if the plate has several")
		}
	}
	return nil
}

// invalid reports whether an error concerns the array itself rather than access to it.
func invalid(err error) bool {
	var (
		metadata    *zarr.InvalidMetadataError
		unsupported *zarr.UnsupportedError
		unknown     *zarr.UnknownCodecError
		limit       *codec.LimitError
	)
	return errors.As(err, &metadata) || errors.As(err, &unsupported) || errors.As(err, &unknown) || errors.As(err, &limit)
}

func (d document) checkLevels(ctx context.Context, g *zarr.Group, item member, m *multiscale, most int) error {
	var paths []member
	for _, one := range item.get("datasets").items() {
		paths = append(paths, one.get("path"))
	}
	if len(paths) > most {
		item.get("datasets").report(Warning, fmt.Sprintf("%d levels: only the arrays of %d are checked", len(paths), most))
	}
	paths = paths[:min(len(paths), most)]
	arrays, errs := make([]*zarr.Array, len(paths)), make([]error, len(paths))
	err := each(ctx, len(paths), func(ctx context.Context, i int) error {
		if path := paths[i].text(); path != "" {
			arrays[i], errs[i] = g.Hierarchy().OpenArray(ctx, resolve(g, path))
		}
		return nil
	})
	if err != nil {
		return err
	}
	var first, before *zarr.Array
	for i, err := range errs {
		switch {
		case isMissing(err):
			paths[i].must("there is no array " + quote(paths[i].text()))
		case err != nil && invalid(err):
			paths[i].must("the array " + quote(paths[i].text()) + " cannot be opened: " + err.Error())
		case err != nil:
			return err
		case first == nil:
			first = arrays[i]
		}
	}
	count := len(item.get("axes").items())
	if m != nil {
		count = len(m.axes)
	}
	for i, array := range arrays {
		if array == nil {
			continue
		}
		p, shape := paths[i], array.Shape
		if count > 0 && len(shape) != count {
			p.must(fmt.Sprintf("the array has %d dimensions for %d axes", len(shape), count))
		}
		if own, other := array.Type.JSName(), first.Type.JSName(); own != other {
			// Version 0.6 is the first to state this rule.
			p.report(d.since("0.6"), "the data type is "+own+", but another level has "+other)
		}
		if before != nil && len(before.Shape) == len(shape) {
			for axis, length := range shape {
				if length > before.Shape[axis] {
					p.must("the datasets MUST be ordered from the largest to the smallest")
					break
				}
			}
		}
		if kind := array.Type.Kind; d.kind == KindLabel && (kind != dtype.Int && kind != dtype.Uint || array.Type.Bits != 0) {
			p.report(d.since("0.5"), "labels MUST be integers, not "+array.Type.JSName())
		}
		if m != nil && d.version == "0.5" {
			var axes, names []string
			for _, a := range m.axes {
				axes = append(axes, a.Name)
			}
			for _, name := range array.DimensionNames {
				names = append(names, name.Text)
			}
			if !slices.Equal(axes, names) {
				p.must("`dimension_names` MUST be " + strings.Join(axes, ", ") + ", like the axes")
			}
		}
		before = array
	}
	if m != nil {
		d.sameExtents(ctx, g, m, paths, arrays)
		m.channelCount(first, d.root.get("omero").get("channels"))
	}
	return nil
}

// since returns Must from a version on, and Warning before it.
func (d document) since(v Version) ProblemLevel {
	if d.version >= v {
		return Must
	}
	return Warning
}

// sameExtents warns of levels with different extents: their ends differ by more than a pixel of the
// coarser level.
func (d document) sameExtents(ctx context.Context, g *zarr.Group, m *multiscale, paths []member, arrays []*zarr.Array) {
	places := make([]placement, min(len(m.datasets), len(paths)))
	err := each(ctx, len(places), func(ctx context.Context, i int) error {
		if m.datasets[i].transformations != nil {
			if p, err := placed(ctx, g, m.datasets[i], len(m.axes)); err == nil {
				places[i] = p
			}
		}
		return nil
	})
	if err != nil || len(places) == 0 || arrays[0] == nil || places[0].scale == nil {
		return
	}
	first, base := arrays[0].Shape, places[0].scale
	for i, p := range places {
		if i == 0 || arrays[i] == nil || len(arrays[i].Shape) != len(first) || len(p.scale) != len(first) {
			continue
		}
		for axis, length := range arrays[i].Shape {
			a, b := p.scale[axis], base[axis]
			most := max(math.Abs(a), math.Abs(b)) * (1 + 1e-9)
			if math.Abs(float64(length)*a-float64(first[axis])*b) > most {
				paths[i].report(Warning, "the extent along "+m.axes[axis].Name+" differs from that of the first level")
				break
			}
		}
	}
}

func (m *multiscale) channelCount(array *zarr.Array, channels member) {
	axis := slices.IndexFunc(m.axes, func(a Axis) bool { return a.Type == "channel" })
	length := int64(1)
	if axis >= 0 {
		if array == nil || axis >= len(array.Shape) {
			return
		}
		length = array.Shape[axis]
	}
	if n := len(channels.items()); n > 0 && int64(n) != length {
		channels.report(Warning, fmt.Sprintf("there are %d channels, but the channel axis has length %d", n, length))
	}
}

// asManyAsTheSource checks that a label image has as many levels as its source image, if found.
func (d document) asManyAsTheSource(ctx context.Context, g *zarr.Group, m *multiscale) error {
	source := d.root.get("image-label").get("source").get("image").text()
	if source == "" {
		source = "../../"
	}
	if resolve(g, source) == g.Path() {
		return nil
	}
	found, err := openGroup(ctx, g, source)
	if isMissing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	items := documentOf(found.Metadata().Attributes, "").root.get("multiscales").items()
	if len(items) == 0 {
		return nil
	}
	if n := len(items[0].get("datasets").items()); n > 0 && n != len(m.datasets) {
		d.root.get("multiscales").must(fmt.Sprintf("a label image MUST have as many levels as its source: %d, not %d", n, len(m.datasets)))
	}
	return nil
}
