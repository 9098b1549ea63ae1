package pcodec_test

import (
	"context"
	"encoding/binary"
	"os"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	codecbytes "github.com/zarr-wasm/zarr-wasm/zarr/codec/bytes"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/filter"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/pcodec"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/transpose"
	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// TestV2 decodes an array of v2, whose metadata has a compressor of bytes after the bytes codec and
// filters. The file holds the int64 0 to 999.
func TestV2(t *testing.T) {
	src := must.Get(os.ReadFile("testdata/numcodecs-06-03.pco"))(t)
	for _, c := range []struct {
		order, filters string
		want           func(i, j int) int
	}{
		{"C", "null", func(i, j int) int { return 100*i + j }},
		{"F", "null", func(i, j int) int { return i + 10*j }},
		{"C", `[{"id":"delta","dtype":"<i8"}]`, func(i, j int) int { n := 100*i + j; return n * (n + 1) / 2 }},
	} {
		doc := `{"zarr_format":2,"shape":[10,100],"chunks":[10,100],"dtype":"<i8","fill_value":0,"order":"` + c.order +
			`","filters":` + c.filters + `,"compressor":{"id":"pcodec","level":8,"mode_spec":"auto"}}`
		got := decodeV2(t, doc, src)
		for i := range 10 {
			for j := range 100 {
				if v := int64(binary.LittleEndian.Uint64(got[8*(100*i+j):])); v != int64(c.want(i, j)) {
					t.Fatalf("order %s, filters %s: %d, %d is %d", c.order, c.filters, i, j, v)
				}
			}
		}
	}
}

// decodeV2 decodes the only chunk of an array.
func decodeV2(t *testing.T, doc string, src []byte) []byte {
	t.Helper()
	node := must.Get(meta.Parse([]meta.Document{{Name: ".zarray", Bytes: []byte(doc)}}, meta.Options{}))(t)
	r := codec.NewRegistry(codecbytes.Codec(), transpose.Codec(), pcodec.Codec())
	r.Add(filter.Codecs()...)
	a := codec.Array{Type: node.Array.Type, Fill: node.Array.Fill}
	for _, d := range node.Array.Shape {
		a.Shape = append(a.Shape, int(d))
	}
	lim := codec.Limits{}.WithDefaults()
	p := must.Get(r.Pipeline(node.Array.Codecs, codec.Build{Format: 2, Array: a, Limits: lim}))(t)
	plan := must.Get(p.Plan(a))(t)
	must.Do(t, plan.CheckEncoded(len(src)))
	dst := ndarray.New(a.Shape, a.Type.Size, false)
	must.Do(t, plan.Decode(codec.NewEnv(context.Background(), lim), dst, src, nil))
	return dst.Data
}
