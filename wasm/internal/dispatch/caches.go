package dispatch

import (
	"zarr-wasm/wasm/internal/wire"
	"zarr-wasm/zarr"
)

// resize sets the budgets of the caches that a message names: {metadata, indexes, encoded, decoded}, in bytes.
func (s *Session) resize(budgets any) {
	o, _ := budgets.(wire.Object)
	bytes := func(name string) int64 {
		n, ok := o.Get(name).(float64)
		switch {
		case !ok:
			return 0 // as it is
		case !(n >= 1):
			return -1 // none
		}
		return int64(min(n, 1<<52))
	}
	s.caches.Resize(zarr.CacheOptions{
		Metadata: bytes("metadata"), Indexes: bytes("indexes"), Encoded: bytes("encoded"), Decoded: bytes("decoded"),
	})
}

// cachesReport is the value of caches.
func (s *Session) cachesReport() wire.Object {
	stats := s.caches.Stats()
	names := [...]string{"bytes", "budget", "entries", "hits", "shared", "misses", "evicted"}
	report := wire.Object{wire.F("metadata", nil), wire.F("indexes", nil), wire.F("encoded", nil), wire.F("decoded", nil)}
	for i, c := range [...]*zarr.CacheStats{&stats.Metadata, &stats.Indexes, &stats.Encoded, &stats.Decoded} {
		one := make(wire.Object, 0, len(names))
		for k, n := range [...]int64{c.Bytes, c.Budget, c.Entries, c.Hits, c.Shared, c.Misses, c.Evicted} {
			one = append(one, wire.F(names[k], wire.Number(n)))
		}
		report[i].Value = one
	}
	return report
}
