package reader

import (
	"context"
	"runtime"
	"sync"

	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// Memory is the budget of decoded bytes under way, over all engines that share their caches. A
// chunk that does not fit waits. A chunk larger than the budget waits until it is alone. A holder
// of memory takes no more before it returns its share, which prevents deadlocks.
type Memory struct {
	mu      sync.Mutex
	all     int64
	free    int64
	waiting []*claim // the first to ask goes first

	large codec.Large
}

// claim is the claim of one waiting chunk.
type claim struct {
	n   int64
	let chan struct{}
}

const (
	// decodedBytes is the budget.
	decodedBytes = 512 << 20
	// smallShare is the size up to which a chunk is not counted. All such chunks together stay
	// small.
	smallShare = 4 << 20
	// expansion is the assumed ratio of decoded to stored bytes for chunks of variable-length
	// elements. The true ratio is unknown before decoding.
	expansion = 64
)

// NewMemory returns a budget of all bytes.
func NewMemory(all int64) *Memory { return &Memory{all: all, free: all} }

// Take waits for n bytes. The returned function frees them.
func (m *Memory) Take(ctx context.Context, n int64) (give func(), err error) {
	if n <= smallShare {
		return func() {}, nil
	}
	m.mu.Lock()
	s := &claim{min(n, m.all), make(chan struct{})}
	m.waiting = append(m.waiting, s)
	m.admit()
	m.mu.Unlock()
	select {
	case <-s.let:
		return func() { m.release(s) }, nil
	case <-ctx.Done():
		m.release(s)
		return nil, ctx.Err()
	}
}

// release frees the bytes of a claim, or ends its wait.
func (m *Memory) release(s *claim) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, other := range m.waiting {
		if other == s {
			m.waiting = append(m.waiting[:i], m.waiting[i+1:]...)
			m.admit() // it may have blocked a smaller one
			return
		}
	}
	m.free += s.n
	m.admit()
}

// decode decodes a chunk into a block. A chunk of variable-length elements waits for memory here,
// because its stored size gives an estimate.
func (a *Array) decode(env *codec.Env, plan *codec.Plan, block ndarray.Block, src []byte, want []codec.Range) (err error) {
	if a.Type.Variable() {
		memory := a.engine.opt.Caches.memory
		give, wait := memory.Take(env.Ctx, plan.Array().Memory()+expansion*int64(len(src)))
		if wait != nil {
			return wait
		}
		defer give()
		if runtime.GOMAXPROCS(0) == 1 {
			env.Large = &memory.large
		}
		defer func() { env.EndLarge(err != nil) }()
	}
	return a.engine.opt.Executor.Decode(env, plan, block, src, want)
}

func (m *Memory) admit() {
	for len(m.waiting) > 0 && m.waiting[0].n <= m.free {
		m.free -= m.waiting[0].n
		close(m.waiting[0].let)
		m.waiting = m.waiting[1:]
	}
}
