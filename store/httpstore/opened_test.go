package httpstore_test

import (
	"context"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/httpstore"
)

// opened is a store with methods that return bytes.
type opened struct{ *httpstore.Store }

func (s opened) Get(ctx context.Context, key string) ([]byte, error) {
	return store.Get(ctx, s.Store, key)
}

func (s opened) GetRange(ctx context.Context, key string, r store.ByteRange) ([]byte, error) {
	return store.GetRange(ctx, s.Store, key, r)
}
