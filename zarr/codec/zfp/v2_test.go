package zfp_test

import (
	"context"
	"encoding/binary"
	"math"
	"os"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	codecbytes "github.com/zarr-wasm/zarr-wasm/zarr/codec/bytes"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/transpose"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec/zfp"
	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// TestV2 decodes an array of v2, whose metadata has a compressor of bytes after the bytes codec.
// The file holds the float32 from 1000 to 1001 in 999 steps.
func TestV2(t *testing.T) {
	src := must.Get(os.ReadFile("testdata/numcodecs-rate-00.zfp"))(t)
	for order, index := range map[string]func(i, j int) int{
		"C": func(i, j int) int { return 100*i + j },
		"F": func(i, j int) int { return i + 10*j },
	} {
		doc := `{"zarr_format":2,"shape":[10,100],"chunks":[10,100],"dtype":"<f4","fill_value":0,"order":"` + order +
			`","filters":null,"compressor":{"id":"zfpy","mode":2,"rate":-1,"precision":-1,"tolerance":-1}}`
		got := decodeV2(t, doc, src)
		for i := range 10 {
			for j := range 100 {
				want := float32(1000 + float64(float64(index(i, j))*(1.0/999)))
				if v := math.Float32frombits(binary.LittleEndian.Uint32(got[4*(100*i+j):])); v != want {
					t.Fatalf("order %s: %d, %d is %g, not %g", order, i, j, v, want)
				}
			}
		}
	}
}

// decodeV2 decodes the only chunk of an array.
func decodeV2(t *testing.T, doc string, src []byte) []byte {
	t.Helper()
	node := must.Get(meta.Parse([]meta.Document{{Name: ".zarray", Bytes: []byte(doc)}}, meta.Options{}))(t)
	r := codec.NewRegistry(codecbytes.Codec(), transpose.Codec())
	r.Add(zfp.Codecs()...)
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
