package tiff_test

import (
	"fmt"
	"os"

	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/references"
	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/tiff"
)

// The example indexes an image with one level of lower resolution.
func Example() {
	file, err := os.Open("testdata/cog.tif")
	if err != nil {
		panic(err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		panic(err)
	}
	var doc references.Document
	if err := tiff.Index(file, info.Size(), doc.File("cog.tif", "", nil)); err != nil {
		panic(err)
	}
	fmt.Println(doc.Nodes(), "nodes")
	// Output: 3 nodes
}
