package rpc

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"zarr-wasm/store"
	"zarr-wasm/store/filestore"
	"zarr-wasm/store/kinds"
	"zarr-wasm/tests/fixtures"
	"zarr-wasm/zarr/codec"
	"zarr-wasm/zarr/codecs"
)

// pool is what JavaScript is between an engine and one helper.
type pool struct {
	page   *page
	lead   *Session
	helper *Session

	mu      sync.Mutex
	answers map[int]Object
	done    int // jobs that the helper did
	failed  int // and those that it gave back
	crash   bool
	hold    bool // answers nothing
	dropped int
}

// newPool gives a page's session a helper.
func newPool(p *page) *pool {
	x := &pool{page: p, lead: p.session, answers: map[int]Object{}}
	x.helper = NewSession(Config{
		Version: "1", Codecs: codecs.Full(), Limits: codec.Limits{}.WithDefaults(),
		Post: func(o Object) { x.answers[o.number("id")] = o },
	})
	post := p.session.cfg.Post
	p.session.cfg.Post = func(o Object) {
		if !x.take(o) {
			post(o)
		}
	}
	p.session.helpers.all = true
	p.session.Receive(Object{{"op", "job"}, {"helpers", 1.0}})
	return x
}

func (x *pool) take(o Object) bool {
	switch {
	case o.Get("pipeline") != nil && o.Get("job") == nil:
		x.mu.Lock()
		defer x.mu.Unlock()
		x.helper.Receive(append(Object{{"op", "pipeline"}}, o...))
	case o.Get("job") != nil:
		go x.do(o)
	case o.Get("drop") != nil:
		x.mu.Lock()
		x.dropped++
		x.mu.Unlock()
	case o.Get("tick") != nil:
		go x.lead.Receive(Object{{"op", "job"}, {"tick", true}})
	default:
		return o.Get("grow") != nil
	}
	return true
}

func (x *pool) do(o Object) {
	if answer := x.decode(o); answer != nil {
		x.lead.Receive(answer)
	}
}

func (x *pool) decode(o Object) Object {
	x.mu.Lock()
	defer x.mu.Unlock()
	id := o.Get("job")
	switch {
	case x.hold:
		return nil
	case x.crash:
		return Object{{"op", "job"}, {"job", id}, {"error", "it crashed"}}
	}
	lent := o.Get("bytes").(Lent)
	into := make(bytesMemory, o.number("size"))
	order := Object{
		{"op", "decode"}, {"id", id}, {"pipeline", o.Get("pipeline")}, {"shape", o.Get("shape")},
		{"bytes", append(bytesMemory(lent), 1, 2, 3)}, {"length", float64(len(lent))}, {"want", o.Get("want")}, {"region", o.Get("region")},
	}
	answer := Object{{"op", "job"}, {"job", id}}
	place, direct := o.Get("place").(Object)
	if direct {
		x.helper.cfg.Target = place.Get("memory").(Ref).Memory
		order = append(order, Field{"place", place[1:]})
	} else {
		order = append(order, Field{"into", into})
	}
	x.helper.Receive(order)
	if x.answers[o.number("job")].flag("ok") {
		x.done++
		answer = append(answer, Field{"bytes", into})
	} else {
		x.failed++
		answer = append(answer, Field{"failed", true})
	}
	return answer
}

func filePage(t *testing.T, dir string) *page {
	p := newPage(t)
	p.session.cfg.Memory = func(size int, _ bool) (Memory, error) { return make(bytesMemory, size), nil }
	p.session.add(1, &kinds.Store{Locator: store.Plain(filestore.New(os.DirFS(dir)))}, Object{})
	return p
}

// TestHelpersDecodeTheSame reads the fixtures with and without a helper, into Go's memory and
// into the page's.
func TestHelpersDecodeTheSame(t *testing.T) {
	root := fixtures.Dir(t)
	helped := map[bool]int{}
	arrays := 0
	for _, dir := range []string{"v1", "v2", "v3"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(file string, d fs.DirEntry, err error) error {
			if err != nil || d.Name() != ".zarray" && d.Name() != "zarr.json" && d.Name() != "meta" {
				return err
			}
			arrays++
			for _, shared := range []bool{false, true} {
				plain := filePage(t, path.Dir(file))
				p := filePage(t, path.Dir(file))
				x := newPool(p)
				request := append(at(1, ""), Field{"selection", nil}, Field{"shared", shared})
				_, a := plain.begin("read", request)
				want := plain.wait(a)
				_, a = p.begin("read", request)
				got := p.wait(a)
				if got.flag("ok") != want.flag("ok") {
					t.Errorf("%s: %v with a helper, %v without", file, got, want)
					continue
				}
				if !got.flag("ok") {
					if g, w := got.Get("error").(Object).text("message"), want.Get("error").(Object).text("message"); g != w {
						t.Errorf("%s: with a helper %q, without %q", file, g, w)
					}
					continue
				}
				g, w := got.Get("value").(Object), want.Get("value").(Object)
				if !bytes.Equal(bytesOf(g), bytesOf(w)) {
					t.Errorf("%s: a helper decodes other elements", file)
				}
				helped[shared] += x.done
				if x.failed > 0 {
					t.Errorf("%s: %d chunks failed in the helper and not in the engine", file, x.failed)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if arrays < 100 || helped[false] < arrays || helped[true] < arrays {
		t.Errorf("%d arrays, %v chunks decoded by helpers", arrays, helped)
	}
}

func bytesOf(block Object) []byte {
	switch b := block.Get("buffer").(type) {
	case Buffer:
		return b
	case bytesMemory:
		return b
	}
	return nil
}

func sample(t *testing.T) string { return filepath.Join(fixtures.Dir(t), "v3/codec.zarr") }

func TestHelperThatCrashes(t *testing.T) {
	p := filePage(t, sample(t))
	x := newPool(p)
	x.crash = true
	name := firstArray(t, sample(t))
	if e := p.fail("read", append(at(1, name), Field{"selection", nil})...); e.text("name") != "EngineError" || !strings.Contains(e.text("message"), "it crashed") {
		t.Errorf("a call that a helper held: %v", e)
	}
	x.mu.Lock()
	x.crash = false
	x.mu.Unlock()
	p.ask("read", append(at(1, name), Field{"selection", nil})...)
}

func TestCancelDropsTheJob(t *testing.T) {
	p := filePage(t, sample(t))
	x := newPool(p)
	x.hold = true
	id, _ := p.begin("read", append(at(1, firstArray(t, sample(t))), Field{"selection", nil}))
	waitUntil(t, func() bool {
		p.session.helpers.mu.Lock()
		defer p.session.helpers.mu.Unlock()
		return len(p.session.helpers.jobs) > 0
	})
	p.session.Receive(Object{{"op", "cancel"}, {"targets", []any{float64(id)}}})
	waitUntil(t, func() bool {
		p.session.helpers.mu.Lock()
		defer p.session.helpers.mu.Unlock()
		x.mu.Lock()
		defer x.mu.Unlock()
		return len(p.session.helpers.jobs) == 0 && x.dropped > 0
	})
}

func firstArray(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() && strings.Contains(e.Name(), "zstd") {
			return e.Name()
		}
	}
	t.Fatal("no array of zstd in " + dir)
	return ""
}

func waitUntil(t *testing.T, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !condition(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it never came")
		}
	}
}
