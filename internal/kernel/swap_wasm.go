package kernel

//go:noescape
func swap2(dst, src []byte, even, pairs uint64)

//go:noescape
func swap4(dst, src []byte, even, pairs uint64)

//go:noescape
func swap8(dst, src []byte, even, pairs uint64)
