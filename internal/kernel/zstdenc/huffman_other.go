//go:build !wasm

package zstdenc

func histogram(data []byte, counts *[4][256]uint32) { histogramGo(data, counts) }
func huffman(dst, literals []byte, codes *[256]uint32) (n int) {
	return huffmanGo(dst, literals, codes)
}
