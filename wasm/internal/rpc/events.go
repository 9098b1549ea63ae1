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
	switch e.Origin {
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
	var o Object
	o.addText("key", "/"+e.Key)
	o.addText("source", e.Origin.String())
	o.addText("method", e.Method)
	o.addInt("status", e.Status)
	o.addInt("attempt", e.Attempt)
	o.add("bytes", number(e.Bytes))
	o.addInt("merged", max(e.Merged, 1))
	o.add("start", float64(e.Start.UnixMicro())/1000)
	o.add("ms", float64(e.Duration.Microseconds())/1000)
	if e.Range != nil {
		var r Object
		if e.Range.Suffix {
			r.add("suffixLength", number(e.Range.Length))
		} else {
			r.add("offset", number(e.Range.Offset))
			r.add("length", number(e.Range.Length))
		}
		o.add("range", r)
	}
	if e.Err != nil {
		o.addText("error", e.Err.Error())
	}
	return o
}
