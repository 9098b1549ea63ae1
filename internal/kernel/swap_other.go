//go:build !wasm

package kernel

func swap2(dst, src []byte, even, pairs uint64) { swap2Go(dst, src, even, pairs) }
func swap4(dst, src []byte, even, pairs uint64) { swap4Go(dst, src, even, pairs) }
func swap8(dst, src []byte, even, pairs uint64) { swap8Go(dst, src, even, pairs) }
