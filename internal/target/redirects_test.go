//go:build !js

package target_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/internal/object"
	"github.com/zarr-wasm/zarr-wasm/internal/target"
	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/httpstore"
)

// chains is a set of servers that redirect requests along a chain. The last one answers.
type chains struct {
	urls []string

	mu    sync.Mutex
	chain []int    // of servers
	ways  []int    // the form of each redirect, and its status
	seen  []string // "SERVER NAME KEY" of each request
}

func newChains(t *testing.T, n int) *chains {
	c := &chains{}
	for i := range n {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { c.answer(i, w, r) }))
		t.Cleanup(server.Close)
		c.urls = append(c.urls, server.URL)
	}
	return c
}

func (c *chains) answer(server int, w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	step := len(c.seen)
	c.seen = append(c.seen, fmt.Sprint(server, r.URL.Path, r.Header.Get("X-Key"), r.Header.Get("Authorization")))
	if step >= len(c.chain) || c.chain[step] != server {
		w.WriteHeader(http.StatusTeapot)
		return
	}
	if step == len(c.chain)-1 {
		_, _ = w.Write([]byte("the end"))
		return
	}
	next, way := c.chain[step+1], c.ways[step]
	to := fmt.Sprintf("%s/s%d?sig=secret", c.urls[next], step+1)
	switch {
	case next == server && way%3 == 1:
		to = fmt.Sprintf("s%d?sig=secret", step+1)
	case next == server && way%3 == 2:
		to = fmt.Sprintf("/a/.././s%d", step+1)
	case way%3 == 1:
		to = strings.TrimPrefix(to, "http:")
	case way%3 == 2:
		to = "HTTP" + strings.TrimPrefix(to, "http") + "#fragment"
	}
	w.Header().Set("Location", to)
	w.WriteHeader([]int{301, 302, 303, 307, 308}[way%5])
}

// Random chains of redirects agree with a model of the requests sent, their headers, and the read's
// result.
func TestRedirectsKeepToTheOriginsAndKeepHeadersAtTheirs(t *testing.T) {
	servers := newChains(t, 5)
	random := rand.New(rand.NewPCG(26, 9))
	keyed := map[string]string{"X-Key": "k", "Authorization": "a"}
	read, rejected, confirmed := 0, 0, 0
	for trial := range 1000 {
		// The document lies at server 0, and its target anywhere.
		chain := []int{random.IntN(5)}
		for range random.IntN(13) {
			next := random.IntN(5)
			if random.IntN(2) == 0 {
				next = chain[len(chain)-1]
			}
			chain = append(chain, next)
		}
		servers.mu.Lock()
		servers.chain, servers.ways, servers.seen = chain, nil, nil
		for range chain {
			servers.ways = append(servers.ways, random.IntN(15))
		}
		servers.mu.Unlock()
		allowed := []bool{true, true, true, true, true}
		var opt target.Options
		var asked []string
		if random.IntN(4) > 0 {
			opt.Origins = []string{}
			for i := 1; i < 5; i++ {
				if allowed[i] = random.IntN(3) > 0; allowed[i] {
					opt.Origins = append(opt.Origins, servers.urls[i])
				}
			}
			if random.IntN(2) == 0 {
				opt.Origins = nil
				opt.Confirm = func(_ context.Context, origin string) (bool, error) {
					asked = append(asked, origin)
					return allowed[slices.Index(servers.urls, origin)], nil
				}
			}
		}

		var wantSeen, wantAsked []string
		ok, home, rejects := true, chain[0] == 0, false
		for step, server := range chain {
			if opt.Confirm != nil && server != 0 && !slices.Contains(wantAsked, servers.urls[server]) {
				wantAsked = append(wantAsked, servers.urls[server])
			}
			if rejects = !allowed[server]; rejects {
				ok = false
				break
			}
			if step > 10 {
				ok = false
				break
			}
			home = home && server == 0
			key := ""
			if home {
				key = "ka"
			}
			wantSeen = append(wantSeen, fmt.Sprintf("%d/s%d%s", server, step, key))
		}

		layer := object.NewLayer(1 << 20)
		all := set(t, newSources(layer), servers.urls[0]+"/d", "refs.json", opt, httpstore.Options{Headers: keyed, Retries: -1})
		for again := range 2 {
			if again > 0 {
				if !rejects {
					break
				}
				servers.mu.Lock()
				servers.seen = nil
				servers.mu.Unlock()
			}
			at, err := all.Locate(t.Context(), servers.urls[chain[0]]+"/s0")
			var got string
			if err == nil {
				var e store.Extent
				e, err = at.Read(t.Context(), "key", store.Ask{}, layer.Extent)
				got = string(e.Bytes)
			}
			if ok != (err == nil) || ok && got != "the end" || !slices.Equal(servers.seen, wantSeen) || !slices.Equal(asked, wantAsked) {
				t.Fatalf("trial %d: chain %v, allowed %v: %q, %v\nrequests %q, want %q\nasked for %q, want %q", trial, chain, allowed, got, err, servers.seen, wantSeen, asked, wantAsked)
			}
			if err != nil && strings.Contains(err.Error(), "secret") {
				t.Fatalf("a message with a query: %v", err)
			}
			var e *target.Error
			if rejects && !errors.As(err, &e) {
				t.Fatalf("trial %d: %v", trial, err)
			}
		}
		switch {
		case ok:
			read++
		case rejects:
			rejected++
		}
		confirmed += len(asked)
	}
	t.Logf("%d chains were read, %d rejected, and %d questions asked", read, rejected, confirmed)
	if read < 300 || rejected < 300 || confirmed < 300 {
		t.Error("the chains are too few of a kind")
	}
}

