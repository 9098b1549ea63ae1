package meta_test

import (
	"fmt"

	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
)

// Documents of every version become one model.
func ExampleParse() {
	n, err := meta.Parse([]meta.Document{{Name: ".zarray", Bytes: []byte(`{"zarr_format":2,"shape":[4],"chunks":[2],"dtype":"<i2","compressor":{"id":"zlib"},"fill_value":0,"order":"C","filters":null}`)}}, meta.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(n.Array.Type.Name, n.Array.Shape)
	for _, c := range n.Array.Codecs {
		fmt.Println(c.Name)
	}
	// Output:
	// int16 [4]
	// bytes
	// zlib
}
