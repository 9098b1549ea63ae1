package zstd

import "zarr-wasm/internal/kernel"

// The kinds of tables, in the order of their descriptions.
const (
	literalLengths = iota
	offsetCodes
	matchLengths
)

// origin tells where a table comes from.
type origin uint8

const (
	undefined origin = iota
	predefined
	described
)

// What the codes stand for (RFC 8878, section 3.1.1.3.2.1.1), as entries of FSE tables.
var literalLengthCodes = [36]uint64{
	0 << valueAt, 1 << valueAt, 2 << valueAt, 3 << valueAt, 4 << valueAt, 5 << valueAt, 6 << valueAt, 7 << valueAt,
	8 << valueAt, 9 << valueAt, 10 << valueAt, 11 << valueAt, 12 << valueAt, 13 << valueAt, 14 << valueAt, 15 << valueAt,
	16<<valueAt | 1<<extraAt, 18<<valueAt | 1<<extraAt, 20<<valueAt | 1<<extraAt, 22<<valueAt | 1<<extraAt,
	24<<valueAt | 2<<extraAt, 28<<valueAt | 2<<extraAt, 32<<valueAt | 3<<extraAt, 40<<valueAt | 3<<extraAt,
	48<<valueAt | 4<<extraAt, 64<<valueAt | 6<<extraAt, 128<<valueAt | 7<<extraAt, 256<<valueAt | 8<<extraAt,
	512<<valueAt | 9<<extraAt, 1024<<valueAt | 10<<extraAt, 2048<<valueAt | 11<<extraAt, 4096<<valueAt | 12<<extraAt,
	8192<<valueAt | 13<<extraAt, 16384<<valueAt | 14<<extraAt, 32768<<valueAt | 15<<extraAt, 65536<<valueAt | 16<<extraAt,
}

var matchLengthCodes = [53]uint64{
	3 << valueAt, 4 << valueAt, 5 << valueAt, 6 << valueAt, 7 << valueAt, 8 << valueAt, 9 << valueAt, 10 << valueAt,
	11 << valueAt, 12 << valueAt, 13 << valueAt, 14 << valueAt, 15 << valueAt, 16 << valueAt, 17 << valueAt, 18 << valueAt,
	19 << valueAt, 20 << valueAt, 21 << valueAt, 22 << valueAt, 23 << valueAt, 24 << valueAt, 25 << valueAt, 26 << valueAt,
	27 << valueAt, 28 << valueAt, 29 << valueAt, 30 << valueAt, 31 << valueAt, 32 << valueAt, 33 << valueAt, 34 << valueAt,
	35<<valueAt | 1<<extraAt, 37<<valueAt | 1<<extraAt, 39<<valueAt | 1<<extraAt, 41<<valueAt | 1<<extraAt,
	43<<valueAt | 2<<extraAt, 47<<valueAt | 2<<extraAt, 51<<valueAt | 3<<extraAt, 59<<valueAt | 3<<extraAt,
	67<<valueAt | 4<<extraAt, 83<<valueAt | 4<<extraAt, 99<<valueAt | 5<<extraAt, 131<<valueAt | 7<<extraAt,
	259<<valueAt | 8<<extraAt, 515<<valueAt | 9<<extraAt, 1027<<valueAt | 10<<extraAt, 2051<<valueAt | 11<<extraAt,
	4099<<valueAt | 12<<extraAt, 8195<<valueAt | 13<<extraAt, 16387<<valueAt | 14<<extraAt, 32771<<valueAt | 15<<extraAt,
	65539<<valueAt | 16<<extraAt,
}

