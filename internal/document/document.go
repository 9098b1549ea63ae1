// Package document names the documents that describe a node, relative to the node.
package document

// The names of metadata documents. js/data/documents.ts has those of versions 2 and 3;
// tests/js/documents.test.mjs compares the two lists.
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

// Nodes returns the names of the documents of versions 2 and 3 whose presence alone proves a node.
func Nodes() [4]string { return [...]string{V3, Group, Array, Consolidated} }

// Is reports whether a name is that of a document of version 2 or 3. Documents of version 1 have
// names that nodes also use.
func Is(name string) bool {
	switch name {
	case V3, Array, Group, Attributes, Consolidated:
		return true
	}
	return false
}
