package lzma

import (
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// State that an LZMA2 chunk must still provide.
const (
	needNothing = iota
	needProperties
	needDictionary
)

// lzma2 decodes an LZMA2 stream: chunks of up to 2 MiB, stored or of LZMA, up to the end chunk.
func (d *decoder) lzma2(out *sink, src []byte) (int, error) {
	need := needDictionary
	for pos := 0; ; {
		if pos == len(src) {
			return 0, errEnd
		}
		control := src[pos]
		pos++
		if control == 0 {
			return pos, nil
		}
		if control == 1 || control >= 0xe0 {
			need = needProperties
			d.base = out.n
		} else if need == needDictionary {
			return 0, codec.Corrupt("the first LZMA2 chunk does not reset the dictionary")
		}
		if control < 0x80 {
			if control > 2 {
				return 0, codec.Corrupt("an LZMA2 chunk of an unknown type")
			}
			if len(src)-pos < 2 {
				return 0, errEnd
			}
			size := 1 + int(big16(src, pos))
			pos += 2
			if err := out.stored(src[pos:], size); err != nil {
				return 0, err
			}
			pos += size
			continue
		}

		if len(src)-pos < 5 {
			return 0, errEnd
		}
		size := 1 + int(control&0x1f)<<16 + int(big16(src, pos))
		packed := 1 + int(big16(src, pos+2))
		pos += 4
		if control >= 0xc0 {
			if err := d.unpack(src[pos]); err != nil {
				return 0, err
			}
			if !d.valid() {
				return 0, errProps
			}
			pos++
			need = needNothing
		} else if need == needProperties {
			return 0, codec.Corrupt("an LZMA2 chunk without properties that it needs")
		}
		if control >= 0xa0 {
			d.reset()
		}
		if packed > len(src)-pos {
			return 0, errEnd
		}
		if err := out.admit(uint64(size)); err != nil {
			return 0, err
		}
		used, err := d.decode(out, src[pos:pos+packed], size, false, errChunk)
		if err != nil {
			return 0, err
		}
		if used != packed {
			return 0, codec.Corrupt("the data of an LZMA2 chunk is shorter than the chunk")
		}
		pos += packed
	}
}

// stored copies the first n bytes of src.
func (s *sink) stored(src []byte, n int) error {
	if n > len(src) {
		return errEnd
	}
	for src = src[:n]; len(src) > 0; {
		if s.n == len(s.buf) {
			if err := s.more(); err != nil {
				return err
			}
		}
		k := copy(s.buf[s.n:], src)
		s.n += k
		src = src[k:]
	}
	return nil
}
