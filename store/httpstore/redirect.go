package httpstore

import (
	"context"
	"errors"

	"github.com/zarr-wasm/zarr-wasm/internal/ascii"
	"github.com/zarr-wasm/zarr-wasm/internal/weburl"
)

// One rule holds for redirects in every build: the headers, credentials and functions of a store
// are used at its origin only. A redirect within the origin keeps them. A redirect to another
// origin drops them for all further ones, even if one leads back, because the other origin chose
// the target.
//
// A browser follows redirects itself, with all headers but Authorization, and hides their targets.
// There, a redirect of a request with other headers, with credentials, or with Options.Redirect is
// an error. Firefox sends Authorization again after a redirect to another origin and one within it.
// There Authorization counts like other headers.

// maxRedirects limits the redirects of one request.
const maxRedirects = 10

// errOpaque is a fetcher's error for a redirect that it neither follows nor describes.
var errOpaque = errors.New("redirected")

// route tracks the redirects of one request.
type route struct {
	store *Store
	watch *watch
	from  string // the requested URL
	hops  int
	away  bool // a redirect left the origin
}

// follow checks the next redirect and returns its target address. Its error is a *failure.
func (r *route) follow(ctx context.Context, location string) (string, error) {
	to, err := weburl.Parse(location)
	if err != nil {
		return "", &failure{err: &causedError{"the server redirects to an invalid address", err}, final: true}
	}
	if err := r.permit(ctx, to.Origin); err != nil {
		return "", err
	}
	if r.hops++; r.hops > maxRedirects {
		return "", &failure{err: errors.New("too many redirects")}
	}
	r.away = r.away || to.Origin != r.store.base.origin
	return to.String(), nil
}

// permit asks Options.Redirect whether an origin may be read; "" means an unknown origin. A person
// may have to answer, so the timeout is 1000 times as long, and other requests use the slot
// meanwhile.
func (r *route) permit(ctx context.Context, origin string) error {
	ask := r.store.opt.Redirect
	if ask == nil {
		return nil
	}
	r.store.limiter.leave(false)
	r.watch.expect(1000*perTimeout, false)
	err := ask(ctx, weburl.Redact(r.from), origin)
	r.watch.expect(0, false)
	r.store.limiter.hold()
	if err != nil {
		return &failure{err: err, final: true, bare: true}
	}
	return nil
}

// manual reports whether a platform that follows redirects itself would break the rule for a
// request.
func (s *Store) manual(req request) bool {
	if req.write != nil || s.opt.Redirect != nil || s.opt.Credentials == "include" {
		return true
	}
	for name := range req.headers {
		if !ascii.EqualFold(name, "Authorization") || !dropsAuthorization() {
			return true
		}
	}
	return false
}

// exchange sends a request and follows the redirects that its fetcher returns.
func (s *Store) exchange(ctx context.Context, req request) (response, error) {
	req.route = &route{store: s, watch: req.watch, from: req.url}
	req.manual = s.manual(req)
	fetch := s.fetch
	for {
		res, err := fetch.Fetch(ctx, req)
		next := ""
		if err == nil && req.write == nil {
			next, err = req.route.next(ctx, req.url, &res)
		} else if err != nil {
			err = req.route.failed(ctx, err)
		}
		if next == "" {
			return res, err
		}
		if req.url = next; req.route.away {
			fetch, req.headers = newFetcher(base{}, Options{Cache: s.opt.Cache, Platform: s.opt.Platform}), nil
		}
	}
}

// next returns the target address of a redirect, "" for other answers.
func (r *route) next(ctx context.Context, url string, res *response) (string, error) {
	if res.followed != "" {
		_, err := r.follow(ctx, res.followed)
		return "", err
	}
	switch res.status {
	case 301, 302, 303, 307, 308:
		if res.location != "" {
			return r.follow(ctx, resolve(url, res.location))
		}
	}
	return "", nil
}

// failed converts a fetcher's error about the platform into a failure.
func (r *route) failed(ctx context.Context, err error) error {
	switch err {
	case errInvalid:
		return &failure{err: err, final: true, bare: true}
	case errOpaque:
		if err := r.permit(ctx, ""); err != nil {
			return err
		}
		return &failure{hint: hintRedirect, err: err, final: true}
	}
	return err
}
