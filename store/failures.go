package store

import "sync"

// Failures are the names of objects of which the last answer was of no use. What lies between may keep such an answer for as long
// as it says that it is good, so that these objects are asked for past all caches. The zero value has none.
type Failures struct {
	mu  sync.Mutex
	all map[string]bool
}

// mostFailures is how many names are remembered.
const mostFailures = 1000

// Has tells whether the last answer for an object was of no use.
func (f *Failures) Has(name string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.all[name]
}

// Note adds an object.
func (f *Failures) Note(name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.all == nil || len(f.all) >= mostFailures {
		f.all = map[string]bool{}
	}
	f.all[name] = true
}

// Forget takes an object away, of which an answer from past all caches has come.
func (f *Failures) Forget(name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.all, name)
}
