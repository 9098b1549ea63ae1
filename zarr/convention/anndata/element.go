package anndata

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/zarr-wasm/zarr-wasm/internal/guard"
	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
)

// Element is anything that AnnData's file format has, by its encoding: a *zarr.Array (also of texts, of structs, or of no
// dimensions, which is a scalar), a *SparseMatrix, a *DataFrame, a *Categorical or *Nullable column, a *Mapping, an
// *AwkwardArray, or nil.
type Element interface{ Path() string }

// Mapping is a mapping from names to elements: AnnData's file format, section "Mappings".
type Mapping struct {
	// Group is the mapping's group, nil for a section that the store does not have, which is empty.
	Group *zarr.Group
	// Names are the names of its elements. They are complete where Listed is true; where it is false nothing tells them, because a
	// store without consolidated metadata has to list, and an element whose name is known otherwise can be opened all the same.
	Names  []string
	Listed bool

	path    string
	members *members
	lengths []int64 // that the first dimensions of its elements have to have
}

// Path is the mapping's path.
func (m *Mapping) Path() string { return m.path }

// Open opens an element. Of a dense array, and of any other but a sparse matrix or a data frame, nothing is read; of these, what
// their metadata say. Errors are a *zarr.NotFoundError where there is none of that name; a *zarr.InvalidMetadataError where its
// first dimensions are not those that its place asks for; and a *zarr.UnsupportedError for an unknown encoding.
func (m *Mapping) Open(ctx context.Context, name string) (Element, error) {
	if m.Group == nil {
		return nil, &zarr.NotFoundError{Path: m.path, Want: fmt.Sprintf("member %.60q", name)}
	}
	n, err := m.members.open(ctx, name)
	if err != nil {
		return nil, err
	}
	e, err := OpenElement(ctx, n)
	if err == nil {
		err = checkLengths(e, m.lengths)
	}
	if err != nil {
		return nil, err
	}
	return e, nil
}

// shapeOf returns the shape of an element, nil of one that has none.
func shapeOf(e Element) []int64 {
	switch e := e.(type) {
	case *zarr.Array:
		return e.Shape
	case *SparseMatrix:
		return e.Shape[:]
	case *DataFrame:
		return []int64{e.Len()}
	case *AwkwardArray:
		return []int64{e.Length}
	case ColumnElement:
		return []int64{e.Len()}
	}
	return nil
}

// checkLengths refuses an element whose first dimensions are not those that its place asks for.
func checkLengths(e Element, lengths []int64) error {
	if e == nil || len(lengths) == 0 {
		return nil
	}
	shape := shapeOf(e)
	if len(shape) < len(lengths) || !slices.Equal(shape[:len(lengths)], lengths) {
		return invalid(e.Path(), "", fmt.Sprintf("its shape is %v where %v is needed", shape, lengths))
	}
	return nil
}

// AwkwardArray is a ragged array of the Awkward library: AnnData's file format, section "AwkwardArrays". It is not put together
// here; its buffers can be read.
type AwkwardArray struct {
	// Group has the buffers.
	Group *zarr.Group
	// Form tells how the buffers make the array: a form of the Awkward library, as JSON.
	Form []byte
	// Length is how many elements it has.
	Length int64
	// Names are the names of the buffers, as "node1-offsets"; they are complete where Listed is true.
	Names  []string
	Listed bool
}

// Path is the path of the array's group.
func (a *AwkwardArray) Path() string { return a.Group.Path() }

// Open opens a buffer.
func (a *AwkwardArray) Open(ctx context.Context, name string) (*zarr.Array, error) {
	return vector(open(ctx, a.Group, name))
}

// OpenElement opens what a node is by its encoding-type; without one, as anndata before 0.8 wrote it: a group is a mapping or, with
// h5sparse_format, a sparse matrix. Errors are a *zarr.InvalidMetadataError where its parts contradict each other, and a
// *zarr.UnsupportedError for an encoding that is not known, and for whole AnnData, which have functions of their own.
func OpenElement(ctx context.Context, n zarr.Node) (Element, error) {
	e, err := knownEncoding(n)
	if err != nil {
		return nil, err
	}
	if a, ok := n.(*zarr.Array); ok {
		if e.Type == "null" {
			return nil, nil
		}
		return a, nil
	}
	g := n.(*zarr.Group)
	old := e.Type == "" && g.Metadata().Attributes.Get("h5sparse_format").Exists()
	switch {
	case e.Type == CSR, e.Type == CSC, old:
		return some(openSparse(ctx, g))
	case e.Type == "dict", e.Type == "":
		return some(openMapping(ctx, g, nil))
	case e.Type == "dataframe":
		return some(openFrame(ctx, g, nil))
	case e.Type == "awkward-array":
		return some(openAwkward(ctx, g))
	case e.Type == "anndata", e.Type == "raw":
		return nil, unsupported(g.Path(), e.Type+" as an element of another: it has a function of its own")
	}
	return some(openColumn(ctx, g, nil))
}

// some makes an element of what a function returns: a nil of a type is none.
func some[E Element](e E, err error) (Element, error) {
	if err != nil {
		return nil, err
	}
	return e, nil
}

