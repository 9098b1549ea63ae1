//go:build !js || write

package httpstore

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"strings"
	"time"

	"github.com/zarr-wasm/zarr-wasm/internal/errtype"
	"github.com/zarr-wasm/zarr-wasm/internal/guard"
	"github.com/zarr-wasm/zarr-wasm/internal/weburl"
	"github.com/zarr-wasm/zarr-wasm/store"
)

var (
	_ store.Writer      = (*Store)(nil)
	_ store.Conditional = (*Store)(nil)
)

// Writes reports whether the build includes writing: in wasm, only with the tag write.
const Writes = true

const (
	methodPut    = "PUT"
	methodDelete = "DELETE"
	methodFolder = "MKCOL" // of WebDAV: RFC 4918, 9.3
)

// ErrAccepted is the cause when a server accepted a write without confirming that it is done.
var ErrAccepted = errors.New("the server accepted the object, but does not confirm that it is written")

// Set implements [store.Writer], by PUT. It retries after transient failures, because writing the
// same bytes twice is harmless. It follows no redirects.
func (s *Store) Set(ctx context.Context, key string, data []byte) error {
	return s.write(ctx, key, &writeRequest{method: methodPut, body: data})
}

// Delete implements [store.Writer], by DELETE.
func (s *Store) Delete(ctx context.Context, key string) error {
	return s.write(ctx, key, &writeRequest{method: methodDelete})
}

// Create implements [store.Conditional], by PUT with If-None-Match: *. A server that ignores the
// condition, against RFC 9110, 13.1.2, overwrites the present object.
func (s *Store) Create(ctx context.Context, key string, data []byte) error {
	return s.write(ctx, key, &writeRequest{methodPut, data, "If-None-Match", "*"})
}

// Replace implements [store.Conditional], by PUT with If-Match. Without a strong entity tag it
// sends If-Unmodified-Since.
func (s *Store) Replace(ctx context.Context, key string, data []byte, old store.Version) error {
	return s.over(ctx, key, old, &writeRequest{method: methodPut, body: data})
}

// Remove implements [store.Conditional], by DELETE with the conditions of Replace.
func (s *Store) Remove(ctx context.Context, key string, old store.Version) error {
	return s.over(ctx, key, old, &writeRequest{method: methodDelete})
}

// over sends a write on the condition that the object has a version.
func (s *Store) over(ctx context.Context, key string, old store.Version, w *writeRequest) error {
	w.condition, w.value = "If-Match", old.ETag
	if !old.Strong() {
		w.condition, w.value = "If-Unmodified-Since", old.Modified
	}
	if w.value == "" {
		return &store.KeyError{Op: w.op(), Key: key, Err: errors.ErrUnsupported}
	}
	return s.write(ctx, key, w)
}

// op returns the name of the request in errors.
func (w *writeRequest) op() string {
	if w.method == methodDelete {
		return "delete"
	}
	return "set"
}

// deletes is the number of concurrent deletions.
const deletes = 16

// DeleteAll implements [store.Writer] for servers that list. It deletes each object by one
// request. Then it deletes the folder, which exists on some servers only. If the server does not
// list, the error matches errors.ErrUnsupported.
func (s *Store) DeleteAll(ctx context.Context, prefix string) error {
	if prefix == "" {
		return s.deleteObjects(ctx, prefix)
	}
	if err := store.CheckFor(ctx, "delete", prefix); err != nil {
		return err
	}
	if err := s.deleteObjects(ctx, prefix); err != nil {
		return err
	}
	// A remaining folder would block an object of its name, such as "c/0" of an array with fewer
	// dimensions. Reads there would return a page or an error. Servers without folders, or with
	// folders that cannot be deleted, are unaffected.
	_, _ = s.onceWritten(ctx, prefix, request{url: s.base.join(prefix + "/"), write: &writeRequest{method: methodDelete}}, 0)
	return ctx.Err()
}

// DeletesAtomically implements [store.Writer].
func (s *Store) DeletesAtomically() bool { return false }

