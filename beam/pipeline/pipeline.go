// Package pipeline runs the units of zarr/prepare as pipelines of Apache Beam. It is for data that
// outgrow one machine.
//
// An element of a collection is the number of a unit. A worker plans the same job as the program
// that started it, from the [Work], and makes the unit. The units of a stage wait for those of the
// stage before. The last step writes the metadata, or the findings of a check. Units may run twice,
// at the same time or again after a failure, because each writes the same bytes whenever it runs.
// Beam keeps the record of units, so there is no journal.
package pipeline

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"weak"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/transforms/stats"

	"github.com/zarr-wasm/zarr-wasm/cmd/zarr/blobstore"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/filestore"
	"github.com/zarr-wasm/zarr-wasm/store/httpstore"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs/writing"
	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/pyramid"
	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/rechunk"
	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/units"
	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/validate"
)

// Work describes a job. Every worker gets it, so From and To are addresses that all of them reach.
type Work struct {
	// Kind is "rechunk", "copy", "pyramid" or "validate". A copy is a rechunk that keeps all chunks.
	Kind string
	// From and To are directories or URLs: s3, gs, az or https. Endpoint is that of both. A check
	// writes the object [Findings] into To.
	From, To, Endpoint string
	// Node and As are the paths of the node in From, and of the output in To.
	Node, As string
	// Chunks and Shards are the shapes of the output; nil keeps those of the source.
	Chunks, Shards []int64
	// Format is the version of a copy, 2 or 3; 0 is that of the source.
	Format int
	// Memory is the bound of one worker in bytes, and Units the number of units that it runs at
	// once. Both select how the job is divided.
	Memory int64
	Units  int
	// TwoPasses lets a rechunk go through a temporary array. The last step deletes that array, so
	// no duplicate of a unit may still run then.
	TwoPasses bool
	// Most is the largest number of chunks of an array that a check reads; 0 is no limit.
	Most int64
	// Levels, Method and Axes are those of a pyramid.
	Levels int
	Method string
	Axes   []string
	// Identity is the identity of the job. Plan sets it, and workers compare it.
	Identity string
}

// Findings is the name of the object with the result of a check: a [validate.Report] in JSON.
const Findings = "findings.json"

// Plan returns the job of a work, and sets its identity. It writes nothing. The job of a check has
// no last step: [Work.Check] reports its results.
func (w *Work) Plan(ctx context.Context) (job units.Job, err error) {
	if w.Kind == "validate" {
		c, err := w.Check(ctx)
		if err != nil {
			return job, err
		}
		return c.Job(func(validate.Found) {}), nil
	}
	from, err := w.open(ctx, w.From, false)
	if err != nil {
		return job, err
	}
	to, err := w.open(ctx, w.To, true)
	if err != nil {
		return job, err
	}
	n, err := from.Open(ctx, w.Node, zarr.OpenOptions{})
	if err != nil {
		return job, err
	}
	opt := units.Options{Memory: units.Within(w.Memory), Workers: max(1, w.Units)}
	layout := func(spec *zarr.ArraySpec) {
		if len(w.Chunks) == len(spec.Shape) {
			spec.Chunks, spec.Shards, spec.ChunkEdges, spec.ShardEdges = w.Chunks, nil, nil, nil
		}
		if len(w.Shards) == len(spec.Shape) {
			spec.Shards, spec.ShardEdges = w.Shards, nil
		}
	}
	switch w.Kind {
	case "rechunk", "copy":
		if w.Kind == "copy" && (w.Chunks != nil || w.Shards != nil) {
			return job, errors.New("a copy keeps chunks and shards: rechunk changes them")
		}
		each := func(_ string, spec *zarr.ArraySpec) { layout(spec) }
		r, err := rechunk.New(ctx, n, to, w.As, rechunk.Options{Options: opt, Format: w.Format, Array: each, OnePass: !w.TwoPasses, Source: w.From})
		if err != nil {
			return job, err
		}
		job = r.Job()
	case "pyramid":
		p, err := pyramid.New(ctx, n, to, w.As, pyramid.Options{
			Options: opt, Method: pyramid.Method(w.Method), Axes: w.Axes, Levels: w.Levels, Source: w.From,
			Array: func(_ int, spec *zarr.ArraySpec) { layout(spec) },
		})
		if err != nil {
			return job, err
		}
		job = p.Job()
	default:
		return job, fmt.Errorf("the work %q is none of rechunk, copy, pyramid and validate", w.Kind)
	}
	for _, stage := range job.Stages {
		if stage.Name == "from temporary" && !w.TwoPasses {
			return job, errors.New("the copy needs a temporary array: allow two passes, or more memory")
		}
	}
	return job, w.same(job.Identity)
}

