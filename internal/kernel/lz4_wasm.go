package kernel

//go:noescape
func lz4(dst []byte, d int, src []byte) (end, used int)
