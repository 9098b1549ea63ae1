//go:build js && wasm && write

package httpstore_test

import (
	"bytes"
	"errors"
	"io/fs"
	"strconv"
	"strings"
	"syscall/js"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store"
	"github.com/zarr-wasm/zarr-wasm/store/httpstore"
	"github.com/zarr-wasm/zarr-wasm/store/storetest"
)

func TestWritingConformance(t *testing.T) {
	opt := httpstore.Options{Headers: map[string]string{"Authorization": "Bearer x", "X-Key": "k"}, Credentials: "include"}
	storetest.RunWriting(t, storetest.Harness{New: func(t testing.TB, objects map[string][]byte) store.Locator {
		server := serve(t, objects)
		server.server.Set("lists", true)
		return store.Plain(open(t, server.url+"/?sig=1", opt).Store)
	}})
}

// TestWriteStatus refuses writes with each status. Each refusal is an error that names the status.
// Transient ones are retried when that is safe.
func TestWriteStatus(t *testing.T) {
	server := serve(t, map[string][]byte{})
	for _, c := range []struct {
		status      int
		again, safe bool // retried without a condition, and with one
		hint        string
	}{
		{200, false, false, ""}, {201, false, false, ""}, {204, false, false, ""}, {400, false, false, ""}, {401, false, false, "let this client write"},
		{403, false, false, "let this client write"}, {405, false, false, "only reads"}, {409, true, false, "another client"}, {412, false, false, ""},
		{413, false, false, "larger"}, {500, true, false, ""}, {503, true, true, ""}, {507, false, false, "no space"}, {307, false, false, "redirects"},
	} {
		s := open(t, server.url, httpstore.Options{Retries: 2})
		for name, do := range map[string]func() error{
			"Set":     func() error { return s.Set(t.Context(), "a", []byte{1}) },
			"Create":  func() error { return s.Create(t.Context(), "a", nil) },
			"Replace": func() error { return s.Replace(t.Context(), "a", nil, store.Version{ETag: `"1"`}) },
		} {
			server.set("a", `{"status": `+strconv.Itoa(c.status)+`, "headers": {"Location": "/b"}}`)
			before := server.requests()
			err := do()
			want, again := 1, c.again
			if name != "Set" {
				again = c.safe
			}
			if again {
				want = 3
			}
			var e *httpstore.Error
			switch sent := server.requests() - before; {
			case sent != want || (err == nil) != (c.status < 300):
				t.Errorf("%s with status %d: %v after %d requests; want %d", name, c.status, err, sent, want)
			case err != nil && (!errors.As(err, &e) || e.Status != c.status && c.status != 307 || !strings.Contains(err.Error(), c.hint)):
				t.Errorf("%s with status %d: %v", name, c.status, err)
			}
			if errors.Is(err, fs.ErrExist) != (c.status == 412 && name == "Create") || errors.Is(err, store.ErrConflict) != (c.status == 412 && name != "Create") {
				t.Errorf("%s with status %d: %v", name, c.status, err)
			}
		}
	}
}

// TestWriteAnswerLost loses the answer to a write after the server performed it. Without a
// condition the write is retried. With one its outcome is unknown.
func TestWriteAnswerLost(t *testing.T) {
	server := serve(t, map[string][]byte{})
	s := open(t, server.url, httpstore.Options{Retries: 2})
	server.set("a", `{"times": 1, "lose": true}`)
	if err := s.Set(t.Context(), "a", data); err != nil {
		t.Error(err)
	}
	if got, err := s.Get(t.Context(), "a"); err != nil || !bytes.Equal(got, data) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	server.set("b", `{"times": 1, "lose": true}`)
	if err := s.Create(t.Context(), "b", nil); err == nil || errors.Is(err, fs.ErrExist) {
		t.Errorf("Create: %v", err)
	}
}

// TestReadAfterWrite checks that reads of written objects bypass the browser's cache, because a
// cache on the way may not know of the write.
func TestReadAfterWrite(t *testing.T) {
	server := serve(t, map[string][]byte{"a": data})
	js.Global().Set("zarrTestModes", js.Global().Get("Array").New())
	fetch := js.Global().Get("Function").New("url", "init", "zarrTestModes.push(init.method ?? 'GET', init.cache ?? ''); return fetch(url, init)")
	s := open(t, server.url, httpstore.Options{Platform: httpstore.Platform{Exchange: exchange(t, fetch)}})
	for range 2 {
		for _, do := range []func() error{
			func() error { _, err := s.Get(t.Context(), "a"); return err },
			func() error { return s.Set(t.Context(), "a", []byte{1}) },
			func() error { _, err := s.Get(t.Context(), "a"); return err },
			func() error { return s.Delete(t.Context(), "b") },
		} {
			if err := do(); err != nil {
				t.Error(err)
			}
		}
	}
	modes := js.Global().Get("zarrTestModes").Call("join", " ").String()
	if want := strings.TrimSpace(strings.Repeat("GET  PUT  GET reload DELETE  ", 2)); strings.TrimSpace(modes) != want {
		t.Errorf("%s; want %s", modes, want)
	}
}
