//go:build !wasm

package kernel

func lz4Encode(dst, src []byte, t *LZ4Table, acceleration int) (d, anchor int) {
	return lz4EncodeGo(dst, src, t, acceleration)
}
