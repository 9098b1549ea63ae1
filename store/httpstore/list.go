package httpstore

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/zarr-wasm/zarr-wasm/internal/errtype"
	"github.com/zarr-wasm/zarr-wasm/internal/limits"
	"github.com/zarr-wasm/zarr-wasm/internal/order"
	"github.com/zarr-wasm/zarr-wasm/internal/percent"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/httpstore/internal/listing"
)

// lists caches how the server lists. Only one list at a time explores that.
type lists struct {
	way  atomic.Int32
	turn chan struct{}
	// refused is the reason why the store's own folder was not listed. since is the time of that
	// answer. The exploring list owns both.
	refused error
	since   time.Time
}

// way is a kind of list request.
type way = int32

const (
	unknown way = iota
	folders     // Folders are pages.
	inPath      // The first part of the path is a bucket.
	inHost      // The host is a bucket.
	azure       // The first part of the path is an Azure container.
)

const (
	// refusedFor is the pause after a refused list, before the server is asked again.
	refusedFor = 30 * time.Second
	// maxIdle limits the pages without names in a list.
	maxIdle = 100
)

// List implements [store.Lister]. An object store answers by the bucket's list, other servers by
// the page of the folder. The first list explores which one applies. If the server does neither,
// refuses, or hides its answer from the page, the error matches errors.ErrUnsupported.
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

// ListsAll returns false: servers omit names that begin with a dot, and a folder's page may be
// incomplete.
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
			failed = &listing.Error{Msg: "the server's page for the folder lists nothing"}
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
	if prefix == "" { // another folder may just be absent
		l.refused, l.since = err, time.Now()
	}
	return nil, err
}

// absent turns absence into an error that says that there is no list.
func absent(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return &listing.Error{Msg: "the server has no such folder"}
	}
	return err
}

// by requests a list in one way.
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
			return nil, &listing.Error{Msg: "the server lists another folder"}
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
		// A page has up to 1000 names by default.
		if err := limits.Check("Names", listing.MaxNames, max(1000*pages, int64(len(names))), "a list of names"); err != nil {
			return nil, err
		}
	}
}

// page requests a page of a list. Refused and blocked requests are a *listing.Error.
func (s *Store) page(ctx context.Context, key, url string) (*listing.Page, error) {
	res, err := s.send(ctx, key, request{url: url, limit: min(listing.MaxBytes, s.opt.MaxBytes), fresh: Writes, once: true})
	if err == nil {
		err = s.checkLength(key, res)
	}
	var failed *Error
	if errtype.As(err, &failed) && (failed.Blocked() || failed.Status == 501 || failed.Status/100 == 4 && failed.Status != 429) {
		err = &listing.Error{Msg: failed.Error()}
	}
	if err != nil {
		return nil, err
	}
	return listing.Parse(res.body, s.base.join(key))
}

// encode percent-encodes a text for a query.
func encode(s string) string { return base{}.join(s)[1:] }
