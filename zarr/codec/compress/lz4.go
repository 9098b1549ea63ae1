package compress

import (
	"math"
	"slices"
	"sync"

	"github.com/klauspost/compress/snappy"
	lib "github.com/pierrec/lz4/v4"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/internal/kernel"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/lz4"
	ours "github.com/zarr-wasm/zarr-wasm/zarr/codec/snappy"
)

// LZ4 returns the codec lz4, which writes numcodecs' form (the size, and a block). It also returns
// two codecs of the Python package imagecodecs: imagecodecs_lz4 (a block, with its size if header
// is true) and imagecodecs_lz4f (a frame).
func LZ4() []codec.Entry {
	var all []codec.Entry
	shared := &blocks{}
	for _, e := range lz4.Codecs() {
		name := e.IDs[0]
		all = append(all, adding(e, func(config json.Value, _ codec.Build) (encoder, error) {
			if name == "imagecodecs_lz4f" {
				return newStreams(func() (resetter, error) { return lib.NewWriter(nil), nil })
			}
			header, _ := config.Get("header").Bool()
			acceleration, _ := config.Get("acceleration").Int64()
			return block{shared, name == "lz4" || header, int(min(max(acceleration, 1), 1<<16))}, nil
		}))
	}
	return all
}

// block encodes as an LZ4 block.
type block struct {
	*blocks
	sized        bool
	acceleration int
}

func (block) bound(n int) int { return 4 + kernel.LZ4Bound(n) }

func (b block) encode(dst, src []byte) ([]byte, error) {
	if len(src) > math.MaxInt32 {
		return nil, codec.Unfit("an LZ4 block has less than 2^31 bytes")
	}
	at := 0
	if b.sized {
		dst = dst[:4]
		kernel.Store32(dst, 0, uint32(len(src)))
		at = 4
	}
	return b.accelerated(dst[:at], src, b.acceleration), nil
}

// blocks pools tables and the library's compressor, which are reusable.
type blocks struct{ fast, slow sync.Pool }

// accelerated appends an LZ4 block of src.
func (p *blocks) accelerated(dst, src []byte, acceleration int) []byte {
	t, _ := p.fast.Get().(*kernel.LZ4Table)
	if t == nil {
		t = &kernel.LZ4Table{}
	}
	defer p.fast.Put(t)
	at := len(dst)
	dst = slices.Grow(dst, kernel.LZ4Bound(len(src)))
	room := dst[at:cap(dst)]
	return dst[:at+kernel.LZ4Encode(room, src, t, acceleration)]
}

// fastest is accelerated as in c-blosc: at lower levels the search takes larger steps.
func (p *blocks) fastest(dst, src []byte, level int) ([]byte, error) {
	return p.accelerated(dst, src, 10-level), nil
}

// deeper appends an LZ4 block by a search that is deeper at higher levels.
func (p *blocks) deeper(dst, src []byte, level int) ([]byte, error) {
	c, _ := p.slow.Get().(*lib.CompressorHC)
	if c == nil {
		c = &lib.CompressorHC{}
	}
	defer p.slow.Put(c)
	c.Level = lib.CompressionLevel(1 << (8 + level))
	n, err := c.CompressBlock(src, dst[len(dst):cap(dst)])
	return dst[:len(dst)+n], err
}

// Snappy returns the codec snappy with an encoder: the block format.
func Snappy() codec.Entry {
	return adding(ours.Codec(), func(json.Value, codec.Build) (encoder, error) { return snapped{}, nil })
}

type snapped struct{}

func (snapped) bound(n int) int { return max(snappy.MaxEncodedLen(n), 16) }

func (snapped) encode(dst, src []byte) ([]byte, error) {
	if snappy.MaxEncodedLen(len(src)) < 0 {
		return nil, codec.Unfit("a snappy block has less than 2^32 bytes")
	}
	return snappy.Encode(dst[:cap(dst)], src), nil
}
