//go:build !wasm

package zstdk

// pairsPay: there are enough registers for single symbols of all streams, which is faster.
const pairsPay = false

func huffmanFill(h *Huffman, n int)                         { huffmanFillGo(h, n) }
func weights(h *Huffman, src []byte, pos, low int) int      { return weightsGo(h, src, pos, low) }
func huffman1(h *Huffman, dst, src []byte, at, low int) int { return huffman1Go(h, dst, src, at, low) }
func huffman4(h *Huffman, dst, src []byte, n int)           { huffman4Go(h, dst, src, n) }

func huffmanPairs(h *Huffman)                          { huffmanPairsGo(h) }
func huffman4Pairs(h *Huffman, dst, src []byte, n int) { huffman4PairsGo(h, dst, src, n) }
