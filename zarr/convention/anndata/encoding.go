package anndata

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
)

// Error is what a *zarr.InvalidMetadataError of this package wraps: an attribute or a part that is not what its encoding
// says it has to be.
type Error struct {
	// Attribute is the name of the attribute, "" where it is about shapes, types or members.
	Attribute string
	Msg       string
}

func (e *Error) Error() string {
	if e.Attribute == "" {
		return e.Msg
	}
	return "attribute " + e.Attribute + ": " + e.Msg
}

func invalid(path, attribute, msg string) error {
	return &zarr.InvalidMetadataError{Path: path, Err: &Error{attribute, msg}}
}

// damaged is the error for elements of an array that cannot be what its convention says they are.
func damaged(a *zarr.Array, codec, msg string) error {
	return &zarr.CodecPipelineError{Path: a.Path(), Key: a.Path(), Codec: codec, Err: errors.New(msg)}
}

func unsupported(path, feature string) error {
	return &zarr.UnsupportedError{Path: path, Feature: feature}
}

// Encoding is what a node says it is: AnnData's file format, section "Element Specification".
type Encoding struct {
	// Type is encoding-type, "" where the node has none, as those of anndata before 0.8 have.
	Type string
	// Version is encoding-version, "" where the node has none.
	Version string
}

// EncodingOf returns what a node says it is. Attributes that are no texts are a *zarr.InvalidMetadataError.
func EncodingOf(n zarr.Node) (Encoding, error) {
	var e Encoding
	for name, to := range map[string]*string{"encoding-type": &e.Type, "encoding-version": &e.Version} {
		v := n.Metadata().Attributes.Get(name)
		if v.IsNull() {
			continue
		}
		text, ok := v.Text()
		if !ok {
			return e, invalid(n.Path(), name, "it is no text")
		}
		*to = text
	}
	return e, nil
}

// versionsOf returns the versions of an encoding that are known, and whether it is of a group.
func versionsOf(encoding string) (versions []string, group bool) {
	switch encoding {
	case "array", "string-array", "rec-array", "numeric-scalar", "string", "bytes":
		return []string{"0.2.0"}, false
	case "null":
		return []string{"0.1.0"}, false
	case "anndata", "raw", "dict", "csr_matrix", "csc_matrix", "nullable-integer", "nullable-boolean", "nullable-string-array", "awkward-array":
		return []string{"0.1.0"}, true
	case "dataframe":
		return []string{"0.1.0", "0.2.0"}, true
	case "categorical":
		return []string{"0.2.0"}, true
	}
	return nil, false
}

// knownEncoding is [EncodingOf] for what is known: a type of another version would be read wrongly.
func knownEncoding(n zarr.Node) (Encoding, error) {
	e, err := EncodingOf(n)
	if err != nil || e.Type == "" {
		return e, err
	}
	versions, group := versionsOf(e.Type)
	if versions == nil || e.Version != "" && !slices.Contains(versions, e.Version) {
		return e, unsupported(n.Path(), fmt.Sprintf("encoding-type %.60q of version %.60q", e.Type, e.Version))
	}
	if _, is := n.(*zarr.Group); is != group {
		return e, invalid(n.Path(), "encoding-type", e.Type+" is not for this kind of node")
	}
	return e, nil
}

// isName tells whether a text names what is below a group.
func isName(name string) bool {
	for _, segment := range strings.Split(name, "/") {
		if segment == "" || segment == "." || segment == ".." {
			return false
		}
	}
	return true
}

// open opens what is below a group.
func open(ctx context.Context, g *zarr.Group, name string) (zarr.Node, error) {
	if !isName(name) {
		return nil, &zarr.NotFoundError{Path: g.Path(), Want: fmt.Sprintf("member %.60q", name)}
	}
	return g.Hierarchy().Open(ctx, store.Join(g.Path(), name), zarr.OpenOptions{})
}

// member opens what a group has to have. An attribute that names it never leads out of the group.
func member(ctx context.Context, g *zarr.Group, name, what string) (zarr.Node, error) {
	if !isName(name) {
		return nil, invalid(g.Path(), what, fmt.Sprintf("%.60q names no member", name))
	}
	n, err := open(ctx, g, name)
	if missing := (*zarr.NotFoundError)(nil); errors.As(err, &missing) {
		return nil, &zarr.InvalidMetadataError{Path: g.Path(), Err: fmt.Errorf("there is no %s %.60q: %w", what, name, err)}
	}
	return n, err
}

// vector is a node that has to be an array of one dimension.
func vector(n zarr.Node, err error) (*zarr.Array, error) {
	if err != nil {
		return nil, err
	}
	a, ok := n.(*zarr.Array)
	if !ok {
		return nil, invalid(n.Path(), "", "it is a group where an array is needed")
	}
	if len(a.Shape) != 1 {
		return nil, invalid(n.Path(), "", "it has "+strconv.Itoa(len(a.Shape))+" dimensions, not 1")
	}
	return a, nil
}

func groupOf(n zarr.Node, err error) (*zarr.Group, error) {
	if err != nil {
		return nil, err
	}
	if g, ok := n.(*zarr.Group); ok {
		return g, nil
	}
	return nil, invalid(n.Path(), "", "it is an array where a group is needed")
}

// text returns an attribute that has to be a text.
func text(n zarr.Node, name string) (string, error) {
	t, ok := n.Metadata().Attributes.Get(name).Text()
	if !ok {
		return "", invalid(n.Path(), name, "it is no text")
	}
	return t, nil
}

// lengths returns an attribute that has to be a list of so many lengths.
func lengths(path, name string, v json.Value, count int) ([]int64, error) {
	list := make([]int64, 0, count)
	for _, one := range v.Items() {
		n, ok := one.Int64()
		if ok && n >= 0 && n < 1<<53 {
			list = append(list, n)
		}
	}
	if len(list) != count || v.Len() != count {
		return nil, invalid(path, name, "it is no list of "+strconv.Itoa(count)+" lengths")
	}
	return list, nil
}

// names returns an attribute that has to be a list of texts, none of them twice.
func names(path, name string, v json.Value) ([]string, error) {
	list := make([]string, 0, v.Len())
	seen := map[string]bool{}
	for _, one := range v.Items() {
		t, ok := one.Text()
		if !ok {
			break
		}
		if seen[t] {
			return nil, invalid(path, name, fmt.Sprintf("it names %.60q twice", t))
		}
		seen[t] = true
		list = append(list, t)
	}
	if v.Kind() != json.Array || len(list) != v.Len() {
		return nil, invalid(path, name, "it is no list of texts")
	}
	return list, nil
}

func isInteger(t *dtype.Type) bool { return t.Kind == dtype.Int || t.Kind == dtype.Uint }
