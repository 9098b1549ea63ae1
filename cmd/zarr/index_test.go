package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/tests/must"
	zarrpython "github.com/zarr-wasm/zarr-wasm/tests/python"
	"github.com/zarr-wasm/zarr-wasm/zarr"
)

// writesFiles begins each of the programs that follow.
//
//go:embed testdata/files.py
var writesFiles string

//go:embed testdata/hdf5.py
var writesHDF5 string

//go:embed testdata/netcdf3.py
var writesNetCDF3 string

//go:embed testdata/tiff.py
var writesTIFF string

//go:embed testdata/gdal.py
var writesGDAL string

// expected is a node as another implementation reads it.
type expected struct {
	File, Path string
	Shape      []int64
	SHA256     string
	Values     []string
	Attributes map[string]any
	Dims       []string
	Near       []byte // elements that may differ a little
	Within     int
}

// expectations runs a program that writes files into a directory and prints their values.
func expectations(t *testing.T, program, dir string) (all []expected, files []string) {
	t.Helper()
	seen := map[string]bool{}
	for line := range bytes.Lines(zarrpython.Files(t, writesFiles+program, dir)) {
		var one expected
		if err := json.Unmarshal(line, &one); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if all = append(all, one); !seen[one.File] {
			seen[one.File] = true
			files = append(files, one.File)
		}
	}
	return all, files
}

// indexed opens the references of a file.
func indexed(ctx context.Context, t *testing.T, file string) *source {
	t.Helper()
	return must.Get(connect(ctx, must.Get(locate(file+".json", ""))(t), access{}, zarr.CacheOptions{}))(t)
}

// compare compares the nodes of references with what another implementation reads.
func compare(t *testing.T, dir string, all []expected) {
	t.Helper()
	sources := map[string]*source{}
	for _, want := range all {
		s := sources[want.File]
		if s == nil {
			s = indexed(t.Context(), t, filepath.Join(dir, want.File))
			sources[want.File] = s
		}
		where := want.File + ": " + want.Path
		n, err := s.Open(t.Context(), want.Path, zarr.OpenOptions{})
		if err != nil {
			t.Errorf("%s: %v", where, err)
			continue
		}
		checkAttributes(t, where, n, want)
		if want.Shape == nil {
			continue
		}
		a, ok := n.(*zarr.Array)
		if !ok || !reflect.DeepEqual(append([]int64{}, a.Shape...), append([]int64{}, want.Shape...)) {
			t.Errorf("%s: %T, want the shape %v", where, n, want.Shape)
			continue
		}
		res, err := a.Read(t.Context(), nil, zarr.ReadOptions{})
		if err != nil {
			t.Errorf("%s: %v", where, err)
			continue
		}
		if want.SHA256 != "" {
			if sum := sha256.Sum256(res.Data); hex.EncodeToString(sum[:]) != want.SHA256 {
				t.Errorf("%s: other elements (%s, %d bytes)", where, a.Type.Name, len(res.Data))
			}
			continue
		}
		others := 0
		for i, b := range want.Near {
			if d := int(b) - int(res.Data[i]); d < -want.Within || d > want.Within {
				t.Errorf("%s: element %d is %d, want %d", where, i, res.Data[i], b)
				break
			} else if d != 0 {
				others++
			}
		}
		if others > len(want.Near)/20 {
			t.Errorf("%s: %d of %d elements differ", where, others, len(want.Near))
		}
		for i, text := range want.Values {
			if got := value(res.Type, res.Block, i); got != text {
				t.Errorf("%s: element %d is %q, want %q", where, i, got, text)
			}
		}
	}
}

var bareWords = regexp.MustCompile(`([:\[,])(NaN|-?Infinity)`)

func checkAttributes(t *testing.T, where string, n zarr.Node, want expected) {
	t.Helper()
	got := map[string]any{}
	if raw := n.Metadata().Attributes.Raw(); len(raw) > 0 {
		// NaN and infinities are bare words, which Go's reader does not take.
		if err := json.Unmarshal(bareWords.ReplaceAll(raw, []byte(`$1"$2"`)), &got); err != nil {
			t.Errorf("%s: %v", where, err)
		}
	}
	if want.Dims != nil {
		names, _ := json.Marshal(want.Dims)
		var list any
		_ = json.Unmarshal(names, &list)
		if !reflect.DeepEqual(got["_ARRAY_DIMENSIONS"], list) {
			t.Errorf("%s: dimensions %v, want %v", where, got["_ARRAY_DIMENSIONS"], want.Dims)
		}
	}
	delete(got, "_ARRAY_DIMENSIONS")
	for name, v := range want.Attributes {
		if x, ok := v.(float64); ok && got[name] != v {
			if y, ok := got[name].(float64); ok && float32(x) == float32(y) {
				continue // a number of single precision
			}
		}
		if !reflect.DeepEqual(got[name], v) {
			t.Errorf("%s@%s: %v, want %v", where, name, got[name], v)
		}
		delete(got, name)
	}
	for name := range want.Attributes {
		delete(got, name)
	}
	if len(got) > 0 {
		t.Errorf("%s: further attributes %v", where, got)
	}
}

