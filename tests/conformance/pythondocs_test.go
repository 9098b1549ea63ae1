package conformance

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/tests/python"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs/writing"
)

// maker prints an array's document from its arguments: a type, a fill value as an expression, a
// compressor, filters and an order.
const maker = `
import json, sys, warnings
import numcodecs, numpy as np, zarr
warnings.simplefilter("ignore")
nan, inf = float("nan"), float("inf")
codec = lambda c: c and numcodecs.get_codec(c)
for dtype, fill, compressor, filters, order in json.load(open(sys.argv[1])):
    store = zarr.MemoryStore()
    kw = {} if compressor == "default" else {"compressor": codec(compressor)}
    if filters:
        kw["filters"] = [codec(f) for f in filters]
    zarr.create((7, 5), chunks=(3, 2), dtype=np.dtype(dtype), fill_value=eval(fill), order=order, store=store, **kw)
    print(json.dumps(json.loads(store[".zarray"])))
`

// filled is a fill value in Go and in Python.
type filled struct {
	value  any
	python string
}

// fillsOf returns fill values of a type.
func fillsOf(dtype string) []filled {
	fills := []filled{{zarr.NoFill, "None"}}
	switch dtype[1] {
	case 'b':
		return append(fills, filled{false, "False"}, filled{true, "True"})
	case 'i':
		bits := 8 * int(dtype[2]-'0')
		least := int64(-1) << (bits - 1)
		return append(fills, filled{0, "0"}, filled{-1, "-1"}, filled{least, fmt.Sprint(least)}, filled{-(least + 1), fmt.Sprint(-(least + 1))})
	case 'u':
		most := uint64(math.MaxUint64) >> (64 - 8*int(dtype[2]-'0'))
		return append(fills, filled{0, "0"}, filled{most, fmt.Sprint(most)})
	case 'f':
		return append(fills, filled{0, "0"}, filled{1.5, "1.5"}, filled{-0.25, "-0.25"}, filled{0.1, "0.1"}, filled{math.NaN(), "nan"}, filled{math.Inf(1), "inf"}, filled{math.Inf(-1), "-inf"})
	case 'c':
		return append(fills, filled{0, "0"}, filled{complex(1.5, -2), "1.5-2j"}, filled{complex(0.1, 0), "0.1"})
	case 'S':
		return append(fills, filled{[]byte("abc"), `b"abc"`}, filled{[]byte(""), `b""`})
	case 'U':
		return append(fills, filled{"äb", `"äb"`}, filled{"", `""`})
	case 'M', 'm':
		return append(fills, filled{0, "0"}, filled{17, "17"})
	}
	return fills
}

