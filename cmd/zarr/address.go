package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/internal/kinds"
	"github.com/zarr-wasm/zarr-wasm/internal/target"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/address"
	"github.com/zarr-wasm/zarr-wasm/store/filestore"
	"github.com/zarr-wasm/zarr-wasm/store/httpstore"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
)

// locate reads the address of a container of a known kind, or of a "folder". A file's path has the
// platform's separators.
func locate(text, known string) (address.Address, error) {
	a, err := address.Parse(filepath.ToSlash(text), address.Options{Files: true, IsFolder: directory, Known: known})
	if err != nil {
		err = usageError{err}
	}
	return a, err
}

// directory reports whether a path is that of a folder.
func directory(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// remote reports whether an address begins with a URL.
func remote(text string) bool {
	a, err := locate(text, "")
	return err == nil && !a.File
}

// source is an open hierarchy.
type source struct {
	*zarr.Hierarchy
	// Path is the path of the node that the address names.
	Path string
}

// open opens the arguments of a command, ADDRESS [NODE]. It detects a container that the address
// does not name, and opens a folder with a container's name as a folder.
func open(ctx context.Context, c *cli.Command, args []string, cache zarr.CacheOptions) (*source, zarr.Node, error) {
	how, err := accessOf(c, "")
	if err != nil {
		return nil, nil, err
	}
	if len(args) < 1 || len(args) > 2 || args[0] == "" {
		return nil, nil, usageError{errors.New("expected ADDRESS [NODE]")}
	}
	if err := checkNode(strings.Join(args[1:], "")); err != nil {
		return nil, nil, err
	}
	attempt := func(known string) (a address.Address, s *source, n zarr.Node, err error) {
		if a, err = locate(args[0], known); err != nil {
			return a, nil, nil, err
		}
		if s, err = connect(ctx, a, how, cache); err != nil {
			return a, nil, nil, err
		}
		s.Path = strings.Trim(strings.Join(append([]string{a.Path}, args[1:]...), "/"), "/")
		n, err = s.Open(ctx, s.Path, zarr.OpenOptions{Format: a.Format})
		return a, s, n, err
	}
	a, s, n, err := attempt("")
	switch {
	case err == nil:
	case a.Guessed:
		if _, folder, there, failed := attempt("folder"); failed == nil {
			return folder, there, nil
		}
	case len(a.Layers) == 0 && containerOf(err) != "":
		_, s, n, err = attempt(containerOf(err))
	}
	return s, n, err
}

// checkNode rejects an address in place of the path of a node.
func checkNode(path string) error {
	if strings.Contains(path, "://") {
		return usageError{errors.New("expected the path of a node, not an address")}
	}
	return nil
}

// containerOf returns the kind of container that was found in place of a hierarchy.
func containerOf(err error) string {
	var absent *zarr.NotFoundError
	var other *zarr.UnsupportedError
	switch {
	case errors.As(err, &absent):
		return absent.Container
	case errors.As(err, &other):
		return other.Container
	}
	return ""
}

// connect returns the hierarchy at an address. It reads nothing of it yet.
func connect(ctx context.Context, a address.Address, how access, cache zarr.CacheOptions) (*source, error) {
	if a.File && !a.Object && len(a.Layers) > 0 && a.Layers[0].Kind == "reference" {
		// References in a folder name files beside it, also if the path is "." or a link.
		folder, err := filepath.EvalSymlinks(filepath.FromSlash(a.Place))
		if err == nil {
			folder, err = filepath.Abs(folder)
		}
		if err != nil {
			return nil, err
		}
		a.Place = filepath.ToSlash(folder)
	}
	caches := zarr.NewCaches(cache)
	registry := codecs.Full()
	all := kinds.Composites()
	all["zip"] = kinds.Zip(codecs.UnzipFull(registry))
	all["icechunk"] = kinds.Icechunk(codecs.Expand())
	all["n5"] = kinds.N5
	all["reference"] = kinds.References(codecs.Parquet(registry))
	all["http"] = func(_ *kinds.Making, settings json.Value) (store.Locator, error) {
		url, _ := settings.Get("url").Text()
		s, err := how.source(ctx, url, settings.Get("options").Get("object").Exists())
		if err != nil {
			return nil, err
		}
		return store.Plain(s), nil
	}
	all["file"] = func(_ *kinds.Making, settings json.Value) (store.Locator, error) {
		dir, _ := settings.Get("path").Text()
		if dir == "" {
			dir = "."
		}
		root, err := os.OpenRoot(filepath.FromSlash(dir))
		if info, failed := os.Stat(filepath.FromSlash(dir)); err != nil && failed == nil && !info.IsDir() {
			return nil, fmt.Errorf("%w, but a file: zarr index writes references for HDF5, NetCDF, TIFF and GRIB2", err)
		}
		if err != nil {
			return nil, err
		}
		return store.Plain(filestore.New(root.FS())), nil
	}
	stores := kinds.New(all, caches.Layer())
	stores.Targets = target.NewSources(func(origin string) (store.Source, error) {
		return httpstore.New(origin, httpstore.Options{})
	}, caches.Layer().Drop)
	opened, err := stores.Open(kinds.Describe(a))
	if err != nil {
		return nil, err
	}
	return &source{zarr.Over(opened.Locator, registry, zarr.Options{Caches: caches}), ""}, nil
}
