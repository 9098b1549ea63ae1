package hostside

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/wasm/internal/wire"
)

// WritableStore is [Page.Store] for the writing engine: a description with writes gives a
// store.Writer, Deleter and Locker.
func (p *Page) WritableStore(d wire.Object) store.Source {
	source := p.Store(d)
	if !d.Flag(wire.HostWrites) {
		return source
	}
	w := writer{StoreOf(source), new(atomic.Bool)}
	switch s := source.(type) {
	case listingStore:
		return writableListing{s, w}
	case wholeListingStore:
		return writableWholeListing{s, w}
	case wholeStore:
		return writableWhole{s, w}
	}
	return writable{w.of, w}
}

// writer writes to a store on the page.
type writer struct {
	of *Store
	// unlocked is set when the page reports that the store has no locks.
	unlocked *atomic.Bool
}

type (
	writable struct {
		*Store
		writer
	}
	writableListing struct {
		listingStore
		writer
	}
	writableWhole struct {
		wholeStore
		writer
	}
	writableWholeListing struct {
		wholeListingStore
		writer
	}
)

// ask sends a question about a key to the store's page.
func (w writer) ask(ctx context.Context, op, key string, about func(*wire.Object)) (answer, error) {
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
func (w writer) settle(ctx context.Context, about func(*wire.Object)) (answer, error) {
	if err := ctx.Err(); err != nil {
		return answer{}, err
	}
	p, q := w.of.page, &question{answer: make(chan answer, 1)}
	p.mu.Lock()
	n := p.number(q)
	p.mu.Unlock()
	var ask wire.Object
	ask.AddInt(wire.WriteAskNumber, n)
	ask.AddInt(wire.WriteAskStore, w.of.number)
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
func (w writer) Set(ctx context.Context, key string, data []byte) error {
	_, err := w.ask(ctx, "set", key, func(ask *wire.Object) {
		ask.AddText(wire.AskPut, key)
		ask.AddBuffer(wire.AskBytes, data)
	})
	return err
}

// Delete implements store.Deleter.
func (w writer) Delete(ctx context.Context, key string) error {
	_, err := w.ask(ctx, "delete", key, func(ask *wire.Object) { ask.AddText(wire.AskDelete, key) })
	return err
}

// DeleteAll implements store.Deleter.
func (w writer) DeleteAll(ctx context.Context, prefix string) error {
	_, err := w.ask(ctx, "deleteAll", prefix, func(ask *wire.Object) { ask.AddText(wire.AskFolder, prefix) })
	return err
}

// AtOnce implements store.AtOnce: one task of the page changes a Map.
func (w writer) AtOnce() bool { return w.of.memory }

// Lock implements store.Locker. A store without locks is asked only once.
func (w writer) Lock(ctx context.Context, key string) (unlock func() error, err error) {
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
