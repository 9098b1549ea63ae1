package httpstore

import (
	"context"
	"errors"

	"github.com/zarr-wasm/zarr-wasm/internal/ascii"
	"github.com/zarr-wasm/zarr-wasm/internal/weburl"
)

// One rule holds for redirects in every build: the headers, credentials and functions of a store are used at its origin
// only. A redirect within the origin is followed with them. One that leaves the origin is followed without them, and so is every
// further one, even one that leads back: another origin chose where it leads.
//
// A browser follows redirects by itself, with all headers but Authorization, and does not say where they lead. There, a
// redirect of a request with other headers, with credentials, or with Options.Redirect is an error. Firefox sends Authorization
// again where a redirect to another origin is followed by one within that origin, so there Authorization is as other headers.

// maxRedirects is how many redirects of one request are followed.
const maxRedirects = 10

// errOpaque is the error of a fetcher for a redirect that it neither follows nor describes.
var errOpaque = errors.New("redirected")

// route is the way of one request along redirects.
type route struct {
	store *Store
	watch *watch
	from  string // the URL that was asked for
	hops  int
	away  bool // a redirect has left the origin
}

// follow judges the next redirect, and returns the address that it leads to. Its error is a *failure.
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

// permit asks Options.Redirect whether an origin may be read from; "" is one that the platform does not name. The answer may
// take a person's time, so the timeout is a thousand times as long, and others may send requests meanwhile.
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

// manual reports whether a platform that follows redirects by itself would break the rule for a request.
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

// exchange sends a request, and follows the redirects that its fetcher returns.
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

// next returns the address that the answer from a URL redirects to, "" where it does not.
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

// failed returns the failure for an error of a fetcher that names a state of the platform.
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
