package zstdk

import (
	mathbits "math/bits"

	"github.com/zarr-wasm/zarr-wasm/internal/kernel"
)

const (
	prime1 = 0x9e3779b185ebca87
	prime2 = 0xc2b2ae3d27d4eb4f
	prime3 = 0x165667b19e3779f9
	prime4 = 0x85ebca77c2b2ae63
	prime5 = 0x27d4eb2f165667c5
)

func mix(lane, v uint64) uint64 { return mathbits.RotateLeft64(lane+v*prime2, 31) * prime1 }

// XXH64 is the XXH64 of data, with seed 0.
func XXH64(data []byte) uint64 {
	n := uint64(len(data))
	h := uint64(prime5)
	if n >= 32 {
		// The first and the last lane start beyond 64 bits: they wrap around.
		p1 := uint64(prime1)
		l := [4]uint64{p1 + prime2, prime2, 0, -p1}
		whole := len(data) &^ 31
		stripes(&l, data[:whole])
		data = data[whole:]
		h = mathbits.RotateLeft64(l[0], 1) + mathbits.RotateLeft64(l[1], 7) + mathbits.RotateLeft64(l[2], 12) + mathbits.RotateLeft64(l[3], 18)
		for _, lane := range l {
			h = (h^mix(0, lane))*prime1 + prime4
		}
	}
	h += n
	for ; len(data) >= 8; data = data[8:] {
		h = mathbits.RotateLeft64(h^mix(0, kernel.Load64(data, 0)), 27)*prime1 + prime4
	}
	if len(data) >= 4 {
		h = mathbits.RotateLeft64(h^uint64(kernel.Load32(data, 0))*prime1, 23)*prime2 + prime3
		data = data[4:]
	}
	for _, b := range data {
		h = mathbits.RotateLeft64(h^uint64(b)*prime5, 11) * prime1
	}
	h = (h ^ h>>33) * prime2
	h = (h ^ h>>29) * prime3
	return h ^ h>>32
}

// stripesGo mixes data, a positive multiple of 32 bytes, into the lanes.
func stripesGo(lanes *[4]uint64, data []byte) {
	a, b, c, d := lanes[0], lanes[1], lanes[2], lanes[3]
	for i := 0; i+32 <= len(data); i += 32 {
		stripe := data[i : i+32 : i+32]
		a = mix(a, kernel.Load64(stripe, 0))
		b = mix(b, kernel.Load64(stripe, 8))
		c = mix(c, kernel.Load64(stripe, 16))
		d = mix(d, kernel.Load64(stripe, 24))
	}
	*lanes = [4]uint64{a, b, c, d}
}
