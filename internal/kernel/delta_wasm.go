package kernel

//go:noescape
func delta1(dst, src []byte)

//go:noescape
func delta2(dst, src []byte)

//go:noescape
func delta4(dst, src []byte)

//go:noescape
func delta8(dst, src []byte)
