package main

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/urfave/cli/v3"

	"github.com/zarr-wasm/zarr-wasm/internal/static"
	"github.com/zarr-wasm/zarr-wasm/tests/fixtures"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr"
)

// ran is the output of a run of the command.
type ran struct {
	status    int
	out, errs string
}

func zarrs(t *testing.T, args ...string) ran {
	t.Helper()
	var out, errs bytes.Buffer
	status := run(t.Context(), append([]string{"zarr"}, args...), &out, &errs)
	return ran{status, out.String(), errs.String()}
}

// output runs the command, which must succeed, and returns its standard output.
func output(t *testing.T, args ...string) string {
	t.Helper()
	r := zarrs(t, args...)
	if r.status != done {
		t.Fatalf("%q: status %d: %s", args, r.status, r.errs)
	}
	return r.out
}

type fixture struct {
	ID, Store, Array string
	Format           int
	Features         []string
	Kind             string          `json:"store_kind"`
	Fails            json.RawMessage `json:"expect_error"`
	Notes            string
	Expected         *struct {
		Encoding, SHA256 string
		Bytes            int `json:"nbytes"`
	}
	Selections []struct {
		Sel    []json.RawMessage
		SHA256 string
	}
}

func manifest(t *testing.T) (string, []fixture) {
	dir := fixtures.Dir(t)
	b := must.Get(os.ReadFile(filepath.Join(dir, "manifest.json")))(t)
	var all struct{ Cases []fixture }
	must.Do(t, json.Unmarshal(b, &all))
	return dir, all.Cases
}

