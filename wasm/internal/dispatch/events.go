package dispatch

import (
	"context"
	"errors"
	"io/fs"
	"sync"

	"zarr-wasm/store"
	"zarr-wasm/wasm/internal/wire"
)

// traffic counts what a store was asked, and tells the page of it if it wants to know.
type traffic struct {
	tell func(wire.Object) // nil: nobody wants to know

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
func (t *traffic) totals() wire.Object {
	t.mu.Lock()
	defer t.mu.Unlock()
	return wire.Object{
		wire.F("requests", wire.Number(t.requests)), wire.F("bytes", wire.Number(t.bytes)), wire.F("retries", wire.Number(t.retries)),
		wire.F("failed", wire.Number(t.failed)), wire.F("cached", wire.Number(t.cached)), wire.F("shared", wire.Number(t.shared)),
	}
}

func describeEvent(e store.Event) wire.Object {
	var o wire.Object
	o.AddText("key", "/"+e.Key)
	o.AddText("source", e.Origin.String())
	o.AddText("method", e.Method)
	o.AddInt("status", e.Status)
	o.AddInt("attempt", e.Attempt)
	o.Add("bytes", wire.Number(e.Bytes))
	o.AddInt("merged", max(e.Merged, 1))
	o.Add("start", float64(e.Start.UnixMicro())/1000)
	o.Add("ms", float64(e.Duration.Microseconds())/1000)
	if e.Range != nil {
		var r wire.Object
		if e.Range.Suffix {
			r.Add("suffixLength", wire.Number(e.Range.Length))
		} else {
			r.Add("offset", wire.Number(e.Range.Offset))
			r.Add("length", wire.Number(e.Range.Length))
		}
		o.Add("range", r)
	}
	if e.Err != nil {
		o.AddText("error", e.Err.Error())
	}
	return o
}