// checkFormat indexes the files of a program, and compares all values. It passes over messages of
// objects that contain one of some texts.
func checkFormat(t *testing.T, program string, least int, leavesOut ...string) {
	t.Helper()
	dir := t.TempDir()
	all, files := expectations(t, program, dir)
	for _, file := range files {
		at := filepath.Join(dir, file)
		r := zarrs(t, "index", at, "-o", at+".json")
		if r.status != done {
			t.Errorf("%s: %s", file, r.errs)
		}
		for line := range strings.Lines(r.errs) {
			if !slices.ContainsFunc(leavesOut, func(text string) bool { return strings.Contains(line, text) }) {
				t.Errorf("%s", line)
			}
		}
	}
	compare(t, dir, all)
	t.Logf("%d files with %d nodes", len(files), len(all))
	if len(files) < least {
		t.Error("too few files")
	}
}

// TestHDF5FilesHaveTheValuesOfH5py indexes files of h5py and netCDF4. They have each filter, chunk
// index, byte order and type, in the oldest and the newest versions of the format.
func TestHDF5FilesHaveTheValuesOfH5py(t *testing.T) {
	checkFormat(t, writesHDF5, 60, "no_", "second link")
}

// TestNetCDF3FilesHaveTheValuesOfNetCDF4 indexes files of the three versions of the format. They
// have each type, and records with and without padding. Some do not know their number of records.
func TestNetCDF3FilesHaveTheValuesOfNetCDF4(t *testing.T) { checkFormat(t, writesNetCDF3, 60) }

// TestTIFFFilesHaveTheValuesThatWereWritten indexes files of both byte orders and sizes, with each
// compression, predictor and layout, and with short, sparse and scattered strips and tiles. There
// are pyramids in GeoTIFF and OME-TIFF, and stacks of pages.
func TestTIFFFilesHaveTheValuesThatWereWritten(t *testing.T) { checkFormat(t, writesTIFF, 150) }

// TestTIFFFilesHaveTheValuesOfGDAL indexes files that GDAL writes, and compares the values that it
// reads. They have its compressions, LERC and JPEG among them, in tiles and strips of both byte
// orders, with masks, missing values and overviews. Some elements of JPEG may differ a little.
func TestTIFFFilesHaveTheValuesOfGDAL(t *testing.T) {
	checkFormat(t, writesGDAL, 180, "a mask of transparency")
}

// largeFile writes a file with chunks of 1 MiB of random numbers, which do not compress.
const largeFile = `
import h5py, sys, numpy as np
v = np.random.default_rng(1).integers(0, 1 << 30, (64, 512, 512), "<i4")
with h5py.File(sys.argv[1], "w", libver="latest") as f:
    f.create_dataset("v", data=v, chunks=(1, 512, 512), compression="gzip", shuffle=True)
print(int(v[7, 5, 3]))
`

// TestIndexReadsStructuresOnly counts the requests and the bytes of indexing a file on a server. It
// counts those of reading one chunk by the references, too.
func TestIndexReadsStructuresOnly(t *testing.T) {
	dir := t.TempDir()
	want := strings.TrimSpace(string(zarrpython.Files(t, largeFile, filepath.Join(dir, "large.h5"))))
	info := must.Get(os.Stat(filepath.Join(dir, "large.h5")))(t)
	var requests, sent atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		http.ServeFile(&counting{w, &sent}, r, filepath.Join(dir, filepath.Base(r.URL.Path)))
	}))
	t.Cleanup(server.Close)
	output(t, "index", server.URL+"/large.h5", "-o", filepath.Join(dir, "large.json"))
	t.Logf("index: %d requests and %d of %d bytes", requests.Load(), sent.Load(), info.Size())
	if requests.Load() > 8 || sent.Load() > 1<<20 {
		t.Errorf("index took %d requests and %d of %d bytes", requests.Load(), sent.Load(), info.Size())
	}
	output(t, "index", filepath.Join(dir, "large.h5"), "-o", filepath.Join(dir, "large.json"))
	requests.Store(0)
	sent.Store(0)
	if got := strings.TrimSpace(output(t, "cat", server.URL+"/large.json", "v", "--at", "7,5,3")); got != want {
		t.Errorf("the element is %s, want %s", got, want)
	}
	t.Logf("cat: %d requests and %d bytes", requests.Load(), sent.Load())
	if requests.Load() > 3 || sent.Load() > 2<<20 {
		t.Errorf("one chunk took %d requests and %d bytes", requests.Load(), sent.Load())
	}
}

