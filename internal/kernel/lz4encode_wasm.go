package kernel

//go:noescape
func lz4Encode(dst, src []byte, t *LZ4Table, acceleration int) (d, anchor int)
