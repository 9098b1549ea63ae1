package codecs_test

import (
	"context"
	"encoding/hex"
	"errors"
	"runtime"
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

// chains has chains of every codec with a valid configuration, and the type of their array.
var chains = []struct{ typ, chain string }{
	{"int32", `["bytes"]`},
	{"int32", `[{"name":"transpose","configuration":{"order":[1,0]}},"bytes"]`},
	{"int32", `["bytes","gzip"]`}, {"int32", `["bytes","zlib"]`}, {"int32", `["bytes","numcodecs.deflate"]`},
	{"int32", `["bytes","zstd"]`}, {"int32", `["bytes","blosc"]`}, {"int32", `["bytes","lz4"]`}, {"int32", `["bytes","snappy"]`}, {"int32", `["bytes","crc32c"]`},
	{"int32", `["bytes","brotli"]`}, {"int32", `["bytes","bz2"]`}, {"int32", `["bytes","numcodecs.lzma"]`}, {"int32", `["bytes","numcodecs.base64"]`},
	{"int32", `["bytes","numcodecs.crc32"]`}, {"int32", `["bytes","numcodecs.adler32"]`}, {"int32", `["bytes","numcodecs.fletcher32"]`},
	{"int32", `["bytes",{"name":"numcodecs.jenkins_lookup3","configuration":{"initval":3}}]`},
	{"int32", `["bytes",{"name":"numcodecs.shuffle","configuration":{"elementsize":4}},"zlib"]`},
	{"int32", `[{"name":"numcodecs.delta","configuration":{"dtype":"<i4","astype":"<i2"}},"bytes"]`},
	{"float64", `[{"name":"numcodecs.fixedscaleoffset","configuration":{"dtype":"<f8","astype":"<i2","scale":10,"offset":3}},"bytes"]`},
	{"float32", `[{"name":"numcodecs.quantize","configuration":{"dtype":"<f4","digits":1}},"bytes"]`},
	{"float64", `[{"name":"numcodecs.astype","configuration":{"decode_dtype":"<f8","encode_dtype":"<f4"}},"bytes"]`},
	{"float32", `[{"name":"bitround","configuration":{"keepbits":3}},"bytes"]`},
	{"bool", `["numcodecs.packbits","bytes"]`}, {"bool", `["packbits"]`}, {"int16", `["packbits"]`},
	{"int16", `[{"name":"cast_value","configuration":{"data_type":"float32","rounding":"towards-zero","out_of_range":"clamp"}},"bytes"]`},
	{"float16", `[{"name":"cast_value","configuration":{"data_type":"int64","rounding":"nearest-away"}},"bytes"]`},
	{"uint8", `[{"name":"cast_value","configuration":{"data_type":"float64","out_of_range":"wrap"}},"bytes"]`},
	{"int16", `[{"name":"scale_offset","configuration":{"scale":3,"offset":7}},"bytes"]`},
	{"float32", `[{"name":"scale_offset","configuration":{"scale":0.5,"offset":-10}},"bytes"]`},
	{"int32", `[{"name":"reshape","configuration":{"shape":[[0,1]]}},"bytes"]`}, {"int32", `["zarrs.squeeze","bytes"]`},
	{"int32", `[{"name":"sharding_indexed","configuration":{"chunk_shape":[2,2],"codecs":["bytes","zstd"],"index_codecs":["bytes","crc32c"]}}]`},
	{"int32", `[{"name":"sharding_indexed","configuration":{"chunk_shape":[2,4],"codecs":["bytes"],"index_codecs":[{"name":"bytes","configuration":{"endian":"big"}}],"index_location":"start"}}]`},
	{"string", `["vlen-utf8"]`}, {"bytes", `["vlen-bytes"]`}, {"string", `["zarrs.vlen_v2"]`}, {"string", `["numcodecs.json2"]`}, {"string", `["numcodecs.msgpack2"]`},
	{"string", `[{"name":"sharding_indexed","configuration":{"chunk_shape":[2,2],"codecs":["vlen-utf8"],"index_codecs":["bytes"]}}]`},
	{"string", `[{"name":"zarrs.vlen","configuration":{"data_codecs":["bytes"],"index_codecs":["bytes"],"index_data_type":"uint32"}}]`},
	{"int32", `[{"name":"zfp","configuration":{"mode":"reversible"}}]`}, {"float32", `["numcodecs.zfpy"]`}, {"int32", `["numcodecs.pcodec"]`},
	{"int32", `["bytes",{"name":"conditional","configuration":{"codecs":["zlib","zstd"],"header_bits":8}}]`},
	{"int32", `[{"name":"n5_default","configuration":{"codecs":[{"name":"transpose","configuration":{"order":[1,0]}},{"name":"bytes","configuration":{"endian":"big"}},"gzip"]}}]`},
	{"int32", `[{"name":"n5_block","configuration":{"codecs":[{"name":"bytes","configuration":{"endian":"big"}},"n5_lz4"]}}]`},
	{"string", `[{"name":"n5_block","configuration":{"codecs":["n5_strings","zlib"]}}]`}, {"string", `["n5_strings"]`}, {"int32", `["bytes","n5_lz4"]`},
	{"optional", `[{"name":"zarrs.optional","configuration":{"mask_codecs":["packbits"],"data_codecs":["bytes"]}}]`},
}

// little gives a byte order to the codec bytes without a configuration.
func little(chain string) string {
	const named = `"name":"bytes"`
	chain = strings.ReplaceAll(chain, named, "NAMED")
	chain = strings.ReplaceAll(chain, `"bytes"`, `{`+named+`,"configuration":{"endian":"little"}}`)
	return strings.ReplaceAll(chain, "NAMED", named)
}

func build(t testing.TB, i int) *codec.Plan {
	t.Helper()
	parse := func(s string) json.Value {
		return must.Get(json.Parse([]byte(s), json.Limits{}))(t)
	}
	name := `"` + chains[i].typ + `"`
	if chains[i].typ == "optional" {
		name = `{"name":"zarrs.optional","configuration":{"name":"int16","configuration":{}}}`
	}
	typ := must.Get(dtype.ParseV3(parse(name), dtype.Limits{}))(t)
	chain, err := meta.Codecs(parse(little(chains[i].chain)), 2)
	if err != nil {
		t.Fatalf("%s: %v", chains[i].chain, err)
	}
	a := codec.Array{Shape: []int{4, 4}, Type: typ, Fill: typ.Zero()}
	limits := codec.Limits{ChunkBytes: 1 << 20, DecoderBytes: 1 << 20, IndexBytes: 1 << 16}.WithDefaults()
	p, err := codecs.Full().Pipeline(chain, codec.Build{Format: 3, Array: a, Limits: limits})
	if err != nil {
		t.Fatalf("%s: %v", chains[i].chain, err)
	}
	plan, err := p.Plan(a)
	if err != nil {
		t.Fatalf("%s: %v", chains[i].chain, err)
	}
	return plan
}

// TestEveryCodecIsFuzzed keeps the list of chains complete.
func TestEveryCodecIsFuzzed(t *testing.T) {
	all := ""
	for i := range chains {
		build(t, i)
		all += chains[i].chain
	}
	for _, e := range codecs.Full().Entries() {
		if len(e.Names) == 0 {
			continue // v2 only: its package has a fuzz target
		}
		found := false
		for _, n := range e.Names {
			short := strings.TrimPrefix(n, "numcodecs.")
			found = found || strings.Contains(all, `"`+n+`"`) || strings.Contains(all, `"numcodecs.`+short+`"`) || strings.Contains(all, `"`+short+`"`)
		}
		switch e.Names[0] {
		case "numcodecs.vlen-array", "numcodecs.categorize", "numcodecs.pickle": // of v2's object arrays
			found = true
		}
		if !found {
			t.Errorf("%v is in no chain", e.Names)
		}
	}
}

// FuzzCodecs decodes arbitrary bytes with every chain. The result is an error or a chunk, never a
// crash, and never more memory than such a small chunk can need.
func FuzzCodecs(f *testing.F) {
	for i := range chains {
		f.Add(uint8(i), []byte{})
		f.Add(uint8(i), []byte{1, 0, 0, 0, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})
		f.Add(uint8(i), make([]byte, 64))
	}
	f.Fuzz(func(t *testing.T, which uint8, src []byte) {
		if err := try(t, int(which)%len(chains), src); err != nil && strings.Contains(err.Error(), codec.Failed) {
			t.Errorf("%s: %v", chains[int(which)%len(chains)].chain, err)
		}
	})
}

// try decodes src with a chain. The test fails if that takes more memory than such a small chunk
// can need, or returns an error of no known kind.
func try(t *testing.T, i int, src []byte) error {
	t.Helper()
	plan := build(t, i)
	a := plan.Array()
	dst := ndarray.New(a.Shape, a.Type.Size, a.Type.Variable())
	env := codec.NewEnv(context.Background(), codec.Limits{ChunkBytes: 1 << 20, DecoderBytes: 1 << 20}.WithDefaults())
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := plan.CheckEncoded(len(src))
	if err == nil {
		err = plan.Decode(env, dst, src, nil)
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 8<<20+64*uint64(len(src)) {
		t.Errorf("%s took %d bytes for %d", chains[i].chain, took, len(src))
	}
	var limit *codec.LimitError
	var feature *codec.UnsupportedError
	var config *codec.ConfigError
	if err != nil && !errors.Is(err, codec.ErrCorrupt) && !errors.Is(err, codec.ErrTruncated) && !errors.Is(err, codec.ErrChecksum) &&
		!errors.As(err, &limit) && !errors.As(err, &feature) && !errors.As(err, &config) {
		t.Errorf("%s: an error of no known kind: %v", chains[i].chain, err)
	}
	return err
}

// TestLyingHeaders gives each codec with a size in its data a header with a far too large size, and
// no data.
func TestLyingHeaders(t *testing.T) {
	const ones = "ffffffffffffffff"
	for _, c := range []struct{ name, codec, header string }{
		{"blosc of 2 GiB", `"blosc"`, "02010104" + "ffffff7f" + "ffffff7f" + "10000000"},
		{"blosc of 1 GiB in blocks of 1 byte", `"blosc"`, "02010101" + "00000040" + "01000000" + "10000000"},
		{"zstd frame of 2^60 bytes", `"zstd"`, "28b52ffd" + "e0" + "0000000000000010" + "010000"},
		{"zstd window of 2 TiB", `"zstd"`, "28b52ffd" + "00" + "f8" + "010000"},
		{"zstd block repeated", `"zstd"`, "28b52ffd" + "e0" + "ffffffff00000000" + "faffff00"},
		{"lz4 of 2 GiB", `"lz4"`, "ffffff7f" + "ff" + ones + ones},
		{"snappy of 4 GiB", `"snappy"`, "ffffffff0f" + "fcffffff7f"},
		{"brotli of long metablocks", `"brotli"`, "0b0080" + ones + ones},
		{"bz2 of the largest block", `"bz2"`, "425a6839" + "314159265359" + ones},
		{"lzma alone of 2^62 bytes and a dictionary of 4 GiB", `"numcodecs.lzma"`, "5dffffffff" + "ffffffffffffff3f" + "00" + ones},
		{"xz with a dictionary of 4 GiB", `"numcodecs.lzma"`, "fd377a585a000004e6d6b446" + "0200210128000000" + ones},
		{"zlib of the longest match", `"zlib"`, "789c" + "ed" + ones},
		{"gzip whose name does not end", `"gzip"`, "1f8b080800000000" + "0003" + ones},
		{"texts, 4 Gi of them", `"vlen-utf8"`, "ffffffff" + "ffffffff"},
		{"one text of 2 GiB", `"vlen-utf8"`, "10000000" + "ffffff7f"},
		{"bytes, 2 Gi of them", `"vlen-bytes"`, "ffffff7f"},
		{"msgpack array of 4 Gi", `"numcodecs.msgpack2"`, "ddffffffff"},
		{"msgpack text of 4 GiB", `"numcodecs.msgpack2"`, "92" + "dbffffffff"},
		{"JSON array without an end", `"numcodecs.json2"`, strings.Repeat("5b", 4096)},
		{"zfp of 2^36 elements", `"numcodecs.zfpy"`, "7a667005" + ones + ones},
		{"pcodec of 2^24 elements", `"numcodecs.pcodec"`, "70636f21" + "0401" + ones + ones},
		{"an index that lies beyond", `"sharding_indexed"`, strings.Repeat("feffffffffffffff", 9)},
		{"an inner chunk of 2^63 bytes", `"index_location":"start"`, strings.Repeat("00000000000000007fffffffffffffff", 2)},
		{"zarrs.vlen of 2^64 bytes", `"zarrs.vlen"`, ones + ones},
		{"optional with a mask of 2^64 bytes", `"zarrs.optional"`, ones + ones},
		{"n5 of 2^128 elements", `"n5_default"`, "0000" + "0004" + ones + ones},
		{"n5 of 2^128 texts", `"n5_strings","zlib"`, "0001" + "0004" + ones + ones + ones},
		{"an LZ4 stream of 2^25 bytes", `"n5_lz4"`, hex.EncodeToString([]byte("LZ4Block")) + "2f" + "10000000" + "00000002" + ones},
		{"a conditional header of ones", `"conditional"`, "ff" + ones},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := must.Get(hex.DecodeString(c.header))(t)
			tried := false
			for i := range chains {
				if strings.Contains(chains[i].chain, c.codec) {
					tried = true
					if err := try(t, i, src); err == nil {
						t.Errorf("%s decodes it", chains[i].chain)
					}
				}
			}
			if !tried {
				t.Error("no chain has ", c.codec)
			}
		})
	}
}
