package meta

import (
	"strconv"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
)

// Child is a direct child of a group in consolidated metadata.
type Child struct {
	// Name is its last path segment.
	Name string
	// IsArray is true for an array, as far as is known without reading its metadata.
	IsArray bool
	// Implicit is true for a group that exists only because nodes lie below it.
	Implicit bool
	// Err is the reason why there can be no such node: its path leads elsewhere. Name is then the
	// whole path.
	Err error
}

// entry is the document's content for one path.
type entry struct {
	v3                  json.Value
	array, group, attrs json.Value // v2
	children            []string
}

func (e *entry) explicit() bool { return e.v3.Exists() || e.array.Exists() || e.group.Exists() }

func (e *entry) isArray() bool {
	kind, _ := e.v3.Peek("node_type").Text()
	return e.array.Exists() || kind == "array"
}

const (
	// maxSegments limits the depth of a path, like that of a JSON document.
	maxSegments = 128
	// maxPath is the length of the longest path: more than stores allow.
	maxPath = 4096
	// maxNestedBytes limits paths composed of nested parts. The length of the document does not
	// limit these.
	maxNestedBytes = 64 << 20
)

// Node parses and returns the node at a path relative to the group ("a/b"). It returns nil if the
// metadata lacks the path. A path that exists only because nodes lie below it is a group without
// documents. "" is the group itself, which v3 metadata does not contain. The nodes' own
// Consolidated is nil: use the group's. Errors are *Error.
func (c *Consolidated) Node(path string) (*Node, error) {
	e := c.nodes[path]
	if e == nil || path == "" && !e.explicit() {
		return nil, nil
	}
	opt := c.opt
	opt.IgnoreConsolidated = true
	if c.format == 3 && e.v3.Exists() {
		n, err := c.v3Node(e, path, opt)
		return n, named(err, DocumentV3)
	}
	attrs, err := attributes(e.attrs.Forgetful(), "")
	if err != nil {
		return nil, named(err, DocumentAttributes)
	}
	n := &Node{Format: c.format, Attributes: attrs}
	switch {
	case e.array.Exists():
		if err = isObject(e.array, path); err == nil {
			n.Array, err = parseV2Array(e.array.Forgetful(), attrs, opt)
		}
		err = named(err, DocumentArray)
		n.Documents = append(n.Documents, Document{DocumentArray, e.array.Raw()})
	case e.group.Exists():
		if err = isObject(e.group, path); err == nil {
			err = checkFormat(e.group, 2)
		}
		err = named(err, DocumentGroup)
		n.Documents = append(n.Documents, Document{DocumentGroup, e.group.Raw()})
	}
	if err != nil {
		return nil, err
	}
	if e.attrs.Exists() {
		n.Documents = append(n.Documents, Document{DocumentAttributes, e.attrs.Raw()})
	}
	return n, nil
}

func (c *Consolidated) v3Node(e *entry, path string, opt Options) (*Node, error) {
	if err := isObject(e.v3, path); err != nil {
		return nil, err
	}
	n, err := parseV3(e.v3.Forgetful(), opt)
	if err != nil {
		return nil, err
	}
	n.Documents = []Document{{DocumentV3, e.v3.Raw()}}
	return n, nil
}

func isObject(v json.Value, path string) error {
	if v.Kind() == json.Object {
		return nil
	}
	return fail("", "consolidated metadata of "+strconv.Quote(path)+" is "+quoted(v)+", not an object")
}

// Children lists the nodes directly below a path, in the order of their first mention in the
// document. "" is the group itself.
func (c *Consolidated) Children(path string) []Child {
	e := c.nodes[path]
	if e == nil {
		return nil
	}
	list := make([]Child, len(e.children))
	for i, name := range e.children {
		full := name
		if path != "" {
			full = path + "/" + name
		}
		child := c.nodes[full]
		list[i] = Child{Name: name, IsArray: child.isArray(), Implicit: !child.explicit()}
	}
	if path == "" {
		list = append(list, c.refused...)
	}
	return list
}

// refuse notes a node with an invalid path. One of several documents is enough.
func (c *Consolidated) refuse(path string, isArray bool, err error) {
	if n := len(c.refused) - 1; n < 0 || c.refused[n].Name != path {
		c.refused = append(c.refused, Child{Name: path, IsArray: isArray, Err: err})
	} else if isArray {
		c.refused[n].IsArray = true
	}
}

// rootAttributes returns the group's own attributes in .zmetadata.
func (c *Consolidated) rootAttributes() (json.Value, error) {
	v, err := attributes(c.nodes[""].attrs, "metadata/"+DocumentAttributes)
	return v, named(err, DocumentConsolidated)
}

func newConsolidated(format int, opt Options) *Consolidated {
	return &Consolidated{format: format, opt: opt, nodes: map[string]*entry{"": {}}}
}

// at returns the entry of a path, and creates it together with those above it.
func (c *Consolidated) at(path string) *entry {
	if e := c.nodes[path]; e != nil {
		return e
	}
	e := &entry{}
	c.nodes[path] = e
	parent, name := "", path
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		parent, name = path[:i], path[i+1:]
	}
	above := c.at(parent)
	above.children = append(above.children, name)
	return e
}

