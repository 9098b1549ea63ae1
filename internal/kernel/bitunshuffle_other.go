//go:build !wasm

package kernel

func bitRows(tile, src []byte, row, n, size int) { bitRowsGo(tile, src, row, n, size) }

func bitBytes(dst, tile []byte, size int) { bitBytesGo(dst, tile, size) }
