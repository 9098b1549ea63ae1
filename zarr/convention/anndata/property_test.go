package anndata_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/convention/anndata"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

// randomMatrix is a sparse matrix and its dense twin. Some elements are stored twice, and not in the order of their indices.
func randomMatrix(r *rand.Rand) (shape []int, tree *node) {
	shape = []int{1 + r.IntN(12), 1 + r.IntN(12)}
	of := func(names ...string) string { return names[r.IntN(len(names))] }
	kind := of("csr_matrix", "csc_matrix")
	dtype := of("int8", "uint16", "int32", "int64", "uint64", "float32", "float64", "bool", "complex64")
	major, minor := shape[0], shape[1]
	if kind == "csc_matrix" {
		major, minor = minor, major
	}
	dense := make([]any, shape[0]*shape[1])
	for i := range dense {
		dense[i] = zeroOf(dtype)
	}
	var data, indices []any
	indptr := []any{0}
	fullness := r.Float64()
	for i := range major {
		n := int(fullness * 1.5 * float64(minor))
		if r.IntN(3) == 0 {
			n = 0
		}
		for range n {
			j := r.IntN(minor)
			at := i*shape[1] + j
			if kind == "csc_matrix" {
				at = j*shape[1] + i
			}
			var v any
			switch dtype {
			case "complex64":
				c := complex(float32(r.IntN(9)), -float32(r.IntN(9)))
				v, dense[at] = c, dense[at].(complex64)+c
			case "bool":
				b := r.IntN(2)
				v, dense[at] = b, dense[at].(int)|b
			default:
				b := 1 + r.IntN(5)
				v, dense[at] = b, dense[at].(int)+b
			}
			data, indices = append(data, v), append(indices, j)
		}
		indptr = append(indptr, len(data))
	}
	chunk := func() int { return 1 + r.IntN(max(4, len(data))) }
	return shape, dir(nil, map[string]*node{
		"sparse": dir(encoded(kind, "0.1.0", "shape", shape), map[string]*node{
			"data":    list(dtype, data...).chunked(chunk()),
			"indices": list(of("int32", "int64", "uint8", "uint32"), indices...).chunked(chunk()),
			"indptr":  list(of("int32", "int64", "uint16"), indptr...).chunked(1 + r.IntN(major+1)),
		}),
		"dense": array(dtype, shape, dense...).chunked(1+r.IntN(shape[0]), 1+r.IntN(shape[1])),
	})
}

func randomItem(r *rand.Rand, n int) grid.Item {
	any := func() int64 { return int64(r.IntN(n+4) - (n+4)/2) }
	switch r.IntN(8) {
	case 0:
		return grid.All()
	case 1:
		if r.IntN(12) == 0 {
			return grid.At(int64(n))
		}
		return grid.At(int64(r.IntN(2*n) - n))
	case 2, 3:
		var start, stop *int64
		if r.IntN(2) == 0 {
			start = new(any())
		}
		if r.IntN(2) == 0 {
			stop = new(any())
		}
		return grid.Range(start, stop, new([]int64{1, 1, 2, 3, -1, -2}[r.IntN(6)]))
	case 4:
		mask := make([]bool, n)
		for i := range mask {
			mask[i] = r.IntN(2) == 0
		}
		return grid.MaskOf(mask)
	}
	list := make([]int64, r.IntN(7))
	for i := range list {
		list[i] = int64(r.IntN(2*n) - n)
	}
	return grid.ListOf(list)
}

// TestSelections compares 10,000 random selections of sparse matrices with those of the dense arrays that they stand for.
func TestSelections(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 0))
	refusals := 0
	for range 200 {
		shape, tree := randomMatrix(r)
		root := tree.open(t, false)
		dense, err := root.Hierarchy().OpenArray(t.Context(), "dense")
		must(t, dense, err)
		element, err := anndata.OpenElement(t.Context(), group(t, root.Hierarchy(), "sparse"))
		m := must(t, element, err).(*anndata.SparseMatrix)
		for range 50 {
			sel := []grid.Item{randomItem(r, shape[0]), randomItem(r, shape[1])}
			switch r.IntN(10) {
			case 0:
				sel = [][]grid.Item{nil, {grid.EllipsisItem()}, {{}, {}, {}}}[r.IntN(3)]
			case 1:
				sel = sel[:1]
			case 2:
				sel[0] = grid.EllipsisItem()
			}
			what := fmt.Sprintf("%v %v", m, sel)
			want, wantErr := dense.Read(t.Context(), sel, all)
			is, err := m.Read(t.Context(), sel, all)
			block, sparseErr := m.ReadSparse(t.Context(), sel, all)
			if wantErr != nil {
				refusals++
				var wrong *zarr.InvalidSelectionError
				if !errors.As(err, &wrong) || !errors.As(sparseErr, &wrong) {
					t.Fatalf("%s: %v and %v instead of %v", what, err, sparseErr, wantErr)
				}
				continue
			}
			if err != nil || sparseErr != nil {
				t.Fatalf("%s: %v, %v", what, err, sparseErr)
			}
			if !slices.Equal(is.Shape, want.Shape) || !bytes.Equal(is.Data, want.Data) || is.Type != m.DType() {
				t.Fatalf("%s:\n%v % x instead of\n%v % x", what, is.Shape, is.Data, want.Shape, want.Data)
			}
			if out := expand(block); !bytes.Equal(out, want.Data) {
				t.Fatalf("%s: sparse: % x instead of % x", what, out, want.Data)
			}
		}
	}
	if refusals == 0 {
		t.Error("no selection was refused")
	}
}

