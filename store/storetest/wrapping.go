package storetest

import (
	"context"
	"errors"
	"io/fs"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/zarr-wasm/zarr-wasm/store"
)

// Wrapping describes a store over another one, for [RunWrapping].
type Wrapping struct {
	// New returns the store over another one. A wrapper of sources is wrapped by store.Plain.
	New func(of Below) store.Locator
	// Passes names the capabilities that the store has when the other one has them: fields of
	// store.Capabilities. Its other capabilities are Always there, or never.
	Passes, Always []string
	// Refuses names methods of passed capabilities that return errors.ErrUnsupported.
	Refuses []string
	// Key returns the other store's key for a key; nil for the same one.
	Key func(key string) string
	// Partial says that the store's lists are incomplete.
	Partial bool
}

// capabilities names the fields of store.Capabilities except Source, which belongs to store.Plain,
// and Outer with Path, which belong to store/prefix.
var capabilities = []string{
	"Lister", "Writer", "Conditional", "Locker", "Preparer", "Refresher", "Remote", "Batcher", "Reuser", "WholeOnly",
}

// RunWrapping wraps stores with each set of capabilities. The wrapper must have exactly the
// capabilities that it claims. Each of their methods must call the other store's.
func RunWrapping(t *testing.T, w Wrapping) {
	if w.Key == nil {
		w.Key = func(key string) string { return key }
	}
	for set := range 1 << len(capabilities) {
		b := &below{}
		for i, name := range capabilities {
			if set>>i&1 != 0 {
				b.has = append(b.has, name)
			}
		}
		b.yes = set%3 == 0
		w.check(t, b)
		if t.Failed() {
			t.Fatalf("over a store with %q", b.has)
		}
	}
}

func (w Wrapping) check(t *testing.T, b *below) {
	c := store.CapabilitiesOf(w.New(b))
	for _, name := range capabilities {
		always := slices.Contains(w.Always, name)
		passed := slices.Contains(w.Passes, name) && slices.Contains(b.has, name)
		if has := !reflect.ValueOf(*c).FieldByName(name).IsZero(); has != (always || passed) {
			t.Errorf("%s: %v", name, has)
		} else if !always {
			w.call(t, b, c, name)
		}
	}
}

// call calls the methods of one capability.
func (w Wrapping) call(t *testing.T, b *below, c *store.Capabilities, name string) {
	ctx, key := t.Context(), "a/0"
	has := slices.Contains(w.Passes, name) && slices.Contains(b.has, name)
	calls := func(method string, call func() error) {
		b.called = nil
		err := call()
		want := []string{method + " " + w.Key(key)}
		refused := !has || slices.Contains(w.Refuses, method)
		if refused {
			want = nil
		}
		if !slices.Equal(b.called, want) || refused != errors.Is(err, errors.ErrUnsupported) || !refused && err != nil {
			t.Errorf("%s: %v; it called %q, want %q", method, err, b.called, want)
		}
	}
	switch name {
	case "Lister":
		calls("List", func() error { _, err := c.List(ctx, key); return err })
		if c.ListsAll() != (has && b.yes && !w.Partial) {
			t.Errorf("ListsAll: %v", c.ListsAll())
		}
	case "Writer":
		calls("Set", func() error { return c.Set(ctx, key, nil) })
		calls("Delete", func() error { return c.Delete(ctx, key) })
		calls("DeleteAll", func() error { return c.DeleteAll(ctx, key) })
		if has && !slices.Contains(w.Refuses, "DeleteAll") && c.Writer.DeletesAtomically() != b.yes {
			t.Errorf("DeletesAtomically: %v", !b.yes)
		}
	case "Conditional":
		calls("Create", func() error { return c.Create(ctx, key, nil) })
		calls("Replace", func() error { return c.Replace(ctx, key, nil, store.Unknown) })
		calls("Remove", func() error { return c.Remove(ctx, key, store.Unknown) })
	case "Locker":
		calls("Lock", func() error { _, err := c.Lock(ctx, key); return err })
	}
	if !has {
		return
	}
	switch name {
	case "Preparer":
		calls("Prepare", func() error { c.Prepare(ctx, []string{key}); return nil })
	case "Refresher":
		key = ""
		b.called = nil
		if c.Refresh(); !slices.Equal(b.called, []string{"Refresh"}) {
			t.Errorf("Refresh called %q", b.called)
		}
	case "Remote":
		calls("Address", func() error { c.Remote.Address(key); return nil })
	case "Batcher":
		calls("ReadAll", func() error { _, err := c.Batcher.ReadAll(ctx, []string{key}); return err })
	case "Reuser":
		calls("Reuse", func() error { c.Reuser.Reuse([]byte(key)); return nil })
	}
}

