//go:build amd64 || arm64 || wasm

package kernel

import "unsafe"

// These machines are little-endian and load from any address. Go's wasm compiler does not merge
// byte loads, so a load by shifts costs eight loads. encoding/binary would link reflect into the
// wasm.

// Load16 returns the little-endian number at b[i:i+2].
func Load16(b []byte, i int) uint16 {
	_ = b[i+1]
	return *(*uint16)(unsafe.Pointer(&b[i]))
}

// Load32 returns the little-endian number at b[i:i+4].
func Load32(b []byte, i int) uint32 {
	_ = b[i+3]
	return *(*uint32)(unsafe.Pointer(&b[i]))
}

// Load64 returns the little-endian number at b[i:i+8].
func Load64(b []byte, i int) uint64 {
	_ = b[i+7]
	return *(*uint64)(unsafe.Pointer(&b[i]))
}

// Store16 writes v to b[i:i+2], little-endian.
func Store16(b []byte, i int, v uint16) {
	_ = b[i+1]
	*(*uint16)(unsafe.Pointer(&b[i])) = v
}

// Store32 writes v to b[i:i+4], little-endian.
func Store32(b []byte, i int, v uint32) {
	_ = b[i+3]
	*(*uint32)(unsafe.Pointer(&b[i])) = v
}

// Store64 writes v to b[i:i+8], little-endian.
func Store64(b []byte, i int, v uint64) {
	_ = b[i+7]
	*(*uint64)(unsafe.Pointer(&b[i])) = v
}
