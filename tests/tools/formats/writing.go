package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs/writing"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// written is a codec with a chain that contains it, for arrays of 16 elements.
type written struct {
	name, typ, chain, note string
}

const chainOfBytes = `["bytes","NAME"]`

var writers = []written{
	{"bytes", "uint8", `["bytes"]`, ""},
	{"transpose", "uint8", `[{"name":"transpose","configuration":{"order":[1,0]}},"bytes"]`, ""},
	{"sharding_indexed", "uint8", `[{"name":"sharding_indexed","configuration":{"chunk_shape":[2,2],"codecs":["bytes"],"index_codecs":[{"name":"bytes","configuration":{"endian":"little"}},"crc32c"]}}]`,
		"inner chunks in C order; those that are all fill are left out when asked"},
	{"blosc", "uint8", `["bytes",{"name":"blosc","configuration":{"cname":"zstd","clevel":5,"shuffle":"shuffle","typesize":1,"blocksize":0}}]`,
		"all compressors and shuffles; blocks as c-blosc chooses them"},
	{"gzip", "uint8", chainOfBytes, "zlib's levels 0 to 9"},
	{"numcodecs.zlib", "uint8", chainOfBytes, "zlib's levels 0 to 9"},
	{"deflate", "uint8", chainOfBytes, ""},
	{"zstd", "uint8", chainOfBytes, "four speeds: levels below 3, 3 to 5, 6 to 9, 10 to 22; each frame says its size"},
	{"numcodecs.lz4", "uint8", chainOfBytes, "the acceleration is not looked at"},
	{"numcodecs.snappy", "uint8", chainOfBytes, ""},
	{"numcodecs.bz2", "uint8", chainOfBytes, ""},
	{"numcodecs.lzma", "uint8", chainOfBytes, "XZ, ALONE and raw, with deltas; no filters for programs (BCJ)"},
	{"numcodecs.brotli", "uint8", chainOfBytes, "in Go, not in browsers"},
	{"crc32c", "uint8", chainOfBytes, ""},
	{"numcodecs.crc32", "uint8", chainOfBytes, ""},
	{"numcodecs.adler32", "uint8", chainOfBytes, ""},
	{"numcodecs.fletcher32", "uint8", chainOfBytes, ""},
	{"numcodecs.jenkins_lookup3", "uint8", chainOfBytes, ""},
	{"numcodecs.shuffle", "uint8", chainOfBytes, ""},
	{"numcodecs.base64", "uint8", chainOfBytes, ""},
	{"numcodecs.delta", "uint8", `[{"name":"numcodecs.delta","configuration":{"dtype":"|u1"}},"bytes"]`, "not of bool; a difference that astype cannot hold is refused"},
	{"numcodecs.fixedscaleoffset", "uint8", `[{"name":"numcodecs.fixedscaleoffset","configuration":{"dtype":"|u1","scale":1,"offset":0}},"bytes"]`, "what astype cannot hold is refused"},
	{"numcodecs.quantize", "float32", `[{"name":"numcodecs.quantize","configuration":{"dtype":"<f4","digits":1}},{"name":"bytes","configuration":{"endian":"big"}}]`, ""},
	{"numcodecs.bitround", "float32", `[{"name":"numcodecs.bitround","configuration":{"keepbits":3}},{"name":"bytes","configuration":{"endian":"big"}}]`, "NaN stays NaN"},
	{"numcodecs.astype", "uint8", `[{"name":"numcodecs.astype","configuration":{"encode_dtype":"|i1","decode_dtype":"|u1"}},"bytes"]`, "what encode_dtype cannot hold is refused"},
	{"numcodecs.packbits", "bool", `["numcodecs.packbits","bytes"]`, ""},
	{"numcodecs.categorize", "fixed_length_utf32", `[{"name":"numcodecs.categorize","configuration":{"labels":["a"],"dtype":"<U1"}},"bytes"]`, "what is none of the labels is refused"},
	{"packbits", "bool", `["packbits"]`, "a value with other bits than first_bit to last_bit is refused"},
	{"cast_value", "uint8", `[{"name":"cast_value","configuration":{"data_type":"int16"}},{"name":"bytes","configuration":{"endian":"big"}}]`, ""},
	{"scale_offset", "uint8", `["scale_offset","bytes"]`, ""},
	{"reshape", "uint8", `[{"name":"reshape","configuration":{"shape":[-1]}},"bytes"]`, ""},
	{"zarrs.squeeze", "uint8", `["zarrs.squeeze","bytes"]`, ""},
	{"vlen-utf8", "string", `["vlen-utf8"]`, ""},
	{"vlen-bytes", "bytes", `["vlen-bytes"]`, ""},
	{"numcodecs.vlen-array", "", "", "of v2"},
	{"zarrs.vlen_v2", "string", `["zarrs.vlen_v2"]`, ""},
	{"zarrs.vlen", "string", `[{"name":"zarrs.vlen","configuration":{"index_data_type":"uint32","index_codecs":[{"name":"bytes","configuration":{"endian":"little"}}],"data_codecs":["bytes"]}}]`, ""},
	{"numcodecs.json2", "string", `["numcodecs.json2"]`, "as Python's json.dumps with numcodecs' usual arguments"},
	{"numcodecs.msgpack2", "string", `["numcodecs.msgpack2"]`, ""},
	{"optional", `{"name":"optional","configuration":{"name":"uint8","configuration":{}}}`, `[{"name":"optional","configuration":{"mask_codecs":["packbits"],"data_codecs":["bytes"]}}]`, ""},
	{"conditional", "uint8", `["bytes",{"name":"conditional","configuration":{"codecs":["crc32c"]}}]`, ""},
	{"numcodecs.pcodec", "uint16", `["numcodecs.pcodec"]`, ""},
	{"zfp", "float32", `[{"name":"zfp","configuration":{"mode":"reversible"}}]`, ""},
	{"numcodecs.zfpy", "float32", `["numcodecs.zfpy"]`, ""},
	{"n5_default", "uint8", `[{"name":"n5_default","configuration":{"codecs":[{"name":"transpose","configuration":{"order":[1,0]}},"bytes"]}}]`, ""},
	{"n5_block", "", "", ""},
	{"n5_lz4", "uint8", chainOfBytes, ""},
	{"n5_strings", "", "", ""},
	{"numcodecs.pickle", "", "", "never"},
}

