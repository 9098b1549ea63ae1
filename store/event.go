package store

import (
	"context"
	"time"
)

// Event tells of one request that a store sent, or of a read that needed none.
type Event struct {
	// Key is the object.
	Key string
	// Range is the part of the object that was asked for; nil for all of it.
	Range *ByteRange
	// Origin says where the bytes came from.
	Origin Origin
	// Method is the HTTP method; "" where there is none.
	Method string
	// Status is the HTTP status of the answer; 0 when there is none.
	Status int
	// Attempt counts the tries of one request, from 0.
	Attempt int
	// Bytes is how many bytes the answer's body has.
	Bytes int64
	// Start is when the request was sent, and Duration the time until its last byte.
	Start    time.Time
	Duration time.Duration
	// Merged is how many reads this one request was put together from, at least 1.
	Merged int
	// Err is why it failed: of an absent object an error that matches fs.ErrNotExist, of a
	// request that was given up the context's.
	Err error
}

// Origin says where the bytes of a read came from.
type Origin int

// The origins of an [Event].
const (
	// OriginRequested: a request was sent.
	OriginRequested Origin = iota
	// OriginCached: the bytes were there.
	OriginCached
	// OriginShared: the request of another reader brings them.
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

// Observer is told of events. It is called from any goroutine, and must not block.
type Observer func(Event)

type observerKey struct{}

// WithObserver returns a context whose requests are reported to an observer.
func WithObserver(ctx context.Context, o Observer) context.Context {
	return context.WithValue(ctx, observerKey{}, o)
}

type markKey struct{}

// WithMark returns a context whose requests carry a number: that of the read that they are for, where the store has to
// know it. 0 is no mark.
func WithMark(ctx context.Context, mark int) context.Context {
	if mark == 0 {
		return ctx
	}
	return context.WithValue(ctx, markKey{}, mark)
}

// Mark is the context's mark. Work that is shared has that of its first reader.
func Mark(ctx context.Context) int {
	mark, _ := ctx.Value(markKey{}).(int)
	return mark
}

// ObserverOf returns the context's observer, or nil.
func ObserverOf(ctx context.Context) Observer {
	o, _ := ctx.Value(observerKey{}).(Observer)
	return o
}

// Report tells the context's observer, if it has one, of an event. Sources that send
// requests call it once for each, retries and questions for a size among them; for a
// source that does not, its caller reports one for each call.
func Report(ctx context.Context, e Event) {
	if o := ObserverOf(ctx); o != nil {
		o(e)
	}
}
