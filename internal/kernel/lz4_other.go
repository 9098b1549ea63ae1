//go:build !wasm

package kernel

// lz4 leaves everything to lz4Go.
func lz4(_ []byte, d int, _ []byte) (end, used int) { return d, 0 }

// blosclz leaves everything to blosclzGo.
func blosclz(_, _ []byte) (end, used int) { return 0, 0 }
