//go:build !wasm

package zstdk

func stripes(lanes *[4]uint64, data []byte) { stripesGo(lanes, data) }
