// Package pyramid makes the levels of images, grids and plain arrays: copies at half, a quarter and
// further fractions of the resolution.
//
//	p, err := pyramid.New(ctx, image, nil, "", pyramid.Options{}) // an OME-Zarr image, in place
//	p, err := pyramid.New(ctx, array, dst, "levels", pyramid.Options{}) // into a new group
//	stats, err := p.Run(ctx)
//
// Each level halves some dimensions of the level before, whose stored values it is made of. Lengths
// round up: the last element of an odd length stays alone. Means ignore missing elements: NaN, NaT,
// and in grids those that _FillValue, missing_value and the valid range declare. Means are those of
// stored numbers, so that packed numbers stay packed.
//
// A unit of the work is a chunk or shard of a level, with all chunks of finer levels below it. It
// reads each chunk of the source once for all of them, if chunks of the levels have the source's
// shape. The work is a job of package units: it continues after an interruption.
package pyramid

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/convention/cf"
	"github.com/zarr-wasm/zarr-wasm/zarr/convention/ome"
	"github.com/zarr-wasm/zarr-wasm/zarr/convention/xarray"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/internal/boxes"
	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/rechunk"
	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/units"
)

// Options control how levels are made. The zero value selects by the metadata of the source.
type Options struct {
	units.Options
	// Method is the rule. The default is MethodMode for labels, flags and bool, MethodNearest for
	// types without numbers, and else MethodMean.
	Method Method
	// Axes are the halved dimensions, by name or number; negative numbers count from the end. The
	// default is y and x, or latitude and longitude, or else the last two.
	Axes []string
	// Levels is the number of levels with the source. By default the coarsest one is the first
	// whose halved dimensions have one chunk each.
	Levels int
	// OME writes OME-Zarr metadata for an array. Images always have it; otherwise the group has
	// that of the multiscales convention.
	OME bool
	// Area weights means by the cosine of the latitude.
	Area bool
	// Format is the version of a new group, 2 or 3; 0 is that of the source.
	Format int
	// Array, if set, changes the specification of the arrays that are written: chunks, shards and
	// codecs. It is called with the number of the level.
	Array func(level int, spec *zarr.ArraySpec)
	// NoShards omits shards, which levels of version 3 have by default.
	NoShards bool
	// IfExists selects the behaviour when the target exists. In place, levels are the target.
	IfExists zarr.IfExists
	// Source names the source in the identity of the job, such as its address.
	Source string
}

// Level describes a level.
type Level struct {
	Path  string  `json:"path"`
	Shape []int64 `json:"shape"`
}

// Pyramid is prepared work.
type Pyramid struct {
	// Levels are those of the source array, which is the first of them.
	Levels []Level
	// Method is the rule in use, and Axes the halved dimensions.
	Method Method
	Axes   []int
	// Skipped reports, after Run, that the target exists and stays.
	Skipped bool

	opt    Options
	image  *image // nil for arrays without OME-Zarr metadata
	src    *zarr.Array
	dst    *zarr.Hierarchy
	path   string // of the group of the levels
	base   *rechunk.Rechunk
	drafts []*zarr.Draft
	chain  chain
	// member is the name of the array in the groups of a dataset's levels; "" if levels are arrays.
	// It has as many levels as the dataset.
	member string
	job    units.Job
	again  func(context.Context) (*Pyramid, error) // prepares the work once more
}

// mostLevels bounds the levels of an array.
const mostLevels = 32

// New prepares the levels of an array, or of an OME-Zarr image. They become members of a group at a
// path of a hierarchy, with a copy of the source as the first. If dst is nil, levels of an image
// are added to its own group, and path is not used. New writes nothing.
func New(ctx context.Context, src zarr.Node, dst *zarr.Hierarchy, path string, opt Options) (*Pyramid, error) {
	opt.Options = opt.WithDefaults()
	p := &Pyramid{opt: opt, dst: dst, path: path}
	p.again = func(ctx context.Context) (*Pyramid, error) { return New(ctx, src, dst, path, opt) }
	if g, ok := src.(*zarr.Group); ok && dst != nil && ome.KindOf(g.Metadata().Attributes) != ome.KindImage {
		return p, p.dataset(ctx, g)
	}
	if err := p.open(ctx, src); err != nil {
		return nil, err
	}
	return p, p.prepare(ctx)
}

