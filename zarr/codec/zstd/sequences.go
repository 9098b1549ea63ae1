package zstd

import "zarr-wasm/internal/kernel/zstdk"

// origin tells where a table comes from.
type origin uint8

const (
	undefined origin = iota
	predefined
	described
)

// What the codes stand for (RFC 8878, section 3.1.1.3.2.1.1), as entries of FSE tables.
var literalLengthCodes = [36]uint64{
	0 << zstdk.ValueAt, 1 << zstdk.ValueAt, 2 << zstdk.ValueAt, 3 << zstdk.ValueAt, 4 << zstdk.ValueAt, 5 << zstdk.ValueAt, 6 << zstdk.ValueAt, 7 << zstdk.ValueAt,
	8 << zstdk.ValueAt, 9 << zstdk.ValueAt, 10 << zstdk.ValueAt, 11 << zstdk.ValueAt, 12 << zstdk.ValueAt, 13 << zstdk.ValueAt, 14 << zstdk.ValueAt, 15 << zstdk.ValueAt,
	16<<zstdk.ValueAt | 1<<zstdk.ExtraAt, 18<<zstdk.ValueAt | 1<<zstdk.ExtraAt, 20<<zstdk.ValueAt | 1<<zstdk.ExtraAt, 22<<zstdk.ValueAt | 1<<zstdk.ExtraAt,
	24<<zstdk.ValueAt | 2<<zstdk.ExtraAt, 28<<zstdk.ValueAt | 2<<zstdk.ExtraAt, 32<<zstdk.ValueAt | 3<<zstdk.ExtraAt, 40<<zstdk.ValueAt | 3<<zstdk.ExtraAt,
	48<<zstdk.ValueAt | 4<<zstdk.ExtraAt, 64<<zstdk.ValueAt | 6<<zstdk.ExtraAt, 128<<zstdk.ValueAt | 7<<zstdk.ExtraAt, 256<<zstdk.ValueAt | 8<<zstdk.ExtraAt,
	512<<zstdk.ValueAt | 9<<zstdk.ExtraAt, 1024<<zstdk.ValueAt | 10<<zstdk.ExtraAt, 2048<<zstdk.ValueAt | 11<<zstdk.ExtraAt, 4096<<zstdk.ValueAt | 12<<zstdk.ExtraAt,
	8192<<zstdk.ValueAt | 13<<zstdk.ExtraAt, 16384<<zstdk.ValueAt | 14<<zstdk.ExtraAt, 32768<<zstdk.ValueAt | 15<<zstdk.ExtraAt, 65536<<zstdk.ValueAt | 16<<zstdk.ExtraAt,
}

var matchLengthCodes = [53]uint64{
	3 << zstdk.ValueAt, 4 << zstdk.ValueAt, 5 << zstdk.ValueAt, 6 << zstdk.ValueAt, 7 << zstdk.ValueAt, 8 << zstdk.ValueAt, 9 << zstdk.ValueAt, 10 << zstdk.ValueAt,
	11 << zstdk.ValueAt, 12 << zstdk.ValueAt, 13 << zstdk.ValueAt, 14 << zstdk.ValueAt, 15 << zstdk.ValueAt, 16 << zstdk.ValueAt, 17 << zstdk.ValueAt, 18 << zstdk.ValueAt,
	19 << zstdk.ValueAt, 20 << zstdk.ValueAt, 21 << zstdk.ValueAt, 22 << zstdk.ValueAt, 23 << zstdk.ValueAt, 24 << zstdk.ValueAt, 25 << zstdk.ValueAt, 26 << zstdk.ValueAt,
	27 << zstdk.ValueAt, 28 << zstdk.ValueAt, 29 << zstdk.ValueAt, 30 << zstdk.ValueAt, 31 << zstdk.ValueAt, 32 << zstdk.ValueAt, 33 << zstdk.ValueAt, 34 << zstdk.ValueAt,
	35<<zstdk.ValueAt | 1<<zstdk.ExtraAt, 37<<zstdk.ValueAt | 1<<zstdk.ExtraAt, 39<<zstdk.ValueAt | 1<<zstdk.ExtraAt, 41<<zstdk.ValueAt | 1<<zstdk.ExtraAt,
	43<<zstdk.ValueAt | 2<<zstdk.ExtraAt, 47<<zstdk.ValueAt | 2<<zstdk.ExtraAt, 51<<zstdk.ValueAt | 3<<zstdk.ExtraAt, 59<<zstdk.ValueAt | 3<<zstdk.ExtraAt,
	67<<zstdk.ValueAt | 4<<zstdk.ExtraAt, 83<<zstdk.ValueAt | 4<<zstdk.ExtraAt, 99<<zstdk.ValueAt | 5<<zstdk.ExtraAt, 131<<zstdk.ValueAt | 7<<zstdk.ExtraAt,
	259<<zstdk.ValueAt | 8<<zstdk.ExtraAt, 515<<zstdk.ValueAt | 9<<zstdk.ExtraAt, 1027<<zstdk.ValueAt | 10<<zstdk.ExtraAt, 2051<<zstdk.ValueAt | 11<<zstdk.ExtraAt,
	4099<<zstdk.ValueAt | 12<<zstdk.ExtraAt, 8195<<zstdk.ValueAt | 13<<zstdk.ExtraAt, 16387<<zstdk.ValueAt | 14<<zstdk.ExtraAt, 32771<<zstdk.ValueAt | 15<<zstdk.ExtraAt,
	65539<<zstdk.ValueAt | 16<<zstdk.ExtraAt,
}

