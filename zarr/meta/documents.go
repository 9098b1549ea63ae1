package meta

import (
	"github.com/zarr-wasm/zarr-wasm/internal/document"
	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
)

// The names of the metadata documents.
const (
	DocumentV3           = document.V3
	DocumentArray        = document.Array
	DocumentGroup        = document.Group
	DocumentAttributes   = document.Attributes
	DocumentConsolidated = document.Consolidated
	DocumentV1           = document.V1
	DocumentV1Attributes = document.V1Attributes
)

// Options control the reading of documents. The zero value is the default.
type Options struct {
	// Limits bound one document; Bytes, if not 0, applies to every document.
	Limits json.Limits
	// DocumentBytes limits documents of one node, default 16 MiB. ConsolidatedBytes limits those
	// that may hold consolidated metadata, default 64 MiB.
	DocumentBytes, ConsolidatedBytes int
	// MaxRank is the largest number of dimensions of an array; default 32.
	MaxRank int
	// Type bounds data types.
	Type dtype.Limits
	// IgnoreConsolidated leaves Node.Consolidated nil and ignores consolidated metadata, for
	// hierarchies with a stale or damaged copy.
	IgnoreConsolidated bool
}

const (
	defaultRank       = 32
	consolidatedBytes = 64 << 20
)

// MayConsolidate reports whether a document may describe other nodes too, and so may be large.
func MayConsolidate(name string) bool { return name == DocumentV3 || name == DocumentConsolidated }

func (o Options) limits(doc string) json.Limits {
	lim := o.Limits
	switch {
	case lim.Bytes != 0:
	case !MayConsolidate(doc):
		lim.Bytes = o.DocumentBytes
	case o.ConsolidatedBytes != 0:
		lim.Bytes = o.ConsolidatedBytes
	default:
		lim.Bytes = consolidatedBytes
	}
	return lim
}

func (o Options) rank() int {
	if o.MaxRank > 0 {
		return o.MaxRank
	}
	return defaultRank
}

// Documents returns the names of the documents that may describe a node, relative to the node. All
// can be requested at the same time. The format is 1, 2 or 3, or 0 for v2 and v3. Version 1 must be
// requested explicitly, because its documents have names as common as "meta".
func Documents(format int) []string { return Likely(format, "", true, false) }

// Likely returns those of [Documents] that a node of that kind ("array", "group", or "" for either)
// has. It includes consolidated metadata only if the hierarchy may have some. With sparing set it
// omits v2 documents that mean nothing without another; for either kind it also omits those of
// arrays.
func Likely(format int, kind string, consolidated, sparing bool) []string {
	var names []string
	add := func(wanted bool, name string) {
		if wanted {
			names = append(names, name)
		}
	}
	v2 := format == 0 || format == 2
	add(format == 0 || format == 3, DocumentV3)
	few := sparing && kind != "array"
	add(v2 && kind != "group" && !few, DocumentArray)
	add(v2 && kind != "array", DocumentGroup)
	add(v2 && !few, DocumentAttributes)
	add(v2 && kind != "array" && consolidated, DocumentConsolidated)
	add(format == 1, DocumentV1)
	add(format == 1, DocumentV1Attributes)
	return names
}

// Parse makes a node of its stored documents; docs omits absent ones. There may be documents of
// several kinds. The first of these counts: v3, a v2 array, a v2 group, v2 consolidated metadata
// without a group, v1. Parse returns nil and no error if no document describes a node (attributes
// alone do not). Errors are *Error.
func Parse(docs []Document, opt Options) (*Node, error) {
	set := documents{docs, opt}
	if doc, ok := set.find(DocumentV3); ok {
		n, err := parseV3Document(doc, opt)
		return n, named(err, DocumentV3)
	}
	if _, ok := set.find(DocumentArray); ok {
		return set.v2Array()
	}
	if _, ok := set.find(DocumentGroup); ok {
		return set.v2Group()
	}
	if _, ok := set.find(DocumentConsolidated); ok && !opt.IgnoreConsolidated {
		return set.v2ConsolidatedOnly()
	}
	if _, ok := set.find(DocumentV1); ok {
		return set.v1()
	}
	return nil, nil
}

// documents are the stored documents of one node.
type documents struct {
	docs []Document
	opt  Options
}

func (s documents) find(name string) (Document, bool) {
	for _, d := range s.docs {
		if d.Name == name {
			return d, true
		}
	}
	return Document{}, false
}

