package rpc

import (
	"strconv"
	"strings"
	"testing"
	"time"
)

// smallChunks is a page with an array of 300 bytes in chunks of size, whose elements are their positions; without chunk 7.
func smallChunks(t *testing.T, size int, others func(chunk int) (fails string)) *page {
	p := newPage(t)
	p.get = func(key string, _ []int) ([]byte, string) {
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
	p.ask("store", host(1.0, Field{"memory", true})...)
	return p
}

func TestSmallChunksOfAMapAreAskedForInBatches(t *testing.T) {
	for _, size := range []int{2, 3} { // the two forms of an answer
		var p *page
		most, alone := 0, 0 // at once: batches, and chunks that are asked for by themselves
		p = smallChunks(t, size, func(int) string {
			p.session.mu.Lock()
			defer p.session.mu.Unlock()
			most, alone = max(most, len(p.session.batches)), max(alone, len(p.session.asks))
			return ""
		})
		data := []byte(p.ask("read", at(1, "")...).(Object).Get("buffer").(Buffer))
		for i, v := range data {
			want := byte(i)
			if i/size == 7 {
				want = 255
			}
			if v != want {
				t.Fatalf("chunks of %d: element %d is %d", size, i, v)
			}
		}
		chunks := (300 + size - 1) / size
		if total := p.ask("stats", Field{"store", 1.0}).(Object).number("requests"); total < chunks {
			t.Errorf("%d requests are counted for %d chunks", total, chunks)
		}
		if most == 0 || alone > 0 {
			t.Errorf("%d batches, and %d chunks without one", most, alone)
		}
		if n := len(p.session.asks) + len(p.session.batches); n != 0 {
			t.Errorf("%d questions wait for ever", n)
		}
	}
}

func TestOneOfABatchFails(t *testing.T) {
	p := smallChunks(t, 2, func(chunk int) string {
		if chunk == 70 {
			return "out of order"
		}
		return ""
	})
	e := p.fail("read", at(1, "")...)
	if text := e.text("message"); !strings.Contains(text, "c/70") || !strings.Contains(text, "out of order") {
		t.Errorf("%v", e)
	}
}

func TestABatchIsCancelled(t *testing.T) {
	hold, asked := make(chan struct{}), make(chan struct{}, 300)
	p := smallChunks(t, 2, func(int) string {
		asked <- struct{}{}
		<-hold
		return ""
	})
	id, _ := p.begin("read", at(1, ""))
	<-asked
	p.session.Receive(Object{{"op", "cancel"}, {"targets", []any{float64(id)}}})
	waiting := func() int {
		p.session.mu.Lock()
		defer p.session.mu.Unlock()
		return len(p.session.batches) + len(p.session.cancels)
	}
	for end := time.Now().Add(10 * time.Second); waiting() > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("batches of a cancelled read wait")
		}
	}
	close(hold) // late answers go nowhere
	if data := p.ask("read", at(1, "")...).(Object).Get("buffer").(Buffer); data[3] != 3 {
		t.Error(data[:10])
	}
}
