package inflate

import (
	"zarr-wasm/internal/kernel"
	"zarr-wasm/zarr/codec"
)

var (
	errEnd      = codec.Truncated("the deflate stream ends too early")
	errBlock    = codec.Corrupt("a deflate block of a reserved type")
	errStored   = codec.Corrupt("a stored deflate block's length and its complement differ")
	errCodes    = codec.Corrupt("a deflate block's Huffman codes are not valid")
	errSymbol   = codec.Corrupt("a deflate stream uses a code that its block does not define")
	errDistance = codec.Corrupt("a deflate match starts before the data")
)

// sink is where a stream is decoded to: buf[:n] is done, buf[n:] is room. Where
// the room ends, more must find some or return the error to stop with.
type sink struct {
	buf  []byte
	n    int
	base int // where the current stream begins: matches reach no further back
	all  int // how many bytes there must be in the end; -1 when that is not known
	more func(*sink) error
}

// bits reads a stream's bits, lowest first. acc holds n valid bits; what it has above them
// is either zero or the stream's next bits.
type bits struct {
	src []byte
	pos int
	acc uint64
	n   uint
}

// fill makes at least 48 bits valid, or as many as there are.
func (b *bits) fill() {
	if len(b.src)-b.pos >= 8 {
		b.acc |= kernel.Load64(b.src, b.pos) << (b.n & 63)
		b.pos += int(63-b.n) >> 3
		b.n |= 56
		return
	}
	for b.n <= 56 && b.pos < len(b.src) {
		b.acc |= uint64(b.src[b.pos]) << (b.n & 63)
		b.pos++
		b.n += 8
	}
}

// take returns the next k bits, which must be valid.
func (b *bits) take(k uint) int {
	v := int(b.acc & (1<<(k&63) - 1))
	b.acc >>= k & 63
	b.n -= k
	return v
}

// byteAlign drops the rest of the current byte, and what was read ahead.
func (b *bits) byteAlign() {
	b.pos -= int(b.n >> 3)
	b.acc, b.n = 0, 0
}

// deflate decodes one raw DEFLATE stream (RFC 1951) from the start of src and
// returns how many bytes of it the stream took.
func deflate(out *sink, src []byte) (int, error) {
	var t tables
	out.base = out.n
	in := bits{src: src}
	for {
		in.fill()
		if in.n < 3 {
			return 0, errEnd
		}
		last := in.take(1) == 1
		var err error
		switch in.take(2) {
		case 0:
			err = stored(out, &in)
		case 1:
			t.fixed()
			err = t.block(out, &in)
		case 2:
			if err = t.dynamic(&in); err == nil {
				err = t.block(out, &in)
			}
		default:
			err = errBlock
		}
		if err != nil {
			return 0, err
		}
		if last {
			in.byteAlign()
			return in.pos, nil
		}
	}
}

func stored(out *sink, in *bits) error {
	in.byteAlign()
	if len(in.src)-in.pos < 4 {
		return errEnd
	}
	size := int(kernel.Load16(in.src, in.pos))
	if size^0xffff != int(kernel.Load16(in.src, in.pos+2)) {
		return errStored
	}
	in.pos += 4
	if size > len(in.src)-in.pos {
		return errEnd
	}
	for size > 0 {
		if out.n == len(out.buf) {
			if err := out.more(out); err != nil {
				return err
			}
		}
		k := copy(out.buf[out.n:], in.src[in.pos:in.pos+size])
		out.n += k
		in.pos += k
		size -= k
	}
	return nil
}

// Lengths and distances: the base and the number of extra bits of each symbol.
var (
	lengthBase = [...]uint16{3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258}
	lengthBits = [...]uint8{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0}
	distBase   = [...]uint16{1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577}
	distBits   = [...]uint8{0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13}
	codeOrder  = [...]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}
)

// fastRoom is the room that the fast loop needs: the longest match and what
// its last copy may write beyond.
const fastRoom = 258 + 8