// Source returns the node whose levels New makes: the first array of an OME-Zarr image, or else the
// node itself.
func Source(ctx context.Context, n zarr.Node) (zarr.Node, error) {
	g, ok := n.(*zarr.Group)
	if !ok || ome.KindOf(g.Metadata().Attributes) != ome.KindImage {
		return n, nil
	}
	found, err := imageOfGroup(ctx, g)
	if err != nil {
		return nil, err
	}
	return found.array, nil
}

// prepare plans the levels of the source array.
func (p *Pyramid) prepare(ctx context.Context) error {
	if err := p.choose(ctx); err != nil {
		return err
	}
	if err := p.draft(ctx); err != nil {
		return err
	}
	p.chain.name = p.src.Path()
	for _, d := range p.drafts {
		p.chain.arrays = append(p.chain.arrays, d.Array)
	}
	stages := p.chain.plan(p.opt.Memory, p.opt.Workers)
	if p.base != nil {
		stages = append(slices.Clone(p.base.Job().Stages), stages...)
	}
	p.job = units.Job{Store: p.dst.Store(), Path: p.path, Identity: p.identity(stages), Stages: stages, Finish: p.finish}
	return nil
}

func invalid(path, format string, args ...any) error {
	return &zarr.UnsupportedError{Path: path, Feature: "a pyramid: " + fmt.Sprintf(format, args...)}
}

// open finds the source array.
func (p *Pyramid) open(ctx context.Context, src zarr.Node) error {
	switch src := src.(type) {
	case *zarr.Array:
		if p.src = src; p.dst == nil {
			return invalid(src.Path(), "the levels of an array need a target")
		}
		if p.opt.OME {
			p.image = imageOfArray(src)
		}
	case *zarr.Group:
		if ome.KindOf(src.Metadata().Attributes) != ome.KindImage {
			return invalid(src.Path(), "the group is no OME-Zarr image: name an array")
		}
		var err error
		if p.image, err = imageOfGroup(ctx, src); err != nil {
			return err
		}
		p.src = p.image.array
		if p.dst == nil {
			p.dst, p.path, p.image.inPlace = src.Hierarchy(), src.Path(), true
		}
	}
	if len(p.src.Shape) == 0 {
		return invalid(p.src.Path(), "an array without dimensions has no levels")
	}
	return nil
}

// names returns the names of the dimensions; "" is none.
func (p *Pyramid) names() []string {
	names := make([]string, len(p.src.Shape))
	if p.image != nil {
		for d, a := range p.image.axes {
			names[d] = a.Name
		}
		return names
	}
	for d, n := range xarray.DimensionsOf(p.src.Metadata(), p.src.Path()).Names {
		if d < len(names) {
			names[d] = n.Text
		}
	}
	return names
}

// choose chooses the axes, the method and the treatment of missing elements.
func (p *Pyramid) choose(ctx context.Context) error {
	names := p.names()
	axes, err := axesOf(p.opt.Axes, names)
	if err != nil {
		return invalid(p.src.Path(), "%v", err)
	}
	p.Axes = axes
	r := &reducer{stored: p.src.Type, method: p.opt.Method, halved: make([]bool, len(names)), along: -1}
	for _, d := range axes {
		r.halved[d] = true
	}
	isGrid := p.image == nil && slices.ContainsFunc(names, func(n string) bool { return n != "" })
	labels := p.src.Type.Kind == dtype.Bool || p.image != nil && p.image.labels
	scale := 1.0
	if p.image == nil && isNumeric(p.src.Type) {
		opt := cf.Options{ValidRange: true, NoDecodeTimes: true, ZarrFillValueAsMask: cf.FillMaskNever}
		if isGrid {
			opt.ZarrFillValueAsMask = cf.FillMaskDefault
		}
		fill := p.src.Fill
		if !p.src.FillDefined {
			fill = nil
		}
		d, err := cf.NewDecoder(p.src.Metadata().Attributes, p.src.Type, fill, p.src.Metadata().Format, opt)
		if err != nil {
			return err
		}
		if r.stored = d.Stored(); d.Masks() {
			r.cf = d
		}
		labels = labels || d.Flags != nil
		scale, _ = d.Packing()
	}
	switch {
	case r.method != "":
	case !isNumeric(p.src.Type):
		r.method = MethodNearest
	case labels:
		r.method = MethodMode
	default:
		r.method = MethodMean
	}
	p.Method = r.method
	if err := r.check(); err != nil {
		return invalid(p.src.Path(), "%v", err)
	}
	r.coordinate = p.member != "" && len(names) == 1 && names[0] == p.member && r.method == MethodMean && r.stored.Kind != dtype.Complex
	if scale < 0 { // the largest value is the smallest stored number
		switch r.method {
		case MethodMax:
			r.method = MethodMin
		case MethodMin:
			r.method = MethodMax
		}
	}
	if p.opt.Area {
		if err := p.weigh(ctx, r, names); err != nil {
			return err
		}
	}
	p.chain.reducer = r
	return nil
}

