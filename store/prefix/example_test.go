package prefix_test

import (
	"context"
	"fmt"
	"log"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/store/prefix"
)

func Example() {
	all := memstore.New(map[string][]byte{"2024/data.zarr/zarr.json": []byte("{}")})
	below, err := prefix.New(store.Plain(all), "2024/data.zarr")
	if err != nil {
		log.Fatal(err)
	}
	at, err := below.Locate(context.Background(), "zarr.json")
	fmt.Println(at.Name, err)
	// Output: 2024/data.zarr/zarr.json <nil>
}
