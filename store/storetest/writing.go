package storetest

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store"
)

// RunWriting runs the suite of writing stores. It tests [store.Writer], and
// [store.Conditional] and [store.Locker] if the store has them.
func RunWriting(t *testing.T, h Harness) {
	t.Run("Set", h.set)
	t.Run("BadWrites", h.badWrites)
	t.Run("Sequences", h.sequences)
	t.Run("Torn", h.torn)
	t.Run("Writers", h.writers)
	t.Run("Conditional", h.conditional)
	t.Run("Locks", h.locks)
}

// writes opens a writing store.
func (h Harness) writes(t testing.TB, objects map[string][]byte) reader {
	s := h.open(t, objects)
	if s.Writer == nil {
		t.Fatal("the store cannot be written to")
	}
	return s
}

// deletes reports whether the store deletes.
func (r reader) deletes(ctx context.Context) bool {
	return !errors.Is(r.Delete(ctx, "no/such/key"), errors.ErrUnsupported)
}

// set checks that all readable keys can be written, that the store does not keep the caller's
// bytes, and that other objects stay unchanged.
func (h Harness) set(t *testing.T) {
	s := h.writes(t, map[string][]byte{"old": {1}})
	for i, key := range []string{
		"zarr.json", "a/.zarray", "a/0.0", "c/0/1/2", "deep/er/and/er/0", "my group with spaces/zarr.json", "per%cent/0", "%2e%2e/0", "hash#tag/0",
		"quest?ion=1/0", "grüße/日本/🧊", "...", "..a", ".a/.b", "plus+plus/0", "semi;colon", "quote'single", "star*!()",
	} {
		if h.Unsupported != nil && h.Unsupported(key) {
			continue
		}
		sizes := []int{0, 1, 1000, 7}
		if i == 0 {
			sizes = append(sizes, 5<<20+3, 7)
		}
		for _, n := range sizes {
			data := Pattern(n + i)
			want := bytes.Clone(data)
			if err := s.Set(t.Context(), key, data); err != nil {
				t.Fatalf("Set(%q): %v", key, err)
			}
			clear(data)
			if got, err := s.Get(t.Context(), key); err != nil || !bytes.Equal(got, want) {
				t.Fatalf("Get(%q) after Set: %d bytes, %v; want %d bytes", key, len(got), err, len(want))
			}
		}
	}
	if got, err := s.Get(t.Context(), "old"); err != nil || !bytes.Equal(got, []byte{1}) {
		t.Errorf("another key after Set: % x, %v", got, err)
	}
}

func (h Harness) badWrites(t *testing.T) {
	s := h.writes(t, map[string][]byte{"a/b": {1}})
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, key := range []string{"", "/", "/a", "a/", "a//b", "a/./b", "./a", "a/../b", "../a", "..", ".", "a/.."} {
		for name, err := range map[string]error{
			"Set": s.Set(t.Context(), key, []byte{2}), "Delete": s.Delete(t.Context(), key),
			"Create":  s.Create(t.Context(), key, nil),
			"Replace": s.Replace(t.Context(), key, nil, store.Version{ETag: `"1"`}),
			"Remove":  s.Remove(t.Context(), key, store.Version{ETag: `"1"`}),
		} {
			var e *store.KeyError
			if !errors.Is(err, fs.ErrInvalid) && !errors.Is(err, errors.ErrUnsupported) || !errors.As(err, &e) || e.Op == "get" {
				t.Errorf("%s(%q): %v; want an error that matches fs.ErrInvalid", name, key, err)
			}
		}
		if key == "" {
			continue
		}
		if err := s.DeleteAll(t.Context(), key); !errors.Is(err, fs.ErrInvalid) && !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("DeleteAll(%q): %v; want an error that matches fs.ErrInvalid", key, err)
		}
	}
	if err := s.Set(cancelled, "a/b", []byte{2}); !errors.Is(err, context.Canceled) {
		t.Errorf("Set with a context that has ended: %v", err)
	}
	if err := s.Delete(cancelled, "a/b"); s.deletes(t.Context()) && !errors.Is(err, context.Canceled) {
		t.Errorf("Delete with a context that has ended: %v", err)
	}
	if got, err := s.Get(t.Context(), "a/b"); err != nil || !bytes.Equal(got, []byte{1}) {
		t.Errorf("after writes that were refused: % x, %v", got, err)
	}
}

