package hostside

import "sync"

// bufferPool keeps unused memory for reuse. Without it, a read of some megabytes from memory causes
// several garbage collections, which cost as much as most decoders.
type bufferPool struct {
	mu   sync.Mutex
	free [][]byte // the oldest first
	size int
}

const (
	// poolBytes bounds the kept memory.
	poolBytes = 16 << 20
	// pooledLeast is the size of the smallest buffer to keep, since smaller ones cost little.
	pooledLeast = 64 << 10
)

// take returns n bytes with arbitrary content.
func (p *bufferPool) take(n int) []byte {
	if n < pooledLeast {
		return make([]byte, n)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	best := -1
	for i, b := range p.free {
		if size := cap(b); size >= n && size <= 2*n && (best < 0 || size < cap(p.free[best])) {
			best = i
		}
	}
	if best < 0 {
		return make([]byte, n, n+n/16) // the next may be a little larger
	}
	b := p.free[best][:n]
	p.drop(best)
	return b
}

// put returns memory to the pool.
func (p *bufferPool) put(b []byte) {
	if cap(b) < pooledLeast || cap(b) > poolBytes {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = append(p.free, b)
	for p.size += cap(b); p.size > poolBytes; {
		p.drop(0)
	}
}

func (p *bufferPool) drop(i int) {
	p.size -= cap(p.free[i])
	last := len(p.free) - 1
	copy(p.free[i:], p.free[i+1:])
	p.free[last] = nil
	p.free = p.free[:last]
}
