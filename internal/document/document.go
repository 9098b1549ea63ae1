// Package document has the names of the documents that describe a node, relative to the node.
package document

// The names of metadata documents. js/data/documents.ts has those of versions 2 and 3; tests/js/documents.test.mjs compares.
const (
	V3           = "zarr.json"
	Array        = ".zarray"
	Group        = ".zgroup"
	Attributes   = ".zattrs"
	Consolidated = ".zmetadata"
	V1           = "meta"
	V1Attributes = "attrs"
	// N5 is the document of a node of an N5 container.
	N5 = "attributes.json"
)

// Nodes returns the names of those of versions 2 and 3 that alone say that there is a node.
func Nodes() [4]string { return [...]string{V3, Group, Array, Consolidated} }

// Is reports whether a name is that of a document of version 2 or 3. Those of version 1 are common names of nodes, too.
func Is(name string) bool {
	switch name {
	case V3, Array, Group, Attributes, Consolidated:
		return true
	}
	return false
}
