package icechunk_test

import (
	"encoding/json"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store/icechunk"
)

// FuzzFiles reads repositories of versions 1 and 2 with one fuzzed file, including its header and
// compression. Each is read or rejected.
func FuzzFiles(f *testing.F) {
	x := number(1)
	tables := repository(nil, nil, node{path: "/", doc: group})
	snapshots := "snapshots/" + x.String()
	compressed := file(1, snapshotKind, 1, flatbuffer(snapshot(x, nil, "message", node{path: "/", doc: group})))
	ref := []byte(`{"snapshot":"` + x.String() + `"}`)
	f.Add(uint8(0), tables["repo"])
	f.Add(uint8(1), tables[snapshots])
	f.Add(uint8(1), compressed)
	f.Add(uint8(2), ref)
	f.Add(uint8(3), []byte(x.String()))
	f.Add(uint8(2), []byte(`{"snapshot":null,"snapshot":"../../x"}`))
	f.Fuzz(func(t *testing.T, which uint8, data []byte) {
		files := map[string][]byte{"repo": tables["repo"], snapshots: tables[snapshots]}
		opt := icechunk.Options{TableBytes: 1 << 20, Decompress: expand}
		if which &= 3; which >= 2 {
			files = map[string][]byte{"refs/branch.main/ref.json": ref, "refs/tag.v1/ref.json": ref, snapshots: compressed}
		}
		switch which {
		case 0:
			files["repo"] = data
		case 1:
			files[snapshots] = data
		case 2:
			files["refs/branch.main/ref.json"], files["refs/tag.v1/ref.json"] = data, data
		case 3:
			opt.Snapshot = string(data)
		}
		s := over(t, files, opt)
		for range 2 {
			if _, err := s.Info(t.Context()); err != nil && !refused(err) {
				t.Errorf("%d, % x: %v", which, data, err)
			}
		}
		if _, err := s.History(t.Context(), 9); err != nil && !refused(err) {
			t.Errorf("%d, % x: %v", which, data, err)
		}
		_, _ = s.Locate(t.Context(), "zarr.json")
		for _, about := range []string{"", "history"} {
			if text, err := s.Describe(t.Context(), about, 5); err == nil && !json.Valid(text) {
				t.Errorf("%s of % x: %s", about, data, text)
			}
		}
	})
}
