package httpstore

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/zarr-wasm/zarr-wasm/internal/limits"
	"github.com/zarr-wasm/zarr-wasm/internal/order"
	"github.com/zarr-wasm/zarr-wasm/internal/percent"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/httpstore/internal/listing"
)

// lists is what is known of how the server lists. One list at a time finds that out, by turn.
type lists struct {
	way  atomic.Int32
	turn chan struct{}
	// refused is why the store's own folder was not listed, and since when that is known; for the list whose turn it is.
	refused error
	since   time.Time
}

// way is a way to ask a server for a list.
type way = int32

const (
	unknown way = iota
	folders     // folders are pages
	inPath      // the first part of the path is a bucket
	inHost      // the host is a bucket
	azure       // the first part of the path is one of Azure's containers
)

const (
	// refusedFor is how long a server that did not list is not asked again.
	refusedFor = 30 * time.Second
	// maxIdle is how many pages without a name a list may have.
	maxIdle = 100
)

// List implements [store.Lister]: by the bucket's list where the server is that of an object store, else by the page that it
// sends for the folder. Which of these it is shows with the first list. A server that does neither, refuses, or keeps its answer
// from the page gives an error that matches errors.ErrUnsupported.
func (s *Store) List(ctx context.Context, prefix string) ([]string, error) {
	err := ctx.Err()
	if err == nil && prefix != "" && store.CheckKey(prefix) != nil {
		err = fs.ErrInvalid
	}
	var names []string
	if err == nil {
		names, err = s.list(ctx, prefix)
	}
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, &store.KeyError{Op: "list", Key: prefix, Err: err}
	}
	order.Strings(names)
	return slices.Compact(names), nil
}

// ListsAll is false: servers leave out what begins with a dot, and a folder's page may be anything.
func (s *Store) ListsAll() bool { return false }

func (s *Store) list(ctx context.Context, prefix string) ([]string, error) {
	l := s.lists
	if l.way.Load() == unknown {
		select {
		case l.turn <- struct{}{}:
			defer func() { <-l.turn }()
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if w := l.way.Load(); w != unknown {
		names, err := s.by(ctx, w, prefix)
		if w == folders && errors.Is(err, fs.ErrNotExist) {
			return []string{}, nil
		}
		return names, absent(err)
	}
	if l.refused != nil && time.Since(l.since) < refusedFor {
		return nil, l.refused
	}
	var err error
	w, last := folders, inHost
	if strings.HasSuffix(s.base.origin, ".blob.core.windows.net") {
		w, last = azure, azure
	}
	for ; w <= last; w++ {
		names, failed := s.by(ctx, w, prefix)
		if failed = absent(failed); failed == nil && w == folders && len(names) == 0 {
			failed = &listing.Error{Msg: "the server's page for the folder names nothing in it"}
		}
		if failed == nil || !errors.Is(failed, errors.ErrUnsupported) {
			if failed == nil {
				l.way.Store(w)
			}
			return names, failed
		}
		if err == nil {
			err = failed
		}
	}
	if prefix == "" { // another folder need not be there
		l.refused, l.since = err, time.Now()
	}
	return nil, err
}

// absent makes absence an error that says that there is no list.
func absent(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return &listing.Error{Msg: "the server has nothing there"}
	}
	return err
}

// by asks for a list in one way.
func (s *Store) by(ctx context.Context, w way, prefix string) ([]string, error) {
	folder := prefix
	if prefix != "" {
		folder += "/"
	}
	url, want := s.base.join(folder), ""
	if w != folders {
		bucket, path := "", strings.TrimPrefix(s.base.path, "/")
		if w != inHost {
			bucket, path, _ = strings.Cut(path, "/")
		}
		if path != "" {
			path += "/"
		}
		want = percent.Decode(path, false) + folder
		query := "?list-type=2"
		if w == azure {
			query = "?restype=container&comp=list"
		}
		url = s.base.origin + "/" + bucket + query + "&delimiter=%2F&prefix=" + encode(want)
		if s.base.query != "" {
			url += "&" + s.base.query[1:]
		}
	}
	names, next, idle := []string{}, "", 0
	for pages := int64(0); ; pages++ {
		page, err := s.page(ctx, folder, url+next)
		if err != nil {
			return nil, err
		}
		if page.Keys != (w != folders) || page.Prefix != want {
			return nil, &listing.Error{Msg: "the server sends that of another place"}
		}
		names = append(names, page.Below(want)...)
		if page.Next == "" {
			return names, nil
		}
		if len(page.Names) == 0 {
			idle++
		}
		last := next
		if next = "&" + page.Param + "=" + encode(page.Next); next == last || idle > maxIdle {
			return nil, errors.New("the list does not end")
		}
		// A page has a thousand names, where no other number is asked for.
		if err := limits.Check("Names", listing.MaxNames, max(1000*pages, int64(len(names))), "a list of names"); err != nil {
			return nil, err
		}
	}
}

// page asks for a page of a list. What the server refuses, and what the browser blocks, is a *listing.Error.
func (s *Store) page(ctx context.Context, key, url string) (*listing.Page, error) {
	res, err := s.send(ctx, key, request{url: url, limit: min(listing.MaxBytes, s.opt.MaxBytes), fresh: Writes, once: true})
	if err == nil {
		err = s.checkLength(key, res)
	}
	var failed *Error
	if errors.As(err, &failed) && (failed.Blocked() || failed.Status == 501 || failed.Status/100 == 4 && failed.Status != 429) {
		err = &listing.Error{Msg: failed.Error()}
	}
	if err != nil {
		return nil, err
	}
	return listing.Parse(res.body, s.base.join(key))
}

// encode percent-encodes a text for a query.
func encode(s string) string { return base{}.join(s)[1:] }
