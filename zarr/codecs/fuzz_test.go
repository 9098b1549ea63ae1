package codecs_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"

	"zarr-wasm/internal/json"
	"zarr-wasm/zarr/codec"
	"zarr-wasm/zarr/codecs"
	"zarr-wasm/zarr/dtype"
	"zarr-wasm/zarr/meta"
	"zarr-wasm/zarr/ndarray"
)

// chains are chains of every codec with a configuration that works, and the
// type of the array that it is for.
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
	{"optional", `[{"name":"zarrs.optional","configuration":{"mask_codecs":["packbits"],"data_codecs":["bytes"]}}]`},
}

// little gives the codec bytes, where it stands alone, a byte order.
func little(chain string) string {
	const named = `"name":"bytes"`
	chain = strings.ReplaceAll(chain, named, "NAMED")
	chain = strings.ReplaceAll(chain, `"bytes"`, `{`+named+`,"configuration":{"endian":"little"}}`)
	return strings.ReplaceAll(chain, "NAMED", named)
}

func build(t testing.TB, i int) *codec.Plan {
	t.Helper()
	parse := func(s string) json.Value {
		v, err := json.Parse([]byte(s), json.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	name := `"` + chains[i].typ + `"`
	if chains[i].typ == "optional" {
		name = `{"name":"zarrs.optional","configuration":{"name":"int16","configuration":{}}}`
	}
	typ, err := dtype.ParseV3(parse(name), dtype.Limits{})
	if err != nil {
		t.Fatal(err)
	}
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

// FuzzCodecs decodes arbitrary bytes by every chain: an error or a chunk, never
// a crash, and never more memory than such a small chunk can need.
func FuzzCodecs(f *testing.F) {
	for i := range chains {
		f.Add(uint8(i), []byte{})
		f.Add(uint8(i), []byte{1, 0, 0, 0, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff})
		f.Add(uint8(i), make([]byte, 64))
	}
	f.Fuzz(func(t *testing.T, which uint8, src []byte) {
		i := int(which) % len(chains)
		plan := build(t, i)
		a := plan.Array()
		dst := ndarray.New(a.Shape, a.Type.Size, a.Type.Variable())
		env := codec.NewEnv(context.Background(), codec.Limits{ChunkBytes: 1 << 20, DecoderBytes: 1 << 20}.WithDefaults())
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := plan.Admit(len(src))
		if err == nil {
			err = plan.Decode(env, dst, src, nil)
		}
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > 8<<20+64*uint64(len(src)) {
			t.Errorf("%s took %d bytes for %d", chains[i].chain, took, len(src))
		}
		if err == nil {
			return
		}
		if strings.Contains(err.Error(), codec.Failed) {
			t.Errorf("%s: %v", chains[i].chain, err)
		}
		var limit *codec.LimitError
		var feature *codec.UnsupportedError
		var config *codec.ConfigError
		if !errors.Is(err, codec.ErrCorrupt) && !errors.Is(err, codec.ErrTruncated) && !errors.Is(err, codec.ErrChecksum) &&
			!errors.As(err, &limit) && !errors.As(err, &feature) && !errors.As(err, &config) {
			t.Errorf("%s: an error of no known kind: %v", chains[i].chain, err)
		}
	})
}
