package zarr

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/store"
)

// CopyStoreOptions control a copy of objects.
type CopyStoreOptions struct {
	IfExists IfExists
	// DryRun copies nothing, and counts the objects.
	DryRun bool
	// Progress, if set, is called after each object with its key in the destination, and the
	// statistics so far.
	Progress func(key string, done CopyStats)
}

// CopyStore copies the objects below a path of a store to a path of another one, as bytes. It does
// not interpret them, so chunks are not decoded. Both paths are cleaned, or "". The source store
// must list. With IfExistsRaise, nothing is copied if any object exists.
func CopyStore(ctx context.Context, src *Hierarchy, from string, dst *Hierarchy, to string, opt CopyStoreOptions) (stats CopyStats, err error) {
	if from, err = cleanPath(from); err != nil {
		return stats, err
	}
	if to, err = cleanPath(to); err != nil {
		return stats, err
	}
	e, err := dst.writing(to)
	if err != nil {
		return stats, err
	}
	key := func(key string) string { return store.Join(to, strings.TrimPrefix(strings.TrimPrefix(key, from), "/")) }
	there := func(key string) (bool, error) {
		_, err := dst.engine.ReadKey(ctx, key, store.Ask{Range: &store.ByteRange{Length: 1}, Fresh: true})
		switch {
		case err == nil || errors.Is(err, store.ErrRange):
			return true, nil
		case errors.Is(err, fs.ErrNotExist):
			return false, nil
		}
		return false, err
	}
	if opt.IfExists == IfExistsRaise {
		err := src.walk(ctx, from, func(k string) error {
			found, err := there(key(k))
			if err == nil && found {
				return &ExistsError{Path: key(k), Found: "object"}
			}
			return err
		})
		if err != nil {
			return stats, err
		}
	}
	defer func() {
		if !opt.DryRun {
			dst.nodes.Replaced(ctx, to, true)
		}
	}()
	err = src.walk(ctx, from, func(k string) error {
		if opt.IfExists == IfExistsSkip {
			found, err := there(key(k))
			if err != nil {
				return err
			}
			if found {
				stats.Skipped++
				return nil
			}
		}
		b, err := src.engine.ReadKey(ctx, k, store.Ask{})
		if err != nil {
			return err
		}
		if !opt.DryRun {
			if err := e.Set(ctx, key(k), b.Bytes); err != nil {
				return err
			}
		}
		stats.Copied++
		stats.Bytes += int64(len(b.Bytes))
		if opt.Progress != nil {
			opt.Progress(key(k), stats)
		}
		return nil
	})
	return stats, err
}
