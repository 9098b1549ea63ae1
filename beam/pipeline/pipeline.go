// Package pipeline runs the units of zarr/prepare as pipelines of Apache Beam. It is for data that
// outgrow one machine.
//
// An element of a collection is the number of a unit. A worker plans the same job as the program
// that started it, from the [Work], and makes the unit. The units of a stage wait for those of the
// stage before. The last step writes the metadata. Units may run twice, at the same time or again
// after a failure, because each writes the same bytes whenever it runs. Beam keeps the record of
// units, so there is no journal.
package pipeline

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"

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
)

// Work describes a job. Every worker gets it, so From and To are addresses that all of them reach.
type Work struct {
	// Kind is "rechunk" or "pyramid".
	Kind string
	// From and To are directories or URLs: s3, gs, az or https. Endpoint is that of both.
	From, To, Endpoint string
	// Node and As are the paths of the node in From, and of the output in To.
	Node, As string
	// Chunks and Shards are the shapes of the output; nil keeps those of the source.
	Chunks, Shards []int64
	// Memory is the bound of one worker in bytes, and Units the number of units that it runs at
	// once. Both select how the job is divided.
	Memory int64
	Units  int
	// TwoPasses lets a rechunk go through a temporary array. The last step deletes that array, so
	// no duplicate of a unit may still run then.
	TwoPasses bool
	// Levels, Method and Axes are those of a pyramid.
	Levels int
	Method string
	Axes   []string
	// Identity is the identity of the job. Plan sets it, and workers compare it.
	Identity string
}

// Plan returns the job of a work, and sets its identity. It writes nothing.
func (w *Work) Plan(ctx context.Context) (job units.Job, err error) {
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
	case "rechunk":
		each := func(_ string, spec *zarr.ArraySpec) { layout(spec) }
		r, err := rechunk.New(ctx, n, to, w.As, rechunk.Options{Options: opt, Array: each, OnePass: !w.TwoPasses, Source: w.From})
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
		return job, fmt.Errorf("the work %q is neither rechunk nor pyramid", w.Kind)
	}
	for _, stage := range job.Stages {
		if stage.Name == "from temporary" && !w.TwoPasses {
			return job, errors.New("the copy needs a temporary array: allow two passes, or more memory")
		}
	}
	if w.Identity == "" {
		w.Identity = job.Identity
	}
	if w.Identity != job.Identity {
		return job, errors.New("the worker plans another job than the program that started it: the source changed, or the versions differ")
	}
	return job, nil
}

// Absent returns an error if the output exists.
func (w *Work) Absent(ctx context.Context) error {
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

// Beam finds the functions of a worker by their registered types.
func init() {
	register.DoFn2x0[int64, func(int64)](&numbers{})
	register.DoFn3x1[context.Context, int64, func(int64), error](&run{})
	register.DoFn2x1[context.Context, int64, error](&finish{})
	register.Emitter1[int64]()
}

// Build adds a planned job to a pipeline. Each unit occurs as many times as copies says, at least
// once: more than one tests that duplicates do no harm.
func Build(s beam.Scope, w Work, job units.Job, copies int) {
	after := beam.Create(s, int64(0))
	for i, stage := range job.Stages {
		of := s.Scope(fmt.Sprintf("%d %s", i+1, stage.Name))
		ids := beam.ParDo(of, &numbers{Count: stage.Count, Copies: max(1, copies)}, after)
		made := beam.ParDo(of, &run{Work: w, Stage: i}, beam.Reshuffle(of, ids))
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

// planned is a job that a worker plans once.
type planned struct {
	once sync.Once
	job  units.Job
	err  error
}

func (p *planned) plan(ctx context.Context, w Work) (units.Job, error) {
	p.once.Do(func() { p.job, p.err = w.Plan(context.WithoutCancel(ctx)) })
	return p.job, p.err
}

// run makes units of one stage.
type run struct {
	Work  Work
	Stage int
	job   planned
}

// Setup implements a function of Beam.
func (f *run) Setup() { units.LimitProcess(f.Work.Memory) }

// ProcessElement implements a function of Beam.
func (f *run) ProcessElement(ctx context.Context, unit int64, emit func(int64)) error {
	job, err := f.job.plan(ctx, f.Work)
	if err == nil {
		err = job.Stages[f.Stage].Run(ctx, unit)
	}
	if err == nil {
		emit(1)
	}
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
