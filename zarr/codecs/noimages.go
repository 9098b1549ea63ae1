//go:build js && !full && !write

package codecs

import "github.com/zarr-wasm/zarr-wasm/zarr/codec"

func images() []codec.Entry { return nil }
