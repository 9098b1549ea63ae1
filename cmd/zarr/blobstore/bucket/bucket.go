// Package bucket is a store of the objects in a bucket of gocloud.dev/blob.
//
// The portable interface of that module reads no entity tags and no ranges from the end. Its only
// condition is that an object is absent. A [Provider] adds the rest for one kind of bucket.
// Without one, the store has no conditional writes, and a range from the end takes two requests.
package bucket

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"math"
	"path"
	"strconv"
	"strings"
	"time"

	"gocloud.dev/blob"
	"gocloud.dev/gcerrors"

	"github.com/zarr-wasm/zarr-wasm/internal/limits"
	"github.com/zarr-wasm/zarr-wasm/store"
)

// As is a function of gocloud.dev/blob. It sets its argument to a value of the provider's library,
// and reports whether it could.
type As = func(any) bool

// Provider is a kind of bucket, with what gocloud.dev/blob leaves to its library.
type Provider interface {
	// Answer describes the answer to a read.
	Answer(as As) Answer
	// Tag returns the entity tag of an object's attributes.
	Tag(a *blob.Attributes) string
	// Write prepares a write of n bytes. With a tag, it may only replace the object of that tag.
	Write(as As, n int, tag string) error
	// Delete restricts a deletion to the object of a tag.
	Delete(as As, tag string) error
	// Failure returns the HTTP status of a failure, 0 if there was no answer, and its cause in the
	// provider's words. An absent object has the status 404, and an absent bucket Bucket.
	Failure(err error) Failure
}

// Suffixer is a provider that reads the end of an object without its size.
type Suffixer interface {
	// Suffix makes a read one of the last n bytes.
	Suffix(as As, n int64) error
}

// Answer describes the answer to a read of a provider.
type Answer struct {
	// Tag is the entity tag of the object; "" when unknown.
	Tag string
	// Offset is the position of the first byte in the object; -1 when the provider's library
	// compares it with the request.
	Offset int64
}

// Failure is the cause of a failed request.
type Failure struct {
	Status int
	Why    string
	// Bucket reports that the bucket is absent.
	Bucket bool
}

// Options configure a store.
type Options struct {
	// Prefix is the key that the keys of the store begin with; "" for the whole bucket.
	Prefix string
	// Object says that Prefix is the key of a single object. Every key then names that object.
	Object bool
	// Address is the address of the bucket in messages, such as "s3://bucket".
	Address string
	// Provider is the kind of the bucket. It may be nil.
	Provider Provider
	// Once is the same bucket through a client that never repeats a request. Conditional writes use
	// it, because a repeated one may find its own first attempt. Without it they use the bucket.
	Once *blob.Bucket
	// Concurrency limits the simultaneous requests; 0 selects 64.
	Concurrency int
	// Timeout limits the wait for each further 256 KiB of a body; 0 selects one minute. The client
	// of the bucket limits the wait for an answer.
	Timeout time.Duration
}

// Store is the part of a bucket below a prefix.
type Store struct {
	bucket *blob.Bucket
	opt    Options
	turn   chan struct{}
}

var (
	_ store.Source      = (*Store)(nil)
	_ store.Lister      = (*Store)(nil)
	_ store.Writer      = (*Store)(nil)
	_ store.Conditional = (*Store)(nil)
	_ store.Remote      = (*Store)(nil)
	_ store.Capable     = (*Store)(nil)
)

// New returns a store of a bucket. The caller closes the bucket after the last call.
func New(b *blob.Bucket, opt Options) *Store {
	if opt.Concurrency <= 0 {
		opt.Concurrency = 64
	}
	if opt.Timeout <= 0 {
		opt.Timeout = time.Minute
	}
	if opt.Once == nil {
		opt.Once = b
	}
	opt.Prefix = strings.Trim(opt.Prefix, "/")
	return &Store{b, opt, make(chan struct{}, opt.Concurrency)}
}

// Capabilities implements [store.Capable]. Without a provider there are no conditional writes.
func (s *Store) Capabilities() store.Capabilities {
	c := store.Capabilities{Lister: s, Writer: s, Remote: s}
	if s.opt.Provider != nil {
		c.Conditional = s
	}
	return c
}

// Locate implements [store.Locator].
func (s *Store) Locate(_ context.Context, key string) (store.Location, error) {
	return store.At(s, key), nil
}

