// Package offload decodes and encodes chunks elsewhere than in the instance that reads or writes them.
//
// On the side of the lead, [Helpers] is the executor of all reads and writes: it decodes cheap chunks where they come up (cost.go says
// which are cheap) and has helpers, which are other instances, decode the costly ones. [Output] is the result of a read in
// JavaScript's memory, to which helpers can decode without a copy in between (place.go). Chunks
// that are written are encoded in the same way (encode.go); a program that only reads links nothing of that.
//
// On the side of a helper, [Decoder] does what Helpers asked for.
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

// Helpers is the executor of an engine that has other workers to decode in.
// Cheap chunks are decoded where they come up. Costly ones queue: they go to the helpers
// as long as those have room, and this instance takes one whenever it has looked
// at all messages, so that no helper waits while it decodes.
type Helpers struct {
	post   func(wire.Object)
	limits *codec.Limits
	most   int // how many helpers there may be

	mu        sync.Mutex
	room      int // jobs that the helpers that run can hold
	queue     []*job
	ticking   bool // a tick has been asked for, or the chunk that it let in is being decoded
	jobs      map[int]*job
	last      int
	pipelines map[*codec.Pipeline]int // local for those that are better not sent again
	named     int
	// breathed is when the platform was last given time, while chunks were encoded.
	breathed time.Time
	// spent is what was decoded here without a longer pause, the last of it at.
	spent time.Duration
	at    time.Time
	envs  []*codec.Env // that are not in use
	// costly tells which chunks queue.
	costly func(p *codec.Plan, shared bool) bool
}

// job is a costly chunk.
type job struct {
	dst   []byte // nil where the result stays in JavaScript, and of a chunk to encode until it is there
	id    int    // of a helper's job; 0 until then, and for what is decoded here
	begin chan struct{}
	done  chan wire.Object
}

const (
	// jobsEach is how many jobs a helper holds: one that it works on, and one that waits,
	// so that it need not.
	jobsEach = 2
	// patience is how much this instance decodes by itself before it asks for another helper.
	patience = 15 * time.Millisecond
	// pause is what makes work new work.
	pause = 100 * time.Millisecond
	// local stands for the number of a pipeline that no helper has.
	local = -1
	// maxPipelines bounds the chains that helpers remember.
	maxPipelines = 500
)

// NewHelpers returns an executor without helpers, which are asked for by messages to post. It looks at the limits when it needs them.
func NewHelpers(post func(wire.Object), limits *codec.Limits) *Helpers {
	return &Helpers{post: post, limits: limits, costly: costly, jobs: map[int]*job{}, pipelines: map[*codec.Pipeline]int{}}
}

// Allow says how many helpers there may be. It is called before the first chunk is decoded.
func (h *Helpers) Allow(most int) { h.most = max(0, most) }

// Slots is how many chunks the helpers can hold.
func (h *Helpers) Slots() int { return jobsEach * h.most }

// Decode implements codec.Executor.
func (h *Helpers) Decode(env *codec.Env, p *codec.Plan, dst ndarray.Block, src []byte, want []codec.Range) error {
	here := func() error { return p.Decode(env, dst, src, want) }
	if !h.worth(p, false) {
		return here()
	}
	return h.run(env.Ctx, &job{dst: dst.Data}, codec.Job{Plan: p, Src: src, Want: want}, nil, here)
}

// Parallel implements codec.Parallel: what all helpers can hold, and one here.
func (h *Helpers) Parallel() int { return h.Slots() + 1 }

// worth is true for a chunk that queues.
func (h *Helpers) worth(p *codec.Plan, shared bool) bool {
	if h.most == 0 || p.Array().Type.Variable() || !h.costly(p, shared) || p.Local() {
		return false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.pipelines[p.Pipeline] != local
}

// run queues a job until it may begin, and has it done by a helper, or here.
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

// leave ends a job, whatever became of it, and begins others.
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

// spend counts what this instance has decoded by itself since it began.
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
		h.tell(wire.PoolGrow)
	}
}

// tell posts a message of one member.
func (h *Helpers) tell(what wire.FlagName) {
	var o wire.Object
	o.AddFlag(what, true)
	h.post(o)
}

// next begins the jobs that helpers have room for. It is called with the lock held.
func (h *Helpers) next() {
	for len(h.queue) > 0 && len(h.jobs) < h.room {
		h.last++
		h.jobs[h.last] = h.queue[0]
		h.begin(h.last)
	}
	if len(h.queue) > 0 && !h.ticking {
		h.tell(wire.PoolTick)
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

// tick is called when all messages have been looked at that were there when it was asked for.
func (h *Helpers) tick() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ticking = len(h.queue) > 0
	if h.ticking {
		h.begin(0)
	}
}

// send has a helper do a job and waits for it. It is not done, without an error, when the
// chunk must be decoded here: to find out what is wrong with it, or because there
// is no helper after all.
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
			// Damaged, or of a codec that helpers do not have: what it is, is found out here.
			h.mu.Lock()
			h.pipelines[of.Plan.Pipeline] = local
			h.mu.Unlock()
			return false, nil
		}
		return true, nil
	}
}

// name returns the number of a pipeline, of which the helpers have been told.
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
	// Before another goroutine names it in a job.
	var m wire.Object
	m.AddInt(wire.PipelineNumber, h.named)
	m.AddFlag(wire.PipelineForget, forget)
	wire.AddPipeline(&m, p)
	h.post(m)
	h.pipelines[p] = h.named
	return h.named
}

// Receive takes {helpers: n}, how many run, {tick: true}, or {job, bytes?, failed?, error?}.
func (h *Helpers) Receive(msg wire.Object) {
	if run, told := msg.Number(wire.JobHelpers); told {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.room = jobsEach * int(run)
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
	// The bytes are JavaScript's to use again as soon as this returns.
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

// env lends an Env for a decode that does not wait for anything.
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
