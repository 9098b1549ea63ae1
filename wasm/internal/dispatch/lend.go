package dispatch

import (
	"github.com/zarr-wasm/zarr-wasm/wasm/internal/wire"
	"github.com/zarr-wasm/zarr-wasm/zarr"
)

// lend adds decoded chunks to an answer, unless they were outdated since the generation. The page
// keeps them for later reads. The first answer after they are outdated says so.
func (s *Session) lend(answer *wire.Object, chunks []zarr.WholeChunk, generation int64) {
	if len(chunks) == 0 || generation != s.caches.Generation() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lent && s.lentIn != generation {
		return // the page does not know yet that the others are outdated
	}
	s.lent, s.lentIn = true, generation
	list := make([]any, len(chunks))
	for i, c := range chunks {
		var o wire.Object
		coords := make([]int, len(c.Coords))
		for d, n := range c.Coords {
			coords[d] = int(n)
		}
		o.AddInts(wire.WholeCoords, coords)
		o.AddBuffer(wire.WholeBuffer, c.Data)
		list[i] = o
	}
	answer.AddList(wire.BlockChunks, list)
}

// outdated reports once that chunks of earlier answers may be outdated.
func (s *Session) outdated() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.lent || s.lentIn == s.caches.Generation() {
		return false
	}
	s.lent = false
	return true
}
