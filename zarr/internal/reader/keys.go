package reader

import (
	"sync/atomic"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
)

// chunkKeys determines the keys of an array's chunks.
//
// A separator in the metadata is final. Metadata of v1 and v2 may name none: for years before
// dimension_separator existed, writers stored chunks in a folder for each dimension (0/1 for 0.1).
// Until a chunk of such an array is found, an absent one is looked up under the other separator
// too. The first chunk that is found decides.
type chunkKeys struct {
	declared, other *grid.KeyEncoding // other is nil if there is no doubt
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

// order returns the encodings to try for a chunk, in order. The second may be nil. After chunks
// were found under the other separator, one under the default separator still counts.
func (k *chunkKeys) order() [2]*grid.KeyEncoding {
	switch found := k.found.Load(); {
	case found != nil && found == k.other:
		return [2]*grid.KeyEncoding{k.other, k.declared}
	case found == nil:
		return [2]*grid.KeyEncoding{k.declared, k.other}
	}
	return [2]*grid.KeyEncoding{k.declared}
}

// decide notes the encoding of a chunk that was found; the first one counts.
func (k *chunkKeys) decide(found *grid.KeyEncoding) { k.found.CompareAndSwap(nil, found) }

// chunkKey returns the store's key of a chunk, by current knowledge.
func (a *Array) chunkKey(coords []int64) string {
	return store.Join(a.Path, a.keys.order()[0].Key(coords))
}
