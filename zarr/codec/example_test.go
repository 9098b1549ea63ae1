package codec_test

import (
	"context"
	"fmt"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
)

// double is a bytes-to-bytes codec that stores each byte twice.
type double struct{}

func (double) EncodedSize(decoded codec.Size) codec.Size {
	return codec.Size{N: 2 * decoded.N, Exact: decoded.Exact}
}

func (double) Decode(env *codec.Env, out codec.Output, src []byte) ([]byte, error) {
	b := out.Grow(env, int64(len(src)/2))
	for i := 0; i+1 < len(src); i += 2 {
		if src[i] != src[i+1] {
			return nil, codec.Corrupt("the two copies of a byte differ")
		}
		b = append(b, src[i])
	}
	return b, nil
}

// An entry makes a codec known to a registry.
func ExampleRegistry() {
	r := codec.NewRegistry(codec.Entry{
		Names: []string{"double"}, Kind: codec.KindBytesToBytes,
		New: func(json.Value, codec.Build) (any, error) { return double{}, nil },
	})
	fmt.Println(r.Names(), r.Kind("double"))

	env := codec.NewEnv(context.Background(), codec.Limits{}.WithDefaults())
	b, err := double{}.Decode(env, codec.Output{Size: codec.Size{N: 2, Exact: true}}, []byte{7, 7, 8, 8})
	fmt.Println(b, err)
	// Output:
	// [double] bytes-to-bytes
	// [7 8] <nil>
}
