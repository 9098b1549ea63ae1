package reader

import (
	"context"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
)

// TestMemory takes shares of any size concurrently, and abandons some. The total never exceeds the
// budget, every wait ends, and all memory returns.
func TestMemory(t *testing.T) {
	const all = 100 << 20
	for seed := range uint64(50) {
		m := NewMemory(all)
		var taken, alone atomic.Int64
		var wg sync.WaitGroup
		for i := range 40 {
			random := rand.New(rand.NewPCG(seed, uint64(i)))
			wg.Go(func() {
				for range 20 {
					n := random.Int64N(2 * all)
					ctx, cancel := context.WithCancel(t.Context())
					if random.IntN(3) == 0 {
						go cancel()
					}
					give, err := m.Take(ctx, n)
					if err == nil && n > smallShare {
						if now := taken.Add(min(n, all)); now > all {
							t.Errorf("%d bytes are taken of %d", now, all)
						}
						if n >= all && alone.Add(1) != 1 {
							t.Error("two that need all have it")
						}
						if n >= all {
							alone.Add(-1)
						}
						taken.Add(-min(n, all))
					}
					if err == nil {
						give()
					} else if ctx.Err() == nil {
						t.Error(err)
					}
					cancel()
				}
			})
		}
		wg.Wait()
		if m.free != all || len(m.waiting) != 0 {
			t.Fatalf("seed %d: %d bytes are free of %d, and %d wait", seed, m.free, all, len(m.waiting))
		}
	}
}