// check reports a method that does not apply to the type.
func (r *reducer) check() error {
	switch r.method {
	case MethodNearest:
		return nil
	case MethodMean, MethodMode, MethodMax, MethodMin:
		if !isNumeric(r.stored) || r.stored.Kind == dtype.Complex && r.method != MethodMean {
			return fmt.Errorf("the method %q does not apply to %s", r.method, r.stored.Name)
		}
		return nil
	}
	return fmt.Errorf("unknown method %q: use mean, mode, max, min or nearest", r.method)
}

// axesOf returns the numbers of the halved dimensions.
func axesOf(chosen, names []string) ([]int, error) {
	var axes []int
	for _, name := range chosen {
		d := slices.Index(names, name)
		if d < 0 {
			n, err := strconv.Atoi(name)
			if n < 0 {
				n += len(names)
			}
			if err != nil || n < 0 || n >= len(names) {
				return nil, fmt.Errorf("no dimension %q of %q", name, names)
			}
			d = n
		}
		if !slices.Contains(axes, d) {
			axes = append(axes, d)
		}
	}
	if chosen != nil {
		slices.Sort(axes)
		return axes, nil
	}
	for _, pair := range [][2]string{{"y", "x"}, {"lat", "lon"}, {"latitude", "longitude"}, {"Y", "X"}, {"northing", "easting"}, {"rlat", "rlon"}} {
		if y, x := slices.Index(names, pair[0]), slices.Index(names, pair[1]); y >= 0 && x >= 0 {
			return []int{min(x, y), max(x, y)}, nil
		}
	}
	for d := max(0, len(names)-2); d < len(names); d++ {
		axes = append(axes, d)
	}
	return axes, nil
}

// weigh sets the weights of the latitudes.
func (p *Pyramid) weigh(ctx context.Context, r *reducer, names []string) error {
	for d, name := range names {
		if lower := strings.ToLower(name); lower != "lat" && lower != "latitude" || !r.halved[d] {
			continue
		}
		parent, _, _ := cutLast(p.src.Path())
		a, err := p.src.Hierarchy().OpenArray(ctx, store.Join(parent, name))
		if err != nil {
			return err
		}
		res, err := a.Read(ctx, nil, zarr.ReadOptions{})
		if err != nil {
			return err
		}
		domain := ndarray.DomainOf(a.Type)
		if domain == ndarray.DomainNone || !slices.Equal(a.Shape, p.src.Shape[d:d+1]) {
			return invalid(a.Path(), "the latitudes have type %s and shape %v", a.Type.Name, a.Shape)
		}
		weights := make([]float64, a.Shape[0])
		for i := range weights {
			degrees := ndarray.Convert(ndarray.Load(res.Data, i, a.Type), domain, ndarray.DomainReal).Float()
			if weights[i] = max(0, math.Cos(degrees*math.Pi/180)); weights[i] != weights[i] || math.Abs(degrees) > 90.001 {
				return invalid(a.Path(), "%v is no latitude in degrees", degrees)
			}
		}
		r.along, r.weights = d, [][]float64{weights}
		return nil
	}
	return invalid(p.src.Path(), "weights by area need a halved dimension lat or latitude with its coordinates")
}

// cutLast returns the path of a node's parent, and its name.
func cutLast(path string) (parent, name string, found bool) {
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		return path[:i], path[i+1:], true
	}
	return "", path, false
}

// weightsOf returns the weights of the next level: a row weighs as much as its rows below.
func weightsOf(w []float64) []float64 {
	next := make([]float64, (len(w)+1)/2)
	for i, v := range w {
		next[i/2] += v
	}
	return next
}

