package dtype_test

import (
	"fmt"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
)

// Types have a name in each version of Zarr.
func ExampleParseV2() {
	t, err := dtype.ParseV2(json.Text(">i2"), dtype.Limits{})
	fmt.Println(t.Name, t.Size, "bytes", err)
	// Output: int16 2 bytes <nil>
}
