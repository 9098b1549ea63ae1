//go:build js && wasm && full

package main

import (
	"github.com/zarr-wasm/zarr-wasm/internal/kinds"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
)

// registry returns the codecs of zarr-full.wasm: all codecs.
func registry() *codec.Registry { return codecs.Full() }

func rare() []string { return nil }

// storeKinds returns the kinds of stores that need codecs.
func storeKinds() kinds.Registry {
	return kinds.Registry{
		"zip": kinds.Zip(codecs.UnzipFull(registry())), "icechunk": kinds.Icechunk(codecs.Expand()), "n5": kinds.N5, "reference": kinds.References(codecs.Parquet(registry())),
	}
}
