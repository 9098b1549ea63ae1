package rpc

import (
	"context"
	"errors"
	"io/fs"
	"sync"

	"zarr-wasm/store"
)

// traffic counts what a store was asked, and tells the page of it if it wants to know.
type traffic struct {
	tell func(Object) // nil: nobody wants to know

	mu                                               sync.Mutex
	requests, bytes, retries, failed, cached, shared int64
}

// observe is a store.Observer.
func (t *traffic) observe(e store.Event) {
	t.mu.Lock()
	switch e.Source {
	case store.Cached:
		t.cached++
	case store.Shared:
		t.shared++
	default:
		t.requests++
		t.bytes += e.Bytes
		if e.Attempt > 0 {
			t.retries++
		}
		if e.Err != nil && !errors.Is(e.Err, fs.ErrNotExist) && !errors.Is(e.Err, context.Canceled) {
			t.failed++
		}
	}
	t.mu.Unlock()
	if t.tell != nil {
		t.tell(describeEvent(e))
	}
}

// totals is the value of stats.
func (t *traffic) totals() Object {
	t.mu.Lock()
	defer t.mu.Unlock()
	return Object{
		{"requests", number(t.requests)}, {"bytes", number(t.bytes)}, {"retries", number(t.retries)},
		{"failed", number(t.failed)}, {"cached", number(t.cached)}, {"shared", number(t.shared)},
	}
}

func describeEvent(e store.Event) Object {
	o := Object{
		{"key", "/" + e.Key}, {"source", e.Source.String()}, {"method", e.Method}, {"status", float64(e.Status)},
		{"attempt", float64(e.Attempt)}, {"bytes", number(e.Bytes)}, {"merged", float64(max(e.Merged, 1))},
		{"start", float64(e.Start.UnixMicro()) / 1000}, {"ms", float64(e.Duration.Microseconds()) / 1000},
	}
	if e.Range != nil {
		r := Object{{"offset", number(e.Range.Offset)}, {"length", number(e.Range.Length)}}
		if e.Range.Suffix {
			r = Object{{"suffixLength", number(e.Range.Length)}}
		}
		o = append(o, Field{"range", r})
	}
	if e.Err != nil {
		o = append(o, Field{"error", e.Err.Error()})
	}
	return o
}
