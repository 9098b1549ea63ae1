package kernel

// BloscLZ decodes a BloscLZ stream (blosc's variant of FastLZ) into dst. It returns the number of
// decoded bytes. After a fault, dst's content is arbitrary.
func BloscLZ(dst, src []byte) (int, Fault) {
	d, s := blosclz(dst, src)
	if s < 0 {
		return d, None
	}
	return blosclzGo(dst, d, src, s)
}

// blosclzGo decodes from the sequence at src[s] to dst[d:].
func blosclzGo(dst []byte, d int, src []byte, s int) (int, Fault) {
	const far = 8191 // from this distance on, two more bytes hold the rest
	for {
		if s == len(src) {
			return d, Ended
		}
		control := int(src[s])
		if s == 0 {
			control &= 31 // the upper bits of the first control byte have no meaning
		}
		s++
		if control < 32 {
			n := control + 1
			if n > len(src)-s {
				return d, Ended
			}
			if n > len(dst)-d {
				return d, Room
			}
			copy(dst[d:d+n], src[s:s+n])
			s += n
			d += n
		} else {
			n := control>>5 + 2
			if n == 9 {
				for c := byte(255); c == 255; s++ {
					if s == len(src) {
						return d, Ended
					}
					c = src[s]
					n += int(c)
				}
			}
			if s == len(src) {
				return d, Ended
			}
			offset := control&31<<8 + int(src[s])
			s++
			if offset == far {
				if len(src)-s < 2 {
					return d, Ended
				}
				offset += int(src[s])<<8 + int(src[s+1])
				s += 2
			}
			offset++
			if offset > d {
				return d, Offset
			}
			if n > len(dst)-d {
				return d, Room
			}
			matchGo(dst, d, offset, n)
			d += n
		}
		if s == len(src) {
			return d, None
		}
	}
}
