package httpstore

import (
	"context"
	"errors"
	"io/fs"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/zarr-wasm/zarr-wasm/internal/ascii"
	"github.com/zarr-wasm/zarr-wasm/internal/errtype"
	"github.com/zarr-wasm/zarr-wasm/internal/limits"
	"github.com/zarr-wasm/zarr-wasm/internal/weburl"
	"github.com/zarr-wasm/zarr-wasm/store"
)

const (
	maxDelay      = 10 * time.Second // between two attempts
	maxRetryAfter = 30 * time.Second // a longer Retry-After is a failure
)

// failure is a fetcher's error for a missing or unreadable answer. It is transient unless final.
type failure struct {
	hint  string
	err   error
	final bool
	bare  bool // no server is to blame: the cause is the error of the read
}

func (f *failure) Error() string { return f.err.Error() }

// blocked is the cause of a failure that the browser may have caused: see [store.Blocked].
type blocked struct{ error }

// send sends a request until it has a final answer. A returned answer has status 200, or 206 for a
// range. Other statuses are errors, for an absent object fs.ErrNotExist.
func (s *Store) send(ctx context.Context, key string, req request) (response, error) {
	if req.url == "" {
		req.url = s.base.join(key)
	}
	req.fresh = req.fresh || s.failures.Has(req.url)
	for attempt := 0; ; attempt++ {
		res, err := s.once(ctx, key, req, attempt)
		if err != nil && ctx.Err() != nil {
			return response{}, ctx.Err()
		}
		again, err := s.judge(key, req, res, err)
		switch {
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			s.failures.Note(req.url)
		case req.fresh && !req.head:
			s.failures.Forget(req.url) // the answer replaced the one in the browser's cache
		}
		if err == nil {
			return res, nil
		}
		req.fresh = true
		if store.Blocked(err) {
			if s.missing[0] && (attempt > 0 || s.retries == 0) {
				return response{}, store.NotFound(key)
			}
			again = again && !req.once
		}
		if !again || attempt >= s.retries {
			return response{}, err
		}
		asked := retryAfter(res.retryAfter)
		if asked > maxRetryAfter {
			return response{}, s.fail(key, res.status, "the server asks for a retry after "+strconv.FormatInt(int64(asked/time.Second), 10)+" seconds", nil)
		}
		if err := s.pause(ctx, attempt, asked); err != nil {
			return response{}, err
		}
	}
}

// pause waits before a retry, at least for the time that the server asked for.
func (s *Store) pause(ctx context.Context, attempt int, asked time.Duration) error {
	return sleep(ctx, max(asked, s.randomise.around(min(s.opt.RetryDelay<<min(attempt, 16), maxDelay))))
}

// once waits for a slot and sends a request.
func (s *Store) once(ctx context.Context, key string, req request, attempt int) (response, error) {
	if err := s.limiter.enter(ctx, s.opt.Concurrency); err != nil {
		return response{}, err
	}
	defer func() { s.limiter.leave(ctx.Err() != nil && context.Cause(ctx) != errEnough) }()
	start := time.Now()
	res, err := s.attempt(ctx, req)
	switch {
	case err == nil:
		s.limiter.answered(len(res.body))
	case ctx.Err() != nil && context.Cause(ctx) != errEnough:
		s.failures.Note(req.url) // the answer is discarded, but the browser may cache it
	}
	var large *tooLargeError
	if req.probe && errtype.As(err, &large) {
		res.length, res.large, err = large.size, true, nil
	} else if req.probe && context.Cause(ctx) == errEnough {
		res.large, err = true, nil
	}
	method := "GET"
	if req.head {
		method = "HEAD"
	}
	failed := err
	if err == nil {
		_, failed = s.judge(key, req, res, nil)
	}
	if req.probe && res.status == 416 {
		failed = nil // this status answers the probe
	}
	store.Report(ctx, store.Event{
		Key: key, Range: req.asked, Method: method, Status: res.status, Attempt: attempt, Bytes: int64(len(res.body)),
		Start: start, Duration: time.Since(start), Merged: 1, Err: failed,
	})
	return res, err
}