// The codes 0 and 1, with at most one extra bit, stand for the repeat offsets
// numbered from 0; the values of the others are offsets.
var offsetCodeValues = [32]uint64{
	0, 1<<valueAt | 1<<extraAt,
	(1<<2-3)<<valueAt | 2<<extraAt, (1<<3-3)<<valueAt | 3<<extraAt, (1<<4-3)<<valueAt | 4<<extraAt, (1<<5-3)<<valueAt | 5<<extraAt,
	(1<<6-3)<<valueAt | 6<<extraAt, (1<<7-3)<<valueAt | 7<<extraAt, (1<<8-3)<<valueAt | 8<<extraAt, (1<<9-3)<<valueAt | 9<<extraAt,
	(1<<10-3)<<valueAt | 10<<extraAt, (1<<11-3)<<valueAt | 11<<extraAt, (1<<12-3)<<valueAt | 12<<extraAt, (1<<13-3)<<valueAt | 13<<extraAt,
	(1<<14-3)<<valueAt | 14<<extraAt, (1<<15-3)<<valueAt | 15<<extraAt, (1<<16-3)<<valueAt | 16<<extraAt, (1<<17-3)<<valueAt | 17<<extraAt,
	(1<<18-3)<<valueAt | 18<<extraAt, (1<<19-3)<<valueAt | 19<<extraAt, (1<<20-3)<<valueAt | 20<<extraAt, (1<<21-3)<<valueAt | 21<<extraAt,
	(1<<22-3)<<valueAt | 22<<extraAt, (1<<23-3)<<valueAt | 23<<extraAt, (1<<24-3)<<valueAt | 24<<extraAt, (1<<25-3)<<valueAt | 25<<extraAt,
	(1<<26-3)<<valueAt | 26<<extraAt, (1<<27-3)<<valueAt | 27<<extraAt, (1<<28-3)<<valueAt | 28<<extraAt, (1<<29-3)<<valueAt | 29<<extraAt,
	(1<<30-3)<<valueAt | 30<<extraAt, (1<<31-3)<<valueAt | 31<<extraAt,
}

// kinds are the alphabets of the three tables, their largest accuracy logs and
// the predefined counts (appendix A).
var kinds = [3]struct {
	codes  []uint64
	maxLog uint
	counts counts
}{
	{literalLengthCodes[:], maxLiteralLog, counts{n: 36, log: 6, of: [maxSymbols]int16{
		4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1}}},
	{offsetCodeValues[:], maxOffsetLog, counts{n: 29, log: 5, of: [maxSymbols]int16{
		1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1}}},
	{matchLengthCodes[:], maxMatchLog, counts{n: 53, log: 6, of: [maxSymbols]int16{
		1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
		1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1}}},
}

// sequenceCount reads how many sequences the section at src[at:end] has, and
// returns where that ends.
func sequenceCount(src []byte, at, end int) (n, next int, err error) {
	switch {
	case at < end && src[at] < 128:
		return int(src[at]), at + 1, nil
	case end-at >= 2 && src[at] < 255:
		return int(src[at]-128)<<8 + int(src[at+1]), at + 2, nil
	case end-at >= 3:
		return int(src[at+1]) + int(src[at+2])<<8 + 0x7f00, at + 3, nil
	}
	return 0, 0, errSequences
}

// readTables reads the modes and tables at src[at:end] and returns where they end.
func (w *work) readTables(src []byte, at, end int) (int, error) {
	if at >= end || src[at]&3 != 0 {
		return 0, errSequences
	}
	modes := src[at]
	at++
	for i := range kinds {
		k, t := &kinds[i], &w.tables[i]
		switch modes >> (6 - 2*i) & 3 {
		case 0:
			if w.defined[i] == predefined {
				continue
			}
			d := &w.defaults[i]
			if d.log == 0 {
				d.build(&k.counts, k.codes)
			}
			copy(t.entries[:], d.entries[:1<<6])
			t.log = d.log
			w.defined[i] = predefined
			continue
		case 1:
			if at >= end || int(src[at]) >= len(k.codes) {
				return 0, errSequences
			}
			t.repeat(k.codes[src[at]])
			at++
		case 2:
			var err error
			if at, err = w.counts.read(src, at, end, len(k.codes)-1, k.maxLog); err != nil {
				return 0, err
			}
			t.build(&w.counts, k.codes)
		case 3:
			if w.defined[i] == undefined {
				return 0, errRepeat
			}
			continue
		}
		w.defined[i] = described
	}
	return at, nil
}

// wide is how far copies may write behind what they copy, and read.
const wide = 16

// patterns repeat the lowest 1 to 7 bytes of a word; strides are how far one
// word of such bytes is the start of the next.
var (
	patterns = [8]uint64{0, 0x0101010101010101, 0x0001000100010001, 1 | 1<<24 | 1<<48, 1 | 1<<32, 1 | 1<<40, 1 | 1<<48, 1 | 1<<56}
	strides  = [8]int{8, 8, 8, 6, 8, 5, 6, 7}
)

