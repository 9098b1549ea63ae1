package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/fixtures"
)

// A copy has the same elements in any version, chunks and codecs, and can itself be copied.
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
		out := output(t, append([]string{"copy", from, to}, options...)...)
		if !strings.HasPrefix(out, "9 nodes copied, 0 skipped") {
			t.Errorf("%q: %s", options, out)
		}
		inside := ""
		if options[len(options)-2] == "--as" {
			inside = options[len(options)-1] + "/"
		}
		for _, name := range names {
			if want, got := output(t, "cat", climate, name), output(t, "cat", to, inside+name); got != want {
				t.Errorf("%q: %s: other elements", options, name)
			}
		}
		var told node
		if err := json.Unmarshal([]byte(output(t, "tree", "--json", to, inside)), &told); err != nil || len(told.Members) != len(names) {
			t.Errorf("%q: %v, %d members", options, err, len(told.Members))
		}
		from = to
	}
	b, err := os.ReadFile(filepath.Join(work, "a.zarr", "t2m", ".zarray"))
	if err != nil || !strings.Contains(string(b), `"level": 3`+"\n") {
		t.Errorf("%v: %s", err, b)
	}
}

// Copies into, from and between rectilinear grids have the same elements. Without options they keep
// the grid.
func TestCopyBetweenGrids(t *testing.T) {
	climate := filepath.Join(fixtures.Dir(t), "xarray", "climate_v3.zarr")
	work := t.TempDir()
	want := output(t, "cat", climate, "t2m") // (31, 19, 36)
	chunkShapes := func(name string) string {
		var doc struct {
			Grid struct {
				Name          string `json:"name"`
				Configuration map[string]json.RawMessage
			} `json:"chunk_grid"`
		}
		b, err := os.ReadFile(filepath.Join(work, name, "zarr.json"))
		if err == nil {
			err = json.Unmarshal(b, &doc)
		}
		if err != nil {
			t.Fatal(err)
		}
		text := doc.Grid.Name
		for _, member := range []string{"chunk_shapes", "chunk_shape"} {
			text += strings.Join(strings.Fields(string(doc.Grid.Configuration[member])), "")
		}
		return text
	}
	for i, c := range []struct {
		from    string
		options []string
		grid    string
	}{
		{"", []string{"--chunks", "[[10,[7,3]],[19],12]"}, "rectilinear[[10,[7,3]],[19],12]"},
		{"0", nil, "rectilinear[[10,[7,3]],[19],12]"},
		{"1", []string{"--chunks", "5,5,5"}, "regular[5,5,5]"},
		{"1", []string{"--chunks", "2,3,4", "--shards", "[[10,[8,3]],[21],12]"}, "rectilinear[[10,[8,3]],[21],12]"},
		{"3", []string{"--codecs", "[]"}, "rectilinear[[10,[8,3]],[21],12]"},
		{"4", []string{"--shards", "10,3,4"}, "regular[10,3,4]"},
		{"4", []string{"--chunks", " [[31], 0, [[9, 4]]]"}, "rectilinear[[31],19,[[9,4]]]"},
		{"4", []string{"--format", "2"}, ""},
	} {
		from, node := climate, []string{"--node", "t2m"}
		if c.from != "" {
			from, node = filepath.Join(work, c.from), nil
		}
		name := strconv.Itoa(i)
		output(t, append(append([]string{"copy", from, filepath.Join(work, name)}, node...), c.options...)...)
		if got := output(t, "cat", filepath.Join(work, name)); got != want {
			t.Errorf("%s to %s: other elements", c.from, name)
		}
		if c.grid != "" && chunkShapes(name) != c.grid {
			t.Errorf("%s to %s: %s, want %s", c.from, name, chunkShapes(name), c.grid)
		}
		output(t, "validate", filepath.Join(work, name), "--data")
	}
	for _, c := range []struct {
		option, text string
		status       int
		errs         string
	}{
		{"--chunks", "[[1,2],", misused, "--chunks"},
		{"--chunks", "[[0,31],19,36]", misused, "--chunks"},
		{"--shards", "[-1,19,36]", misused, "--shards"},
		{"--chunks", "[[31,19,36]]", misused, `the array "/t2m" has the shape [31 19 36]: expected a length for each dimension, such as `},
		{"--chunks", "[[30],19,36]", wrong, "cover 30 of 31"},
		{"--shards", "[[31],[19],[36]]", wrong, "not divided by chunks"},
	} {
		r := zarrs(t, "copy", climate, filepath.Join(t.TempDir(), "a"), "--node", "t2m", c.option, c.text)
		if r.status != c.status || !strings.Contains(r.errs, c.errs) {
			t.Errorf("%s %s: status %d, %s", c.option, c.text, r.status, r.errs)
		}
	}
	if r := zarrs(t, "copy", climate, filepath.Join(work, "x"), "--chunks", "[[31],19,36]", "--shards", "31,19,36"); r.status != misused {
		t.Errorf("chunks of many lengths in shards: status %d, %s", r.status, r.errs)
	}
}

