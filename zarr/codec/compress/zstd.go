package compress

import (
	"sync"

	lib "github.com/klauspost/compress/zstd"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/zstd"
)

// Zstd returns the codec zstd (RFC 8878) with an encoder. The frames say how long their content is. The library has four speeds:
// of zstd's levels, 1 and 2 and negative ones are its fastest, 0 (the usual, which is 3) and 3 to 5 its default, 6 to 9 its better
// one and 10 to 22 its best. With checksum: true each frame has one.
func Zstd() codec.Entry {
	return adding(zstd.Codec(), func(config json.Value, _ codec.Build) (encoder, error) {
		n, err := level(config, "zstd", "level", 0, -131072, 22)
		if err != nil {
			return nil, err
		}
		checksum := false
		if v := config.Get("checksum"); !v.IsNull() {
			ok := false
			if checksum, ok = v.Bool(); !ok {
				return nil, &codec.ConfigError{Codec: "zstd", Msg: "checksum is neither true nor false"}
			}
		}
		return newFrames(n, checksum), nil
	})
}

// frames encodes each chunk as a frame. The library's encoder is made when first needed, because it takes megabytes.
type frames struct {
	encoder func() (*lib.Encoder, error)
}

func newFrames(level int, checksum bool) frames {
	if level == 0 {
		level = 3
	}
	return frames{sync.OnceValues(func() (*lib.Encoder, error) {
		return lib.NewWriter(nil,
			lib.WithEncoderLevel(lib.EncoderLevelFromZstd(level)),
			lib.WithEncoderCRC(checksum),
			lib.WithZeroFrames(true),
			// Frames of one segment always say their size, which numcodecs needs; others of less than 256 bytes do not.
			lib.WithSingleSegment(true),
			// What a shuffle leaves has literals that compress where nothing repeats.
			lib.WithAllLitEntropyCompression(true))
	})}
}

func (frames) bound(n int) int { return n + n>>8 + 64 }

func (f frames) encode(dst, src []byte) ([]byte, error) {
	e, err := f.encoder()
	if err != nil {
		return nil, err
	}
	return e.EncodeAll(src, dst), nil
}