func TestIndexWarnsOfAQueryWithoutShowingIt(t *testing.T) {
	seeds := filepath.Join("..", "..", "zarr", "prepare", "hdf5", "testdata")
	files, err := filepath.Glob(filepath.Join(seeds, "*.h5"))
	if err != nil || len(files) == 0 {
		t.Fatal(err, files)
	}
	server := httptest.NewServer(http.FileServer(http.Dir(seeds)))
	t.Cleanup(server.Close)
	for query, warns := range map[string]bool{"": false, "?sig=S3CRET": true} {
		r := zarrs(t, "index", server.URL+"/"+filepath.Base(files[0])+query, "-o", filepath.Join(t.TempDir(), "o.json"))
		if r.status != done || strings.Contains(r.errs, "secret signature") != warns || strings.Contains(r.errs, "S3CRET") {
			t.Errorf("%q: status %d, %s", query, r.status, r.errs)
		}
	}
}

func TestParquetHasTheValuesOfJSON(t *testing.T) {
	file := seed(t)
	dir := filepath.Dir(file)
	output(t, "index", file, "-o", filepath.Join(dir, "refs.json"))
	output(t, "index", file, "-o", filepath.Join(dir, "refs.parq"))
	output(t, "index", file, "-o", filepath.Join(dir, "other"), "--format", "parquet")
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	t.Cleanup(server.Close)
	link := filepath.Join(t.TempDir(), "link.parq")
	must.Do(t, os.Symlink(filepath.Join(dir, "refs.parq"), link))
	t.Chdir(filepath.Join(dir, "refs.parq"))
	for _, node := range []string{"x", "g/c", "s", "f", "e"} {
		want := output(t, "cat", server.URL+"/refs.json", node)
		for _, at := range []string{
			server.URL + "/refs.parq", server.URL + "/other/",
			filepath.Join(dir, "refs.json"), filepath.Join(dir, "refs.parq"), filepath.Join(dir, "other"),
			filepath.Join("..", "refs.parq"), ".", link, dir + "/other/|reference:", "kerchunk://::" + dir + "/refs.parq",
			"file://" + filepath.ToSlash(dir) + "/refs.parq|kerchunk:",
		} {
			if got := output(t, "cat", at, node); got != want {
				t.Errorf("%s of %s is %s, want %s", node, at, got, want)
			}
		}
	}
	if r := zarrs(t, "info", filepath.Join(dir, "none.parq")); r.status != absent {
		t.Errorf("no folder: status %d, %s", r.status, r.errs)
	}
	for says, args := range map[string][]string{
		"not empty":       {"-o", filepath.Join(dir, "refs.parq")},
		"needs a folder":  {"--format", "parquet"},
		"json or parquet": {"--format", "arrow"},
	} {
		if r := zarrs(t, append([]string{"index", file}, args...)...); r.status != misused || !strings.Contains(r.errs, says) {
			t.Errorf("%q: status %d, %s", args, r.status, r.errs)
		}
	}
}

// seed returns a copy of an HDF5 file in a new folder.
func seed(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "latest.h5")
	b, err := os.ReadFile(filepath.Join("..", "..", "zarr", "prepare", "hdf5", "testdata", "latest.h5"))
	if err == nil {
		err = os.WriteFile(file, b, 0o666)
	}
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func TestIndexPrintsACommandThatOpensItsOutput(t *testing.T) {
	file := seed(t)
	t.Chdir(filepath.Dir(file))
	for out, want := range map[string]string{
		"refs.parq": "zarr info refs.parq", "folder/": "zarr info folder/", "sub/a b's.parq": `zarr info 'sub/a b'\''s.parq'`,
		"-x.parq": "zarr info ./-x.parq", "é.json": "zarr info é.json", "plain": "zarr info 'plain|reference:'", "$HOME.JSON": "zarr info '$HOME.JSON'",
	} {
		line := output(t, "index", "latest.h5", "--output="+out, "--base=http://127.0.0.1:1")
		if line != want+"\n" {
			t.Errorf("%s: printed %q, want %q", out, line, want)
		}
		word := strings.TrimPrefix(strings.TrimSpace(line), "zarr info ")
		if strings.HasPrefix(word, "'") {
			word = strings.ReplaceAll(word[1:len(word)-1], `'\''`, "'")
		}
		output(t, "info", word)
	}
	if text := output(t, "index", "latest.h5"); !json.Valid([]byte(text)) {
		t.Error("standard output has more than the references")
	}
}

