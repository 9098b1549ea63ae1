package codec

import (
	"errors"
	"strconv"
)

// What can be wrong with encoded bytes. Every error that a decoder returns
// matches one of these, or is a *LimitError, an *UnsupportedError or the context's error.
var (
	// ErrTruncated: the bytes end too early, or hold too few elements.
	ErrTruncated = errors.New("truncated")
	// ErrChecksum: the bytes are not those that were written.
	ErrChecksum = errors.New("checksum mismatch")
	// ErrCorrupt: the bytes are not of the codec's format.
	ErrCorrupt = errors.New("corrupt")
	// ErrValue: an encoder was given an element that its codec cannot hold.
	ErrValue = errors.New("value")
)

type dataError struct {
	kind error
	msg  string
}

func (e *dataError) Error() string { return e.kind.Error() + ": " + e.msg }
func (e *dataError) Unwrap() error { return e.kind }

// The makers of these errors are called in many places, each of which would grow
// by their inlined body: together 10 KB of the compressed wasm.

// Truncated returns an error that matches ErrTruncated.
//
//go:noinline
func Truncated(msg string) error { return &dataError{ErrTruncated, msg} }

// Corrupt returns an error that matches ErrCorrupt.
//
//go:noinline
func Corrupt(msg string) error { return &dataError{ErrCorrupt, msg} }

// Unfit returns an error that matches ErrValue.
//
//go:noinline
func Unfit(msg string) error { return &dataError{ErrValue, msg} }

// Mismatch returns an error that matches ErrChecksum.
//
//go:noinline
func Mismatch(msg string) error { return &dataError{ErrChecksum, msg} }

// Error is an error of one codec of a chain, while decoding or encoding.
type Error struct {
	Codec string // its name, as the metadata has it
	Err   error
}

func (e *Error) Error() string { return "codec " + e.Codec + ": " + e.Err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// UnknownError says that no codec of that name is registered.
type UnknownError struct {
	Name string
	// Known are the names that are registered, sorted.
	Known []string
}

func (e *UnknownError) Error() string { return "unknown codec " + strconv.Quote(e.Name) }

// ConfigError says that the metadata's configuration of a codec, or its place
// in the chain, is wrong.
type ConfigError struct {
	Codec string
	Msg   string
}

func (e *ConfigError) Error() string { return "codec " + e.Codec + ": " + e.Msg }

// UnsupportedError says that the data is valid but needs something that is not
// supported: a blosc2 container, a zstd dictionary.
type UnsupportedError struct {
	Feature string
}

func (e *UnsupportedError) Error() string { return "unsupported: " + e.Feature }
