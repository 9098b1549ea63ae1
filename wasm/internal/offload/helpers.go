// Package offload decodes and encodes chunks in other instances than the one that reads or writes
// them.
//
//	helpers := offload.NewHelpers(post, limits)
//	helpers.Allow(4)
//	h := zarr.New(source, codecs.Default(), zarr.Options{Executor: helpers})
//
// In the lead, [Helpers] is the executor of all reads and writes. It decodes cheap chunks itself
// (see cost.go) and sends costly ones to helpers, which are other instances. [Output] is a read's
// result in JavaScript's memory, to which helpers decode without a copy (place.go). File encode.go
// does the same for chunks to write; a program that only reads does not link it.
//
// In a helper, [Decoder] executes the jobs.
package offload

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/zarr-wasm/zarr-wasm/internal/guard"
	"github.com/zarr-wasm/zarr-wasm/wasm/internal/wire"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// Helpers is the executor of an engine with other workers. It decodes cheap chunks itself. Costly
// ones queue, and go to helpers while these have room. This instance takes one whenever it has
// handled all messages, so that no helper waits while it decodes.
type Helpers struct {
	post   func(wire.Object)
	limits *codec.Limits
	most   int // the most helpers

	mu        sync.Mutex
	room      int // jobs that the running helpers can hold
	queue     []*job
	ticking   bool // a tick is pending, or its chunk is being decoded
	jobs      map[int]*job
	last      int
	pipelines map[*codec.Pipeline]int // local marks pipelines that helpers failed on
	named     int
	// requested counts the helpers that were requested for waiting chunks and may not run yet.
	requested int
	// breathed is when the platform last got time during encoding.
	breathed time.Time
	// spent is the time of decoding here without a longer pause. at is its end.
	spent time.Duration
	at    time.Time
	envs  []*codec.Env // unused
	// costly decides which chunks queue.
	costly func(p *codec.Plan, shared bool) bool
}

// job is a costly chunk.
type job struct {
	dst   []byte // nil while the result stays in JavaScript, or before an encode ends
	id    int    // of a helper's job; 0 before, and for local work
	begin chan struct{}
	done  chan wire.Object
}

const (
	// jobsEach is the number of jobs that a helper holds: one in progress, and one waiting.
	jobsEach = 2
	// patience is how long this instance decodes by itself before it requests another helper.
	patience = 15 * time.Millisecond
	// pause is the idle time after which work counts as new.
	pause = 100 * time.Millisecond
	// local is the number of a pipeline that no helper has.
	local = -1
	// maxPipelines bounds the pipelines that helpers remember.
	maxPipelines = 500
)

// NewHelpers returns an executor without helpers. It requests them by messages to post, and reads
// the limits when it needs them.
func NewHelpers(post func(wire.Object), limits *codec.Limits) *Helpers {
	return &Helpers{post: post, limits: limits, costly: costly, jobs: map[int]*job{}, pipelines: map[*codec.Pipeline]int{}}
}

// Allow sets the most helpers. Call it before the first chunk is decoded.
func (h *Helpers) Allow(most int) { h.most = max(0, most) }

// Slots returns how many chunks the helpers can hold.
func (h *Helpers) Slots() int { return jobsEach * h.most }

// Decode implements codec.Executor.
func (h *Helpers) Decode(env *codec.Env, p *codec.Plan, dst ndarray.Block, src []byte, want []codec.Range) error {
	here := func() error { return p.Decode(env, dst, src, want) }
	if !h.worth(p, false) {
		return here()
	}
	return h.run(env.Ctx, &job{dst: dst.Data}, codec.Job{Plan: p, Src: src, Want: want}, nil, here)
}

// Parallel implements codec.Parallel: the capacity of all helpers, and one chunk here.
func (h *Helpers) Parallel() int { return h.Slots() + 1 }

// worth reports whether a chunk should queue.
func (h *Helpers) worth(p *codec.Plan, shared bool) bool {
	if h.most == 0 || p.Array().Type.Variable() || !h.costly(p, shared) || p.Local() {
		return false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.pipelines[p.Pipeline] != local
}

// run queues a job, and executes it by a helper or here.
func (h *Helpers) run(ctx context.Context, j *job, of codec.Job, place wire.Object, here func() error) error {
	j.begin, j.done = make(chan struct{}, 1), make(chan wire.Object, 1)
	defer h.leave(j)
	h.enter(j)
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-j.begin:
	}
	if j.id != 0 {
		if done, err := h.send(ctx, j, of, place); done || err != nil {
			return err
		}
		return here()
	}
	defer h.spend(time.Now())
	return here()
}

func (h *Helpers) enter(j *job) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.queue = append(h.queue, j)
	h.next()
}

// leave ends a job, whatever its result, and begins others.
func (h *Helpers) leave(j *job) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if i := slices.Index(h.queue, j); i >= 0 {
		h.queue = slices.Delete(h.queue, i, i+1)
	} else if j.id != 0 {
		delete(h.jobs, j.id)
	} else {
		h.ticking = false
	}
	h.next()
}

// spend counts this instance's own decoding time.
func (h *Helpers) spend(began time.Time) {
	now := time.Now()
	h.mu.Lock()
	defer h.mu.Unlock()
	if began.Sub(h.at) > pause {
		h.spent = 0
	}
	h.at = now
	if h.spent += now.Sub(began); h.spent > patience {
		h.spent = 0
		h.notify(wire.PoolGrow)
	}
}

