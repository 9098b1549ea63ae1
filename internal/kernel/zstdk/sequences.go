package zstdk

import "github.com/zarr-wasm/zarr-wasm/internal/kernel"

// wide is how many bytes copies may read and write beyond their end.
const wide = 16

// Slack is the number of spare bytes after literals. With fewer, the last sequences are slower.
const Slack = wide

// Sequences decodes the sequences of blocks. Its tables and repeat offsets persist from block to
// block.
type Sequences struct {
	Offsets [3]int

	tables   [3]table
	counts   counts
	defaults [3]table // the predefined tables, built on first use

	// The state of a run over one block's sequences. It is in memory so that the run can be
	// interrupted, and because there are too few registers.
	buf, src, lits []byte
	at, low        int    // The next bit of src to read, and the stream's start, in bits.
	states         [3]int // The tables' states.
	n              int    // Remaining sequences.
	o, base        int    // The output position, and the start of matches' reach.
	lit            int    // The next literal.
	fast, fastLit  int    // The last o and lit that allow wide copies.
	ll, ml, off    int    // The sequence without room for wide copies.
	unread         int    // Bits of the states after the last sequence, which do not exist.
}

// The results of a run.
const (
	ranThrough   = iota
	ranCareful   // at the sequence in ll, ml, off
	ranBadStream // beyond the stream's beginning
	ranBadOffset
)

// Run decodes the n sequences of the bit stream src[from:end] and executes them to buf[o:most],
// with matches that reach back to base. The literals are lits[:nLits]. It returns the end of the
// decoded bytes. It may write up to 32 bytes beyond them.
func (s *Sequences) Run(buf []byte, o, base, most int, src []byte, from, end, n int, lits []byte, nLits int) (int, Status) {
	if end > len(src) || nLits > len(lits) || most > len(buf) || base < 0 || base > o || o > most {
		return o, BadSequences
	}
	at, ok := streamEnd(src, from, end)
	if !ok {
		return o, BadStream
	}
	acc := kernel.Load64(src, word(at)) << pad(at)
	for _, i := range [...]Kind{literalLengths, offsetCodes, matchLengths} {
		log := s.tables[i].log
		s.states[i] = int(top(acc, log))
		acc <<= log & 63
		at -= int(log)
	}
	s.buf, s.src, s.lits = buf, src, lits
	s.at, s.low, s.n, s.unread = at, 8*from, n, 0
	s.o, s.base, s.lit = o, base, 0
	// Up to these positions, copies may be wide: two steps of a match.
	s.fast, s.fastLit = min(len(buf)-2*wide, most), min(nLits, len(lits)-wide)
	status := s.run(nLits, most)
	s.buf, s.src, s.lits = nil, nil, nil
	return s.o, status
}

func (s *Sequences) run(nLits, most int) Status {
	for {
		switch sequences(s) {
		case ranCareful:
			if s.ll > nLits-s.lit {
				return BadSequences
			}
			if s.ll+s.ml > most-s.o {
				return TooLong
			}
			s.o += copy(s.buf[s.o:], s.lits[s.lit:s.lit+s.ll])
			s.lit += s.ll
			if uint(s.off-1) >= uint(s.o-s.base) {
				return BadOffset
			}
			copyMatch(s.buf, s.o, s.o+s.ml, s.o-s.off)
			s.o += s.ml
		case ranBadStream:
			return BadStream
		case ranBadOffset:
			return BadOffset
		default:
			if s.at+s.unread != s.low {
				return BadStream
			}
			if nLits-s.lit > most-s.o {
				return TooLong
			}
			s.o += copy(s.buf[s.o:], s.lits[s.lit:nLits])
			return OK
		}
	}
}

// patterns repeat the lowest 1 to 7 bytes of a word. strides are the distances from one word of
// such bytes to the next.
var (
	patterns = [8]uint64{0, 0x0101010101010101, 0x0001000100010001, 1 | 1<<24 | 1<<48, 1 | 1<<32, 1 | 1<<40, 1 | 1<<48, 1 | 1<<56}
	strides  = [8]int{8, 8, 8, 6, 8, 5, 6, 7}
)