// TestEverything reads each kind of element, with and without consolidated metadata.
func TestEverything(t *testing.T) {
	ctx := t.Context()
	for _, consolidated := range []bool{true, false} {
		a, err := anndata.Open(ctx, small().unlisting(t, consolidated))
		must(t, a, err)
		if a.Obsm.Listed != consolidated {
			t.Errorf("names are known: %v", a.Obsm.Listed)
		}
		table, err := a.Obs.Read(ctx, grid.All(), nil, all)
		want := "   kind  count  name  size   flag\na  high      5     x   0.5   true\nb  <NA>   <NA>  <NA>   1.5  false\nc   low      7     z   2.5   true\n[3 rows × 5 columns]"
		if must(t, table, err).String() != want {
			t.Errorf("printed:\n%s", table)
		}
		n := int64(1)
		table, err = a.Obs.Read(ctx, grid.Range(nil, &n, nil), []string{"size"}, all)
		if must(t, table, err).String() != "   size\na   0.5\n[1 of 3 rows × 1 columns]" || table.Column("size").Value(0) != 0.5 || table.Column("kind") != nil {
			t.Errorf("printed:\n%s", table)
		}
		name, err := a.Obs.OpenColumn(ctx, "name")
		if must(t, name, err).(*anndata.Nullable).NAValue != "NaN" {
			t.Error("na-value")
		}
		element, err := a.Obsm.Open(ctx, "ragged")
		ragged := must(t, element, err).(*anndata.AwkwardArray)
		if ragged.Length != 3 || string(ragged.Form) != `{"class": "ListOffsetArray"}` {
			t.Errorf("ragged: %d %s", ragged.Length, ragged.Form)
		}
		offsets, err := ragged.Open(ctx, "node0-offsets")
		if must(t, offsets, err).Shape[0] != 4 {
			t.Error("offsets")
		}
		refused[*zarr.UnsupportedError](t, "ragged", func() error { _, err := anndata.ReadElement(ctx, ragged, all); return err })
		nothing, err := a.Uns.Open(ctx, "nothing")
		if nothing != nil || err != nil {
			t.Errorf("nothing: %v, %v", nothing, err)
		}
		if consolidated {
			uns, err := anndata.ReadElement(ctx, a.Uns, all)
			if fmt.Sprint(must(t, uns, err)) != "map[nothing:<nil> three:3]" {
				t.Errorf("uns: %v", uns)
			}
		} else {
			refused[*zarr.UnsupportedError](t, "uns", func() error { _, err := anndata.ReadElement(ctx, a.Uns, all); return err })
		}
		refused[*zarr.NotFoundError](t, "no such layer", func() error { _, err := a.Layers.Open(ctx, "none"); return err })
		refused[*zarr.NotFoundError](t, "no such array", func() error { _, err := a.Varm.Open(ctx, "none"); return err })
		refused[*zarr.NotFoundError](t, "out of the group", func() error { _, err := a.Obsm.Open(ctx, "../X"); return err })
		refused[*zarr.InvalidSelectionError](t, "no such column", func() error { _, err := a.Obs.Column(ctx, "none", grid.All(), all); return err })
		refused[*zarr.InvalidSelectionError](t, "rows", func() error { _, err := a.Obs.Column(ctx, "size", grid.At(3), all); return err })
		partial := zarr.ReadOptions{Partial: func(zarr.Partial) {}}
		refused[*zarr.UnsupportedError](t, "partial results", func() error { _, err := a.X.Read(ctx, nil, partial); return err })
		var told [][2]int
		_, err = a.X.Read(ctx, nil, zarr.ReadOptions{Progress: func(done, total int) { told = append(told, [2]int{done, total}) }})
		if err != nil || told[len(told)-1] != [2]int{3, 3} {
			t.Errorf("progress: %v, %v", told, err)
		}
	}
}

// refused returns the error of a call, which has to be of a type.
func refused[E error](t *testing.T, what string, call func() error) error {
	t.Helper()
	err := call()
	var e E
	if !errors.As(err, &e) {
		t.Errorf("%s: %T %v instead of %T", what, err, err, e)
	}
	return err
}

