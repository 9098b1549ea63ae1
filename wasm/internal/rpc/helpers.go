package rpc

import (
	"context"
	"slices"
	"sync"
	"time"

	"zarr-wasm/internal/guard"
	"zarr-wasm/zarr/codec"
	"zarr-wasm/zarr/ndarray"
)

// helpers is the executor of an engine that has other workers to decode in.
// Cheap chunks are decoded where they come up. Costly ones queue: they go to the helpers
// as long as those have room, and this instance takes one whenever it has looked
// at all messages, so that no helper waits while it decodes.
type helpers struct {
	s *Session

	mu        sync.Mutex
	most      int // how many helpers there may be
	room      int // jobs that the helpers that run can hold
	queue     []*job
	ticking   bool // a tick has been asked for, or the chunk that it let in is being decoded
	jobs      map[int]*job
	last      int
	pipelines map[*codec.Pipeline]int // local for those that are better not sent again
	named     int
	// spent is what was decoded here without a longer pause, the last of it at.
	spent time.Duration
	at    time.Time
	spare []*codec.Env
	// all sends whatever can be sent, for tests.
	all bool
}

// job is a costly chunk.
type job struct {
	dst  []byte // nil where the result stays in JavaScript
	id   int    // of a helper's job; 0 until then, and for what is decoded here
	turn chan struct{}
	done chan Object
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

func newHelpers(s *Session) *helpers {
	return &helpers{s: s, jobs: map[int]*job{}, pipelines: map[*codec.Pipeline]int{}}
}

// Decode implements codec.Executor.
func (h *helpers) Decode(env *codec.Env, p *codec.Plan, dst ndarray.Block, src []byte, want []codec.Range) error {
	here := func() error { return p.Decode(env, dst, src, want) }
	if !h.worth(p, false) {
		return here()
	}
	return h.run(env.Ctx, &job{dst: dst.Data}, codec.Job{Plan: p, Src: src, Want: want}, nil, here)
}

// Parallel implements codec.Parallel: what all helpers can hold, and one here.
func (h *helpers) Parallel() int { return jobsEach*h.most + 1 }

// worth is true for a chunk that queues.
func (h *helpers) worth(p *codec.Plan, shared bool) bool {
	if h.most == 0 && !h.all || p.Array().Type.Variable() || !h.all && !costly(p, shared) || p.Local() {
		return false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.pipelines[p.Pipeline] != local
}

// run waits for a job's turn and has it done by a helper, or here.
func (h *helpers) run(ctx context.Context, j *job, of codec.Job, place Object, here func() error) error {
	j.turn, j.done = make(chan struct{}, 1), make(chan Object, 1)
	defer h.leave(j)
	h.enter(j)
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-j.turn:
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

func (h *helpers) enter(j *job) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.queue = append(h.queue, j)
	h.next()
}

// leave lets others have their turns when a job is over, wherever that came to it.
func (h *helpers) leave(j *job) {
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
func (h *helpers) spend(began time.Time) {
	now := time.Now()
	h.mu.Lock()
	defer h.mu.Unlock()
	if began.Sub(h.at) > pause {
		h.spent = 0
	}
	h.at = now
	if h.spent += now.Sub(began); h.spent > patience {
		h.spent = 0
		h.s.cfg.Post(Object{{"grow", true}})
	}
}

// next gives turns to who may have them. It is called with the lock held.
func (h *helpers) next() {
	for len(h.queue) > 0 && len(h.jobs) < h.room {
		h.last++
		h.jobs[h.last] = h.queue[0]
		h.turn(h.last)
	}
	if len(h.queue) > 0 && !h.ticking {
		h.s.cfg.Post(Object{{"tick", true}})
		h.ticking = true
	}
}

// turn gives the first in the queue its turn, with the number of a helper's job or 0.
func (h *helpers) turn(id int) {
	j := h.queue[0]
	h.queue = slices.Delete(h.queue, 0, 1)
	j.id = id
	j.turn <- struct{}{}
}

// tick is called when all messages have been looked at that were there when it was asked for.
func (h *helpers) tick() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ticking = len(h.queue) > 0
	if h.ticking {
		h.turn(0)
	}
}

// send has a helper do a job and waits for it. It is not done, without an error, when the
// chunk must be decoded here: to find out what is wrong with it, or because there
// is no helper after all.
func (h *helpers) send(ctx context.Context, j *job, of codec.Job, place Object) (bool, error) {
	a := of.Plan.Array()
	n := h.name(of.Plan.Pipeline)
	var msg Object
	msg.addInt("job", j.id)
	msg.addInt("pipeline", n)
	msg.addInts("shape", a.Shape)
	msg.add("bytes", Lent(of.Src))
	if of.Want != nil {
		var want []int
		for _, r := range of.Want {
			want = append(want, r.From, r.To)
		}
		msg.addInts("want", want)
	}
	size := a.Bytes()
	if of.Shape != nil {
		size = ndarray.Block{Shape: of.Shape}.Len() * a.Type.Size
		var region Object
		region.addInt("offset", of.In.Offset)
		region.addInts("strides", of.In.Strides)
		region.addInts("shape", of.Shape)
		msg.add("region", region)
	}
	if place != nil {
		msg.add("place", place)
	}
	msg.addInt("size", size)
	h.s.cfg.Post(msg)
	select {
	case <-ctx.Done():
		var drop Object
		drop.addInt("drop", j.id)
		h.s.cfg.Post(drop)
		return false, ctx.Err()
	case r := <-j.done:
		if text, failed := r.Get("error").(string); failed {
			return false, &engineError{text}
		}
		if r.flag("failed") {
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
func (h *helpers) name(p *codec.Pipeline) int {
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
	// Before anybody else names it in a job.
	var m Object
	m.addInt("pipeline", h.named)
	m.add("forget", forget)
	pipelineToWire(&m, p)
	h.s.cfg.Post(m)
	h.pipelines[p] = h.named
	return h.named
}

// receive takes {helpers: n}, how many run, {tick: true}, or {job, bytes?, failed?, error?}.
func (h *helpers) receive(msg Object) {
	if msg.Get("helpers") != nil {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.room = jobsEach * msg.number("helpers")
		h.next()
		return
	}
	if msg.flag("tick") {
		h.tick()
		return
	}
	h.mu.Lock()
	id := msg.number("job")
	j := h.jobs[id]
	delete(h.jobs, id)
	h.mu.Unlock()
	if j == nil {
		return
	}
	// The bytes are JavaScript's to use again as soon as this returns.
	if m := msg.memory("bytes"); m != nil && m.Len() >= len(j.dst) {
		if err := guard.Do(func() error { m.Read(j.dst); return nil }); err != nil {
			msg = Object{{"error", err.Error()}}
		}
	}
	j.done <- msg
	h.mu.Lock()
	defer h.mu.Unlock()
	h.next()
}

// env lends an Env for a decode that does not wait for anything.
func (h *helpers) env(ctx context.Context) *codec.Env {
	h.mu.Lock()
	defer h.mu.Unlock()
	if n := len(h.spare); n > 0 {
		e := h.spare[n-1]
		h.spare = h.spare[:n-1]
		e.Ctx = ctx
		return e
	}
	return codec.NewEnv(ctx, h.s.cfg.Limits)
}

func (h *helpers) takeBack(e *codec.Env) {
	e.Ctx = nil
	e.Release(0)
	h.mu.Lock()
	h.spare = append(h.spare, e)
	h.mu.Unlock()
}

// output is a read's result in JavaScript's memory.
type output struct {
	h      *helpers
	memory Memory
	size   int
	shared bool
}

// Decode implements zarr.Output.
func (o *output) Decode(env *codec.Env, of codec.Job) error {
	here := func() error {
		// All reads share the memory that a chunk is decoded into: only one is decoded at a time.
		e := o.h.env(env.Ctx)
		defer o.h.takeBack(e)
		b := e.Block(of.Plan.Array())
		if err := of.Plan.Decode(e, b, of.Src, of.Want); err != nil {
			return err
		}
		return o.put(e, of.Out, b, of.In, of.Shape)
	}
	if lists(of.In) || lists(of.Out) || !o.h.worth(of.Plan, o.shared) {
		return here()
	}
	return o.h.run(env.Ctx, &job{}, of, newPlace(of.Out, of.Shape, o.size).object(o.memory), here)
}

// Put implements zarr.Output.
func (o *output) Put(out ndarray.Layout, src ndarray.Block, in ndarray.Layout, shape []int) error {
	e := o.h.env(context.Background())
	defer o.h.takeBack(e)
	return o.put(e, out, src, in, shape)
}

func (o *output) put(e *codec.Env, out ndarray.Layout, src ndarray.Block, in ndarray.Layout, shape []int) error {
	data, err := packed(src, in, shape, e.Buffer)
	if err == nil {
		o.memory.Put(newPlace(out, shape, o.size), data)
	}
	return err
}

// Fill implements zarr.Output. The memory is new and holds zeros.
func (o *output) Fill(out ndarray.Layout, shape []int, value []byte) error {
	zero := true
	for _, b := range value {
		zero = zero && b == 0
	}
	if zero {
		return nil
	}
	e := o.h.env(context.Background())
	defer o.h.takeBack(e)
	b := ndarray.Block{Shape: shape, Size: o.size}
	b.Data = e.Buffer(b.Len() * o.size)
	dense := ndarray.Layout{Strides: ndarray.Strides(shape)}
	if err := ndarray.Fill(b, dense, shape, value); err != nil {
		return err
	}
	return o.put(e, out, b, dense, shape)
}

func lists(l ndarray.Layout) bool {
	for _, list := range l.Lists {
		if list != nil {
			return true
		}
	}
	return false
}