// randomKey returns one of a few keys. The name of a folder is never that of an object.
func randomKey(r *rand.Rand) string {
	key := ""
	for range r.IntN(3) {
		key += "d" + strconv.Itoa(r.IntN(3)) + "/"
	}
	return key + "k" + strconv.Itoa(r.IntN(4))
}

// sequences performs random operations, and compares the store with a map after each one.
func (h Harness) sequences(t *testing.T) {
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 19))
		model := map[string][]byte{}
		for range r.IntN(10) {
			model[randomKey(r)] = Pattern(r.IntN(3000))
		}
		s := h.writes(t, maps.Clone(model))
		deletes := s.deletes(t.Context())
		for i := range 60 {
			key := randomKey(r)
			var err error
			var op string
			switch n := r.IntN(10); {
			case n < 4:
				op = "Set"
				data := Pattern(r.IntN(3000))
				err = s.Set(t.Context(), key, data)
				model[key] = data
			case n < 6 && deletes:
				op = "Delete"
				err = s.Delete(t.Context(), key)
				delete(model, key)
			case n == 6 && deletes && r.IntN(4) == 0:
				op = "DeleteAll"
				key = strings.TrimSuffix(key[:strings.LastIndexByte(key, '/')+1], "/")
				err = s.DeleteAll(t.Context(), key)
				maps.DeleteFunc(model, func(k string, _ []byte) bool { return key == "" || strings.HasPrefix(k, key+"/") })
			default:
				op = "read"
				s.like(t, model, key, r)
			}
			if err != nil {
				t.Fatalf("seed %d, step %d: %s(%q): %v", seed, i, op, key, err)
			}
			s.like(t, model, key, r)
			if t.Failed() {
				t.Fatalf("seed %d, step %d: after %s(%q)", seed, i, op, key)
			}
		}
		for k := range model {
			s.like(t, model, k, r)
		}
	}
}

