// Package validate checks a hierarchy for errors: that every node opens, that attributes follow
// OME-Zarr and GeoZarr, and on request that every chunk decodes.
//
//	c, err := validate.New(ctx, node, validate.Options{Data: true})
//	report, err := c.Run(ctx)
//	fmt.Println(report.Nodes, "nodes,", report.Errors(), "errors")
//
// Chunks are read in units, as package units describes them. A unit reads some objects of an array,
// whole: chunks or shards. A scheduler of a cluster calls [Check.Look] for each unit, and
// [Check.Report] with all results. A result that occurs twice counts once.
package validate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/convention/geo"
	"github.com/zarr-wasm/zarr-wasm/zarr/convention/ome"
	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/internal/boxes"
	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/units"
)

// The levels of findings.
const (
	Error   = "error"   // violates a specification, or cannot be read
	Warning = "warning" // departs from a recommendation, or was not checked
)

// Finding is a fault of a node.
type Finding struct {
	Path    string `json:"path"`
	Level   string `json:"level"`
	Message string `json:"message"`
}

// Options control a check.
type Options struct {
	units.Options
	// Data reads every chunk.
	Data bool
	// Most is the largest number of chunks of an array to read; 0 is no limit.
	Most int64
	// Source names the source in the identity of the job, such as its address.
	Source string
}

// Report is the result of a check.
type Report struct {
	Nodes    int       `json:"nodes"`
	Chunks   int64     `json:"chunks"` // that were read, or are absent
	Findings []Finding `json:"findings"`
}

// Errors returns the number of findings that are errors.
func (r *Report) Errors() (n int) {
	for _, f := range r.Findings {
		if f.Level == Error {
			n++
		}
	}
	return n
}

// Found is the result of a unit.
type Found struct {
	Unit   int64 `json:"unit"`
	Chunks int64 `json:"chunks"`
	// Bad is the number of chunks that do not decode, and Findings those of the first ones.
	Bad      int64     `json:"bad,omitempty"`
	Findings []Finding `json:"findings,omitempty"`
}

// mostFound is the number of findings of an array about its chunks.
const mostFound = 100

// Check is a prepared check. Its nodes are opened and their attributes are checked.
type Check struct {
	opt    Options
	nodes  int
	found  []Finding
	arrays []*array
	// identity describes the arrays.
	identity strings.Builder
}

// array is an array whose chunks are read.
type array struct {
	*zarr.Array
	units int64 // that read it
	group int64 // objects of a unit
	cells int64 // objects to read
	inner int64 // the most chunks in an object
	most  int64 // chunks to read, or -1
}

// New opens a node and those below it, and checks their metadata.
func New(ctx context.Context, n zarr.Node, opt Options) (*Check, error) {
	opt.Options = opt.WithDefaults()
	c := &Check{opt: opt}
	fmt.Fprintf(&c.identity, "validate 1\n%s\n%d\n", opt.Source, opt.Most)
	return c, c.node(ctx, n)
}

func (c *Check) wrong(path, level, message string) {
	c.found = append(c.found, Finding{"/" + strings.TrimPrefix(path, "/"), level, message})
}

// node checks a node and those below it. An error stops the whole check.
func (c *Check) node(ctx context.Context, n zarr.Node) error {
	c.nodes++
	attributes := n.Metadata().Attributes
	for _, v := range geo.Validate(attributes, n) {
		c.wrong(n.Path(), v.Level, v.Convention+", "+v.Attribute+": "+v.Message)
	}
	if a, ok := n.(*zarr.Array); ok {
		if c.opt.Data {
			c.plan(a)
		}
		return ctx.Err()
	}
	group, ok := n.(*zarr.Group)
	if !ok {
		return nil
	}
	// Only OME-Zarr's multiscales are a list; LayoutOf reads the others.
	if layout, err := geo.LayoutOf(n.Path(), attributes); (err != nil || layout == nil) && ome.KindOf(attributes) != "" {
		report, err := ome.ValidateImage(ctx, group, "")
		if err != nil {
			c.wrong(n.Path(), Error, err.Error())
		}
		for _, p := range report.Problems {
			level := Warning
			if p.Level == ome.Must {
				level = Error
			}
			c.wrong(n.Path(), level, p.Path+": "+p.Message)
		}
	}
	members, err := group.Members(ctx)
	var unlisted *zarr.UnsupportedError
	if errors.As(err, &unlisted) {
		c.wrong(n.Path(), Warning, "its members were not checked: "+err.Error())
		return nil
	}
	if err != nil {
		return err
	}
	for _, m := range members {
		if m.Node == nil {
			if m.Err != nil {
				c.wrong(n.Path()+"/"+m.Name, Error, m.Err.Error())
			}
			continue
		}
		if err := c.node(ctx, m.Node); err != nil {
			return err
		}
	}
	return nil
}

// groupBytes is the size of the elements that one unit reads, if its objects are smaller.
const groupBytes = 8 << 20

