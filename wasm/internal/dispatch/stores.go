package dispatch

import (
	"context"
	"maps"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/internal/kinds"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/address"
	"github.com/zarr-wasm/zarr-wasm/store/httpstore"
	"github.com/zarr-wasm/zarr-wasm/wasm/internal/hostside"
	"github.com/zarr-wasm/zarr-wasm/wasm/internal/wire"
	"github.com/zarr-wasm/zarr-wasm/zarr"
)

// opened is a registered store with its hierarchy.
type opened struct {
	*zarr.Hierarchy
	store   *kinds.Store
	traffic *traffic
}

// kinds returns the kinds of stores that a page can describe.
func (s *Session) kinds() kinds.Registry {
	all := kinds.Composites()
	maps.Copy(all, s.cfg.Kinds)
	all["http"] = func(_ *kinds.Making, settings json.Value) (store.Locator, error) {
		o, _ := wire.FromJSON(settings).(wire.Object)
		st, err := s.openHTTP(o)
		if err != nil {
			return nil, err
		}
		return store.Plain(st), nil
	}
	all["host"] = func(_ *kinds.Making, settings json.Value) (store.Locator, error) {
		o, _ := wire.FromJSON(settings).(wire.Object)
		return store.Plain(s.page.Store(o)), nil
	}
	return all
}

// addStore registers a store under its number.
func (s *Session) addStore(msg wire.Object) error {
	st, err := s.described.Open([]byte(msg.Text(wire.StoreDescription)))
	if err == nil {
		s.add(msg.Int(wire.AboutStore), st, msg)
	}
	return err
}

// add registers a store.
func (s *Session) add(number int, st *kinds.Store, msg wire.Object) {
	lim := s.cfg.Limits
	memory := false
	source := store.CapabilitiesOf(st.Locator).Source
	if h := hostside.StoreOf(source); h != nil {
		// Concurrent questions share one message.
		lim.Requests, memory = max(lim.Requests, 128), h.InMemory()
	} else if h, ok := source.(*httpstore.Store); ok {
		// The transport itself bounds requests, and chunks that are decoding need none.
		lim.Requests = max(lim.Requests, h.Concurrency()) + s.helpers.Slots()
	} else {
		lim.Requests = max(lim.Requests, 64) + s.helpers.Slots()
	}
	t := &traffic{}
	if msg.Flag(wire.StoreEvents) {
		t.tell = func(event wire.Object) {
			var o wire.Object
			o.AddObject(wire.EventOf, event)
			o.AddInt(wire.EventStore, number)
			s.cfg.Post(o)
		}
	}
	s.resize(msg.Object(wire.StoreCaches))
	h := zarr.Over(st.Locator, s.cfg.Codecs, zarr.Options{
		Caches: s.caches, Limits: lim, Executor: s.helpers, Weigh: weigh, Observe: t.observe,
		Requests: zarr.RequestOptions{Memory: memory},
	})
	s.mu.Lock()
	s.stores[number] = &opened{h, st, t}
	s.mu.Unlock()
}

// closeStore closes a store and releases its nodes.
func (s *Session) closeStore(msg wire.Object) {
	s.mu.Lock()
	st := s.stores[msg.Int(wire.AboutStore)]
	delete(s.stores, msg.Int(wire.AboutStore))
	if st != nil {
		for n, node := range s.nodes {
			if node.store == st {
				delete(s.nodes, n)
			}
		}
	}
	s.mu.Unlock()
	if st != nil {
		st.Hierarchy.Close()
		st.store.Close()
	}
}

// opened returns the store of a message.
func (s *Session) opened(msg wire.Object) (*opened, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if st := s.stores[msg.Int(wire.AboutStore)]; st != nil {
		return st, nil
	}
	return nil, &wire.EngineError{Msg: "unknown store number"}
}

// describer is a store that can describe itself.
type describer interface {
	// Describe returns a JSON object. Lists in it have at most most elements; 0 means all.
	Describe(ctx context.Context, about string, most int) ([]byte, error)
}

// about asks a store to describe itself.
func (s *Session) about(ctx context.Context, msg wire.Object) (any, error) {
	st, err := s.opened(msg)
	if err != nil {
		return nil, err
	}
	t, ok := st.store.Locator.(describer)
	if !ok {
		return nil, &wire.EngineError{Msg: "this store does not describe itself"}
	}
	text, err := t.Describe(store.WithObserver(ctx, st.traffic.observe), msg.Text(wire.AboutWhat), msg.Int(wire.AboutMost))
	if err != nil {
		return nil, err
	}
	v, err := json.Parse(text, json.Limits{})
	return wire.FromJSON(v), err
}

// readAddress parses an address, from which the page makes a store.
func readAddress(msg wire.Object) (any, error) {
	a, err := address.Parse(msg.Text(wire.AddressText), address.Options{
		Endpoints: msg.Texts(wire.AddressEndpoints), Known: msg.Text(wire.AddressKnown), Files: msg.Flag(wire.AddressFiles),
	})
	if err != nil {
		return nil, err
	}
	var o wire.Object
	// The form is a Composition of js/stores.
	var st any = a.Place
	for _, l := range a.Layers {
		made := wire.Object{wire.F(l.Kind, st)}
		if l.Option != "" {
			made.Add(l.Option, l.Value)
		}
		st = made
	}
	o.AddAny(wire.AddressStore, st)
	o.AddText(wire.AddressPath, a.Path)
	o.AddInt(wire.AddressFormat, a.Format)
	o.AddFlag(wire.AddressGuessed, a.Guessed)
	return o, nil
}
