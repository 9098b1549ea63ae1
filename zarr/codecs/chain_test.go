package codecs_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// FuzzChains builds any chain of codecs for any type, and decodes with it. The chain is rejected
// with a name, or yields a chunk.
func FuzzChains(f *testing.F) {
	for _, c := range chains {
		typ := `"` + c.typ + `"`
		if c.typ == "optional" {
			typ = `{"name":"zarrs.optional","configuration":{"name":"int16","configuration":{}}}`
		}
		f.Add(typ, little(c.chain), []byte("\x01\x00\x00\x00\x02\x00\x00\x00"))
	}
	for _, chain := range []string{
		`["bytes",{"name":"imagecodecs_delta","configuration":{"shape":[4,4],"dtype":"<i4","axis":-1}}]`,
		`["bytes",{"name":"imagecodecs_xor","configuration":{"shape":[4,4],"dtype":"<u2"}},{"name":"imagecodecs_lzw"}]`,
		`["bytes",{"name":"numcodecs.lzma","configuration":{"format":3,"filters":[{"id":3,"dist":4},{"id":4},{"id":33,"preset":1}]}}]`,
		`[{"name":"numcodecs.categorize","configuration":{"labels":["a","b"],"dtype":"|O","astype":"|u1"}},"bytes"]`,
		`[{"name":"transpose","configuration":{"order":"F"}},{"name":"reshape","configuration":{"shape":[-1,[0],2]}},"bytes"]`,
		`[{"name":"cast_value","configuration":{"data_type":"float32","scalar_map":{"decode":[["NaN",0],[1,2]],"encode":[[0,"NaN"]]}}},"bytes"]`,
		`[{"name":"packbits","configuration":{"padding_encoding":"first_byte","first_bit":1,"last_bit":3}}]`,
		`[{"name":"zfp","configuration":{"mode":"fixed_rate","rate":3.5}}]`, `[{"name":"zfp","configuration":{"mode":"expert","minbits":1,"maxbits":99,"maxprec":7,"minexp":-9}}]`,
	} {
		f.Add(`"int32"`, little(chain), make([]byte, 64))
		f.Add(`"float64"`, little(chain), make([]byte, 64))
	}
	f.Fuzz(func(t *testing.T, typeText, chainText string, src []byte) {
		if len(typeText) > 1<<10 || len(chainText) > 1<<12 {
			return
		}
		parsed, err := json.Parse([]byte(typeText), json.Limits{})
		if err != nil {
			return
		}
		typ, err := dtype.ParseV3(parsed, dtype.Limits{ItemBytes: 1 << 10})
		if err != nil {
			return
		}
		if parsed, err = json.Parse([]byte(chainText), json.Limits{}); err != nil {
			return
		}
		named := func(err error) bool {
			var limit *codec.LimitError
			var feature *codec.UnsupportedError
			var config *codec.ConfigError
			var invalid *meta.Error
			var unknown *codec.UnknownError
			return err == nil || errors.Is(err, codec.ErrCorrupt) || errors.Is(err, codec.ErrTruncated) || errors.Is(err, codec.ErrChecksum) ||
				errors.As(err, &limit) || errors.As(err, &feature) || errors.As(err, &config) || errors.As(err, &invalid) || errors.As(err, &unknown)
		}
		chain, err := meta.Codecs(parsed, 2)
		if !named(err) {
			t.Fatalf("%T %v", err, err)
		} else if err != nil {
			return
		}
		a := codec.Array{Shape: []int{4, 4}, Type: typ, Fill: typ.Zero()}
		limits := codec.Limits{ChunkBytes: 1 << 20, DecoderBytes: 1 << 20, IndexBytes: 1 << 16}.WithDefaults()
		p, err := codecs.Full().Pipeline(chain, codec.Build{Format: 3, Array: a, Limits: limits})
		if !named(err) {
			t.Fatalf("%s: %T %v", chainText, err, err)
		} else if err != nil {
			return
		}
		plan, err := p.Plan(a)
		if !named(err) {
			t.Fatalf("%s: %T %v", chainText, err, err)
		} else if err != nil {
			return
		}
		dst := ndarray.New(a.Shape, a.Type.Size, a.Type.Variable())
		err = plan.CheckEncoded(len(src))
		if err == nil {
			err = plan.Decode(codec.NewEnv(context.Background(), limits), dst, src, nil)
		}
		if !named(err) || err != nil && strings.Contains(err.Error(), codec.Failed) {
			t.Errorf("%s: %T %v", chainText, err, err)
		}
	})
}
