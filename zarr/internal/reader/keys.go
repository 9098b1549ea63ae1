package reader

import (
	"sync/atomic"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
)

// chunkKeys finds out under which keys an array's chunks are stored.
//
// A separator that the metadata name is believed. Metadata of v1 and v2 may name none: chunks were
// stored in a folder for each dimension (0/1 for 0.1) for years before dimension_separator existed.
// As long as no chunk of such an array has been found, an absent one is looked for under the other
// separator too. The first chunk that is found decides.
type chunkKeys struct {
	declared, other *grid.KeyEncoding // other is nil where there is no doubt
	found           atomic.Pointer[grid.KeyEncoding]
}

func (k *chunkKeys) init(m *meta.Node) {
	k.declared = &m.Array.Keys
	if m.Format == 3 || m.Array.KeysWritten || len(m.Array.Shape) < 2 {
		return
	}
	other := *k.declared
	other.Separator = "/"
	k.other = &other
}

// order returns the encodings by which a chunk is looked for: the first, and if it is not there the
// second, which may be nil. Where chunks were found under the other separator, one under the default
// separator still counts.
func (k *chunkKeys) order() [2]*grid.KeyEncoding {
	switch found := k.found.Load(); {
	case found != nil && found == k.other:
		return [2]*grid.KeyEncoding{k.other, k.declared}
	case found == nil:
		return [2]*grid.KeyEncoding{k.declared, k.other}
	}
	return [2]*grid.KeyEncoding{k.declared}
}

// decide notes where a chunk was found; the first one counts.
func (k *chunkKeys) decide(found *grid.KeyEncoding) { k.found.CompareAndSwap(nil, found) }

// chunkKey is the store's key of a chunk, as far as is known.
func (a *Array) chunkKey(coords []int64) string {
	return store.Join(a.Path, a.keys.order()[0].Key(coords))
}