// same sets the identity of the work, or compares it.
func (w *Work) same(identity string) error {
	if w.Identity == "" {
		w.Identity = identity
	}
	if w.Identity != identity {
		return errors.New("the worker plans another job than the program that started it: the source changed, or the versions differ")
	}
	return nil
}

// Check prepares a check, and sets the identity of the work. It writes nothing.
func (w *Work) Check(ctx context.Context) (*validate.Check, error) {
	from, err := w.open(ctx, w.From, false)
	if err != nil {
		return nil, err
	}
	n, err := from.Open(ctx, w.Node, zarr.OpenOptions{})
	if err != nil {
		return nil, err
	}
	opt := units.Options{Memory: units.Within(w.Memory), Workers: max(1, w.Units)}
	c, err := validate.New(ctx, n, validate.Options{Options: opt, Data: true, Most: w.Most, Source: w.From})
	if err != nil {
		return nil, err
	}
	return c, w.same(c.Job(nil).Identity)
}

// Report reads the result of a check, or writes it if one is given.
func (w *Work) Report(ctx context.Context, write *validate.Report) (r validate.Report, err error) {
	to, err := w.open(ctx, w.To, true)
	if err != nil {
		return r, err
	}
	if write != nil {
		text, err := json.MarshalIndent(write, "", "  ")
		if err == nil {
			err = store.CapabilitiesOf(to.Store()).Set(ctx, Findings, text)
		}
		return *write, err
	}
	e, err := store.ReadKey(ctx, to.Store(), Findings, store.Ask{Fresh: true}, func(ctx context.Context, s store.Source, name string, ask store.Ask) (store.Extent, error) {
		return s.Read(ctx, name, ask)
	})
	if err == nil {
		err = json.Unmarshal(e.Bytes, &r)
	}
	return r, err
}

// Absent returns an error if the output exists.
func (w *Work) Absent(ctx context.Context) error {
	if w.Kind == "validate" { // a later result replaces it
		return nil
	}
	to, err := w.open(ctx, w.To, true)
	if err != nil {
		return err
	}
	_, err = to.Open(ctx, w.As, zarr.OpenOptions{Fresh: true})
	var absent *zarr.NotFoundError
	if errors.As(err, &absent) {
		return nil
	}
	if err == nil {
		err = &zarr.ExistsError{Path: w.As}
	}
	return err
}

func (w *Work) open(ctx context.Context, address string, create bool) (*zarr.Hierarchy, error) {
	var st store.Source
	var err error
	switch {
	case blobstore.Has(address):
		st, err = blobstore.Open(ctx, address, blobstore.Options{Endpoint: w.Endpoint})
	case strings.Contains(address, "://"):
		st, err = httpstore.New(address, httpstore.Options{})
	case create:
		st, err = filestore.MakeDir(filepath.FromSlash(address), filestore.DirOptions{})
	default:
		st, err = filestore.OpenDir(filepath.FromSlash(address), filestore.DirOptions{})
	}
	if err != nil {
		return nil, err
	}
	return zarr.New(st, writing.Codecs(), zarr.Options{Cache: zarr.CacheOptions{Metadata: 4 << 20, Indexes: 8 << 20, Encoded: 8 << 20, Decoded: 32 << 20}}), nil
}

// Temporary selects a new folder for the temporary files of this process, and returns a function
// that removes it. Beam's runner of this process leaves an empty file for each pipeline.
func Temporary() (remove func() error, err error) {
	dir, err := os.MkdirTemp("", "zarr-beam-")
	if err == nil {
		err = os.Setenv("TMPDIR", dir)
	}
	return func() error { return os.RemoveAll(dir) }, err
}

// Beam finds the functions of a worker by their registered types.
func init() {
	register.DoFn2x0[int64, func(int64)](&numbers{})
	register.DoFn3x1[context.Context, int64, func(int64), error](&run{})
	register.DoFn2x1[context.Context, int64, error](&finish{})
	register.DoFn3x1[context.Context, int64, func(string, []byte), error](&look{})
	register.DoFn3x1[context.Context, string, func(*[]byte) bool, error](&report{})
	register.Emitter2[string, []byte]()
	register.Iter1[[]byte]()
	register.Emitter1[int64]()
}

// Build adds a planned job to a pipeline. Each unit occurs as many times as copies says, at least
// once: more than one tests that duplicates do no harm.
func Build(s beam.Scope, w Work, job units.Job, copies int) {
	after := beam.Create(s, int64(0))
	does := part{Work: w, Pipeline: rand.Text()}
	if w.Kind == "validate" {
		of := s.Scope("read")
		ids := beam.ParDo(of, &numbers{Count: job.Stages[0].Count, Copies: max(1, copies)}, after)
		// The number -1 reports a check without a unit.
		ids = beam.Flatten(of, ids, beam.Create(of, int64(-1)))
		found := beam.ParDo(of, &look{does}, beam.Reshuffle(of, ids))
		beam.ParDo0(s.Scope("report"), &report{Work: w}, beam.GroupByKey(s, found))
		return
	}
	for i, stage := range job.Stages {
		of := s.Scope(fmt.Sprintf("%d %s", i+1, stage.Name))
		ids := beam.ParDo(of, &numbers{Count: stage.Count, Copies: max(1, copies)}, after)
		made := beam.ParDo(of, &run{does, i}, beam.Reshuffle(of, ids))
		after = stats.Sum(of, made) // one element, when all units are made
	}
	beam.ParDo0(s.Scope("metadata"), &finish{Work: w}, after)
}

