package reader

import (
	"github.com/zarr-wasm/zarr-wasm/internal/limits"
	"github.com/zarr-wasm/zarr-wasm/internal/object"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// newEngine returns the engine of a store, with its own caches.
func newEngine(l store.Locator) *Engine {
	return NewEngine(Config{
		Store: l, Limits: limits.Limits{}.WithDefaults(), Executor: codec.InPlace(), Caches: NewCaches(1<<20, 1<<20, 1<<20),
		Objects: object.Options{}.WithDefaults(),
	})
}
