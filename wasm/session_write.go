//go:build js && wasm && write

package main

import (
	"syscall/js"

	"github.com/zarr-wasm/zarr-wasm/internal/kinds"
	"github.com/zarr-wasm/zarr-wasm/wasm/internal/changes"
	"github.com/zarr-wasm/zarr-wasm/wasm/internal/dispatch"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs/writing"
)

// registry returns the codecs of zarr-write.wasm: all, with their encoders.
func registry() *codec.Registry { return writing.Codecs() }

func rare() []string { return nil }

// storeKinds returns the kinds of stores that need codecs.
func storeKinds() kinds.Registry {
	return kinds.Registry{
		"zip": kinds.Zip(codecs.UnzipFull(registry())), "icechunk": kinds.Icechunk(codecs.Expand()), "n5": kinds.N5, "reference": kinds.References(codecs.Parquet(registry())),
	}
}

func newSession(c dispatch.Config) *changes.Session { return changes.NewSession(c) }

// Gather implements changes.Gatherer.
func (m *memory) Gather(dst []byte, from, run int, counts, strides []int) {
	place := m.b.object.New()
	place.Set("offset", from)
	place.Set("run", run)
	place.Set("counts", m.b.numbers(counts))
	place.Set("strides", m.b.numbers(strides))
	js.CopyBytesToGo(dst, js.Global().Get("zarrGather").Invoke(m.bytes, len(dst), place))
}

func (b *bridge) numbers(list []int) js.Value {
	a := b.array.New(len(list))
	for i, n := range list {
		a.SetIndex(i, n)
	}
	return a
}
