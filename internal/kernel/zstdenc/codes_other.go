//go:build !wasm

package zstdenc

func count(list []Sequence, counts *[kinds][maxSymbols]uint32)    { countGo(list, counts) }
func encode(dst []byte, list []Sequence, c *[kinds]coder) (n int) { return encodeGo(dst, list, c) }
