package rpc

import "zarr-wasm/zarr"

// resize sets the budgets of the caches that a message names: {metadata, indexes, encoded, decoded}, in bytes.
func (s *Session) resize(budgets any) {
	o, _ := budgets.(Object)
	bytes := func(name string) int64 {
		n, ok := o.Get(name).(float64)
		switch {
		case !ok:
			return 0 // as it is
		case n < 1:
			return -1 // none
		}
		return int64(min(n, 1<<52))
	}
	s.caches.Resize(zarr.CacheOptions{
		Metadata: bytes("metadata"), Indexes: bytes("indexes"), Encoded: bytes("encoded"), Decoded: bytes("decoded"),
	})
}

// cachesReport is the value of caches.
func (s *Session) cachesReport() Object {
	one := func(c zarr.CacheStats) Object {
		return Object{
			{"bytes", number(c.Bytes)}, {"budget", number(c.Budget)}, {"entries", number(c.Entries)}, {"hits", number(c.Hits)},
			{"shared", number(c.Shared)}, {"misses", number(c.Misses)}, {"evicted", number(c.Evicted)},
		}
	}
	c := s.caches.Stats()
	return Object{
		{"metadata", one(c.Metadata)}, {"indexes", one(c.Indexes)}, {"encoded", one(c.Encoded)}, {"decoded", one(c.Decoded)},
	}
}
