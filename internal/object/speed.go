package object

import (
	"time"

	"github.com/zarr-wasm/zarr-wasm/store"
)

// speed measures how fast a store answers. From it follows the number of bytes that cost as much
// time as a request.
type speed struct {
	waits [16]time.Duration // of the last small answers, newest first; 0 if unused
	rate  float64           // bytes per second
}

const (
	// usual is the assumed rate before the first large answer: 80 Mbit/s.
	usual   = 10e6
	slowest = 1e6
	fastest = 100e6

	small = 4 << 10  // answers up to this size measure the latency
	large = 64 << 10 // answers from this size measure the rate

	leastGap, leastWaste, mostWaste = 32 << 10, 512 << 10, 4 << 20
)

// learn records the duration of a request.
func (l *speed) learn(e store.Event) {
	if e.Err != nil && e.Status != 404 || e.Duration <= 0 {
		return
	}
	switch {
	case e.Bytes <= small:
		copy(l.waits[1:], l.waits[:])
		l.waits[0] = e.Duration
	case e.Bytes >= large && l.waits[0] > 0:
		// An answer as fast as a small one only bounds the rate.
		took := max(e.Duration-l.wait(), l.wait()/16, time.Microsecond)
		rate := min(max(float64(e.Bytes)/took.Seconds(), slowest), fastest)
		if l.rate == 0 {
			l.rate = rate
		}
		l.rate += (rate - l.rate) / 4
	}
}

// wait returns the latency: the shortest recent one, because others may have queued.
func (l *speed) wait() time.Duration {
	least := l.waits[0]
	for _, w := range l.waits {
		if w > 0 {
			least = min(least, w)
		}
	}
	return least
}

// trip returns the bytes that arrive during one latency.
func (l *speed) trip() int64 {
	rate := l.rate
	if rate == 0 {
		rate = usual
	}
	return int64(rate * l.wait().Seconds())
}

// gap returns the cost of a request in bytes. It is half of trip, because separate requests mostly
// run in parallel.
func (s *Source) gap() int64 {
	if s.opt.Gap != 0 {
		return max(s.opt.Gap, 0)
	}
	return min(max(s.speed.trip()/2, leastGap), s.waste())
}

func (s *Source) waste() int64 {
	if s.opt.Waste != 0 {
		return max(s.opt.Waste, 0)
	}
	return min(max(s.speed.trip(), leastWaste), mostWaste)
}

// Waste returns how many unwanted bytes to read to save a round trip.
func (s *Source) Waste() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.waste()
}
