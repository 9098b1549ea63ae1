//go:build !js

package codecs_test

import (
	"fmt"

	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
)

// Each entry of a registry describes a codec.
func ExampleFull() {
	for _, e := range codecs.Full().Entries() {
		if e.Kind.String() == "array-to-bytes" && !e.Rare {
			fmt.Println(e.Names[0], "-", e.Doc)
		}
	}
	// Output:
	// bytes - packed elements in either byte order
	// numcodecs.vlen-array - arrays of variable length
	// sharding_indexed - shards: inner chunks and their index
	// vlen-bytes - byte strings of variable length
	// vlen-utf8 - strings of variable length
	// zarrs.vlen_v2 - strings or byte strings, as vlen-utf8
}