// notify posts a message of one member.
func (h *Helpers) notify(what wire.FlagName) {
	var o wire.Object
	o.AddFlag(what, true)
	h.post(o)
}

// next begins jobs while helpers have room. The caller holds the lock.
func (h *Helpers) next() {
	for len(h.queue) > 0 && len(h.jobs) < h.room {
		h.last++
		h.jobs[h.last] = h.queue[0]
		h.begin(h.last)
	}
	if len(h.queue) > 0 && !h.ticking {
		h.notify(wire.PoolTick)
		h.ticking = true
	}
}

// begin begins the first job in the queue, with the number of a helper's job or 0.
func (h *Helpers) begin(id int) {
	j := h.queue[0]
	h.queue = slices.Delete(h.queue, 0, 1)
	j.id = id
	j.begin <- struct{}{}
}

// tick runs when all messages have been handled that were pending when the tick was requested.
func (h *Helpers) tick() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ticking = len(h.queue) > 0
	if h.ticking {
		h.begin(0)
	}
}

// send executes a job by a helper and waits for it. If done is false without an error, the chunk
// must be decoded here: to find its fault, or because no helper is available.
func (h *Helpers) send(ctx context.Context, j *job, of codec.Job, place wire.Object) (bool, error) {
	a := of.Plan.Array()
	n := h.name(of.Plan.Pipeline)
	var msg wire.Object
	msg.AddInt(wire.JobNumber, j.id)
	msg.AddInt(wire.JobPipeline, n)
	msg.AddInts(wire.JobShape, a.Shape)
	msg.AddLent(wire.JobBytes, of.Src)
	if of.Want != nil {
		var want []int
		for _, r := range of.Want {
			want = append(want, r.From, r.To)
		}
		msg.AddInts(wire.JobWant, want)
	}
	size := a.Bytes()
	if of.Shape != nil {
		size = ndarray.Block{Shape: of.Shape}.Len() * a.Type.Size
		var region wire.Object
		region.AddInt(wire.RegionOffset, of.In.Offset)
		region.AddInts(wire.RegionStrides, of.In.Strides)
		region.AddInts(wire.RegionShape, of.Shape)
		msg.AddObject(wire.JobRegion, region)
	}
	if place != nil {
		msg.AddObject(wire.JobPlace, place)
	}
	msg.AddInt(wire.JobSize, size)
	h.post(msg)
	select {
	case <-ctx.Done():
		var drop wire.Object
		drop.AddInt(wire.PoolDrop, j.id)
		h.post(drop)
		return false, ctx.Err()
	case r := <-j.done:
		if text, failed := r.TextIf(wire.JobError); failed {
			return false, &wire.EngineError{Msg: text}
		}
		if r.Flag(wire.JobFailed) {
			// The chunk is damaged, or the helpers lack its codec. Decoding it here finds out
			// which.
			h.mu.Lock()
			h.pipelines[of.Plan.Pipeline] = local
			h.mu.Unlock()
			return false, nil
		}
		return true, nil
	}
}

// name returns the number of a pipeline, and sends it to the helpers first.
func (h *Helpers) name(p *codec.Pipeline) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	n, known := h.pipelines[p]
	if known {
		return n
	}
	forget := len(h.pipelines) >= maxPipelines
	if forget {
		clear(h.pipelines)
	}
	h.named++
	// Send it before another goroutine names it in a job.
	var m wire.Object
	m.AddInt(wire.PipelineNumber, h.named)
	m.AddFlag(wire.PipelineForget, forget)
	wire.AddPipeline(&m, p)
	h.post(m)
	h.pipelines[p] = h.named
	return h.named
}

// Receive takes {helpers: n} (the number running), {tick: true}, or {job, bytes?, failed?, error?}.
func (h *Helpers) Receive(msg wire.Object) {
	if run, told := msg.Number(wire.JobHelpers); told {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.room, h.requested = jobsEach*int(run), int(run)
		h.next()
		return
	}
	if msg.Flag(wire.JobTick) {
		h.tick()
		return
	}
	h.mu.Lock()
	id := msg.Int(wire.JobDone)
	j := h.jobs[id]
	delete(h.jobs, id)
	h.mu.Unlock()
	if j == nil {
		return
	}
	// JavaScript reuses the bytes as soon as this returns.
	if m := msg.Memory(wire.JobResult); m != nil && m.Len() >= len(j.dst) {
		if err := guard.Do(func() error { m.Read(j.dst); return nil }); err != nil {
			msg = nil
			msg.AddText(wire.JobError, err.Error())
		}
	}
	j.done <- msg
	h.mu.Lock()
	defer h.mu.Unlock()
	h.next()
}

// env returns an unused Env for a decode that does not block.
func (h *Helpers) env(ctx context.Context) *codec.Env {
	h.mu.Lock()
	defer h.mu.Unlock()
	if n := len(h.envs); n > 0 {
		e := h.envs[n-1]
		h.envs = h.envs[:n-1]
		e.Ctx = ctx
		return e
	}
	return codec.NewEnv(ctx, *h.limits)
}

func (h *Helpers) takeBack(e *codec.Env) {
	e.Ctx = nil
	e.Release(0)
	h.mu.Lock()
	h.envs = append(h.envs, e)
	h.mu.Unlock()
}