// TestDocumentsAreThoseOfZarrPython compares the documents of arrays of every type, fill value,
// compressor and order with those of zarr-python 2 for the same arguments. A default separator may
// be omitted.
func TestDocumentsAreThoseOfZarrPython(t *testing.T) {
	ctx := t.Context()
	h := memstore.New(nil)
	made := zarr.New(h, writing.Codecs(), zarr.Options{})
	compressors := map[string]map[string]any{
		"default": nil, "none": {}, "zlib": {"level": 9}, "gzip": {"level": 1}, "bz2": {"level": 1}, "zstd": {"level": 7}, "lz4": {"acceleration": 1}, "lzma": {"format": 1, "check": -1, "preset": nil, "filters": nil},
	}
	for _, name := range []string{"blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"} {
		for shuffle := range 3 {
			compressors[fmt.Sprint("blosc ", name, shuffle)] = map[string]any{"cname": name, "clevel": 3 * shuffle, "shuffle": shuffle, "blocksize": 0}
		}
	}
	names := slices.Sorted(func(yield func(string) bool) {
		for name := range compressors {
			if !yield(name) {
				return
			}
		}
	})
	var asked [][5]any
	add := func(dtype string, fill filled, compressor string, filters []zarr.Codec, order string) {
		spec := zarr.ArraySpec{Format: 2, Shape: []int64{7, 5}, Chunks: []int64{3, 2}, DType: dtype, Fill: fill.value, Order: order}
		python := any(compressor)
		config := compressors[compressor]
		if compressor != "default" {
			spec.Codecs, python = filters, nil
			if spec.Codecs == nil {
				spec.Codecs = []zarr.Codec{}
			}
		}
		if len(config) > 0 {
			id, _, _ := strings.Cut(compressor, " ")
			with := map[string]any{"id": id}
			for k, v := range config {
				with[k] = v
			}
			spec.Codecs, python = append(spec.Codecs, zarr.Codec{Name: id, Config: config}), with
		}
		var theirs []any
		for _, f := range filters {
			with := map[string]any{"id": f.Name}
			for k, v := range f.Config {
				with[k] = v
			}
			theirs = append(theirs, with)
		}
		if _, err := made.Create(ctx, fmt.Sprint("a", len(asked)), spec); err != nil {
			t.Fatalf("%s, %v, %s, %v: %v", dtype, fill.value, compressor, filters, err)
		}
		asked = append(asked, [5]any{dtype, fill.python, python, theirs, order})
	}
	for _, dtype := range []string{"|b1", "|i1", "|u1", "<i2", ">u2", "<i4", "<u4", ">i8", "<u8", "<f2", "<f4", ">f8", "<f8", "<c8", "<c16", "|S5", "<U3", ">U3", "<M8[s]", "<m8[ms]", "<M8[D]"} {
		for _, fill := range fillsOf(dtype) {
			for i, order := range []string{"C", "F"} {
				add(dtype, fill, []string{"default", "zlib"}[i], nil, order)
			}
		}
		for _, compressor := range names {
			add(dtype, filled{zarr.NoFill, "None"}, compressor, nil, "C")
		}
	}
	for _, filters := range [][]zarr.Codec{
		{{Name: "delta", Config: map[string]any{"dtype": "<f8", "astype": "<f4"}}},
		{{Name: "fixedscaleoffset", Config: map[string]any{"scale": 10, "offset": 100, "dtype": "<f8", "astype": "<i4"}}},
		{{Name: "quantize", Config: map[string]any{"digits": 2, "dtype": "<f8", "astype": "<f8"}}},
		{{Name: "shuffle", Config: map[string]any{"elementsize": 8}}},
		{{Name: "delta", Config: map[string]any{"dtype": "<f8", "astype": "<f8"}}, {Name: "shuffle", Config: map[string]any{"elementsize": 8}}},
		{{Name: "astype", Config: map[string]any{"encode_dtype": "<f4", "decode_dtype": "<f8"}}},
		{{Name: "crc32"}}, {{Name: "adler32"}},
	} {
		for _, compressor := range []string{"none", "zlib", "blosc zstd1"} {
			add("<f8", filled{0, "0"}, compressor, filters, "C")
		}
	}
	file := filepath.Join(t.TempDir(), "asked.json")
	b, err := json.Marshal(asked)
	if err == nil {
		err = os.WriteFile(file, b, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(python.Zarr(t, maker, file))), "\n")
	if len(lines) != len(asked) || len(lines) < 700 {
		t.Fatalf("%d documents of %d", len(lines), len(asked))
	}
	for i, line := range lines {
		var ours, theirs map[string]any
		doc := must.Get(store.Get(ctx, h, fmt.Sprint("a", i, "/.zarray")))(t)
		for doc, into := range map[string]*map[string]any{string(doc): &ours, line: &theirs} {
			d := json.NewDecoder(strings.NewReader(doc))
			d.UseNumber() // keep 0 distinct from 0.0, and large integers exact
			must.Do(t, d.Decode(into))
		}
		if ours["dimension_separator"] == "." {
			delete(ours, "dimension_separator")
		}
		delete(theirs, "dimension_separator")
		if !reflect.DeepEqual(ours, theirs) {
			t.Errorf("%v: the document is\n%s\nand zarr-python's\n%s", asked[i], doc, line)
		}
	}
}
