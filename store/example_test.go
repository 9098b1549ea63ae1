package store_test

import (
	"fmt"

	"github.com/zarr-wasm/zarr-wasm/store"
)

// Keys have no slash at either end.
func ExampleJoin() {
	fmt.Println(store.Join("", "zarr.json"), store.Join("a/b", "c/0/0"))
	// Output: zarr.json a/b/c/0/0
}
