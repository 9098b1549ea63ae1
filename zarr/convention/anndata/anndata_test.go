package anndata_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/filestore"
	"github.com/zarr-wasm/zarr-wasm/store/zipstore"
	"github.com/zarr-wasm/zarr-wasm/tests/conventions/golden"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
	"github.com/zarr-wasm/zarr-wasm/zarr/convention/anndata"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

var all = zarr.ReadOptions{}

// wanted is an element as expected.json has it.
type wanted struct {
	Kind, DType, SHA256, File string
	Shape                     []int64
	NNZ                       int64
	Dense                     *wanted
	Values, Codes, Categories []any
	Value                     any
	Ordered                   bool
	Index                     []any
	Columns                   map[string]*wanted
	ColumnOrder               []string `json:"column_order"`
	Items, Fields             map[string]*wanted
}

// decode is json.Unmarshal that keeps numbers as they are written.
func decode(t *testing.T, b []byte, to any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	if err := d.Decode(to); err != nil {
		t.Fatal(err)
	}
}

// hierarchy opens a store of expected.json, also one that is a zip archive.
func hierarchy(t *testing.T, e *golden.Expected, name string) *zarr.Hierarchy {
	t.Helper()
	if !strings.HasSuffix(name, ".zip") {
		return e.Hierarchy(t, name)
	}
	file := filepath.Join(e.Dir, filepath.FromSlash(name))
	caches := zarr.NewCaches(zarr.CacheOptions{})
	of := store.Plain(filestore.New(os.DirFS(filepath.Dir(file))))
	z, err := zipstore.New(of, filepath.Base(file), caches.Layer(), zipstore.Options{Decode: codecs.Unzip(codecs.Full())})
	if err != nil {
		t.Fatal(err)
	}
	return zarr.Over(z, codecs.Full(), zarr.Options{Caches: caches})
}

