package compress

import (
	"math"
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
// is true) and imagecodecs_lz4f (a frame). The acceleration is ignored.
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
			return block{shared, name == "lz4" || header}, nil
		}))
	}
	return all
}

// block encodes as an LZ4 block.
type block struct {
	*blocks
	sized bool
}

func (block) bound(n int) int { return 4 + lib.CompressBlockBound(n) }

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
	return b.fastest(dst[:at], src, 1)
}

// blocks pools the library's compressors, whose tables are reusable.
type blocks struct{ fast, slow sync.Pool }

// fastest appends an LZ4 block of src. dst should have room for it, to avoid another allocation.
func (p *blocks) fastest(dst, src []byte, _ int) ([]byte, error) {
	if len(src) == 0 {
		return append(dst, 0), nil
	}
	c, _ := p.fast.Get().(*lib.Compressor)
	if c == nil {
		c = &lib.Compressor{}
	}
	defer p.fast.Put(c)
	n, err := c.CompressBlock(src, dst[len(dst):cap(dst)])
	return dst[:len(dst)+n], err
}

// deeper is fastest with a search that is deeper at higher levels.
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
	return append(dst, snappy.Encode(dst[len(dst):cap(dst)], src)...), nil
}
