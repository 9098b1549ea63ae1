//go:build !wasm

package kernel

const crc32Folds = false

func crc32Fold(next *[5]uint64, src []byte) { crc32FoldGo(next, src) }

func adler32Sum(src []byte, a, b uint64) (ra, rb uint64) { return adler32SumGo(src, a, b) }
