// Command gen writes the assembly of package kernel: one *_wasm.s for each file of kernels here.
// Run it by `go generate ./internal/kernel`.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// files returns the generated files of internal/kernel.
func files() map[string]string {
	return map[string]string{
		"checksum_wasm.s":        File(checksums()...),
		"delta_wasm.s":           File(deltas()...),
		"inflate_wasm.s":         File(inflateFuncs()...),
		"lz4_wasm.s":             File(lz4(), blosclz()),
		"move_wasm.s":            File(moves()...),
		"numbers_wasm.s":         File(numbers()...),
		"swap_wasm.s":            File(swaps()...),
		"unshuffle_wasm.s":       File(unshuffle()...),
		"zstdenc/codes_wasm.s":   File(zstdCodes()...),
		"zstdenc/huffman_wasm.s": File(zstdLiterals()...),
		"zstdenc/search_wasm.s":  File(zstdSearch()...),
		"zstdk/fse_wasm.s":       File(zstdFSE()...),
		"zstdk/huffman_wasm.s":   File(zstdHuffman()...),
		"zstdk/sequences_wasm.s": File(zstdSequences()...),
		"zstdk/xxhash_wasm.s":    File(zstdXXH()...),
	}
}

func main() {
	dir := "."
	if len(os.Args) > 1 {
		dir = os.Args[1]
	}
	for name, text := range files() {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			fmt.Fprintln(os.Stderr, "gen:", err)
			os.Exit(1)
		}
	}
}