// python formats a selection of the manifest as Python does.
func python(t *testing.T, items []json.RawMessage) string {
	var parts []string
	for _, raw := range items {
		var slice *struct{ Start, Stop, Step *int64 }
		if raw[0] != '{' && string(raw) != "null" {
			parts = append(parts, string(raw))
			continue
		}
		must.Do(t, json.Unmarshal(raw, &slice))
		if slice == nil {
			parts = append(parts, ":")
			continue
		}
		text := ""
		for i, n := range []*int64{slice.Start, slice.Stop, slice.Step} {
			if i > 0 {
				text += ":"
			}
			if n != nil {
				text += fmt.Sprint(*n)
			}
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}

// Every array of the reference implementations, in directories, archives and references, is printed
// with its expected values.
func TestCatFixtures(t *testing.T) {
	dir, cases := manifest(t)
	wholes, parts := 0, 0
	for _, c := range cases {
		if c.Expected == nil || c.Expected.Encoding != "raw-le" || len(c.Fails) > 4 || c.Notes != "" {
			continue
		}
		args := []string{"cat", filepath.Join(dir, filepath.FromSlash(c.Store)), c.Array, "--as", "raw"}
		check := func(want string, args ...string) {
			if sum := sha256.Sum256([]byte(output(t, args...))); hex.EncodeToString(sum[:]) != want {
				t.Errorf("%s: %q: other bytes than the reference's", c.ID, args)
			}
		}
		check(c.Expected.SHA256, args...)
		wholes++
		for _, s := range c.Selections {
			if s.SHA256 == "" || len(s.Sel) == 0 {
				continue
			}
			check(s.SHA256, append(args, "--at", python(t, s.Sel))...)
			parts++
		}
	}
	if wholes < 500 || parts < 500 {
		t.Errorf("only %d arrays and %d selections were looked at", wholes, parts)
	}
}

// Every format writes every type, or names the format that does.
func TestCatFormats(t *testing.T) {
	dir, cases := manifest(t)
	seen := 0
	for _, c := range cases {
		if len(c.Fails) > 4 || c.Kind != "dir" || c.Expected == nil || c.Expected.Bytes > 1<<20 {
			continue
		}
		seen++
		store := filepath.Join(dir, filepath.FromSlash(c.Store))
		if out := output(t, "cat", store, c.Array, "--as", "json"); !json.Valid([]byte(out)) {
			t.Errorf("%s: no JSON: %.80s", c.ID, out)
		}
		for _, format := range []string{"text", "csv"} {
			output(t, "cat", store, c.Array, "--as", format)
		}
		r := zarrs(t, "cat", store, c.Array, "--as", "npy")
		switch {
		case r.status == misused && strings.Contains(r.errs, "use text, csv or json"):
		case r.status != done:
			t.Errorf("%s: %s", c.ID, r.errs)
		case !strings.HasPrefix(r.out, "\x93NUMPY\x01\x00"):
			t.Errorf("%s: no file of NumPy", c.ID)
		default:
			header := int(r.out[8]) + int(r.out[9])<<8
			if (10+header)%64 != 0 || strings.Contains(r.out[:10+header], "'>") {
				t.Errorf("%s: header %q", c.ID, r.out[:10+header])
			}
			if want := c.Expected; want != nil && want.Encoding == "raw-le" && len(r.out)-10-header != want.Bytes {
				t.Errorf("%s: %d bytes of elements, %d expected", c.ID, len(r.out)-10-header, want.Bytes)
			}
		}
	}
	if seen < 500 {
		t.Errorf("only %d arrays were looked at", seen)
	}
}

// Damage is found, and reported by the exit status.
func TestValidateFixtures(t *testing.T) {
	dir, cases := manifest(t)
	found := 0
	for _, c := range cases {
		if len(c.Fails) <= 4 {
			continue
		}
		found++
		if r := zarrs(t, "validate", "--data", "--most", "1000", filepath.Join(dir, filepath.FromSlash(c.Store)), c.Array); r.status == done && c.Notes == "" && !strings.Contains(r.out, "chunks were read, the others were not") {
			t.Errorf("%s: nothing was found: %s", c.ID, r.out)
		} else if strings.Contains(r.errs, "panic") {
			t.Errorf("%s: %s", c.ID, r.errs)
		}
	}
	if found < 90 {
		t.Errorf("only %d cases", found)
	}
}

func TestTexts(t *testing.T) {
	climate := filepath.Join(fixtures.Dir(t), "xarray", "climate_v3.zarr")
	for _, c := range []struct {
		args string
		want string
	}{
		{"tree " + climate, "/\n├── crs () int32\n├── land (19, 36) int8\n├── lat (19,) float64\n"},
		{"info " + climate, "Name         : /\n"},
		{"cat " + climate + " lat --at ::-6", "90 30 -30 -90\n"},
		{"cat " + climate + " lat --at [3,0] --as csv", "-60,-90\n"},
		{"cat " + climate + " lat --at 0:0", ""},
		{"cat " + climate + " lat --at 18", "90\n"},
		{"cat " + climate + " t2m --at 0,:2,:2", "457 783\n1016 1370\n"},
	} {
		if got := output(t, strings.Fields(c.args)...); !strings.HasPrefix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: %q", c.args, got)
		}
	}
	var told node
	if err := json.Unmarshal([]byte(output(t, "tree", "--json", climate)), &told); err != nil || len(told.Members) != 8 || told.Members[2].Shape[0] != 19 {
		t.Errorf("%v: %+v", err, told)
	}
}

// Reading in parts gives the same as reading the whole.
func TestCatInParts(t *testing.T) {
	climate := filepath.Join(fixtures.Dir(t), "xarray", "climate_v3.zarr")
	for _, at := range []string{"", "::-1", "[30,2,17,2],3:9:2", "4,::-5,7", "..., -1", "30:3:-4"} {
		items := must.Get(selection(at))(t)
		_, n := must.Both(open(t.Context(), &cli.Command{}, []string{climate, "t2m"}, zarr.CacheOptions{}))(t)
		whole, parts, err := bothWays(t.Context(), n, items)
		if err != nil || !bytes.Equal(whole, parts) {
			t.Errorf("%q: %d bytes in parts, %d at once: %v", at, len(parts), len(whole), err)
		}
	}
}

func TestStatus(t *testing.T) {
	dir := fixtures.Dir(t)
	climate := filepath.Join(dir, "xarray", "climate_v3.zarr")
	for _, c := range []struct {
		args   []string
		status int
		errs   string
	}{
		{[]string{"info", filepath.Join(dir, "nowhere")}, absent, "no such file"},
		{[]string{"info", climate, "nothing"}, absent, "no Zarr node at nothing"},
		{[]string{"cat", climate}, misused, "is a group"},
		{[]string{"cat", climate, "lat", "--at", "1:2:3:4"}, misused, "a start, a stop and a step"},
		{[]string{"cat", climate, "lat", "--at", "x"}, misused, "not an integer"},
		{[]string{"cat", climate, "lat", "--at", "99"}, misused, "99"},
		{[]string{"cat", climate, "lat", "--as", "tiff"}, misused, "unknown format"},
		{[]string{"info"}, misused, "expected ADDRESS"},
		{[]string{"info", climate, "--bogus"}, misused, "bogus"},
		{[]string{"bogus"}, misused, `unknown command "bogus"`},
		{[]string{"info", "ftp://bucket/a.zarr"}, misused, "http or https"},
		{[]string{"info", climate + "|tar:"}, misused, `unknown kind of container "tar"`},
		{[]string{"view", "a", "b"}, misused, "expected one"},
	} {
		r := zarrs(t, c.args...)
		if r.status != c.status || !strings.Contains(r.errs, c.errs) || r.out != "" {
			t.Errorf("%q: status %d, %s%s", c.args, r.status, r.errs, r.out)
		}
	}
	if r := zarrs(t); r.status != done || !strings.Contains(r.out, "validate") {
		t.Errorf("without arguments: %d, %s", r.status, r.out)
	}
}

// The same hierarchy in a folder, an archive, inside an archive, and over HTTP.
func TestAddresses(t *testing.T) {
	dir := fixtures.Dir(t)
	climate := filepath.Join(dir, "xarray", "climate_v3.zarr")
	work := t.TempDir()
	archive(t, filepath.Join(work, "data.zip"), climate, "")
	archive(t, filepath.Join(work, "inner.zip"), climate, "deep/er/")
	files := must.Get(static.Open(work))(t)
	server := httptest.NewServer(static.New(files, static.Options{}))
	defer server.Close()
	here := must.Get(static.Open(dir))(t)
	data := httptest.NewServer(http.StripPrefix("/data", static.New(here, static.Options{})))
	defer data.Close()
	want := output(t, "cat", climate, "lat")
	for _, args := range [][]string{
		{filepath.Join(work, "data.zip"), "lat"},
		{filepath.Join(work, "data.zip", "lat")},
		{filepath.Join(work, "data.zip") + "|zip:lat"},
		{filepath.Join(work, "inner.zip", "deep", "er", "lat")},
		{filepath.Join(work, "inner.zip") + "|zip:deep|zarr3:er/lat"},
		{server.URL + "/data.zip", "lat"},
		{server.URL + "/data.zip?signature=a%2Fb", "lat"},
		{server.URL + "/inner.zip|zip:deep/er", "lat"},
		{data.URL + "/data/xarray/climate_v3.zarr", "lat"},
		{data.URL + "/data/xarray/climate_v3.zarr/lat"},
	} {
		if got := output(t, append([]string{"cat"}, args...)...); got != want {
			t.Errorf("%q: %q", args, got)
		}
	}
}

// archive writes a folder into a zip.
func archive(t *testing.T, name, folder, prefix string) {
	t.Helper()
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := zip.NewWriter(f)
	err = filepath.Walk(folder, func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		rel, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		to, err := w.CreateHeader(&zip.FileHeader{Name: prefix + filepath.ToSlash(rel), Method: zip.Store})
		if err == nil {
			_, err = to.Write(b)
		}
		return err
	})
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// The viewer is served beside the data until the command ends.
func TestView(t *testing.T) {
	viewer := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(viewer, "index.html"), []byte("<p>the viewer"), 0o644))
	ctx, cancel := context.WithCancel(t.Context())
	out := &lines{seen: make(chan string, 8)}
	ended := make(chan int)
	go func() {
		ended <- run(ctx, []string{"zarr", "view", "--no-open", "--viewer", viewer, filepath.Join(fixtures.Dir(t), "xarray", "climate_v3.zarr")}, out, out)
	}()
	address := strings.TrimSpace(<-out.seen)
	res := must.Get(http.Get(address))(t)
	res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Errorf("the viewer's page: %s", res.Status)
	}
	cancel()
	if status := <-ended; status != done {
		t.Errorf("status %d", status)
	}
}

// lines forwards written lines.
type lines struct{ seen chan string }

func (l *lines) Write(b []byte) (int, error) {
	select {
	case l.seen <- string(b):
	default:
	}
	return len(b), nil
}
