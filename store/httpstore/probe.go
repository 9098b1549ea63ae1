package httpstore

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/zarr-wasm/zarr-wasm/internal/errtype"
	"github.com/zarr-wasm/zarr-wasm/internal/guard"
	"github.com/zarr-wasm/zarr-wasm/store"
)

// This file reads the end of an object of unknown size. A page of another origin needs the server's
// permission for "bytes=-n", but none for "bytes=a-". The headers of that answer show the size
// before the body arrives.

// end reads the end of an object. With a correct hint it sends one request. If the object is larger
// than Enough, end requests the last bytes while the first answer still arrives, and uses whichever
// finishes first. A fast server delivers the whole object first.
func (s *Store) end(ctx context.Context, key string, ask store.Ask) (store.Extent, error) {
	if ask.From > 0 {
		p, err := s.tail(ctx, key, ask.From, max(ask.Enough, ask.Range.Length), ask, nil)
		var e *Error
		if !errtype.As(err, &e) || e.Status != 416 { // the object is not smaller
			return s.last(ctx, key, ask, p, err)
		}
	}
	type outcome struct {
		p   store.Extent
		err error
	}
	within, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	sizes, all := make(chan store.Extent, 1), make(chan outcome, 1)
	start := time.Now()
	run := func(to chan<- outcome, read func() (store.Extent, error)) {
		var e store.Extent
		guard.Go(func() (err error) {
			e, err = read()
			return err
		}, func(err error) { to <- outcome{e, err} })
	}
	run(all, func() (store.Extent, error) {
		return s.tail(within, key, 0, ask.Enough, ask, func(p store.Extent) {
			select {
			case sizes <- p:
			default: // a retry reports the size again
			}
		})
	})
	var seen store.Extent
	select {
	case o := <-all:
		return s.last(ctx, key, ask, o.p, o.err)
	case seen = <-sizes:
	}
	soon := time.NewTimer(time.Since(start) / 4)
	defer soon.Stop()
	select {
	case o := <-all:
		return s.last(ctx, key, ask, o.p, o.err)
	case <-soon.C:
	}
	if s.limiter.full(s.opt.Concurrency) {
		stop(errEnough)
		return s.last(ctx, key, ask, seen, nil)
	}
	part := make(chan outcome, 1)
	run(part, func() (store.Extent, error) { return s.last(within, key, ask, seen, nil) })
	var o outcome
	select {
	case o = <-part:
	case o = <-all:
		if o.err != nil || o.p.Bytes == nil {
			o = <-part
		}
	}
	stop(errEnough)
	return o.p, o.err
}

// last returns the end of an object after the first answer, which holds a part of it, or only its
// size.
func (s *Store) last(ctx context.Context, key string, ask store.Ask, p store.Extent, err error) (store.Extent, error) {
	switch {
	case err != nil:
		return store.Extent{}, err
	case p.Size < 0:
		return s.readRange(ctx, key, ask, -1)
	case p.Bytes != nil:
		if _, ok := p.Slice(*ask.Range); ok {
			return p, nil
		}
	}
	return s.readKnown(ctx, key, ask, p.Version)
}

// errEnough cancels a request whose result another one has delivered.
var errEnough = errors.New("no longer needed")

// tail reads an object from an offset to its end, if that part has at most enough bytes. For a
// larger part it returns the size without bytes. If sized is set, it receives that size, and a part
// of up to 4 times enough is read on.
func (s *Store) tail(ctx context.Context, key string, from, enough int64, ask store.Ask, sized func(store.Extent)) (store.Extent, error) {
	asked := store.ByteRange{Offset: from, Length: maxOffset - from}
	// A server that ignores the range sends the whole object.
	req := request{ask: "bytes=" + strconv.FormatInt(from, 10) + "-", asked: &asked, probe: true, limit: s.sizeLimit(ask), part: enough, fresh: ask.Fresh}
	size := func(res response) store.Extent {
		p := store.Extent{Version: res.version(res.length)}
		if res.status == 206 && p.Size >= 0 {
			p.Size += from
		}
		if _, _, total, ok := parseContentRange(res.contentRange); ok && total >= 0 {
			p.Size = total
		}
		return p
	}
	if sized != nil {
		req.most = 4 * enough
		req.sized = func(res response) { sized(size(res)) }
	}
	res, err := s.send(ctx, key, req)
	var e *Error
	switch {
	case from == 0 && errtype.As(err, &e) && e.Status == 416: // empty object
		return store.AllOf([]byte{}), nil
	case err != nil:
		return store.Extent{}, err
	case res.large:
		return size(res), nil
	case res.status == 200:
		return s.whole(key, res)
	}
	n := int64(len(res.body))
	if first, end, _, ok := parseContentRange(res.contentRange); ok && res.encoding == "" && (first != from || end-first != n) {
		return store.Extent{}, s.wrongPart(key, res)
	}
	if err := s.checkPart(key, res, store.ByteRange{Offset: from, Length: n}, -1); err != nil {
		return store.Extent{}, err
	}
	if err := s.checkLength(key, res); err != nil {
		return store.Extent{}, err
	}
	// A server may send less than requested, and then reports the full size.
	p := store.Extent{Bytes: res.body, Offset: from, Version: res.version(from + n)}
	if _, _, total, ok := parseContentRange(res.contentRange); ok && total >= 0 {
		p.Size = total
	}
	return p, nil
}
