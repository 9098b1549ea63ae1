package zstdenc

//go:noescape
func count(list []Sequence, counts *[kinds][maxSymbols]uint32)

//go:noescape
func encode(dst []byte, list []Sequence, c *[kinds]coder) (n int)
