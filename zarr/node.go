package zarr

import (
	"strconv"

	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
)

// Node is a *Group or an *Array.
type Node interface {
	// Path is the node's path in its hierarchy, "" for the root.
	Path() string
	// Metadata is the node's metadata.
	Metadata() *meta.Node
	// Hash is a number of what the node's documents say (see [meta.Node.Hash]).
	Hash() uint64

	base() *node
}

// node is what arrays and groups have in common.
type node struct {
	h    *Hierarchy
	path string
	meta *meta.Node
	hash uint64
}

// Path is the node's path in its hierarchy, "" for the root.
func (n *node) Path() string { return n.path }

// Metadata is the node's metadata.
func (n *node) Metadata() *meta.Node { return n.meta }

// Hash is a number of what the node's documents say.
func (n *node) Hash() uint64 { return n.hash }

// Hierarchy is the hierarchy that the node was opened in.
func (n *node) Hierarchy() *Hierarchy { return n.h }

func (n *node) base() *node { return n }

// current is a *MetadataChangedError when the node's documents are known to have been replaced.
func (n *node) current() error {
	if !n.h.nodes.Current(n.path, n) {
		return &MetadataChangedError{Path: n.path}
	}
	return nil
}

// MetadataChangedError says that a node's documents are no longer those that it was made of. It has to be opened again.
type MetadataChangedError struct{ Path string }

func (e *MetadataChangedError) Error() string {
	return "the metadata of " + strconv.Quote("/"+e.Path) + " has changed since it was opened: open it again"
}
