package units_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/units"
)

func Example() {
	ctx := context.Background()
	st := store.Plain(memstore.New(nil))
	job := units.Job{
		Store: st, Path: "out", Identity: "three squares",
		Stages: []units.Stage{{Name: "squares", Count: 3, Run: func(ctx context.Context, unit int64) error {
			return store.CapabilitiesOf(st).Set(ctx, fmt.Sprint("out/", unit), fmt.Append(nil, unit*unit))
		}}},
		Finish: func(ctx context.Context) error { return store.CapabilitiesOf(st).Set(ctx, "out/complete", nil) },
	}
	stats, err := units.Run(ctx, job, units.Options{})
	fmt.Println(stats.Units, "units:", err)
	// Output: 3 units: <nil>
}

var errStop = errors.New("stopped")

// TestUnitsOfAJobRunOnceInTheOrderOfStages interrupts random jobs at random units. All runs
// together make each unit at least once. Units that the journal names are not repeated, and a stage
// begins after the one before.
func TestUnitsOfAJobRunOnceInTheOrderOfStages(t *testing.T) {
	for seed := range uint64(200) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		st := store.Plain(memstore.New(nil))
		var mu sync.Mutex
		made := make([][]int, 1+rnd.IntN(3))
		stop := 0
		job := units.Job{Store: st, Path: "a/b", Identity: fmt.Sprint(seed)}
		for s := range made {
			made[s] = make([]int, rnd.IntN(40))
			job.Stages = append(job.Stages, units.Stage{Name: fmt.Sprint(s), Count: int64(len(made[s])), Run: func(_ context.Context, unit int64) error {
				mu.Lock()
				defer mu.Unlock()
				if stop--; stop < 0 {
					return errStop
				}
				for _, before := range made[:s] {
					if slices.Contains(before, 0) {
						t.Errorf("stage %d began too early", s)
					}
				}
				made[s][unit]++
				return nil
			}})
		}
		finished := 0
		job.Finish = func(context.Context) error { finished++; return nil }
		opt := units.Options{Workers: 1 + rnd.IntN(4)}
		runs, done := 0, int64(0)
		for ; ; runs++ {
			stop = rnd.IntN(30)
			stats, err := units.Run(t.Context(), job, opt)
			done += stats.Units
			if err == nil {
				break
			}
			if state, err := job.State(t.Context()); state != units.StateSame || err != nil {
				t.Fatalf("state %v, %v", state, err)
			}
			if !errors.Is(err, errStop) {
				t.Fatal(err)
			}
		}
		all := slices.Concat(made...)
		// A worker may have made a unit when another one failed, and then records it.
		if finished != 1 || int(done) != len(all) || slices.ContainsFunc(all, func(n int) bool { return n != 1 }) {
			t.Errorf("seed %d: finished %d times in %d runs, units %v", seed, finished, runs, made)
		}
		if state, err := job.State(t.Context()); state != units.StateNone || err != nil {
			t.Errorf("the journal remains: %v, %v", state, err)
		}
	}
}

// TestAJournalOfAnotherIdentityIsDiscarded runs an interrupted job as another one.
func TestAJournalOfAnotherIdentityIsDiscarded(t *testing.T) {
	st := store.Plain(memstore.New(nil))
	fail := true
	made := 0
	job := units.Job{Store: st, Identity: "one", Stages: []units.Stage{{Count: 9, Run: func(_ context.Context, unit int64) error {
		made++
		if fail && unit == 5 {
			return errStop
		}
		return nil
	}}}}
	if _, err := units.Run(t.Context(), job, units.Options{Workers: 1}); !errors.Is(err, errStop) {
		t.Fatal(err)
	}
	fail, made, job.Identity = false, 0, "another"
	if state, err := job.State(t.Context()); state != units.StateOther || err != nil {
		t.Errorf("%v, %v", state, err)
	}
	if stats, err := units.Run(t.Context(), job, units.Options{Workers: 1}); err != nil || made != 9 || stats.Resumed != 0 {
		t.Errorf("%d units, %+v, %v", made, stats, err)
	}
}

// TestTheJournalNamesAllUnitsBeforeTheJobFinishes lets the last step fail, as a kill would.
func TestTheJournalNamesAllUnitsBeforeTheJobFinishes(t *testing.T) {
	made := 0
	st := memstore.New(nil)
	killed := false
	job := units.Job{Store: store.Plain(st), Stages: []units.Stage{{Count: 20, Run: func(context.Context, int64) error { made++; return nil }}}}
	job.Finish = func(ctx context.Context) error {
		if killed {
			return nil
		}
		killed = true
		b, err := store.Get(ctx, st, units.Journal)
		if err != nil {
			return err
		}
		// A killed program writes no journal after its error.
		defer func() { _ = st.Set(ctx, units.Journal, b) }()
		return errStop
	}
	if _, err := units.Run(t.Context(), job, units.Options{Workers: 1}); !errors.Is(err, errStop) {
		t.Fatal(err)
	}
	if stats, err := units.Run(t.Context(), job, units.Options{Workers: 1}); err != nil || made != 20 || stats.Resumed != 20 {
		t.Errorf("%d units, %+v, %v", made, stats, err)
	}
}

// TestMemoryBoundsTheUnitsUnderWay counts the memory that concurrent units hold.
func TestMemoryBoundsTheUnitsUnderWay(t *testing.T) {
	stage := units.Stage{Name: "s", Count: 100, Memory: 40, Run: func(ctx context.Context, unit int64) error {
		release, err := units.Hold(ctx, 30)
		if err != nil {
			return err
		}
		release()
		_, err = units.Hold(ctx, 40)
		return err
	}}
	job := units.Job{Store: store.Plain(memstore.New(nil)), Stages: []units.Stage{stage}}
	stats, err := units.Run(t.Context(), job, units.Options{Memory: 130, Workers: 8})
	if err != nil || stats.Peak < 40 || stats.Peak > 120 {
		t.Errorf("%+v, %v", stats, err)
	}
	var few *units.MemoryError
	if _, err := units.Run(t.Context(), job, units.Options{Memory: 39}); !errors.As(err, &few) || few.Need != 40 || few.Max != 39 {
		t.Errorf("%v", err)
	}
	job.Stages[0].Memory = 35
	var bound *units.BoundError
	if _, err := units.Run(t.Context(), job, units.Options{}); !errors.As(err, &bound) || bound.Held != 40 {
		t.Errorf("%v", err)
	}
}

// TestProgressCountsTheUnitsOfThisRun compares the last report with the statistics.
func TestProgressCountsTheUnitsOfThisRun(t *testing.T) {
	job := units.Job{Store: store.Plain(memstore.New(nil)), Stages: []units.Stage{{Name: "s", Count: 7, Bytes: 700, Run: func(context.Context, int64) error { return nil }}}}
	var last units.Progress
	reports := 0
	stats, err := units.Run(t.Context(), job, units.Options{Progress: func(p units.Progress) { last = p; reports++ }})
	want := units.Progress{Stage: "s", Done: 7, Total: 7, Bytes: 700, AllBytes: 700}
	if err != nil || last != want || reports != 7 || stats.Bytes != 700 {
		t.Errorf("%+v in %d reports, %+v, %v", last, reports, stats, err)
	}
}
