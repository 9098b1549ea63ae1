package kinds

import (
	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/n5store"
)

// N5 is the maker of containers of N5:
//
//	{"n5": {"of": ...}}
//
// Its codecs are those of a registry of all codecs.
func N5(m *Making, settings json.Value) (store.Locator, error) {
	of, err := m.Of(settings.Get("of"))
	if err != nil {
		return nil, err
	}
	return n5store.New(of, m.Objects()), nil
}
