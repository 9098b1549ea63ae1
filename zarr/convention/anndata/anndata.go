// Package anndata reads AnnData, MuData and SpatialData as tables and matrices: stores that anndata, mudata and spatialdata wrote,
// of any version.
//
//	adata, err := anndata.Open(ctx, group)
//	column, err := adata.Obs.Column(ctx, "cell_type", grid.All(), zarr.ReadOptions{})
//	block, err := adata.X.Read(ctx, []grid.Item{grid.Range(nil, &n, nil)}, zarr.ReadOptions{})
//
// What a store has is known from metadata when it is opened; values are read when they are asked for. Metadata that contradict
// each other are a *zarr.InvalidMetadataError, and elements that do a *zarr.CodecPipelineError with the array's path. An
// encoding that is not known is a *zarr.UnsupportedError.
package anndata

import (
	"context"
	"fmt"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/guard"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/zarr"
)

// AnnData is an AnnData: its file format, section "AnnData specification".
type AnnData struct {
	// Group is the object's group.
	Group *zarr.Group
	// Shape is observations and variables.
	Shape [2]int64
	// X is the matrix of observations × variables, dense or sparse, or nil.
	X Matrix
	// Obs and Var are what is known of each observation and each variable.
	Obs, Var *DataFrame
	// Uns is anything else.
	Uns *Mapping
	// Obsm and Varm are arrays with a row for each observation or variable, Layers matrices of the shape of X, Obsp and Varp
	// matrices of observations × observations and of variables × variables.
	Obsm, Varm, Layers, Obsp, Varp *Mapping
	// Raw is what was kept of the variables before they were selected, or nil.
	Raw *Raw
}

// Raw is what an AnnData keeps of the variables before they were selected.
type Raw struct {
	// Shape is observations and variables.
	Shape [2]int64
	// X is the matrix, or nil where there is none.
	X Matrix
	// Var is what is known of each variable.
	Var *DataFrame
	// Varm are arrays with a row for each variable.
	Varm *Mapping
}

// Path is the path of the object's group.
func (a *AnnData) Path() string { return a.Group.Path() }

// Open opens an AnnData of any version, as anndata 0.5 to today's wrote them. Nothing but metadata is read.
//
// Errors are a *zarr.NotFoundError where there is no AnnData; a *zarr.InvalidMetadataError where obs or var are missing or
// shapes contradict each other; and a *zarr.UnsupportedError for encodings that are not known.
func Open(ctx context.Context, g *zarr.Group) (*AnnData, error) {
	e, err := EncodingOf(g)
	if err != nil {
		return nil, err
	}
	if e.Type != "" && e.Type != "anndata" {
		return nil, &zarr.NotFoundError{Path: g.Path(), Want: "AnnData", Found: e.Type}
	}
	if _, err := knownEncoding(g); err != nil {
		return nil, err
	}
	wanted := strings.Split("X obs var raw uns obsm varm layers obsp varp", " ")
	if e.Type == "" {
		// How raw was written before 0.7.
		wanted = append(wanted, "raw.X", "raw.var", "raw.varm")
	}
	inside, err := membersOf(ctx, g, wanted...)
	if err != nil {
		return nil, err
	}
	if err := inside.needs(e, "AnnData", "obs", "var"); err != nil {
		return nil, err
	}
	a := &AnnData{Group: g}
	if a.Obs, a.Var, err = inside.frames(ctx); err != nil {
		return nil, err
	}
	n, m := a.Obs.Len(), a.Var.Len()
	a.Shape = [2]int64{n, m}
	all, ctx := guard.NewGroup(ctx)
	inside.mappings(ctx, all, map[string]section{
		"uns": {&a.Uns, nil}, "obsm": {&a.Obsm, []int64{n}}, "varm": {&a.Varm, []int64{m}},
		"layers": {&a.Layers, []int64{n, m}}, "obsp": {&a.Obsp, []int64{n, n}}, "varp": {&a.Varp, []int64{m, m}},
	})
	all.Go(func() (err error) {
		a.X, err = inside.matrix(ctx, "X", a.Shape)
		return err
	})
	all.Go(func() (err error) {
		a.Raw, err = inside.raw(ctx, n)
		return err
	})
	if err := all.Wait(); err != nil {
		return nil, err
	}
	return a, nil
}

// needs refuses a group that lacks a member.
func (m *members) needs(e Encoding, want string, names ...string) error {
	for _, name := range names {
		if m.has(name) {
			continue
		}
		if e.Type == "" {
			return &zarr.NotFoundError{Path: m.group.Path(), Want: want}
		}
		return invalid(m.group.Path(), "", "it has no "+name)
	}
	return nil
}

// frames opens obs and var.
func (m *members) frames(ctx context.Context) (obs, variables *DataFrame, err error) {
	obsNode, err := m.open(ctx, "obs")
	if err != nil {
		return nil, nil, err
	}
	varNode, err := m.open(ctx, "var")
	if err != nil {
		return nil, nil, err
	}
	var categoriesOf func(string) ColumnElement
	if isArray(obsNode) || isArray(varNode) {
		if categoriesOf, err = m.categories(ctx); err != nil {
			return nil, nil, err
		}
	}
	both, ctx := guard.NewGroup(ctx)
	both.Go(func() (err error) {
		obs, err = openFrame(ctx, obsNode, categoriesOf)
		return err
	})
	both.Go(func() (err error) {
		variables, err = openFrame(ctx, varNode, categoriesOf)
		return err
	})
	return obs, variables, both.Wait()
}

