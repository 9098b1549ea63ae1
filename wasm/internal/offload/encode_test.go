package offload

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/zarr-wasm/zarr-wasm/internal/json"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/wasm/internal/wire"
	"github.com/zarr-wasm/zarr-wasm/zarr/codec"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs/writing"
	"github.com/zarr-wasm/zarr-wasm/zarr/dtype"
	"github.com/zarr-wasm/zarr-wasm/zarr/meta"
	"github.com/zarr-wasm/zarr-wasm/zarr/ndarray"
)

// encode is the pool's handling of a chunk to encode.
func (x *pool) encode(o wire.Object) wire.Object {
	x.mu.Lock()
	defer x.mu.Unlock()
	id := o.Get("job")
	if x.crash {
		return wire.Object{wire.F("job", id), wire.F("error", "it crashed")}
	}
	lent := o.Get("bytes").(wire.Lent)
	stored, err := x.helper.Encode(wire.Object{
		wire.F("pipeline", o.Get("pipeline")), wire.F("shape", o.Get("shape")), wire.F("bytes", append(bytesMemory(lent), 1, 2, 3)),
		wire.F("length", float64(len(lent))),
	})
	if err != nil {
		x.failed++
		return wire.Object{wire.F("job", id), wire.F("failed", true)}
	}
	x.done++
	return wire.Object{wire.F("job", id), wire.F("bytes", append(bytesMemory{}, stored.(wire.Buffer)...))}
}

// newEncodingPool returns a lead and a helper that can both encode.
func newEncodingPool() *pool {
	x := newPool()
	x.helper = NewDecoder(writing.Codecs(), &x.limits, nil)
	x.post = func(o wire.Object) {
		if !o.Flag(wire.JobEncode) {
			x.take(o)
			return
		}
		go func() { x.lead.Encoded(x.encode(o)) }()
	}
	return x
}

// planOf returns the plan of chunks of 64 KiB elements.
func planOf(t *testing.T, kind, chain string) *codec.Plan {
	t.Helper()
	lim := codec.Limits{}.WithDefaults()
	list := must.Get(json.Parse([]byte(chain), json.Limits{Depth: lim.MetadataDepth}))(t)
	var specs []meta.CodecSpec
	for _, c := range list.Items() {
		name, _ := c.Get("name").Text()
		specs = append(specs, meta.CodecSpec{Name: name, Config: c.Get("configuration")})
	}
	named := must.Get(json.Parse([]byte(`"`+kind+`"`), json.Limits{}))(t)
	of := must.Get(dtype.ParseV3(named, dtype.Limits{}))(t)
	a := codec.Array{Shape: []int{64, 1024}, Type: of, Fill: make([]byte, of.Size)}
	p := must.Get(writing.Codecs().Pipeline(specs, codec.Build{Format: 3, Limits: lim, Array: a}))(t)
	return must.Get(p.Plan(a))(t)
}

// elements returns compressible elements of a chunk.
func elements(plan *codec.Plan, seed uint64) ndarray.Block {
	rnd := rand.New(rand.NewPCG(seed, 1))
	a := plan.Array()
	b := ndarray.New(a.Shape, a.Type.Size, false)
	for i := range b.Data {
		b.Data[i] = byte(rnd.IntN(3) * (i % 5))
	}
	return b
}

const little = `{"name":"bytes","configuration":{"endian":"little"}}`

var costlyChains = map[string]string{
	"zstd":      `[` + little + `,{"name":"zstd","configuration":{"level":3}}]`,
	"gzip":      `[` + little + `,{"name":"gzip","configuration":{"level":5}}]`,
	"transpose": `[{"name":"transpose","configuration":{"order":[1,0]}},` + little + `,{"name":"zstd","configuration":{"level":1}},{"name":"crc32c"}]`,
	"blosc":     `[` + little + `,{"name":"blosc","configuration":{"cname":"zstd","clevel":5,"shuffle":"bitshuffle","typesize":4,"blocksize":0}}]`,
	"sharding": `[{"name":"sharding_indexed","configuration":{"chunk_shape":[16,256],"codecs":[` + little + `,{"name":"zstd","configuration":{"level":3}}],
		"index_codecs":[` + little + `,{"name":"crc32c"}],"index_location":"end"}}]`,
}

