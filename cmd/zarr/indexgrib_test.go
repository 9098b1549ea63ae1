package main

import (
	"bytes"
	_ "embed"
	"encoding/binary"
	"encoding/json"
	"math"
	"path/filepath"
	"reflect"
	"testing"

	zarrpython "github.com/zarr-wasm/zarr-wasm/tests/python"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

//go:embed testdata/grib.py
var writesGRIB string

// coded is an array as ecCodes reads it. A missing value is nil.
type coded struct {
	File, Path string
	Shape      []int64
	Dims       []string
	Values     []*float64
	Tolerance  float64
}

// real64 returns an element of type float32, float64 or int64.
func real64(b ndarray.Block, i int) float64 {
	switch v := b.Data[i*b.Size:]; {
	case b.Size == 4:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(v)))
	default:
		return math.Float64frombits(binary.LittleEndian.Uint64(v))
	}
}

// TestGRIBFilesHaveTheValuesOfEcCodes indexes files with each packing, grid, mode of scanning and
// bitmap, and cubes with missing messages. It compares the values and the places of all points.
func TestGRIBFilesHaveTheValuesOfEcCodes(t *testing.T) {
	dir := t.TempDir()
	sources := map[string]*source{}
	arrays := 0
	for line := range bytes.Lines(zarrpython.Messages(t, writesGRIB, dir)) {
		var want coded
		if err := json.Unmarshal(line, &want); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		s := sources[want.File]
		if s == nil {
			at := filepath.Join(dir, want.File)
			if r := zarrs(t, "index", at, "-o", at+".json"); r.status != done || r.errs != "" {
				t.Fatalf("%s: %s", want.File, r.errs)
			}
			s = indexed(t.Context(), t, at)
			sources[want.File] = s
		}
		arrays++
		n, err := s.Open(t.Context(), want.Path, zarr.OpenOptions{})
		if err != nil {
			t.Errorf("%s: %s: %v", want.File, want.Path, err)
			continue
		}
		a, ok := n.(*zarr.Array)
		if !ok || !reflect.DeepEqual(a.Shape, want.Shape) {
			t.Errorf("%s: %s is not an array of shape %v", want.File, want.Path, want.Shape)
			continue
		}
		for i, name := range want.Dims {
			if a.DimensionNames[i].Text != name {
				t.Errorf("%s: %s: dimensions %v, want %v", want.File, want.Path, a.DimensionNames, want.Dims)
			}
		}
		res, err := a.Read(t.Context(), nil, zarr.ReadOptions{})
		if err != nil {
			t.Errorf("%s: %s: %v", want.File, want.Path, err)
			continue
		}
		wrong, largest := 0, 0.0
		for i, v := range want.Values {
			got := real64(res.Block, i)
			if v != nil && want.Path == "longitude" {
				got = *v + math.Remainder(got-*v, 360)
			}
			switch {
			case v == nil && math.IsNaN(got):
			case v == nil || !(math.Abs(got-*v) <= want.Tolerance*max(1, math.Abs(*v))):
				wrong++
				if v != nil {
					largest = max(largest, math.Abs(got-*v))
				}
			}
		}
		if wrong > 0 {
			t.Errorf("%s: %s: %d of %d values differ by up to %g", want.File, want.Path, wrong, len(want.Values), largest)
		}
	}
	t.Logf("%d files with %d arrays", len(sources), arrays)
	if len(sources) < 250 {
		t.Error("too few files")
	}
}
