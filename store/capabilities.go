package store

import (
	"context"
	"errors"
)

// Capabilities holds what a store can do beyond reading. A nil interface, or false, is a capability
// that it lacks. [CapabilitiesOf] and [SourceCapabilities] find them; a type assertion does not.
type Capabilities struct {
	_ [0]func() // not comparable, because a comparison would take code for each field

	// Any store may have these.
	Lister      Lister
	Writer      Writer
	Conditional Conditional
	Locker      Locker

	// Locators may have these.
	Preparer  Preparer
	Refresher Refresher
	// Source is the source whose objects have the keys as names.
	Source Source
	// Outer is the store whose part below Path this one presents.
	Outer Locator
	Path  string

	// Sources may have these.
	Remote  Remote
	Batcher Batcher
	Reuser  Reuser
	// WholeOnly reports that the source answers every range with the whole object.
	WholeOnly bool
}

// Capable is a store that reports its capabilities itself: one that wraps another store, or whose
// capabilities depend on its settings. A type that embeds such a store has its own Capabilities, or
// else its other methods are bypassed. Any other store can do what its methods implement.
type Capable interface {
	Capabilities() Capabilities
}

// CapabilitiesOf returns the capabilities of a locator.
func CapabilitiesOf(l Locator) *Capabilities { return capabilities(l) }

// SourceCapabilities returns the capabilities of a source.
func SourceCapabilities(s Source) *Capabilities { return capabilities(s) }

func capabilities(s any) *Capabilities {
	if s, ok := s.(Capable); ok {
		c := s.Capabilities()
		return &c
	}
	c := &Capabilities{}
	c.Lister, _ = s.(Lister)
	c.Writer, _ = s.(Writer)
	c.Conditional, _ = s.(Conditional)
	c.Locker, _ = s.(Locker)
	c.Preparer, _ = s.(Preparer)
	c.Refresher, _ = s.(Refresher)
	c.Remote, _ = s.(Remote)
	c.Batcher, _ = s.(Batcher)
	c.Reuser, _ = s.(Reuser)
	return c
}

// Wrapper is a locator over another one that implements all capabilities of locators by those of
// the other.
type Wrapper interface {
	Lister
	Writer
	Conditional
	Locker
	Preparer
	Refresher
}

// Through returns the capabilities of a wrapper. They are those of the store below it, by the
// methods of the wrapper.
func (c *Capabilities) Through(w Wrapper) Capabilities {
	var by Capabilities
	if c.Lister != nil {
		by.Lister = w
	}
	if c.Writer != nil {
		by.Writer = w
	}
	if c.Conditional != nil {
		by.Conditional = w
	}
	if c.Locker != nil {
		by.Locker = w
	}
	if c.Preparer != nil {
		by.Preparer = w
	}
	if c.Refresher != nil {
		by.Refresher = w
	}
	return by
}

// The methods below call a capability. Without it, they return an error that matches
// errors.ErrUnsupported.

// ListsAll reports whether the store lists all of its keys, so that a list proves absence.
func (c *Capabilities) ListsAll() bool { return c.Lister != nil && c.Lister.ListsAll() }

// List calls [Lister].List.
func (c *Capabilities) List(ctx context.Context, prefix string) ([]string, error) {
	if c.Lister == nil {
		return nil, cannot("list", prefix)
	}
	return c.Lister.List(ctx, prefix)
}

// Set calls [Writer].Set.
func (c *Capabilities) Set(ctx context.Context, key string, data []byte) error {
	if c.Writer == nil {
		return cannot("set", key)
	}
	return c.Writer.Set(ctx, key, data)
}

// Delete calls [Writer].Delete.
func (c *Capabilities) Delete(ctx context.Context, key string) error {
	if c.Writer == nil {
		return cannot("delete", key)
	}
	return c.Writer.Delete(ctx, key)
}

// DeleteAll calls [Writer].DeleteAll.
func (c *Capabilities) DeleteAll(ctx context.Context, prefix string) error {
	if c.Writer == nil {
		return cannot("delete", prefix)
	}
	return c.Writer.DeleteAll(ctx, prefix)
}

// Create calls [Conditional].Create.
func (c *Capabilities) Create(ctx context.Context, key string, data []byte) error {
	if c.Conditional == nil {
		return cannot("set", key)
	}
	return c.Conditional.Create(ctx, key, data)
}

// Replace calls [Conditional].Replace.
func (c *Capabilities) Replace(ctx context.Context, key string, data []byte, old Version) error {
	if c.Conditional == nil {
		return cannot("set", key)
	}
	return c.Conditional.Replace(ctx, key, data, old)
}

// Remove calls [Conditional].Remove.
func (c *Capabilities) Remove(ctx context.Context, key string, old Version) error {
	if c.Conditional == nil {
		return cannot("delete", key)
	}
	return c.Conditional.Remove(ctx, key, old)
}

// Lock calls [Locker].Lock.
func (c *Capabilities) Lock(ctx context.Context, key string) (unlock func() error, err error) {
	if c.Locker == nil {
		return nil, cannot("lock", key)
	}
	return c.Locker.Lock(ctx, key)
}

// Prepare calls [Preparer].Prepare, if there is one.
func (c *Capabilities) Prepare(ctx context.Context, keys []string) {
	if c.Preparer != nil {
		c.Preparer.Prepare(ctx, keys)
	}
}

// Refresh calls [Refresher].Refresh, if there is one.
func (c *Capabilities) Refresh() {
	if c.Refresher != nil {
		c.Refresher.Refresh()
	}
}

func cannot(op, key string) error { return &KeyError{op, key, errors.ErrUnsupported} }
