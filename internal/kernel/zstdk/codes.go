package zstdk

// Kind is one of the three tables of sequences.
type Kind int

// The kinds, in the order in which blocks describe them.
const (
	literalLengths Kind = iota
	offsetCodes
	matchLengths
)

// The codes' values (RFC 8878, section 3.1.1.3.2.1.1), as entries of FSE tables.
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

// The codes 0 and 1, with at most one extra bit, are repeat offsets numbered from 0. The values of
// the others are offsets.
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

// kinds holds the alphabets of the three tables, their largest accuracy logs and predefined counts
// (appendix A).
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

// Codes returns the number of codes of a kind.
func (k Kind) Codes() int { return len(kinds[k].codes) }

// Extra returns the number of a code's extra bits.
func (k Kind) Extra(code int) int { return int(kinds[k].codes[code] >> extraAt & 0xff) }

// MaxLog returns the largest accuracy log of a kind.
func (k Kind) MaxLog() uint { return kinds[k].maxLog }

// Predefined returns the predefined counts of a kind's codes, which must not be changed, and their
// accuracy log.
func (k Kind) Predefined() ([]int16, uint) {
	c := &kinds[k].counts
	return c.of[:c.n], c.log
}

// Predefine sets the table of a kind to the predefined one.
func (s *Sequences) Predefine(k Kind) {
	d := &s.defaults[k]
	if d.log == 0 {
		s.counts = kinds[k].counts
		build(d, &s.counts, kinds[k].codes)
	}
	t := &s.tables[k]
	copy(t.entries[:1<<6], d.entries[:])
	t.log = d.log
}

// Repeat sets the table of a kind to a single code, and reports whether the code exists.
func (s *Sequences) Repeat(k Kind, code byte) bool {
	if int(code) >= len(kinds[k].codes) {
		return false
	}
	s.tables[k].repeat(kinds[k].codes[code])
	return true
}

// Describe sets the table of a kind from the description at src[at:end], and returns its end. After
// a failure, the table is unusable.
func (s *Sequences) Describe(k Kind, src []byte, at, end int) (int, Status) {
	at, status := s.counts.read(src, at, end, len(kinds[k].codes)-1, kinds[k].maxLog)
	if status == OK {
		build(&s.tables[k], &s.counts, kinds[k].codes)
	}
	return at, status
}
