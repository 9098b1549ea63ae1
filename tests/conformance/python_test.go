package conformance

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store/filestore"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs/writing"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

// debianPython is the interpreter with Debian's packages, whatever others exist.
const debianPython = "/usr/bin/python3"

// reader reads every array below a directory with zarr-python, and makes arrays with the same
// arguments below another one.
const reader = `
import hashlib, json, sys, zarr, numcodecs
out = {}
def visit(name, a):
    if not isinstance(a, zarr.Array):
        return
    values = a[...]
    if a.dtype == object:
        data = "\0".join(values.ravel()).encode()
    else:
        data = values.astype(a.dtype.newbyteorder("<")).tobytes("C")
    out[name] = {"shape": list(a.shape), "sum": hashlib.sha256(data).hexdigest(), "attrs": dict(a.attrs)}
zarr.open_group(sys.argv[1], mode="r").visititems(visit)
made = zarr.open_group(sys.argv[2], mode="w")
for name, s in json.load(open(sys.argv[3])).items():
    kw = {k: s[k] for k in ("shape", "dtype", "order", "fill_value", "dimension_separator") if k in s}
    if "chunks" in s:
        kw["chunks"] = s["chunks"]
    if "compressor" in s:
        kw["compressor"] = s["compressor"] and numcodecs.get_codec(s["compressor"])
    if s["dtype"] == "object":
        kw["object_codec"] = numcodecs.VLenUTF8()
    made.create(name, **kw)
print(json.dumps(out))
`

// pythonCase is an array that we create and write, and that zarr-python reads and recreates.
type pythonCase struct {
	spec   zarr.ArraySpec
	python map[string]any // the arguments that differ from the default
}

func pythonCases() map[string]pythonCase {
	cases := map[string]pythonCase{}
	add := func(name string, spec zarr.ArraySpec, python map[string]any) {
		spec.Format = 2
		python["shape"] = spec.Shape
		if spec.Chunks != nil {
			python["chunks"] = spec.Chunks
		}
		cases[name] = pythonCase{spec, python}
	}
	for _, dtype := range []string{"|b1", "|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8", "<f2", "<f4", "<f8", ">i4", ">f8", "<c8", "<c16", "|S5", "<U3", "<M8[s]", "<m8[ms]"} {
		add("type/"+strings.Trim(dtype, "<>|[]"), zarr.ArraySpec{Shape: []int64{7, 5}, Chunks: []int64{3, 2}, DType: dtype, Fill: zarr.NoFill}, map[string]any{"dtype": dtype, "fill_value": nil})
	}
	add("string", zarr.ArraySpec{Shape: []int64{5}, Chunks: []int64{2}, DType: "string"}, map[string]any{"dtype": "object", "fill_value": ""})
	for _, order := range []string{"C", "F"} {
		for _, separator := range []string{".", "/"} {
			add("order/"+order+fmt.Sprint(len(separator), separator[0]), zarr.ArraySpec{Shape: []int64{4, 5, 6}, Chunks: []int64{2, 3, 4}, DType: "<i4", Order: order, Separator: separator},
				map[string]any{"dtype": "<i4", "fill_value": 0, "order": order, "dimension_separator": separator})
		}
	}
	for name, config := range map[string]map[string]any{
		"zlib": {"level": 1}, "gzip": {"level": 5}, "bz2": {"level": 1}, "zstd": {"level": 3}, "lz4": {"acceleration": 1}, "lzma": {"format": 1, "check": -1, "preset": nil, "filters": nil},
		"blosc": {"cname": "zstd", "clevel": 3, "shuffle": 2, "blocksize": 0},
	} {
		python := map[string]any{"id": name}
		for k, v := range config {
			python[k] = v
		}
		add("codec/"+name, zarr.ArraySpec{Shape: []int64{100, 100}, Chunks: []int64{30, 100}, DType: "<i2", Codecs: []zarr.Codec{{Name: name, Config: config}}},
			map[string]any{"dtype": "<i2", "fill_value": 0, "compressor": python})
	}
	add("codec/none", zarr.ArraySpec{Shape: []int64{10}, DType: "<i2", Codecs: []zarr.Codec{}}, map[string]any{"dtype": "<i2", "fill_value": 0, "compressor": nil})
	add("shape/none", zarr.ArraySpec{Shape: []int64{}, DType: "<i2"}, map[string]any{"dtype": "<i2", "fill_value": 0})
	add("shape/large", zarr.ArraySpec{Shape: []int64{2000, 1000}, DType: "<f4", Fill: 1.5}, map[string]any{"dtype": "<f4", "fill_value": 1.5})
	add("shape/zero", zarr.ArraySpec{Shape: []int64{0, 3}, Chunks: []int64{1, 3}, DType: "<f4", Fill: 0.1}, map[string]any{"dtype": "<f4", "fill_value": 0.1})
	return cases
}

