package xarray_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store/filestore"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/tests/conventions/golden"
	"github.com/zarr-wasm/zarr-wasm/tests/fixtures"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
	"github.com/zarr-wasm/zarr-wasm/zarr/convention/cf"
	"github.com/zarr-wasm/zarr-wasm/zarr/convention/xarray"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}

func same(t *testing.T, what string, is, want any) {
	t.Helper()
	if a, b := text(is), text(want); a != b {
		t.Errorf("%s: %s instead of %s", what, a, b)
	}
}

type asked struct {
	What      string
	Sel       map[string]json.RawMessage
	Method    xarray.Method
	Tolerance any
}

func TestExpected(t *testing.T) {
	e := golden.Load(t)
	for _, c := range e.Of(t, "cf") {
		var ask asked
		golden.Decode(t, c.Ask, &ask)
		switch ask.What {
		case "dimensions":
			t.Run(c.ID, func(t *testing.T) { dimensions(t, e, c) })
		case "dataset":
			t.Run(c.ID, func(t *testing.T) { dataset(t, e, c) })
		}
	}
}

func dimensions(t *testing.T, e *golden.Expected, c golden.Case) {
	ctx := context.Background()
	var want struct{ Dims []*string }
	golden.Decode(t, c.Expect, &want)
	a, err := e.Hierarchy(t, c.Store).OpenArray(ctx, c.Variable)
	if err != nil {
		t.Fatal(err)
	}
	d := xarray.DimensionsOf(a.Metadata(), a.Path())
	names := make([]*string, len(d.Names))
	for i, name := range d.Names {
		if name.Named {
			names[i] = &d.Names[i].Text
		}
	}
	if want.Dims == nil {
		if d.Problem == "" || slices.ContainsFunc(names, func(s *string) bool { return s != nil }) {
			t.Errorf("%s and no problem", text(names))
		}
		return
	}
	same(t, "names", names, want.Dims)
	if d.Problem != "" {
		t.Error(d.Problem)
	}
	// Positions select even where a name occurs twice or is missing.
	g := must.Get(e.Hierarchy(t, c.Store).OpenGroup(ctx, ""))(t)
	ds := must.Get(xarray.Open(ctx, g, xarray.Options{Variables: []string{c.Variable}}))(t)
	v := must.Get(ds.Var(c.Variable))(t)
	if v, err = v.At(grid.At(-1), grid.At(-1)); err != nil {
		t.Fatal(err)
	}
	values, err := v.Read(ctx)
	if err != nil || values.Len() != 1 || len(values.Shape) != 0 {
		t.Error(values, err)
	}
}

type wantedDataset struct {
	Dims       map[string]int64
	Coords     []string
	DataVars   []string `json:"data_vars"`
	CoordsAll  []string `json:"coords_decode_all"`
	Attributes map[string]any
	Variables  map[string]struct {
		Dims          []string
		Attributes    map[string]any
		DType, SHA256 string
		Shape         []int
		Values        []any
		Microseconds  []int64
		Calendar      string
	}
}

