package writing_test

import (
	"context"
	"fmt"

	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs/writing"
)

// A hierarchy that is written to needs the registry that has the encoders.
func ExampleCodecs() {
	ctx := context.Background()
	h := zarr.New(memstore.New(map[string][]byte{}), writing.Codecs(), zarr.Options{})
	a, err := h.Create(ctx, "a", zarr.ArraySpec{Shape: []int64{3}, DType: "uint8"})
	if err == nil {
		err = a.Set(ctx, nil, []uint8{1, 2, 3}, zarr.WriteOptions{})
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	res, err := a.Read(ctx, nil, zarr.ReadOptions{})
	fmt.Println(res.Data, err)
	// Output: [1 2 3] <nil>
}
