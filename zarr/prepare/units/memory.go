package units

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"sync"
)

type (
	meterKey  struct{}
	holderKey struct{}
)

// meter counts the memory that all units hold.
type meter struct {
	mu         sync.Mutex
	held, peak int64
}

func (m *meter) add(n int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.held += n
	m.peak = max(m.peak, m.held)
}

// holder counts the memory that one unit holds.
type holder struct {
	*meter
	stage      string
	mu         sync.Mutex
	most, mine int64
}

func (h *holder) take(n int64) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.mine+n > h.most {
		return &BoundError{h.stage, h.mine + n, h.most}
	}
	h.mine += n
	h.add(n)
	return nil
}

// drop releases all that a unit holds.
func (h *holder) drop() {
	h.add(-h.mine)
	h.mine = 0
}

// BoundError reports a fault of a stage: a unit holds more memory than the stage states.
type BoundError struct {
	Stage       string
	Held, Bound int64
}

func (e *BoundError) Error() string {
	return fmt.Sprintf("%s: a unit holds %d bytes, and the stage states %d", e.Stage, e.Held, e.Bound)
}

// Hold counts n bytes that a unit is about to allocate. The returned function releases them. More
// than [Stage.Memory] is a [*BoundError]. Outside of a unit, Hold counts nothing.
func Hold(ctx context.Context, n int64) (release func(), err error) {
	h, ok := ctx.Value(holderKey{}).(*holder)
	if !ok {
		return func() {}, nil
	}
	if err := h.take(n); err != nil {
		return nil, err
	}
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.mine -= n
		h.add(-n)
	}, nil
}

// Within returns the memory that units may take together in a process of that much memory. The rest
// is for the program itself, caches, decoders and garbage.
func Within(process int64) int64 { return max(1, process/4, (process-64<<20)*5/8) }

// Needed returns the memory of a process whose units may take that much together.
func Needed(units int64) int64 { return units*8/5 + 64<<20 }

// LimitProcess sets the soft memory limit of the process to most of that memory, unless GOMEMLIMIT
// sets another. Without it, garbage would double the size of the buffers. It returns a function
// that restores the old limit.
func LimitProcess(memory int64) (restore func()) {
	if os.Getenv("GOMEMLIMIT") != "" {
		return func() {}
	}
	old := debug.SetMemoryLimit(memory * 8 / 10)
	return func() { debug.SetMemoryLimit(old) }
}
