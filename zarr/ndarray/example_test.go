package ndarray_test

import (
	"fmt"

	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// Copy transposes a block by the strides of its source.
func ExampleCopy() {
	src := ndarray.Block{Shape: []int{2, 3}, Size: 1, Data: []byte{1, 2, 3, 4, 5, 6}}
	dst := ndarray.New([]int{3, 2}, 1, false)
	err := ndarray.Copy(dst, ndarray.Layout{Strides: []int{2, 1}}, src, ndarray.Layout{Strides: []int{1, 3}}, dst.Shape)
	fmt.Println(dst.Data, err)
	// Output: [1 4 2 5 3 6] <nil>
}
