package hostside

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/wasm/internal/wire"
)

// WritableStore is a [Store] of the writing engine. It writes if its description has writes.
type WritableStore struct {
	*Store
	writes bool
	// unlocked is set when the page reports that the store has no locks.
	unlocked atomic.Bool
}

// WritableStore returns the source of a description: see [Page.Store].
func (p *Page) WritableStore(d wire.Object) *WritableStore {
	return &WritableStore{Store: p.Store(d), writes: d.Flag(wire.HostWrites)}
}

// Capabilities implements store.Capable.
func (w *WritableStore) Capabilities() store.Capabilities {
	c := w.Store.Capabilities()
	if w.writes {
		c.Writer, c.Locker = w, w
	}
	return c
}

// ask sends a question about a key to the store's page.
func (w *WritableStore) ask(ctx context.Context, op, key string, about func(*wire.Object)) (answer, error) {
	if key != "" || op != "deleteAll" {
		if err := store.CheckFor(ctx, op, key); err != nil {
			return answer{}, err
		}
	}
	a, err := w.settle(ctx, about)
	if err != nil {
		err = &store.KeyError{Op: op, Key: key, Err: err}
	}
	return a, err
}

// settle asks the page and waits for the answer even after the context has ended. The page then
// gets an abort, but only its answer tells the state of the object.
func (w *WritableStore) settle(ctx context.Context, about func(*wire.Object)) (answer, error) {
	if err := ctx.Err(); err != nil {
		return answer{}, err
	}
	p, q := w.page, &question{answer: make(chan answer, 1)}
	p.mu.Lock()
	n := p.number(q)
	p.mu.Unlock()
	var ask wire.Object
	ask.AddInt(wire.WriteAskNumber, n)
	ask.AddInt(wire.WriteAskStore, w.number)
	about(&ask)
	if err := p.send(ask); err != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.forget(q)
		return answer{}, err
	}
	var a answer
	select {
	case a = <-q.answer:
	case <-ctx.Done():
		var o wire.Object
		o.AddInt(wire.AbortedAsk, n)
		p.post(o)
		a = <-q.answer
	}
	return a, a.err
}

// Set implements store.Writer.
func (w *WritableStore) Set(ctx context.Context, key string, data []byte) error {
	_, err := w.ask(ctx, "set", key, func(ask *wire.Object) {
		ask.AddText(wire.AskPut, key)
		ask.AddBuffer(wire.AskBytes, data)
	})
	return err
}

// Delete implements store.Writer.
func (w *WritableStore) Delete(ctx context.Context, key string) error {
	_, err := w.ask(ctx, "delete", key, func(ask *wire.Object) { ask.AddText(wire.AskDelete, key) })
	return err
}

// DeleteAll implements store.Writer.
func (w *WritableStore) DeleteAll(ctx context.Context, prefix string) error {
	_, err := w.ask(ctx, "deleteAll", prefix, func(ask *wire.Object) { ask.AddText(wire.AskFolder, prefix) })
	return err
}

// DeletesAtomically implements store.Writer: one task of the page changes a Map.
func (w *WritableStore) DeletesAtomically() bool { return w.memory }

// Lock implements store.Locker. A store without locks is asked only once.
func (w *WritableStore) Lock(ctx context.Context, key string) (unlock func() error, err error) {
	none := &store.KeyError{Op: "lock", Key: key, Err: errors.ErrUnsupported}
	if w.unlocked.Load() {
		return nil, none
	}
	a, err := w.ask(ctx, "lock", key, func(ask *wire.Object) { ask.AddText(wire.AskLock, key) })
	if err != nil {
		return nil, err
	}
	if !a.Flag(wire.FoundConfirmed) {
		w.unlocked.Store(true)
		return nil, none
	}
	number := a.Int(wire.FoundAsk)
	return func() error {
		_, err := w.ask(context.WithoutCancel(ctx), "unlock", key, func(ask *wire.Object) { ask.AddInt(wire.AskUnlock, number) })
		return err
	}, nil
}