// readAll reads all that an AnnData has.
func readAll(t *testing.T, root *zarr.Group) error {
	ctx := t.Context()
	a, err := anndata.Open(ctx, root)
	if err != nil {
		return err
	}
	elements := []anndata.Element{a.Obs, a.Var}
	if a.X != nil {
		elements = append(elements, a.X)
		if _, err := a.X.Read(ctx, nil, all); err != nil {
			return err
		}
	}
	if a.Raw != nil {
		elements = append(elements, a.Raw.Var, a.Raw.Varm)
		if a.Raw.X != nil {
			elements = append(elements, a.Raw.X)
		}
	}
	for _, m := range []*anndata.Mapping{a.Uns, a.Obsm, a.Varm, a.Layers, a.Obsp, a.Varp} {
		for _, name := range m.Names {
			e, err := m.Open(ctx, name)
			if err != nil {
				return err
			}
			elements = append(elements, e)
		}
	}
	for _, e := range elements {
		if _, ragged := e.(*anndata.AwkwardArray); ragged {
			continue
		}
		if _, err := anndata.ReadElement(ctx, e, all); err != nil {
			return err
		}
	}
	return nil
}

// named tells whether an error is one that data may lead to, and returns its name.
func named(err error) (string, bool) {
	var (
		invalid   *zarr.InvalidMetadataError
		codec     *zarr.CodecPipelineError
		missing   *zarr.NotFoundError
		unknown   *zarr.UnsupportedError
		selection *zarr.InvalidSelectionError
		limit     *zarr.LimitError
	)
	switch {
	case errors.As(err, &invalid):
		return "InvalidMetadataError", true
	case errors.As(err, &codec):
		return "CodecPipelineError", true
	case errors.As(err, &missing):
		return "NotFoundError", true
	case errors.As(err, &unknown):
		return "UnsupportedError", true
	case errors.As(err, &selection):
		return "InvalidSelectionError", true
	case errors.As(err, &limit):
		return "LimitError", true
	}
	return fmt.Sprintf("%T", err), false
}

