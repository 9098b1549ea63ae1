package zstdk

//go:noescape
func huffmanFill(h *Huffman, n int)

//go:noescape
func weights(h *Huffman, src []byte, pos, low int) (n int)

//go:noescape
func huffman1(h *Huffman, dst, src []byte, at, low int) (next int)

//go:noescape
func huffman4(h *Huffman, dst, src []byte, quarter, n int)
