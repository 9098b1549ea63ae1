// Package filter has numcodecs' array filters: delta, fixedscaleoffset, quantize, astype, bitround,
// packbits and categorize.
//
// In v2 a filter receives the chunk's bytes in memory order, and its configuration has their type.
// In v3 (numcodecs.<id>) it is an array-to-array codec. Both consist of one [filter]: a function
// from n encoded elements to n decoded ones.
package filter

import (
	"slices"
	"strconv"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// Codecs returns the entries of the family.
func Codecs() []codec.Entry {
	entry := func(id, doc string, make func(json.Value, codec.Build) (filter, error)) codec.Entry {
		return codec.Entry{Names: []string{"numcodecs." + id, id}, IDs: []string{id}, Doc: doc, Kind: codec.KindArrayToArray, New: func(config json.Value, b codec.Build) (any, error) {
			f, err := make(config, b)
			if err != nil {
				return nil, &codec.ConfigError{Codec: id, Msg: err.Error()}
			}
			f.name, f.config, f.array = id, config, b.Array.Type
			if b.Format < 3 {
				return flat{f}, nil
			}
			return elementwise{f}, nil
		}}
	}
	return []codec.Entry{
		entry("delta", codec.Doc("differences of neighbouring elements"), newDelta),
		entry("fixedscaleoffset", codec.Doc("(x - offset) * scale as another type"), newFixedScaleOffset),
		entry("quantize", codec.Doc("numbers of a few decimal digits"), newQuantize),
		entry("astype", codec.Doc("numbers as another type"), newAsType),
		entry("bitround", codec.Doc("numbers of a few significant bits"), newBitRound),
		packbitsEntry(),
		categorizeEntry(),
	}
}

// filter decodes elements one by one.
type filter struct {
	name string
	// decoded and encoded are the types on the two sides; nil means that the filter does not change
	// elements of any type.
	decoded, encoded *dtype.Type
	// decode converts packed little-endian elements to the same number of others.
	decode func(dst, src []byte)
	// config, array (the chunk's type) and labels (of categorize) are for the writer.
	config json.Value
	array  *dtype.Type
	labels categorize
}

// configType reads a dtype of a configuration: a numpy typestring or name.
func configType(config json.Value, names ...string) (*dtype.Type, error) {
	for _, name := range names {
		v := config.Get(name)
		if v.IsNull() {
			continue
		}
		t, err := dtype.ParseV2(v, dtype.Limits{})
		if err != nil {
			if t, err3 := dtype.ParseV3(v, dtype.Limits{}); err3 == nil {
				return number(t)
			}
			return nil, err
		}
		return number(t)
	}
	return nil, badConfig(names[0] + " is missing")
}

func number(t *dtype.Type) (*dtype.Type, error) {
	if ndarray.DomainOf(t) == ndarray.DomainNone {
		return nil, badConfig(strconv.Quote(t.Name) + " is not a type of numbers")
	}
	return t, nil
}

type badConfig string

func (e badConfig) Error() string { return string(e) }

// flat is a filter of v2: bytes in the types' own byte order.
type flat struct{ filter }

// EncodedSize implements codec.BytesToBytes.
func (f flat) EncodedSize(decoded codec.Size) codec.Size {
	if f.decoded == nil {
		return decoded
	}
	d, e := int64(f.decoded.Size), int64(f.encoded.Size)
	return codec.Size{N: (decoded.N + d - 1) / d * e, Exact: decoded.Exact}
}

// Decode implements codec.BytesToBytes.
func (f flat) Decode(env *codec.Env, out codec.Output, src []byte) ([]byte, error) {
	if f.decode == nil {
		return src, nil
	}
	if len(src)%f.encoded.Size != 0 {
		return nil, codec.Truncated("not a whole number of elements")
	}
	n := len(src) / f.encoded.Size * f.decoded.Size
	if int64(n) > out.Size.N {
		return nil, codec.Corrupt("decodes to more bytes than the chunk has")
	}
	if f.encoded.Order == dtype.Big {
		src = slices.Clone(src)
		f.encoded.ToLittle(src, dtype.None)
	}
	dst := out.Grow(env, int64(n))[:n]
	f.decode(dst, src)
	// The result is the chunk in the metadata's byte order. Conversion to and from little-endian is
	// the same swap.
	f.decoded.ToLittle(dst, dtype.None)
	return dst, nil
}

// elementwise is a filter of v3.
type elementwise struct{ filter }

// Encoded implements codec.ArrayToArray.
func (f elementwise) Encoded(a codec.Array) (codec.Array, error) {
	if f.decoded == nil {
		return a, nil
	}
	if a.Type.Size != f.decoded.Size || ndarray.DomainOf(a.Type) == ndarray.DomainNone {
		return a, &codec.ConfigError{Codec: f.name, Msg: "decodes to " + f.decoded.Name + " in an array of " + a.Type.Name}
	}
	fill := make([]byte, f.encoded.Size)
	ndarray.Cast(fill, f.encoded, a.Fill, f.decoded)
	return codec.Array{Shape: a.Shape, Type: f.encoded, Fill: fill}, nil
}

// Decode implements codec.ArrayToArray.
func (f elementwise) Decode(_ *codec.Env, dst, src ndarray.Block) error {
	if f.decode == nil {
		copy(dst.Data, src.Data)
		return nil
	}
	f.decode(dst.Data, src.Data)
	return nil
}