// sequencesGo decodes and executes sequences until none is left, one has no room for wide copies,
// or an error occurs.
//
// Common paths run straight through the loop; rare ones are functions.
func sequencesGo(s *Sequences) int {
	buf, src, data := s.buf, s.src, s.lits
	at, low, n := s.at, s.low, s.n
	t := &s.tables
	ls, os, ms := uint64(s.states[literalLengths]), uint64(s.states[offsetCodes]), uint64(s.states[matchLengths])
	r0, r1, r2 := s.Offsets[0], s.Offsets[1], s.Offsets[2]
	o, base, lit, fast, fastLit := s.o, s.base, s.lit, s.fast, s.fastLit
	result := ranThrough
	unread := s.unread
	for n > 0 {
		if at < low {
			result = ranBadStream
			break
		}
		le, me, oe := t[literalLengths].entries[ls&(fseSize-1)], t[matchLengths].entries[ms&(fseSize-1)], t[offsetCodes].entries[os&(fseSize-1)]
		acc := kernel.Load64(src, word(at)) << pad(at)
		// Sum the shifts first: that is available earlier than one shift after the other.
		lb, mb, ob := le>>extraAt, me>>extraAt, oe>>extraAt
		off := int(oe>>valueAt + top(acc, ob))
		ml := int(me>>valueAt + top(acc<<(ob&63), mb))
		ll := int(le>>valueAt + top(acc<<((ob+mb)&63), lb))
		all := le + me + oe
		unread = int(all & 63)
		extra := uint(all >> extraAt & 255)
		acc <<= extra & 63
		at -= int(extra)
		if extra > lookahead-maxLiteralLog-maxMatchLog-maxOffsetLog {
			ll, ml, off, acc = long(src, at, low, le, me, oe)
		}
		// Read the next states. After the last sequence there are no bits for them, and nothing
		// uses them.
		ls = le>>stateAt&0xffff + top(acc, le)
		ms = me>>stateAt&0xffff + top(acc<<(le&63), me)
		os = oe>>stateAt&0xffff + top(acc<<((le+me)&63), oe)
		at -= unread
		n--

		p0, p1, p2 := off, r0, r1
		if ob&63 <= 1 {
			if ll == 0 {
				off++
			}
			switch off {
			case 0:
				p0, p1, p2 = r0, r1, r2
			case 1:
				p0, p1, p2 = r1, r0, r2
			case 2:
				p0 = r2
			default:
				p0 = r0 - 1 // 0 is not a valid offset
			}
			off = p0
		}
		r0, r1, r2 = p0, p1, p2

		if o+ll+ml > fast || lit+ll > fastLit {
			s.ll, s.ml, s.off = ll, ml, off
			result = ranCareful
			break
		}
		d, l := buf[o:o+wide:o+wide], data[lit:lit+wide:lit+wide]
		kernel.Store64(d, 0, kernel.Load64(l, 0))
		kernel.Store64(d, 8, kernel.Load64(l, 8))
		if ll > wide {
			copy(buf[o+wide:o+ll], data[lit+wide:lit+ll])
		}
		o += ll
		lit += ll
		if uint(off-1) >= uint(o-base) {
			result = ranBadOffset
			break
		}
		if off < wide {
			copyClose(buf, o, o+ml, off)
			o += ml
			continue
		}
		d, l = buf[o:o+wide:o+wide], buf[o-off:o-off+wide:o-off+wide]
		kernel.Store64(d, 0, kernel.Load64(l, 0))
		kernel.Store64(d, 8, kernel.Load64(l, 8))
		if ml > wide {
			at := o + wide
			d, l = buf[at:at+wide:at+wide], buf[at-off:at-off+wide:at-off+wide]
			kernel.Store64(d, 0, kernel.Load64(l, 0))
			kernel.Store64(d, 8, kernel.Load64(l, 8))
			if ml > 2*wide {
				copyFar(buf, at+wide, o+ml, off)
			}
		}
		o += ml
	}
	s.at, s.n, s.o, s.lit, s.unread = at, n, o, lit, unread
	s.states = [3]int{int(ls), int(os), int(ms)}
	s.Offsets = [3]int{r0, r1, r2}
	return result
}

// long reads the many extra bits of a sequence; at is their end. It returns the decoded values and
// the bits that follow. If the bits reach beyond low, the results are arbitrary.
func long(src []byte, at, low int, le, me, oe uint64) (ll, ml, off int, acc uint64) {
	if at < low {
		return 0, 0, 0, 0
	}
	lb, mb, ob := le>>extraAt&63, me>>extraAt&63, oe>>extraAt&63
	start := at + int(lb+mb+ob)
	acc = kernel.Load64(src, word(start)) << pad(start)
	off = int(oe>>valueAt + top(acc, ob))
	start -= int(ob)
	acc = kernel.Load64(src, word(start)) << pad(start)
	ml = int(me>>valueAt + top(acc, mb))
	ll = int(le>>valueAt + top(acc<<mb, lb))
	return ll, ml, off, kernel.Load64(src, word(at)) << pad(at)
}

// copyMatch copies the match at start to buf[o:to]. o-start is a multiple of its period, or the
// match does not reach o.
func copyMatch(buf []byte, o, to, start int) {
	for o < to {
		o += copy(buf[o:to], buf[start:o])
	}
}

// copyFar copies the rest of a match at a distance of 16 or more to buf[o:to], and up to 15 bytes
// more.
func copyFar(buf []byte, o, to, off int) {
	start := o - off
	if to-o > 64 {
		copyMatch(buf, o, to, start)
		return
	}
	for ; o < to; o, start = o+wide, start+wide {
		d, s := buf[o:o+wide:o+wide], buf[start:start+wide:start+wide]
		kernel.Store64(d, 0, kernel.Load64(s, 0))
		kernel.Store64(d, 8, kernel.Load64(s, 8))
	}
}

// copyClose copies a match at a distance below 16 to buf[o:to], and up to 15 bytes more.
func copyClose(buf []byte, o, to, off int) {
	start := o - off
	if off < 8 {
		v := kernel.Load64(buf, start) & (1<<(8*uint(off)&63) - 1) * patterns[off&7]
		stride := strides[off&7]
		stop := min(to, o+64)
		for o < stop {
			kernel.Store64(buf, o, v)
			o += stride
		}
		copyMatch(buf, min(o, to), to, start)
		return
	}
	if to-o > 64 {
		copyMatch(buf, o, to, start)
		return
	}
	for o < to {
		kernel.Store64(buf, o, kernel.Load64(buf, start))
		o += 8
		start += 8
	}
}
