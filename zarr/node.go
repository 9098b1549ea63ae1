package zarr

import (
	"strconv"

	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
)

// Node is a *Group or an *Array.
type Node interface {
	// Path returns the node's path in its hierarchy, "" for the root.
	Path() string
	// Metadata returns the node's metadata.
	Metadata() *meta.Node
	// Hash returns a hash of the node's documents (see [meta.Node.Hash]).
	Hash() uint64

	base() *node
}

// node is the common part of arrays and groups.
type node struct {
	h    *Hierarchy
	path string
	meta *meta.Node
	hash uint64
}

// Path returns the node's path in its hierarchy, "" for the root.
func (n *node) Path() string { return n.path }

// Metadata returns the node's metadata.
func (n *node) Metadata() *meta.Node { return n.meta }

// Hash returns a hash of the node's documents.
func (n *node) Hash() uint64 { return n.hash }

// Hierarchy returns the hierarchy that opened the node.
func (n *node) Hierarchy() *Hierarchy { return n.h }

func (n *node) base() *node { return n }

// current returns a *MetadataChangedError if the node's documents are known to have been replaced.
func (n *node) current() error {
	if !n.h.nodes.Current(n.path, n) {
		return &MetadataChangedError{Path: n.path}
	}
	return nil
}

// MetadataChangedError reports that a node's documents have changed since it was opened. The caller
// must open it again.
type MetadataChangedError struct{ Path string }

func (e *MetadataChangedError) Error() string {
	return "the metadata of " + strconv.Quote("/"+e.Path) + " has changed since it was opened: open it again"
}
