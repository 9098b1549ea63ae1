package zarr

import (
	"github.com/zarr-wasm/zarr-wasm/zarr/internal/reader"
	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
)

// documents returns the documents of a node to be written. It checks that they are valid, and that
// this program can write to the node.
func (h *Hierarchy) documents(path string, n *meta.Node) ([]meta.Document, error) {
	docs, made, err := h.writable(path, n)
	if err != nil {
		return nil, err
	}
	return docs, h.encodes(path, made)
}

// writable returns the documents of a node to be written, and the node parsed from them.
func (h *Hierarchy) writable(path string, n *meta.Node) ([]meta.Document, *meta.Node, error) {
	docs, err := n.Write()
	if err != nil {
		return nil, nil, reader.MetadataError(path, err)
	}
	n, err = h.nodes.Parse(path, docs)
	return docs, n, err
}

// encodes returns an error for an array to which this program cannot write.
func (h *Hierarchy) encodes(path string, n *meta.Node) error {
	if n.Array == nil {
		return nil
	}
	a, err := h.engine.NewArray(path, n, h.codecs)
	if err != nil {
		return err
	}
	err = a.Pipeline().CheckEncode()
	if err == nil {
		err = a.Plannable()
	}
	if err != nil {
		return reader.MetadataError(path, err)
	}
	return nil
}
