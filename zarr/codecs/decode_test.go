package codecs_test

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// decode decodes one chunk of a v3 chain.
func decode(shape []int, typ, chain string, fill string, src []byte) (ndarray.Block, *dtype.Type, error) {
	parse := func(s string) json.Value {
		v, err := json.Parse([]byte(s), json.Limits{})
		if err != nil {
			panic(s + ": " + err.Error())
		}
		return v
	}
	t, err := dtype.ParseV3(parse(`"`+typ+`"`), dtype.Limits{})
	if err != nil {
		return ndarray.Block{}, nil, err
	}
	a := codec.Array{Shape: shape, Type: t, Fill: t.Zero()}
	if fill != "" {
		if a.Fill, err = t.FillV3(parse(fill)); err != nil {
			return ndarray.Block{}, nil, err
		}
	}
	specs, err := meta.Codecs(parse(little(chain)), len(shape))
	if err != nil {
		return ndarray.Block{}, nil, err
	}
	limits := codec.Limits{}.WithDefaults()
	p, err := codecs.Full().Pipeline(specs, codec.Build{Format: 3, Array: a, Limits: limits})
	if err != nil {
		return ndarray.Block{}, nil, err
	}
	plan, err := p.Plan(a)
	if err != nil {
		return ndarray.Block{}, nil, err
	}
	if err := plan.CheckEncoded(len(src)); err != nil {
		return ndarray.Block{}, nil, err
	}
	dst := ndarray.New(shape, t.Size, t.Variable())
	return dst, t, plan.Decode(codec.NewEnv(context.Background(), limits), dst, src, nil)
}

// values writes a block's elements as the tables do.
func values(b ndarray.Block, t *dtype.Type) string {
	var s []string
	for i := range b.Len() {
		if b.Items != nil {
			s = append(s, string(b.Items[i]))
			continue
		}
		switch n := ndarray.Load(b.Data, i, t); ndarray.DomainOf(t) {
		case ndarray.DomainReal:
			s = append(s, fmt.Sprint(n.Float()))
		case ndarray.DomainSigned:
			s = append(s, fmt.Sprint(int64(n)))
		default:
			s = append(s, fmt.Sprint(uint64(n)))
		}
	}
	return strings.Join(s, " ")
}

func cast(config string) string {
	return `[{"name":"cast_value","configuration":{` + config + `}},"bytes"]`
}