// TestRefusals refuses by name what cannot be, again and again.
func TestRefusals(t *testing.T) {
	x := func(n *node) *node { return n.members["X"] }
	obs := func(n *node) *node { return n.members["obs"] }
	kind := func(n *node) *node { return obs(n).members["kind"] }
	nines := slices.Repeat(values{1}, 9)
	for _, c := range []struct {
		what   string
		change func(a *node)
		name   string
	}{
		{"shape of another", func(a *node) { x(a).attrs["shape"] = values{3, 3} }, "InvalidMetadataError"},
		{"shape is text", func(a *node) { x(a).attrs["shape"] = "3,2" }, "InvalidMetadataError"},
		{"shape is negative", func(a *node) { x(a).attrs["shape"] = values{-3, 2} }, "InvalidMetadataError"},
		{"shape is absurd", func(a *node) { x(a).attrs["shape"] = values{1e300, 2} }, "InvalidMetadataError"},
		{"no indptr", func(a *node) { delete(x(a).members, "indptr") }, "InvalidMetadataError"},
		{"indptr is short", func(a *node) { x(a).members["indptr"] = list("int32", 0, 3) }, "InvalidMetadataError"},
		{"indices are fewer", func(a *node) { x(a).members["indices"] = list("int32", 0, 1) }, "InvalidMetadataError"},
		{"indices are floats", func(a *node) { x(a).members["indices"] = list("float32", 0, 1, 0) }, "InvalidMetadataError"},
		{"data is text", func(a *node) { x(a).members["data"] = list("string", "a", "b", "c") }, "UnsupportedError"},
		{"data has two dimensions", func(a *node) { x(a).members["data"] = array("int8", []int{3, 1}, 1, 2, 3) }, "InvalidMetadataError"},
		{"indptr descends", func(a *node) { x(a).members["indptr"] = list("int32", 0, 2, 1, 3) }, "CodecPipelineError"},
		{"indptr goes too far", func(a *node) { x(a).members["indptr"] = list("int32", 0, 2, 2, 4) }, "CodecPipelineError"},
		{"indptr begins late", func(a *node) { x(a).members["indptr"] = list("int32", 1, 2, 2, 3) }, "CodecPipelineError"},
		{"indptr is negative", func(a *node) { x(a).members["indptr"] = list("int32", 0, -2, 2, 3) }, "CodecPipelineError"},
		{"index out of range", func(a *node) { x(a).members["indices"] = list("int32", 0, 2, 1) }, "CodecPipelineError"},
		{"index negative", func(a *node) { x(a).members["indices"] = list("int32", 0, -1, 1) }, "CodecPipelineError"},
		{"index of 64 bits", func(a *node) { x(a).members["indices"] = list("int64", 0, int64(1)<<40, 1) }, "CodecPipelineError"},
		{"X is a frame", func(a *node) { a.members["X"] = frame(values{"a"}) }, "InvalidMetadataError"},
		{"X is of one dimension", func(a *node) { a.members["X"] = list("int8", 1, 2, 3) }, "InvalidMetadataError"},
		{"X is unknown", func(a *node) { x(a).attrs["encoding-type"] = "coo_matrix" }, "UnsupportedError"},
		{"X is of the future", func(a *node) { x(a).attrs["encoding-version"] = "9.0.0" }, "UnsupportedError"},
		{"X says array", func(a *node) { x(a).attrs = encoded("array", "0.2.0") }, "InvalidMetadataError"},
		{"X says 3", func(a *node) { x(a).attrs["encoding-type"] = 3 }, "InvalidMetadataError"},
		{"no obs", func(a *node) { delete(a.members, "obs") }, "InvalidMetadataError"},
		{"obs is an array", func(a *node) { a.members["obs"] = list("int8", 1, 2, 3) }, "InvalidMetadataError"},
		{"obs is a dict", func(a *node) { a.members["obs"] = dict(nil) }, "InvalidMetadataError"},
		{"no index", func(a *node) { delete(obs(a).attrs, "_index") }, "InvalidMetadataError"},
		{"index is absent", func(a *node) { obs(a).attrs["_index"] = "nowhere" }, "InvalidMetadataError"},
		{"index is elsewhere", func(a *node) { obs(a).attrs["_index"] = "../var/_index" }, "InvalidMetadataError"},
		{"index is the root's", func(a *node) { obs(a).attrs["_index"] = "/var/_index" }, "InvalidMetadataError"},
		{"index is a list", func(a *node) { obs(a).attrs["_index"] = values{"_index"} }, "InvalidMetadataError"},
		{"columns are text", func(a *node) { obs(a).attrs["column-order"] = "kind" }, "InvalidMetadataError"},
		{"columns are twice", func(a *node) { obs(a).attrs["column-order"] = values{"kind", "kind"} }, "InvalidMetadataError"},
		{"columns are numbers", func(a *node) { obs(a).attrs["column-order"] = values{1} }, "InvalidMetadataError"},
		{"column is elsewhere", func(a *node) { obs(a).attrs["column-order"] = values{"../X"} }, "InvalidMetadataError"},
		{"column is absent", func(a *node) { obs(a).attrs["column-order"] = values{"nowhere"} }, "InvalidMetadataError"},
		{"column is short", func(a *node) { obs(a).members["size"] = list("float64", 1) }, "InvalidMetadataError"},
		{"column is a matrix", func(a *node) { obs(a).members["size"] = array("int8", []int{3, 1}, 1, 2, 3) }, "InvalidMetadataError"},
		{"column is a dict", func(a *node) { obs(a).members["size"] = dict(nil) }, "UnsupportedError"},
		{"codes too large", func(a *node) { kind(a).members["codes"] = list("int8", 1, 2, 0) }, "CodecPipelineError"},
		{"codes too small", func(a *node) { kind(a).members["codes"] = list("int8", 1, -2, 0) }, "CodecPipelineError"},
		{"codes are floats", func(a *node) { kind(a).members["codes"] = list("float32", 1, 0, 0) }, "InvalidMetadataError"},
		{"no categories", func(a *node) { delete(kind(a).members, "categories") }, "InvalidMetadataError"},
		{"categories of categories", func(a *node) { kind(a).members["categories"] = kind(small()) }, "InvalidMetadataError"},
		{"mask is short", func(a *node) { obs(a).members["count"].members["mask"] = list("bool", 1) }, "InvalidMetadataError"},
		{"mask is of numbers", func(a *node) { obs(a).members["count"].members["mask"] = list("int8", 1, 0, 0) }, "InvalidMetadataError"},
		{"no mask", func(a *node) { delete(obs(a).members["count"].members, "mask") }, "InvalidMetadataError"},
		{"obsm is an array", func(a *node) { a.members["obsm"] = list("int8", 1) }, "InvalidMetadataError"},
		{"obsm is short", func(a *node) { a.members["obsm"].members["X_umap"] = array("int8", []int{2, 2}, 1, 2, 3, 4) }, "InvalidMetadataError"},
		{"layer of another shape", func(a *node) { a.members["layers"].members["l"] = array("int8", []int{3, 3}, nines...) }, "InvalidMetadataError"},
		{"ragged is short", func(a *node) { a.members["obsm"].members["ragged"].attrs["length"] = 2 }, "InvalidMetadataError"},
		{"ragged has no length", func(a *node) { a.members["obsm"].members["ragged"].attrs["length"] = "3" }, "InvalidMetadataError"},
		{"ragged has no form", func(a *node) { a.members["obsm"].members["ragged"].attrs["form"] = "{" }, "InvalidMetadataError"},
		{"raw is empty", func(a *node) { a.members["raw"] = dir(encoded("raw", "0.1.0"), nil) }, "InvalidMetadataError"},
		{"raw has other rows", func(a *node) {
			a.members["raw"] = dir(encoded("raw", "0.1.0"), map[string]*node{"X": csr(values{2, 1}, values{0, 0, 0}, nil, nil), "var": frame(values{"g"})})
		}, "InvalidMetadataError"},
		{"another version", func(a *node) { a.attrs["encoding-version"] = "1.0.0" }, "UnsupportedError"},
		{"another thing", func(a *node) { a.attrs = encoded("MuData", "0.1.0") }, "NotFoundError"},
	} {
		tree := small()
		c.change(tree)
		root := tree.open(t, true)
		first := readAll(t, root)
		if name, _ := named(first); name != c.name {
			t.Errorf("%s: %v (%s) instead of %s", c.what, first, name, c.name)
			continue
		}
		if again := readAll(t, root); again == nil || again.Error() != first.Error() {
			t.Errorf("%s: %v, and then %v", c.what, first, again)
		}
	}
	if err := readAll(t, small().open(t, true)); err != nil {
		t.Error(err)
	}
}

