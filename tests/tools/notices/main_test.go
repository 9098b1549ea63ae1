package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/fixtures"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
)

// Every distributed copy carries the notices, so the file must match the build.
func TestNoticesNameWhatIsLinked(t *testing.T) {
	root := must.Get(fixtures.Root())(t)
	t.Chdir(root)
	got := must.Get(os.ReadFile(filepath.Join(root, "THIRD_PARTY_NOTICES")))(t)
	modules, err := linked()
	for _, encoder := range []string{"github.com/klauspost/compress", "github.com/pierrec/lz4/v4"} {
		if !slices.ContainsFunc(modules, func(m *module) bool { return m.path == encoder }) {
			t.Errorf("%s, which zarr-write.wasm links, is not among the modules", encoder)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	scripts := must.Get(bundled())(t)
	for _, m := range append(modules, scripts...) {
		if !bytes.Contains(got, []byte(m.path+" "+m.version)) {
			t.Errorf("%s %s is distributed and not in THIRD_PARTY_NOTICES: run go run ./tests/tools/notices -write", m.path, m.version)
		}
		files, err := m.licenses()
		if err != nil {
			t.Error(err)
		}
		for _, f := range files {
			text, err := os.ReadFile(filepath.Join(m.dir, f))
			if err != nil {
				t.Error(err)
			}
			text = bytes.TrimSpace(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")))
			if !bytes.Contains(got, text) {
				t.Errorf("%s of %s is not in THIRD_PARTY_NOTICES: run go run ./tests/tools/notices -write", f, m.path)
			}
		}
	}
	if !bytes.Contains(got, []byte("The Go Authors")) {
		t.Error("Go's own licence is not in THIRD_PARTY_NOTICES")
	}
}

// The command's file names each module that it links, and has the text of each licence.
func TestNoticesOfTheCommandNameWhatIsLinked(t *testing.T) {
	root := must.Get(fixtures.Root())(t)
	t.Chdir(root)
	got := must.Get(os.ReadFile("cmd/zarr/THIRD_PARTY_NOTICES"))(t)
	var want bytes.Buffer
	must.Do(t, runCommand(&want))
	if !bytes.Equal(got, want.Bytes()) {
		t.Error("cmd/zarr/THIRD_PARTY_NOTICES is of other modules: run go run ./tests/tools/notices -write")
	}
	for _, module := range []string{"github.com/urfave/cli/v3", "gocloud.dev", "github.com/aws/aws-sdk-go-v2/service/s3"} {
		if !bytes.Contains(got, []byte("\n"+module+" v")) {
			t.Errorf("%s is not named", module)
		}
	}
}
