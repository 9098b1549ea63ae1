// Package conditional has the codec conditional (zarr-extensions): a list of bytes-to-bytes codecs
// from which the writer applies a choice to each chunk. The chunk begins with a header of one bit
// for each codec of the list, the first in the lowest bit of the first byte. A 1 means that the
// codec was applied.
package conditional

import (
	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
)

const name = "conditional"

// Codec returns the codec conditional. Its configuration has codecs, and header_bits (a multiple of
// 8, by default the fewest that suffice).
func Codec() codec.Entry {
	return codec.Entry{Names: []string{name, "zarrs.conditional"}, Doc: codec.Doc("bytes-to-bytes codecs that each chunk may leave out"), Kind: codec.KindBytesToBytes, New: build}
}

// conditional is one array's codec.
type conditional struct {
	stages []codec.BytesStage
	header int // bytes
}

func bad(msg string) error { return &codec.ConfigError{Codec: name, Msg: msg} }

func build(config json.Value, b codec.Build) (any, error) {
	chain, err := meta.Codecs(config.Get("codecs"), len(b.Array.Shape))
	if err != nil {
		return nil, bad("codecs: " + err.Error())
	}
	c := &conditional{header: (len(chain) + 7) / 8}
	if v := config.Get("header_bits"); !v.IsNull() {
		const most = 1 << 16
		n, ok := v.Int64()
		if !ok || n%8 != 0 || n < int64(len(chain)) || n > most {
			return nil, bad("header_bits is not a multiple of 8 with a bit for each codec")
		}
		c.header = int(n / 8)
	}
	if c.stages, err = b.Registry.BytesChain(chain, b); err != nil {
		return nil, err
	}
	return c, nil
}

// EncodedSize implements codec.BytesToBytes. The size is exact if every codec keeps it exact.
func (c *conditional) EncodedSize(decoded codec.Size) codec.Size {
	size := decoded
	for _, s := range c.stages {
		with := s.Codec.EncodedSize(size)
		size = codec.Size{N: max(size.N, with.N), Exact: size.Exact && with == size}
	}
	size.N += int64(c.header)
	return size
}

// Decode implements codec.BytesToBytes.
func (c *conditional) Decode(env *codec.Env, out codec.Output, src []byte) ([]byte, error) {
	if len(src) < c.header {
		return nil, codec.Truncated("shorter than its header")
	}
	header, src := src[:c.header], src[c.header:]
	for i := len(c.stages); i < 8*c.header; i++ {
		if header[i/8]>>(i%8)&1 != 0 {
			return nil, codec.Corrupt("the header names a codec that is not in the list")
		}
	}
	// The sizes after each of the writer's applied codecs, in their order.
	sizes := make([]codec.Size, len(c.stages)+1)
	sizes[0] = out.Size
	first := -1
	for i, s := range c.stages {
		sizes[i+1] = sizes[i]
		if header[i/8]>>(i%8)&1 != 0 {
			sizes[i+1] = s.Codec.EncodedSize(sizes[i])
			if first < 0 {
				first = i
			}
		}
	}
	if first < 0 {
		return out.Check(src)
	}
	for i := len(c.stages) - 1; i >= first; i-- {
		if header[i/8]>>(i%8)&1 == 0 {
			continue
		}
		if err := env.Ctx.Err(); err != nil {
			return nil, err
		}
		to := codec.Output{Size: sizes[i]}
		if i == first {
			to.Buf = out.Buf
		}
		b, err := c.stages[i].Codec.Decode(env, to, src)
		if err == nil {
			src, err = to.Check(b)
		}
		if err != nil {
			return nil, &codec.Error{Codec: c.stages[i].Name, Err: err}
		}
	}
	return src, nil
}