func dataset(t *testing.T, e *golden.Expected, c golden.Case) {
	ctx := context.Background()
	var want wantedDataset
	golden.Decode(t, c.Expect, &want)
	g := must.Get(e.Hierarchy(t, c.Store).OpenGroup(ctx, c.Group))(t)
	// Numbers with a unit of time decode to durations on request, as in xarray since 2025.
	opt := xarray.Options{CF: cf.Options{DecodeTimedelta: true}}
	ds, err := xarray.Open(ctx, g, opt)
	if err != nil || len(ds.Problems) > 0 || !ds.Complete {
		t.Fatal(err, ds)
	}
	sizes := map[string]int64{}
	for _, dim := range ds.Sizes() {
		sizes[dim.Name] = dim.Size
	}
	same(t, "sizes", sizes, want.Dims)
	same(t, "coordinates", append([]string{}, slices.Sorted(slices.Values(ds.Coords()))...), append([]string{}, want.Coords...))
	same(t, "data variables", slices.Sorted(slices.Values(ds.DataVars())), want.DataVars)
	opt.DecodeCoords = xarray.CoordsAll
	all := must.Get(xarray.Open(ctx, g, opt))(t)
	same(t, "coordinates with all that attributes refer to", len(all.Coords()), len(want.CoordsAll))
	for _, name := range want.CoordsAll {
		if !slices.Contains(all.Coords(), name) {
			t.Error(name, "is not a coordinate")
		}
	}
	for name, w := range want.Variables {
		v := must.Get(ds.Var(name))(t)
		got, err := v.Read(ctx)
		if err != nil {
			t.Fatal(name, err)
		}
		same(t, name+": dims", append([]string{}, got.Dims...), w.Dims)
		same(t, name+": shape", append([]int{}, got.Shape...), w.Shape)
		attributes := map[string]any{}
		for _, m := range got.Attributes {
			var value any
			golden.Decode(t, m.Value.Raw(), &value)
			attributes[m.Name] = value
		}
		same(t, name+": attributes", attributes, w.Attributes)
		switch w.DType {
		case "datetime", "cftime":
			same(t, name+": values", dates(t, got.Times), plain(w.Values))
			if w.Calendar != "" {
				same(t, name+": calendar", got.Calendar, w.Calendar)
			}
		case "timedelta":
			for i, micros := range w.Microseconds {
				if is, ok := got.Times.Microseconds(i); !ok || is != micros {
					t.Errorf("%s: %d instead of %d", name, is, micros)
				}
			}
		case "string":
			same(t, name+": values", got.Texts, w.Values)
		default:
			sum := sha256.Sum256(got.Data)
			same(t, name+": bytes of "+got.Type.Name, hex.EncodeToString(sum[:]), w.SHA256)
			same(t, name+": type", got.Type.V2String(), w.DType)
		}
		for _, dim := range got.Dims {
			if slices.Contains(want.Coords, dim) && got.Coords[dim] == nil {
				t.Errorf("%s: no coordinate %s", name, dim)
			}
		}
	}
}

// dates returns times in the form of expected.json.
func dates(t *testing.T, times *cf.Times) []any {
	list := make([]any, times.Len())
	for i := range list {
		date, ok := must.Both(times.Date(i))(t)
		if ok {
			list[i] = date.String()
		}
	}
	return list
}

func plain(values []any) []any {
	list := make([]any, len(values))
	for i, v := range values {
		if s, ok := v.(string); ok {
			v = strings.TrimSuffix(s, ".000000")
		}
		list[i] = v
	}
	return list
}

type answer struct {
	Index, Coords map[string]any
	Error         any
}

type row struct {
	ID          string
	Ask         asked
	Expect      answer
	Alternative *answer
	Debatable   bool
}

// others holds debatable rows on which this package differs from xarray 2023.01. A date as fine as
// the times names one position or none, in every calendar, as with datetime64.
func others() map[string]answer {
	return map[string]answer{
		"sel.0385": {Index: map[string]any{"noleap": 3}, Coords: map[string]any{"noleap": "2000-01-16T00:00:00"}},
		"sel.0393": {Index: map[string]any{"d360": 3}, Coords: map[string]any{"d360": "2000-02-16T00:00:00"}},
		"sel.0392": {Error: true},
		"sel.0400": {Error: true},
	}
}

// selectorOf parses a selector of expected.json.
func selectorOf(t *testing.T, raw json.RawMessage) any {
	var v any
	golden.Decode(t, raw, &v)
	object, ok := v.(map[string]any)
	if !ok {
		return v
	}
	if ends, ok := object["slice"].([]any); ok {
		s := xarray.Between(ends[0], ends[1])
		if len(ends) > 2 {
			s.Step = int(ends[2].(float64))
		}
		return s
	}
	return xarray.Labels(object["list"].([]any))
}

func TestSel(t *testing.T) {
	e := golden.Load(t)
	rows := golden.Table[row](t, e, "sel")
	if len(rows) < 451 {
		t.Errorf("only %d rows", len(rows))
	}
	ctx := context.Background()
	for _, store := range []string{"sel/labels_v2.zarr", "sel/labels_v3.zarr"} {
		g := must.Get(e.Hierarchy(t, store).OpenGroup(ctx, ""))(t)
		ds := must.Get(xarray.Open(ctx, g, xarray.Options{}))(t)
		for _, r := range rows {
			t.Run(store[11:13]+"/"+r.ID, func(t *testing.T) { selected(t, ds, r) })
		}
	}
}

