package kinds_test

import (
	"context"
	"fmt"
	"log"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/internal/kinds"
	"github.com/zarr-wasm/zarr-wasm/internal/object"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
)

// A custom kind of store is an entry of the registry.
func Example() {
	registry := kinds.Composites()
	registry["greeting"] = func(m *kinds.Making, settings json.Value) (store.Locator, error) {
		text, ok := settings.Get("text").Text()
		if !ok {
			return nil, m.Invalid("expected a string")
		}
		return store.Plain(memstore.New(map[string][]byte{"a/hello": []byte(text)})), nil
	}
	layer := object.NewLayer(1 << 20)
	st, err := kinds.New(registry, layer).Open([]byte(`{"prefix": {"path": "a", "of": {"greeting": {"text": "Grüezi"}}}}`))
	if err != nil {
		log.Fatal(err)
	}
	defer st.Close()
	e, err := store.ReadKey(context.Background(), st, "hello", store.Ask{}, layer.Extent)
	fmt.Println(string(e.Bytes), err)
	// Output: Grüezi <nil>
}
