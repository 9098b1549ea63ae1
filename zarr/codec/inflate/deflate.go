package inflate

import (
	"github.com/zarr-wasm/zarr-wasm/internal/kernel"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

var (
	errEnd      = codec.Truncated("the deflate stream ends too early")
	errBlock    = codec.Corrupt("a deflate block of a reserved type")
	errStored   = codec.Corrupt("a stored deflate block's length and its complement differ")
	errCodes    = codec.Corrupt("a deflate block's Huffman codes are not valid")
	errSymbol   = codec.Corrupt("a deflate stream uses a code that its block does not define")
	errDistance = codec.Corrupt("a deflate match starts before the data")
)

// stream is a stream under decoding and its target: Dst[:Out] is done, the rest is room.
type stream struct {
	kernel.Inflate
	all     int  // the final number of bytes; -1 if unknown
	isFixed bool // the codes are those of blocks of type 1

	// When the room ends, more can be allocated, if env is not nil.
	env *codec.Env
	out codec.Output

	last bool // the block is the stream's last one
	// The output is dropped, except for its last bytes; gone counts the dropped ones.
	dry  bool
	gone int64
}

// deflate decodes one raw DEFLATE stream (RFC 1951) at the start of src and returns the number of
// bytes that it took.
func (s *stream) deflate(src []byte) (int, error) {
	s.Src, s.Pos, s.Acc, s.N = src, 0, 0, 0
	s.Base = s.Out
	return s.blocks()
}

// blocks decodes blocks up to the last one.
func (s *stream) blocks() (int, error) {
	for {
		s.Fill()
		if s.N < 3 {
			return 0, errEnd
		}
		s.last = s.Take(1) == 1
		var err error
		switch s.Take(2) {
		case 0:
			err = s.stored()
		case 1:
			s.fixed()
			err = s.block()
		case 2:
			if err = s.dynamic(); err == nil {
				err = s.block()
			}
		default:
			err = errBlock
		}
		if err != nil {
			return 0, err
		}
		if s.last {
			s.Align()
			return s.Pos, nil
		}
	}
}

func (s *stream) stored() error {
	s.Align()
	if len(s.Src)-s.Pos < 4 {
		return errEnd
	}
	size := int(kernel.Load16(s.Src, s.Pos))
	if size^0xffff != int(kernel.Load16(s.Src, s.Pos+2)) {
		return errStored
	}
	s.Pos += 4
	if size > len(s.Src)-s.Pos {
		return errEnd
	}
	return s.literal(size)
}

// literal copies size bytes.
func (s *stream) literal(size int) error {
	for size > 0 {
		if s.Out == len(s.Dst) {
			if err := s.grow(size); err != nil {
				return err
			}
		}
		k := copy(s.Dst[s.Out:], s.Src[s.Pos:s.Pos+size])
		s.Out += k
		s.Pos += k
		size -= k
	}
	return nil
}

// block decodes the symbols of one block.
func (s *stream) block() error {
	for {
		switch s.Symbols() {
		case kernel.InflateDone:
			return nil
		case kernel.InflateFull:
			if err := s.grow(0); err != nil {
				return err
			}
		case kernel.InflateCut:
			return errEnd
		case kernel.InflateBadMatch:
			return errDistance
		default:
			return errSymbol
		}
	}
}

const (
	// veryLarge is the room in bytes that is allocated only after the stream is known to fit.
	veryLarge = 32 << 20
	// window is the largest distance of a match.
	window = 32 << 10
)

// measure returns the size of Dst for the rest of the stream, by decoding it without output. The
// stream begins with the given number of literal bytes.
func (s *stream) measure(literal int) (int64, error) {
	d := *s
	d.dry, d.Base = true, 0
	d.Dst = make([]byte, window+1<<20)
	d.Out = copy(d.Dst[:window], s.Dst[max(s.Base, s.Out-window):s.Out])
	d.gone = int64(s.Out - d.Out)
	err := d.literal(literal)
	if err == nil && literal == 0 {
		err = d.block()
	}
	if err == nil && !d.last {
		_, err = d.blocks()
	}
	return d.gone + int64(d.Out), err
}

// fixed sets the codes of blocks of type 1.
func (s *stream) fixed() {
	if s.isFixed {
		return
	}
	var lens [288 + 32]uint8
	for i := range lens {
		switch {
		case i < 144:
			lens[i] = 8
		case i < 256:
			lens[i] = 9
		case i < 280:
			lens[i] = 7
		case i < 288:
			lens[i] = 8
		default:
			lens[i] = 5
		}
	}
	s.isFixed = s.Codes(lens[:288], lens[288:])
}

// codeOrder is the order in which the lengths of the code for lengths are stored.
var codeOrder = [...]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// dynamic reads the codes of a block of type 2.
func (s *stream) dynamic() error {
	s.isFixed = false
	s.Fill()
	if s.N < 14 {
		return errEnd
	}
	nlit, ndist, ncode := s.Take(5)+257, s.Take(5)+1, s.Take(4)+4
	if nlit > 286 || ndist > 30 {
		return errCodes
	}
	var codeLens [19]uint8
	for _, sym := range codeOrder[:ncode] {
		s.Fill()
		if s.N < 3 {
			return errEnd
		}
		codeLens[sym] = uint8(s.Take(3))
	}
	var code kernel.InflateLengths
	if !code.Set(codeLens[:]) {
		return errCodes
	}
	var lens [286 + 30]uint8
	for i := 0; i < nlit+ndist; {
		if s.N < 7+7 { // a code and its extra bits
			s.Fill()
		}
		sym, bits := code.Symbol(s.Acc)
		if bits > s.N {
			return errEnd
		}
		s.Take(bits)
		if sym < 16 {
			lens[i] = uint8(sym)
			i++
			continue
		}
		var extra uint
		var repeat int
		var l uint8
		switch sym {
		case 16:
			if i == 0 {
				return errCodes
			}
			extra, repeat, l = 2, 3, lens[i-1]
		case 17:
			extra, repeat = 3, 3
		default:
			extra, repeat = 7, 11
		}
		if s.N < extra {
			return errEnd
		}
		repeat += s.Take(extra)
		if repeat > nlit+ndist-i {
			return errCodes
		}
		for range repeat {
			lens[i] = l
			i++
		}
	}
	if lens[256] == 0 || // no code ends the block
		!s.Codes(lens[:nlit], lens[nlit:nlit+ndist]) {
		return errCodes
	}
	return nil
}
