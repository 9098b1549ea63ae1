package writer

import (
	"context"
	"sync"
)

// locks holds the keys that writers of one engine hold or wait for.
type locks struct {
	mu   sync.Mutex
	held map[string]*lock
}

// lock is the lock of one key. It exists while a writer holds it or waits for it.
type lock struct {
	users int
	free  chan struct{} // has an element while the lock is free
}

// take waits for the lock of a key. The order is arbitrary, but every writer gets the lock in the
// end.
func (l *locks) take(ctx context.Context, key string) (release func(), err error) {
	l.mu.Lock()
	k := l.held[key]
	if k == nil {
		k = &lock{free: make(chan struct{}, 1)}
		k.free <- struct{}{}
		l.held[key] = k
	}
	k.users++
	l.mu.Unlock()
	select {
	case <-k.free:
		return func() {
			k.free <- struct{}{}
			l.leave(key, k)
		}, nil
	case <-ctx.Done():
		l.leave(key, k)
		return nil, ctx.Err()
	}
}

func (l *locks) leave(key string, k *lock) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if k.users--; k.users == 0 {
		delete(l.held, key)
	}
}
