package address_test

import (
	"fmt"

	"github.com/zarr-wasm/zarr-wasm/store/address"
)

func ExampleParse() {
	for _, text := range []string{
		"https://example.org/data.zarr|zarr2:temperature",
		"https://example.org/outer.zip|zip:inner.zip|zip:data.zarr",
		"zip://data.zarr::https://example.org/a.zip",
	} {
		a, err := address.Parse(text, address.Options{})
		fmt.Println(a.Place, a.Layers, a.Path, a.Format, err)
	}
	// Output:
	// https://example.org/data.zarr [] temperature 2 <nil>
	// https://example.org/outer.zip [{zip  } {zip key inner.zip}] data.zarr 0 <nil>
	// https://example.org/a.zip [{zip  }] data.zarr 0 <nil>
}