// TestMutations reads what has random attributes and members: it is read, or refused by name.
func TestMutations(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 0))
	some := values{nil, true, -1, 0, 3, 1 << 31, 1e300, 0.5, "", "x", "_index", "../..", "/", "dict", "csr_matrix", "dataframe", "0.1.0", values{}, values{3, 2},
		values{nil}, values{"a", "a"}, values{values{}}, attributes{}, attributes{"a": 1}}
	failures := 0
	const count = 500
	for range count {
		tree := small()
		nodes := tree.all()
		done := ""
		for range 1 + r.IntN(2) {
			n := nodes[r.IntN(len(nodes))]
			names := []string{"encoding-type", "encoding-version", "categories", "h5sparse_format", "shape", "ordered", "_index", "column-order", "length", "form"}
			name := names[r.IntN(len(names))]
			if n.attrs[name] = some[r.IntN(len(some))]; r.IntN(5) == 0 {
				delete(n.attrs, name)
			}
			done += fmt.Sprintf("%s=%v ", name, n.attrs[name])
			if inside := n.names(); len(inside) > 0 && r.IntN(4) == 0 {
				from, to := inside[r.IntN(len(inside))], inside[r.IntN(len(inside))]
				n.members[to] = n.members[from]
				done += from + "->" + to + " "
			}
		}
		root := tree.open(t, r.IntN(2) == 0)
		if err := readAll(t, root); err != nil {
			failures++
			if name, ok := named(err); !ok {
				t.Errorf("%s: %s %v", done, name, err)
			}
		}
		_, muErr := anndata.OpenMuData(t.Context(), root)
		_, spatialErr := anndata.OpenSpatialData(t.Context(), root)
		for _, err := range []error{muErr, spatialErr} {
			if name, ok := named(err); !ok {
				t.Errorf("%s: %s %v", done, name, err)
			}
		}
	}
	if failures < count/5 {
		t.Errorf("only %d of %d mutations were refused", failures, count)
	}
}

// TestOld reads the forms of anndata before 0.8.
func TestOld(t *testing.T) {
	ctx := t.Context()
	before := func(columns ...any) attributes {
		return encoded("dataframe", "0.1.0", "_index", "index", "column-order", append(values{}, columns...))
	}
	tree := dir(nil, map[string]*node{
		"X": dir(attributes{"h5sparse_format": "csr", "h5sparse_shape": values{2, 3}}, map[string]*node{
			"data": list("float32", 1, 2), "indices": list("int32", 2, 0), "indptr": list("int32", 0, 1, 2),
		}),
		"obs": dir(before("kind"), map[string]*node{
			"index":        list("string", "a", "b"),
			"kind":         list("int8", 1, -1).with(attributes{"categories": "__categories/kind"}),
			"__categories": dir(nil, map[string]*node{"kind": list("string", "x", "y").with(attributes{"ordered": true})}),
		}),
		"var":     dir(before(), map[string]*node{"index": list("string", "g", "h", "i")}),
		"raw.X":   array("int8", []int{2, 1}, 7, 8),
		"raw.var": dir(before(), map[string]*node{"index": list("string", "z")}),
	})
	a, err := anndata.Open(ctx, tree.unlisting(t, false))
	must(t, a, err)
	res, err := a.X.Read(ctx, nil, all)
	sameText(t, "X", valuesOf(must(t, res, err)), "[0 0 1 2 0 0]")
	kind, err := a.Obs.Column(ctx, "kind", grid.All(), all)
	if must(t, kind, err); !kind.Ordered {
		t.Error("kind is not ordered")
	}
	sameText(t, "kind", kind.Values(), "[y <nil>]")
	res, err = a.Raw.X.Read(ctx, nil, all)
	sameText(t, "raw", valuesOf(must(t, res, err)), "[7 8]")
	sameText(t, "raw", a.Raw, "Raw AnnData with n_obs × n_vars = 2 × 1")
	refused[*zarr.NotFoundError](t, "no AnnData", func() error { _, err := anndata.Open(ctx, dir(nil, nil).open(t, true)); return err })
}

func sameText(t *testing.T, what string, is any, want string) {
	t.Helper()
	if text := fmt.Sprint(is); text != want {
		t.Errorf("%s: %s instead of %s", what, text, want)
	}
}

