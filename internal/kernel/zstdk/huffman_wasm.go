package zstdk

// pairsPay: 1.6 times as fast as single symbols.
const pairsPay = true

//go:noescape
func huffmanFill(h *Huffman, n int)

//go:noescape
func weights(h *Huffman, src []byte, pos, low int) (n int)

//go:noescape
func huffman1(h *Huffman, dst, src []byte, at, low int) (next int)

//go:noescape
func huffman4(h *Huffman, dst, src []byte, n int)

//go:noescape
func huffmanPairs(h *Huffman)

//go:noescape
func huffman4Pairs(h *Huffman, dst, src []byte, n int)
