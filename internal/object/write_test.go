package object

import (
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
)

// dawdler is a store whose answers arrive late: after other objects were written.
type dawdler struct {
	*memstore.Store
	r atomic.Uint64
}

func (d *dawdler) Read(ctx context.Context, name string, ask store.Ask) (store.Extent, error) {
	e, err := d.Store.Read(ctx, name, ask)
	for range d.r.Add(0x9e3779b97f4a7c15) >> 58 {
		runtime.Gosched()
	}
	return e, err
}

// written returns an object that contains its version in every eight bytes.
func written(version uint64) []byte {
	var b []byte
	for range 500 {
		b = append(b, strconv.FormatUint(1e7+version, 10)...)
	}
	return b
}

// TestWrites writes and deletes objects and then calls Forget, while others read through the layer.
// A read never returns data older than the last completed write. A deleted object never comes back.
func TestWrites(t *testing.T) {
	for seed := range uint64(6) {
		d := &dawdler{Store: memstore.New(nil)}
		reader := NewLayer(64<<20).Reader(d, Options{}, nil)
		const keys = 3
		var begun, latest [keys]atomic.Uint64 // writes; even ones delete
		var wait sync.WaitGroup
		done := make(chan struct{})
		for range 4 {
			wait.Go(func() {
				r := rand.New(rand.NewPCG(seed, 1))
				for running := true; running; {
					select {
					case <-done:
						running = false
					default:
					}
					k := r.IntN(keys)
					key := "a/" + strconv.Itoa(k)
					var ask store.Ask
					if r.IntN(2) == 0 {
						ask.Range = &store.ByteRange{Offset: int64(8 * r.IntN(400)), Length: int64(8 * (1 + r.IntN(90)))}
					}
					least := latest[k].Load()
					e, err := reader.Read(t.Context(), key, ask)
					if err != nil && !errors.Is(err, fs.ErrNotExist) {
						t.Errorf("seed %d: %v", seed, err)
						return
					}
					most := begun[k].Load()
					if err != nil {
						if least == most && least%2 == 1 {
							t.Errorf("seed %d: version %d of %s is absent", seed, least, key)
						}
						continue
					}
					n, _ := strconv.ParseUint(string(e.Bytes[:8]), 10, 64)
					if n -= 1e7; n < least || n > most {
						t.Errorf("seed %d: version %d of %s, after version %d was written", seed, n, key, least)
						return
					}
				}
			})
		}
		r := rand.New(rand.NewPCG(seed, 2))
		for range 400 {
			k := r.IntN(keys)
			key := "a/" + strconv.Itoa(k)
			n := latest[k].Load() + 1
			begun[k].Store(n)
			var err error
			if n%2 == 1 {
				err = d.Set(t.Context(), key, written(n))
			} else {
				err = d.Delete(t.Context(), key)
			}
			if err != nil {
				t.Fatal(err)
			}
			reader.Forget(key)
			latest[k].Store(n)
			runtime.Gosched()
		}
		close(done)
		wait.Wait()
	}
}
