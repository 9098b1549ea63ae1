package hostside

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zarr-wasm/zarr-wasm/internal/guard"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/tests/must"
	"github.com/zarr-wasm/zarr-wasm/wasm/internal/wire"
	"github.com/zarr-wasm/zarr-wasm/zarr"
	"github.com/zarr-wasm/zarr-wasm/zarr/codecs"
)

// page is the JavaScript side of a Page.
type page struct {
	*Page
	// get answers questions for keys; nil bytes mean that the key does not exist.
	get func(key string) ([]byte, string)
	// codec answers questions about codecs.
	codec   func(msg wire.Object) wire.Object
	post    func(wire.Object)
	aborted atomic.Int32
}

func newPage() *page {
	p := &page{}
	p.post = p.receive
	p.Page = New(func(o wire.Object) { p.post(o) })
	return p
}

// settle waits until no question waits for an answer.
func (p *page) settle(t *testing.T) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		batches, alone := p.waiting()
		if batches+alone == 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%d batches and %d questions without one wait for ever", batches, alone)
		}
	}
}

func (p *page) receive(msg wire.Object) {
	switch {
	case msg.Get("aborted") != nil:
		p.aborted.Add(1)
	case msg.Get("keys") == nil:
		go func() {
			answer := append(wire.Object{wire.F("ask", msg.Get("ask"))}, p.codec(msg)...)
			for i, f := range answer {
				if data, ok := f.Value.([]byte); ok {
					answer[i].Value = bytesMemory(append(slices.Clone(data), 0))
					answer.AddInt("length", len(data))
				}
			}
			p.Answered(answer)
		}()
	default:
		for i, key := range strings.Split(msg.Text("keys"), "\n") {
			go p.answer(msg.Int("ask")+i, key)
		}
	}
}

// answer answers a question for a key. The length selects one of the two forms.
func (p *page) answer(n int, key string) {
	var answer wire.Object
	data, failed := p.get(key)
	switch {
	case failed != "":
		answer = wire.Object{wire.F("ask", float64(n)), wire.F("error", failed)}
	case data == nil:
		answer = wire.Object{wire.F("ask", float64(n))}
	case len(data)%2 == 0:
		head := []byte{byte(n), byte(n >> 8), 0, 0, byte(len(data)), byte(len(data) >> 8), byte(len(data) >> 16), 0, 255, 255, 255, 255, 0, 0, 0, 0, 0, 0, 0, 0}
		all := append(head, data...)
		answer = wire.Object{wire.F("answers", bytesMemory(all)), wire.F("count", 1.0), wire.F("length", float64(len(all)))}
	default:
		answer = wire.Object{wire.F("ask", float64(n)), wire.F("bytes", bytesMemory(append(slices.Clone(data), 0))), wire.F("length", float64(len(data)))}
	}
	p.Answered(answer)
}

// waiting counts the unanswered questions: those in batches, and others.
func (p *page) waiting() (batches, alone int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.batches), len(p.asks)
}

// hierarchy returns the hierarchy in the page's store of that number.
func (p *page) hierarchy(number int, memory bool, observe func(store.Event)) *zarr.Hierarchy {
	return zarr.Over(store.Plain(p.Store(wire.Object{wire.F("number", float64(number)), wire.F("ranges", true), wire.F("memory", memory)})), codecs.Full().With(p.Codec),
		zarr.Options{Requests: zarr.RequestOptions{Memory: memory}, Observe: observe})
}

func read(ctx context.Context, h *zarr.Hierarchy) ([]byte, error) {
	a, err := h.OpenArray(ctx, "")
	if err != nil {
		return nil, err
	}
	res, err := a.Read(ctx, nil, zarr.ReadOptions{})
	if err != nil {
		return nil, err
	}
	return res.Data, nil
}

// bytesMemory is a Memory in Go.
type bytesMemory []byte

func (m bytesMemory) Len() int               { return len(m) }
func (m bytesMemory) Read(dst []byte)        { copy(dst, m) }
func (m bytesMemory) Put(wire.Place, []byte) { panic("nothing is put to the page's answers") }

// thrower is memory whose bytes cannot be read, like those of a transferred ArrayBuffer.
type thrower struct{ bytesMemory }

func (thrower) Read([]byte) { panic("detached") }

// smallChunks returns a page with an array of 300 bytes in chunks of size, whose elements are their
// positions. Chunk 7 is missing.
func smallChunks(size int, others func(chunk int) (fails string)) *page {
	p := newPage()
	p.get = func(key string) ([]byte, string) {
		if key == "zarr.json" {
			return []byte(`{"zarr_format":3,"node_type":"array","shape":[300],"data_type":"uint8",
				"chunk_grid":{"name":"regular","configuration":{"chunk_shape":[` + strconv.Itoa(size) + `]}},
				"chunk_key_encoding":{"name":"default"},"fill_value":255,"codecs":[{"name":"bytes"}]}`), ""
		}
		name, ok := strings.CutPrefix(key, "c/")
		n, err := strconv.Atoi(name)
		if !ok || err != nil || n == 7 {
			return nil, ""
		}
		if fails := others(n); fails != "" {
			return nil, fails
		}
		data := make([]byte, size)
		for i := range data {
			data[i] = byte(n*size + i)
		}
		return data, ""
	}
	return p
}

