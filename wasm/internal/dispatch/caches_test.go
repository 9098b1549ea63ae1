package dispatch

import (
	"testing"

	"github.com/zarr-wasm/zarr-wasm/wasm/internal/wire"
)

func TestCaches(t *testing.T) {
	p := newPage(t)
	p.ask("store", host(1.0, wire.F("caches", wire.Object{wire.F("decoded", 5000.0), wire.F("indexes", nil)}))...)
	p.get = func(key string, _ []int) ([]byte, string) {
		if key != "zarr.json" {
			return nil, ""
		}
		return []byte(`{"zarr_format":3,"node_type":"group"}`), ""
	}
	p.ask("open", at(1, "")...)
	budget := func(all wire.Object, name string) int { return all.Get(name).(wire.Object).Int("budget") }
	all := p.ask("caches", wire.F("store", 1.0)).(wire.Object)
	if budget(all, "decoded") != 5000 || budget(all, "indexes") != 32<<20 || all.Get("metadata").(wire.Object).Int("entries") != 1 {
		t.Errorf("%v", all)
	}
	all = p.ask("caches", wire.F("store", 1.0), wire.F("caches", wire.Object{wire.F("metadata", 0.0), wire.F("encoded", 1e300), wire.F("decoded", "many")})).(wire.Object)
	if budget(all, "metadata") != 0 || all.Get("metadata").(wire.Object).Int("bytes") != 0 ||
		all.Get("encoded").(wire.Object).Get("budget") != float64(1<<52) || budget(all, "decoded") != 5000 {
		t.Errorf("%v", all)
	}
	// A closed store holds nothing.
	p.ask("caches", wire.F("store", 1.0), wire.F("caches", wire.Object{wire.F("metadata", 1e6)}))
	p.ask("open", at(1, "")...)
	p.ask("close", wire.F("store", 1.0))
	p.ask("store", host(2.0)...)
	all = p.ask("caches", wire.F("store", 2.0)).(wire.Object)
	for _, name := range []string{"metadata", "indexes", "encoded", "decoded"} {
		if c := all.Get(name).(wire.Object); c.Int("entries") != 0 || c.Int("bytes") != 0 {
			t.Errorf("%s: %v", name, c)
		}
	}
}