// deleteObjects deletes the objects below a prefix.
func (s *Store) deleteObjects(ctx context.Context, prefix string) error {
	names, err := s.List(ctx, prefix)
	if err != nil {
		return &store.KeyError{Op: "delete", Key: prefix, Err: err}
	}
	turn := make(chan struct{}, deletes)
	errs := make([]error, len(names))
	for i, name := range names {
		key := store.Join(prefix, name)
		if folder, ok := strings.CutSuffix(key, "/"); ok {
			errs[i] = s.deleteObjects(ctx, folder)
			continue
		}
		turn <- struct{}{}
		guard.Go(func() error { return s.Delete(ctx, key) }, func(err error) {
			errs[i] = err
			<-turn
		})
	}
	for range deletes {
		turn <- struct{}{} // wait for all
	}
	return errors.Join(errs...)
}

// write sends a request until it has a final answer.
func (s *Store) write(ctx context.Context, key string, w *writeRequest) error {
	op := w.op()
	if err := store.CheckFor(ctx, op, key); err != nil {
		return err
	}
	url := s.base.join(key)
	for attempt := 0; ; attempt++ {
		res, err := s.onceWritten(ctx, key, request{url: url, write: w}, attempt)
		if err == nil && res.status == 409 && w.method == methodPut && s.makeFolders(ctx, key, url) {
			res, err = s.onceWritten(ctx, key, request{url: url, write: w}, attempt)
		}
		s.failures.Note(url) // caches on the way may keep the old object
		if res.status == 412 && w.condition == "If-Match" {
			s.encodes.Store(true)
		}
		if err != nil && ctx.Err() != nil {
			return ctx.Err()
		}
		again, err := s.judgeWrite(w, res, err)
		if err == nil {
			if w.condition != "" && inBrowser() && s.opt.Cache != "no-store" {
				s.forget(ctx, key, url, w)
			}
			return nil
		}
		var e *Error
		if errtype.As(err, &e) {
			e.URL = weburl.Redact(url)
		}
		err = &store.KeyError{Op: op, Key: key, Err: err}
		asked := retryAfter(res.retryAfter)
		if !again || attempt >= s.retries || asked > maxRetryAfter {
			return err
		}
		if err := s.pause(ctx, attempt, asked); err != nil {
			return err
		}
	}
}

// makeFolders creates the folder of a URL, and those above it, by MKCOL, and reports whether the
// folder may exist now. WebDAV answers a PUT into a missing folder with 409 (RFC 4918, 9.7.1). A
// server that has the folder answers like one without MKCOL, so both count as success.
func (s *Store) makeFolders(ctx context.Context, key, url string) bool {
	path := strings.TrimSuffix(url, s.base.query)
	end := strings.LastIndexByte(path, '/')
	if end <= len(s.base.origin) {
		return false // the root always exists
	}
	for attempt := range 2 {
		res, err := s.onceWritten(ctx, key, request{url: path[:end+1] + s.base.query, write: &writeRequest{method: methodFolder}}, 0)
		switch {
		case err != nil:
			return false
		case res.status != 409:
			return res.status/100 == 2 || res.status == 405
		case attempt == 1 || !s.makeFolders(ctx, key, path[:end]+s.base.query):
			return false
		}
	}
	return false
}

// forget replaces the browser's cached answer for a written URL, by the smallest read. A
// conditional request bypasses the cache (Fetch, 4.6). In Chromium it also bypasses the
// invalidation of RFC 9111, 4.4. Any page would otherwise get the old object, for its declared
// lifetime. A wrong answer would be cached, too, so forget retries. If it fails for good, the store
// still bypasses the cache the next time.
func (s *Store) forget(ctx context.Context, key, url string, w *writeRequest) {
	first := store.ByteRange{Length: 1}
	most := max(3, s.retries+1)
	for attempt := range most {
		res, err := s.once(ctx, key, request{url: url, ask: "bytes=0-0", asked: &first, limit: -1, part: 1 << 10, fresh: true}, attempt)
		switch {
		case err != nil:
		case s.missing[res.status]:
			return
		case w.method == methodPut && (res.status == 200 && !res.html() || res.status == 206 && bytes.HasPrefix(w.body, res.body)):
			return
		}
		asked := retryAfter(res.retryAfter)
		if attempt+1 == most || asked > maxRetryAfter || s.pause(ctx, attempt, asked) != nil {
			return
		}
	}
}

