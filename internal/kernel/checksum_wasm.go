package kernel

const crc32Folds = true

//go:noescape
func crc32Fold(next *[5]uint64, src []byte)

//go:noescape
func adler32Sum(src []byte, a, b uint64) (ra, rb uint64)
