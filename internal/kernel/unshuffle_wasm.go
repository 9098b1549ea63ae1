package kernel

//go:noescape
func unshuffle4x8(dst, src []byte, stride, n int)
