package kernel

// Inflate decodes the symbols of DEFLATE blocks (RFC 1951): literals, and matches with earlier
// output. The caller reads block headers by Fill and Take, sets the codes' lengths, and provides
// more room when Dst is full.
type Inflate struct {
	// Src is the stream. Acc holds the N bits before Src[Pos] that were not consumed, the first one
	// lowest. Above them are zeros or the bits that follow.
	Src []byte
	Pos int
	Acc uint64
	N   uint
	// Dst[:Out] is decoded; matches reach back to Dst[Base].
	Dst       []byte
	Out, Base int

	left, back int // of a match that did not fit
	lit        [inflateLits]uint32
	dist       [inflateDists]uint32
}

// InflateEnd is the reason why decoding stopped.
type InflateEnd int

const (
	InflateDone     InflateEnd = iota // The end of the block.
	InflateNear                       // Only within the package: near the end of Src or of Dst.
	InflateBadCode                    // A code that the block does not define.
	InflateBadMatch                   // A match that begins before the data.
	InflateFull                       // Dst is full: with more of it, call again.
	InflateCut                        // Src ends inside the block.
)

// The bytes that the fast loop may access beyond Pos and Out in one iteration; see gen/inflate.go.
const (
	inflateSrcRoom = 16
	inflateDstRoom = 288
)

// Fill makes at least 56 bits valid, or all that remain.
func (s *Inflate) Fill() {
	if len(s.Src)-s.Pos >= 8 {
		s.Acc |= Load64(s.Src, s.Pos) << (s.N & 63)
		s.Pos += int(63-s.N) >> 3
		s.N |= 56
		return
	}
	for s.N < 56 && s.Pos < len(s.Src) {
		s.Acc |= uint64(s.Src[s.Pos]) << (s.N & 63)
		s.Pos++
		s.N += 8
	}
}

// Take returns the next k bits, which must be valid; k is at most 32.
func (s *Inflate) Take(k uint) int {
	v := int(s.Acc & (1<<(k&63) - 1))
	s.Acc >>= k & 63
	s.N -= k
	return v
}

// Align drops the rest of the current byte, and unreads whole bytes: Src[Pos] is next.
func (s *Inflate) Align() {
	s.Pos -= int(s.N >> 3)
	s.Acc, s.N = 0, 0
}

// Symbols decodes to the end of the block, or until Dst is full.
func (s *Inflate) Symbols() InflateEnd {
	for {
		if s.left > 0 && !s.match() {
			return InflateFull
		}
		if len(s.Src)-s.Pos >= inflateSrcRoom && len(s.Dst)-s.Out >= inflateDstRoom {
			if end := inflate(s); end != InflateNear {
				return end
			}
		}
		if end := s.symbol(); end != InflateNear {
			return end
		}
	}
}

// match writes the pending match as far as it fits. It reports whether the match is complete.
func (s *Inflate) match() bool {
	for s.left > 0 && s.Out < len(s.Dst) {
		n := copy(s.Dst[s.Out:min(s.Out+s.left, len(s.Dst))], s.Dst[s.Out-s.back:s.Out])
		s.Out += n
		s.left -= n
	}
	return s.left == 0
}

// symbol decodes one symbol, with all checks.
func (s *Inflate) symbol() InflateEnd {
	s.Fill()
	e := s.lit[s.Acc&inflateLitMask]
	skip := uint(0)
	if e&inflateOdd == inflateSub {
		skip = inflateLitRoot
		e = s.lit[e>>16+uint32(s.Acc>>skip)&(1<<(e>>8&15)-1)]
	}
	if e&inflateLit != 0 {
		if skip += uint(e & 63); s.N < skip {
			return InflateCut
		}
		if s.Out == len(s.Dst) {
			return InflateFull
		}
		s.Take(skip)
		s.Dst[s.Out] = byte(e >> 16)
		s.Out++
		return InflateNear
	}
	length, ok := s.value(e, skip)
	if !ok {
		return s.bad(e)
	}
	if e&inflateOdd != 0 {
		return InflateDone
	}
	s.Fill()
	e, skip = s.dist[s.Acc&inflateDistMask], 0
	if e&inflateOdd == inflateSub {
		skip = inflateDistRoot
		e = s.dist[e>>16+uint32(s.Acc>>skip)&(1<<(e>>8&15)-1)]
	}
	back, ok := s.value(e, skip)
	if !ok {
		return s.bad(e)
	}
	if back > s.Out-s.Base {
		return InflateBadMatch
	}
	s.left, s.back = length, back
	if !s.match() {
		return InflateFull
	}
	return InflateNear
}

