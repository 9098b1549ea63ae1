// Package units runs long work in units, on all cores, within a bound of memory, and continues it
// after an interruption.
//
// A unit makes some objects of the output whole: a chunk, a shard, or several of them. It depends
// on the input only, so that running it twice does no harm. A [Job] is a list of stages. The units
// of a [Stage] are independent of each other, and may read all that earlier stages wrote. The last
// step of a job writes metadata, which makes the output visible to readers.
//
//	job := units.Job{Store: st, Path: "out", Identity: text, Stages: stages, Finish: commit}
//	stats, err := units.Run(ctx, job, units.Options{})
//
// # Completeness
//
// While a job is unfinished, a journal lies beside its output: the object [Journal] below the job's
// path. It names the job by a hash of its identity, and has one bit for each finished unit. A
// program that runs the same job again skips these units. It repeats units that ended after the
// last write of the journal. [Run] discards a journal of another identity, which [Job.State]
// reports before. The journal is deleted after the metadata are written.
//
// Only one program may run a job at a time. A scheduler of a cluster keeps its own record of units,
// and needs no journal: it calls the functions of the stages itself.
package units

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/zarr-wasm/zarr-wasm/internal/guard"
	"github.com/zarr-wasm/zarr-wasm/store"
)

// DefaultMemory is the default bound of memory, in bytes.
const DefaultMemory = 1 << 30

// Stage is a number of units that do not depend on each other.
type Stage struct {
	// Name describes the stage in reports of progress.
	Name string
	// Count is the number of units.
	Count int64
	// Bytes is the size of the elements that all units of the stage read, for progress.
	Bytes int64
	// Memory is the most memory in bytes that one unit takes.
	Memory int64
	// AtOnce is the number of units under way if it exceeds Options.Workers: for units that wait for
	// the store, and need no processor.
	AtOnce int
	// Run makes the output of a unit. It takes memory for buffers by [Hold].
	Run func(ctx context.Context, unit int64) error
}

// Job is work in stages.
type Job struct {
	// Store holds the output, and the journal below Path.
	Store store.Locator
	Path  string
	// Identity describes the work completely: the input, the output, and how stages are divided
	// into units. Two jobs of one identity have the same units.
	Identity string
	Stages   []Stage
	// Finish, if set, writes the metadata, after the journal names all units. It may be repeated.
	Finish func(ctx context.Context) error
}

// Join joins stages whose units do not depend on each other into one. It has the name of the first.
func Join(stages []Stage) Stage {
	if len(stages) == 1 {
		return stages[0]
	}
	all := Stage{}
	for i, s := range stages {
		if i == 0 {
			all.Name = s.Name
		}
		all.Count, all.Bytes = all.Count+s.Count, all.Bytes+s.Bytes
		all.Memory, all.AtOnce = max(all.Memory, s.Memory), max(all.AtOnce, s.AtOnce)
	}
	all.Run = func(ctx context.Context, unit int64) error {
		for _, s := range stages {
			if unit < s.Count {
				return s.Run(ctx, unit)
			}
			unit -= s.Count
		}
		return nil
	}
	return all
}

// Options control how a job runs. The zero value of a field is its default.
type Options struct {
	// Memory is the most memory in bytes that units under way take together; default
	// [DefaultMemory]. Decoders, caches and garbage need further memory.
	Memory int64
	// Workers is the most units under way; default GOMAXPROCS.
	Workers int
	// JournalInterval is the least time between two writes of the journal; default 1 s. Units of
	// that time are repeated after a kill. If it is negative, each unit writes the journal.
	JournalInterval time.Duration
	// Progress, if set, is called after each unit. Calls do not overlap.
	Progress func(Progress)
}

// Progress reports how far a stage is. It counts only units that this run makes.
type Progress struct {
	Stage       string
	Done, Total int64 // units
	// Bytes and AllBytes are the sizes of the elements that these units have read and will have
	// read.
	Bytes, AllBytes int64
}

// Stats describes a finished or interrupted run.
type Stats struct {
	// Units is the number of units that this run made, and Resumed the number of those made before.
	Units, Resumed int64
	// Bytes is the size of the elements read.
	Bytes int64
	// Peak is the most memory in bytes that units held at once, by [Hold].
	Peak int64
}