func openMapping(ctx context.Context, g *zarr.Group, lengths []int64) (*Mapping, error) {
	e, err := EncodingOf(g)
	if err != nil {
		return nil, err
	}
	if e.Type != "" && e.Type != "dict" {
		return nil, invalid(g.Path(), "encoding-type", fmt.Sprintf("it is %.60q where a dict is needed", e.Type))
	}
	inside, err := membersOf(ctx, g)
	if err != nil {
		return nil, err
	}
	return &Mapping{Group: g, Names: inside.names(), Listed: inside.complete, path: g.Path(), members: inside, lengths: lengths}, nil
}

func openAwkward(ctx context.Context, g *zarr.Group) (*AwkwardArray, error) {
	attrs := g.Metadata().Attributes
	length, ok := attrs.Get("length").Int64()
	if !ok || length < 0 {
		return nil, invalid(g.Path(), "length", "it is no length")
	}
	form := attrs.Get("form")
	if t, ok := form.Text(); ok {
		var err error
		if form, err = json.Parse([]byte(t), json.Limits{}); err != nil {
			return nil, invalid(g.Path(), "form", err.Error())
		}
	}
	if form.Kind() != json.Object {
		return nil, invalid(g.Path(), "form", "it is no object")
	}
	inside, err := membersOf(ctx, g)
	if err != nil {
		return nil, err
	}
	return &AwkwardArray{Group: g, Form: form.Raw(), Length: length, Names: inside.names(), Listed: inside.complete}, nil
}

// members is what a group has: the nodes that are known, by their names.
type members struct {
	group    *zarr.Group
	complete bool // there are no others
	known    map[string]zarr.Member
}

// membersOf returns what a group has, from its metadata or its store's list. Where there is neither, those of the wanted names that are
// there.
func membersOf(ctx context.Context, g *zarr.Group, wanted ...string) (*members, error) {
	m := &members{group: g, complete: true, known: map[string]zarr.Member{}}
	list, err := g.Members(ctx)
	if unknown := (*zarr.UnsupportedError)(nil); errors.As(err, &unknown) {
		m.complete = false
	} else if err != nil {
		return nil, err
	}
	looked := false
	for _, one := range list {
		m.complete = m.complete && (one.How == zarr.Consolidated || one.How == zarr.Listed)
		// Where the package has looked for the members that such a group has as a rule, the others are not there.
		looked = looked || one.How == zarr.Probed
		if one.Kind != "implicit" {
			m.known[one.Name] = one
		}
	}
	if m.complete || looked {
		return m, nil
	}
	found := make([]zarr.Node, len(wanted))
	all, ctx := guard.NewGroup(ctx)
	for i, name := range wanted {
		if m.has(name) {
			continue
		}
		all.Go(func() error {
			n, err := open(ctx, g, name)
			if missing := (*zarr.NotFoundError)(nil); errors.As(err, &missing) {
				return nil
			}
			found[i] = n
			return err
		})
	}
	if err := all.Wait(); err != nil {
		return nil, err
	}
	for i, n := range found {
		if n != nil {
			m.known[wanted[i]] = zarr.Member{Name: wanted[i], Node: n}
		}
	}
	return m, nil
}

func (m *members) has(name string) bool {
	_, ok := m.known[name]
	return ok
}

func (m *members) names() []string {
	return slices.Sorted(maps.Keys(m.known))
}

func (m *members) open(ctx context.Context, name string) (zarr.Node, error) {
	one := m.known[name]
	switch {
	case one.Err != nil:
		return nil, one.Err
	case one.Node != nil:
		return one.Node, nil
	}
	return open(ctx, m.group, name)
}

// ReadElement reads all of an element: of a scalar its value, of an array a *zarr.Result, of a sparse matrix a *SparseBlock, of a data
// frame a *Table, of a column a *Column, of a mapping a map[string]any of what its elements are; nil of nil. Errors are
// those of their reads, and a *zarr.UnsupportedError for a mapping whose names are not known and for ragged arrays.
func ReadElement(ctx context.Context, e Element, opt zarr.ReadOptions) (any, error) {
	switch e := e.(type) {
	case nil:
		return nil, nil
	case *zarr.Array:
		res, err := e.Read(ctx, nil, opt)
		if err != nil {
			return nil, err
		}
		if len(e.Shape) == 0 {
			return valueAt(res, 0), nil
		}
		return res, nil
	case *SparseMatrix:
		return e.ReadSparse(ctx, nil, opt)
	case *DataFrame:
		return e.Read(ctx, grid.All(), nil, opt)
	case ColumnElement:
		return e.Read(ctx, grid.All(), opt)
	case *Mapping:
		return e.read(ctx, opt)
	}
	return nil, unsupported(e.Path(), "putting together awkward arrays")
}

func (m *Mapping) read(ctx context.Context, opt zarr.ReadOptions) (map[string]any, error) {
	if !m.Listed {
		return nil, unsupported(m.path, "listing the elements of a group without consolidated metadata in a store that cannot list")
	}
	each, err := sharing(m.path, opt)
	if err != nil {
		return nil, err
	}
	values := make([]any, len(m.Names))
	all, ctx := guard.NewGroup(ctx)
	for i, name := range m.Names {
		all.Go(func() error {
			e, err := m.Open(ctx, name)
			if err == nil {
				values[i], err = ReadElement(ctx, e, each())
			}
			return err
		})
	}
	if err := all.Wait(); err != nil {
		return nil, err
	}
	out := map[string]any{}
	for i, name := range m.Names {
		out[name] = values[i]
	}
	return out, nil
}
