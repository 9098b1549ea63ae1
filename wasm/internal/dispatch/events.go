package dispatch

import (
	"context"
	"errors"
	"io/fs"
	"sync"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/wasm/internal/wire"
)

// traffic counts a store's requests, and reports them to the page on request.
type traffic struct {
	tell func(wire.Object) // nil unless the page has asked for events

	mu                                               sync.Mutex
	requests, bytes, retries, failed, cached, shared int64
}

// observe is a store.Observer.
func (t *traffic) observe(e store.Event) {
	t.mu.Lock()
	switch e.Origin {
	case store.OriginCached:
		t.cached++
	case store.OriginShared:
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

// totals returns the value of stats.
func (t *traffic) totals() wire.Object {
	t.mu.Lock()
	defer t.mu.Unlock()
	var o wire.Object
	for _, count := range [...]struct {
		name wire.IntName
		n    int64
	}{
		{wire.StatsRequests, t.requests}, {wire.StatsBytes, t.bytes}, {wire.StatsRetries, t.retries},
		{wire.StatsFailed, t.failed}, {wire.StatsCached, t.cached}, {wire.StatsShared, t.shared},
	} {
		o.AddNumber(count.name, float64(count.n))
	}
	return o
}

func describeEvent(e store.Event) wire.Object {
	var o wire.Object
	o.AddText(wire.EventKey, "/"+e.Key)
	o.AddText(wire.EventSource, e.Origin.String())
	o.AddText(wire.EventMethod, e.Method)
	o.AddInt(wire.EventStatus, e.Status)
	o.AddInt(wire.EventAttempt, e.Attempt)
	o.AddNumber(wire.EventBytes, float64(e.Bytes))
	o.AddInt(wire.EventMerged, max(e.Merged, 1))
	o.AddNumber(wire.EventStart, float64(e.Start.UnixMicro())/1000)
	o.AddNumber(wire.EventMS, float64(e.Duration.Microseconds())/1000)
	if e.Range != nil {
		var r wire.Object
		if e.Range.Suffix {
			r.AddNumber(wire.ByteRangeSuffix, float64(e.Range.Length))
		} else {
			r.AddNumber(wire.ByteRangeOffset, float64(e.Range.Offset))
			r.AddNumber(wire.ByteRangeLength, float64(e.Range.Length))
		}
		o.AddObject(wire.EventRange, r)
	}
	if e.Err != nil {
		o.AddText(wire.EventError, e.Err.Error())
	}
	return o
}
