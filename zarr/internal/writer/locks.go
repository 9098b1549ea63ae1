package writer

import (
	"context"
	"sync"
)

// locks are the keys that writers of one engine hold, and those that they wait for.
type locks struct {
	mu   sync.Mutex
	held map[string]*lock
}

// lock is that of one key. It is there while someone holds it or waits for it.
type lock struct {
	users int
	free  chan struct{} // has an element while no one holds it
}

// take waits for the lock of a key. The first to ask does not go first, but every one does in the end.
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
