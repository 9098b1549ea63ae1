package zarr

import (
	"github.com/zarr-wasm/zarr-wasm/zarr/internal/reader"
	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
)

// documents returns the documents of a node that is to be written, and checks that they make one, and one to which this program can write.
func (h *Hierarchy) documents(path string, n *meta.Node) ([]meta.Document, error) {
	docs, err := n.Write()
	if err != nil {
		return nil, reader.MetadataError(path, err)
	}
	made, err := h.nodes.Parse(path, docs)
	if err != nil || made.Array == nil {
		return docs, err
	}
	a, err := h.engine.NewArray(path, made, h.codecs)
	if err != nil {
		return nil, err
	}
	err = a.Pipeline().Writable()
	if err == nil {
		err = a.Plannable()
	}
	if err != nil {
		return nil, reader.MetadataError(path, err)
	}
	return docs, nil
}
