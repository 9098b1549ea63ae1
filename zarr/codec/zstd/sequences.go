package zstd

import "github.com/zarr-wasm/zarr-wasm/internal/kernel/zstdk"

// origin is the origin of a table.
type origin uint8

const (
	undefined origin = iota
	predefined
	described
)

// sequenceCount reads the number of sequences of the section at src[at:end], and returns the end of
// that number.
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
	for i := range w.defined {
		switch kind := zstdk.Kind(i); modes >> (6 - 2*i) & 3 {
		case 0:
			if w.defined[i] != predefined {
				w.sequences.Predefine(kind)
			}
			w.defined[i] = predefined
			continue
		case 1:
			if at >= end || !w.sequences.Repeat(kind, src[at]) {
				return 0, errSequences
			}
			at++
		case 2:
			var status zstdk.Status
			if at, status = w.sequences.Describe(kind, src, at, end); status != zstdk.OK {
				return 0, problems[status]
			}
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
