package filter

import (
	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// packbitsEntry is numcodecs' packbits: one byte that counts the padding bits,
// then eight booleans a byte, the first in the highest bit. (Zarr v3's own
// packbits has the bits the other way round and is another codec.)
func packbitsEntry() codec.Entry {
	return codec.Entry{Names: []string{"numcodecs.packbits"}, IDs: []string{"packbits"}, Doc: codec.Doc("booleans, eight to a byte"), Kind: codec.KindArrayToArray, New: func(_ json.Value, b codec.Build) (any, error) {
		if b.Format < 3 {
			return packbits{}, nil
		}
		return packbitsArray{}, nil
	}}
}

type packbits struct{}

func packedSize(n int64) int64 { return 1 + (n+7)/8 }

// EncodedSize implements codec.BytesToBytes.
func (packbits) EncodedSize(decoded codec.Size) codec.Size {
	return codec.Size{N: packedSize(decoded.N), Exact: decoded.Exact}
}

// Decode implements codec.BytesToBytes.
func (packbits) Decode(env *codec.Env, out codec.Output, src []byte) ([]byte, error) {
	if len(src) == 0 {
		return nil, codec.Truncated("shorter than the count of padding bits")
	}
	n := 8*(len(src)-1) - int(src[0])
	if src[0] > 7 || n < 0 {
		return nil, codec.Corrupt("the count of padding bits is wrong")
	}
	if int64(n) > out.Size.N {
		return nil, codec.Corrupt("decodes to more elements than the chunk has")
	}
	dst := out.Grow(env, int64(n))[:n]
	for i := range dst {
		dst[i] = src[1+i/8] >> (7 - i%8) & 1
	}
	return dst, nil
}

// packbitsArray is packbits as v3 has it: from bool to a list of uint8.
type packbitsArray struct{}

// Encoded implements codec.ArrayToArray.
func (packbitsArray) Encoded(a codec.Array) (codec.Array, error) {
	if a.Type.Size != 1 {
		return a, &codec.ConfigError{Codec: "numcodecs.packbits", Msg: "packs bool, not " + a.Type.Name}
	}
	return codec.Array{
		Shape: []int{int(packedSize(int64(a.Len())))},
		Type:  &dtype.Type{Kind: dtype.Uint, Name: "uint8", Size: 1},
		Fill:  []byte{0},
	}, nil
}

// Decode implements codec.ArrayToArray.
func (packbitsArray) Decode(env *codec.Env, dst, src ndarray.Block) error {
	out := codec.Output{Buf: dst.Data[:0], Size: codec.Size{N: int64(len(dst.Data)), Exact: true}}
	b, err := packbits{}.Decode(env, out, src.Data)
	if err != nil {
		return err
	}
	_, err = out.Check(b)
	return err
}
