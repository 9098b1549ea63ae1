package bucket

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"time"

	"gocloud.dev/blob"

	"github.com/zarr-wasm/zarr-wasm/internal/limits"
	"github.com/zarr-wasm/zarr-wasm/store"
)

const (
	// pageSize is the number of names that one request lists.
	pageSize = 1000
	// maxNames limits the number of names in a list.
	maxNames = 1_000_000
	// deletions is the number of concurrent deletions of DeleteAll.
	deletions = 32
)

// List implements [store.Lister]. If the bucket refuses lists, the error matches
// errors.ErrUnsupported.
func (s *Store) List(ctx context.Context, prefix string) ([]string, error) {
	below, err := s.below(ctx, "list", prefix)
	if err != nil {
		return nil, err
	}
	names := []string{}
	err = s.pages(ctx, prefix, &blob.ListOptions{Prefix: below, Delimiter: "/"}, func(page []*blob.ListObject) error {
		for _, o := range page {
			name := strings.TrimPrefix(o.Key, below)
			if plain := strings.TrimSuffix(name, "/"); store.CheckKey(plain) == nil && (o.IsDir || plain == name) {
				names = append(names, name) // others, as folders' own objects, are not keys
			}
		}
		return limits.Check("Names", maxNames, int64(len(names)), "a list of names")
	})
	if err != nil {
		return nil, s.failed(ctx, "list", prefix, err)
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// ListsAll implements [store.Lister].
func (s *Store) ListsAll() bool { return true }

// below returns what the names below a prefix begin with.
func (s *Store) below(ctx context.Context, op, prefix string) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	if prefix != "" {
		if err := store.CheckFor(ctx, op, prefix); err != nil {
			return "", err
		}
	}
	if s.opt.Object {
		return "", &store.KeyError{Op: op, Key: prefix, Err: errors.ErrUnsupported}
	}
	if below := s.object(prefix); strings.Trim(below, "/") != "" {
		return strings.Trim(below, "/") + "/", nil
	}
	return "", nil
}

// pages calls a function with each page of a list.
func (s *Store) pages(ctx context.Context, prefix string, opt *blob.ListOptions, each func([]*blob.ListObject) error) error {
	for token := blob.FirstPageToken; token != nil; {
		if err := s.enter(ctx); err != nil {
			return err
		}
		start := time.Now()
		within, cancel := context.WithTimeoutCause(ctx, attempts*s.opt.Timeout, errSlow)
		page, next, err := s.bucket.ListPage(within, token, pageSize, opt)
		if err != nil && context.Cause(within) == errSlow {
			err = errSlow
		}
		cancel()
		s.leave()
		s.report(ctx, store.Join(prefix, ""), "LIST", nil, 0, start, 0, err)
		if err != nil {
			return err
		}
		if err := each(page); err != nil {
			return err
		}
		token = next
	}
	return nil
}

// DeleteAll implements [store.Writer]. It lists the objects, and deletes each by one request.
func (s *Store) DeleteAll(ctx context.Context, prefix string) error {
	below, err := s.below(ctx, "delete", prefix)
	if err != nil {
		return err
	}
	var keys []string
	err = s.pages(ctx, prefix, &blob.ListOptions{Prefix: below}, func(page []*blob.ListObject) error {
		for _, o := range page {
			keys = append(keys, o.Key)
		}
		return nil
	})
	if err != nil {
		return s.failed(ctx, "delete", prefix, err)
	}
	errs := make([]error, len(keys))
	var wait sync.WaitGroup
	turn := make(chan struct{}, deletions)
	for i, key := range keys {
		turn <- struct{}{}
		wait.Go(func() {
			defer func() { <-turn }()
			if errs[i] = ctx.Err(); errs[i] == nil {
				errs[i] = s.deleteObject(ctx, key)
			}
		})
	}
	wait.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	return errors.Join(errs...)
}

// deleteObject deletes an object by its name in the bucket, which need not be a key.
func (s *Store) deleteObject(ctx context.Context, name string) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.leave()
	start := time.Now()
	err := s.bucket.Delete(ctx, name)
	s.report(ctx, name, "DELETE", nil, 0, start, 0, err)
	if err == nil {
		return nil
	}
	if err = s.failed(ctx, "delete", name, err); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// DeletesAtomically implements [store.Writer].
func (s *Store) DeletesAtomically() bool { return false }