// TestRecords reads data frames that are arrays of structs, as anndata wrote them until 0.6, whose categories are in uns.
func TestRecords(t *testing.T) {
	ctx := t.Context()
	plain := `"zarr_format": 2, "compressor": null, "filters": null, "fill_value": null, "order": "C"`
	row := func(name string, kind byte, size string) string { return name + string([]byte{kind}) + size }
	objects := map[string][]byte{
		".zgroup":                     []byte(`{"zarr_format": 2}`),
		"obs/.zarray":                 []byte(`{` + plain + `, "shape": [3], "chunks": [3], "dtype": [["name", "|S2"], ["kind", "|i1"], ["size", "<i2"]]}`),
		"obs/0":                       []byte(row("c0", 1, "\x05\x00") + row("c1", 255, "\x06\x00") + row("c2", 0, "\x07\x00")),
		"var/.zarray":                 []byte(`{` + plain + `, "shape": [1], "chunks": [1], "dtype": [["index", "|S1"], ["kind", "|i1"], ["size", "|i1"]]}`),
		"var/0":                       []byte("g\x09\x00"),
		"uns/.zgroup":                 []byte(`{"zarr_format": 2}`),
		"uns/kind_categories/.zarray": []byte(`{` + plain + `, "shape": [2], "chunks": [2], "dtype": "|S3"}`),
		"uns/kind_categories/0":       []byte("lowtop"),
		"uns/size_categories/.zarray": []byte(`{` + plain + `, "shape": [], "chunks": [], "dtype": "|S3"}`),
		"uns/size_categories/0":       []byte("all"),
	}
	a, err := anndata.Open(ctx, rootOf(t, memstore.New(objects)))
	must(t, a, err)
	sameText(t, "columns", a.Obs.Columns, "[kind size]")
	index, err := a.Obs.Index(ctx, grid.All(), all)
	sameText(t, "index", must(t, index, err).Values(), "[c0 c1 c2]")
	for _, c := range []struct {
		frame  *anndata.DataFrame
		column string
		rows   grid.Item
		want   string
	}{
		{a.Obs, "kind", grid.All(), "categorical [top <nil> low]"},
		{a.Obs, "kind", grid.ListOf([]int64{2, 0}), "categorical [low top]"},
		{a.Obs, "size", grid.Range(new(int64(1)), nil, nil), "array [6 7]"},
		{a.Var, "kind", grid.All(), "array [9]"}, // no code of the categories of that name
		{a.Var, "size", grid.All(), "categorical [all]"},
	} {
		column, err := c.frame.Column(ctx, c.column, c.rows, all)
		sameText(t, c.column, must(t, column, err).Kind+" "+fmt.Sprint(column.Values()), c.want)
	}
}

// TestMuData opens several AnnData that share observations.
func TestMuData(t *testing.T) {
	ctx := t.Context()
	tree := func(axis int, order ...any) *node {
		return dir(encoded("MuData", "0.1.0", "axis", axis), map[string]*node{
			"obs":    frame(values{"a", "b", "c", "d"}, "all", list("int8", 1, 2, 3, 4)),
			"var":    frame(values{"g", "h", "p"}),
			"mod":    dir(attributes{"mod-order": order}, map[string]*node{"rna": small(), "prot": small()}),
			"obsmap": dict(map[string]*node{"rna": list("uint32", 1, 2, 3, 0), "prot": list("uint32", 0, 1, 2, 3)}),
		})
	}
	for _, consolidated := range []bool{true, false} {
		m, err := anndata.OpenMuData(ctx, tree(0, "rna", "prot").unlisting(t, consolidated))
		must(t, m, err)
		sameText(t, "mudata", fmt.Sprint(m.Shape, m.Axis, m.Modalities), "[4 3] 0 [rna prot]")
		rna, err := m.Open(ctx, "rna")
		sameText(t, "rna", must(t, rna, err).Shape, "[3 2]")
		obsmap, err := m.Obsmap.Open(ctx, "rna")
		value, err2 := anndata.ReadElement(ctx, must(t, obsmap, err), all)
		sameText(t, "obsmap", valuesOf(must(t, value, err2).(*zarr.Result)), "[1 2 3 0]")
		refused[*zarr.NotFoundError](t, "no such modality", func() error { _, err := m.Open(ctx, "atac"); return err })
		if consolidated {
			sameText(t, "printed", m, "MuData object with n_obs × n_vars = 4 × 3\n    obs: 'all'\n    mod: 'rna', 'prot'")
		}
	}
	refused[*zarr.InvalidMetadataError](t, "axis", func() error { _, err := anndata.OpenMuData(ctx, tree(2).open(t, true)); return err })
	refused[*zarr.NotFoundError](t, "AnnData", func() error { _, err := anndata.OpenMuData(ctx, small().open(t, true)); return err })
	// An order that lacks a modality does not count.
	m, err := anndata.OpenMuData(ctx, tree(0, "rna").open(t, true))
	sameText(t, "order", must(t, m, err).Modalities, "[prot rna]")
}

