package rpc

import "sync"

// spare is memory that nobody uses any more, for the next who needs some. What is read of a store in memory would
// otherwise be collected as garbage several times in a read of some megabytes, which takes as long as most
// decoders do.
type spare struct {
	mu   sync.Mutex
	free [][]byte // the oldest first
	size int
}

const (
	// spareMost is how many bytes are kept,
	spareMost = 16 << 20
	// and spareLeast how many a piece has: what is smaller costs little.
	spareLeast = 64 << 10
)

// take returns n bytes of any content.
func (s *spare) take(n int) []byte {
	if n < spareLeast {
		return make([]byte, n)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	best := -1
	for i, b := range s.free {
		if size := cap(b); size >= n && size <= 2*n && (best < 0 || size < cap(s.free[best])) {
			best = i
		}
	}
	if best < 0 {
		return make([]byte, n, n+n/16) // the next may be a little larger
	}
	b := s.free[best][:n]
	s.drop(best)
	return b
}

// give takes memory back.
func (s *spare) give(b []byte) {
	if cap(b) < spareLeast || cap(b) > spareMost {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free = append(s.free, b)
	for s.size += cap(b); s.size > spareMost; {
		s.drop(0)
	}
}

func (s *spare) drop(i int) {
	s.size -= cap(s.free[i])
	last := len(s.free) - 1
	copy(s.free[i:], s.free[i+1:])
	s.free[last] = nil
	s.free = s.free[:last]
}
