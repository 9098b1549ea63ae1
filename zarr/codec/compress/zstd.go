package compress

import (
	"sync"

	lib "github.com/klauspost/compress/zstd"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/zstd"
)

// Zstd returns the codec zstd (RFC 8878) with an encoder. Its frames contain the size of their
// content. Levels 1, 2 and negative ones use [zstd.Fast]. The library has three more speeds. Levels
// 3 to 5 and 0 (the default, which means 3) use its default. Levels 6 to 9 use its better one, and
// 10 to 22 its best. With checksum: true each frame has a checksum.
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

// maxSegment is the largest window, in bytes, that the reference implementation's decoder of
// streams accepts by default. A frame of one segment has a window as large as its content.
const maxSegment = 128 << 20

// frames encodes each chunk as a frame.
type frames struct {
	fast *zstd.Fast // at the lowest levels
	// segment and windowed create the library's encoders at the first use, because that takes
	// megabytes. Those of segment make frames of one segment.
	segment, windowed func() (*lib.Encoder, error)
}

func newFrames(level int, checksum bool) frames {
	if level == 0 {
		level = 3
	}
	encoder := func(single bool) func() (*lib.Encoder, error) {
		return sync.OnceValues(func() (*lib.Encoder, error) {
			return lib.NewWriter(nil,
				lib.WithEncoderLevel(lib.EncoderLevelFromZstd(level)),
				lib.WithEncoderCRC(checksum),
				lib.WithZeroFrames(true),
				lib.WithSingleSegment(single),
				// Shuffled data has literals that compress even without repetitions.
				lib.WithAllLitEntropyCompression(true))
		})
	}
	// Frames of one segment always contain their size, which numcodecs needs; other frames of less
	// than 256 bytes do not.
	f := frames{segment: encoder(true), windowed: encoder(false)}
	if level < 3 {
		f.fast = &zstd.Fast{Checksum: checksum}
	}
	return f
}

func (frames) bound(n int) int { return n + n>>8 + 64 }

func (f frames) encode(dst, src []byte) ([]byte, error) {
	encoder := f.segment
	switch {
	case len(src) > maxSegment:
		encoder = f.windowed
	case f.fast != nil:
		return f.fast.Append(dst, src), nil
	}
	e, err := encoder()
	if err != nil {
		return nil, err
	}
	return e.EncodeAll(src, dst), nil
}