// like compares the store with a model: an object, a part of it, and a list.
func (r reader) like(t *testing.T, model map[string][]byte, key string, random *rand.Rand) {
	if key == "" {
		key = "k0"
	}
	want, there := model[key]
	got, err := r.Get(t.Context(), key)
	if there && (err != nil || !bytes.Equal(got, want)) || !there && !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Get(%q): %d bytes, %v; want %d bytes, there %v", key, len(got), err, len(want), there)
	}
	if len(want) > 0 {
		from := random.IntN(len(want))
		to := from + 1 + random.IntN(len(want)-from)
		got, err := r.GetRange(t.Context(), key, store.ByteRange{Offset: int64(from), Length: int64(to - from)})
		if err != nil || !bytes.Equal(got, want[from:to]) {
			t.Errorf("GetRange(%q, %d, %d): %d bytes, %v", key, from, to, len(got), err)
		}
	}
	if r.Lister == nil {
		return
	}
	prefix := key[:strings.LastIndexByte(key, '/')+1]
	names := []string{}
	for k := range model {
		if rest, below := strings.CutPrefix(k, prefix); below {
			if name, _, folder := strings.Cut(rest, "/"); folder {
				rest = name + "/"
			}
			names = append(names, rest)
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	if list, err := r.List(t.Context(), strings.TrimSuffix(prefix, "/")); !unknown(r, err) && (err != nil || !slices.Equal(list, names)) {
		t.Errorf("List(%q) = %q, %v; want %q", prefix, list, err, names)
	}
}

// version returns an object in which every byte is the version number, so that each part identifies
// the version.
func version(n int, size int) []byte { return bytes.Repeat([]byte{byte(n)}, size) }

// uniform reports whether all bytes are of one version, and which.
func uniform(b []byte) (int, bool) {
	if len(b) == 0 {
		return 0, false
	}
	for _, c := range b {
		if c != b[0] {
			return 0, false
		}
	}
	return int(b[0]), true
}

// torn reads an object while it is written. Each read returns bytes of one version, which is not
// older than that of the read before.
func (h Harness) torn(t *testing.T) {
	const versions, size = 40, 100_000
	s := h.writes(t, map[string][]byte{"a/0": version(0, size)})
	var wait sync.WaitGroup
	done := make(chan struct{})
	for range 4 {
		wait.Go(func() {
			last := 0
			for running := true; running; {
				select {
				case <-done:
					running = false
				default:
				}
				b, err := s.Get(t.Context(), "a/0")
				n, whole := uniform(b)
				if err != nil || !whole || len(b) != size+n || n < last {
					t.Errorf("read %d bytes of version %d, whole %v, after %d: %v", len(b), n, whole, last, err)
					return
				}
				last = n
				b, err = s.GetRange(t.Context(), "a/0", store.ByteRange{Offset: 1000, Length: size - 1000})
				if n, whole = uniform(b); err != nil || !whole || n < last {
					t.Errorf("read a range of version %d, whole %v, after %d: %v", n, whole, last, err)
					return
				}
				last = n
			}
		})
	}
	for n := range versions {
		if err := s.Set(t.Context(), "a/0", version(n, size+n)); err != nil {
			t.Error(err)
		}
	}
	close(done)
	wait.Wait()
}

// writers write, delete and list concurrently, below the same folders. The last writes to each
// writer's own keys must be present.
func (h Harness) writers(t *testing.T) {
	s := h.writes(t, map[string][]byte{})
	deletes := s.deletes(t.Context())
	var wait sync.WaitGroup
	models := make([]map[string][]byte, 6)
	for w := range models {
		models[w] = map[string][]byte{}
		wait.Go(func() {
			r := rand.New(rand.NewPCG(uint64(w), 7))
			for range 80 {
				key := randomKey(r) + "-" + strconv.Itoa(w)
				shared := "d0/shared"
				switch {
				case deletes && r.IntN(2) == 0:
					if err := s.Delete(t.Context(), key); err != nil {
						t.Errorf("Delete(%q): %v", key, err)
					}
					delete(models[w], key)
				case r.IntN(4) == 0:
					if err := s.Set(t.Context(), shared, version(w+1, 5000)); err != nil {
						t.Errorf("Set(%q): %v", shared, err)
					}
					if b, err := s.Get(t.Context(), shared); err != nil || len(b) != 5000 {
						t.Errorf("Get(%q): %d bytes, %v", shared, len(b), err)
					} else if _, whole := uniform(b); !whole {
						t.Errorf("Get(%q): bytes of several writers", shared)
					}
				default:
					data := Pattern(r.IntN(3000))
					if err := s.Set(t.Context(), key, data); err != nil {
						t.Errorf("Set(%q): %v", key, err)
					}
					models[w][key] = data
				}
				if s.Lister != nil && r.IntN(8) == 0 {
					if _, err := s.List(t.Context(), "d0"); err != nil && !unknown(s, err) {
						t.Errorf("List: %v", err)
					}
				}
			}
		})
	}
	wait.Wait()
	all := map[string][]byte{}
	for _, model := range models {
		maps.Copy(all, model)
	}
	if b, err := s.Get(t.Context(), "d0/shared"); err == nil {
		all["d0/shared"] = b
	}
	r := rand.New(rand.NewPCG(1, 1))
	for key := range all {
		s.like(t, all, key, r)
	}
}

func (h Harness) conditional(t *testing.T) {
	s := h.writes(t, map[string][]byte{"old": []byte("one")})
	ctx := t.Context()
	err := s.Create(ctx, "new", []byte("1"))
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip("the store has no conditional writes")
	}
	if err != nil {
		t.Fatalf("Create: %v", err)
	}
	if err := s.Create(ctx, "new", []byte("2")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("Create of an object that is there: %v; want an error that matches fs.ErrExist", err)
	}
	if got, err := s.Get(ctx, "new"); string(got) != "1" {
		t.Errorf("after Create twice: %q, %v", got, err)
	}
	e, err := s.read(ctx, "old", store.Ask{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Replace(ctx, "old", []byte("two"), e.Version); err != nil {
		t.Errorf("Replace: %v", err)
	}
	for _, key := range []string{"old", "absent"} {
		if err := s.Replace(ctx, key, []byte("six"), e.Version); !errors.Is(err, store.ErrConflict) {
			t.Errorf("Replace(%q) of a version that is gone: %v; want an error that matches store.ErrConflict", key, err)
		}
	}
	for _, key := range []string{"old", "absent"} {
		if err := s.Remove(ctx, key, e.Version); !errors.Is(err, store.ErrConflict) {
			t.Errorf("Remove(%q) of a version that is gone: %v; want an error that matches store.ErrConflict", key, err)
		}
	}
	if e, err = s.read(ctx, "new", store.Ask{}); err != nil {
		t.Fatal(err)
	}
	if err := s.Remove(ctx, "new", e.Version); err != nil {
		t.Errorf("Remove: %v", err)
	}
	if _, err := s.Get(ctx, "new"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after Remove: %v", err)
	}
	if err := s.Remove(ctx, "old", store.Unknown); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("Remove of a version of which nothing is known: %v; want an error that matches errors.ErrUnsupported", err)
	}
	if err := s.Replace(ctx, "old", []byte("six"), store.Unknown); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("Replace of a version of which nothing is known: %v; want an error that matches errors.ErrUnsupported", err)
	}
	if got, err := s.Get(ctx, "old"); string(got) != "two" {
		t.Errorf("after Replace: %q, %v", got, err)
	}
	// Several goroutines increment a number by Replace: no increment is lost.
	if err := s.Set(ctx, "count", []byte("0")); err != nil {
		t.Fatal(err)
	}
	const each, workers = 25, 4
	var wait sync.WaitGroup
	for range workers {
		wait.Go(func() {
			for range each {
				for {
					e, err := s.read(ctx, "count", store.Ask{})
					if err != nil {
						t.Error(err)
						return
					}
					n, _ := strconv.Atoi(string(e.Bytes))
					if err = s.Replace(ctx, "count", []byte(strconv.Itoa(n+1)), e.Version); err == nil {
						break
					}
					if !errors.Is(err, store.ErrConflict) {
						t.Error(err)
						return
					}
				}
			}
		})
	}
	wait.Wait()
	if got, err := s.Get(ctx, "count"); string(got) != strconv.Itoa(each*workers) {
		t.Errorf("counted %q, %v; want %d", got, err, each*workers)
	}
}

