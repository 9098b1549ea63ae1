package kernel

// Fault is a defect of compressed bytes.
type Fault int

// The faults of blocks of matches and literals.
const (
	None   Fault = iota
	Ended        // the source ends inside a sequence
	Room         // the output is too small
	Offset       // a match begins before the output
)

// LZ4 decodes the raw LZ4 block src to dst[d:] and returns its end in dst. Matches may start in
// dst[:d]. After a fault, dst[d:] is arbitrary.
func LZ4(dst []byte, d int, src []byte) (int, Fault) {
	_ = dst[d:]
	d, s := lz4(dst, d, src)
	if s < 0 {
		return d, None
	}
	return lz4Go(dst, d, src, s)
}

// lz4Go decodes from the sequence at src[s].
func lz4Go(dst []byte, d int, src []byte, s int) (int, Fault) {
	for {
		if s >= len(src) {
			return d, Ended
		}
		token := int(src[s])
		s++

		n := token >> 4
		if n < 15 && len(src)-s >= 16 && len(dst)-d >= 16 {
			// This also copies bytes after the literals, which are overwritten later.
			in, out := src[s:s+16], dst[d:d+16]
			a, b := Load64(in, 0), Load64(in, 8)
			Store64(out, 0, a)
			Store64(out, 8, b)
			s += n
			d += n
		} else {
			if n == 15 {
				for c := byte(255); c == 255; s++ {
					if s == len(src) {
						return d, Ended
					}
					c = src[s]
					n += int(c)
				}
			}
			if n > len(src)-s {
				return d, Ended
			}
			if n > len(dst)-d {
				return d, Room
			}
			if n <= 64 && len(src)-s >= 64 && len(dst)-d >= 64 {
				in, out := src[s:s+64], dst[d:d+64]
				for i := 0; i < n; i += 16 {
					Store64(out, i, Load64(in, i))
					Store64(out, i+8, Load64(in, i+8))
				}
			} else {
				copy(dst[d:d+n], src[s:s+n])
			}
			s += n
			d += n
			if s == len(src) {
				return d, None
			}
		}

		if len(src)-s < 2 {
			return d, Ended
		}
		offset := int(Load16(src, s))
		s += 2
		if offset == 0 || offset > d {
			return d, Offset
		}
		n = token & 15
		if n == 15 {
			for c := byte(255); c == 255; s++ {
				if s == len(src) {
					return d, Ended
				}
				c = src[s]
				n += int(c)
			}
		}
		n += 4
		if n > len(dst)-d {
			return d, Room
		}
		if offset >= 8 && n <= 24 && len(dst)-d >= 24 {
			// In steps of 8, a match may overlap the bytes that it writes from 8 on.
			in, out := dst[d-offset:d-offset+24], dst[d:d+24]
			Store64(out, 0, Load64(in, 0))
			Store64(out, 8, Load64(in, 8))
			Store64(out, 16, Load64(in, 16))
		} else {
			matchGo(dst, d, offset, n)
		}
		d += n
	}
}

// matchGo copies n bytes from dst[d-offset:] to dst[d:]. The ranges may overlap. The caller has
// checked the room.
func matchGo(dst []byte, d, offset, n int) {
	from, end := d-offset, d+n
	if n > 256 || len(dst)-end < 32 {
		// Each copy doubles the length of the next one, if the match overlaps itself.
		for d < end {
			d += copy(dst[d:end], dst[from:d])
		}
		return
	}
	out := dst[d : end+32]
	if offset < 16 {
		repeat(out, Load64(dst, from), Load64(dst, from+8), offset, n)
		return
	}
	in := dst[from : from+n+32]
	for i := 0; i < n; i += 32 {
		Store64(out, i, Load64(in, i))
		Store64(out, i+8, Load64(in, i+8))
		Store64(out, i+16, Load64(in, i+16))
		Store64(out, i+24, Load64(in, i+24))
	}
}

// repeat writes n bytes, and up to 16 more, of a pattern of offset bytes, which starts the 16 bytes
// a and b.
func repeat(out []byte, a, b uint64, offset, n int) {
	if offset < 8 {
		// Repeat the pattern; only whole ones count.
		a &= 1<<(8*offset) - 1
		for bits := 8 * offset; bits < 64; bits *= 2 {
			a |= a << bits
		}
		b = a
		offset = 8 / offset * offset
	}
	for i := 0; i < n; i += offset {
		Store64(out, i, a)
		Store64(out, i+8, b)
	}
}