// sequences decodes the n sequences of the bit stream src[at:end] and does what
// they say, to buf[o:most]. It returns where the decoded bytes end.
//
// Its loop is laid out so that what is common runs straight through; what is rare is in functions.
func (w *work) sequences(buf []byte, o, base, most int, src []byte, from, end, n int, lits literals) (int, error) {
	at, err := streamEnd(src, from, end)
	if err != nil {
		return o, err
	}
	low := 8 * from
	t := &w.tables
	acc := kernel.Load64(src, word(at)) << pad(at)
	lb, ob, mb := t[literalLengths].log, t[offsetCodes].log, t[matchLengths].log
	ls := top(acc, lb)
	os := top(acc<<(lb&63), ob)
	ms := top(acc<<((lb+ob)&63), mb)
	at -= int(lb + ob + mb)

	// Up to these, copies may be wide: two steps of a match.
	fast, fastLit := min(len(buf)-2*wide, most), min(lits.n, len(lits.data)-wide)
	r0, r1, r2 := w.offsets[0], w.offsets[1], w.offsets[2]
	data, lit := lits.data, 0
	stateBits := 0
	for ; n > 0; n-- {
		if at < low {
			return o, errStream
		}
		le, me, oe := t[literalLengths].entries[ls&(fseSize-1)], t[matchLengths].entries[ms&(fseSize-1)], t[offsetCodes].entries[os&(fseSize-1)]
		acc := kernel.Load64(src, word(at)) << pad(at)
		// Not one after the other: what is to be shifted away can be added up sooner.
		lb, mb, ob := le>>extraAt, me>>extraAt, oe>>extraAt
		off := int(oe>>valueAt + top(acc, ob))
		ml := int(me>>valueAt + top(acc<<(ob&63), mb))
		ll := int(le>>valueAt + top(acc<<((ob+mb)&63), lb))
		all := le + me + oe
		stateBits = int(all & 63)
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
		at -= stateBits

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
			if o, err = careful(buf, o, most, base, data[lit:lits.n], ll, ml, off); err != nil {
				return o, err
			}
			lit += ll
			continue
		}
		d, s := buf[o:o+wide:o+wide], data[lit:lit+wide:lit+wide]
		kernel.Store64(d, 0, kernel.Load64(s, 0))
		kernel.Store64(d, 8, kernel.Load64(s, 8))
		if ll > wide {
			copy(buf[o+wide:o+ll], data[lit+wide:lit+ll])
		}
		o += ll
		lit += ll
		if uint(off-1) >= uint(o-base) {
			return o, errOffset
		}
		if off < wide {
			copyClose(buf, o, o+ml, off)
			o += ml
			continue
		}
		d, s = buf[o:o+wide:o+wide], buf[o-off:o-off+wide:o-off+wide]
		kernel.Store64(d, 0, kernel.Load64(s, 0))
		kernel.Store64(d, 8, kernel.Load64(s, 8))
		if ml > wide {
			at := o + wide
			d, s = buf[at:at+wide:at+wide], buf[at-off:at-off+wide:at-off+wide]
			kernel.Store64(d, 0, kernel.Load64(s, 0))
			kernel.Store64(d, 8, kernel.Load64(s, 8))
			if ml > 2*wide {
				copyFar(buf, at+wide, o+ml, off)
			}
		}
		o += ml
	}
	if at+stateBits != low {
		return o, errStream
	}
	w.offsets = [3]int{r0, r1, r2}
	if lits.n-lit > most-o {
		return o, tooLong(buf, most)
	}
	o += copy(buf[o:], data[lit:lits.n])
	return o, nil
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

// careful executes a sequence with room for it alone, and returns where it ends.
func careful(buf []byte, o, most, base int, lits []byte, ll, ml, off int) (int, error) {
	if ll > len(lits) {
		return o, errSequences
	}
	if ll+ml > most-o {
		return o, tooLong(buf, most)
	}
	o += copy(buf[o:], lits[:ll])
	if uint(off-1) >= uint(o-base) {
		return o, errOffset
	}
	copyMatch(buf, o, o+ml, o-off)
	return o + ml, nil
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

// tooLong is the error for a block that does not end where buf[:most] does.
func tooLong(buf []byte, most int) error {
	if most == len(buf) {
		return errRoom
	}
	return errBlockSize
}
