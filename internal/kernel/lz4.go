package kernel

// Fault tells what is wrong with compressed bytes.
type Fault int

// The faults of blocks of matches and literals.
const (
	None   Fault = iota
	Ended        // the source ends inside of a sequence
	Room         // it decodes to more bytes than the output has
	Offset       // a match begins before the output
)

// LZ4 decodes the raw LZ4 block src to dst[d:] and returns where it ends in dst.
// Its matches may begin in what is before d. Where there is a fault, all from d
// on is arbitrary.
func LZ4(dst []byte, d int, src []byte) (int, Fault) {
	_ = dst[d:]
	d, s := lz4(dst, d, src)
	if s < 0 {
		return d, None
	}
	return lz4Go(dst, d, src, s)
}

// lz4Go is LZ4 from the sequence at src[s] on.
func lz4Go(dst []byte, d int, src []byte, s int) (int, Fault) {
	for {
		if s >= len(src) {
			return d, Ended
		}
		token := int(src[s])
		s++

		n := token >> 4
		if n < 15 && len(src)-s >= 16 && len(dst)-d >= 16 {
			// Copies what comes after the literals as well: it is overwritten.
			in, out := src[s:s+16], dst[d:d+16]
			a, b := Load64(in, 0), Load64(in, 8)
			Store64(out, 0, a)
			Store64(out, 8, b)
			s += n
			d += n
		} else {
			if n == 15 {
				more, used := extension(src[s:])
				if used == 0 {
					return d, Ended
				}
				n += more
				s += used
			}
			if n > len(src)-s {
				return d, Ended
			}
			if n > len(dst)-d {
				return d, Room
			}
			copy(dst[d:d+n], src[s:s+n])
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
			more, used := extension(src[s:])
			if used == 0 {
				return d, Ended
			}
			n += more
			s += used
		}
		n += 4
		if n > len(dst)-d {
			return d, Room
		}
		if offset >= 8 && n <= 24 && len(dst)-d >= 24 {
			// In steps of 8 a match may overlap what it writes from 8 on.
			in, out := dst[d-offset:d-offset+24], dst[d:d+24]
			Store64(out, 0, Load64(in, 0))
			Store64(out, 8, Load64(in, 8))
			Store64(out, 16, Load64(in, 16))
			d += n
			continue
		}
		// Each copy doubles what the next one can take, if the match overlaps itself.
		from, end := d-offset, d+n
		for d < end {
			d += copy(dst[d:end], dst[from:d])
		}
	}
}

// extension reads the bytes that a length of 15 goes on in; used is 0 where they do not end.
func extension(src []byte) (n, used int) {
	for i, c := range src {
		n += int(c)
		if c != 255 {
			return n, i + 1
		}
	}
	return 0, 0
}
