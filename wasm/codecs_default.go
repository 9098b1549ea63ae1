//go:build js && wasm && !full

package main

import (
	"zarr-wasm/zarr/codec"
	"zarr-wasm/zarr/codecs"
)

// registry has the codecs of zarr.wasm.
func registry() *codec.Registry { return codecs.Default() }

// rare names the codecs that only zarr-full.wasm has.
func rare() []string { return codecs.RareNames() }
