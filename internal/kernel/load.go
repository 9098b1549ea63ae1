//go:build !(amd64 || arm64 || wasm)

package kernel

// Load16 returns the little-endian number at b[i:i+2].
func Load16(b []byte, i int) uint16 {
	_ = b[i+1]
	return uint16(b[i]) | uint16(b[i+1])<<8
}

// Load32 returns the little-endian number at b[i:i+4].
func Load32(b []byte, i int) uint32 {
	_ = b[i+3]
	return uint32(b[i]) | uint32(b[i+1])<<8 | uint32(b[i+2])<<16 | uint32(b[i+3])<<24
}

// Load64 returns the little-endian number at b[i:i+8].
func Load64(b []byte, i int) uint64 {
	return uint64(Load32(b, i)) | uint64(Load32(b, i+4))<<32
}

// Store16 writes v to b[i:i+2], little-endian.
func Store16(b []byte, i int, v uint16) {
	_ = b[i+1]
	b[i], b[i+1] = byte(v), byte(v>>8)
}

// Store32 writes v to b[i:i+4], little-endian.
func Store32(b []byte, i int, v uint32) {
	_ = b[i+3]
	b[i], b[i+1], b[i+2], b[i+3] = byte(v), byte(v>>8), byte(v>>16), byte(v>>24)
}

// Store64 writes v to b[i:i+8], little-endian.
func Store64(b []byte, i int, v uint64) {
	Store32(b, i, uint32(v))
	Store32(b, i+4, uint32(v>>32))
}
