package object

import (
	"time"

	"github.com/zarr-wasm/zarr-wasm/store"
)

// speed is how fast a store answers, as its answers so far show. From it follows how many bytes
// take as long as a request.
type speed struct {
	waits [16]time.Duration // of the last small answers, newest first; 0 where there are none yet
	rate  float64           // bytes a second
}

const (
	// usual is the rate that is assumed before anything large has come: 80 Mbit/s.
	usual   = 10e6
	slowest = 1e6
	fastest = 100e6

	small = 4 << 10  // answers of no more tell how long one waits
	large = 64 << 10 // answers of no less tell the rate

	leastGap, leastWaste, mostWaste = 32 << 10, 512 << 10, 4 << 20
)

// learn takes in what a request took.
func (l *speed) learn(e store.Event) {
	if e.Err != nil && e.Status != 404 || e.Duration <= 0 {
		return
	}
	switch {
	case e.Bytes <= small:
		copy(l.waits[1:], l.waits[:])
		l.waits[0] = e.Duration
	case e.Bytes >= large && l.waits[0] > 0:
		// Of what came as fast as a small answer only so much is known.
		took := max(e.Duration-l.wait(), l.wait()/16, time.Microsecond)
		rate := min(max(float64(e.Bytes)/took.Seconds(), slowest), fastest)
		if l.rate == 0 {
			l.rate = rate
		}
		l.rate += (rate - l.rate) / 4
	}
}

// wait is how long one waits for an answer: the shortest of late, because the others may have
// had to queue.
func (l *speed) wait() time.Duration {
	least := l.waits[0]
	for _, w := range l.waits {
		if w > 0 {
			least = min(least, w)
		}
	}
	return least
}

// trip is how many bytes come in the time that an answer takes to begin.
func (l *speed) trip() int64 {
	rate := l.rate
	if rate == 0 {
		rate = usual
	}
	return int64(rate * l.wait().Seconds())
}

// gap is how many bytes a request costs. It is half of what comes in its time, because
// requests that are not merged mostly go side by side.
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

// Waste is how many unwanted bytes are read to save a round trip.
func (s *Source) Waste() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.waste()
}