// TestSpatialData opens elements of all kinds.
func TestSpatialData(t *testing.T) {
	ctx := t.Context()
	to := func(name string) attributes {
		return attributes{"type": "identity", "output": attributes{"name": name}}
	}
	shapes := func(version string, members map[string]*node) *node {
		return dir(attributes{
			"encoding-type": "ngff:shapes", "axes": values{"x", "y"}, "spatialdata_attrs": attributes{"version": version},
			"coordinateTransformations": values{to("global"), to("slide")},
		}, members)
	}
	table := small()
	table.attrs["region"], table.attrs["region_key"], table.attrs["instance_key"] = "cells", "kind", "count"
	image := attributes{"ome": attributes{"version": "0.5-dev-spatialdata", "multiscales": values{attributes{
		"axes": values{attributes{"name": "y"}, attributes{"name": "x"}}, "coordinateTransformations": values{to("global")},
	}}}}
	tree := dir(attributes{"spatialdata_attrs": attributes{"version": "0.2"}}, map[string]*node{
		"images": dir(nil, map[string]*node{"tissue": dir(image, map[string]*node{"0": array("uint8", []int{2, 2}, 1, 2, 3, 4)})}),
		"points": dir(nil, map[string]*node{"spots": dir(attributes{"encoding-type": "ngff:points", "axes": values{"x", "y"}}, nil)}),
		"shapes": dir(nil, map[string]*node{"cells": shapes("0.3", nil), "rings": shapes("0.1", map[string]*node{"radius": list("float64", 1, 2)})}),
		"tables": dir(nil, map[string]*node{"table": table}),
	})
	s, err := anndata.OpenSpatialData(ctx, tree.open(t, true))
	must(t, s, err)
	sameText(t, "printed", s, strings.Join([]string{
		"SpatialData object", "├── Images", "│     └── 'tissue'", "├── Points", "│     └── 'spots'", "├── Shapes",
		"│     ├── 'cells'", "│     └── 'rings'", "└── Tables", "      └── 'table'",
	}, "\n"))
	tissue, err := s.Open(ctx, anndata.Images, "tissue")
	sameText(t, "image", fmt.Sprint(must(t, tissue, err).Version, tissue.Axes, tissue.Transformations[0].System), "0.5-dev-spatialdata[y x]global")
	level, err := tissue.Open(ctx, "0")
	sameText(t, "level", must(t, level, err).Path(), "images/tissue/0")
	for name, part := range map[string]string{"cells": "coords", "rings": "radius"} {
		e, err := s.Open(ctx, anndata.Shapes, name)
		sameText(t, name, fmt.Sprint(must(t, e, err).Axes, len(e.Transformations)), "[x y] 2")
		if _, err := e.Open(ctx, part); (err == nil) != (name == "rings") {
			t.Errorf("%s: %v", name, err)
		}
	}
	spots, err := s.Open(ctx, anndata.Points, "spots")
	must(t, spots, err)
	refused[*zarr.UnsupportedError](t, "points", func() error { _, err := spots.Open(ctx, "points.parquet"); return err })
	tbl, err := s.Table(ctx, "table")
	sameText(t, "table", fmt.Sprint(must(t, tbl, err).Table.Shape, tbl.Region, tbl.RegionKey, tbl.InstanceKey), "[3 2] [cells]kindcount")
	// Stores before 0.2 have no version, and OME's attributes of 0.4; before 0.1 the one table was in "table".
	scales := attributes{"multiscales": values{attributes{"version": "0.4", "axes": values{attributes{"name": "y"}, "x"},
		"coordinateTransformations": values{to("global"), attributes{"type": "scale"}}}}}
	before := dir(nil, map[string]*node{
		"labels": dir(nil, map[string]*node{"cells": dir(scales, nil)}), "table": dir(nil, map[string]*node{"table": small()}),
	})
	old, err := anndata.OpenSpatialData(ctx, before.open(t, true))
	cells, err2 := must(t, old, err).Open(ctx, anndata.Labels, "cells")
	sameText(t, "old", fmt.Sprint(must(t, cells, err2).Version, cells.Axes, len(cells.Transformations)), "0.4[y x] 1")
	tbl, err = old.Table(ctx, "table")
	sameText(t, "old", must(t, tbl, err).Region, "[]")
	refused[*zarr.NotFoundError](t, "no such label", func() error { _, err := s.Open(ctx, anndata.Labels, "none"); return err })
	refused[*zarr.NotFoundError](t, "nothing", func() error { _, err := anndata.OpenSpatialData(ctx, dir(nil, nil).open(t, true)); return err })
	s, err = anndata.OpenSpatialData(ctx, tree.unlisting(t, false))
	if _, known := must(t, s, err).Names(anndata.Images); known {
		t.Error("names are known")
	}
}