// Address implements [store.Remote].
func (s *Store) Address(key string) string {
	if s.opt.Object {
		key = ""
	}
	return strings.TrimSuffix(s.opt.Address+"/"+store.Join(s.opt.Prefix, key), "/")
}

// Itself implements [store.Remote].
func (s *Store) Itself() (store.Source, string) {
	if s.opt.Prefix == "" {
		return nil, ""
	}
	itself := *s
	itself.opt.Object = true
	return &itself, path.Base(s.opt.Prefix)
}

// object returns the name in the bucket of a key's object.
func (s *Store) object(key string) string {
	if s.opt.Object {
		return s.opt.Prefix
	}
	return store.Join(s.opt.Prefix, key)
}

// attempts is the number of times that a read begins. The client repeats requests without an
// answer; the store repeats those whose body breaks off.
const attempts = 3

// Read implements [store.Source].
func (s *Store) Read(ctx context.Context, name string, ask store.Ask) (e store.Extent, err error) {
	if err := store.CheckFor(ctx, "get", name); err != nil {
		return store.Extent{}, err
	}
	if err := s.enter(ctx); err != nil {
		return store.Extent{}, err
	}
	defer s.leave()
	for attempt := range attempts {
		var again bool
		if e, again, err = s.read(ctx, name, ask, attempt); !again || ctx.Err() != nil {
			break
		}
	}
	if err == nil {
		return e, nil
	}
	return store.Extent{}, s.failed(ctx, "get", name, err)
}

