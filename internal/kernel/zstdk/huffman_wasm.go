package zstdk

func huffmanFill(h *Huffman, n int)                         { huffmanFillGo(h, n) }
func weights(h *Huffman, src []byte, pos, low int) int      { return weightsGo(h, src, pos, low) }
func huffman1(h *Huffman, dst, src []byte, at, low int) int { return huffman1Go(h, dst, src, at, low) }
func huffman4(h *Huffman, dst, src []byte, quarter, n int)  { huffman4Go(h, dst, src, quarter, n) }