// numbers emits the numbers of a stage's units.
type numbers struct {
	Count  int64
	Copies int
}

// ProcessElement implements a function of Beam.
func (f *numbers) ProcessElement(_ int64, emit func(int64)) {
	for unit := range f.Count {
		for range f.Copies {
			emit(unit)
		}
	}
}

// planned is a plan that a process makes once. A plan that fails is made again.
type planned[T any] struct {
	mu   sync.Mutex
	made *T
}

func (p *planned[T]) plan(ctx context.Context, make func(context.Context) (T, error)) (*T, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.made == nil {
		made, err := make(context.WithoutCancel(ctx))
		if err != nil {
			return nil, err
		}
		p.made = &made
	}
	return p.made, nil
}

// part is a function of a pipeline that makes units. A runner makes several instances of it in a
// process, and calls them at once.
type part struct {
	Work Work
	// Pipeline names the pipeline.
	Pipeline string
	process  *process
}

// process is what the instances of all parts of a pipeline share in a process. They have one plan,
// whose buffers and caches exist once. A unit takes one of the places while it runs.
type process struct {
	places chan struct{}
	job    planned[units.Job]
	check  planned[*validate.Check]
}

// processes has a process for each pipeline that has an instance here. Beam makes an instance of
// bytes, so only a variable joins two of them.
var processes sync.Map // of weak.Pointer[process], by the name of the pipeline

// Setup implements a function of Beam.
func (p *part) Setup() {
	units.LimitProcess(p.Work.Memory)
	made := &process{places: make(chan struct{}, max(1, p.Work.Units))}
	for p.process == nil {
		mine := weak.Make(made)
		old, found := processes.LoadOrStore(p.Pipeline, mine)
		if !found {
			p.process = made
			runtime.AddCleanup(made, func(name string) { processes.CompareAndDelete(name, mine) }, p.Pipeline)
		} else if p.process = old.(weak.Pointer[process]).Value(); p.process == nil {
			processes.CompareAndDelete(p.Pipeline, old)
		}
	}
}

// unit calls f for a unit, when fewer units than the work permits are under way in this process.
func (p *part) unit(ctx context.Context, f func() error) error {
	select {
	case p.process.places <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-p.process.places }()
	return f()
}

// run makes units of one stage.
type run struct {
	part
	Stage int
}

// ProcessElement implements a function of Beam.
func (f *run) ProcessElement(ctx context.Context, unit int64, emit func(int64)) error {
	return f.unit(ctx, func() error {
		job, err := f.process.job.plan(ctx, f.Work.Plan)
		if err == nil {
			err = job.Stages[f.Stage].Run(ctx, unit)
		}
		if err == nil {
			emit(1)
		}
		return err
	})
}

// look makes units of a check.
type look struct{ part }

// ProcessElement implements a function of Beam. All results have one key.
func (f *look) ProcessElement(ctx context.Context, unit int64, emit func(string, []byte)) error {
	found := validate.Found{Unit: unit}
	if unit >= 0 {
		err := f.unit(ctx, func() error {
			check, err := f.process.check.plan(ctx, f.Work.Check)
			if err == nil {
				found, err = (*check).Look(ctx, unit)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	text, err := json.Marshal(found)
	if err == nil {
		emit("", text)
	}
	return err
}

// report writes the result of a check.
type report struct{ Work Work }

// ProcessElement implements a function of Beam. A unit may occur several times.
func (f *report) ProcessElement(ctx context.Context, _ string, next func(*[]byte) bool) error {
	check, err := f.Work.Check(ctx)
	if err != nil {
		return err
	}
	var all []validate.Found
	for text := []byte(nil); next(&text); text = nil {
		var one validate.Found
		if err := json.Unmarshal(text, &one); err != nil {
			return err
		}
		if one.Unit >= 0 {
			all = append(all, one)
		}
	}
	r := check.Report(all)
	_, err = f.Work.Report(ctx, &r)
	return err
}

// finish writes the metadata of a job.
type finish struct{ Work Work }

// ProcessElement implements a function of Beam.
func (f *finish) ProcessElement(ctx context.Context, _ int64) error {
	job, err := f.Work.Plan(ctx)
	if err != nil {
		return err
	}
	return job.Finish(ctx)
}
