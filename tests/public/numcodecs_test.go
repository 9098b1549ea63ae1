// Package public reads the test data of other projects.
package public

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/tests/fixtures"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// TestNumcodecs reads every encoded file of numcodecs' fixtures as the chunk of a v2 array with
// that codec. It compares with the original array, in memory order.
func TestNumcodecs(t *testing.T) {
	root := filepath.Join(fixtures.Dir(t), "public", "zarr-developers+numcodecs", "fixture")
	objects := objectArrays(t)
	configs := must.Get(filepath.Glob(filepath.Join(root, "*", "codec.*", "config.json")))(t)
	deeper := must.Get(filepath.Glob(filepath.Join(root, "*", "*", "codec.*", "config.json")))(t)
	files := 0
	for _, config := range append(configs, deeper...) {
		dir := filepath.Dir(config)
		encoded := must.Get(filepath.Glob(filepath.Join(dir, "encoded.*.dat")))(t)
		for _, enc := range encoded {
			files++
			name := must.Get(filepath.Rel(root, enc))(t)
			t.Run(name, func(t *testing.T) {
				n := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(enc), "encoded."), ".dat")
				npy := filepath.Join(filepath.Dir(dir), "array."+n+".npy")
				rel := must.Get(filepath.Rel(root, npy))(t)
				conf := read(t, config)
				if o, ok := objects[filepath.ToSlash(rel)]; ok {
					checkObjects(t, conf, read(t, enc), o)
				} else {
					checkNumbers(t, conf, read(t, enc), read(t, npy))
				}
			})
		}
	}
	if files < 1000 {
		t.Errorf("only %d files", files)
	}
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	return must.Get(os.ReadFile(name))(t)
}

// codecConfig holds the fields of a codec's configuration for the comparison.
type codecConfig struct {
	ID     string
	Scale  float64
	Digits float64
	AsType string
}

// open makes a v2 array of one chunk.
func open(t *testing.T, descr string, shape []int, filter bool, config, chunk []byte) (*zarr.Array, error) {
	t.Helper()
	filters, compressor := "null", string(config)
	if filter {
		filters, compressor = "["+compressor+"]", "null"
	}
	chunks := must.Get(json.Marshal(shape))(t)
	doc := fmt.Sprintf(`{"zarr_format":2,"shape":%s,"chunks":%s,"dtype":%s,"order":"C","fill_value":null,"filters":%s,"compressor":%s}`,
		chunks, chunks, descr, filters, compressor)
	key := strings.Repeat("0.", len(shape)-1) + "0"
	st := memstore.New(map[string][]byte{".zarray": []byte(doc), key: chunk})
	return zarr.New(st, codecs.Full(), zarr.Options{}).OpenArray(t.Context(), "")
}

var npyHeader = regexp.MustCompile(`'descr': (.*), 'fortran_order': (True|False), 'shape': \(([^)]*)\)`)

// parseNPY returns the dtype as JSON, the shape, the number of elements and the data.
func parseNPY(t *testing.T, b []byte) (descr string, shape []int, n int, data []byte) {
	t.Helper()
	if !bytes.HasPrefix(b, []byte("\x93NUMPY\x01")) {
		t.Fatal("not a .npy file of version 1")
	}
	head := 10 + int(b[8]) + int(b[9])<<8
	m := npyHeader.FindSubmatch(b[:head])
	if m == nil {
		t.Fatalf("header %q", b[10:head])
	}
	n = 1
	for _, d := range strings.FieldsFunc(string(m[3]), func(r rune) bool { return r == ',' || r == ' ' }) {
		k := must.Get(strconv.Atoi(strings.TrimSuffix(d, "L")))(t)
		n *= k
		shape = append(shape, k)
	}
	return strings.ReplaceAll(string(m[1]), "'", `"`), shape, n, b[head:]
}

