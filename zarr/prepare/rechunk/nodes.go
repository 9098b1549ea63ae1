package rechunk

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/units"
)

// Rechunk is a prepared copy of an array, or of a group with all nodes below it.
type Rechunk struct {
	// Plans has a plan for each array.
	Plans []Plan
	// Skipped reports, after Run, that the target exists and stays.
	Skipped bool

	opt    Options
	src    zarr.Node
	dst    *zarr.Hierarchy
	groups []group
	parts  []*part
	job    units.Job
}

// group is a group to copy, and its path in the target.
type group struct {
	*zarr.Group
	to string
}

// New prepares the copy of a node to a path of a hierarchy. It writes nothing. Errors are
// [*units.MemoryError] and those of [zarr.Copy].
func New(ctx context.Context, src zarr.Node, dst *zarr.Hierarchy, path string, opt Options) (*Rechunk, error) {
	opt.Options = opt.WithDefaults()
	r := &Rechunk{opt: opt, src: src, dst: dst}
	var stages []stage
	err := zarr.Each(ctx, src, func(n zarr.Node, below string) error {
		to := store.Join(path, below)
		a, ok := n.(*zarr.Array)
		if !ok {
			r.groups = append(r.groups, group{n.(*zarr.Group), to})
			return nil
		}
		p, own, err := newPart(ctx, a, below, dst, to, opt)
		if err != nil {
			return err
		}
		r.parts, r.Plans = append(r.parts, p), append(r.Plans, p.Plan)
		for i, s := range own {
			stages = append(stages, stage{s, i})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	r.job = units.Job{Store: dst.Store(), Path: path, Stages: joined(stages), Identity: r.identity(), Finish: r.finish}
	return r, nil
}

// stage is a stage of an array, and its place among the array's stages.
type stage struct {
	units.Stage
	place int
}

// joined joins the stages of arrays. Units of different arrays do not depend on each other, so that
// an array needs no stage of its own.
func joined(all []stage) (stages []units.Stage) {
	type kind struct{ place, atOnce int }
	var kinds []kind
	parts := map[kind][]units.Stage{}
	for _, s := range all {
		k := kind{s.place, s.AtOnce}
		if parts[k] = append(parts[k], s.Stage); len(parts[k]) == 1 {
			kinds = append(kinds, k)
		}
	}
	slices.SortStableFunc(kinds, func(a, b kind) int { return a.place - b.place })
	for _, k := range kinds {
		stages = append(stages, units.Join(parts[k]))
	}
	return stages
}

// UnfinishedError reports that the target has the journal of an unfinished job with other options.
type UnfinishedError struct{ Path string }

func (e *UnfinishedError) Error() string {
	return fmt.Sprintf("%q has an unfinished job with other options or of another version: repeat that command, or replace the target", "/"+e.Path)
}

func existingAt(ctx context.Context, h *zarr.Hierarchy, path string) (zarr.Node, error) {
	n, err := h.Open(ctx, path, zarr.OpenOptions{Fresh: true})
	var absent *zarr.NotFoundError
	if errors.As(err, &absent) {
		return nil, nil
	}
	return n, err
}

// admit applies IfExists.
func (r *Rechunk) admit(ctx context.Context) error {
	path := r.job.Path
	state, err := r.job.State(ctx)
	if err != nil || state == units.StateSame {
		return err
	}
	existing, err := existingAt(ctx, r.dst, path)
	switch {
	case err != nil:
		return err
	case existing == nil && state == units.StateNone:
		return nil
	case r.opt.IfExists == zarr.IfExistsReplace:
		if existing != nil {
			err = r.dst.Delete(ctx, path)
		} else {
			err = store.CapabilitiesOf(r.dst.Store()).DeleteAll(ctx, path)
		}
		if err != nil {
			return err
		}
		// The deletion made the drafts invalid.
		fresh, err := New(ctx, r.src, r.dst, path, r.opt)
		if err != nil {
			return err
		}
		*r = *fresh
		return nil
	case existing == nil:
		return &UnfinishedError{path}
	case r.opt.IfExists == zarr.IfExistsSkip:
		r.Skipped = true
		return nil
	}
	found := "group"
	if existing.Metadata().Array != nil {
		found = "array"
	}
	return &zarr.ExistsError{Path: path, Found: found}
}

// Run runs the copy, or continues it. An existing target is an *[zarr.ExistsError], unless IfExists
// permits it. An [*UnfinishedError] reports an unfinished copy with other options.
func (r *Rechunk) Run(ctx context.Context) (units.Stats, error) {
	if err := r.admit(ctx); err != nil || r.Skipped {
		return units.Stats{}, err
	}
	return units.Run(ctx, r.job, r.opt.Options)
}

// Target returns the copy of an array, whose written elements can be read. It is nil for a group.
func (r *Rechunk) Target() *zarr.Array {
	if _, ok := r.src.(*zarr.Array); !ok {
		return nil
	}
	return r.parts[0].dst.Array
}

// Job returns the work, for another scheduler than [units.Run].
func (r *Rechunk) Job() units.Job { return r.job }

// finish deletes the temporary arrays, and then writes all documents.
func (r *Rechunk) finish(ctx context.Context) error {
	for _, p := range r.parts {
		if err := p.clear(ctx); err != nil {
			return err
		}
	}
	// Groups come first: a document of an array would create a missing group without attributes.
	for _, g := range r.groups {
		if err := r.dst.CommitGroup(ctx, g.to, g.Group, r.opt.Format); err != nil {
			return err
		}
	}
	for _, p := range r.parts {
		if err := p.dst.Commit(ctx); err != nil {
			return err
		}
	}
	return nil
}

// identity describes the job.
func (r *Rechunk) identity() string {
	var b strings.Builder
	for _, g := range r.groups {
		fmt.Fprintf(&b, "group %s %d\n%s\n", g.to, r.opt.Format, g.Metadata().Attributes.Raw())
	}
	for _, p := range r.parts {
		b.WriteString(p.identity())
	}
	return b.String()
}