// The codes 0 and 1, with at most one extra bit, stand for the repeat offsets
// numbered from 0; the values of the others are offsets.
var offsetCodeValues = [32]uint64{
	0, 1<<zstdk.ValueAt | 1<<zstdk.ExtraAt,
	(1<<2-3)<<zstdk.ValueAt | 2<<zstdk.ExtraAt, (1<<3-3)<<zstdk.ValueAt | 3<<zstdk.ExtraAt, (1<<4-3)<<zstdk.ValueAt | 4<<zstdk.ExtraAt, (1<<5-3)<<zstdk.ValueAt | 5<<zstdk.ExtraAt,
	(1<<6-3)<<zstdk.ValueAt | 6<<zstdk.ExtraAt, (1<<7-3)<<zstdk.ValueAt | 7<<zstdk.ExtraAt, (1<<8-3)<<zstdk.ValueAt | 8<<zstdk.ExtraAt, (1<<9-3)<<zstdk.ValueAt | 9<<zstdk.ExtraAt,
	(1<<10-3)<<zstdk.ValueAt | 10<<zstdk.ExtraAt, (1<<11-3)<<zstdk.ValueAt | 11<<zstdk.ExtraAt, (1<<12-3)<<zstdk.ValueAt | 12<<zstdk.ExtraAt, (1<<13-3)<<zstdk.ValueAt | 13<<zstdk.ExtraAt,
	(1<<14-3)<<zstdk.ValueAt | 14<<zstdk.ExtraAt, (1<<15-3)<<zstdk.ValueAt | 15<<zstdk.ExtraAt, (1<<16-3)<<zstdk.ValueAt | 16<<zstdk.ExtraAt, (1<<17-3)<<zstdk.ValueAt | 17<<zstdk.ExtraAt,
	(1<<18-3)<<zstdk.ValueAt | 18<<zstdk.ExtraAt, (1<<19-3)<<zstdk.ValueAt | 19<<zstdk.ExtraAt, (1<<20-3)<<zstdk.ValueAt | 20<<zstdk.ExtraAt, (1<<21-3)<<zstdk.ValueAt | 21<<zstdk.ExtraAt,
	(1<<22-3)<<zstdk.ValueAt | 22<<zstdk.ExtraAt, (1<<23-3)<<zstdk.ValueAt | 23<<zstdk.ExtraAt, (1<<24-3)<<zstdk.ValueAt | 24<<zstdk.ExtraAt, (1<<25-3)<<zstdk.ValueAt | 25<<zstdk.ExtraAt,
	(1<<26-3)<<zstdk.ValueAt | 26<<zstdk.ExtraAt, (1<<27-3)<<zstdk.ValueAt | 27<<zstdk.ExtraAt, (1<<28-3)<<zstdk.ValueAt | 28<<zstdk.ExtraAt, (1<<29-3)<<zstdk.ValueAt | 29<<zstdk.ExtraAt,
	(1<<30-3)<<zstdk.ValueAt | 30<<zstdk.ExtraAt, (1<<31-3)<<zstdk.ValueAt | 31<<zstdk.ExtraAt,
}

// kinds are the alphabets of the three tables, their largest accuracy logs and
// the predefined counts (appendix A).
var kinds = [3]struct {
	codes  []uint64
	maxLog uint
	counts zstdk.Counts
}{
	{literalLengthCodes[:], zstdk.MaxLiteralLog, zstdk.Counts{N: 36, Log: 6, Of: [zstdk.MaxSymbols]int16{
		4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1}}},
	{offsetCodeValues[:], zstdk.MaxOffsetLog, zstdk.Counts{N: 29, Log: 5, Of: [zstdk.MaxSymbols]int16{
		1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1}}},
	{matchLengthCodes[:], zstdk.MaxMatchLog, zstdk.Counts{N: 53, Log: 6, Of: [zstdk.MaxSymbols]int16{
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
		k, t := &kinds[i], &w.sequences.Tables[i]
		switch modes >> (6 - 2*i) & 3 {
		case 0:
			if w.defined[i] == predefined {
				continue
			}
			d := &w.defaults[i]
			if !w.defaultsMade[i] {
				d.Build(&k.counts, k.codes)
				w.defaultsMade[i] = true
			}
			t.Copy(d)
			w.defined[i] = predefined
			continue
		case 1:
			if at >= end || int(src[at]) >= len(k.codes) {
				return 0, errSequences
			}
			t.Repeat(k.codes[src[at]])
			at++
		case 2:
			var status zstdk.Status
			if at, status = w.counts.Read(src, at, end, len(k.codes)-1, k.maxLog); status != zstdk.OK {
				return 0, problems[status]
			}
			t.Build(&w.counts, k.codes)
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
