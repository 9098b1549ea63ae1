package catalog

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/internal/document"
	"github.com/zarr-wasm/zarr-wasm/internal/errtype"
	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/internal/limits"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/address"
	"github.com/zarr-wasm/zarr-wasm/zarr/internal/reader"
	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
)

// inContainer returns the error for a path that holds a container. kind is one that package
// store/address names, or "parquet" for references in a directory.
func inContainer(path, kind string) error {
	return &reader.UnsupportedError{Path: path, Container: kind, Feature: "a container of the kind " + kind + ", which is opened by its address, or as a store of that kind"}
}

// container returns the error for a path without a node: err, or one that names the container
// there. The address may identify it. If the store has no node so far, container also requests the
// typical documents of containers, and the object at the address itself. It does so only for the
// root: see decide.
func (c *Catalog) container(ctx context.Context, path string, err error) error {
	at, found := c.address(path), c.known.nodeFound()
	if found {
		at = path + "/" // the store is not a container
	}
	kind := address.Container(at)
	if kind == "" && !found && path == "" {
		d := &documents{opening: &opening{Catalog: c}}
		_, failed := d.request(ctx, []string{document.N5, "repo", "refs/branch.main/ref.json", itself}, true)
		if kind = containerOf(d.came()); kind == "" && failed != nil {
			return failed
		}
	}
	if kind == "" {
		return err
	}
	return inContainer(path, kind)
}

// address returns the address of a path, for messages; "" if the store has no addresses.
func (c *Catalog) address(path string) string {
	if path != "" {
		path += "/"
	}
	return c.Engine.Address(path)
}

// itself stands for the object at the store's own address.
const itself = ""

// itself reads the first bytes of that object. The object counts as absent if the store has no such
// address. It also does if it is too short for a container, or if the server sends all of it and it
// is too long.
func (c *Catalog) itself(ctx context.Context) (e store.Extent, err error) {
	source, name := c.Engine.Itself()
	if source == nil {
		return e, fs.ErrNotExist
	}
	ask := store.Ask{MaxBytes: c.Limits.MetadataBytes, Range: &store.ByteRange{Length: 4}}
	e, err = source.Read(store.WithObserver(ctx, c.Observe), name, ask)
	var limit *limits.Error
	if errors.Is(err, store.ErrRange) || errtype.As(err, &limit) {
		err = fs.ErrNotExist
	}
	return e, err
}

// containerOf returns the kind of container that has these documents; "" if none is recognised.
func containerOf(docs []meta.Document) string {
	for _, d := range docs {
		head := string(d.Bytes[:min(4, len(d.Bytes))])
		switch {
		case head == "PK\x03\x04", head == "PK\x05\x06":
			return "zip"
		case strings.HasPrefix(head, "ICE"):
			return "icechunk"
		case d.Name == itself:
			if head[0] == '{' {
				return "reference"
			}
			continue
		}
		v, _ := json.Parse(d.Bytes, json.Limits{})
		switch {
		case d.Name == document.N5 && v.Kind() == json.Object:
			return "n5"
		case v.Get("refs").Kind() == json.Object, v.Get(meta.DocumentGroup).Exists():
			return "reference"
		case v.Get("snapshot").Exists():
			return "icechunk"
		}
	}
	return ""
}