// draft makes drafts of all levels.
func (p *Pyramid) draft(ctx context.Context) error {
	halved := p.chain.halved
	format := p.opt.Format
	if format == 0 {
		format = max(2, p.src.Metadata().Format)
	}
	path := "0"
	if p.image != nil && p.image.inPlace {
		path = p.image.path
		format = p.src.Metadata().Format
		p.chain.arrays = []*zarr.Array{p.src}
	} else {
		var err error
		p.base, err = rechunk.New(ctx, p.src, p.dst, store.Join(p.path, store.Join(path, p.member)), rechunk.Options{
			Options: p.opt.Options, Format: format, OnePass: false,
			Array: func(_ string, spec *zarr.ArraySpec) { p.layout(0, spec) },
		})
		if err != nil {
			return err
		}
		p.chain.arrays = []*zarr.Array{p.base.Target()}
	}
	p.Levels = []Level{{path, p.src.Shape}}
	shape := p.src.Shape
	for k := 1; k < mostLevels; k++ {
		next := halfShape(shape, halved)
		if slices.Equal(next, shape) && p.member == "" || p.opt.Levels > 0 && k >= p.opt.Levels || p.opt.Levels == 0 && p.small(shape) {
			break
		}
		shape = next
		path = nextName(path)
		spec := p.src.Spec(format)
		spec.Shape = shape
		p.layout(k, &spec)
		p.levelAttributes(&spec)
		d, err := p.dst.Draft(ctx, store.Join(p.path, store.Join(path, p.member)), spec)
		if err != nil {
			return err
		}
		if w := p.chain.weights; w != nil {
			p.chain.weights = append(w, weightsOf(w[k-1]))
		}
		p.drafts = append(p.drafts, d)
		p.Levels = append(p.Levels, Level{path, shape})
	}
	return nil
}

// nextName returns the name of the next level: "1" after "0", "s1" after "s0".
func nextName(name string) string {
	end := len(strings.TrimRight(name, "0123456789"))
	n, err := strconv.ParseInt(name[end:], 10, 32)
	if err != nil {
		return name + "_1"
	}
	return name[:end] + strconv.FormatInt(n+1, 10)
}

// small reports whether a level has one chunk along each halved dimension.
func (p *Pyramid) small(shape []int64) bool {
	chunks := p.chain.arrays[0].ChunkGrid().ChunkShapes()
	for _, d := range p.Axes {
		if shape[d] > chunks[d] {
			return false
		}
	}
	return true
}

// shardBytes is the size of the elements of a shard that New chooses.
const shardBytes = 16 << 20

// layout sets the chunks and shards of a level.
func (p *Pyramid) layout(level int, spec *zarr.ArraySpec) {
	if p.image != nil && spec.Format == 3 {
		spec.DimensionNames = nil
		for _, a := range p.image.axes { // OME-Zarr 0.5 requires them
			spec.DimensionNames = append(spec.DimensionNames, a.Name)
		}
	}
	given := *spec
	if p.opt.Array != nil {
		p.opt.Array(level, spec)
		if changed := !slices.Equal(given.Chunks, spec.Chunks) || !slices.Equal(given.Shards, spec.Shards) || spec.ChunkEdges != nil; level == 0 || changed && spec.Shards != nil {
			return
		}
	}
	if level == 0 {
		return
	}
	from := p.chain.arrays[0]
	spec.ChunkEdges, spec.ShardEdges = nil, nil
	if spec.Chunks = slices.Clone(spec.Chunks); spec.Chunks == nil {
		spec.Chunks = from.ChunkGrid().ChunkShapes()
	}
	for d, n := range spec.Shape {
		spec.Chunks[d] = min(spec.Chunks[d], max(1, n))
	}
	if p.opt.NoShards || spec.Format != 3 {
		spec.Shards = nil
		return
	}
	shards := slices.Clone(spec.Shards)
	if shards == nil {
		shards = p.grown(spec.Chunks, spec.Shape)
	}
	for d, c := range spec.Chunks {
		shards[d] = min((shards[d]+c-1)/c*c, (max(1, spec.Shape[d])+c-1)/c*c)
	}
	if spec.Shards = shards; slices.Equal(shards, spec.Chunks) {
		spec.Shards = nil
	}
}

// grown returns the shape of a shard: chunks that double along the halved dimensions.
func (p *Pyramid) grown(chunks, shape []int64) []int64 {
	shard := slices.Clone(chunks)
	for grew := true; grew; {
		grew = false
		for _, d := range p.Axes {
			if shard[d] < shape[d] && 2*boxes.Bytes(shard, boxes.ItemBytes(p.src)) <= shardBytes {
				shard[d] *= 2
				grew = true
			}
		}
	}
	return shard
}

