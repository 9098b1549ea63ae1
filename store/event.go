package store

import (
	"context"
	"time"
)

// Event describes one request that a store sent, or a read that needed no request.
type Event struct {
	// Key is the object.
	Key string
	// Range is the requested part of the object; nil for the whole object.
	Range *ByteRange
	// Origin says where the bytes came from.
	Origin Origin
	// Method is the HTTP method; "" when there is none.
	Method string
	// Status is the HTTP status of the answer; 0 when there is none.
	Status int
	// Attempt counts the tries of one request, from 0.
	Attempt int
	// Bytes is the size of the response body in bytes.
	Bytes int64
	// Start is the time when the request was sent. Duration is the time until its last byte.
	Start    time.Time
	Duration time.Duration
	// Merged is the number of reads that this request serves, at least 1.
	Merged int
	// Err is the cause of a failure. It matches fs.ErrNotExist for an absent object, and is the
	// context's error for an abandoned request.
	Err error
}

// Origin says where the bytes of a read came from.
type Origin int

// The origins of an [Event].
const (
	// OriginRequested: the store sent a request.
	OriginRequested Origin = iota
	// OriginCached: the bytes were cached.
	OriginCached
	// OriginShared: the request of another reader fetches them.
	OriginShared
)

// String returns "request", "cache" or "shared".
func (o Origin) String() string {
	switch o {
	case OriginCached:
		return "cache"
	case OriginShared:
		return "shared"
	}
	return "request"
}

// Observer receives events. It is called from any goroutine, and must not block.
type Observer func(Event)

type observerKey struct{}

// WithObserver returns a context whose requests are reported to an observer.
func WithObserver(ctx context.Context, o Observer) context.Context {
	return context.WithValue(ctx, observerKey{}, o)
}

type markKey struct{}

// WithMark returns a context whose requests carry a number. Stores use it to identify the read
// behind a request. 0 means no mark.
func WithMark(ctx context.Context, mark int) context.Context {
	if mark == 0 {
		return ctx
	}
	return context.WithValue(ctx, markKey{}, mark)
}

// Mark returns the context's mark. Shared work carries the mark of its first reader.
func Mark(ctx context.Context) int {
	mark, _ := ctx.Value(markKey{}).(int)
	return mark
}

// ObserverOf returns the context's observer, or nil.
func ObserverOf(ctx context.Context) Observer {
	o, _ := ctx.Value(observerKey{}).(Observer)
	return o
}

// Report passes an event to the context's observer, if it has one. Sources that send requests call
// it once per request, including retries and size queries. For other sources, the caller reports
// one event per call.
func Report(ctx context.Context, e Event) {
	if o := ObserverOf(ctx); o != nil {
		o(e)
	}
}