func selected(t *testing.T, ds *xarray.Dataset, r row) {
	ctx := context.Background()
	want := r.Expect
	if other, ok := others()[r.ID]; ok && r.Debatable {
		want = other
	}
	// a range over descending times follows the rule for numbers, as the row itself says
	if r.Alternative != nil {
		want = *r.Alternative
	}
	by := xarray.Selectors{}
	for dim, raw := range r.Ask.Sel {
		by[dim] = selectorOf(t, raw)
	}
	opt := xarray.SelOptions{Method: r.Ask.Method, Tolerance: r.Ask.Tolerance}
	part, err := ds.Sel(ctx, by, opt)
	if want.Error != nil {
		var wrong *zarr.InvalidSelectionError
		if !errors.As(err, &wrong) {
			t.Fatalf("%v is not an error of the selection", err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	for dim := range by {
		v, err := part.Var("pos_" + dim)
		if err != nil {
			t.Fatal(err)
		}
		alone := must.Get(ds.Var("pos_" + dim))(t)
		if alone, err = alone.Sel(ctx, xarray.Selectors{dim: by[dim]}, opt); err != nil {
			t.Fatal(err)
		}
		for _, one := range []*xarray.DataArray{v, alone} {
			values := must.Get(one.Read(ctx))(t)
			same(t, "places of "+dim, oneOf(values, values.Float64s()), want.Index[dim])
			coordinate := values.Coords[dim]
			wantLabels, ok := want.Coords[dim]
			if !ok {
				if coordinate != nil {
					t.Error("a coordinate of", dim)
				}
				continue
			}
			var labels any
			switch {
			case coordinate.Times != nil:
				labels = oneOf(values, dates(t, coordinate.Times))
				if list, ok := wantLabels.([]any); ok {
					wantLabels = plain(list)
				} else {
					wantLabels = plain([]any{wantLabels})[0]
				}
			case coordinate.Texts != nil:
				labels = oneOf(values, coordinate.Texts)
			default:
				numbers := make([]any, 0)
				for _, x := range coordinate.Float64s() {
					if math.IsNaN(x) {
						numbers = append(numbers, "NaN")
					} else {
						numbers = append(numbers, x)
					}
				}
				labels = oneOf(values, numbers)
			}
			same(t, "labels of "+dim, labels, wantLabels)
		}
	}
}

// oneOf returns the list, or its only element if the dimension was dropped.
func oneOf[T any](values *xarray.Values, list []T) any {
	if len(values.Shape) == 0 {
		return list[0]
	}
	return append([]T{}, list...)
}

func hierarchy(t testing.TB, objects map[string]string) *zarr.Group {
	t.Helper()
	all := map[string][]byte{".zgroup": []byte(`{"zarr_format":2}`)}
	for name, doc := range objects {
		all[name] = []byte(doc)
	}
	h := zarr.New(memstore.New(all), codecs.Default(), zarr.Options{})
	return must.Get(h.OpenGroup(context.Background(), ""))(t)
}

// of returns the metadata of an array of bytes in one chunk.
func of(shape string) string {
	return `{"zarr_format":2,"shape":` + shape + `,"chunks":` + shape + `,"dtype":"|u1","compressor":null,"fill_value":null,"order":"C","filters":null}`
}

func weather() map[string]string {
	return map[string]string{
		".zattrs":   `{"title":"weather"}`,
		"x/.zarray": of("[3]"), "x/.zattrs": `{"_ARRAY_DIMENSIONS":["x"]}`, "x/0": "\x0a\x14\x1e",
		"time/.zarray": of("[2]"), "time/.zattrs": `{"_ARRAY_DIMENSIONS":["time"],"units":"days since 2020-01-01"}`, "time/0": "\x00\x1f",
		"t/.zarray": of("[2,3]"), "t/.zattrs": `{"_ARRAY_DIMENSIONS":["time","x"],"units":"K","scale_factor":0.5}`, "t/0.0": "\x01\x02\x03\x04\x05\x06",
	}
}

func TestWhatIsWrongIsReportedAndTheRestRemainsUsable(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		name, key, doc, problem string
	}{
		{"a dimension of two lengths", "t/.zarray", strings.Replace(of("[2,3]"), "[2,3]", "[3,3]", 1), "the dimension time of t has length 3, but 2 in other variables"},
		{"names that do not fit", "t/.zattrs", `{"_ARRAY_DIMENSIONS":["x"]}`, "1 names for 2 dimensions"},
		{"no names", "t/.zattrs", `{"_ARRAY_DIMENSIONS":7}`, "not a list of names"},
		{"a scale that is not a number", "t/.zattrs", `{"_ARRAY_DIMENSIONS":["time","x"],"scale_factor":{}}`, "scale_factor"},
		{"an array that cannot be opened", "t/.zarray", `{"zarr_format":2}`, "t cannot be opened"},
	} {
		t.Run(c.name, func(t *testing.T) {
			objects := weather()
			objects[c.key] = c.doc
			ds := must.Get(xarray.Open(ctx, hierarchy(t, objects), xarray.Options{}))(t)
			if len(ds.Problems) != 1 || !strings.Contains(ds.Problems[0], c.problem) {
				t.Errorf("problems: %q", ds.Problems)
			}
			x := must.Get(ds.Var("x"))(t)
			if values, err := x.Read(ctx); err != nil || values.Len() != 3 {
				t.Error(values, err)
			}
			v, err := ds.Var("t")
			if err != nil {
				return
			}
			// It reads correctly, or fails with a documented error.
			_, err = v.Read(ctx)
			if wrong := new(zarr.InvalidMetadataError); err != nil && !errors.As(err, &wrong) {
				t.Error(err)
			}
			_, err = v.Sel(ctx, xarray.Selectors{"time": "2020-02-01"}, xarray.SelOptions{})
			if wrong := new(zarr.InvalidSelectionError); err != nil && !errors.As(err, &wrong) {
				t.Error(err)
			}
		})
	}
}

// TestAnythingCanBeAnAttribute puts values of all kinds into attributes. A dataset opens, prints
// and reads, or fails with a documented error.
func TestAnythingCanBeAnAttribute(t *testing.T) {
	ctx := context.Background()
	values := []string{`null`, `0`, `-1`, `1e300`, `""`, `"x"`, `"x t time"`, `[]`, `{}`, `[["x"]]`, `["x","x"]`, `true`, `"days since 0000-00-00"`, `"a: b: c"`, `9223372036854775807`, `"../x"`}
	names := []string{
		"_ARRAY_DIMENSIONS", "coordinates", "bounds", "grid_mapping", "cell_measures", "formula_terms", "climatology", "units", "calendar",
		"scale_factor", "add_offset", "_FillValue", "missing_value", "_Unsigned", "dtype", "_nczarr_array", "_NCZARR_ARRAY", "ancillary_variables",
	}
	for _, name := range names {
		for _, value := range values {
			for _, where := range []string{"t", "time", ""} {
				objects := weather()
				doc := fmt.Sprintf(`{%q:%s}`, name, value)
				if where == "t" && name != "_ARRAY_DIMENSIONS" {
					doc = fmt.Sprintf(`{"_ARRAY_DIMENSIONS":["time","x"],%q:%s}`, name, value)
				}
				objects[strings.TrimPrefix(where+"/.zattrs", "/")] = doc
				ds, err := xarray.Open(ctx, hierarchy(t, objects), xarray.Options{DecodeCoords: xarray.CoordsAll})
				if err != nil {
					t.Fatalf("%s of %q: %v", doc, where, err)
				}
				if s := ds.String(); !strings.HasPrefix(s, "<Dataset /") {
					t.Error(s)
				}
				for _, v := range []string{"t", "time"} {
					a, err := ds.Var(v)
					if err != nil {
						t.Fatal(err)
					}
					_ = a.String()
					_, err = a.Read(ctx)
					var metadata *zarr.InvalidMetadataError
					var unsupported *zarr.UnsupportedError
					if err != nil && !errors.As(err, &metadata) && !errors.As(err, &unsupported) {
						t.Errorf("%s of %q: %v", doc, where, err)
					}
					_, err = a.Sel(ctx, xarray.Selectors{"time": 31.0}, xarray.SelOptions{Method: xarray.Nearest})
					var selection *zarr.InvalidSelectionError
					if err != nil && !errors.As(err, &metadata) && !errors.As(err, &unsupported) && !errors.As(err, &selection) {
						t.Errorf("%s of %q: %v", doc, where, err)
					}
				}
			}
		}
	}
}

func TestSelectionsOfSelections(t *testing.T) {
	ctx := context.Background()
	ds, err := xarray.Open(ctx, hierarchy(t, weather()), xarray.Options{})
	if err != nil {
		t.Fatal(err)
	}
	v := must.Get(ds.Var("t"))(t)
	start, step := int64(-1), int64(-1)
	if v, err = v.ISel(xarray.Indices{"x": grid.Range(&start, nil, &step)}); err != nil {
		t.Fatal(err)
	}
	if v, err = v.Sel(ctx, xarray.Selectors{"x": xarray.Between(25, 5), "time": "2020-02"}, xarray.SelOptions{}); err != nil {
		t.Fatal(err)
	}
	values := must.Get(v.Read(ctx))(t)
	same(t, "values", values.Float64s(), []float64{2.5, 2})
	same(t, "x", values.Coords["x"].Float64s(), []float64{20, 10})
	same(t, "dims", values.Dims, []string{"time", "x"})
	if _, err = v.ISel(xarray.Indices{"y": grid.At(0)}); err == nil {
		t.Error("a dimension that is not there")
	}
	part := must.Get(ds.ISel(xarray.Indices{"x": grid.At(1)}))(t)
	same(t, "sizes", part.Sizes(), []xarray.Dimension{{Name: "time", Size: 2}})
	if part, err = part.ISel(xarray.Indices{"x": grid.At(1)}); err == nil {
		t.Error("a dimension that was dropped", part)
	}
}

func TestOnlyWhatIsAskedForIsOpened(t *testing.T) {
	ctx := context.Background()
	ds, err := xarray.Open(ctx, hierarchy(t, weather()), xarray.Options{Variables: []string{"t"}})
	if err != nil {
		t.Fatal(err)
	}
	same(t, "coordinates", ds.Coords(), []string{"time", "x"})
	same(t, "variables", ds.DataVars(), []string{"t"})
	_, err = xarray.Open(ctx, hierarchy(t, weather()), xarray.Options{Variables: []string{"u"}})
	if absent := new(zarr.NotFoundError); !errors.As(err, &absent) {
		t.Error(err)
	}
}

func TestTree(t *testing.T) {
	ctx := context.Background()
	objects := weather()
	objects["deep/.zgroup"], objects["deep/other/.zgroup"] = `{"zarr_format":2}`, `{"zarr_format":2}`
	objects["deep/v/.zarray"], objects["deep/v/.zattrs"], objects["deep/v/0"] = of("[3]"), `{"_ARRAY_DIMENSIONS":["x"]}`, "\x01\x02\x03"
	objects["deep/other/w/.zarray"], objects["deep/other/w/.zattrs"] = of("[4]"), `{"_ARRAY_DIMENSIONS":["x"]}`
	tree, err := xarray.OpenTree(ctx, hierarchy(t, objects), xarray.Options{}, -1)
	if err != nil {
		t.Fatal(err)
	}
	deep := tree.Children[0]
	same(t, "names", []string{tree.Name, deep.Name, deep.Children[0].Name}, []string{"/", "deep", "other"})
	same(t, "coordinates", deep.Dataset.Coords(), []string{"x"})
	v := must.Get(deep.Dataset.Var("v"))(t)
	if v, err = v.Sel(ctx, xarray.Selectors{"x": 20}, xarray.SelOptions{}); err != nil {
		t.Fatal(err)
	}
	values, err := v.Read(ctx)
	if err != nil || values.Float64s()[0] != 2 {
		t.Error(values, err)
	}
	// A dimension of another length is not the same dimension.
	same(t, "coordinates below", len(deep.Children[0].Dataset.Coords()), 0)
	if tree, err = xarray.OpenTree(ctx, hierarchy(t, objects), xarray.Options{}, 0); err != nil || len(tree.Children) != 0 {
		t.Error(tree, err)
	}
}

// climate opens the fixture dataset that the documents show.
func climate(t *testing.T, set string) *xarray.Dataset {
	t.Helper()
	h := zarr.New(filestore.New(os.DirFS(filepath.Join(fixtures.Dir(t), "xarray", set+".zarr"))), codecs.Full(), zarr.Options{})
	t.Cleanup(h.Close)
	g := must.Get(h.OpenGroup(context.Background(), ""))(t)
	return must.Get(xarray.Open(context.Background(), g, xarray.Options{}))(t)
}

// TestDatasetsPrintAsDocumented compares with docs/guides/xarray.md, as tests/js/xarray.test.mjs
// does. Both languages print the same.
func TestDatasetsPrintAsDocumented(t *testing.T) {
	doc := must.Get(os.ReadFile("../../../docs/guides/xarray.md"))(t)
	_, want, _ := strings.Cut(string(doc), "```text\n")
	want, _, _ = strings.Cut(want, "\n```")
	if is := climate(t, "climate_v3").String(); is != want {
		t.Errorf("%s\ninstead of\n%s", is, want)
	}
}

// TestClimate compares with xarray's results in the fixtures' manifest.
func TestClimate(t *testing.T) {
	ctx := context.Background()
	var manifest struct {
		Cases []struct {
			Store, Array string
			Decoded      *struct {
				SHA256 string
				ISO    []string
			} `json:"cf_decoded"`
		}
	}
	b := must.Get(os.ReadFile(filepath.Join(fixtures.Dir(t), "manifest.json")))(t)
	golden.Decode(t, b, &manifest)
	compared := 0
	for _, c := range manifest.Cases {
		set, ok := strings.CutPrefix(c.Store, "xarray/")
		if !ok || c.Decoded == nil {
			continue
		}
		v := must.Get(climate(t, strings.TrimSuffix(set, ".zarr")).Var(c.Array))(t)
		values := must.Get(v.Read(ctx))(t)
		compared++
		if c.Decoded.ISO != nil {
			same(t, c.Store+" "+c.Array, dates(t, values.Times), c.Decoded.ISO)
			continue
		}
		sum := sha256.Sum256(values.Data)
		same(t, c.Store+" "+c.Array, hex.EncodeToString(sum[:]), c.Decoded.SHA256)
		same(t, "units", values.Units, "K")
	}
	if compared != 4 {
		t.Errorf("%d arrays were compared", compared)
	}
}

func ExampleOpen() {
	ctx := context.Background()
	ds, err := xarray.Open(ctx, hierarchy(&testing.T{}, weather()), xarray.Options{})
	if err != nil {
		panic(err)
	}
	fmt.Println(ds)
	t, err := ds.Var("t")
	if err != nil {
		panic(err)
	}
	part, err := t.Sel(ctx, xarray.Selectors{"time": "2020-02", "x": 12}, xarray.SelOptions{By: map[string]xarray.Lookup{"x": {Method: xarray.Nearest}}})
	if err != nil {
		panic(err)
	}
	values, err := part.Read(ctx)
	if err != nil {
		panic(err)
	}
	date, _, _ := values.Coords["time"].Times.Date(0)
	fmt.Println(values.Dims, values.Float64s(), values.Units, date)
	// Output:
	// <Dataset /> Size: 67B
	// Dimensions:  (time: 2, x: 3)
	// Coordinates:
	//   * time  (time) time 16B ...
	//   * x     (x) uint8 3B ...
	// Data variables:
	//     t     (time, x) float64 48B ...
	// Attributes:
	//     title:  weather
	// [time] [2] K 2020-02-01T00:00:00
}
