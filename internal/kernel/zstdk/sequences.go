package zstdk

import "github.com/zarr-wasm/zarr-wasm/internal/kernel"

// wide is how far copies may write behind what they copy, and read.
const wide = 16

// Slack is how many bytes there should be behind literals. Where there are fewer,
// the last sequences take longer.
const Slack = wide

// Sequences decodes the sequences of blocks, by tables and with repeat offsets
// that one block leaves to the next.
type Sequences struct {
	Offsets [3]int

	tables   [3]table
	counts   counts
	defaults [3]table // the predefined tables, once they have been needed

	// A run over the sequences of one block is all in here, so that it can be
	// interrupted, and because it has more variables than there are registers.
	buf, src, lits []byte
	at, low        int    // what is to be read next of src, and where the stream begins, in bits
	states         [3]int // of the tables
	n              int    // sequences to go
	o, base        int    // where to write, and how far matches reach back
	lit            int    // the next literal
	fast, fastLit  int    // up to where o and lit allow wide copies
	ll, ml, off    int    // the sequence that wide copies are not allowed for
	unread         int    // bits of the states behind the last sequence: there are none
}

// What a run ends with.
const (
	ranThrough   = iota
	ranCareful   // at the sequence in ll, ml, off
	ranBadStream // beyond the stream's beginning
	ranBadOffset
)

// Run decodes the n sequences of the bit stream src[from:end] and does what they
// say to buf[o:most], with matches that reach back to base. The literals are
// lits[:nLits]. It returns where the decoded bytes end; behind that, up to 32 bytes of
// buf may have been written to.
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
	// Up to these, copies may be wide: two steps of a match.
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

// patterns repeat the lowest 1 to 7 bytes of a word; strides are how far one
// word of such bytes is the start of the next.
var (
	patterns = [8]uint64{0, 0x0101010101010101, 0x0001000100010001, 1 | 1<<24 | 1<<48, 1 | 1<<32, 1 | 1<<40, 1 | 1<<48, 1 | 1<<56}
	strides  = [8]int{8, 8, 8, 6, 8, 5, 6, 7}
)

// sequencesGo decodes and executes sequences until there are none left, or wide
// copies are not allowed for one, or something is wrong.
//
// Its loop is laid out so that what is common runs straight through; what is rare is in functions.
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
		// Not one after the other: what is to be shifted away can be added up sooner.
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
		// The next states. Behind the last sequence there is nothing to read them
		// from, and nothing that needs them.
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
				p0 = r0 - 1 // 0 is no offset
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

// long reads the extra bits of a sequence that has many of them; at is behind
// them. It returns what they give and the bits that follow. If they reach beyond low, any of
// that is arbitrary.
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

// copyMatch copies the match at start to buf[o:to], where o-start is any multiple of
// its period, or the match does not reach o.
func copyMatch(buf []byte, o, to, start int) {
	for o < to {
		o += copy(buf[o:to], buf[start:o])
	}
}

// copyFar copies the rest of a match of an offset of 16 or more to buf[o:to], and up to
// 15 bytes more.
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

// copyClose copies a match of an offset below 16 to buf[o:to], and up to 15 bytes more.
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
