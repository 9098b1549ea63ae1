package zstdk

//go:noescape
func build(t *table, c *counts, symbols []uint64)
