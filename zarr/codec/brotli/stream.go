package brotli

import "github.com/zarr-wasm/zarr-wasm/zarr/codec"

var (
	errEnd        = codec.Truncated("the brotli stream ends too early")
	errWindow     = codec.Corrupt("a brotli stream with a reserved window size")
	errLength     = codec.Corrupt("a brotli meta-block's length is not valid")
	errReserved   = codec.Corrupt("a brotli meta-block with a reserved bit set")
	errPadding    = codec.Corrupt("a brotli stream is padded with bits that are not zero")
	errCode       = codec.Corrupt("a brotli prefix code is not valid")
	errMap        = codec.Corrupt("a brotli context map is not valid")
	errDistance   = codec.Corrupt("a brotli distance is not positive")
	errWord       = codec.Corrupt("a brotli distance is beyond the data and the dictionary")
	errBeyond     = codec.Corrupt("a brotli command continues after its meta-block")
	errDictionary = codec.Corrupt("the brotli dictionary is damaged")
)

// The contexts of a type of literal blocks, and of a type of distance blocks.
const (
	litContexts  = 64
	distContexts = 4
	maxTypes     = 256 // of blocks, and prefix codes of a kind
)

// blocks are the blocks of literals, of commands or of distances of a meta-block (section 6).
type blocks struct {
	types    int
	kind     int // the type of the current block
	before   int // that of the one before
	left     int // symbols of the current block
	typeCode code
	sizeCode code
}

// noSwitch is the size of the only block of its kind.
const noSwitch = 1 << 24

var (
	sizeBase = [26]uint16{1, 5, 9, 13, 17, 25, 33, 41, 49, 65, 81, 97, 113, 145, 177, 209, 241, 305, 369, 497, 753, 1265, 2289, 4337, 8433, 16625}
	sizeBits = [26]uint8{2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 6, 6, 7, 8, 9, 10, 11, 12, 13, 24}
)

// work is the memory for decoding a stream. Later streams reuse it.
type work struct {
	in      bits
	words   *dictionary
	entries []entry // the tables of the meta-block's prefix codes

	literals, commands, distances blocks

	litMap    [maxTypes * litContexts]uint8
	distMap   [maxTypes * distContexts]uint8
	modes     [maxTypes]uint8 // the context mode of each type of literal blocks
	plain     [maxTypes]bool  // whether all contexts of the type have the same code
	litCodes  [maxTypes]code
	cmdCodes  [maxTypes]code
	distCodes [maxTypes]code
	direct    int  // how many distances have their own symbol
	postfix   uint // how many low bits of a distance are in its symbol

	window int
	ring   [4]int // the last distances; the last one is at ringAt-1
	ringAt uint

	contexts [4][512]uint8
	lens     [maxSymbols]uint8
	word     []byte
}

func newWork(words *dictionary) *work {
	w := &work{words: words}
	fillContexts(&w.contexts)
	return w
}

// stream decodes the stream.
func (w *work) stream(out *sink) error {
	if err := w.header(); err != nil {
		return err
	}
	w.ring, w.ringAt = [4]int{16, 15, 11, 4}, 0
	for {
		if err := out.env.Ctx.Err(); err != nil {
			return err
		}
		last, err := w.metaBlock(out)
		if err != nil {
			return err
		}
		if w.in.over() {
			return errEnd
		}
		if last {
			if !w.in.byteAlign() {
				return errPadding
			}
			return nil
		}
	}
}

// header reads the size of the window (9.1).
func (w *work) header() error {
	in := &w.in
	size := 16
	if in.read(1) == 1 {
		if n := in.read(3); n != 0 {
			size = 17 + n
		} else {
			switch n := in.read(3); n {
			case 0:
				size = 17
			case 1:
				if in.read(1) == 1 {
					return errWindow
				}
				return &codec.UnsupportedError{Feature: "brotli streams with a large window"}
			default:
				size = 8 + n
			}
		}
	}
	w.window = 1<<size - 16
	return nil
}

// metaBlock decodes one meta-block (9.2) and reports whether it is the last one.
func (w *work) metaBlock(out *sink) (last bool, err error) {
	in := &w.in
	last = in.read(1) == 1
	if last && in.read(1) == 1 {
		return true, nil
	}
	nibbles := in.read(2) + 4
	if nibbles == 7 {
		return last, w.metadata()
	}
	size := 0
	for i := range nibbles {
		v := in.read(4)
		if v == 0 && i == nibbles-1 && nibbles > 4 {
			return false, errLength
		}
		size |= v << (4 * i)
	}
	size++
	if in.over() {
		return false, errEnd
	}
	if err := out.admit(size); err != nil {
		return false, err
	}
	if !last && in.read(1) == 1 {
		return false, w.stored(out, size)
	}
	if err := w.codes(); err != nil {
		return false, err
	}
	return last, w.decode(out, out.n+size)
}

