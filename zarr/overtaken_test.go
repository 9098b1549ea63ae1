package zarr_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs/writing"
)

// slowAnswer is a store that sends its next answer for one key at once, but delivers it on release.
type slowAnswer struct {
	*memstore.Store
	mu      sync.Mutex
	key     string
	sent    chan struct{} // closed when the answer is sent
	release chan struct{}
}

func (s *slowAnswer) Read(ctx context.Context, name string, ask store.Ask) (store.Extent, error) {
	e, err := s.Store.Read(ctx, name, ask)
	s.mu.Lock()
	held := name == s.key
	if held {
		s.key = ""
	}
	s.mu.Unlock()
	if held {
		close(s.sent)
		<-s.release
	}
	return e, err
}

func (s *slowAnswer) hold(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.key, s.sent, s.release = key, make(chan struct{}), make(chan struct{})
}

// TestOpensThatAWriteOvertakes changes a node while an open of it waits for an old answer. The node
// returned by the write is readable. Later opens return the new node, before and after the late
// answer.
func TestOpensThatAWriteOvertakes(t *testing.T) {
	for name, opt := range map[string]zarr.OpenOptions{"fresh": {Fresh: true}, "of any version": {}} {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		st := &slowAnswer{Store: memstore.New(nil)}
		spec := zarr.ArraySpec{Shape: []int64{2}, DType: "uint8", Attributes: map[string]any{"v": 1}}
		must.Get(zarr.New(st, writing.Codecs(), zarr.Options{}).Create(ctx, "a", spec))(t)
		h := zarr.New(st, writing.Codecs(), zarr.Options{Cache: zarr.CacheOptions{Encoded: -1}})
		before := must.Get(h.Open(ctx, "a", zarr.OpenOptions{Format: 3}))(t).(*zarr.Array)

		st.hold("a/zarr.json")
		late := make(chan error)
		go func() {
			_, err := h.Open(ctx, "a", opt)
			late <- err
		}()
		<-st.sent
		after := must.Get(zarr.SetAttributes(ctx, before, map[string]any{"v": 2}))(t)
		check := func(when string) {
			t.Helper()
			if _, err := after.Read(ctx, nil, zarr.ReadOptions{}); err != nil {
				t.Errorf("%s, %s: %v", name, when, err)
			}
			for _, opt := range []zarr.OpenOptions{{}, {Format: 3}} {
				n := must.Get(h.Open(ctx, "a", opt))(t)
				if got := string(n.Metadata().Attributes.Get("v").Raw()); got != "2" {
					t.Errorf("%s, %s, %+v: the attribute is %s", name, when, opt, got)
				}
			}
		}
		check("while the answer is on its way")
		close(st.release)
		if err := <-late; err != nil {
			t.Errorf("%s: %v", name, err)
		}
		check("afterwards")
		cancel()
	}
}
