package imagecodecs

import "github.com/zarr-wasm/zarr-wasm/zarr/codec"

// packbits decodes the run-length code of TIFF 6.0, section 9. A byte n below 128 precedes n+1
// literal bytes. One above precedes a byte that is repeated 257-n times. 128 has no effect.
func packbits(to *sink, src []byte) error {
	for i := 0; i < len(src); {
		n := int(src[i])
		i++
		switch {
		case n < 128:
			n++
			if n > len(src)-i {
				return codec.Truncated("ends inside of the bytes of a PackBits run")
			}
			dst, err := to.room(n)
			if err != nil {
				return err
			}
			copy(dst, src[i:i+n])
			i += n
		case n > 128:
			if i == len(src) {
				return codec.Truncated("ends before the byte of a PackBits run")
			}
			dst, err := to.room(257 - n)
			if err != nil {
				return err
			}
			c := src[i]
			for k := range dst {
				dst[k] = c
			}
			i++
		}
	}
	return nil
}