// MemoryError reports that a unit needs more memory than the bound.
type MemoryError struct {
	Stage     string
	Need, Max int64
}

func (e *MemoryError) Error() string {
	return fmt.Sprintf("%s: a unit needs %d MiB of memory, more than the bound of %d MiB", e.Stage, (e.Need-1)>>20+1, e.Max>>20)
}

// WithDefaults returns the options with every zero field set to its default.
func (o Options) WithDefaults() Options {
	if o.Memory == 0 {
		o.Memory = DefaultMemory
	}
	if o.Workers == 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.JournalInterval == 0 {
		o.JournalInterval = time.Second
	}
	return o
}

// Run runs a job, and continues it if its journal exists. Errors are [*MemoryError] before any unit
// runs, those of units, of the store and the context. After an error the journal names the finished
// units.
func Run(ctx context.Context, job Job, opt Options) (Stats, error) {
	opt = opt.WithDefaults()
	var total int64
	for _, s := range job.Stages {
		if s.Memory > opt.Memory {
			return Stats{}, &MemoryError{s.Name, s.Memory, opt.Memory}
		}
		total += s.Count
	}
	j, err := openJournal(ctx, &job, total, opt.JournalInterval)
	if err != nil {
		return Stats{}, err
	}
	m := &meter{}
	r := &run{job: &job, opt: opt, journal: j}
	for first, s := int64(0), 0; s < len(job.Stages) && err == nil; s++ {
		err = r.stage(context.WithValue(ctx, meterKey{}, m), &job.Stages[s], first)
		first += job.Stages[s].Count
	}
	r.Peak = m.peak
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return r.Stats, j.interrupted(ctx, err)
	}
	// Finish may delete what the units have read. A unit that the journal lacks would run again.
	if err := j.flush(ctx); err != nil {
		return r.Stats, err
	}
	if job.Finish != nil {
		if err := job.Finish(ctx); err != nil {
			return r.Stats, j.interrupted(ctx, err)
		}
	}
	return r.Stats, j.remove(ctx)
}

// run is a job under way.
type run struct {
	Stats
	job     *Job
	opt     Options
	journal *journal

	mu   sync.Mutex
	next int64
	now  Progress
}

// stage runs the units of a stage that are not finished. first is the number of the stage's first
// unit in the journal.
func (r *run) stage(ctx context.Context, s *Stage, first int64) error {
	left := s.Count - r.journal.count(first, s.Count)
	r.Resumed += s.Count - left
	share := func(units int64) int64 {
		return int64(float64(s.Bytes) * (float64(units) / float64(max(1, s.Count))))
	}
	r.next, r.now = 0, Progress{Stage: s.Name, Total: left, AllBytes: share(left)}
	if left == 0 {
		return nil
	}
	workers := min(int64(max(r.opt.Workers, s.AtOnce)), left)
	if s.Memory > 0 {
		workers = max(1, min(workers, r.opt.Memory/s.Memory))
	}
	group, ctx := guard.NewGroup(ctx)
	for range workers {
		group.Go(func() error {
			for ctx.Err() == nil {
				unit, ok := r.take(s, first)
				if !ok {
					return nil
				}
				h := &holder{meter: ctx.Value(meterKey{}).(*meter), most: s.Memory, stage: s.Name}
				err := s.Run(context.WithValue(ctx, holderKey{}, h), unit)
				h.drop()
				if err != nil {
					return err
				}
				r.made(share) // also if the journal, which then names the unit, cannot be written
				if err := r.journal.done(ctx, first+unit); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return group.Wait()
}

// take returns the next unfinished unit of a stage.
func (r *run) take(s *Stage, first int64) (int64, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for ; r.next < s.Count; r.next++ {
		if !r.journal.has(first + r.next) {
			r.next++
			return r.next - 1, true
		}
	}
	return 0, false
}

// made counts a finished unit.
func (r *run) made(share func(int64) int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.Units++
	r.now.Done++
	before := r.now.Bytes
	r.now.Bytes = share(r.now.Done)
	r.Bytes += r.now.Bytes - before
	if r.opt.Progress != nil { // called with the lock held
		r.opt.Progress(r.now)
	}
}
