package anndata

import (
	"context"
	"fmt"

	"github.com/zarr-wasm/zarr-wasm/internal/guard"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// What columns are, by AnnData's encoding types.
const (
	KindArray           = "array"
	KindStrings         = "string-array"
	KindCategorical     = "categorical"
	KindNullableInteger = "nullable-integer"
	KindNullableBoolean = "nullable-boolean"
	KindNullableStrings = "nullable-string-array"
)

// Column is a column, or some rows of it, in memory.
type Column struct {
	// Kind is what it is: one of the constants.
	Kind string
	// Data is what is stored: numbers, texts, times; of a categorical its codes, and of a nullable column anything where values
	// are missing.
	Data *zarr.Result
	// Codes are, of a categorical, its codes: -1 where the value is missing.
	Codes []int64
	// Categories is what the codes of a categorical stand for, nil of any other column.
	Categories *Column
	// Ordered is true for a categorical whose categories have an order.
	Ordered bool
	// Mask is true where a value of a nullable column is missing, nil of any other column.
	Mask []bool
}

// Len is how many rows there are.
func (c *Column) Len() int { return c.Data.Len() }

// Value returns the value of a row: a bool, int64, uint64, float64, complex128 or string, of datetimes the count; of a
// categorical its category; nil where it is missing.
func (c *Column) Value(i int) any {
	switch {
	case c.Mask != nil && c.Mask[i]:
		return nil
	case c.Categories == nil:
		return valueAt(c.Data, int64(i))
	case c.Codes[i] < 0:
		return nil
	}
	return c.Categories.Value(int(c.Codes[i]))
}

// Values returns the values of all rows.
func (c *Column) Values() []any {
	values := make([]any, c.Len())
	for i := range values {
		values[i] = c.Value(i)
	}
	return values
}

// ColumnElement is a column that is stored: *ArrayColumn, *Categorical, *Nullable, or one of structs.
type ColumnElement interface {
	// Path is its path.
	Path() string
	// Len is how many rows it has.
	Len() int64
	// Read reads rows. An index is taken as a list of itself. Errors are those of reads of arrays.
	Read(ctx context.Context, rows grid.Item, opt zarr.ReadOptions) (*Column, error)
}

// keep makes a list of an index: a column keeps its dimension.
func keep(rows grid.Item) []grid.Item {
	if rows.Kind == grid.KindAt {
		rows = grid.ListOf([]int64{rows.Index})
	}
	return []grid.Item{rows}
}

// ArrayColumn is a column of plain values: AnnData's file format, sections "Dense arrays" and "String arrays".
type ArrayColumn struct{ Array *zarr.Array }

// Path is the array's path.
func (c *ArrayColumn) Path() string { return c.Array.Path() }

// Len is how many rows it has.
func (c *ArrayColumn) Len() int64 { return c.Array.Shape[0] }

// Read reads rows: see [ColumnElement].
func (c *ArrayColumn) Read(ctx context.Context, rows grid.Item, opt zarr.ReadOptions) (*Column, error) {
	if _, err := sharing(c.Path(), opt); err != nil {
		return nil, err
	}
	res, err := c.Array.Read(ctx, keep(rows), opt)
	if err != nil {
		return nil, err
	}
	kind := KindArray
	switch res.Type.Kind {
	case dtype.String, dtype.Unicode, dtype.Char:
		kind = KindStrings
	}
	return &Column{Kind: kind, Data: res}, nil
}

// scalarColumn is one value that stands for a list of it: a single category of anndata before 0.7.
type scalarColumn struct{ ArrayColumn }

func (c *scalarColumn) Len() int64 { return 1 }

func (c *scalarColumn) Read(ctx context.Context, _ grid.Item, opt zarr.ReadOptions) (*Column, error) {
	res, err := c.Array.Read(ctx, nil, opt)
	if err != nil {
		return nil, err
	}
	res.Shape = []int{1}
	return &Column{Kind: KindArray, Data: res}, nil
}

// Categorical is a categorical: AnnData's file format, section "Categorical arrays", and the form that came before it.
type Categorical struct {
	// Codes is the array of codes: each is the place of a category, and -1 a missing value.
	Codes *zarr.Array
	// Categories is what the codes stand for.
	Categories ColumnElement
	// Ordered is true if the categories have an order.
	Ordered bool
}

// Path is the path of the codes.
func (c *Categorical) Path() string { return c.Codes.Path() }

// Len is how many rows it has.
func (c *Categorical) Len() int64 { return c.Codes.Shape[0] }

// Read reads rows, and all categories: see [ColumnElement]. A code that stands for no category is a *zarr.CodecPipelineError.
func (c *Categorical) Read(ctx context.Context, rows grid.Item, opt zarr.ReadOptions) (*Column, error) {
	each, err := sharing(c.Path(), opt)
	if err != nil {
		return nil, err
	}
	column := &Column{Kind: KindCategorical, Ordered: c.Ordered}
	both, ctx := guard.NewGroup(ctx)
	both.Go(func() (err error) {
		column.Data, err = c.Codes.Read(ctx, keep(rows), each())
		return err
	})
	both.Go(func() (err error) {
		column.Categories, err = c.Categories.Read(ctx, grid.All(), each())
		return err
	})
	if err := both.Wait(); err != nil {
		return nil, err
	}
	column.Codes = integers(column.Data)
	if bad := notACode(column.Codes, column.Categories.Len()); bad >= 0 {
		msg := fmt.Sprintf("code %d stands for none of %d categories", column.Codes[bad], column.Categories.Len())
		return nil, damaged(c.Codes, KindCategorical, msg)
	}
	return column, nil
}

// notACode returns the place of the first number that is no code, or -1.
func notACode(codes []int64, categories int) int {
	for i, code := range codes {
		if code < -1 || code >= int64(categories) {
			return i
		}
	}
	return -1
}

// Nullable is a nullable column: AnnData's file format, section "Nullable integers, booleans, and strings".
type Nullable struct {
	// Kind is KindNullableInteger, KindNullableBoolean or KindNullableStrings.
	Kind string
	// Values is the array of values, and Mask the one that is true where a value is missing.
	Values, Mask *zarr.Array
	// NAValue tells what comparing with a missing value gives: "NA" a missing value, "NaN" false; others are as they are written.
	NAValue string
}

// Path is the path of the values.
func (c *Nullable) Path() string { return c.Values.Path() }

// Len is how many rows it has.
func (c *Nullable) Len() int64 { return c.Values.Shape[0] }

// Read reads rows: see [ColumnElement].
func (c *Nullable) Read(ctx context.Context, rows grid.Item, opt zarr.ReadOptions) (*Column, error) {
	each, err := sharing(c.Path(), opt)
	if err != nil {
		return nil, err
	}
	column := &Column{Kind: c.Kind}
	var mask *zarr.Result
	both, ctx := guard.NewGroup(ctx)
	both.Go(func() (err error) {
		column.Data, err = c.Values.Read(ctx, keep(rows), each())
		return err
	})
	both.Go(func() (err error) {
		mask, err = c.Mask.Read(ctx, keep(rows), each())
		return err
	})
	if err := both.Wait(); err != nil {
		return nil, err
	}
	column.Mask = make([]bool, mask.Len())
	for i := range column.Mask {
		column.Mask[i] = mask.Data[i] != 0
	}
	return column, nil
}

// fieldColumn is a column of an array of structs, as anndata before 0.7 has them, whose categories are in uns.
type fieldColumn struct {
	array      *zarr.Array
	field      dtype.Field
	categories ColumnElement // nil where there are none
}

func (c *fieldColumn) Path() string { return c.array.Path() }

func (c *fieldColumn) Len() int64 { return c.array.Shape[0] }

func (c *fieldColumn) Read(ctx context.Context, rows grid.Item, opt zarr.ReadOptions) (*Column, error) {
	each, err := sharing(c.Path(), opt)
	if err != nil {
		return nil, err
	}
	if c.categories != nil {
		column, err := c.coded(ctx, rows, each)
		if column != nil || err != nil {
			return column, err
		}
	}
	res, err := c.array.Read(ctx, keep(rows), each())
	if err != nil {
		return nil, err
	}
	return &Column{Kind: KindArray, Data: field(res, c.field)}, nil
}

// coded reads rows of a categorical. It is nil where the numbers are no codes, which depends on all of them.
func (c *fieldColumn) coded(ctx context.Context, rows grid.Item, each func() zarr.ReadOptions) (*Column, error) {
	whole, err := c.array.Read(ctx, nil, each())
	if err != nil {
		return nil, err
	}
	categories, err := c.categories.Read(ctx, grid.All(), each())
	if err != nil {
		return nil, err
	}
	all := field(whole, c.field)
	codes := integers(all)
	if notACode(codes, categories.Len()) >= 0 {
		return nil, nil
	}
	axes, err := grid.Resolve(keep(rows), c.array.Shape)
	if err != nil {
		return nil, &zarr.InvalidSelectionError{Path: c.Path(), Err: err}
	}
	n := axes[0].Count
	column := &Column{
		Kind:       KindCategorical,
		Data:       &zarr.Result{Block: ndarray.New([]int{int(n)}, all.Size, false), Type: all.Type},
		Codes:      make([]int64, n),
		Categories: categories,
	}
	for i := range n {
		at := axes[0].At(i)
		column.Codes[i] = codes[at]
		copy(column.Data.Data[i*int64(all.Size):], all.Data[at*int64(all.Size):][:all.Size])
	}
	return column, nil
}

// openColumn makes a column of a node, which is a member of a data frame, or stands alone (parent is nil).
func openColumn(ctx context.Context, n zarr.Node, parent *zarr.Group) (ColumnElement, error) {
	e, err := knownEncoding(n)
	if err != nil {
		return nil, err
	}
	if a, ok := n.(*zarr.Array); ok {
		return arrayColumn(ctx, a, e, parent)
	}
	g := n.(*zarr.Group)
	attrs := g.Metadata().Attributes
	switch e.Type {
	case KindCategorical:
		codes, err := vector(member(ctx, g, "codes", "array"))
		if err != nil {
			return nil, err
		}
		ordered, _ := attrs.Get("ordered").Bool()
		where, err := member(ctx, g, "categories", "array")
		if err != nil {
			return nil, err
		}
		return categorical(ctx, codes, where, ordered)
	case KindNullableInteger, KindNullableBoolean, KindNullableStrings:
		values, err := vector(member(ctx, g, "values", "array"))
		if err != nil {
			return nil, err
		}
		mask, err := vector(member(ctx, g, "mask", "array"))
		if err != nil {
			return nil, err
		}
		if mask.DType().Kind != dtype.Bool {
			return nil, invalid(mask.Path(), "", "a mask is of type "+mask.DType().Name+", not bool")
		}
		if mask.Shape[0] != values.Shape[0] {
			return nil, invalid(g.Path(), "", fmt.Sprintf("there are %d values, and a mask of %d", values.Shape[0], mask.Shape[0]))
		}
		na := "NA"
		if t, ok := attrs.Get("na-value").Text(); ok {
			na = t
		}
		return &Nullable{e.Type, values, mask, na}, nil
	case "":
		return nil, invalid(g.Path(), "", "it is a group without encoding-type where a column is needed")
	}
	return nil, unsupported(g.Path(), e.Type+" as a column")
}

func arrayColumn(ctx context.Context, a *zarr.Array, e Encoding, parent *zarr.Group) (ColumnElement, error) {
	if _, err := vector(a, nil); err != nil {
		return nil, err
	}
	categories := a.Metadata().Attributes.Get("categories")
	if e.Type != "" || !categories.Exists() || parent == nil {
		return &ArrayColumn{a}, nil
	}
	// Before 0.8: the array has the codes, and an attribute the categories' path.
	name, err := text(a, "categories")
	if err != nil {
		return nil, err
	}
	where, err := member(ctx, parent, name, "array of categories")
	if err != nil {
		return nil, err
	}
	ordered, _ := where.Metadata().Attributes.Get("ordered").Bool()
	return categorical(ctx, a, where, ordered)
}

func categorical(ctx context.Context, codes *zarr.Array, where zarr.Node, ordered bool) (ColumnElement, error) {
	if !isInteger(codes.DType()) {
		return nil, invalid(codes.Path(), "", "codes are of type "+codes.DType().Name+", which is none of integers")
	}
	e, err := EncodingOf(where)
	if err != nil {
		return nil, err
	}
	if e.Type == KindCategorical {
		return nil, invalid(where.Path(), "", "categories are a categorical")
	}
	categories, err := openColumn(ctx, where, nil)
	if err != nil {
		return nil, err
	}
	return &Categorical{codes, categories, ordered}, nil
}