// A write of many chunks requests helpers when its chunks queue, not after it has encoded some.
func TestHelpersAreRequestedForWaitingChunks(t *testing.T) {
	limits := codec.Limits{}.WithDefaults()
	grown, ticks := 0, 0
	lead := NewHelpers(func(o wire.Object) {
		if o.Flag(wire.PoolGrow) {
			grown++
		}
		if o.Flag(wire.PoolTick) {
			ticks++
		}
	}, &limits)
	lead.Allow(3)
	plan := planOf(t, "float32", costlyChains["zstd"])
	cost := costToEncode(plan)
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	defer all.Wait()
	defer cancel()
	requests := func() (queued, requests int) {
		lead.mu.Lock()
		defer lead.mu.Unlock()
		return len(lead.queue), grown
	}
	for want, n := 0, 1; want < 3 || n < 8; n++ {
		all.Go(func() {
			if _, err := lead.Encode(codec.NewEnv(ctx, limits), plan, elements(plan, 1)); !errors.Is(err, context.Canceled) {
				t.Errorf("a chunk that waits ended with %v", err)
			}
		})
		for want < 3 && time.Duration(n)*cost > time.Duration(1+want)*patience {
			want++
		}
		waitUntil(t, func() bool { queued, got := requests(); return queued == n && got == want })
	}
	if _, got := requests(); got != 3 || ticks != 1 {
		t.Errorf("%d helpers and %d ticks are requested", got, ticks)
	}
	// A helper that ended is requested again.
	lead.Receive(wire.Object{wire.F("helpers", float64(0))})
	all.Go(func() { lead.Encode(codec.NewEnv(ctx, limits), plan, elements(plan, 1)) })
	waitUntil(t, func() bool { _, n := requests(); return n == 6 })
}

func TestHelpersEncodeTheSame(t *testing.T) {
	for name, chain := range costlyChains {
		t.Run(name, func(t *testing.T) {
			x := newEncodingPool()
			plan := planOf(t, "float32", chain)
			var all sync.WaitGroup
			for seed := range uint64(8) {
				all.Go(func() {
					src := elements(plan, seed)
					want, err := plan.Encode(codec.NewEnv(t.Context(), x.limits), src)
					if err != nil {
						t.Error(err)
					}
					got, err := x.lead.Encode(codec.NewEnv(t.Context(), x.limits), plan, src)
					if err != nil || !bytes.Equal(got, want) {
						t.Errorf("seed %d: %d bytes in place, with a helper %d: %v", seed, len(want), len(got), err)
					}
				})
			}
			all.Wait()
			if x.done == 0 || x.failed > 0 || x.jobs() > 0 {
				t.Errorf("a helper encoded %d chunks and failed with %d, %d jobs are left", x.done, x.failed, x.jobs())
			}
		})
	}
}

func TestWhatIsCheapToEncodeStays(t *testing.T) {
	x := newEncodingPool()
	plan := planOf(t, "float32", `[`+little+`,{"name":"crc32c"}]`)
	if _, err := x.lead.Encode(codec.NewEnv(t.Context(), x.limits), plan, elements(plan, 1)); err != nil || x.done > 0 {
		t.Errorf("a helper encoded %d chunks: %v", x.done, err)
	}
}

// encodes checks that a chunk is encoded as in place, whatever helpers do.
func (x *pool) encodes(t *testing.T, plan *codec.Plan) {
	t.Helper()
	src := elements(plan, 1)
	want := must.Get(plan.Encode(codec.NewEnv(t.Context(), x.limits), src))(t)
	got, err := x.lead.Encode(codec.NewEnv(t.Context(), x.limits), plan, src)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d bytes, and in place %d: %v", len(got), len(want), err)
	}
}

func TestHelperThatEndsWhileItEncodes(t *testing.T) {
	x := newEncodingPool()
	plan := planOf(t, "float32", costlyChains["zstd"])
	x.crash = true
	x.encodes(t, plan)
	if x.done > 0 {
		t.Fatal("the helper encoded")
	}
	x.crash = false
	x.encodes(t, plan)
	if x.done == 0 {
		t.Error("no other chunk went to a helper")
	}
}

