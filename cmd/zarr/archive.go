package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/filestore"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/store/zipstore"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs/writing"
	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
)

// isArchive reports whether a path has an archive's suffix and is not a folder.
func isArchive(file string) bool {
	a, err := locate(file, "")
	return err == nil && a.File && a.Guessed && a.Path == "" && a.Layers[0].Kind == "zip"
}

// newArchive creates an archive, which gets its name only when complete.
func newArchive(ctx context.Context, file string, there zarr.IfExists) (*destination, error) {
	if _, err := os.Stat(file); err == nil && there != zarr.IfExistsReplace {
		return nil, fmt.Errorf("%s: %w: an archive cannot be updated in place", file, fs.ErrExist)
	}
	f, err := filestore.NewReplacement(ctx, file)
	if err != nil {
		return nil, err
	}
	out := bufio.NewWriterSize(f, 1<<20)
	archive := &newZip{memstore.New(nil), zipstore.NewWriter(out)}
	return &destination{zarr.New(archive, writing.Codecs(), zarr.Options{Cache: small}), func(whole bool) error {
		var err error
		if whole {
			if err = errors.Join(archive.zip.Close(), out.Flush()); err == nil {
				return f.Commit()
			}
		}
		return errors.Join(err, f.Discard())
	}}, nil
}

// newZip is a new archive. Its documents can be read. Its chunks cannot, since a copy writes each
// of them once.
type newZip struct {
	documents *memstore.Store
	zip       *zipstore.Writer
}

var _ store.Writer = (*newZip)(nil)

func (a *newZip) Read(ctx context.Context, name string, ask store.Ask) (store.Extent, error) {
	return a.documents.Read(ctx, name, ask)
}

func (a *newZip) Set(ctx context.Context, key string, data []byte) error {
	if err := a.zip.Set(ctx, key, data); err != nil || !slices.Contains(meta.Documents(0), path.Base(key)) {
		return err
	}
	return a.documents.Set(ctx, key, data)
}

func (a *newZip) Delete(ctx context.Context, key string) error {
	return errors.Join(a.zip.Delete(ctx, key), a.documents.Delete(ctx, key))
}

func (a *newZip) DeleteAll(ctx context.Context, prefix string) error {
	return errors.Join(a.zip.DeleteAll(ctx, prefix), a.documents.DeleteAll(ctx, prefix))
}

func (a *newZip) DeletesAtomically() bool { return true }
