package blosc

import "zarr-wasm/zarr/codec"

var (
	errLzEnd      = codec.Truncated("the BloscLZ stream ends too early")
	errLzRoom     = codec.Corrupt("the BloscLZ stream decodes to more bytes than it should")
	errLzDistance = codec.Corrupt("a BloscLZ match starts before the stream")
)

// blosclz decodes a stream of BloscLZ, blosc's own relative of FastLZ.
func blosclz(dst, src []byte) (int, error) {
	const far = 8191 // the distance from which on two more bytes hold the rest
	if len(src) == 0 {
		return 0, errLzEnd
	}
	s, d := 1, 0
	for control := int(src[0]) & 31; ; {
		if control < 32 {
			n := control + 1
			if n > len(src)-s {
				return d, errLzEnd
			}
			if n > len(dst)-d {
				return d, errLzRoom
			}
			copy(dst[d:d+n], src[s:s+n])
			s += n
			d += n
		} else {
			n := control>>5 - 1
			distance := control & 31 << 8
			if n == 6 {
				for {
					if s == len(src) {
						return d, errLzEnd
					}
					b := int(src[s])
					s++
					n += b
					if b != 255 {
						break
					}
				}
			}
			n += 3
			if s == len(src) {
				return d, errLzEnd
			}
			code := int(src[s])
			s++
			if code == 255 && distance == 31<<8 {
				if len(src)-s < 2 {
					return d, errLzEnd
				}
				distance = int(src[s])<<8 + int(src[s+1]) + far
				s += 2
			} else {
				distance += code
			}
			distance++
			if distance > d {
				return d, errLzDistance
			}
			if n > len(dst)-d {
				return d, errLzRoom
			}
			from, end := d-distance, d+n
			for d < end {
				d += copy(dst[d:end], dst[from:d])
			}
		}
		if s == len(src) {
			return d, nil
		}
		control = int(src[s])
		s++
	}
}
