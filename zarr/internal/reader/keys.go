package reader

import (
	"sync/atomic"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
)

// chunkKeys finds out under which keys an array's chunks are stored.
//
// Of the separator, metadata of v1 and v2 may be wrong, or say nothing: chunks
// were stored in a folder for each dimension (0/1 for 0.1) for years before
// dimension_separator could tell. So as long as no chunk of an array has been found,
// one that is absent is looked for under the other separator too. The first chunk that is
// found decides; where that is the first one asked for, nothing is asked in vain.
// A separator that is written is believed where each question is a request.
type chunkKeys struct {
	declared, other *grid.KeyEncoding // other is nil where there is no doubt
	found           atomic.Pointer[grid.KeyEncoding]
}

func (k *chunkKeys) init(m *meta.Node, remote bool) {
	k.declared = &m.Array.Keys
	if m.Format == 3 || len(m.Array.Shape) < 2 || remote && m.Array.KeysWritten {
		return
	}
	other := *k.declared
	if other.Separator = "/"; k.declared.Separator == "/" {
		other.Separator = "."
	}
	k.other = &other
}

// order is where to look for a chunk: in the first place, and if it is not there
// in the second, which may be nil. Where the metadata turned out to be
// wrong, a chunk that is stored as it says is still one.
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