// TestLimits refuses sizes that no memory has with a LimitError, before anything is made of them.
func TestLimits(t *testing.T) {
	ctx := t.Context()
	const huge = 1 << 32
	many := make([]int64, 20_000)
	zeros := slices.Repeat(values{0}, len(many))
	matrix := func(shape values, pointers *node) *node {
		return dir(encoded("csr_matrix", "0.1.0", "shape", shape), map[string]*node{
			"data": list("float64", 1), "indices": list("int32", 0), "indptr": pointers,
		})
	}
	tree := dir(nil, map[string]*node{
		"tall": matrix(values{huge, 5}, list("int64")),
		"wide": matrix(values{1, huge + 1}, list("int32", 0, 1)),
		"full": dir(encoded("csr_matrix", "0.1.0", "shape", values{1, len(many)}), map[string]*node{
			"data": list("float64", zeros...), "indices": list("int32", zeros...), "indptr": list("int32", 0, len(many)),
		}),
	})
	objects := tree.objects(t, false)
	// None of its chunks is stored: all rows begin with element 0.
	objects["tall/indptr/zarr.json"] = []byte(fmt.Sprintf(`{"zarr_format": 3, "node_type": "array", "shape": [%d], "data_type": "int64", "fill_value": 0,
		"chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [1024]}}, "chunk_key_encoding": {"name": "default"}, "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}]}`, huge+1))
	h := rootOf(t, memstore.New(objects)).Hierarchy()
	open := func(name string) (*anndata.SparseMatrix, error) {
		e, err := anndata.OpenElement(ctx, group(t, h, name))
		m, _ := e.(*anndata.SparseMatrix)
		return m, err
	}
	tall, err := open("tall")
	must(t, tall, err)
	column := []grid.Item{grid.All(), grid.At(0)}
	for what, call := range map[string]func() error{
		"dense":         func() error { _, err := tall.Read(ctx, nil, all); return err },
		"dense column":  func() error { _, err := tall.Read(ctx, column, all); return err },
		"sparse":        func() error { _, err := tall.ReadSparse(ctx, nil, all); return err },
		"sparse column": func() error { _, err := tall.ReadSparse(ctx, column, all); return err },
	} {
		refused[*zarr.LimitError](t, what, call)
	}
	row, err := tall.Read(ctx, []grid.Item{grid.At(huge - 1)}, all)
	sameText(t, "a row", valuesOf(must(t, row, err)), "[0 0 0 0 0]")
	full, err := open("full")
	must(t, full, err)
	refused[*zarr.LimitError](t, "a row many times", func() error {
		_, err := full.ReadSparse(ctx, []grid.Item{grid.ListOf(many)}, all)
		return err
	})
	twice, err := full.ReadSparse(ctx, []grid.Item{grid.ListOf([]int64{0, 0})}, all)
	sameText(t, "a row twice", must(t, twice, err).Indptr, "[0 20000 40000]")
	refused[*zarr.UnsupportedError](t, "wide", func() error { _, err := open("wide"); return err })
}

// counting takes down what is read of a source.
type counting struct {
	store.Source
	mu   sync.Mutex
	keys []string
}

func (c *counting) Read(ctx context.Context, name string, ask store.Ask) (store.Extent, error) {
	c.mu.Lock()
	c.keys = append(c.keys, name)
	c.mu.Unlock()
	return c.Source.Read(ctx, name, ask)
}

// take returns what was read below the root since it was called last. A question about the root may still be under way when that is open.
func (c *counting) take() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	keys := slices.DeleteFunc(c.keys, func(key string) bool { return !strings.Contains(key, "/") })
	c.keys = nil
	slices.Sort(keys)
	return keys
}

// TestRequests counts what is read: nothing to open, and of a matrix only the chunks that are needed, each once.
func TestRequests(t *testing.T) {
	ctx := t.Context()
	tree := small()
	x := tree.members["X"].members
	x["data"].chunked(1)
	x["indices"].chunked(1)
	x["indptr"].chunked(2)
	source := &counting{Source: memstore.New(tree.objects(t, true))}
	root := rootOf(t, source)
	source.take()
	a, err := anndata.Open(ctx, root)
	must(t, a, err)
	sameText(t, "open", source.take(), "[]")
	res, err := a.X.Read(ctx, []grid.Item{grid.At(2)}, all)
	sameText(t, "row", valuesOf(must(t, res, err)), "[2 3]")
	sameText(t, "row", source.take(), "[X/data/c/1 X/data/c/2 X/indices/c/1 X/indices/c/2 X/indptr/c/1]")
	source = &counting{Source: memstore.New(tree.objects(t, true))}
	a, err = anndata.Open(ctx, rootOf(t, source))
	source.take()
	res, err2 := must(t, a, err).X.Read(ctx, []grid.Item{grid.ListOf([]int64{0, 1})}, all)
	sameText(t, "rows", valuesOf(must(t, res, err2)), "[0 1 0 0]")
	sameText(t, "rows", source.take(), "[X/data/c/0 X/indices/c/0 X/indptr/c/0 X/indptr/c/1]")
	column, err := a.Obs.Column(ctx, "kind", grid.At(0), all)
	sameText(t, "column", must(t, column, err).Values(), "[high]")
	sameText(t, "column", source.take(), "[obs/kind/categories/c/0 obs/kind/codes/c/0]")
}