// cleanPath normalises a key's path to the form "a/b". Leniency: it ignores slashes at either end
// and doubled ones; zarrs starts keys with one.
func cleanPath(key string) (string, error) {
	if key == "" {
		return "", nil
	}
	clean := strings.Trim(key, "/")
	if strings.Contains(clean, "//") {
		clean = strings.Join(strings.FieldsFunc(clean, func(r rune) bool { return r == '/' }), "/")
	}
	if len(clean) > maxPath || strings.Count(clean, "/") >= maxSegments {
		return "", fail("metadata", "path of "+strconv.Itoa(len(clean))+" bytes or too many segments")
	}
	for segment := range strings.SplitSeq(clean, "/") {
		if segment == "." || segment == ".." {
			return "", fail("metadata", "path "+strconv.Quote(key)+` has a segment of "." or ".."`)
		}
	}
	return clean, nil
}

// parseZmetadata reads .zmetadata: an object of documents by key. Documents
// other than those of v2 are ignored. Leniency: the format may be missing.
func parseZmetadata(doc json.Value, opt Options) (*Consolidated, error) {
	if v := doc.Get("zarr_consolidated_format"); v.Exists() {
		if n, ok := v.Int64(); !ok || n != 1 {
			return nil, unsupported("zarr_consolidated_format", "is "+quoted(v)+", not 1")
		}
	}
	v, err := required(doc, "metadata")
	if err != nil {
		return nil, err
	}
	if v.Kind() != json.Object {
		return nil, fail("metadata", "is "+quoted(v)+", not an object")
	}
	c := newConsolidated(2, opt)
	c.References = doc.Get("record_size").Exists()
	for _, m := range v.Members() {
		dir, name := "", m.Name
		if i := strings.LastIndexByte(name, '/'); i >= 0 {
			dir, name = name[:i], name[i+1:]
		}
		if name != DocumentArray && name != DocumentGroup && name != DocumentAttributes {
			continue
		}
		path, err := cleanPath(dir)
		if err != nil {
			c.refuse(dir, name == DocumentArray, err)
			continue
		}
		e := c.at(path)
		known := e.explicit()
		switch name {
		case DocumentArray:
			e.array = m.Value
		case DocumentGroup:
			e.group = m.Value
		case DocumentAttributes:
			e.attrs = m.Value
		}
		if !known && e.explicit() && path != "" {
			c.Paths = append(c.Paths, path)
		}
	}
	return c, nil
}

// parseInline reads the consolidated_metadata of a v3 group. Null counts as none: zarr-python
// writes it for groups that were never consolidated.
func parseInline(v json.Value, opt Options) (*Consolidated, error) {
	const field = "consolidated_metadata"
	if v.IsNull() {
		return nil, nil
	}
	if v.Kind() != json.Object {
		return nil, fail(field, "is "+quoted(v)+", not an object")
	}
	if kind, _ := v.Get("kind").Text(); kind != "inline" {
		if must, ok := v.Get("must_understand").Bool(); ok && !must {
			return nil, nil
		}
		return nil, unsupported(field, "of kind "+quoted(v.Get("kind")))
	}
	nodes := v.Get("metadata")
	if nodes.Kind() != json.Object {
		return nil, fail(field+".metadata", "is "+quoted(nodes)+", not an object")
	}
	c := newConsolidated(3, opt)
	budget := maxNestedBytes
	if err := c.addInline("", nodes, &budget); err != nil {
		return nil, err
	}
	return c, nil
}

// addInline adds the nodes below a prefix. Groups among them may have consolidated_metadata of
// their own, for the nodes below them. Some releases of zarr-python put it only there. If both
// describe a node, the outer one counts.
func (c *Consolidated) addInline(prefix string, nodes json.Value, budget *int) error {
	var groups []string
	for _, m := range nodes.Members() {
		path, err := cleanPath(m.Name)
		if err != nil {
			c.refuse(strings.TrimPrefix(prefix+"/"+m.Name, "/"), false, err)
			continue
		}
		if prefix != "" && path != "" {
			if *budget -= len(prefix) + len(path) + 1; *budget < 0 {
				return fail("consolidated_metadata", "nested paths are too long")
			}
			if path, err = cleanPath(prefix + "/" + path); err != nil {
				c.refuse(prefix+"/"+m.Name, false, err)
				continue
			}
		} else if prefix != "" {
			continue // the nested group again
		}
		e := c.at(path)
		if e.v3.Exists() {
			continue
		}
		e.v3 = m.Value
		if path != "" {
			c.Paths = append(c.Paths, path)
			groups = append(groups, path)
		}
	}
	for _, path := range groups {
		inner := c.nodes[path].v3.Peek("consolidated_metadata").Get("metadata")
		if inner.Len() == 0 {
			continue
		}
		if err := c.addInline(path, inner, budget); err != nil {
			return err
		}
	}
	return nil
}
