package zarr_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/memstore"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
	"github.com/zarr-wasm/zarr-wasm/zarr/grid"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// bomb panics at one point, while it is armed.
type bomb struct {
	store.Source
	key   string // of the requests that panic; "" for none
	hold  chan struct{}
	armed atomic.Bool
	codec, make, decode, observe, progress,
	part, output bool
}

func (b *bomb) at(set bool) {
	if set && b.armed.Load() {
		if b.hold != nil {
			<-b.hold
		}
		panic("a bomb")
	}
}

func (b *bomb) hits(key string) bool { return b.key != "" && strings.HasPrefix(key, b.key) }

func (b *bomb) Read(ctx context.Context, key string, ask store.Ask) (store.Extent, error) {
	b.at(b.hits(key))
	return b.Source.Read(ctx, key, ask)
}

// ReadAll implements store.Batcher.
func (b *bomb) ReadAll(ctx context.Context, keys []string) ([]store.Found, error) {
	b.at(slices.ContainsFunc(keys, b.hits))
	found := make([]store.Found, len(keys))
	for i, key := range keys {
		found[i].Bytes, found[i].Err = store.Get(ctx, b, key)
	}
	return found, nil
}

// Decode implements codec.Executor.
func (b *bomb) Decode(env *codec.Env, p *codec.Plan, dst ndarray.Block, src []byte, want []codec.Range) error {
	b.at(b.decode)
	return p.Decode(env, dst, src, want)
}

// EncodedSize implements codec.BytesToBytes.
func (b *bomb) EncodedSize(s codec.Size) codec.Size { return s }

// bytesBomb is the bomb as a codec.
type bytesBomb struct{ *bomb }

func (b bytesBomb) Decode(_ *codec.Env, _ codec.Output, src []byte) ([]byte, error) {
	b.at(b.codec)
	return src, nil
}

func (b *bomb) entry() codec.Entry {
	return codec.Entry{Names: []string{"bomb"}, New: func(json.Value, codec.Build) (any, error) {
		b.at(b.make)
		return bytesBomb{b}, nil
	}}
}

// outputs is Go memory as an Output.
type outputs struct {
	b     *bomb
	block ndarray.Block
}

func (o *outputs) Decode(env *codec.Env, j codec.Job) error {
	o.b.at(o.b.output)
	src := env.Block(j.Plan.Array())
	if err := j.Plan.Decode(env, src, j.Src, j.Want); err != nil {
		return err
	}
	return ndarray.Copy(o.block, j.Out, src, j.In, j.Shape)
}

func (o *outputs) Put(out ndarray.Layout, src ndarray.Block, in ndarray.Layout, shape []int) error {
	o.b.at(o.b.output)
	return ndarray.Copy(o.block, out, src, in, shape)
}

func (o *outputs) Fill(out ndarray.Layout, shape []int, value []byte) error {
	return ndarray.Fill(o.block, out, shape, value)
}

// crates returns arrays of uint8 for each way of reading: small chunks, large ones that are read by
// rows, and shards.
func crates() map[string][]byte {
	objects := map[string][]byte{"zarr.json": []byte(`{"zarr_format":3,"node_type":"group"}`)}
	bytes := `{"name":"bytes"}`
	add := func(name string, shape, chunk int64, codecs string, stored func(i int) []byte) {
		objects[name+"/zarr.json"] = v3Doc(shape, regular(chunk), `"uint8"`, "0", "["+codecs+"]")
		for i := range int(shape / chunk) {
			objects[fmt.Sprint(name, "/c/", i)] = stored(i)
		}
	}
	ones := func(n int) []byte { return slices.Repeat([]byte{1}, n) }
	add("small", 640, 10, bytes+`,{"name":"bomb"}`, func(int) []byte { return ones(10) })
	add("rows", 8<<20, 4<<20, bytes, func(int) []byte { return ones(4 << 20) })
	index := `{"name":"bytes","configuration":{"endian":"little"}}`
	add("shard", 100, 50, `{"name":"sharding_indexed","configuration":{"chunk_shape":[10],"codecs":[`+bytes+`,{"name":"bomb"}],"index_codecs":[`+index+`]}}`,
		func(int) []byte {
			shard := ones(50)
			for k := range 5 {
				shard = append(shard, byte(10*k), 0, 0, 0, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0, 0, 0)
			}
			return shard
		})
	return objects
}