// answer tries to encode.
func (c written) answer(r *codec.Registry) (string, error) {
	if c.chain == "" {
		if c.note == "of v2" {
			return "yes", nil
		}
		return "no", nil
	}
	typeText := c.typ
	if !strings.HasPrefix(typeText, "{") {
		typeText = `"` + typeText + `"`
	}
	if c.typ == "fixed_length_utf32" {
		typeText = `{"name":"fixed_length_utf32","configuration":{"length_bytes":4}}`
	}
	v, err := json.Parse([]byte(typeText), json.Limits{})
	if err != nil {
		return "", err
	}
	typ, err := dtype.ParseV3(v, dtype.Limits{})
	if err != nil {
		return "", err
	}
	if v, err = json.Parse([]byte(strings.ReplaceAll(c.chain, "NAME", c.name)), json.Limits{}); err != nil {
		return "", err
	}
	chain, err := meta.Codecs(v, 2)
	if err != nil {
		return "", err
	}
	a := codec.Array{Shape: []int{4, 4}, Type: typ, Fill: typ.Zero()}
	limits := codec.Limits{}.WithDefaults()
	p, err := r.Pipeline(chain, codec.Build{Format: 3, Array: a, Limits: limits})
	if err != nil {
		return "", err
	}
	_, err = p.Encode(codec.NewEnv(context.Background(), limits), a, ndarray.New(a.Shape, typ.Size, typ.Variable()))
	var unsupported *codec.UnsupportedError
	if errors.As(err, &unsupported) {
		return "no", nil
	}
	return "yes", err
}

func writingSection(w io.Writer, _ string) error {
	title(w, "## Codecs that write", "In Go, with the registry of `zarr/codecs/writing`. An element that a codec would give back as another one is refused by name, unless its configuration says to round. "+
		"The codecs of v2 with the same ids write the same; of imagecodecs only `imagecodecs_deflate`, `imagecodecs_gzip`, `imagecodecs_lz4`, `imagecodecs_lz4f`, `imagecodecs_zlib` and `imagecodecs_zstd` do.")
	for _, e := range codecs.Full().Entries() {
		if len(e.Names) > 0 && !slices.ContainsFunc(writers, func(c written) bool { return slices.Contains(e.Names, c.name) }) {
			return fmt.Errorf("%s: it is not said whether it writes", e.Names[0])
		}
	}
	r := writing.Codecs()
	line(w, []string{"codec", "written", "note"})
	line(w, []string{"---", "---", "---"})
	for _, c := range writers {
		own, err := c.answer(r)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		line(w, []string{"`" + c.name + "`", "**" + own + "**", c.note})
	}
	return nil
}
