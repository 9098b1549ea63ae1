//go:build js && wasm && !full && !write

package main

import (
	"github.com/zarr-wasm/zarr-wasm/internal/kinds"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
)

// registry returns the codecs of zarr.wasm.
func registry() *codec.Registry { return codecs.Default() }

// rare names the codecs that only zarr-full.wasm has.
func rare() []string { return codecs.RareNames() }

// storeKinds returns the kinds of stores that need codecs, and names those that only zarr-full.wasm
// has.
func storeKinds() kinds.Registry {
	return kinds.Registry{"zip": kinds.Zip(codecs.Unzip(registry())), "icechunk": nil, "n5": nil}
}
