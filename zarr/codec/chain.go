package codec

import (
	"context"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/internal/limits"
	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
)

// Chain builds the chain of codecs that a member of the named codec's configuration lists, for the
// array a. Errors are those of [Registry.Pipeline].
func (b Build) Chain(codec string, config json.Value, member string, a Array) (*Pipeline, error) {
	chain, err := meta.Codecs(config.Get(member), len(a.Shape))
	if err != nil {
		return nil, &ConfigError{codec, member + ": " + err.Error()}
	}
	b.Array = a
	return b.Registry.Pipeline(chain, b)
}

// BytesStage is one bytes-to-bytes codec with its name in the metadata.
type BytesStage struct {
	Name  string
	Codec BytesToBytes
}

// BytesChain builds a list of bytes-to-bytes codecs. It serves codecs that hold such a list and
// decide themselves which of them to apply. Errors are those of [Registry.Pipeline]. Unknown codecs
// are errors even if the metadata calls them optional, because positions in the list matter.
func (r *Registry) BytesChain(chain []meta.CodecSpec, b Build) ([]BytesStage, error) {
	if len(chain) > b.Limits.Codecs {
		return nil, &LimitError{Limit: "Codecs", Max: int64(b.Limits.Codecs), Asked: int64(len(chain)), What: "chain of codecs"}
	}
	if b.Depth >= b.Limits.CodecDepth {
		return nil, &LimitError{Limit: "CodecDepth", Max: int64(b.Limits.CodecDepth), Asked: int64(b.Depth) + 1, What: "nested codecs"}
	}
	b.Registry = r
	b.Depth++
	stages := make([]BytesStage, 0, len(chain))
	for _, spec := range chain {
		e, ok := r.find(spec.Name, b.Format)
		if !ok {
			return nil, &UnknownError{Name: spec.Name, Known: r.Names()}
		}
		c, err := e.New(spec.Config, b)
		if err != nil {
			return nil, err
		}
		inner, ok := c.(BytesToBytes)
		if !ok {
			return nil, &ConfigError{spec.Name, "is not a bytes-to-bytes codec"}
		}
		stages = append(stages, BytesStage{spec.Name, inner})
	}
	return stages, nil
}

// Decompress decompresses bytes outside of chunks to exactly size bytes. It uses the bytes-to-bytes
// codec of a v2 id and a configuration, and returns an *[UnknownError] if there is no such codec.
func (r *Registry) Decompress(ctx context.Context, id string, config json.Value, stored []byte, size int64) ([]byte, error) {
	e, ok := r.find(id, 2)
	if !ok {
		return nil, &UnknownError{Name: id}
	}
	b := Build{Format: 2, Limits: limits.Limits{ChunkBytes: size}.WithDefaults()}
	c, err := e.New(config, b)
	if err != nil {
		return nil, err
	}
	return c.(BytesToBytes).Decode(NewEnv(ctx, b.Limits), Output{Size: Size{N: size, Exact: true}}, stored)
}
