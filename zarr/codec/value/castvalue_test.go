package value

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/codectest"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// TestBlocksAreCastAsElementsAre casts chunks block by block, with a fast path for simple elements.
// The result must equal that of casting each element by the codec's specification.
func TestBlocksAreCastAsElementsAre(t *testing.T) {
	names := []string{"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64"}
	edges := []float64{0, math.Copysign(0, -1), 0.5, 1.5, -0.5, -1, 127.5, 128, 255, 256, -129, 32768, 65536, 1 << 31, 1 << 40, 1e38, 1e39, -1e300, math.Inf(1), math.NaN()}
	r := rand.New(rand.NewPCG(9, 10))
	good := 0
	for _, decoded := range names {
		for _, encoded := range names {
			for _, more := range []string{
				``, `,"out_of_range":"clamp"`, `,"out_of_range":"wrap"`, `,"rounding":"towards-zero","out_of_range":"clamp"`,
				`,"out_of_range":"clamp","scalar_map":{"decode":[[1,7],[0,9]]}`,
			} {
				a := codec.Array{Type: codectest.Type(t, decoded)}
				a.Fill = make([]byte, a.Type.Size)
				made, err := newCastValue(codectest.JSON(t, `{"data_type":"`+encoded+`"`+more+`}`), codec.Build{Format: 3, Array: a})
				if err != nil {
					t.Fatal(err)
				}
				c := made.(castValue)
				n := 2*ndarray.Batch + 7
				src := make([]byte, n*c.encoded.Size)
				calm := r.IntN(2) == 0 // no element is out of every range
				for i := range n {
					x := ndarray.Number(r.Uint64() >> r.IntN(64))
					if calm {
						x = ndarray.Number(r.Uint64N(100))
					}
					if ndarray.DomainOf(c.encoded) == ndarray.DomainReal {
						x = ndarray.FloatNumber(edges[r.IntN(len(edges))])
						if calm {
							x = ndarray.FloatNumber(float64(r.IntN(400)) / 4)
						}
					}
					ndarray.Store(src, i, c.encoded, x)
				}
				want := make([]byte, n*c.decoded.Size)
				var wrong error
				for i := range n {
					if wrong = c.cast(want, c.decoded, src, c.encoded, i, c.decode); wrong != nil {
						break
					}
				}
				dst := ndarray.Block{Shape: []int{n}, Size: c.decoded.Size, Data: make([]byte, n*c.decoded.Size)}
				err = c.Decode(nil, dst, ndarray.Block{Shape: []int{n}, Size: c.encoded.Size, Data: src})
				if (err != nil) != (wrong != nil) {
					t.Errorf("%s from %s%s: %v, element by element %v", decoded, encoded, more, err, wrong)
				} else if err == nil && !bytes.Equal(dst.Data, want) {
					t.Errorf("%s from %s%s differs", decoded, encoded, more)
				} else if err == nil {
					good++
				}
			}
		}
	}
	if good < 200 {
		t.Errorf("only %d chunks could be cast at all", good)
	}
}
