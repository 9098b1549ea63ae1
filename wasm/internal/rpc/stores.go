package rpc

import (
	"maps"

	"zarr-wasm/internal/json"
	"zarr-wasm/store"
	"zarr-wasm/store/httpstore"
	"zarr-wasm/store/kinds"
	"zarr-wasm/zarr"
)

// opened is a store that the page has made known, with the hierarchy in it.
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
		o, _ := fromJSON(settings).(Object)
		st, err := s.openHTTP(o)
		if err != nil {
			return nil, err
		}
		return store.Plain(st), nil
	}
	all["host"] = func(_ *kinds.Making, settings json.Value) (store.Locator, error) {
		o, _ := fromJSON(settings).(Object)
		h := &hostStore{session: s, number: o.number("number"), memory: o.flag("memory")}
		if o.flag("ranges") {
			return store.Plain(h), nil
		}
		return store.Plain(hostWhole{h}), nil
	}
	return all
}

// addStore makes a store known by its number.
func (s *Session) addStore(msg Object) error {
	st, err := s.described.Open([]byte(msg.text("description")))
	if err == nil {
		s.add(msg.number("store"), st, msg)
	}
	return err
}

// add makes a store known.
func (s *Session) add(number int, st *kinds.Store, msg Object) {
	lim := s.cfg.Limits
	memory := false
	source, _ := store.SourceOf(st.Locator)
	if h, whole := source.(hostWhole); whole {
		source = h.hostStore
	}
	switch source := source.(type) {
	case *hostStore:
		// What is asked at once is one message.
		lim.Requests, memory = max(lim.Requests, 128), source.memory
	case *httpstore.Store:
		// The transport bounds the requests by itself; chunks that are being decoded need none.
		lim.Requests = max(lim.Requests, source.Concurrency()) + jobsEach*s.helpers.most
	default:
		lim.Requests = max(lim.Requests, 64) + jobsEach*s.helpers.most
	}
	t := &traffic{}
	if msg.flag("events") {
		t.tell = func(event Object) { s.cfg.Post(Object{{"event", event}, {"store", float64(number)}}) }
	}
	s.resize(msg.Get("caches"))
	h := zarr.Over(st.Locator, s.cfg.Codecs, zarr.Options{
		Caches: s.caches, Limits: lim, Executor: s.helpers, Weigh: weigh, Observe: t.observe,
		Requests: zarr.RequestOptions{Memory: memory},
	})
	s.mu.Lock()
	s.stores[number] = &opened{h, st, t}
	s.mu.Unlock()
}

// closeStore lets go of a store and of the nodes that were opened in it.
func (s *Session) closeStore(msg Object) {
	s.mu.Lock()
	st := s.stores[msg.number("store")]
	delete(s.stores, msg.number("store"))
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

// opened returns the store that a message is about.
func (s *Session) opened(msg Object) (*opened, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if st := s.stores[msg.number("store")]; st != nil {
		return st, nil
	}
	return nil, &engineError{"no store of that number"}
}
