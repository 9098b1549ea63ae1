package dispatch

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/wasm/internal/wire"
)

var errNotRange = errors.New("the numbers of a range are not integers")

// get reads an object of a store for the user, past the hierarchy's caches.
func (s *Session) get(ctx context.Context, msg wire.Object) (any, error) {
	st, err := s.opened(msg)
	if err != nil {
		return nil, err
	}
	key := strings.TrimLeft(msg.Text(wire.GetKey), "/")
	var r *store.ByteRange
	if o := msg.Object(wire.GetRange); o != nil {
		if r = rangeOf(o); r == nil {
			return nil, &store.KeyError{Op: "get", Key: key, Err: errNotRange}
		}
	}
	e, err := store.ReadKey(ctx, st.store, key, store.Ask{Range: r}, func(ctx context.Context, source store.Source, name string, ask store.Ask) (store.Extent, error) {
		return source.Read(store.WithObserver(ctx, st.traffic.observe), name, ask)
	})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case r == nil:
		return wire.Buffer(e.Bytes), nil
	}
	b, err := e.Cut(key, *r)
	return wire.Buffer(b), err
}

// rangeOf reads {offset, length} or {suffixLength}. It returns nil unless they are integers.
func rangeOf(o wire.Object) *store.ByteRange {
	var r store.ByteRange
	var ok bool
	if r.Length, r.Suffix = o.Integer(wire.ByteRangeSuffix); !r.Suffix {
		if r.Offset, ok = o.Integer(wire.ByteRangeOffset); ok {
			r.Length, ok = o.Integer(wire.ByteRangeLength)
		}
	}
	if !ok && !r.Suffix {
		return nil
	}
	return &r
}