// counting counts the bytes of answers.
type counting struct {
	http.ResponseWriter
	sent *atomic.Int64
}

func (c *counting) Write(b []byte) (int, error) {
	c.sent.Add(int64(len(b)))
	return c.ResponseWriter.Write(b)
}

func TestIndexRejects(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "a.txt")
	must.Do(t, os.WriteFile(text, []byte("text"), 0o666))
	// NetCDF-3 with one variable, whose name no reader of references accepts.
	nothing := filepath.Join(dir, "nothing.nc")
	must.Do(t, os.WriteFile(nothing, []byte("CDF\x01"+zeros(20)+"\x00\x00\x00\x0b\x00\x00\x00\x01\x00\x00\x00\x07.zarray\x00"+
		zeros(12)+"\x00\x00\x00\x04\x00\x00\x00\x04\x00\x00\x00\x50"+zeros(4)), 0o666))
	for _, c := range []struct {
		status int
		says   string
		args   []string
	}{
		{misused, "expected FILE", nil},
		{wrong, "the format is not one of: HDF5 (NetCDF-4), NetCDF-3, TIFF", []string{text}},
		{absent, "no such file", []string{filepath.Join(dir, "b.h5")}},
		{failed, "nothing in the file can be expressed by references", []string{nothing, "-o", filepath.Join(dir, "nothing.json")}},
		{misused, "--base", []string{text, "-o", filepath.Join(dir, "sub", "o.json")}},
		{misused, "cannot name", []string{filepath.Join(dir, "a#b.h5")}},
	} {
		r := zarrs(t, append([]string{"index"}, c.args...)...)
		if r.status != c.status || !strings.Contains(r.errs, c.says) {
			t.Errorf("%q: status %d, %s", c.args, r.status, r.errs)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "nothing.json")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a failed index writes references: %v", err)
	}
}

func TestAFileOfAnotherFormatLeadsToIndex(t *testing.T) {
	for _, command := range []string{"info", "doctor"} {
		if r := zarrs(t, command, seed(t)); r.status == done || !strings.Contains(r.errs, "not a directory, but a file: zarr index writes references") {
			t.Errorf("%s: status %d, %s", command, r.status, r.errs)
		}
	}
}

func zeros(n int) string { return strings.Repeat("\x00", n) }

// TestIndexShowsTheCommandForItsOutput runs the command that the error shows.
func TestIndexShowsTheCommandForItsOutput(t *testing.T) {
	dir := t.TempDir()
	data := must.Get(os.ReadFile(filepath.Join("..", "..", "zarr", "prepare", "netcdf3", "testdata", "classic.nc")))(t)
	files := []string{filepath.Join(dir, "a", "x.nc"), filepath.Join(dir, "b", "y.nc")}
	for _, file := range files {
		must.Do(t, os.MkdirAll(filepath.Dir(file), 0o777))
		must.Do(t, os.WriteFile(file, data, 0o666))
	}
	for _, c := range []struct {
		files []string
		out   string
	}{
		{files[:1], filepath.Join(dir, "a", "refs.json")},
		{files, filepath.Join(dir, "refs.json")},
	} {
		r := zarrs(t, append([]string{"index", "-o", filepath.Join(t.TempDir(), "refs.json")}, c.files...)...)
		_, command, _ := strings.Cut(r.errs, "\n  zarr ")
		command, _, _ = strings.Cut(command, "\n")
		if want := "index -o " + c.out + " " + strings.Join(c.files, " "); r.status != misused || command != want {
			t.Fatalf("%+v, want %s", r, want)
		}
		output(t, strings.Fields(command)...)
		output(t, "validate", c.out, "--data")
	}
	// On standard output, files of several folders are named relative to the folder above them.
	if out := output(t, append([]string{"index"}, files...)...); !strings.Contains(out, `"a/x.nc"`) || !strings.Contains(out, `"b/y.nc"`) {
		t.Error(out)
	}
}
