package rpc

import "testing"

func TestCaches(t *testing.T) {
	p := newPage(t)
	p.ask("store", host(1.0, Field{"caches", Object{{"decoded", 5000.0}, {"indexes", nil}}})...)
	p.get = func(key string, _ []int) ([]byte, string) {
		if key != "zarr.json" {
			return nil, ""
		}
		return []byte(`{"zarr_format":3,"node_type":"group"}`), ""
	}
	p.ask("open", at(1, "")...)
	budget := func(all Object, name string) int { return all.Get(name).(Object).number("budget") }
	all := p.ask("caches", Field{"store", 1.0}).(Object)
	if budget(all, "decoded") != 5000 || budget(all, "indexes") != 32<<20 || all.Get("metadata").(Object).number("entries") != 1 {
		t.Errorf("%v", all)
	}
	all = p.ask("caches", Field{"store", 1.0}, Field{"caches", Object{{"metadata", 0.0}, {"encoded", 1e300}, {"decoded", "many"}}}).(Object)
	if budget(all, "metadata") != 0 || all.Get("metadata").(Object).number("bytes") != 0 ||
		all.Get("encoded").(Object).Get("budget") != float64(1<<52) || budget(all, "decoded") != 5000 {
		t.Errorf("%v", all)
	}
	// What is closed holds nothing.
	p.ask("caches", Field{"store", 1.0}, Field{"caches", Object{{"metadata", 1e6}}})
	p.ask("open", at(1, "")...)
	p.ask("close", Field{"store", 1.0})
	p.ask("store", host(2.0)...)
	all = p.ask("caches", Field{"store", 2.0}).(Object)
	for _, name := range []string{"metadata", "indexes", "encoded", "decoded"} {
		if c := all.Get(name).(Object); c.number("entries") != 0 || c.number("bytes") != 0 {
			t.Errorf("%s: %v", name, c)
		}
	}
}
