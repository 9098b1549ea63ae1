package anndata

import (
	"context"
	"fmt"
	"slices"

	"github.com/zarr-wasm/zarr-wasm/internal/guard"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

// DataFrame is a data frame: AnnData's file format, section "DataFrames", and the forms that came before it. What columns it
// has is known; they are read one by one, whole or some of their rows.
type DataFrame struct {
	// Node is the frame's group, or the array of structs that it is in stores of anndata before 0.7.
	Node zarr.Node
	// Columns are the names of its columns, in order.
	Columns []string
	// IndexName is the name of its index; "_index" stands for none.
	IndexName string

	index ColumnElement
	open  func(ctx context.Context, name string) (ColumnElement, error)
}

// Path is the frame's path.
func (f *DataFrame) Path() string { return f.Node.Path() }

// Len is how many rows it has.
func (f *DataFrame) Len() int64 { return f.index.Len() }

func (f *DataFrame) String() string {
	return fmt.Sprintf("<DataFrame /%s rows=%d columns=%v>", f.Path(), f.Len(), f.Columns)
}

// Index reads the index, of some rows or all. Errors are those of [DataFrame.Column].
func (f *DataFrame) Index(ctx context.Context, rows grid.Item, opt zarr.ReadOptions) (*Column, error) {
	return f.index.Read(ctx, rows, opt)
}

// OpenColumn opens a column, and reads nothing of it. A name that is not in Columns is a *zarr.InvalidSelectionError; a column that
// has not as many rows as the index a *zarr.InvalidMetadataError, and one of an unknown encoding a *zarr.UnsupportedError.
func (f *DataFrame) OpenColumn(ctx context.Context, name string) (ColumnElement, error) {
	if !slices.Contains(f.Columns, name) {
		return nil, &zarr.InvalidSelectionError{Path: f.Path(), Err: fmt.Errorf("there is no column %.60q", name)}
	}
	c, err := f.open(ctx, name)
	if err != nil {
		return nil, err
	}
	if c.Len() != f.Len() {
		return nil, invalid(f.Path(), "", fmt.Sprintf("column %.60q has %d rows, the index %d", name, c.Len(), f.Len()))
	}
	return c, nil
}

// Column reads a column, whole or the rows that an item selects. Errors are those of [DataFrame.OpenColumn] and of reads of arrays.
func (f *DataFrame) Column(ctx context.Context, name string, rows grid.Item, opt zarr.ReadOptions) (*Column, error) {
	c, err := f.OpenColumn(ctx, name)
	if err != nil {
		return nil, err
	}
	return c.Read(ctx, rows, opt)
}

// Read reads rows of several columns, of all where columns is nil, with the index. Errors are those of [DataFrame.Column].
func (f *DataFrame) Read(ctx context.Context, rows grid.Item, columns []string, opt zarr.ReadOptions) (*Table, error) {
	if columns == nil {
		columns = f.Columns
	}
	each, err := sharing(f.Path(), opt)
	if err != nil {
		return nil, err
	}
	t := &Table{IndexName: f.IndexName, Names: slices.Clone(columns), Columns: make([]*Column, len(columns)), of: f.Len()}
	all, ctx := guard.NewGroup(ctx)
	all.Go(func() (err error) {
		t.Index, err = f.Index(ctx, rows, each())
		return err
	})
	for i, name := range columns {
		all.Go(func() (err error) {
			t.Columns[i], err = f.Column(ctx, name, rows, each())
			return err
		})
	}
	if err := all.Wait(); err != nil {
		return nil, err
	}
	return t, nil
}

// Table is columns in memory, and their index. As a text it is a table of its first rows.
type Table struct {
	// Index has the labels of the rows, and IndexName their name.
	Index     *Column
	IndexName string
	// Names are the names of Columns.
	Names   []string
	Columns []*Column

	of int64 // rows of the frame
}

// Len is how many rows there are.
func (t *Table) Len() int { return t.Index.Len() }

// Column returns the column of a name, nil where there is none.
func (t *Table) Column(name string) *Column {
	if i := slices.Index(t.Names, name); i >= 0 {
		return t.Columns[i]
	}
	return nil
}

// openFrame opens a data frame. Of one that is an array of structs, categoriesOf finds a column's categories.
func openFrame(ctx context.Context, n zarr.Node, categoriesOf func(column string) ColumnElement) (*DataFrame, error) {
	if a, ok := n.(*zarr.Array); ok {
		return recordFrame(a, categoriesOf)
	}
	g := n.(*zarr.Group)
	e, err := knownEncoding(g)
	if err != nil {
		return nil, err
	}
	if e.Type != "dataframe" {
		return nil, invalid(g.Path(), "encoding-type", fmt.Sprintf("it is %q where a dataframe is needed", e.Type))
	}
	columns, err := names(g.Path(), "column-order", g.Metadata().Attributes.Get("column-order"))
	if err != nil {
		return nil, err
	}
	for _, name := range columns {
		if !isName(name) {
			return nil, invalid(g.Path(), "column-order", fmt.Sprintf("%.60q names no member", name))
		}
	}
	name, err := text(g, "_index")
	if err != nil {
		return nil, err
	}
	open := func(ctx context.Context, name string) (ColumnElement, error) {
		n, err := member(ctx, g, name, "column")
		if err != nil {
			return nil, err
		}
		return openColumn(ctx, n, g)
	}
	index, err := open(ctx, name)
	if err != nil {
		return nil, err
	}
	return &DataFrame{Node: g, Columns: columns, IndexName: name, index: index, open: open}, nil
}

// recordFrame is a data frame of anndata before 0.7: its first field is the index.
func recordFrame(a *zarr.Array, categoriesOf func(column string) ColumnElement) (*DataFrame, error) {
	if _, err := vector(a, nil); err != nil {
		return nil, err
	}
	fields := a.DType().Fields
	if a.DType().Kind != dtype.Struct || len(fields) == 0 {
		return nil, invalid(a.Path(), "", "it is no array of structs where a dataframe is needed")
	}
	columns := []string{}
	byName := map[string]dtype.Field{}
	for _, f := range fields[1:] {
		columns = append(columns, f.Name)
		byName[f.Name] = f
	}
	open := func(_ context.Context, name string) (ColumnElement, error) {
		c := &fieldColumn{array: a, field: byName[name]}
		if categoriesOf != nil && isInteger(c.field.Type) {
			c.categories = categoriesOf(name)
		}
		return c, nil
	}
	return &DataFrame{Node: a, Columns: columns, IndexName: fields[0].Name, index: &fieldColumn{array: a, field: fields[0]}, open: open}, nil
}
