package reader

import (
	"context"
	"sync"
)

// task is a part of a read's work. It adds follow-up tasks to the queue.
type task interface {
	run(w *worker) error
	// drop releases the task's resources without running it.
	drop()
}

// queue holds a read's pending work: follow-up tasks first, then untouched chunks in C order.
type queue struct {
	mu      sync.Mutex
	wake    sync.Cond
	tasks   []task // a stack: the last one runs next
	next    int    // the next chunk
	chunks  int
	running int
}

func newQueue(chunks int) *queue {
	q := &queue{chunks: chunks}
	q.wake.L = &q.mu
	return q
}

// take waits for work: a task, or at most most chunks. It returns false when no work is left and
// none can follow, or when the context has ended.
func (q *queue) take(ctx context.Context, most int) (chunk, n int, t task, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for ctx.Err() == nil {
		switch n := len(q.tasks) - 1; {
		case n >= 0:
			t, q.tasks[n] = q.tasks[n], nil
			q.tasks = q.tasks[:n]
			q.running++
			return 0, 0, t, true
		case q.next < q.chunks:
			chunk, n = q.next, min(most, q.chunks-q.next)
			q.next += n
			q.running++
			return chunk, n, nil, true
		case q.running == 0:
			return 0, 0, nil, false
		}
		q.wake.Wait()
	}
	return 0, 0, nil, false
}

// ran reports that taken work is done.
func (q *queue) ran() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.running--; q.running == 0 {
		q.wake.Broadcast()
	}
}

// add adds tasks to run next, in their order.
func (q *queue) add(tasks []task) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i := len(tasks) - 1; i >= 0; i-- {
		q.tasks = append(q.tasks, tasks[i])
	}
	q.wake.Broadcast()
}

// stop wakes the waiting goroutines.
func (q *queue) stop() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.wake.Broadcast()
}

// drop drops the remaining tasks.
func (q *queue) drop() {
	for _, t := range q.tasks {
		t.drop()
	}
	q.tasks = nil
}
