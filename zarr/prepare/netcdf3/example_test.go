package netcdf3_test

import (
	"fmt"
	"os"

	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/netcdf3"
	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/references"
)

// The example indexes a file.
func Example() {
	file, err := os.Open("testdata/classic.nc")
	if err != nil {
		panic(err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		panic(err)
	}
	var doc references.Document
	if err := netcdf3.Index(file, info.Size(), doc.File("classic.nc", "", nil)); err != nil {
		panic(err)
	}
	fmt.Println(doc.Nodes(), "nodes")
	// Output: 6 nodes
}
