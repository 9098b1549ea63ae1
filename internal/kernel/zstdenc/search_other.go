//go:build !wasm

package zstdenc

func search(s *Search, src []byte, from int) { searchGo(s, src, from) }
