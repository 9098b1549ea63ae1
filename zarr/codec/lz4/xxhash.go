package lz4

import (
	"math/bits"

	"github.com/zarr-wasm/zarr-wasm/internal/kernel"
)

// The primes of XXH32.
const (
	prime1 = 0x9e3779b1
	prime2 = 0x85ebca77
	prime3 = 0xc2b2ae3d
	prime4 = 0x27d4eb2f
	prime5 = 0x165667b1
)

func mix(lane, v uint32) uint32 { return bits.RotateLeft32(lane+v*prime2, 13) * prime1 }

// xxh32 is the XXH32 of data.
func xxh32(data []byte, seed uint32) uint32 {
	n := uint32(len(data))
	h := seed + prime5
	if len(data) >= 16 {
		// The first and the last lane start beyond 32 bits: they wrap around.
		p1 := uint32(prime1)
		a, b, c, d := seed+p1+prime2, seed+prime2, seed, seed-p1
		i := 0
		for ; len(data)-i >= 16; i += 16 {
			a = mix(a, kernel.Load32(data, i))
			b = mix(b, kernel.Load32(data, i+4))
			c = mix(c, kernel.Load32(data, i+8))
			d = mix(d, kernel.Load32(data, i+12))
		}
		data = data[i:]
		h = bits.RotateLeft32(a, 1) + bits.RotateLeft32(b, 7) + bits.RotateLeft32(c, 12) + bits.RotateLeft32(d, 18)
	}
	h += n
	for ; len(data) >= 4; data = data[4:] {
		h = bits.RotateLeft32(h+kernel.Load32(data, 0)*prime3, 17) * prime4
	}
	for _, b := range data {
		h = bits.RotateLeft32(h+uint32(b)*prime5, 11) * prime1
	}
	h = (h ^ h>>15) * prime2
	h = (h ^ h>>13) * prime3
	return h ^ h>>16
}