func isArray(n zarr.Node) bool {
	_, ok := n.(*zarr.Array)
	return ok
}

// section is where a mapping goes, and the lengths that the first dimensions of its elements have to have.
type section struct {
	to      **Mapping
	lengths []int64
}

// mappings opens mappings by their names. Those that are not there are empty.
func (m *members) mappings(ctx context.Context, all *guard.Group, sections map[string]section) {
	for name, s := range sections {
		all.Go(func() error {
			*s.to = &Mapping{path: store.Join(m.group.Path(), name), Names: []string{}, Listed: true}
			if !m.has(name) {
				return nil
			}
			g, err := groupOf(m.open(ctx, name))
			if err == nil {
				*s.to, err = openMapping(ctx, g, s.lengths)
			}
			return err
		})
	}
}

// matrix opens a matrix, nil where there is none.
func (m *members) matrix(ctx context.Context, name string, shape [2]int64) (Matrix, error) {
	if !m.has(name) {
		return nil, nil
	}
	n, err := m.open(ctx, name)
	if err != nil {
		return nil, err
	}
	e, err := OpenElement(ctx, n)
	if err != nil || e == nil {
		return nil, err
	}
	matrix, ok := e.(Matrix)
	if !ok {
		return nil, invalid(n.Path(), "", "it is no matrix")
	}
	if err := checkLengths(e, shape[:]); err != nil {
		return nil, err
	}
	return matrix, nil
}

// raw opens what is kept of all variables, also in the form of anndata before 0.7; nil where there is nothing.
func (m *members) raw(ctx context.Context, n int64) (*Raw, error) {
	from, prefix := m, "raw."
	switch {
	case m.has("raw"):
		node, err := m.open(ctx, "raw")
		if err != nil {
			return nil, err
		}
		if e, err := knownEncoding(node); err != nil || e.Type == "null" {
			return nil, err
		}
		g, err := groupOf(node, nil)
		if err != nil {
			return nil, err
		}
		if from, err = membersOf(ctx, g, "X", "var", "varm"); err != nil {
			return nil, err
		}
		prefix = ""
	case !m.has("raw.X") && !m.has("raw.var"):
		return nil, nil
	}
	if !from.has(prefix + "var") {
		return nil, invalid(from.group.Path(), "", "it has no "+prefix+"var")
	}
	node, err := from.open(ctx, prefix+"var")
	if err != nil {
		return nil, err
	}
	r := &Raw{}
	if r.Var, err = openFrame(ctx, node, nil); err != nil {
		return nil, err
	}
	r.Shape = [2]int64{n, r.Var.Len()}
	both, ctx := guard.NewGroup(ctx)
	from.mappings(ctx, both, map[string]section{prefix + "varm": {&r.Varm, []int64{r.Var.Len()}}})
	both.Go(func() (err error) {
		r.X, err = from.matrix(ctx, prefix+"X", r.Shape)
		return err
	})
	return r, both.Wait()
}

// categories finds categories that stores of anndata before 0.7 have in uns, by the names of their columns.
func (m *members) categories(ctx context.Context) (func(column string) ColumnElement, error) {
	const suffix = "_categories"
	found := map[string]ColumnElement{}
	of := func(column string) ColumnElement { return found[column] }
	if !m.has("uns") {
		return of, nil
	}
	uns, err := m.open(ctx, "uns")
	if err != nil || isArray(uns) {
		return of, err
	}
	inside, err := membersOf(ctx, uns.(*zarr.Group))
	if err != nil {
		return nil, err
	}
	for _, name := range inside.names() {
		column, is := strings.CutSuffix(name, suffix)
		if !is {
			continue
		}
		n, err := inside.open(ctx, name)
		if err != nil {
			return nil, err
		}
		if a, ok := n.(*zarr.Array); ok && len(a.Shape) == 1 {
			found[column] = &ArrayColumn{a}
		} else if ok && len(a.Shape) == 0 {
			found[column] = &scalarColumn{ArrayColumn{a}}
		}
	}
	return of, nil
}

// String is what anndata prints. Where nothing tells names there is a question mark.
func (a *AnnData) String() string {
	return printed(fmt.Sprintf("AnnData object with n_obs × n_vars = %d × %d", a.Shape[0], a.Shape[1]),
		frameSection("obs", a.Obs), frameSection("var", a.Var), mappingSection("uns", a.Uns), mappingSection("obsm", a.Obsm),
		mappingSection("varm", a.Varm), mappingSection("layers", a.Layers), mappingSection("obsp", a.Obsp), mappingSection("varp", a.Varp))
}

// String is as of an AnnData.
func (r *Raw) String() string {
	return printed(fmt.Sprintf("Raw AnnData with n_obs × n_vars = %d × %d", r.Shape[0], r.Shape[1]),
		frameSection("var", r.Var), mappingSection("varm", r.Varm))
}
