package references_test

import (
	"os"

	"github.com/zarr-wasm/zarr-wasm/zarr/prepare/references"
)

// The example presents bytes 100 to 119 of a file as an array of five numbers.
func Example() {
	var doc references.Document
	w := doc.File("data.bin", "", nil)
	array := references.Array{Shape: []int64{5}, Type: "<i4"}
	if err := w.Contiguous("a", array, 4, 100); err != nil {
		panic(err)
	}
	if _, err := doc.WriteTo(os.Stdout); err != nil {
		panic(err)
	}
	// Output:
	// {"version":1,"templates":{"f0":"data.bin"},"refs":{
	// "a/.zarray":"{\"chunks\":[5],\"compressor\":null,\"dtype\":\"<i4\",\"fill_value\":null,\"filters\":null,\"order\":\"C\",\"shape\":[5],\"zarr_format\":2}",
	// "a/0":["{{f0}}",100,20]
	// }}
}