func TestAPanicEndsItsReadOnly(t *testing.T) {
	all := func(ctx context.Context, h *zarr.Hierarchy, path string, opt zarr.ReadOptions) error {
		a, err := h.OpenArray(ctx, path)
		if err == nil {
			_, err = a.Read(ctx, nil, opt)
		}
		return err
	}
	few := func(ctx context.Context, h *zarr.Hierarchy, path string, opt zarr.ReadOptions) error {
		a, err := h.OpenArray(ctx, path)
		if err == nil {
			from, to := int64(1), int64(100)
			_, err = a.Read(ctx, []grid.Item{grid.Range(&from, &to, nil)}, opt)
		}
		return err
	}
	points := func(ctx context.Context, h *zarr.Hierarchy, path string, opt zarr.ReadOptions) error {
		a, err := h.OpenArray(ctx, path)
		if err == nil {
			_, err = a.ReadPoints(ctx, [][]int64{{1, 30, 99, 60, 5}}, opt)
		}
		return err
	}
	stored := func(ctx context.Context, h *zarr.Hierarchy, path string, _ zarr.ReadOptions) error {
		a, err := h.OpenArray(ctx, path)
		if err == nil {
			_, err = a.StoredChunks(ctx)
		}
		return err
	}
	chunk := func(ctx context.Context, h *zarr.Hierarchy, path string, _ zarr.ReadOptions) error {
		a, err := h.OpenArray(ctx, path)
		if err == nil {
			_, err = a.ReadChunk(ctx, []int64{0}, zarr.ReadOptions{})
		}
		return err
	}
	type run = func(context.Context, *zarr.Hierarchy, string, zarr.ReadOptions) error
	for _, c := range []struct {
		name, path string
		run        run
		bomb       *bomb
		memory     bool
		corrupt    bool // the codec is blamed
	}{
		{"a document", "small", all, &bomb{key: "small/zarr.json"}, false, false},
		{"a chunk", "small", all, &bomb{key: "small/c/7"}, false, false},
		{"a batch", "small", all, &bomb{key: "small/c/7"}, true, false},
		{"a chunk for points", "small", points, &bomb{key: "small/c/3"}, false, false},
		{"a chunk that is counted", "small", stored, &bomb{key: "small/c/3"}, false, false},
		{"a chunk by itself", "small", chunk, &bomb{key: "small/c/0"}, true, false},
		{"rows", "rows", few, &bomb{key: "rows/c/0"}, false, false},
		{"an index or a shard", "shard", all, &bomb{key: "shard/c/1"}, false, false},
		{"a part of a shard", "shard", few, &bomb{key: "shard/c/0"}, false, false},
		{"making a codec", "small", all, &bomb{make: true}, false, false},
		{"a codec", "small", all, &bomb{codec: true}, false, true},
		{"a codec in a shard", "shard", points, &bomb{codec: true}, false, true},
		{"an executor", "small", all, &bomb{decode: true}, false, false},
		{"an executor for large chunks", "shard", all, &bomb{decode: true}, true, false},
		{"an observer", "small", all, &bomb{observe: true}, false, false},
		{"an observer of a batch", "small", all, &bomb{observe: true}, true, false},
		{"an observer of rows", "rows", few, &bomb{observe: true}, false, false},
		{"progress", "small", all, &bomb{progress: true}, false, false},
		{"progress of points", "small", points, &bomb{progress: true}, false, false},
		{"a part", "small", all, &bomb{part: true}, true, false},
		{"an output", "shard", all, &bomb{output: true}, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // only reached by a hang
			defer cancel()
			b := c.bomb
			b.Source = memstore.New(crates())
			b.hold = make(chan struct{})
			registry := codecs.Full()
			registry.Add(b.entry())
			caches := zarr.NewCaches(zarr.CacheOptions{})
			open := func(st store.Source) *zarr.Hierarchy {
				return zarr.New(st, registry, zarr.Options{
					Caches: caches, Executor: b, Requests: zarr.RequestOptions{Memory: c.memory}, Limits: codec.Limits{Requests: 2},
					Observe: func(e store.Event) { b.at(b.observe && strings.Contains(e.Key, "/c/")) },
				})
			}
			h := open(b)
			opt := zarr.ReadOptions{}
			if b.progress {
				opt.Progress = func(int, int) { b.at(true) }
			}
			if b.part {
				opt.Partial = func(zarr.Partial) { b.at(true) }
			}
			if b.output {
				opt.Output = func(shape []int, size, _ int) (zarr.Output, error) {
					return &outputs{b, ndarray.New(shape, size, false)}, nil
				}
			}
			b.armed.Store(true)
			var wait sync.WaitGroup
			errs := make([]error, 3)
			for i := range errs {
				wait.Go(func() { errs[i] = c.run(ctx, h, c.path, opt) })
			}
			time.Sleep(10 * time.Millisecond) // all of them wait for the same work
			close(b.hold)
			wait.Wait()
			for _, err := range errs {
				var panicked *zarr.PanicError
				var pipeline *zarr.CodecPipelineError
				switch {
				case c.corrupt && errors.As(err, &pipeline) && strings.Contains(err.Error(), "a bomb"):
				case !c.corrupt && errors.As(err, &panicked) && panicked.Text == "a bomb" && panicked.Stack != "":
				default:
					t.Errorf("%v", err)
				}
			}
			// All its slots, locks and shared work are released.
			b.armed.Store(false)
			for range 3 {
				err := c.run(ctx, h, c.path, opt)
				var panicked *zarr.PanicError
				for ctx.Err() == nil && errors.As(err, &panicked) {
					time.Sleep(time.Millisecond) // a shared request may end only now
					err = c.run(ctx, h, c.path, opt)
				}
				if err != nil {
					t.Errorf("afterwards: %v", err)
				}
			}
			if err := all(ctx, open(b), "shard", zarr.ReadOptions{}); err != nil {
				t.Errorf("another hierarchy: %v", err)
			}
		})
	}
}

func TestAPanicOfOneMemberIsItsError(t *testing.T) {
	b := &bomb{Source: memstore.New(crates()), make: true, hold: make(chan struct{})}
	close(b.hold)
	registry := codecs.Full()
	registry.Add(b.entry())
	g := must.Get(zarr.New(lister{b, memstore.New(crates())}, registry, zarr.Options{}).OpenGroup(t.Context(), ""))(t)
	b.armed.Store(true)
	members, err := g.Members(t.Context())
	if err != nil || len(members) != 3 {
		t.Fatal(members, err)
	}
	for _, m := range members {
		var panicked *zarr.PanicError
		if m.Name == "rows" && m.Err != nil || m.Name != "rows" && !errors.As(m.Err, &panicked) {
			t.Errorf("%s: %v", m.Name, m.Err)
		}
	}
}

// lister is a bomb that can list.
type lister struct {
	*bomb
	store.Lister
}