// Below is the store below a wrapper.
type Below interface {
	store.Source
	store.Locator
}

// below has no objects, and records the calls of its methods.
type below struct {
	has    []string
	yes    bool
	called []string
}

// Capabilities implements [store.Capable].
func (b *below) Capabilities() (c store.Capabilities) {
	all := store.Capabilities{
		Lister: b, Writer: b, Conditional: b, Locker: b, Preparer: b, Refresher: b, Remote: b, Batcher: b, Reuser: b, WholeOnly: true,
	}
	for _, name := range b.has {
		reflect.ValueOf(&c).Elem().FieldByName(name).Set(reflect.ValueOf(all).FieldByName(name))
	}
	return c
}

func (b *below) call(words ...string) error {
	b.called = append(b.called, strings.Join(words, " "))
	return nil
}

// Locate implements [store.Locator].
func (b *below) Locate(_ context.Context, key string) (store.Location, error) {
	return store.At(b, key), nil
}

// Read implements [store.Source].
func (b *below) Read(context.Context, string, store.Ask) (store.Extent, error) {
	return store.Extent{}, fs.ErrNotExist
}

// List implements [store.Lister].
func (b *below) List(_ context.Context, prefix string) ([]string, error) {
	return nil, b.call("List", prefix)
}

// ListsAll implements [store.Lister].
func (b *below) ListsAll() bool { return b.yes }

// Set implements [store.Writer].
func (b *below) Set(_ context.Context, key string, _ []byte) error { return b.call("Set", key) }

// Delete implements [store.Writer].
func (b *below) Delete(_ context.Context, key string) error { return b.call("Delete", key) }

// DeleteAll implements [store.Writer].
func (b *below) DeleteAll(_ context.Context, prefix string) error { return b.call("DeleteAll", prefix) }

// DeletesAtomically implements [store.Writer].
func (b *below) DeletesAtomically() bool { return b.yes }

// Create implements [store.Conditional].
func (b *below) Create(_ context.Context, key string, _ []byte) error { return b.call("Create", key) }

// Replace implements [store.Conditional].
func (b *below) Replace(_ context.Context, key string, _ []byte, _ store.Version) error {
	return b.call("Replace", key)
}

// Remove implements [store.Conditional].
func (b *below) Remove(_ context.Context, key string, _ store.Version) error {
	return b.call("Remove", key)
}

// Lock implements [store.Locker].
func (b *below) Lock(_ context.Context, key string) (func() error, error) {
	return func() error { return nil }, b.call("Lock", key)
}

// Prepare implements [store.Preparer].
func (b *below) Prepare(_ context.Context, keys []string) {
	_ = b.call(append([]string{"Prepare"}, keys...)...)
}

// Refresh implements [store.Refresher].
func (b *below) Refresh() { _ = b.call("Refresh") }

// Address implements [store.Remote].
func (b *below) Address(key string) string { _ = b.call("Address", key); return "https://host/" + key }

// Itself implements [store.Remote].
func (b *below) Itself() (store.Source, string) { return nil, "" }

// ReadAll implements [store.Batcher].
func (b *below) ReadAll(_ context.Context, names []string) ([]store.Found, error) {
	return make([]store.Found, len(names)), b.call(append([]string{"ReadAll"}, names...)...)
}

// Reuse implements [store.Reuser].
func (b *below) Reuse(data []byte) { _ = b.call("Reuse", string(data)) }
