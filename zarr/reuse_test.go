package zarr_test

import (
	"bytes"
	"context"
	"sync"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr"
)

// lender gives every reader separate memory, and overwrites returned memory.
type lender struct {
	store.Source
	mu   sync.Mutex
	lent map[*byte]int
	back int
}

func (l *lender) Read(ctx context.Context, key string, ask store.Ask) (store.Extent, error) {
	e, err := l.Source.Read(ctx, key, ask)
	e.Bytes = bytes.Clone(e.Bytes)
	if b := e.Bytes; len(b) > 0 {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.lent[&b[0]] = len(b)
	}
	return e, err
}

func (l *lender) Reuse(b []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lent[&b[0]] != len(b) {
		panic("given back, but not lent")
	}
	delete(l.lent, &b[0])
	l.back++
	for i := range b {
		b[i] ^= 0xff
	}
}

func TestMemoryIsGivenBackWhenNothingOfItIsNeeded(t *testing.T) {
	shape, chunks := []int{20, 30}, []int{8, 7}
	objects := array(shape, chunks, nil)
	for _, keeps := range []bool{true, false} {
		l := &lender{Source: memstore.New(objects), lent: map[*byte]int{}}
		h := hierarchy(l, zarr.Options{Requests: zarr.RequestOptions{Memory: !keeps}})
		a := must.Get(h.OpenArray(t.Context(), ""))(t)
		for range 3 {
			res := must.Get(a.Read(t.Context(), nil, zarr.ReadOptions{}))(t)
			for i := range 20 * 30 {
				if n := int(res.Data[2*i]) | int(res.Data[2*i+1])<<8; n != i {
					t.Fatalf("element %d is %d", i, n)
				}
			}
		}
		want := 3 * 3 * 5
		if keeps {
			want = 0 // a cache has them
		}
		if l.back != want {
			t.Errorf("%d chunks were given back, want %d", l.back, want)
		}
	}
}