// value consumes skip bits, and the code and extra bits of an entry that is a base or the block's
// end.
func (s *Inflate) value(e uint32, skip uint) (int, bool) {
	if e == inflateNone || s.N < skip+uint(e&63) {
		return 0, false
	}
	s.Take(skip)
	v := int(e>>16) + int(s.Acc&(1<<(e&63)-1))>>(e>>8&15)
	s.Take(uint(e & 63))
	return v, true
}

// bad distinguishes an undefined code from one that is cut off by the end.
func (s *Inflate) bad(e uint32) InflateEnd {
	if e == inflateNone && s.N >= 15 {
		return InflateBadCode
	}
	return InflateCut
}

// inflateGo is the fast loop. It runs while Src and Dst have room beyond Pos and Out, as they must
// at the call.
func inflateGo(s *Inflate) InflateEnd {
	src, dst, base := s.Src, s.Dst, s.Base
	pos, out, acc, n := s.Pos, s.Out, s.Acc, s.N
	end := InflateNear
	for len(src)-pos >= inflateSrcRoom && len(dst)-out >= inflateDstRoom {
		acc |= Load64(src, pos) << (n & 63)
		pos += int(63-n) >> 3 & 7
		n |= 56
		// Of 56 bits, two literals leave enough for a third lookup.
		e := s.lit[acc&inflateLitMask]
		if e&inflateLit != 0 {
			dst[out] = byte(e >> 16)
			out++
			acc >>= e & 63
			n -= uint(e & 63)
			e = s.lit[acc&inflateLitMask]
			if e&inflateLit != 0 {
				dst[out] = byte(e >> 16)
				out++
				acc >>= e & 63
				n -= uint(e & 63)
				e = s.lit[acc&inflateLitMask]
				if e&inflateLit != 0 {
					dst[out] = byte(e >> 16)
					out++
					acc >>= e & 63
					n -= uint(e & 63)
					continue
				}
			}
		}
		if e&inflateOdd == inflateSub {
			acc >>= inflateLitRoot
			n -= inflateLitRoot
			e = s.lit[e>>16+uint32(acc)&(1<<(e>>8&15)-1)]
			if e&inflateLit != 0 {
				dst[out] = byte(e >> 16)
				out++
				acc >>= e & 63
				n -= uint(e & 63)
				continue
			}
		}
		if e == inflateNone {
			end = InflateBadCode
			break
		}
		length := int(e>>16) + int(acc&(1<<(e&63)-1)>>(e>>8&15))
		acc >>= e & 63
		n -= uint(e & 63)
		if e&inflateOdd != 0 {
			end = InflateDone
			break
		}

		acc |= Load64(src, pos) << (n & 63)
		pos += int(63-n) >> 3 & 7
		n |= 56
		e = s.dist[acc&inflateDistMask]
		if e&inflateOdd == inflateSub {
			acc >>= inflateDistRoot
			n -= inflateDistRoot
			e = s.dist[e>>16+uint32(acc)&(1<<(e>>8&15)-1)]
		}
		if e == inflateNone {
			end = InflateBadCode
			break
		}
		back := int(e>>16) + int(acc&(1<<(e&63)-1)>>(e>>8&15))
		acc >>= e & 63
		n -= uint(e & 63)
		if back > out-base {
			end = InflateBadMatch
			break
		}
		to, from := out+length, out-back
		if back >= 8 {
			// Steps of 8 write at most 7 bytes too many, into room that exists.
			for ; out < to; out, from = out+8, from+8 {
				Store64(dst, out, Load64(dst, from))
			}
		} else {
			// Repeat as many whole periods as fit into a word.
			w := Load64(dst, from) & (1<<(8*back) - 1) * inflatePeriod[back]
			for step := int(inflateStep[back]); out < to; out += step {
				Store64(dst, out, w)
			}
		}
		out = to
	}
	s.Pos, s.Out, s.Acc, s.N = pos, out, acc, n
	return end
}

// Multiplying a pattern of i bytes by inflatePeriod[i] repeats it over 8 bytes. The first
// inflateStep[i] of these are whole repetitions.
var (
	inflatePeriod = [8]uint64{1: 0x0101010101010101, 0x0001000100010001, 1 + 1<<24 + 1<<48, 1 + 1<<32, 1 + 1<<40, 1 + 1<<48, 1 + 1<<56}
	inflateStep   = [8]uint8{1: 8, 8, 6, 8, 5, 6, 7}
)