// metadata skips a meta-block without data.
func (w *work) metadata() error {
	in := &w.in
	if in.read(1) == 1 {
		return errReserved
	}
	size := 0
	if count := in.read(2); count > 0 {
		for i := range count {
			v := in.read(8)
			if v == 0 && i == count-1 && count > 1 {
				return errLength
			}
			size |= v << (8 * i)
		}
		size++
	}
	if !in.byteAlign() {
		return errPadding
	}
	if in.bytes(size) == nil {
		return errEnd
	}
	return nil
}

// stored copies the data of an uncompressed meta-block.
func (w *work) stored(out *sink, size int) error {
	if !w.in.byteAlign() {
		return errPadding
	}
	data := w.in.bytes(size)
	if data == nil {
		return errEnd
	}
	if err := out.need(size); err != nil {
		return err
	}
	out.n += copy(out.buf[out.n:], data)
	return nil
}

// codes reads a meta-block's header after its length.
func (w *work) codes() error {
	in := &w.in
	w.entries = w.entries[:0]
	for _, b := range []*blocks{&w.literals, &w.commands, &w.distances} {
		if err := w.readBlocks(b); err != nil {
			return err
		}
	}
	w.postfix = uint(in.read(2))
	w.direct = in.read(4) << w.postfix
	for i := range w.literals.types {
		w.modes[i] = uint8(in.read(2))
	}
	litMap := w.litMap[:litContexts*w.literals.types]
	litCodes, err := w.contextMap(litMap)
	if err != nil {
		return err
	}
	for i := range w.literals.types {
		m := litMap[litContexts*i:][:litContexts]
		w.plain[i] = true
		for _, c := range m {
			w.plain[i] = w.plain[i] && c == m[0]
		}
	}
	distCodes, err := w.contextMap(w.distMap[:distContexts*w.distances.types])
	if err != nil {
		return err
	}
	for _, k := range []struct {
		codes   []code
		symbols int
	}{
		{w.litCodes[:litCodes], 256},
		{w.cmdCodes[:w.commands.types], maxSymbols},
		{w.distCodes[:distCodes], 16 + w.direct + 48<<w.postfix},
	} {
		for i := range k.codes {
			if k.codes[i], err = w.readCode(k.symbols); err != nil {
				return err
			}
			if in.over() {
				return errEnd
			}
		}
	}
	return nil
}

// readCount reads a number from 1 to 256.
func (w *work) readCount() int {
	if w.in.read(1) == 0 {
		return 1
	}
	k := uint(w.in.read(3))
	return 1 + 1<<k + w.in.read(k)
}

// readBlocks reads the description of one kind of blocks.
func (w *work) readBlocks(b *blocks) (err error) {
	*b = blocks{types: w.readCount(), before: 1, left: noSwitch}
	if b.types == 1 {
		return nil
	}
	if b.typeCode, err = w.readCode(b.types + 2); err != nil {
		return err
	}
	if b.sizeCode, err = w.readCode(len(sizeBase)); err != nil {
		return err
	}
	b.left = w.blockSize(b)
	return nil
}

func (w *work) blockSize(b *blocks) int {
	s := w.symbol(b.sizeCode)
	return int(sizeBase[s]) + w.in.read(uint(sizeBits[s]))
}

// next begins the next block.
func (w *work) next(b *blocks) {
	if b.types == 1 {
		b.left = noSwitch
		return
	}
	kind := b.before
	switch s := w.symbol(b.typeCode); s {
	case 0:
	case 1:
		kind = b.kind + 1
		if kind == b.types {
			kind = 0
		}
	default:
		kind = s - 2
	}
	b.before, b.kind = b.kind, kind
	b.left = w.blockSize(b)
}

// contextMap reads the prefix code of each context (7.3), and the number of codes.
func (w *work) contextMap(m []uint8) (codes int, err error) {
	clear(m)
	codes = w.readCount()
	if codes == 1 {
		return codes, nil
	}
	in := &w.in
	runs := 0
	if in.read(1) == 1 {
		runs = in.read(4) + 1
	}
	c, err := w.readCode(codes + runs)
	if err != nil {
		return 0, err
	}
	for i := 0; i < len(m); {
		s := w.symbol(c)
		if s > runs {
			m[i] = uint8(s - runs)
			i++
			continue
		}
		// Zeros; one if s is 0.
		zeros := 1<<s + in.read(uint(s))
		if zeros > len(m)-i {
			return 0, errMap
		}
		i += zeros
	}
	if in.read(1) == 1 {
		moveToFront(m)
	}
	return codes, nil
}

// moveToFront replaces indices into a list whose used entries move to the front.
func moveToFront(m []uint8) {
	var list [256]uint8
	for i := range list {
		list[i] = uint8(i)
	}
	for i, at := range m {
		v := list[at]
		copy(list[1:int(at)+1], list[:at])
		list[0] = v
		m[i] = v
	}
}