func checkNumbers(t *testing.T, config, enc, npy []byte) {
	var c codecConfig
	must.Do(t, json.Unmarshal(config, &c))
	descr, shape, n, want := parseNPY(t, npy)
	if descr == `"|O"` {
		t.Fatal("an array of objects without its values")
	}
	// Most codecs see elements in memory order; object codecs record the shape.
	flat := []int{n}
	switch c.ID {
	case "json", "json2", "msgpack", "msgpack2":
		flat = shape
	}
	a, err := open(t, descr, flat, false, config, enc)
	if c.ID == "pickle" {
		checkRefused(t, err)
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	res := must.Get(a.Read(t.Context(), nil, zarr.ReadOptions{}))(t)
	want = bytes.Clone(want)
	a.DType().ToLittle(want, dtype.None)
	if bytes.Equal(res.Data, want) {
		return
	}
	// Lossy codecs: how far the value may be from the original.
	near := func(got, want float64) bool { return false }
	switch c.ID {
	case "fixedscaleoffset":
		near = func(got, want float64) bool { return math.Abs(got-want) <= 0.5/c.Scale*(1+1e-9) }
	case "quantize":
		near = func(got, want float64) bool {
			single := 0.0
			switch {
			case strings.HasSuffix(c.AsType, "f2"):
				single = math.Abs(want) * math.Ldexp(1, -10)
			case strings.HasSuffix(c.AsType, "f4"):
				single = math.Abs(want) * math.Ldexp(1, -23)
			}
			return math.Abs(got-want) <= 1.5*math.Pow(10, -c.Digits)+single
		}
	case "astype":
		near = func(got, want float64) bool { return float32(got) == float32(want) }
	}
	typ := a.DType()
	domain := ndarray.DomainOf(typ)
	if domain == ndarray.DomainNone {
		t.Fatal("the bytes differ")
	}
	value := func(b []byte, i int) float64 {
		return ndarray.Convert(ndarray.Load(b, i, typ), domain, ndarray.DomainReal).Float()
	}
	for i := range n {
		if got, w := value(res.Data, i), value(want, i); !near(got, w) {
			t.Fatalf("element %d is %v, want %v", i, got, w)
		}
	}
}

// objectArray is an array of objects whose .npy file is a pickle: its values, in memory order.
type objectArray struct {
	Array struct {
		Items []any `json:"items"`
		Shape []int `json:"shape"`
	} `json:"array"`
}

func objectArrays(t *testing.T) map[string]objectArray {
	t.Helper()
	var all map[string]objectArray
	dec := json.NewDecoder(bytes.NewReader(read(t, filepath.Join(fixtures.Dir(t), "public", "derived", "numcodecs_object_arrays.json"))))
	must.Do(t, dec.Decode(&all))
	return all
}

func checkObjects(t *testing.T, config, enc []byte, o objectArray) {
	var c codecConfig
	must.Do(t, json.Unmarshal(config, &c))
	shape := []int{len(o.Array.Items)}
	if !strings.HasPrefix(c.ID, "vlen-") && c.ID != "categorize" {
		shape = o.Array.Shape
	}
	a, err := open(t, `"|O"`, shape, true, config, enc)
	if c.ID == "pickle" {
		checkRefused(t, err)
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	res := must.Get(a.Read(t.Context(), nil, zarr.ReadOptions{}))(t)
	for i, want := range o.Array.Items {
		got := must.Get(object(a.DType(), res.Items[i]))(t)
		if !sameObject(got, want) {
			t.Fatalf("element %d is %#v, want %#v", i, got, want)
		}
	}
}

func checkRefused(t *testing.T, err error) {
	t.Helper()
	var unsupported *zarr.UnsupportedError
	if !errors.As(err, &unsupported) {
		t.Fatalf("%v, want it refused", err)
	}
}

// object returns an element in the form of the derived file.
func object(typ *dtype.Type, item []byte) (any, error) {
	switch typ.Kind {
	case dtype.String:
		return string(item), nil
	case dtype.Bytes:
		return base64.StdEncoding.EncodeToString(item), nil
	case dtype.Ragged:
		list := []any{}
		d := ndarray.DomainOf(typ.Elem)
		for i := range len(item) / typ.Elem.Size {
			list = append(list, ndarray.Convert(ndarray.Load(item, i, typ.Elem), d, ndarray.DomainReal).Float())
		}
		return list, nil
	}
	if item == nil {
		return nil, nil
	}
	if string(item) == "NaN" {
		return "NaN", nil
	}
	var v any
	err := json.Unmarshal(item, &v)
	return v, err
}

func sameObject(got, want any) bool {
	got, want = plain(got), plain(want)
	if want == nil && got == "" {
		return true // numcodecs writes None as an empty element
	}
	return reflect.DeepEqual(got, want)
}

// plain converts the derived file's forms of non-JSON types to those of object. Bytes become
// base64, an array its items, a dict an object.
func plain(v any) any {
	switch v := v.(type) {
	case []any:
		list := []any{}
		for _, item := range v {
			list = append(list, plain(item))
		}
		return list
	case map[string]any:
		if b, ok := v["bytes_b64"]; ok {
			return b
		}
		if b, ok := v["hex"].(string); ok { // MessagePack's bytes as our JSON has them
			raw, err := hex.DecodeString(b)
			if err == nil {
				return base64.StdEncoding.EncodeToString(raw)
			}
		}
		if a, ok := v["array"].(map[string]any); ok {
			return plain(a["items"])
		}
		if pairs, ok := v["dict"].([]any); ok {
			m := map[string]any{}
			for _, p := range pairs {
				m[p.([]any)[0].(string)] = plain(p.([]any)[1])
			}
			return m
		}
	}
	return v
}
