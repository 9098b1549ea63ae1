package store

import "sync"

// Failures records the names of objects whose last answer was unusable. Caches on the way may keep
// such an answer for its declared lifetime. Requests for these objects therefore bypass all caches.
// The zero value is empty.
type Failures struct {
	mu  sync.Mutex
	all map[string]bool
}

// maxFailures limits the number of recorded names.
const maxFailures = 1000

// Has reports whether the last answer for an object was unusable.
func (f *Failures) Has(name string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.all[name]
}

// Note records an object.
func (f *Failures) Note(name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.all == nil || len(f.all) >= maxFailures {
		f.all = map[string]bool{}
	}
	f.all[name] = true
}

// Forget removes an object after an answer that bypassed all caches.
func (f *Failures) Forget(name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.all, name)
}
