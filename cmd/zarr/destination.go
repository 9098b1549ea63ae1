package main

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/filestore"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs/writing"
)

// small sets small caches, for hierarchies that are read or written once.
var small = zarr.CacheOptions{Metadata: 4 << 20, Indexes: 8 << 20, Encoded: 8 << 20, Decoded: 32 << 20}

// destination is the target of a copy. close takes whether the copy is complete, finishes or
// discards it, and returns an error.
type destination struct {
	*zarr.Hierarchy
	close func(whole bool) error
}

// destinationOf creates the destination at an address: a directory, a new archive, or a URL
// that accepts objects.
func destinationOf(ctx context.Context, text string, how access, there zarr.IfExists) (*destination, error) {
	if isArchive(text) {
		return newArchive(ctx, text, there)
	}
	h, err := hierarchy(ctx, text, how, filestore.MakeDir)
	return &destination{h, func(bool) error { return nil }}, err
}

// writable opens the existing hierarchy at an address for changes.
func writable(ctx context.Context, text string, how access) (*zarr.Hierarchy, error) {
	return hierarchy(ctx, text, how, filestore.OpenDir)
}

func hierarchy(ctx context.Context, text string, how access, open func(string, filestore.DirOptions) (*filestore.Dir, error)) (*zarr.Hierarchy, error) {
	a, err := locate(text, "")
	if err != nil {
		return nil, err
	}
	var st store.Source
	switch {
	case len(a.Layers) > 0 || a.Path != "" || a.Format != 0:
		err = usageError{errors.New("TO must be a directory, a new .zip file, a bucket or a URL that accepts PUT")}
	case a.File:
		st, err = open(filepath.FromSlash(a.Place), filestore.DirOptions{})
	default:
		st, err = how.source(ctx, a.Place, false)
	}
	if err != nil {
		return nil, err
	}
	return zarr.New(st, writing.Codecs(), zarr.Options{Cache: small}), nil
}