// onceWritten waits for a slot and sends a write.
func (s *Store) onceWritten(ctx context.Context, key string, req request, attempt int) (response, error) {
	if err := s.limiter.enter(ctx, s.opt.Concurrency); err != nil {
		return response{}, err
	}
	defer func() { s.limiter.leave(ctx.Err() != nil) }()
	start := time.Now()
	res, err := s.attempt(ctx, req)
	failed := err
	if err == nil {
		_, failed = s.judgeWrite(req.write, res, nil)
	}
	store.Report(ctx, store.Event{
		Key: key, Method: req.write.method, Status: res.status, Attempt: attempt, Start: start, Duration: time.Since(start), Merged: 1, Err: failed,
	})
	return res, err
}

// judgeWrite turns an answer into an error, and reports whether the request may be sent again. A
// conditional request may not be repeated when its outcome is open, because its first attempt may
// have changed the version. Its error then matches [store.ErrUnsettled], unless the store never
// retries.
func (s *Store) judgeWrite(w *writeRequest, res response, err error) (again bool, _ error) {
	var f *failure
	switch {
	case errtype.As(err, &f) && f.bare:
		return false, f.err
	case f != nil:
		hint := f.hint
		if _, kept := f.err.(blocked); kept {
			hint = "the server may be down, or may not allow pages of this origin to write (CORS: Access-Control-Allow-Methods must name " + w.method +
				", and Access-Control-Allow-Headers the headers that are sent"
			if w.condition != "" {
				hint += ", as " + w.condition
			}
			hint += ")"
		}
		if f.final {
			return false, &Error{Hint: hint, Err: f.err}
		}
		return w.condition == "", &Error{Hint: hint, Err: s.open(w, f.err)}
	case err != nil:
		return w.condition == "", &Error{Err: s.open(w, err)}
	}
	fail := func(hint string, cause error) error { return &Error{Status: res.status, Hint: hint, Err: cause} }
	remove := w.method == methodDelete
	switch res.status {
	case 200, 201, 204:
		if res.status == 200 && res.html() && !remove {
			return false, fail("a read-only server may answer every request like this", ErrHTML)
		}
		return false, nil
	case 202:
		if remove {
			return false, nil
		}
		return false, fail("", ErrAccepted)
	case 404, 410:
		if w.condition == "If-Match" || w.condition == "If-Unmodified-Since" {
			return false, fail("", store.ErrConflict)
		}
		if remove {
			return false, nil
		}
		return false, fail("the server does not write there: the folder may be missing, or the address may be read-only", nil)
	case 412:
		if w.condition == "If-None-Match" {
			return false, fail("", fs.ErrExist)
		}
		return false, fail("", store.ErrConflict)
	case 401, 403:
		return false, fail("the server does not let this client write: it may need a header such as Authorization", nil)
	case 405, 501:
		if w.condition != "" && res.status == 501 {
			return false, fail("the server does not know "+w.condition, errors.ErrUnsupported)
		}
		return false, fail("the server does not know "+w.method+": it only reads", nil)
	case 409:
		return w.condition == "", fail("another client is writing there, or the folder is missing and MKCOL cannot create it", s.open(w, nil))
	case 423:
		return false, fail("another client is writing there", nil)
	case 413:
		return false, fail("the object is larger than the server accepts", nil)
	case 507:
		return false, fail("the server has no space left", nil)
	case 429, 503:
		return true, fail(statusHint(res.status), nil) // the server did not perform the request
	case 408, 500, 502, 504:
		return w.condition == "", fail("", s.open(w, nil))
	}
	if res.status/100 == 3 {
		return false, fail("the server redirects, and writes do not follow redirects: use the redirect's target (the header Location)", nil)
	}
	return false, fail("", nil)
}

// unsettled is the cause of a conditional request whose outcome is unknown.
type unsettled struct{ error }

func (u unsettled) Unwrap() []error { return []error{u.error, store.ErrUnsettled} }

// open returns the cause for a request whose outcome is open.
func (s *Store) open(w *writeRequest, cause error) error {
	switch {
	case w.condition == "" || s.retries == 0:
		return cause
	case cause == nil:
		return store.ErrUnsettled
	}
	return unsettled{cause}
}
