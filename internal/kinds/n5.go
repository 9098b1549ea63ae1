package kinds

import (
	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/n5store"
)

// N5 creates N5 containers:
//
//	{"n5": {"of": ...}}
//
// Their codecs come from a registry of all codecs.
func N5(m *Making, settings json.Value) (store.Locator, error) {
	of, err := m.Of(settings.Get("of"))
	if err != nil {
		return nil, err
	}
	return n5store.New(of, m.Objects()), nil
}
