package grib_test

import (
	"fmt"
	"os"

	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/grib"
	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/references"
)

// The example indexes temperatures at several times, steps and levels.
func Example() {
	file, err := os.Open("testdata/cube.grib2")
	if err != nil {
		panic(err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		panic(err)
	}
	var doc references.Document
	if err := grib.Index(file, info.Size(), doc.File("cube.grib2", "", nil)); err != nil {
		panic(err)
	}
	fmt.Println(doc.Nodes() > 10)
	// Output: true
}
