package pyramid

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/convention/xarray"
	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/internal/boxes"
	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/rechunk"
	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/units"
)

// namesOf returns the names of an array's dimensions.
func namesOf(a *zarr.Array) []string {
	var names []string
	for _, n := range xarray.DimensionsOf(a.Metadata(), a.Path()).Names {
		names = append(names, n.Text)
	}
	return names
}

// dataset prepares the levels of a dataset: for each level a group of all arrays. Arrays without a
// halved dimension are copied into each level.
func (p *Pyramid) dataset(ctx context.Context, g *zarr.Group) error {
	members, err := g.Members(ctx)
	if err != nil {
		return err
	}
	arrays := map[string]*zarr.Array{}
	var main *zarr.Array
	for _, m := range members {
		a, ok := m.Node.(*zarr.Array)
		if !ok {
			return invalid(g.Path(), "the member %q is not an array: name a dataset, an array or an OME-Zarr image", m.Name)
		}
		arrays[m.Name] = a
		if len(a.Shape) >= 2 && (main == nil || boxes.Bytes(a.Shape, boxes.ItemBytes(a)) > boxes.Bytes(main.Shape, boxes.ItemBytes(main))) {
			main = a
		}
	}
	if main == nil || !slices.ContainsFunc(namesOf(main), func(n string) bool { return n != "" }) {
		return invalid(g.Path(), "the group has no array of several dimensions with names")
	}
	names := namesOf(main)
	axes, err := axesOf(p.opt.Axes, names)
	if err != nil {
		return invalid(main.Path(), "%v", err)
	}
	halved := []string{}
	for _, d := range axes {
		halved = append(halved, names[d])
	}
	p.src, p.Axes = main, axes
	if p.opt.Levels == 0 {
		p.opt.Levels = levelsOf(main, axes)
	}
	var parts []*Pyramid
	var copies []*rechunk.Rechunk
	var identity strings.Builder
	var stages []units.Stage
	for _, m := range members {
		a := arrays[m.Name]
		own := slices.DeleteFunc(slices.Clone(halved), func(n string) bool { return !slices.Contains(namesOf(a), n) })
		if len(own) == 0 {
			more, err := p.copies(ctx, a, m.Name)
			if err != nil {
				return err
			}
			for _, r := range more {
				stages = append(stages, r.Job().Stages...)
				identity.WriteString(r.Job().Identity)
			}
			copies = append(copies, more...)
			continue
		}
		part := &Pyramid{opt: p.opt, dst: p.dst, path: p.path, src: a, member: m.Name}
		part.opt.Axes = own
		part.opt.Area = p.opt.Area && len(a.Shape) > 1
		if coordinate := len(a.Shape) == 1; coordinate || !isNumeric(a.Type) {
			part.opt.Method = ""
		}
		if err := part.prepare(ctx); err != nil {
			return err
		}
		stages = append(stages, part.job.Stages...)
		identity.WriteString(part.job.Identity)
		parts = append(parts, part)
		if a == main {
			p.Levels, p.Method, p.chain.arrays = part.Levels, part.Method, part.chain.arrays
		}
	}
	p.job = units.Job{Store: p.dst.Store(), Path: p.path, Identity: "dataset\n" + identity.String(), Stages: stages}
	p.job.Finish = func(ctx context.Context) error {
		for _, part := range parts {
			if err := part.commit(ctx); err != nil {
				return err
			}
		}
		for _, r := range copies {
			if err := r.Job().Finish(ctx); err != nil {
				return err
			}
		}
		return p.groups(ctx, g)
	}
	return nil
}

// levelsOf returns the number of levels. The coarsest one has one chunk along each halved
// dimension.
func levelsOf(a *zarr.Array, axes []int) int {
	chunks := a.ChunkGrid().ChunkShapes()
	levels := 1
	for _, d := range axes {
		n, own := a.Shape[d], 1
		for ; n > chunks[d] && own < mostLevels; own++ {
			n = (n + 1) / 2
		}
		levels = max(levels, own)
	}
	return levels
}

// copies prepares a copy of an array for each level.
func (p *Pyramid) copies(ctx context.Context, a *zarr.Array, name string) ([]*rechunk.Rechunk, error) {
	var all []*rechunk.Rechunk
	for k := range p.opt.Levels {
		r, err := rechunk.New(ctx, a, p.dst, store.Join(p.path, store.Join(strconv.Itoa(k), name)), rechunk.Options{Options: p.opt.Options, Format: p.opt.Format})
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

// groups writes the attributes of the groups of levels, and then those of the group above.
func (p *Pyramid) groups(ctx context.Context, g *zarr.Group) error {
	source := g.Metadata().Attributes
	layout := []any{}
	factors := p.factors()
	for k, l := range p.Levels {
		level := map[string]any{"asset": l.Path}
		if k > 0 {
			scale := []float64{}
			for _, d := range p.Axes {
				scale = append(scale, factors[k][d]/factors[k-1][d])
			}
			level["derived_from"], level["resampling_method"] = p.Levels[k-1].Path, p.Method.registered()
			if len(scale) > 1 {
				level["transform"] = map[string]any{"scale": scale, "translation": make([]float64, len(scale))}
			}
		}
		layout = append(layout, level)
		attributes := asMap(source)
		for _, name := range append(own(), "multiscales") {
			delete(attributes, name)
		}
		if err := p.group(ctx, store.Join(p.path, l.Path), attributes); err != nil {
			return err
		}
	}
	attributes := asMap(source)
	for name, v := range conventionAttributes(source, layout, p.Method.registered()) {
		attributes[name] = v
	}
	return p.group(ctx, p.path, attributes)
}

// group sets attributes of a group, which it creates if necessary.
func (p *Pyramid) group(ctx context.Context, path string, attributes map[string]any) error {
	g, err := p.dst.RequireGroup(ctx, path, zarr.GroupSpec{Format: p.Format()})
	if err == nil {
		_, err = zarr.UpdateAttributes(ctx, g, attributes)
	}
	return err
}