func TestSmallChunksOfAMapAreAskedForInBatches(t *testing.T) {
	for _, size := range []int{2, 3} { // the two forms of an answer
		var p *page
		var mu sync.Mutex
		var most, mostAlone int
		p = smallChunks(size, func(int) string {
			batches, alone := p.waiting()
			mu.Lock()
			defer mu.Unlock()
			most, mostAlone = max(most, batches), max(mostAlone, alone)
			return ""
		})
		var requests atomic.Int32
		data := must.Get(read(t.Context(), p.hierarchy(1, true, func(store.Event) { requests.Add(1) })))(t)
		for i, v := range data {
			want := byte(i)
			if i/size == 7 {
				want = 255
			}
			if v != want {
				t.Fatalf("chunks of %d: element %d is %d", size, i, v)
			}
		}
		if chunks := int32((300 + size - 1) / size); requests.Load() < chunks {
			t.Errorf("%d requests are told for %d chunks", requests.Load(), chunks)
		}
		mu.Lock()
		if most == 0 || mostAlone > 0 {
			t.Errorf("%d batches, and %d chunks without one", most, mostAlone)
		}
		mu.Unlock()
		p.settle(t)
	}
}

func TestOneOfABatchFails(t *testing.T) {
	p := smallChunks(2, func(chunk int) string {
		if chunk == 70 {
			return "out of order"
		}
		return ""
	})
	_, err := read(t.Context(), p.hierarchy(1, true, nil))
	if err == nil || !strings.Contains(err.Error(), "c/70") || !strings.Contains(err.Error(), "out of order") {
		t.Errorf("%v", err)
	}
}

func TestABatchIsCancelled(t *testing.T) {
	hold, asked := make(chan struct{}), make(chan struct{}, 300)
	p := smallChunks(2, func(int) string {
		asked <- struct{}{}
		<-hold
		return ""
	})
	h := p.hierarchy(1, true, nil)
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error, 1)
	go func() {
		_, err := read(ctx, h)
		failed <- err
	}()
	<-asked
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	p.settle(t)
	for end := time.Now().Add(time.Minute); p.aborted.Load() == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the page was not told")
		}
	}
	close(hold) // late answers are dropped
	if data, err := read(t.Context(), h); err != nil || data[3] != 3 {
		t.Error(data, err)
	}
}

func TestAPanicOfPostEndsItsReadOnly(t *testing.T) {
	for name, of := range map[string]string{"the question for a document": "zarr.json", "the question for chunks": "c/"} {
		t.Run(name, func(t *testing.T) {
			p := smallChunks(2, func(int) string { return "" })
			var thrown atomic.Int32
			p.post = func(msg wire.Object) {
				if strings.Contains(msg.Text("keys"), of) && thrown.CompareAndSwap(0, 1) {
					panic("thrown by post")
				}
				p.receive(msg)
			}
			h := p.hierarchy(1, true, nil)
			_, err := read(t.Context(), h)
			var panicked *guard.Error
			if !errors.As(err, &panicked) || panicked.Text != "thrown by post" {
				t.Errorf("%v", err)
			}
			for range 2 {
				if _, err := read(t.Context(), h); err != nil {
					t.Error(err)
				}
			}
			p.settle(t)
		})
	}
}

func TestAnAnswerThatCannotBeReadEndsItsQuestions(t *testing.T) {
	for _, packed := range []bool{false, true} {
		p := newPage()
		p.get = func(string) ([]byte, string) { return nil, "" }
		var broken atomic.Bool
		broken.Store(true)
		p.post = func(msg wire.Object) {
			if !broken.Load() {
				p.receive(msg)
				return
			}
			go func() {
				for i := range msg.Int("count") {
					answer := wire.Object{wire.F("ask", float64(msg.Int("ask")+i)), wire.F("bytes", thrower{make(bytesMemory, 10)}), wire.F("length", 10.0)}
					if packed {
						answer = wire.Object{wire.F("answers", thrower{make(bytesMemory, 100)}), wire.F("count", 1.0), wire.F("length", 100.0)}
					}
					if err := guard.Do(func() error { p.Answered(answer); return nil }); err != nil {
						p.Fail(answer, err)
					}
				}
			}()
		}
		h := p.hierarchy(1, false, nil)
		if _, err := read(t.Context(), h); err == nil || !strings.Contains(err.Error(), "detached") {
			t.Errorf("%v", err)
		}
		broken.Store(false)
		var absent *zarr.NotFoundError
		if _, err := read(t.Context(), h); !errors.As(err, &absent) {
			t.Errorf("afterwards: %v", err)
		}
	}
}

// TestStoreHasTheCapabilitiesOfItsDescription covers every set of flags, for the reading and the
// writing engine.
func TestStoreHasTheCapabilitiesOfItsDescription(t *testing.T) {
	p := New(nil)
	for set := range 8 {
		ranges, lists, writes := set&1 != 0, set&2 != 0, set&4 != 0
		d := wire.Object{wire.F("number", 1.0), wire.F("ranges", ranges), wire.F("lists", lists), wire.F("writes", writes)}
		for _, s := range []store.Source{p.Store(d), p.WritableStore(d)} {
			_, writing := s.(*WritableStore)
			c := store.SourceCapabilities(s)
			if c.WholeOnly == ranges || (c.Lister != nil) != lists || (c.Writer != nil) != (writing && writes) || (c.Locker != nil) != (writing && writes) {
				t.Errorf("%T of %v: %+v", s, d, c)
			}
			if c.Remote == nil || c.Batcher == nil || c.Reuser == nil || c.Conditional != nil || StoreOf(s) == nil {
				t.Errorf("%T of %v: %+v", s, d, c)
			}
		}
	}
}
