package kernel

//go:noescape
func unshuffle2(dst, src []byte, stride, step, n int)

//go:noescape
func unshuffle4(dst, src []byte, stride, step, n int)

//go:noescape
func unshuffle8(dst, src []byte, stride, step, n int)

//go:noescape
func bitRows(tile, src []byte, row, n, size int)

//go:noescape
func bitBytes(dst, tile []byte, size int)
