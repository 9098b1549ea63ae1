package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/fixtures"
)

// A copy has the elements of what it is of, in any version, chunks and codecs, and can be copied on.
func TestCopy(t *testing.T) {
	climate := filepath.Join(fixtures.Dir(t), "xarray", "climate_v3.zarr")
	work := t.TempDir()
	names := []string{"crs", "land", "lat", "lon", "rain", "station", "t2m", "time"}
	from := climate
	for i, options := range [][]string{
		{"--format", "2", "--chunks", "5,19,36", "--codecs", `[{"id":"zlib","level":3}]`},
		{"--format", "3", "--chunks", "10,7,9", "--shards", "20,14,18"},
		{"--codecs", "[]"},
		{"--codecs", `[{"name":"gzip","configuration":{"level":1}},"crc32c"]`, "--as", "deep/er"},
	} {
		to := filepath.Join(work, string(rune('a'+i))+".zarr")
		out := must(t, append([]string{"copy", from, to}, options...)...)
		if !strings.HasPrefix(out, "9 nodes copied, 0 skipped") {
			t.Errorf("%q: %s", options, out)
		}
		inside := ""
		if options[len(options)-2] == "--as" {
			inside = options[len(options)-1] + "/"
		}
		for _, name := range names {
			if want, got := must(t, "cat", climate, name), must(t, "cat", to, inside+name); got != want {
				t.Errorf("%q: %s: other elements", options, name)
			}
		}
		var told node
		if err := json.Unmarshal([]byte(must(t, "tree", "--json", to, inside)), &told); err != nil || len(told.Members) != len(names) {
			t.Errorf("%q: %v, %d members", options, err, len(told.Members))
		}
		from = to
	}
	b, err := os.ReadFile(filepath.Join(work, "a.zarr", "t2m", ".zarray"))
	if err != nil || !strings.Contains(string(b), `"level": 3`+"\n") {
		t.Errorf("%v: %s", err, b)
	}
}

func TestCopyOntoWhatIsThere(t *testing.T) {
	climate := filepath.Join(fixtures.Dir(t), "xarray", "climate_v3.zarr")
	to := filepath.Join(t.TempDir(), "lat.zarr")
	must(t, "copy", climate, to, "--node", "lat")
	if r := zarrs(t, "copy", climate, to, "--node", "lon"); r.status != failed || !strings.Contains(r.errs, "exist") && !strings.Contains(r.errs, "already") {
		t.Errorf("raise: %d, %s", r.status, r.errs)
	}
	if out := must(t, "copy", climate, to, "--node", "lon", "--if-exists", "skip", "--json"); !strings.Contains(out, `"skipped": 1`) {
		t.Errorf("skip: %s", out)
	}
	if got := must(t, "cat", to); got != must(t, "cat", climate, "lat") {
		t.Error("skip: the array was changed")
	}
	must(t, "copy", climate, to, "--node", "lon", "--if-exists", "replace")
	if got := must(t, "cat", to); got != must(t, "cat", climate, "lon") {
		t.Error("replace: the array was not changed")
	}
}

// Metadata of the next version describe the same elements.
func TestMigrate(t *testing.T) {
	climate := filepath.Join(fixtures.Dir(t), "xarray", "climate_v3.zarr")
	to := filepath.Join(t.TempDir(), "a.zarr")
	must(t, "copy", climate, to, "--format", "2")
	must(t, "migrate", to)
	if out := must(t, "info", to, "t2m"); !strings.Contains(out, ": 3\n") {
		t.Error(out)
	}
	if must(t, "cat", to, "t2m") != must(t, "cat", climate, "t2m") {
		t.Error("other elements")
	}
	if r := zarrs(t, "migrate", to); r.status == done {
		t.Error("what is of version 3 was migrated to it")
	}
}

// What is consolidated is known without a list of what is there.
func TestConsolidate(t *testing.T) {
	climate := filepath.Join(fixtures.Dir(t), "xarray", "climate_v3.zarr")
	for _, format := range []string{"2", "3"} {
		to := filepath.Join(t.TempDir(), "a.zarr")
		must(t, "copy", climate, to, "--format", format)
		if out := must(t, "info", to); !strings.Contains(out, ": no") {
			t.Errorf("before: %s", out)
		}
		must(t, "consolidate", to)
		if out := must(t, "info", to); !strings.Contains(out, ": yes") {
			t.Errorf("after: %s", out)
		}
		if out := must(t, "tree", to); strings.Count(out, "\n") != 9 {
			t.Error(out)
		}
	}
}

func TestWritingStatus(t *testing.T) {
	climate := filepath.Join(fixtures.Dir(t), "xarray", "climate_v3.zarr")
	to := filepath.Join(t.TempDir(), "a.zarr")
	for _, c := range []struct {
		args   []string
		status int
		errs   string
	}{
		{[]string{"copy", climate}, misused, "are expected"},
		{[]string{"copy", climate, to + "|zip:"}, misused, "take PUT"},
		{[]string{"copy", climate, to + ".json"}, misused, "take PUT"},
		{[]string{"copy", climate, to, "--if-exists", "ask"}, misused, "raise, replace or skip"},
		{[]string{"copy", climate, to, "--format", "1"}, misused, "2 and 3"},
		{[]string{"copy", climate, to, "--chunks", "1,x"}, misused, "no length"},
		{[]string{"copy", climate, to, "--codecs", "{"}, misused, "--codecs"},
		{[]string{"copy", climate, to, "--codecs", "[7]"}, misused, "has no name"},
		{[]string{"copy", climate + "x", to}, absent, "no such"},
		{[]string{"migrate"}, misused, "a directory or a URL is expected"},
		{[]string{"migrate", to + "x"}, absent, "no such"},
	} {
		if r := zarrs(t, c.args...); r.status != c.status || !strings.Contains(r.errs, c.errs) {
			t.Errorf("%q: status %d, %s", c.args, r.status, r.errs)
		}
		if _, err := os.Stat(to); err == nil {
			t.Errorf("%q: something was made", c.args)
		}
	}
	if r := zarrs(t, "copy", climate, to, "--codecs", `["nonsense"]`); r.status != failed || !strings.Contains(r.errs, "nonsense") {
		t.Errorf("an unknown codec: %d, %s", r.status, r.errs)
	}
}
