package kernel

//go:noescape
func lz4(dst []byte, d int, src []byte) (end, used int)

//go:noescape
func blosclz(dst, src []byte) (end, used int)
