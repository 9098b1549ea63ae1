package zstdenc

//go:noescape
func histogram(data []byte, counts *[4][256]uint32)

//go:noescape
func huffman(dst, literals []byte, codes *[256]uint32) (n int)
