package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v3"

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

// checkPlaces refuses a TO inside FROM or around it, and a TO in the folder of an array, where its
// readers find no nodes.
func checkPlaces(ctx context.Context, c *cli.Command) error {
	from, _, err := placeOf(c.Args().Get(0), c.String("node"))
	if err != nil {
		return err
	}
	to, folder, err := placeOf(c.Args().Get(1), c.String("as"))
	if err != nil {
		return err
	}
	if from != "" && to != "" && (strings.HasPrefix(to+"/", from+"/") || strings.HasPrefix(from+"/", to+"/")) {
		return usageError{errors.New("TO is FROM, or one lies in the other: name a TO outside of FROM")}
	}
	for above := filepath.Dir(folder); folder != "" && above != folder; folder, above = above, filepath.Dir(above) {
		if _, n, err := open(ctx, c, []string{above}, small); err == nil && n.Metadata().Array != nil {
			return usageError{fmt.Errorf("TO lies in the folder of the array %s: name a TO outside of it", above)}
		}
	}
	return nil
}

// placeOf returns the place of a node, as a path or a URL without its query, and the local folder
// of the hierarchy. A node in a container has no place.
func placeOf(text, node string) (place, folder string, err error) {
	a, err := locate(text, "")
	if err != nil || len(a.Layers) > 0 || a.Object {
		return "", "", err
	}
	place, _, _ = strings.Cut(a.Place, "?")
	if a.File {
		if folder, err = filepath.Abs(filepath.FromSlash(a.Place)); err != nil {
			return "", "", err
		}
		folder = resolved(folder)
		place = filepath.ToSlash(folder)
	}
	for _, path := range []string{a.Path, node} {
		if place = strings.TrimRight(place, "/"); strings.Trim(path, "/") != "" {
			place += "/" + strings.Trim(path, "/")
		}
	}
	return place, folder, nil
}

// resolved resolves the links of an absolute path, whose end may be absent.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	if dir := filepath.Dir(path); dir != path {
		return filepath.Join(resolved(dir), filepath.Base(path))
	}
	return path
}