// attempt sends a request with the user's headers, and fails when the server is silent.
func (s *Store) attempt(ctx context.Context, req request) (response, error) {
	watching, w, stop := s.watches.watched(ctx, s.opt.Timeout)
	defer stop()
	req.headers, req.watch = s.opt.Headers, w
	if s.opt.HeaderFunc != nil {
		more, err := s.opt.HeaderFunc(watching)
		if err == nil {
			err = checkHeaders(more)
		}
		if err != nil {
			return response{}, &failure{err: &causedError{"the headers of the request", err}, final: true}
		}
		req.headers = mergeHeaders(s.opt.Headers, more)
	}
	res, err := s.exchange(watching, req)
	if err != nil && ctx.Err() == nil {
		if late := slow(watching, w); late != nil {
			return response{}, late
		}
	}
	return res, err
}

// judge turns an answer into an error, and reports whether a retry may help.
func (s *Store) judge(key string, req request, res response, err error) (again bool, _ error) {
	var large *tooLargeError
	if errtype.As(err, &large) {
		if res.status == 206 {
			got := "more"
			if large.size >= 0 {
				got = strconv.FormatInt(large.size, 10)
			}
			return false, s.fail(key, 206, "", errors.New("the answer has "+got+" bytes, but the range has "+strconv.FormatInt(req.part, 10)))
		}
		what := "the object"
		if req.ask != "" {
			what = "the whole object, which the server sent for a range,"
		}
		return false, s.tooLarge(key, large.size, req.limit, what)
	}
	var f *failure
	switch {
	case errtype.As(err, &f) && f.bare:
		return false, &store.KeyError{Op: "get", Key: key, Err: f.err}
	case f != nil:
		return !f.final, s.fail(key, res.status, f.hint, f.err)
	case err != nil:
		return true, s.fail(key, res.status, "", err)
	}
	switch res.status {
	case 200:
		return false, nil
	case 206:
		if req.ask == "" {
			return false, s.fail(key, 206, "", errors.New("the server sent a part of the object, but all of it was requested"))
		}
		if _, _, _, ok := parseContentRange(res.contentRange); !ok && res.contentRange != "" {
			cause := errors.New("the Content-Range " + strconv.Quote(clip(res.contentRange)) + " cannot be read")
			if !req.head && !res.large && len(res.body) == 0 {
				// For the end of an empty object, net/http sends "bytes 0--1/0".
				cause = &causedError{cause.Error(), store.ErrRange}
			}
			return false, s.fail(key, 206, "", cause)
		}
		return false, nil
	case 404, 410:
		return false, store.NotFound(key)
	case 416:
		return false, s.fail(key, 416, "", store.ErrRange)
	}
	// HEAD may be refused with a status that, for GET, means absence.
	if s.missing[res.status] && !req.head {
		return false, store.NotFound(key)
	}
	switch res.status {
	case 408, 429, 500, 502, 503, 504:
		again = true
	case 300, 301, 308:
		// browsers cache these by default, even for abandoned requests
		again = !req.fresh && !req.once
	}
	hint := statusHint(res.status)
	if res.status/100 == 3 && res.location != "" {
		hint = hintRedirect
	}
	return again, s.fail(key, res.status, hint, nil)
}

// tooLarge returns the error for an object above the limit. Size is in bytes, -1 when unknown.
func (s *Store) tooLarge(key string, size, most int64, what string) error {
	if size < 0 {
		size = most + 1 // this many bytes were seen
	}
	return &store.KeyError{Op: "get", Key: key, Err: limits.Encoded(most, size, what+" at "+weburl.Redact(s.base.join(key)))}
}

// retryAfter parses a Retry-After header (RFC 9110, 10.2.3): seconds, or a date. It returns 0 for
// an unreadable one.
func retryAfter(s string) time.Duration {
	s = ascii.TrimSpace(s)
	if n, err := strconv.ParseUint(s, 10, 31); err == nil {
		return time.Duration(n) * time.Second
	}
	if at, ok := store.HTTPDate(s); ok {
		return max(0, time.Until(time.Unix(at, 0)))
	}
	return 0
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// jitter spreads retries, so that requests that failed together are not retried together.
type jitter struct{ state atomic.Uint64 }

// around returns a random duration between d/2 and d.
func (j *jitter) around(d time.Duration) time.Duration {
	// SplitMix64 turns any sequence into a random one. It is good enough here and links no package.
	x := j.state.Add(0x9E3779B97F4A7C15) ^ uint64(time.Now().UnixNano())
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	x ^= x >> 31
	half := uint64(d / 2)
	return time.Duration(half + x%(half+1))
}