// object reads a document as a JSON object. The value does not exist if the document is absent.
func (s documents) object(name string) (json.Value, error) {
	doc, ok := s.find(name)
	if !ok {
		return json.Value{}, nil
	}
	v, err := parseObject(doc, s.opt)
	return v, named(err, name)
}

// used returns the documents of these names, without absent ones.
func (s documents) used(names ...string) []Document {
	var docs []Document
	for _, name := range names {
		if d, ok := s.find(name); ok {
			docs = append(docs, d)
		}
	}
	return docs
}

func parseObject(doc Document, opt Options) (json.Value, error) {
	v, err := json.Parse(doc.Bytes, opt.limits(doc.Name))
	if err != nil {
		return json.Value{}, &Error{Err: err}
	}
	if v.Kind() != json.Object {
		return json.Value{}, fail("", "is a JSON "+v.Kind().String()+", not an object")
	}
	return v, nil
}

// v1 reads an array of version 1: the only kind of node in that version.
func (s documents) v1() (*Node, error) {
	doc, err := s.object(DocumentV1)
	if err != nil {
		return nil, err
	}
	attrs, err := s.attributes(DocumentV1Attributes)
	if err != nil {
		return nil, err
	}
	a, err := parseV1(doc, attrs, s.opt)
	if err != nil {
		return nil, named(err, DocumentV1)
	}
	return &Node{Format: 1, Attributes: attrs, Array: a, Documents: s.used(DocumentV1, DocumentV1Attributes)}, nil
}

func (s documents) v2Array() (*Node, error) {
	doc, err := s.object(DocumentArray)
	if err != nil {
		return nil, err
	}
	attrs, err := s.attributes(DocumentAttributes)
	if err != nil {
		return nil, err
	}
	a, err := parseV2Array(doc, attrs, s.opt)
	if err != nil {
		return nil, named(err, DocumentArray)
	}
	return &Node{Format: 2, Attributes: attrs, Array: a, Documents: s.used(DocumentArray, DocumentAttributes)}, nil
}

func (s documents) v2Group() (*Node, error) {
	doc, err := s.object(DocumentGroup)
	if err != nil {
		return nil, err
	}
	if err := checkFormat(doc, 2); err != nil {
		return nil, named(err, DocumentGroup)
	}
	attrs, err := s.attributes(DocumentAttributes)
	if err != nil {
		return nil, err
	}
	n := &Node{Format: 2, Attributes: attrs, Documents: s.used(DocumentGroup, DocumentAttributes, DocumentConsolidated)}
	if s.opt.IgnoreConsolidated {
		n.Documents = s.used(DocumentGroup, DocumentAttributes)
		return n, nil
	}
	if n.Consolidated, err = s.consolidated(); err != nil {
		return nil, err
	}
	if _, ok := s.find(DocumentAttributes); !ok && n.Consolidated != nil {
		n.Attributes, err = n.Consolidated.rootAttributes()
	}
	return n, err
}

// v2ConsolidatedOnly reads a hierarchy that only has .zmetadata, as on servers with only a
// consolidated copy. The root's own entries describe it; without any it is a group.
func (s documents) v2ConsolidatedOnly() (*Node, error) {
	c, err := s.consolidated()
	if err != nil {
		return nil, err
	}
	n, err := c.Node("")
	if err != nil {
		return nil, err
	}
	if n == nil {
		n = &Node{Format: 2}
		if n.Attributes, err = c.rootAttributes(); err != nil {
			return nil, err
		}
	}
	n.Documents = s.used(DocumentConsolidated, DocumentAttributes)
	if _, ok := s.find(DocumentAttributes); ok {
		if n.Attributes, err = s.attributes(DocumentAttributes); err != nil {
			return nil, err
		}
	}
	if n.Array == nil {
		n.Consolidated = c
	}
	return n, nil
}

func (s documents) consolidated() (*Consolidated, error) {
	doc, err := s.object(DocumentConsolidated)
	if err != nil || !doc.Exists() {
		return nil, err
	}
	c, err := parseZmetadata(doc, s.opt)
	return c, named(err, DocumentConsolidated)
}

// attributes reads a document of attributes; {} if it is absent.
func (s documents) attributes(name string) (json.Value, error) {
	doc, ok := s.find(name)
	if !ok {
		return json.EmptyObject(), nil
	}
	v, err := json.Parse(doc.Bytes, s.opt.limits(name))
	if err != nil {
		return json.Value{}, &Error{Document: name, Err: err}
	}
	v, err = attributes(v, "")
	return v, named(err, name)
}
