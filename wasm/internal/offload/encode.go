package offload

import (
	"context"
	"time"

	"github.com/zarr-wasm/zarr-wasm/wasm/internal/wire"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// Encode implements codec.EncodingExecutor. Chunks share the queue of decodes. A chunk whose helper
// died is encoded here: its elements come from the writing program, and unlike stored bytes are
// unlikely to be the cause.
func (h *Helpers) Encode(env *codec.Env, p *codec.Plan, src ndarray.Block) ([]byte, error) {
	if !worthEncoding(h, p) {
		if err := h.breathe(env.Ctx); err != nil {
			return nil, err
		}
		return p.Encode(env, src)
	}
	j := &job{begin: make(chan struct{}, 1), done: make(chan wire.Object, 1)}
	defer h.leave(j)
	h.enter(j)
	h.foresee(costToEncode(p))
	select {
	case <-env.Ctx.Done():
		return nil, env.Ctx.Err()
	case <-j.begin:
	}
	if j.id == 0 {
		defer h.spend(time.Now())
		return p.Encode(env, src)
	}
	h.post(encoding(j, h.name(p.Pipeline), src))
	select {
	case <-env.Ctx.Done():
		var drop wire.Object
		drop.AddInt(wire.PoolDrop, j.id)
		h.post(drop)
		return nil, env.Ctx.Err()
	case end := <-j.done:
		if _, ended := end.TextIf(wire.JobError); !ended && j.dst != nil {
			return j.dst, nil
		}
		stored, err := p.Encode(env, src)
		if err == nil && end.Flag(wire.JobFailed) {
			// The elements are valid: the helper cannot encode by this chain.
			h.mu.Lock()
			h.pipelines[p.Pipeline] = local
			h.mu.Unlock()
		}
		return stored, err
	}
}

// foresee requests helpers for the chunks that wait, each of that cost. Unlike chunks to decode,
// which arrive one by one, those of a write are there at once.
func (h *Helpers) foresee(cost time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for h.requested < h.most && time.Duration(len(h.queue))*cost > time.Duration(1+h.requested)*patience {
		h.requested++
		h.notify(wire.PoolGrow)
	}
}

// breath is how long chunks are encoded in a row before the platform gets time.
const breath = 16 * time.Millisecond

// breathe yields to the platform when no helpers exist for which chunks would queue. In place, the
// thread is the page's, and without a pause it could not even cancel the write.
func (h *Helpers) breathe(ctx context.Context) error {
	h.mu.Lock()
	due := h.most == 0 && time.Since(h.breathed) > breath
	h.mu.Unlock()
	if !due {
		return ctx.Err()
	}
	t := time.NewTimer(time.Millisecond) // shorter timers expire before Go returns to the platform
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
	h.mu.Lock()
	h.breathed = time.Now()
	h.mu.Unlock()
	return ctx.Err()
}

// encoding returns the message of a job to encode.
func encoding(j *job, pipeline int, src ndarray.Block) wire.Object {
	var msg wire.Object
	msg.AddInt(wire.JobNumber, j.id)
	msg.AddInt(wire.JobPipeline, pipeline)
	msg.AddInts(wire.JobShape, src.Shape)
	msg.AddLent(wire.JobBytes, src.Data)
	msg.AddInt(wire.JobSize, len(src.Data))
	msg.AddFlag(wire.JobEncode, true)
	return msg
}

// worthEncoding reports whether a chunk to encode should queue.
func worthEncoding(h *Helpers, p *codec.Plan) bool {
	if h.most == 0 || p.Array().Type.Variable() || !costlyToEncode(p) || p.Local() {
		return false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.pipelines[p.Pipeline] != local
}

// Encoded receives the end of a job to encode: {job, bytes?, failed?, error?}.
func (h *Helpers) Encoded(msg wire.Object) {
	h.mu.Lock()
	j := h.jobs[msg.Int(wire.JobDone)]
	h.mu.Unlock()
	if m := msg.Memory(wire.JobResult); j != nil && m != nil {
		j.dst = make([]byte, m.Len())
	}
	h.Receive(msg)
}

// Encode answers {pipeline, shape, bytes, length} with the stored bytes.
func (d *Decoder) Encode(msg wire.Object) (any, error) {
	p := d.pipelines[msg.Int(wire.ChunkPipeline)]
	elements := msg.Memory(wire.ChunkBytes)
	n := msg.Int(wire.ChunkLength)
	if p == nil || elements == nil || n < 0 || n > elements.Len() {
		return nil, &wire.EngineError{Msg: "a chunk to encode without its codecs or elements"}
	}
	a := p.Build().Array
	a.Shape = msg.Ints(wire.ChunkShape)
	src := ndarray.Block{Shape: a.Shape, Size: a.Type.Size, Data: take(&d.src, n)}
	elements.Read(src.Data)
	if err := p.CheckEncode(); err != nil {
		return nil, err
	}
	defer d.env.Release(d.env.Mark())
	stored, err := p.EncodeInner(d.env, a, src) // the answer copies it
	return wire.Buffer(stored), err
}