func (h Harness) locks(t *testing.T) {
	s := h.writes(t, map[string][]byte{"count": []byte("0")})
	ctx := t.Context()
	unlock, err := s.Lock(ctx, "count")
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip("the store has no locks")
	}
	if err != nil {
		t.Fatal(err)
	}
	// Another goroutine waits until its context ends.
	short, cancel := context.WithCancel(ctx)
	waited := make(chan error)
	go func() {
		_, err := s.Lock(short, "count")
		waited <- err
	}()
	other, err := s.Lock(ctx, "other/key")
	if err != nil {
		t.Fatalf("Lock of another key: %v", err)
	}
	cancel()
	if err := <-waited; !errors.Is(err, context.Canceled) {
		t.Errorf("Lock of a key that is locked: %v", err)
	}
	for _, unlock := range []func() error{unlock, other} {
		if err := unlock(); err != nil {
			t.Errorf("unlock: %v", err)
		}
	}
	const each, workers = 25, 4
	var wait sync.WaitGroup
	for range workers {
		wait.Go(func() {
			for range each {
				unlock, err := s.Lock(ctx, "count")
				if err != nil {
					t.Error(err)
					return
				}
				b, err := s.Get(ctx, "count")
				n, _ := strconv.Atoi(string(b))
				if err == nil {
					err = s.Set(ctx, "count", []byte(strconv.Itoa(n+1)))
				}
				if err = errors.Join(err, unlock()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	if got, err := s.Get(ctx, "count"); string(got) != strconv.Itoa(each*workers) {
		t.Errorf("counted %q, %v; want %d", got, err, each*workers)
	}
}
