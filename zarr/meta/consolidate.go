package meta

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
)

// Entry is a node below a group, with its path relative to the group.
type Entry struct {
	Path string
	Node *Node
}

// Consolidate returns a group's document with consolidated metadata. It is .zmetadata in v2, and
// zarr.json in v3, which replaces the old one. The entries are all nodes below the group, in any
// order, of the group's version. Errors are *Error.
func (n *Node) Consolidate(below []Entry) (Document, error) {
	for _, e := range below {
		if e.Node.Format != n.Format || e.Node.Bare {
			return Document{}, fail("metadata", "the node "+e.Path+" is of another version, or was read without its attributes")
		}
	}
	if n.Format == 2 {
		return n.consolidateV2(below)
	}
	// In the order of zarr-python: by depth, then by name.
	below = slices.Clone(below)
	slices.SortFunc(below, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(strings.Count(a.Path, "/"), strings.Count(b.Path, "/")), cmp.Compare(a.Path, b.Path))
	})
	all := []byte{'{'}
	for i, e := range below {
		if i > 0 {
			all = append(all, ',')
		}
		doc, err := e.Node.document()
		if err != nil {
			return Document{}, err
		}
		all = append(append(json.AppendString(all, e.Path), ':'), doc...)
	}
	return n.group(inlined(append(all, '}')))
}

// Unconsolidated returns the zarr.json of a group without consolidated metadata.
func (n *Node) Unconsolidated() (Document, error) { return n.group(nil) }

// inlined returns consolidated metadata as a member of a group's document.
func inlined(metadata []byte) []byte {
	return append(append([]byte(`{"kind":"inline","must_understand":false,"metadata":`), metadata...), '}')
}

// document returns the node's document inside consolidated metadata of v3. Like zarr-python, it
// gives a group empty consolidated metadata of its own.
func (n *Node) document() ([]byte, error) {
	if n.Array == nil {
		d, err := n.group(inlined([]byte("{}")))
		return d.Bytes, err
	}
	docs, err := n.Write()
	if err != nil {
		return nil, err
	}
	return bytes.TrimPrefix(docs[0].Bytes, []byte("\ufeff")), nil
}

// group returns the zarr.json of a group with that consolidated metadata, or with none.
func (n *Node) group(consolidated []byte) (Document, error) {
	if n.Format != 3 || n.Array != nil {
		return Document{}, fail("consolidated_metadata", "is of groups of version 3")
	}
	return n.change(DocumentV3, json.Layout{Indent: 2}, func(m *Node) []member {
		all := m.membersV3()
		c := member{name: "consolidated_metadata", text: consolidated, meaning: "new"}
		if m != n {
			c.meaning = "old"
		}
		return slices.Insert(all, 2, c)
	})
}

func (n *Node) consolidateV2(below []Entry) (Document, error) {
	type named struct {
		key string
		doc []byte
	}
	var all []named
	for _, e := range append([]Entry{{"", n}}, below...) {
		docs, err := e.Node.Write()
		if err != nil {
			return Document{}, err
		}
		for _, d := range docs {
			key := d.Name
			if e.Path != "" {
				key = e.Path + "/" + key
			}
			all = append(all, named{key, bytes.TrimPrefix(d.Bytes, []byte("\ufeff"))})
		}
	}
	slices.SortFunc(all, func(a, b named) int { return cmp.Compare(a.key, b.key) })
	text := []byte(`{"metadata":{`)
	for i, d := range all {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(append(json.AppendString(text, d.key), ':'), d.doc...)
	}
	text = append(text, `},"zarr_consolidated_format":1}`...)
	return Document{DocumentConsolidated, json.AppendLaidOut(nil, text, json.Layout{Indent: 4})}, nil
}