// block decodes the symbols of one block with the tables' codes.
func (t *tables) block(out *sink, in *bits) error {
	base := out.base
	for {
		// Far from both ends nothing can run out: one look at the bounds a round.
		src, buf, o := in.src, out.buf, out.n
		pos, acc, n := in.pos, in.acc, in.n
		for len(src)-pos >= 8 && len(buf)-o >= fastRoom {
			acc |= kernel.Load64(src, pos) << (n & 63)
			pos += int(63-n) >> 3
			n |= 56
			e := t.lit[acc&(1<<litRoot-1)]
			if e.kind() == literal {
				// A second literal needs no new bits; a match needs 48 of them.
				acc >>= e.length()
				n -= e.length()
				buf[o] = byte(e.value())
				o++
				e = t.lit[acc&(1<<litRoot-1)]
				if e.kind() == literal {
					acc >>= e.length()
					n -= e.length()
					buf[o] = byte(e.value())
					o++
					continue
				}
				if n < 48 {
					continue
				}
			}
			if e.kind() == subtable {
				e = t.lit[uint(e.value())+uint(acc>>litRoot)&(1<<e.extra()-1)]
			}
			acc >>= e.length()
			n -= e.length()
			if k := e.kind(); k != match {
				if k == literal {
					buf[o] = byte(e.value())
					o++
					continue
				}
				in.pos, in.acc, in.n, out.n = pos, acc, n, o
				if k == endOfBlock {
					return nil
				}
				return errSymbol
			}
			size := e.value() + int(acc&(1<<e.extra()-1))
			acc >>= e.extra()
			n -= e.extra()

			e = t.dist[acc&(1<<distRoot-1)]
			if e.kind() == subtable {
				e = t.dist[uint(e.value())+uint(acc>>distRoot)&(1<<e.extra()-1)]
			}
			if e.kind() != match {
				return errSymbol
			}
			acc >>= e.length()
			n -= e.length()
			dist := e.value() + int(acc&(1<<e.extra()-1))
			acc >>= e.extra()
			n -= e.extra()
			if dist > o-base {
				return errDistance
			}
			end := o + size
			from := o - dist
			if dist >= 8 && size <= 64 {
				// Steps of 8 write at most 7 bytes too many, into room that is there.
				for ; o < end; o, from = o+8, from+8 {
					kernel.Store64(buf, o, kernel.Load64(buf, from))
				}
				o = end
			} else {
				for o < end {
					o += copy(buf[o:end], buf[from:o])
				}
			}
		}
		in.pos, in.acc, in.n, out.n = pos, acc, n, o

		// Near an end: one symbol with all checks.
		done, err := t.symbol(out, in)
		if done || err != nil {
			return err
		}
	}
}

// symbol decodes one literal or match, or the end of the block.
func (t *tables) symbol(out *sink, in *bits) (done bool, err error) {
	in.fill()
	e, err := in.look(t.lit[:], litRoot)
	if err != nil {
		return false, err
	}
	switch e.kind() {
	case endOfBlock:
		return true, nil
	case literal:
		if out.n == len(out.buf) {
			if err := out.more(out); err != nil {
				return false, err
			}
		}
		out.buf[out.n] = byte(e.value())
		out.n++
		return false, nil
	}
	if in.n < e.extra() {
		return false, errEnd
	}
	size := e.value() + in.take(e.extra())
	if e, err = in.look(t.dist[:], distRoot); err != nil {
		return false, err
	}
	if in.n < e.extra() {
		return false, errEnd
	}
	dist := e.value() + in.take(e.extra())
	if dist > out.n-out.base {
		return false, errDistance
	}
	for size > 0 {
		if out.n == len(out.buf) {
			if err := out.more(out); err != nil {
				return false, err
			}
		}
		k := copy(out.buf[out.n:min(out.n+size, len(out.buf))], out.buf[out.n-dist:out.n])
		out.n += k
		size -= k
	}
	return false, nil
}

// look reads one code; its entry is a literal, a base or the end of the block.
func (b *bits) look(table []entry, root uint) (entry, error) {
	e := table[b.acc&(1<<root-1)]
	if e.kind() == subtable {
		e = table[uint(e.value())+uint(b.acc>>root)&(1<<e.extra()-1)]
	}
	if e.kind() == invalid {
		if b.n < 15 {
			return 0, errEnd // fill found no more: the code goes on behind the end
		}
		return 0, errSymbol
	}
	if e.length() > b.n {
		return 0, errEnd
	}
	b.take(e.length())
	return e, nil
}
