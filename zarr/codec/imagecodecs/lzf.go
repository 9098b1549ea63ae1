package imagecodecs

import (
	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/internal/kernel"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// newLZF returns the codec imagecodecs_lzf. Its option header, which is true by default, stands for
// the size of the output as a little-endian uint32 before the data. HDF5 stores no size.
func newLZF(config json.Value, _ codec.Build) (any, error) {
	v := config.Get("header")
	header, ok := v.Bool()
	if !ok && v.Exists() {
		return nil, &codec.ConfigError{Codec: "imagecodecs_lzf", Msg: "header is neither true nor false"}
	}
	if ok && !header {
		return compressor(lzf), nil
	}
	return compressor(sizedLZF), nil
}

// sizedLZF decodes LZF after the size of the output.
func sizedLZF(to *sink, src []byte) error {
	if len(src) < 4 {
		return codec.Truncated("shorter than the 4 bytes of its size")
	}
	size := int64(kernel.Load32(src, 0))
	if size > to.most {
		return to.out.TooMany(to.env)
	}
	if err := lzf(to, src[4:]); err != nil {
		return err
	}
	switch n := int64(to.n); {
	case n < size:
		return codec.Truncated("decodes to fewer bytes than its size says")
	case n > size:
		return codec.Corrupt("decodes to more bytes than its size says")
	}
	return nil
}

// lzf decodes the format of the library LibLZF. A byte n below 32 precedes n+1 literal bytes. The
// others begin a match: three bits of its length, and five bits of its distance before the lower
// eight. A length of 7 means that another byte follows.
func lzf(to *sink, src []byte) error {
	for i := 0; i < len(src); {
		c := int(src[i])
		i++
		if c < 32 {
			n := c + 1
			if n > len(src)-i {
				return codec.Truncated("ends inside of the literal bytes of LZF")
			}
			dst, err := to.room(n)
			if err != nil {
				return err
			}
			copy(dst, src[i:])
			i += n
			continue
		}
		n := c >> 5
		if n == 7 && i < len(src) {
			n += int(src[i])
			i++
		}
		if i == len(src) {
			return codec.Truncated("ends inside of an LZF match")
		}
		distance := (c&31)<<8 + int(src[i]) + 1
		i++
		n += 2
		from := to.n - distance
		if from < 0 {
			return codec.Corrupt("an LZF match starts before the data")
		}
		dst, err := to.room(n)
		if err != nil {
			return err
		}
		// A match that overlaps itself repeats: each copy doubles what can be copied.
		for k := 0; k < n; {
			k += copy(dst[k:], to.buf[from:from+distance+k])
		}
	}
	return nil
}
