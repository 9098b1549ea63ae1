package blosc

import "github.com/zarr-wasm/zarr-wasm/internal/kernel"

// The distances of blosclz: a near one has 13 bits, and a far one 16 more.
const (
	nearest = 8191
	longest = nearest + 1<<16
)

// compressBlosclz appends a blosclz stream: runs of up to 32 literals, and matches of 3 bytes or
// more. A table has the last place of each hash of four bytes. Higher levels also enter more places
// inside a match.
func compressBlosclz(dst, src []byte, level int) ([]byte, error) {
	const bits = 13
	var table [1 << bits]int32 // places, counted from 1
	literals := 0              // the first unwritten byte
	last := len(src) - 8       // readers expect matches to end before the last bytes
	step := 1
	if level >= 5 {
		step = 0
	}
	for at := 0; at < last; {
		word := kernel.Load32(src, at)
		slot := &table[word*2654435761>>(32-bits)]
		from := int(*slot) - 1
		*slot = int32(at) + 1
		if from < 0 || at-from > longest || kernel.Load32(src, from) != word || at == 0 {
			at += 1 + step*(at-literals)>>5
			continue
		}
		n := 4
		for at+n < last && src[from+n] == src[at+n] {
			n++
		}
		dst = appendLiterals(dst, src[literals:at])
		dst = appendMatch(dst, n, at-from-1)
		for k := at + 1; step == 0 && k < at+n && k < at+16; k++ {
			table[kernel.Load32(src, k)*2654435761>>(32-bits)] = int32(k) + 1
		}
		at += n
		literals = at
	}
	return appendLiterals(dst, src[literals:]), nil
}

func appendLiterals(dst, src []byte) []byte {
	for len(src) > 0 {
		n := min(len(src), 32)
		dst = append(append(dst, byte(n-1)), src[:n]...)
		src = src[n:]
	}
	return dst
}

// appendMatch appends a match of n bytes, 3 or more; the distance is counted from 0.
func appendMatch(dst []byte, n, distance int) []byte {
	far := distance >= nearest
	high, low := byte(distance>>8), byte(distance)
	if far {
		high, low = 31, 255
	}
	if n -= 2; n < 7 {
		dst = append(dst, byte(n)<<5|high)
	} else {
		dst = append(dst, 7<<5|high)
		for n -= 7; n >= 255; n -= 255 {
			dst = append(dst, 255)
		}
		dst = append(dst, byte(n))
	}
	dst = append(dst, low)
	if far {
		distance -= nearest
		dst = append(dst, byte(distance>>8), byte(distance))
	}
	return dst
}