func TestCopyOntoWhatIsThere(t *testing.T) {
	climate := filepath.Join(fixtures.Dir(t), "xarray", "climate_v3.zarr")
	to := filepath.Join(t.TempDir(), "lat.zarr")
	output(t, "copy", climate, to, "--node", "lat")
	if r := zarrs(t, "copy", climate, to, "--node", "lon"); r.status != failed || !strings.Contains(r.errs, "exist") && !strings.Contains(r.errs, "already") {
		t.Errorf("raise: %d, %s", r.status, r.errs)
	}
	if out := output(t, "copy", climate, to, "--node", "lon", "--if-exists", "skip", "--json"); !strings.Contains(out, `"skipped": 1`) {
		t.Errorf("skip: %s", out)
	}
	if got := output(t, "cat", to); got != output(t, "cat", climate, "lat") {
		t.Error("skip: the array was changed")
	}
	output(t, "copy", climate, to, "--node", "lon", "--if-exists", "replace")
	if got := output(t, "cat", to); got != output(t, "cat", climate, "lon") {
		t.Error("replace: the array was not changed")
	}
}

// Metadata of the next version describes the same elements.
func TestMigrate(t *testing.T) {
	climate := filepath.Join(fixtures.Dir(t), "xarray", "climate_v3.zarr")
	to := filepath.Join(t.TempDir(), "a.zarr")
	output(t, "copy", climate, to, "--format", "2")
	if out := output(t, "migrate", to); out != "9 nodes migrated\n" {
		t.Error(out)
	}
	if out := output(t, "info", to, "t2m"); !strings.Contains(out, ": 3\n") {
		t.Error(out)
	}
	if output(t, "cat", to, "t2m") != output(t, "cat", climate, "t2m") {
		t.Error("other elements")
	}
	if out := output(t, "migrate", to); out != "nothing to do: all metadata is of version 3\n" {
		t.Errorf("what is of version 3: %s", out)
	}
	if r := zarrs(t, "migrate", to, "--to", "2"); r.status != failed || !strings.Contains(r.errs, "version 3 to version 2") {
		t.Errorf("down: %d, %s", r.status, r.errs)
	}
}

// Consolidated metadata replaces listing the store.
func TestConsolidate(t *testing.T) {
	climate := filepath.Join(fixtures.Dir(t), "xarray", "climate_v3.zarr")
	for _, format := range []string{"2", "3"} {
		to := filepath.Join(t.TempDir(), "a.zarr")
		output(t, "copy", climate, to, "--format", format)
		if out := output(t, "info", to); !strings.Contains(out, ": no") {
			t.Errorf("before: %s", out)
		}
		output(t, "consolidate", to)
		if out := output(t, "info", to); !strings.Contains(out, ": yes") {
			t.Errorf("after: %s", out)
		}
		if out := output(t, "tree", to); strings.Count(out, "\n") != 9 {
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
		{[]string{"copy", climate}, misused, "expected FROM TO"},
		{[]string{"copy", climate, to + "|zip:"}, misused, "accepts PUT"},
		{[]string{"copy", climate, to + ".json"}, misused, "accepts PUT"},
		{[]string{"copy", climate, to, "--if-exists", "ask"}, misused, "raise, replace or skip"},
		{[]string{"copy", climate, to, "--format", "1"}, misused, "use 2 or 3"},
		{[]string{"copy", climate, to, "--chunks", "1,x"}, misused, "not a length"},
		{[]string{"copy", climate, to, "--codecs", "{"}, misused, "--codecs"},
		{[]string{"copy", climate, to, "--codecs", "[7]"}, misused, "has no name"},
		{[]string{"copy", climate + "x", to}, absent, "no such"},
		{[]string{"migrate"}, misused, "expected a directory or a URL"},
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