// plan divides the objects of an array into units.
func (c *Check) plan(a *zarr.Array) {
	p := &array{Array: a, inner: 1, most: -1}
	var ok bool
	if p.cells, ok = a.Grid.Total(); !ok {
		p.cells = math.MaxInt64
	}
	object, chunk := a.Grid.ChunkShapes(), a.ChunkGrid().ChunkShapes()
	for d, n := range object {
		p.inner = boxes.Sum(p.inner, max(1, (n-1)/max(1, chunk[d])+1))
	}
	p.group = max(1, groupBytes/max(1, boxes.Bytes(object, boxes.ItemBytes(a))))
	if c.opt.Most > 0 && c.opt.Most < boxes.Sum(p.cells, p.inner) {
		p.most = c.opt.Most
		p.cells = min(p.cells, (p.most-1)/p.inner+1)
		c.wrong(a.Path(), Warning, fmt.Sprintf("at most %d chunks were read, the others were not", p.most))
	}
	if p.cells > 0 {
		p.units = (p.cells-1)/p.group + 1
	}
	c.arrays = append(c.arrays, p)
	for _, d := range a.Metadata().Documents {
		fmt.Fprintf(&c.identity, "%s %s %d %s\n", a.Path(), d.Name, len(d.Bytes), d.Bytes)
	}
}

// of returns the array of a unit, and the number of the unit among the array's.
func (c *Check) of(unit int64) (*array, int64) {
	for _, a := range c.arrays {
		if unit < a.units {
			return a, unit
		}
		unit -= a.units
	}
	return nil, 0
}

// Look makes a unit: it reads its chunks. An error means that the unit was interrupted.
func (c *Check) Look(ctx context.Context, unit int64) (Found, error) {
	found := Found{Unit: unit}
	a, of := c.of(unit)
	if a == nil {
		return found, fmt.Errorf("there is no unit %d", unit)
	}
	for cell := of * a.group; cell-of*a.group < a.group && cell < a.cells; cell++ {
		if err := a.look(ctx, cell, &found); err != nil {
			return found, err
		}
	}
	return found, nil
}

// look reads the chunks of an object.
func (a *array) look(ctx context.Context, cell int64, found *Found) error {
	counts, chunks := a.Grid.Counts(), a.ChunkGrid()
	lo, hi := make([]int64, len(counts)), make([]int64, len(counts))
	shape, all := a.Grid.Shape(), chunks.Counts()
	for d, rest := len(counts)-1, cell; d >= 0; d-- {
		at := rest % counts[d]
		rest /= counts[d]
		lo[d], hi[d] = chunks.Find(d, a.Grid.Start(d, at)), all[d]
		if at+1 < counts[d] && a.Grid.Start(d, at+1) < shape[d] {
			hi[d] = chunks.Find(d, a.Grid.Start(d, at+1))
		}
	}
	left := int64(-1)
	if a.most >= 0 {
		left = a.most - cell*a.inner
	}
	for at := slices.Clone(lo); left != 0; left-- {
		_, err := a.ReadInnerChunk(ctx, at, zarr.ReadOptions{})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		found.Chunks++
		if err != nil {
			if found.Bad++; found.Bad <= mostFound {
				found.Findings = append(found.Findings, Finding{"/" + a.Path(), Error, err.Error()})
			}
		}
		d := len(at) - 1
		for ; d >= 0; d-- {
			if at[d]++; at[d] < hi[d] {
				break
			}
			at[d] = lo[d]
		}
		if d < 0 {
			return nil
		}
	}
	return nil
}

// Report returns the findings about metadata, and those of the units in their order. An array has
// at most 100 findings about chunks, and the number of the others.
func (c *Check) Report(all []Found) Report {
	r := Report{Nodes: c.nodes, Findings: append([]Finding{}, c.found...)}
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b Found) int { return int(min(1, max(-1, a.Unit-b.Unit))) })
	all = slices.CompactFunc(all, func(a, b Found) bool { return a.Unit == b.Unit })
	first := int64(0)
	for _, a := range c.arrays {
		var bad, told int64
		for ; len(all) > 0 && all[0].Unit < first+a.units; all = all[1:] {
			f := all[0]
			more := f.Findings[:min(int64(len(f.Findings)), mostFound-told)]
			r.Findings = append(r.Findings, more...)
			r.Chunks, bad, told = r.Chunks+f.Chunks, bad+f.Bad, told+int64(len(more))
		}
		if bad > told {
			r.Findings = append(r.Findings, Finding{"/" + a.Path(), Error, fmt.Sprintf("%d further chunks cannot be read", bad-told)})
		}
		first += a.units
	}
	return r
}

// atOnce is the number of units that wait for the store at the same time.
const atOnce = 8

// Job returns the work, which calls f with the result of each unit. Calls do not overlap. It writes
// nothing to the hierarchy's store.
func (c *Check) Job(f func(Found)) units.Job {
	s := units.Stage{Name: "read", AtOnce: atOnce}
	for _, a := range c.arrays {
		s.Count += a.units
		s.Bytes += boxes.Bytes(a.Shape, boxes.ItemBytes(a.Array))
		// A chunk is in memory with its bytes.
		s.Memory = max(s.Memory, min(c.opt.Memory, boxes.Sum(boxes.Bytes(a.ChunkGrid().ChunkShapes(), boxes.ItemBytes(a.Array)), 2)))
	}
	var mu sync.Mutex
	s.Run = func(ctx context.Context, unit int64) error {
		found, err := c.Look(ctx, unit)
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		f(found)
		return nil
	}
	return units.Job{Store: memstore.New(nil), Identity: c.identity.String(), Stages: []units.Stage{s}}
}

// Run reads the chunks on all cores, and returns the report.
func (c *Check) Run(ctx context.Context) (Report, error) {
	var all []Found
	_, err := units.Run(ctx, c.Job(func(f Found) { all = append(all, f) }), c.opt.Options)
	return c.Report(all), err
}