func TestDecode(t *testing.T) {
	f32 := func(v ...float32) string {
		var b []byte
		for _, x := range v {
			n := math.Float32bits(x)
			b = append(b, byte(n), byte(n>>8), byte(n>>16), byte(n>>24))
		}
		return hex.EncodeToString(b)
	}
	for _, c := range []struct {
		name  string
		shape []int
		typ   string
		chain string
		src   string // hexadecimal
		want  string
	}{
		{"transpose", []int{2, 3}, "uint8", `[{"name":"transpose","configuration":{"order":[1,0]}},"bytes"]`, "010402050306", "1 2 3 4 5 6"},
		{"big-endian", []int{2}, "int16", `[{"name":"bytes","configuration":{"endian":"big"}}]`, "0001ffff", "1 -1"},
		{"delta wraps", []int{3}, "uint8", `[{"name":"numcodecs.delta","configuration":{"dtype":"|u1"}},"bytes"]`, "faff0a", "250 249 3"},
		{"delta widens", []int{3}, "int32", `[{"name":"numcodecs.delta","configuration":{"dtype":"<i4","astype":"|i1"}},"bytes"]`, "7f7f80", "127 254 126"},
		{"fixedscaleoffset", []int{2}, "float64", `[{"name":"numcodecs.fixedscaleoffset","configuration":{"offset":1000,"scale":10,"dtype":"<f8","astype":"|u1"}},"bytes"]`, "00ff", "1000 1025.5"},
		{"astype truncates", []int{3}, "int8", `[{"name":"numcodecs.astype","configuration":{"decode_dtype":"|i1","encode_dtype":"<f4"}},"bytes"]`, f32(1.9, -1.9, 100), "1 -1 100"},
		{"shuffle keeps the tail", []int{6}, "uint8", `["bytes",{"name":"numcodecs.shuffle","configuration":{"elementsize":4}}]`, "010203040506", "1 2 3 4 5 6"},
		{"shuffle", []int{4}, "uint16", `["bytes",{"name":"numcodecs.shuffle","configuration":{"elementsize":2}}]`, "0102030400000001", "1 2 3 260"},
		{"packbits of numcodecs, high bit first", []int{3}, "bool", `["numcodecs.packbits","bytes"]`, "05a0", "1 0 1"},
		{"packbits of v3, low bit first", []int{8}, "bool", `["packbits"]`, "aa", "0 1 0 1 0 1 0 1"},
		{"reshape", []int{2, 2}, "uint8", `[{"name":"reshape","configuration":{"shape":[-1]}},"bytes"]`, "01020304", "1 2 3 4"},
		{"vlen-utf8", []int{2}, "string", `["vlen-utf8"]`, "02000000" + "02000000c3a9" + "00000000", "é "},

		{"scale_offset of integers", []int{2}, "int16", `[{"name":"scale_offset","configuration":{"scale":3,"offset":-5}},"bytes"]`, "0900faff", "-2 -7"},
		{"scale_offset in single precision", []int{1}, "float32", `[{"name":"scale_offset","configuration":{"scale":3,"offset":0.1}},"bytes"]`, f32(1), fmt.Sprint(float64(float32(1)/float32(3) + float32(0.1)))},

		{"cast exactly", []int{2}, "int16", cast(`"data_type":"float32"`), f32(-3, 7), "-3 7"},
		{"cast: ties to even", []int{4}, "int8", cast(`"data_type":"float32"`), f32(0.5, 1.5, -0.5, 2.5), "0 2 0 2"},
		{"cast: ties away", []int{3}, "int8", cast(`"data_type":"float32","rounding":"nearest-away"`), f32(0.5, -0.5, 2.5), "1 -1 3"},
		{"cast: towards zero", []int{2}, "int8", cast(`"data_type":"float32","rounding":"towards-zero"`), f32(1.9, -1.9), "1 -1"},
		{"cast: up", []int{2}, "int8", cast(`"data_type":"float32","rounding":"towards-positive"`), f32(1.1, -1.9), "2 -1"},
		{"cast: down", []int{2}, "int8", cast(`"data_type":"float32","rounding":"towards-negative"`), f32(1.9, -1.1), "1 -2"},
		{"cast: clamp", []int{4}, "int8", cast(`"data_type":"float32","out_of_range":"clamp"`), f32(1e9, -1e9, float32(math.Inf(1)), float32(math.Inf(-1))), "127 -128 127 -128"},
		{"cast: wrap a float", []int{2}, "uint8", cast(`"data_type":"float32","out_of_range":"wrap"`), f32(257, -1), "1 255"},
		{"cast: wrap an integer", []int{2}, "int8", cast(`"data_type":"int16","out_of_range":"wrap"`), "8100ff00", "-127 -1"},
		{"cast: clamp an integer", []int{3}, "uint8", cast(`"data_type":"int16","out_of_range":"clamp"`), "ffff00010500", "0 255 5"},
		{"cast: clamp beyond signed", []int{1}, "int64", cast(`"data_type":"uint64","out_of_range":"clamp"`), "ffffffffffffffff", "9223372036854775807"},
		{"cast: map", []int{2}, "float32", cast(`"data_type":"uint8","scalar_map":{"encode":[["NaN",0]],"decode":[[0,"NaN"]]}`), "0005", "NaN 5"},
		{"cast to a small float, up", []int{1}, "float16", cast(`"data_type":"float32","rounding":"towards-positive"`), f32(1.0001), "1.0009765625"},
		{"cast to a small float, to even", []int{1}, "float16", cast(`"data_type":"float32"`), f32(1.0001), "1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := must.Get(hex.DecodeString(c.src))(t)
			fill := ""
			if strings.Contains(c.chain, "scalar_map") {
				fill = `"NaN"`
			}
			b, typ := must.Both(decode(c.shape, c.typ, c.chain, fill, src))(t)
			if got := values(b, typ); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

func TestDecodeErrors(t *testing.T) {
	const shard = `[{"name":"sharding_indexed","configuration":{"chunk_shape":[1],"codecs":["bytes"],"index_codecs":["bytes"]}}]`
	ones := strings.Repeat("ff", 8)
	at := func(n byte) string { return hex.EncodeToString([]byte{n, 0, 0, 0, 0, 0, 0, 0}) }
	for _, c := range []struct {
		name  string
		shape []int
		typ   string
		chain string
		src   string
		want  error
	}{
		{"too few bytes", []int{2}, "int16", `["bytes"]`, "000000", codec.ErrTruncated},
		{"too many bytes", []int{2}, "int16", `["bytes"]`, "0000000000", codec.ErrCorrupt},
		{"a value that is beyond the range", []int{1}, "int8", cast(`"data_type":"int16"`), "8000", codec.ErrCorrupt},
		{"NaN in an integer", []int{1}, "int8", cast(`"data_type":"float32","out_of_range":"clamp"`), "0000c07f", codec.ErrCorrupt},
		{"not a multiple of the scale", []int{1}, "int8", `[{"name":"scale_offset","configuration":{"scale":2}},"bytes"]`, "03", codec.ErrCorrupt},
		{"beyond the range after the offset", []int{1}, "int8", `[{"name":"scale_offset","configuration":{"offset":100}},"bytes"]`, "64", codec.ErrCorrupt},
		{"a text that ends early", []int{1}, "string", `["vlen-utf8"]`, "010000000500000061", codec.ErrTruncated},
		{"a text that is not UTF-8", []int{1}, "string", `["vlen-utf8"]`, "0100000001000000ff", codec.ErrCorrupt},
		{"fewer texts", []int{2}, "string", `["vlen-utf8"]`, "0100000000000000", codec.ErrTruncated},
		{"bytes behind the texts", []int{1}, "string", `["vlen-utf8"]`, "010000000000000000", codec.ErrCorrupt},
		{"padding of more than a byte", []int{3}, "bool", `["numcodecs.packbits","bytes"]`, "0d00", codec.ErrCorrupt},
		{"a shard without its index", []int{2}, "uint8", shard, "00", codec.ErrTruncated},
		{"an entry beyond the shard", []int{1}, "uint8", shard, "00" + at(17) + at(1), codec.ErrTruncated},
		{"an entry that overflows", []int{1}, "uint8", shard, "00" + "feffffffffffffff" + at(9), codec.ErrTruncated},
		{"an entry that is half missing", []int{1}, "uint8", shard, "00" + ones + at(1), codec.ErrCorrupt},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := must.Get(hex.DecodeString(c.src))(t)
			if _, _, err := decode(c.shape, c.typ, c.chain, "", src); !errors.Is(err, c.want) {
				t.Errorf("%v, want it %v", err, c.want)
			}
		})
	}
}

func TestShardWithMissingChunks(t *testing.T) {
	// The second of three inner chunks is missing; the others lie in reverse order with a gap.
	const chain = `[{"name":"sharding_indexed","configuration":{"chunk_shape":[2],"codecs":["bytes"],"index_codecs":["bytes"],"index_location":"start"}}]`
	entry := func(n byte) string { return hex.EncodeToString([]byte{n, 0, 0, 0, 0, 0, 0, 0}) }
	index := entry(51) + entry(2) + strings.Repeat("ff", 16) + entry(48) + entry(2)
	src := must.Get(hex.DecodeString(index + "0506" + "99" + "0102"))(t)
	b, typ := must.Both(decode([]int{6}, "uint8", chain, "9", src))(t)
	if got := values(b, typ); got != "1 2 9 9 5 6" {
		t.Error(got)
	}
}

func TestChainErrors(t *testing.T) {
	for chain, want := range map[string]any{
		`[]`:                           new(*codec.ConfigError),
		`["gzip","bytes"]`:             new(*codec.ConfigError),
		`["bytes","bytes"]`:            new(*codec.ConfigError),
		`["bytes","numcodecs.astype"]`: new(*codec.ConfigError),
		`["bytes","unheard-of"]`:       new(*codec.UnknownError),
		`["vlen-utf8"]`:                new(*codec.ConfigError),
		`[{"name":"bytes","configuration":{"endian":"middle"}}]`:                                                                 new(*codec.ConfigError),
		`[{"name":"transpose","configuration":{"order":[0,0]}},"bytes"]`:                                                         new(*codec.ConfigError),
		`[{"name":"reshape","configuration":{"shape":[5]}},"bytes"]`:                                                             new(*codec.ConfigError),
		`[{"name":"cast_value","configuration":{"data_type":"int8","what":1}},"bytes"]`:                                          new(*codec.ConfigError),
		`[{"name":"scale_offset","configuration":{"scale":0}},"bytes"]`:                                                          new(*codec.ConfigError),
		`[{"name":"sharding_indexed","configuration":{"chunk_shape":[3,2],"codecs":["bytes"],"index_codecs":["bytes"]}}]`:        new(*codec.ConfigError),
		`[{"name":"sharding_indexed","configuration":{"chunk_shape":[2,2],"codecs":["bytes"],"index_codecs":["bytes","gzip"]}}]`: new(*codec.ConfigError),
		`[{"name":"sharding_indexed","configuration":{"chunk_shape":[2,2],"codecs":["bytes","nope"],"index_codecs":["bytes"]}}]`: new(*codec.UnknownError),
		`[` + strings.Repeat(`"zarrs.squeeze",`, 40) + `"bytes"]`:                                                                new(*codec.LimitError),
	} {
		_, _, err := decode([]int{4, 4}, "int32", chain, "", nil)
		if err == nil || !errors.As(err, want) {
			t.Errorf("%.80s: %v, want %T", chain, err, want)
		}
	}
	if _, _, err := decode([]int{1}, "int8", `["bytes",{"name":"unheard-of","must_understand":false}]`, "", []byte{1}); err != nil {
		t.Errorf("a codec that need not be understood: %v", err)
	}
}