// TestZarrPythonReadsWhatIsWritten lets zarr-python 2 read arrays that were written here. It
// compares the documents with zarr-python's own for the same arguments.
func TestZarrPythonReadsWhatIsWritten(t *testing.T) {
	if out, err := exec.Command(debianPython, "-c", "import zarr, numcodecs").CombinedOutput(); err != nil {
		t.Skipf("zarr-python is not installed (./build.sh setup does that): %v %s", err, out)
	}
	ctx := t.Context()
	ours, theirs := t.TempDir(), t.TempDir()
	st := must.Get(filestore.MakeDir(ours, filestore.DirOptions{}))(t)
	defer st.Close()
	h := zarr.New(st, writing.Codecs(), zarr.Options{})
	cases := pythonCases()
	arguments := map[string]any{}
	sums := map[string]string{}
	for name, c := range cases {
		arguments[name] = c.python
		c.spec.Attributes = map[string]any{"name": name, "list": []any{1, 2.5, nil, true}}
		a, err := h.Create(ctx, name, c.spec)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		sums[name] = writeForPython(t, a)
	}
	file := filepath.Join(t.TempDir(), "arguments.json")
	b, err := json.Marshal(arguments)
	if err == nil {
		err = os.WriteFile(file, b, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, debianPython, "-W", "ignore", "-c", reader, ours, theirs, file)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, &errs)
	}
	var read map[string]struct {
		Shape []int64
		Sum   string
		Attrs map[string]any
	}
	must.Do(t, json.Unmarshal(out, &read))
	for name := range cases {
		if got := read[name]; got.Sum != sums[name] || got.Attrs["name"] != name {
			t.Errorf("%s: zarr-python reads %+v, want the sum %s", name, got, sums[name])
		}
		compareDocuments(t, name, filepath.Join(ours, name, ".zarray"), filepath.Join(theirs, name, ".zarray"))
	}
}

// writeForPython writes random elements to part of an array, and returns the sum of all.
func writeForPython(t *testing.T, a *zarr.Array) string {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	res, err := a.Read(t.Context(), nil, zarr.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range res.Data {
		res.Data[i] = byte(rng.IntN(100)) // so that no element is NaN or an invalid character
		if a.Type.Name == "bool" {
			res.Data[i] &= 1
		}
		if strings.HasPrefix(a.Type.Name, "U") && i%4 != 0 {
			res.Data[i] = 0
		}
	}
	for i := range res.Items {
		res.Items[i] = []byte(strings.Repeat("ä", i))
	}
	must.Do(t, a.Set(t.Context(), nil, res, zarr.WriteOptions{}))
	if len(a.Shape) > 0 && a.Shape[0] > 2 {
		from, to := int64(1), int64(2)
		sel := []grid.Item{grid.Range(&from, &to, nil)}
		row, err := a.Read(t.Context(), []grid.Item{grid.At(0)}, zarr.ReadOptions{})
		if err == nil {
			err = a.Set(t.Context(), sel, row, zarr.WriteOptions{})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if res, err = a.Read(t.Context(), nil, zarr.ReadOptions{}); err != nil {
		t.Fatal(err)
	}
	data := res.Data
	if a.Type.Variable() {
		data = bytes.Join(res.Items, []byte{0})
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// compareDocuments compares two documents as JSON. A default separator may be omitted.
func compareDocuments(t *testing.T, name, ours, theirs string) {
	t.Helper()
	read := func(file string) (doc map[string]any) {
		b, err := os.ReadFile(file)
		if errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
			return nil
		}
		if err == nil {
			err = json.Unmarshal(b, &doc)
		}
		if err != nil {
			t.Fatal(err)
		}
		if doc["dimension_separator"] == "." {
			delete(doc, "dimension_separator")
		}
		return doc
	}
	if a, b := read(ours), read(theirs); !reflect.DeepEqual(a, b) {
		t.Errorf("%s: the document is\n%v\nand zarr-python's\n%v", name, a, b)
	}
}
