package codecs_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

// TestOrders checks the values of an array with various chains. Chains that only permute dimensions
// and swap bytes are read in one pass, from the stored bytes.
func TestOrders(t *testing.T) {
	const rows, cols, deep = 5, 9, 11
	chunk := []int{2, 4, 11}
	value := func(i, j, k int) uint64 { return uint64(i*1000 + j*50 + k + 1) }
	permute := func(order []int, at [3]int) (out [3]int) {
		for i, d := range order {
			out[i] = at[d]
		}
		return out
	}
	for _, size := range []int{1, 2, 4, 8} {
		for _, endian := range []string{"little", "big"} {
			for _, orders := range [][][]int{nil, {{2, 1, 0}}, {{1, 2, 0}}, {{0, 2, 1}, {2, 0, 1}}} {
				for _, compressed := range []bool{false, true} {
					name := fmt.Sprintf("uint%d %s %v compressed %v", 8*size, endian, orders, compressed)
					objects := map[string][]byte{}
					for ci := range (rows + chunk[0] - 1) / chunk[0] {
						for cj := range (cols + chunk[1] - 1) / chunk[1] {
							shape := [3]int(chunk)
							for _, o := range orders {
								shape = permute(o, shape)
							}
							raw := make([]byte, shape[0]*shape[1]*shape[2]*size)
							for i := range chunk[0] {
								for j := range chunk[1] {
									for k := range chunk[2] {
										at := [3]int{i, j, k}
										for _, o := range orders {
											at = permute(o, at)
										}
										e := raw[((at[0]*shape[1]+at[1])*shape[2]+at[2])*size:][:size]
										for b := range e {
											e[b] = byte(value(ci*chunk[0]+i, cj*chunk[1]+j, k) >> (8 * b))
										}
										if endian == "big" {
											slices.Reverse(e)
										}
									}
								}
							}
							if compressed {
								var b bytes.Buffer
								w := gzip.NewWriter(&b)
								w.Write(raw)
								w.Close()
								raw = b.Bytes()
							}
							objects[fmt.Sprintf("c/%d/%d/0", ci, cj)] = raw
						}
					}
					chain := ""
					for _, o := range orders {
						chain += fmt.Sprintf(`{"name":"transpose","configuration":{"order":[%d,%d,%d]}},`, o[0], o[1], o[2])
					}
					chain += `{"name":"bytes","configuration":{"endian":"` + endian + `"}}`
					if compressed {
						chain += `,{"name":"gzip","configuration":{"level":1}}`
					}
					objects["zarr.json"] = fmt.Appendf(nil, `{"zarr_format":3,"node_type":"array","shape":[%d,%d,%d],"data_type":"uint%d",
						"chunk_grid":{"name":"regular","configuration":{"chunk_shape":[%d,%d,%d]}},"chunk_key_encoding":{"name":"default"},
						"fill_value":0,"codecs":[%s]}`, rows, cols, deep, 8*size, chunk[0], chunk[1], chunk[2], chain)
					a, err := zarr.New(memstore.New(objects), codecs.Default(), zarr.Options{}).OpenArray(context.Background(), "")
					if err != nil {
						t.Fatalf("%s: %v", name, err)
					}
					for _, step := range []int64{1, 2, -1} {
						along := func(n int) (at []int) {
							for i := 0; i < n; i += max(int(step), 1) {
								at = append(at, i)
							}
							if step < 0 {
								slices.Reverse(at)
							}
							return at
						}
						part := grid.Range(nil, nil, &step)
						got, err := a.Read(context.Background(), []grid.Item{part, part, part}, zarr.ReadOptions{})
						if err != nil {
							t.Fatalf("%s: %v", name, err)
						}
						var want []byte
						for _, i := range along(rows) {
							for _, j := range along(cols) {
								for _, k := range along(deep) {
									for b := range size {
										want = append(want, byte(value(i, j, k)>>(8*b)))
									}
								}
							}
						}
						if !bytes.Equal(got.Data, want) {
							t.Errorf("%s, step %d: the values differ", name, step)
						}
					}
				}
			}
		}
	}
}