// identity describes the job.
func (p *Pyramid) identity(stages []units.Stage) string {
	var b strings.Builder
	fmt.Fprintf(&b, "pyramid 1\n%s\n%s\n%s %v %v\n", p.opt.Source, p.src.Path(), p.Method, p.Axes, p.opt.Area)
	for _, s := range stages {
		fmt.Fprintln(&b, s.Name, s.Count)
	}
	nodes := []zarr.Node{p.src, p.chain.arrays[0]}
	for _, d := range p.drafts {
		nodes = append(nodes, d)
	}
	for _, n := range nodes {
		for _, d := range n.Metadata().Documents {
			fmt.Fprintf(&b, "%s %d %s\n", d.Name, len(d.Bytes), d.Bytes)
		}
	}
	return b.String()
}

// Run makes the levels, or continues. An existing target is an *[zarr.ExistsError], unless IfExists
// permits it. A [*rechunk.UnfinishedError] reports an unfinished job with other options.
func (p *Pyramid) Run(ctx context.Context) (units.Stats, error) {
	if err := p.admit(ctx); err != nil || p.Skipped {
		return units.Stats{}, err
	}
	return units.Run(ctx, p.job, p.opt.Options)
}

// Job returns the work, for another scheduler than [units.Run].
func (p *Pyramid) Job() units.Job { return p.job }

// admit applies IfExists: to the group, or in place to the levels.
func (p *Pyramid) admit(ctx context.Context) error {
	state, err := p.job.State(ctx)
	if err != nil || state == units.StateSame {
		return err
	}
	targets := []string{p.path}
	if p.image != nil && p.image.inPlace {
		targets = targets[:0]
		for _, l := range p.Levels[1:] {
			targets = append(targets, store.Join(p.path, l.Path))
		}
	}
	replaced := false
	for _, path := range targets {
		n, err := p.dst.Open(ctx, path, zarr.OpenOptions{Fresh: true})
		var absent *zarr.NotFoundError
		switch {
		case errors.As(err, &absent) && state == units.StateNone:
			continue
		case errors.As(err, &absent) && p.opt.IfExists != zarr.IfExistsReplace:
			return &rechunk.UnfinishedError{Path: p.path}
		case errors.As(err, &absent):
			if err := store.CapabilitiesOf(p.dst.Store()).DeleteAll(ctx, path); err != nil {
				return err
			}
			replaced = true
			continue
		case err != nil:
			return err
		}
		switch p.opt.IfExists {
		case zarr.IfExistsReplace:
			if err := p.dst.Delete(ctx, path); err != nil {
				return err
			}
			replaced = true
		case zarr.IfExistsSkip:
			p.Skipped = true
			return nil
		default:
			found := "group"
			if n.Metadata().Array != nil {
				found = "array"
			}
			return &zarr.ExistsError{Path: path, Found: found}
		}
	}
	if replaced { // the deletion made the drafts invalid
		fresh, err := p.again(ctx)
		if err != nil {
			return err
		}
		*p = *fresh
	}
	return nil
}

// commit writes the documents of the arrays.
func (p *Pyramid) commit(ctx context.Context) error {
	if p.base != nil {
		if err := p.base.Job().Finish(ctx); err != nil {
			return err
		}
	}
	for _, d := range p.drafts {
		if err := d.Commit(ctx); err != nil {
			return err
		}
	}
	return nil
}

// finish writes the documents: first those of the arrays, and then that of the group, which names
// them.
func (p *Pyramid) finish(ctx context.Context) error {
	if err := p.commit(ctx); err != nil {
		return err
	}
	attributes, err := p.attributes()
	if err != nil {
		return err
	}
	g, err := p.dst.RequireGroup(ctx, p.path, zarr.GroupSpec{Format: p.Format()})
	if err != nil {
		return err
	}
	if g, err = zarr.UpdateAttributes(ctx, g, attributes); err == nil && g.Metadata().Consolidated != nil {
		_, err = p.dst.ConsolidateMetadata(ctx, p.path) // the old one lacks the levels
	}
	return err
}

// Format returns the version of the levels.
func (p *Pyramid) Format() int { return p.chain.arrays[0].Metadata().Format }