// Bytes that a document received along a redirect to an allowed origin are not shared with a
// document that does not allow it.
func TestWhatOneDocumentReadsAcrossOriginsIsNotGivenToAnother(t *testing.T) {
	servers := newChains(t, 2)
	layer := object.NewLayer(1 << 20)
	sources := newSources(layer)
	for i, opt := range []target.Options{{}, {Origins: []string{}}, {}, {Origins: []string{servers.urls[1]}}, {Origins: []string{}}} {
		servers.chain, servers.ways, servers.seen = []int{0, 1}, []int{0, 0}, nil
		_, err := read(t.Context(), layer, set(t, sources, servers.urls[0]+"/d", "refs.json", opt, httpstore.Options{}), "/s0")
		if want := i%4 != 1 && i != 4; (err == nil) != want {
			t.Errorf("document %d: %v", i, err)
		}
	}
	one := set(t, sources, servers.urls[0]+"/d", "refs.json", target.Options{Origins: []string{servers.urls[1]}}, httpstore.Options{})
	two := set(t, sources, servers.urls[0]+"/e", "refs.json", target.Options{Origins: []string{servers.urls[1] + "/x"}}, httpstore.Options{})
	a, err := one.Locate(t.Context(), "/s0")
	b, also := two.Locate(t.Context(), "/s0")
	if err != nil || also != nil || a.Source != b.Source {
		t.Errorf("documents of the same origins have two sources; %v, %v", err, also)
	}
}

// A person may take longer than a server. While a redirect awaits confirmation, other reads
// continue.
func TestAConfirmationHoldsNothingUp(t *testing.T) {
	servers := newChains(t, 2)
	servers.chain, servers.ways = []int{0, 1}, []int{0, 0}
	layer := object.NewLayer(1 << 20)
	asked, answer := make(chan bool), make(chan bool)
	all := set(t, newSources(layer), servers.urls[0]+"/d", "refs.json", target.Options{Confirm: func(context.Context, string) (bool, error) {
		asked <- true
		return <-answer, nil
	}}, httpstore.Options{Concurrency: 1})
	done := make(chan error)
	go func() {
		_, err := read(t.Context(), layer, all, "/s0")
		done <- err
	}()
	<-asked
	for range 20 {
		servers.mu.Lock()
		servers.chain, servers.seen = []int{0}, nil
		servers.mu.Unlock()
		if _, err := read(t.Context(), object.NewLayer(1<<20), all, "/other"); err != nil {
			t.Error(err)
		}
	}
	servers.mu.Lock()
	servers.chain, servers.seen = []int{0, 1}, []string{""}
	servers.mu.Unlock()
	answer <- true
	if err := <-done; err != nil {
		t.Error(err)
	}
}