func group(t *testing.T, h *zarr.Hierarchy, path string) *zarr.Group {
	t.Helper()
	g, err := h.OpenGroup(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func must[T any](t *testing.T, v T, err error) T {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// same compares a value with what expected.json says: integers of 64 bits are texts there or numbers.
func same(is, want any) bool {
	switch is := is.(type) {
	case nil:
		return want == nil
	case int64:
		return fmt.Sprint(want) == strconv.FormatInt(is, 10)
	case uint64:
		return fmt.Sprint(want) == strconv.FormatUint(is, 10)
	case float64:
		if text, ok := want.(string); ok {
			return text == "NaN" && math.IsNaN(is)
		}
		n, ok := want.(json.Number)
		f, err := n.Float64()
		return ok && err == nil && f == is
	}
	return is == want
}

func sameValues(t *testing.T, what string, is []any, want []any) {
	t.Helper()
	if !slices.EqualFunc(is, want, same) {
		t.Errorf("%s: %v instead of %v", what, is, want)
	}
}

func valuesOf(res *zarr.Result) []any {
	c := anndata.Column{Data: res}
	return c.Values()
}

func sameArray(t *testing.T, e *golden.Expected, what string, res *zarr.Result, w *wanted) {
	t.Helper()
	shape := w.Shape
	if shape == nil {
		shape = []int64{int64(len(w.Values))}
	}
	if !slices.EqualFunc(res.Shape, shape, func(a int, b int64) bool { return int64(a) == b }) {
		t.Fatalf("%s: shape %v instead of %v", what, res.Shape, shape)
	}
	if name := strings.TrimLeft(w.DType, "<|"); w.DType != "string" && res.Type.V2String() != w.DType && strings.TrimLeft(res.Type.V2String(), "<|") != name {
		t.Errorf("%s: type %s instead of %s", what, res.Type.V2String(), w.DType)
	}
	if w.Values != nil {
		sameValues(t, what, valuesOf(res), w.Values)
	}
	if sum := sha256.Sum256(res.Data); w.SHA256 != "" && hex.EncodeToString(sum[:]) != w.SHA256 {
		t.Errorf("%s: sha256 %x instead of %s", what, sum, w.SHA256)
	}
	if w.File != "" && !bytes.Equal(res.Data, e.Read(t, w.File)) {
		t.Errorf("%s: other bytes than %s", what, w.File)
	}
}

func sameColumn(t *testing.T, what string, c *anndata.Column, w *wanted) {
	t.Helper()
	sameValues(t, what, c.Values(), w.Values)
	kinds := map[string]string{"string": anndata.KindStrings, "nullable-string": anndata.KindNullableStrings}
	kind := w.Kind
	if k, ok := kinds[kind]; ok {
		kind = k
	}
	if kind != "array" && c.Kind != kind {
		t.Errorf("%s: %s instead of %s", what, c.Kind, kind)
	}
	if w.Kind == "categorical" {
		sameValues(t, what+": categories", c.Categories.Values(), w.Categories)
		codes := make([]any, len(c.Codes))
		for i, code := range c.Codes {
			codes[i] = code
		}
		sameValues(t, what+": codes", codes, w.Codes)
		if c.Ordered != w.Ordered {
			t.Errorf("%s: ordered %v", what, c.Ordered)
		}
	}
}

func sameFrame(t *testing.T, what string, f *anndata.DataFrame, w *wanted) {
	t.Helper()
	ctx := t.Context()
	if !slices.Equal(f.Columns, w.ColumnOrder) {
		t.Errorf("%s: columns %v instead of %v", what, f.Columns, w.ColumnOrder)
	}
	index, err := f.Index(ctx, grid.All(), all)
	sameValues(t, what+": index", must(t, index, err).Values(), w.Index)
	for name, column := range w.Columns {
		c, err := f.Column(ctx, name, grid.All(), all)
		sameColumn(t, what+"/"+name, must(t, c, err), column)
		// Some rows are those of the whole.
		n := len(column.Values)
		c, err = f.Column(ctx, name, grid.ListOf([]int64{2, 0, -1, 2}), all)
		sameValues(t, what+"/"+name+": rows", must(t, c, err).Values(), []any{column.Values[2], column.Values[0], column.Values[n-1], column.Values[2]})
		c, err = f.Column(ctx, name, grid.At(1), all)
		sameValues(t, what+"/"+name+": row", must(t, c, err).Values(), column.Values[1:2])
	}
	table, err := f.Read(ctx, grid.All(), nil, all)
	if must(t, table, err).Len() != len(w.Index) || !strings.HasSuffix(table.String(), fmt.Sprintf("rows × %d columns]", len(w.ColumnOrder))) {
		t.Errorf("%s: table %s", what, table)
	}
}

func sameElement(t *testing.T, e *golden.Expected, what string, element anndata.Element, w *wanted) {
	t.Helper()
	ctx := t.Context()
	if w == nil {
		if element != nil {
			t.Errorf("%s: %v instead of nothing", what, element)
		}
		return
	}
	switch w.Kind {
	case "dataframe":
		sameFrame(t, what, element.(*anndata.DataFrame), w)
	case "csr", "csc":
		m := element.(*anndata.SparseMatrix)
		if m.Kind != w.Kind+"_matrix" || !slices.Equal(m.Shape[:], w.Shape) || m.NNZ() != w.NNZ {
			t.Errorf("%s: %v", what, m)
		}
		res, err := m.Read(ctx, nil, all)
		sameArray(t, e, what, must(t, res, err), w.Dense)
	case "array":
		res, err := element.(*zarr.Array).Read(ctx, nil, all)
		sameArray(t, e, what, must(t, res, err), w)
	case "scalar":
		v, err := anndata.ReadElement(ctx, element, all)
		if !same(must(t, v, err), w.Value) {
			t.Errorf("%s: %v instead of %v", what, v, w.Value)
		}
	case "dict":
		sameMapping(t, e, what, element.(*anndata.Mapping), w.Items)
	case "rec-array":
		a := element.(*zarr.Array)
		res, err := a.Read(ctx, nil, all)
		must(t, res, err)
		if len(a.DType().Fields) != len(w.Fields) {
			t.Errorf("%s: fields %v", what, a.DType().Fields)
		}
		for _, f := range a.DType().Fields {
			column := &zarr.Result{Type: f.Type}
			column.Shape, column.Size = res.Shape, f.Type.Size
			for i := range res.Len() {
				column.Data = append(column.Data, res.Data[i*res.Size+f.Offset:][:f.Type.Size]...)
			}
			sameArray(t, e, what+"."+f.Name, column, w.Fields[f.Name])
		}
	default:
		c, err := element.(anndata.ColumnElement).Read(ctx, grid.All(), all)
		sameColumn(t, what, must(t, c, err), w)
	}
}

func sameMapping(t *testing.T, e *golden.Expected, what string, m *anndata.Mapping, items map[string]*wanted) {
	t.Helper()
	if !m.Listed || len(m.Names) != len(items) {
		t.Errorf("%s: names %v (%v)", what, m.Names, m.Listed)
	}
	for name, w := range items {
		element, err := m.Open(t.Context(), name)
		if err != nil {
			t.Errorf("%s/%s: %v", what, name, err)
			continue
		}
		sameElement(t, e, what+"/"+name, element, w)
	}
}

func item(t *testing.T, raw json.RawMessage) grid.Item {
	t.Helper()
	switch {
	case raw == nil:
		return grid.All()
	case raw[0] == '[':
		var list []int64
		decode(t, raw, &list)
		return grid.ListOf(list)
	}
	var s struct{ Start, Stop, Step *int64 }
	decode(t, raw, &s)
	return grid.Range(s.Start, s.Stop, s.Step)
}

// TestCases reads every case of kind anndata, and the stores of other projects among them.
func TestCases(t *testing.T) {
	e := golden.Load(t)
	for _, c := range e.Of(t, "anndata") {
		t.Run(c.ID, func(t *testing.T) {
			h := hierarchy(t, e, c.Store)
			var ask struct {
				What       string
				Rows, Cols json.RawMessage
			}
			decode(t, c.Ask, &ask)
			if ask.What == "sparse slice" {
				var w wanted
				decode(t, c.Expect, &w)
				element, err := anndata.OpenElement(t.Context(), group(t, h, c.Variable))
				m := must(t, element, err).(*anndata.SparseMatrix)
				sel := []grid.Item{item(t, ask.Rows), item(t, ask.Cols)}
				res, err := m.Read(t.Context(), sel, all)
				sameArray(t, e, "dense", must(t, res, err), w.Dense)
				block, err := m.ReadSparse(t.Context(), sel, all)
				if dense := expand(must(t, block, err)); !bytes.Equal(dense, res.Data) {
					t.Errorf("sparse: % x instead of % x", dense, res.Data)
				}
				return
			}
			var w struct {
				Shape                               []int64
				Obs, Var, X                         *wanted
				Uns, Obsm, Varm, Layers, Obsp, Varp map[string]*wanted
			}
			decode(t, c.Expect, &w)
			a, err := anndata.Open(t.Context(), group(t, h, ""))
			must(t, a, err)
			if !slices.Equal(a.Shape[:], w.Shape) {
				t.Errorf("shape %v instead of %v", a.Shape, w.Shape)
			}
			sameFrame(t, "obs", a.Obs, w.Obs)
			sameFrame(t, "var", a.Var, w.Var)
			var x anndata.Element
			if a.X != nil {
				x = a.X
			}
			sameElement(t, e, "X", x, w.X)
			lines := []string{fmt.Sprintf("AnnData object with n_obs × n_vars = %d × %d", w.Shape[0], w.Shape[1])}
			line := func(name string, names []string) {
				if len(names) > 0 {
					lines = append(lines, "    "+name+": '"+strings.Join(names, "', '")+"'")
				}
			}
			line("obs", w.Obs.ColumnOrder)
			line("var", w.Var.ColumnOrder)
			for _, s := range []struct {
				name string
				m    *anndata.Mapping
				want map[string]*wanted
			}{{"uns", a.Uns, w.Uns}, {"obsm", a.Obsm, w.Obsm}, {"varm", a.Varm, w.Varm}, {"layers", a.Layers, w.Layers}, {"obsp", a.Obsp, w.Obsp}, {"varp", a.Varp, w.Varp}} {
				if s.want == nil {
					// Of the fixtures by hand not all sections are expected.
					line(s.name, s.m.Names)
					continue
				}
				sameMapping(t, e, s.name, s.m, s.want)
				var names []string
				for name := range s.want {
					names = append(names, name)
				}
				slices.Sort(names)
				line(s.name, names)
			}
			if want := strings.Join(lines, "\n"); a.String() != want {
				t.Errorf("printed:\n%s\ninstead of\n%s", a, want)
			}
			// Of what is kept of all variables, expected.json says nothing but that anndata reads it.
			if (a.Raw != nil) != strings.HasPrefix(c.ID, "anndata.archive.v0.7") {
				t.Errorf("raw: %v", a.Raw)
			}
			if a.Raw != nil {
				res, err := a.Raw.X.Read(t.Context(), nil, all)
				if must(t, res, err).Shape[1] != int(a.Raw.Var.Len()) {
					t.Errorf("raw: %v", res.Shape)
				}
			}
		})
	}
}

// expand returns the dense bytes of a sparse block. Elements that are there twice are added up.
func expand(b *anndata.SparseBlock) []byte {
	size := int64(b.Type.Size)
	out := make([]byte, b.Shape[0]*b.Shape[1]*size)
	for i := range int64(len(b.Indptr) - 1) {
		for k := b.Indptr[i]; k < b.Indptr[i+1]; k++ {
			at := i*b.Shape[1] + b.Indices[k]
			if b.Kind == anndata.CSC {
				at = b.Indices[k]*b.Shape[1] + i
			}
			sum(b.Type, out[at*size:][:size], b.Data[k*size:][:size])
		}
	}
	return out
}

// sum adds small numbers, by way of float64.
func sum(t *dtype.Type, to, from []byte) {
	if t.Kind == dtype.Complex {
		half := len(to) / 2
		sum(t.Elem, to[:half], from[:half])
		sum(t.Elem, to[half:], from[half:])
		return
	}
	if t.Kind == dtype.Bool {
		to[0] |= from[0]
		return
	}
	copy(to, encode(t, number(t, to)+number(t, from)))
}

func number(t *dtype.Type, b []byte) float64 {
	var bits uint64
	for i := range b {
		bits |= uint64(b[i]) << (8 * i)
	}
	switch t.Kind {
	case dtype.Float:
		return t.Float64(bits)
	case dtype.Int:
		shift := 64 - 8*len(b)
		return float64(int64(bits<<shift) >> shift)
	}
	return float64(bits)
}

func encode(t *dtype.Type, v float64) []byte {
	bits := uint64(int64(v))
	if t.Kind == dtype.Float {
		bits = t.FloatBits(v)
	}
	b := make([]byte, t.Size)
	for i := range b {
		b[i] = byte(bits >> (8 * i))
	}
	return b
}
