package hdf5_test

import (
	"fmt"
	"os"

	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/hdf5"
	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/references"
)

// The example indexes a file, and prints the object that references cannot express.
func Example() {
	file, err := os.Open("testdata/latest.h5")
	if err != nil {
		panic(err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		panic(err)
	}
	var doc references.Document
	skip := func(_ string, err error) { fmt.Println(err) }
	if err := hdf5.Index(file, info.Size(), doc.File("latest.h5", "", skip)); err != nil {
		panic(err)
	}
	fmt.Println(doc.Nodes(), "nodes")
	// Output:
	// so: unsupported: a soft link
	// 20 nodes
}
