package dispatch

import (
	"github.com/zarr-wasm/zarr-wasm/wasm/internal/wire"
	"github.com/zarr-wasm/zarr-wasm/zarr"
)

// resize sets the budgets of the caches, in bytes.
func (s *Session) resize(budgets wire.Object) {
	bytes := func(name wire.IntName) int64 {
		n, ok := budgets.Number(name)
		switch {
		case !ok:
			return 0 // unchanged
		case !(n >= 1):
			return -1 // none
		}
		return int64(min(n, 1<<52))
	}
	s.caches.Resize(zarr.CacheOptions{
		Metadata: bytes(wire.BudgetMetadata), Indexes: bytes(wire.BudgetIndexes),
		Encoded: bytes(wire.BudgetEncoded), Decoded: bytes(wire.BudgetDecoded),
	})
}

// cachesReport returns the value of caches.
func (s *Session) cachesReport() wire.Object {
	stats := s.caches.Stats()
	var report wire.Object
	for _, cache := range [...]struct {
		name wire.ObjectName
		use  *zarr.CacheStats
	}{
		{wire.ReportMetadata, &stats.Metadata}, {wire.ReportIndexes, &stats.Indexes},
		{wire.ReportEncoded, &stats.Encoded}, {wire.ReportDecoded, &stats.Decoded},
	} {
		var use wire.Object
		for _, count := range [...]struct {
			name wire.IntName
			n    int64
		}{
			{wire.CacheBytes, cache.use.Bytes}, {wire.CacheBudget, cache.use.Budget}, {wire.CacheEntries, cache.use.Entries},
			{wire.CacheHits, cache.use.Hits}, {wire.CacheShared, cache.use.Shared}, {wire.CacheMisses, cache.use.Misses},
			{wire.CacheEvicted, cache.use.Evicted},
		} {
			use.AddNumber(count.name, float64(count.n))
		}
		report.AddObject(cache.name, use)
	}
	return report
}
