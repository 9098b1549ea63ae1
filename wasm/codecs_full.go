//go:build js && wasm && full

package main

import (
	"zarr-wasm/zarr/codec"
	"zarr-wasm/zarr/codecs"
)

// registry has the codecs of zarr-full.wasm: all.
func registry() *codec.Registry { return codecs.Full() }

func rare() []string { return nil }