func TestEncodedBytesThatCannotBeRead(t *testing.T) {
	x := newEncodingPool()
	plan := planOf(t, "float32", costlyChains["zstd"])
	x.post = func(o wire.Object) {
		if !o.Flag(wire.JobEncode) {
			x.take(o)
			return
		}
		go func() {
			end := x.encode(o)
			x.lead.Encoded(wire.Object{end[0], wire.F("bytes", thrower{end.Get("bytes").(bytesMemory)})})
		}()
	}
	x.encodes(t, plan)
	if x.done != 1 || x.jobs() > 0 {
		t.Errorf("a helper encoded %d chunks, %d jobs are left", x.done, x.jobs())
	}
}

// TestElementsThatCannotBeEncoded writes elements that a type cannot hold. The error is that of the
// engine itself, and later chunks are unaffected.
func TestElementsThatCannotBeEncoded(t *testing.T) {
	x := newEncodingPool()
	plan := planOf(t, "float64", `[{"name":"cast_value","configuration":{"data_type":"int16"}},`+little+`,{"name":"gzip","configuration":{"level":1}}]`)
	good := ndarray.New(plan.Array().Shape, 8, false)
	bad := ndarray.New(plan.Array().Shape, 8, false)
	nan := math.Float64bits(math.NaN())
	for i := range 8 {
		bad.Data[i] = byte(nan >> (8 * i))
	}
	for range 3 {
		done := x.done
		if _, err := x.lead.Encode(codec.NewEnv(t.Context(), x.limits), plan, good); err != nil || x.done != done+1 {
			t.Errorf("a helper encoded %d chunks: %v", x.done-done, err)
		}
		_, want := plan.Encode(codec.NewEnv(t.Context(), x.limits), bad)
		_, err := x.lead.Encode(codec.NewEnv(t.Context(), x.limits), plan, bad)
		if err == nil || want == nil || err.Error() != want.Error() {
			t.Errorf("%v, and in place %v", err, want)
		}
	}
	if x.failed != 3 {
		t.Errorf("a helper failed with %d chunks", x.failed)
	}
}

// TestWhatHelpersCannotEncodeStays has helpers without encoders. After the first chunk of a chain
// they receive no others.
func TestWhatHelpersCannotEncodeStays(t *testing.T) {
	x := newEncodingPool()
	x.helper = newPool().helper
	plan := planOf(t, "float32", costlyChains["zstd"])
	for range 3 {
		x.encodes(t, plan)
	}
	if x.failed != 1 {
		t.Errorf("a helper failed with %d chunks", x.failed)
	}
}

func TestCancelDropsTheJobToEncode(t *testing.T) {
	x := newEncodingPool()
	plan := planOf(t, "float32", costlyChains["zstd"])
	answers, posted := x.post, make(chan struct{}, 1)
	x.post = func(o wire.Object) {
		if o.Flag(wire.JobEncode) {
			posted <- struct{}{}
			return
		}
		answers(o)
	}
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error, 1)
	go func() {
		_, err := x.lead.Encode(codec.NewEnv(ctx, x.limits), plan, elements(plan, 1))
		failed <- err
	}()
	<-posted
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if x.dropped != 1 || x.jobs() > 0 {
		t.Errorf("%d jobs were dropped, %d are left", x.dropped, x.jobs())
	}
	x.post = answers
	x.encodes(t, plan)
}

func TestHelperIsToldOfElementsThatAreNoChunk(t *testing.T) {
	x := newEncodingPool()
	plan := planOf(t, "float32", costlyChains["zstd"])
	x.encodes(t, plan)
	for name, order := range map[string]wire.Object{
		"no chain": {wire.F("pipeline", 99.0), wire.F("bytes", bytesMemory{}), wire.F("length", 0.0)},
		"no bytes": {wire.F("pipeline", 1.0), wire.F("length", 0.0)},
		"too few": {
			wire.F("pipeline", 1.0), wire.F("shape", wire.Ints([]int{64, 1024})), wire.F("bytes", make(bytesMemory, 12)), wire.F("length", 12.0),
		},
	} {
		if stored, err := x.helper.Encode(order); err == nil {
			t.Errorf("%s: %v", name, stored)
		}
	}
}
