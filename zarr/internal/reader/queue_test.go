package reader

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// numbered is a task of a test.
type numbered struct {
	n       int
	dropped *[]int
}

func (t numbered) run(*worker) error { return nil }
func (t numbered) drop()             { *t.dropped = append(*t.dropped, t.n) }

// TestQueueGivesTasksBeforeChunksInOrder takes and adds at random and compares with a list. Tasks
// added last come first, in their own order. Each chunk follows once, in order. The queue ends when
// nothing is left and nothing runs.
func TestQueueGivesTasksBeforeChunksInOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 4))
	for round := range 500 {
		chunks := rng.IntN(20)
		q := newQueue(chunks)
		var want, dropped []int // tasks, the next one first
		next, running, last := 0, 0, 0
		for range 60 {
			switch op := rng.IntN(3); {
			case op == 0 && running > 0:
				var tasks []task
				var added []int
				for range rng.IntN(4) {
					last++
					tasks, added = append(tasks, numbered{last, &dropped}), append(added, last)
				}
				q.add(tasks)
				want = slices.Concat(added, want)
			case op == 1 && running > 0:
				q.ran()
				running--
			case len(want) > 0 || next < chunks || running == 0: // take does not wait
				most := 1 + rng.IntN(4)
				i, n, todo, ok := q.take(t.Context(), most)
				switch {
				case len(want) > 0:
					if !ok || todo == nil || todo.(numbered).n != want[0] {
						t.Fatalf("round %d: took %v, want task %d", round, todo, want[0])
					}
					want = want[1:]
				case next < chunks:
					if !ok || todo != nil || i != next || n != min(most, chunks-next) {
						t.Fatalf("round %d: took %d chunks from %d, want %d from %d", round, n, i, min(most, chunks-next), next)
					}
					next += n
				case ok:
					t.Fatalf("round %d: took %v of an empty queue", round, todo)
				}
				if ok {
					running++
				}
			}
		}
		if q.drop(); !slices.Equal(dropped, want) && !slices.Equal(dropped, reversed(want)) {
			t.Fatalf("round %d: dropped %v, want %v", round, dropped, want)
		}
	}
}

func reversed(v []int) []int {
	v = slices.Clone(v)
	slices.Reverse(v)
	return v
}

// spawning is a task that spawns others.
type spawning struct{ depth int }

func (spawning) run(*worker) error { return nil }
func (spawning) drop()             {}

// TestQueueOfManyTakers runs several goroutines on one queue. They wait for each other's tasks and
// end together, or as soon as the context ends.
func TestQueueOfManyTakers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rng := rand.New(rand.NewPCG(27, 5))
		for round := range 100 {
			ctx, cancel := context.WithCancel(t.Context())
			chunks := rng.IntN(30)
			q := newQueue(chunks)
			stop := context.AfterFunc(ctx, q.stop)
			ends := rng.IntN(2) == 0
			var mu sync.Mutex
			done, left := map[int]int{}, 0
			var all sync.WaitGroup
			for range 1 + rng.IntN(6) {
				all.Go(func() {
					for {
						i, n, todo, ok := q.take(ctx, 3)
						if !ok {
							return
						}
						mu.Lock()
						takes := rng.IntN(5)
						mu.Unlock()
						time.Sleep(time.Duration(takes)) // in synctest time: others take or wait meanwhile
						depth := 0
						if s, ok := todo.(spawning); ok {
							depth = s.depth
						}
						mu.Lock()
						for k := range n {
							done[i+k]++
						}
						if todo != nil {
							left--
						}
						var more []task
						if depth < 3 {
							for range rng.IntN(3) {
								more = append(more, spawning{depth + 1})
								left++
							}
						}
						give := !ends && len(done) > 20
						mu.Unlock()
						if more != nil {
							q.add(more)
						}
						if give {
							cancel()
						}
						q.ran()
					}
				})
			}
			all.Wait()
			if ctx.Err() == nil {
				for i := range chunks {
					if done[i] != 1 {
						t.Errorf("round %d: chunk %d was taken %d times", round, i, done[i])
					}
				}
				if left != 0 {
					t.Errorf("round %d: %d tasks are left", round, left)
				}
			}
			stop()
			cancel()
		}
	})
}