// enter waits until the store may send another request.
func (s *Store) enter(ctx context.Context) error {
	select {
	case s.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *Store) leave() { <-s.turn }

// errBroken wraps the cause of a body that broke off.
type errBroken struct{ error }

func (e errBroken) Unwrap() error { return e.error }

// read is one attempt of Read. It reports whether another may succeed.
func (s *Store) read(ctx context.Context, name string, ask store.Ask, attempt int) (store.Extent, bool, error) {
	var known *store.Version
	from, length := int64(0), int64(-1)
	suffix := int64(0)
	_, suffixes := s.opt.Provider.(Suffixer)
	if r := ask.Range; r != nil {
		from, length = r.Offset, r.Length
		switch {
		case r.Suffix && r.Length > 0 && suffixes:
			from, length, suffix = 0, -1, r.Length
		case r.Suffix, length <= 0, from < 0, from == math.MaxInt64:
			v, err := s.look(ctx, name)
			if err != nil {
				return store.Extent{}, false, err
			}
			to := int64(0)
			if from, to, err = r.Resolve(v.Size); err != nil || from == to {
				return store.Extent{Bytes: []byte{}, Offset: from, Version: v}, false, err
			}
			known, length = &v, to-from
		default:
			length = min(length, math.MaxInt64-from)
		}
	}
	e, err := s.body(ctx, name, ask, from, length, suffix, attempt)
	if s.beyond(err) { // the range is beyond the end, or the object is empty
		v, failed := s.look(ctx, name)
		if failed != nil {
			return store.Extent{}, false, failed
		}
		from, to, failed := ask.Range.Resolve(v.Size)
		switch {
		case failed != nil:
			return store.Extent{}, false, failed
		case from == to:
			return store.Extent{Bytes: []byte{}, Offset: from, Version: v}, false, nil
		}
		return store.Extent{}, true, store.ErrChanged
	}
	if err == nil && known != nil && known.Contradicts(e.Version) {
		return store.Extent{}, true, store.ErrChanged
	}
	var broken errBroken
	return e, errors.As(err, &broken), err
}

// beyond reports whether a provider refused a range.
func (s *Store) beyond(err error) bool {
	return err != nil && s.opt.Provider != nil && s.opt.Provider.Failure(err).Status == 416
}

// look returns the version of an object.
func (s *Store) look(ctx context.Context, name string) (v store.Version, err error) {
	start := time.Now()
	defer func() { s.report(ctx, name, "HEAD", nil, 0, start, 0, err) }()
	a, err := s.bucket.Attributes(ctx, s.object(name))
	if err != nil {
		return v, err
	}
	v = version(a.Size, a.ModTime)
	if s.opt.Provider != nil {
		v.ETag = s.opt.Provider.Tag(a)
	}
	return v, nil
}

func version(size int64, modified time.Time) store.Version {
	v := store.Version{Size: size}
	if !modified.IsZero() {
		v.Modified = strconv.FormatInt(modified.UnixNano(), 10)
	}
	return v
}

// body reads length bytes of an object, or, if suffix is not 0, its last bytes. A length of -1
// reads all of it.
func (s *Store) body(ctx context.Context, name string, ask store.Ask, from, length, suffix int64, attempt int) (e store.Extent, err error) {
	start := time.Now()
	defer func() { s.report(ctx, name, "GET", ask.Range, attempt, start, len(e.Bytes), err) }()
	ctx, alive, stop := s.patient(ctx)
	defer stop()
	opt := &blob.ReaderOptions{}
	if p, ok := s.opt.Provider.(Suffixer); ok && suffix > 0 {
		opt.BeforeRead = func(as func(any) bool) error { return p.Suffix(as, suffix) }
	}
	r, err := s.bucket.NewRangeReader(ctx, s.object(name), from, length, opt)
	if err != nil {
		return e, err
	}
	defer r.Close()
	size := r.Size()
	e.Version = version(size, r.ModTime())
	to := size
	if ask.Range != nil {
		if suffix == 0 {
			to = min(size, from+length)
		}
		wantFrom, wantTo, err := ask.Range.Resolve(size)
		if err != nil {
			return store.Extent{}, err
		}
		if suffix > 0 {
			from = wantFrom
		}
		if from != wantFrom || to != wantTo {
			return store.Extent{}, errBroken{store.ErrChanged} // since the size was read
		}
	} else if ask.MaxBytes > 0 && size > ask.MaxBytes {
		return store.Extent{}, limits.Encoded(ask.MaxBytes, size, "the object")
	}
	if s.opt.Provider != nil {
		a := s.opt.Provider.Answer(r.As)
		e.ETag = a.Tag
		if a.Offset >= 0 && a.Offset != from {
			return store.Extent{}, errors.New("the answer begins at byte " + strconv.FormatInt(a.Offset, 10) + " of the object, not at " + strconv.FormatInt(from, 10))
		}
	}
	e.Offset = from
	data := make([]byte, to-from)
	for at := 0; at < len(data); {
		n, err := io.ReadFull(r, data[at:min(at+perTimeout, len(data))])
		if at += n; err != nil {
			if context.Cause(ctx) == errSlow {
				err = errSlow
			} else if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return store.Extent{}, errBroken{err}
		}
		alive()
	}
	// The library compares checksums at the end of the body.
	switch n, err := r.Read(make([]byte, 1)); {
	case n > 0:
		return store.Extent{}, errBroken{errors.New("the body is longer than announced")}
	case err != nil && err != io.EOF:
		return store.Extent{}, errBroken{err}
	}
	e.Bytes = data
	return e, nil
}

// perTimeout is the number of body bytes that must arrive within one Options.Timeout.
const perTimeout = 256 << 10

// errSlow ends an attempt whose body does not arrive.
var errSlow = errors.New("the server is silent")

// patient returns a context that ends unless alive is called in time.
func (s *Store) patient(ctx context.Context) (_ context.Context, alive, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	// The client repeats requests without an answer, each with its own limit.
	timer := time.AfterFunc(attempts*s.opt.Timeout, func() { cancel(errSlow) })
	return ctx, func() { timer.Reset(s.opt.Timeout) }, func() {
		timer.Stop()
		cancel(nil)
	}
}

func (s *Store) report(ctx context.Context, key, method string, r *store.ByteRange, attempt int, start time.Time, n int, err error) {
	f := Failure{Status: 200}
	if err != nil {
		if err = s.cause(key, err); s.opt.Provider != nil {
			f = s.opt.Provider.Failure(err)
		}
	}
	store.Report(ctx, store.Event{Key: key, Range: r, Method: method, Status: f.Status, Attempt: attempt, Bytes: int64(n), Start: start, Duration: time.Since(start), Merged: 1, Err: err})
}

// Set implements [store.Writer]. The client repeats requests, because writing the same bytes twice
// is harmless.
func (s *Store) Set(ctx context.Context, key string, data []byte) error {
	return s.put(ctx, s.bucket, key, data, &blob.WriterOptions{}, "")
}

// Create implements [store.Conditional].
func (s *Store) Create(ctx context.Context, key string, data []byte) error {
	return s.put(ctx, s.opt.Once, key, data, &blob.WriterOptions{IfNotExist: true}, "")
}

// Replace implements [store.Conditional]. The version needs an entity tag.
func (s *Store) Replace(ctx context.Context, key string, data []byte, old store.Version) error {
	if err := store.CheckFor(ctx, "set", key); err != nil {
		return err
	}
	if old.ETag == "" || s.opt.Provider == nil {
		return &store.KeyError{Op: "set", Key: key, Err: errors.ErrUnsupported}
	}
	return s.put(ctx, s.opt.Once, key, data, &blob.WriterOptions{}, old.ETag)
}

func (s *Store) put(ctx context.Context, b *blob.Bucket, key string, data []byte, opt *blob.WriterOptions, tag string) error {
	if err := store.CheckFor(ctx, "set", key); err != nil {
		return err
	}
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.leave()
	// A fixed type, because gocloud.dev/blob would otherwise guess one of the bytes.
	opt.ContentType = "application/octet-stream"
	if strings.HasSuffix(key, ".json") || strings.HasPrefix(path.Base(key), ".z") {
		opt.ContentType = "application/json"
	}
	if s.opt.Provider != nil {
		opt.BeforeWrite = func(as func(any) bool) error { return s.opt.Provider.Write(as, len(data), tag) }
	}
	start := time.Now()
	within, cancel := context.WithTimeoutCause(ctx, s.opt.Timeout*time.Duration(attempts+len(data)/perTimeout), errSlow)
	defer cancel()
	err := b.Upload(within, s.object(key), bytes.NewReader(data), opt)
	if err != nil && context.Cause(within) == errSlow {
		err = errSlow
	}
	s.report(ctx, key, "PUT", nil, 0, start, 0, err)
	if err == nil {
		return nil
	}
	return s.refused(ctx, "set", key, err, opt.IfNotExist, tag != "")
}

// refused returns the error of a write, which may be of one with a condition.
func (s *Store) refused(ctx context.Context, op, key string, err error, absent, same bool) error {
	if (absent || same) && ctx.Err() == nil {
		status := 0
		if s.opt.Provider != nil {
			status = s.opt.Provider.Failure(err).Status
		}
		var cause error
		switch {
		case gcerrors.Code(err) == gcerrors.FailedPrecondition, status == 412, status == 409:
			// 409 reports another write of the object at the same time.
			cause = store.ErrConflict
			if absent {
				cause = fs.ErrExist
			}
		case same && (status == 404 && !s.opt.Provider.Failure(err).Bucket):
			cause = store.ErrConflict
		case status == 501:
			cause = errors.ErrUnsupported
		case status == 0 && s.opt.Provider != nil, status >= 500:
			cause = errors.Join(store.ErrUnsettled, s.cause(key, err))
		}
		if cause != nil {
			return &store.KeyError{Op: op, Key: key, Err: cause}
		}
	}
	return s.failed(ctx, op, key, err)
}

// Delete implements [store.Writer].
func (s *Store) Delete(ctx context.Context, key string) error {
	err := s.remove(ctx, s.bucket, key, nil)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Remove implements [store.Conditional]. The version needs an entity tag.
func (s *Store) Remove(ctx context.Context, key string, old store.Version) error {
	if err := store.CheckFor(ctx, "delete", key); err != nil {
		return err
	}
	if old.ETag == "" || s.opt.Provider == nil {
		return &store.KeyError{Op: "delete", Key: key, Err: errors.ErrUnsupported}
	}
	return s.remove(ctx, s.opt.Once, key, &blob.DeleteOptions{BeforeDelete: func(as func(any) bool) error {
		return s.opt.Provider.Delete(as, old.ETag)
	}})
}

func (s *Store) remove(ctx context.Context, b *blob.Bucket, key string, opt *blob.DeleteOptions) error {
	if err := store.CheckFor(ctx, "delete", key); err != nil {
		return err
	}
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.leave()
	start := time.Now()
	err := b.DeleteWithOptions(ctx, s.object(key), opt)
	s.report(ctx, key, "DELETE", nil, 0, start, 0, err)
	if err == nil {
		return nil
	}
	return s.refused(ctx, "delete", key, err, false, opt != nil)
}
