//go:build !wasm

package zstdk

func build(t *table, c *counts, symbols []uint64) { buildGo(t, c, symbols) }
